import assert from 'node:assert/strict';
import type { Client } from '@modelcontextprotocol/client';
import { buildAgent, buildAgentKey, buildOperator, buildSkill, publication, unique } from '../support/factories.ts';
import type { TestOperator } from '../support/factories.ts';
import { assertStatus, service } from '../support/service.ts';
import { issue } from '../passports/holders.ts';
import { issued } from '../http/auth/support/belongings.ts';
import { callTool, connected, LANES, metaOf, textsOf } from './support/clients.ts';

/** Claims the invocation and delivers its output. */
async function provide(provider: TestOperator, id: unknown, output: object = { text: 'HELLO' }): Promise<void> {
  const at = `/v1/skills/invocations/${String(id)}`;
  assertStatus(await provider.post(`${at}/claim`), 200);
  assertStatus(await provider.post(`${at}/complete`, { output }), 200);
}

const inputsOf = async (client: Client) =>
  new Map((await client.listTools()).tools.map(({ name, inputSchema }) => [name, inputSchema]));

for (const lane of LANES)
  describe(`POST /mcp, in the lane of ${lane}`, () => {
    let provider: TestOperator;
    let consumer: TestOperator;
    let client: Client;
    before(async () => {
      provider = await buildOperator();
      consumer = await buildOperator({ cents: 100 });
      client = await connected(lane, consumer.key ?? '');
    });
    after(() => client.close());

    it('lists its tools in one order, with schemas, and says who it is', async () => {
      const { tools, nextCursor } = await client.listTools();
      assert.deepEqual(
        tools.map(({ name }) => name),
        [
          'search_skills',
          'get_skill',
          'invoke_skill',
          'get_invocation',
          'cancel_invocation',
          'balance',
          'statement',
          'delegate_budget',
        ],
      );
      assert.equal(nextCursor, undefined);
      assert.deepEqual(tools.find(({ name }) => name === 'invoke_skill')?.inputSchema.required, [
        'skill_id',
        'input',
        'idempotency_key',
      ]);
      assert(JSON.stringify(tools).length < 10_000, 'what every model reads is short');
      assert.equal(client.getServerVersion()?.name, 'carnet');
    });

    it('finds a paid skill by its words, orders it, and says what it cost and what is left', async () => {
      const word = unique('shout');
      const skill = await buildSkill(provider, { description: `${word} makes a text loud`, price_per_invocation: 25 });
      const found = await callTool(client, 'search_skills', { query: word });
      assert.match(
        textsOf(found)[0] ?? '',
        new RegExp(`^Skills that fit: \\d+; shown: \\d+\\. .*\\n${skill.id} .*, 25 cents: `),
      );

      const [read = ''] = textsOf(await callTool(client, 'get_skill', { skill_id: skill.id }));
      assert.deepEqual(JSON.parse(read).input_schema.required, ['text']);

      const ordered = await callTool(client, 'invoke_skill', {
        skill_id: skill.id,
        input: { text: 'hello' },
        idempotency_key: 'first',
        max_price_cents: 25,
        wait_seconds: 0,
      });
      assert.equal(ordered.structuredContent?.['status'], 'pending');
      const id = ordered.structuredContent?.['invocation_id'];
      assert.equal(metaOf(ordered)['carnet/held_cents'], 25);

      const [done] = await Promise.all([
        callTool(client, 'get_invocation', { invocation_id: id, wait_seconds: 50 }),
        provide(provider, id),
      ]);
      const [sentence = '', output = ''] = textsOf(done);
      assert.match(sentence, /is completed\. It costs 25 cents, 75 cents are left\./);
      assert.deepEqual(JSON.parse(output), { text: 'HELLO' });
      const { 'io.modelcontextprotocol/serverInfo': _server, ...meta } = metaOf(done);
      assert.deepEqual(meta, {
        'carnet/invocation_id': id,
        'carnet/price_cents': 25,
        'carnet/cost_cents': 25,
        'carnet/held_cents': 0,
        'carnet/available_cents': 75,
      });

      const [rows = ''] = textsOf(await callTool(client, 'statement'));
      assert.match(rows, new RegExp(`-25 \\(then 75\\).*${String(id)}`));
      const { structuredContent: wallet } = await callTool(client, 'balance');
      assert.equal(wallet?.['available_cents'], 75);
    });

    it('waits for the end of an order, and pays once for two calls with one key', async () => {
      const skill = await buildSkill(provider, { price_per_invocation: 5 });
      const given = { skill_id: skill.id, input: { text: 'hello' }, idempotency_key: unique('key') };
      const first = await callTool(client, 'invoke_skill', { ...given, wait_seconds: 0 });
      const id = first.structuredContent?.['invocation_id'];
      const [again] = await Promise.all([callTool(client, 'invoke_skill', given), provide(provider, id)]);
      assert.equal(again.structuredContent?.['invocation_id'], id);
      assert.equal(again.structuredContent?.['status'], 'completed');
      assert.equal(metaOf(again)['carnet/replayed'], true);
      const { body } = await consumer.get<{ invocations: object[] }>(
        `/v1/skills/invocations/mine?skill_id=${skill.id}`,
      );
      assert.equal(body.invocations.length, 1);
    });

    it('does not say a long output twice', async () => {
      const skill = await buildSkill(provider);
      const text = 'x'.repeat(5_000);
      const first = await callTool(client, 'invoke_skill', {
        skill_id: skill.id,
        input: { text: 'hello' },
        idempotency_key: unique('key'),
        wait_seconds: 0,
      });
      const id = first.structuredContent?.['invocation_id'];
      await provide(provider, id, { text });
      const done = await callTool(client, 'get_invocation', { invocation_id: id });
      assert.deepEqual(JSON.parse(textsOf(done)[1] ?? ''), { text });
      assert.equal(done.structuredContent?.['output'], undefined);
      assert(JSON.stringify(done).length < 6_500);
    });

    it('withdraws an order that nobody has begun, and tells of one that failed', async () => {
      const skill = await buildSkill(provider, { price_per_invocation: 5 });
      const order = async (): Promise<unknown> => {
        const given = { skill_id: skill.id, input: { text: 'hello' }, idempotency_key: unique('key'), wait_seconds: 0 };
        return (await callTool(client, 'invoke_skill', given)).structuredContent?.['invocation_id'];
      };
      const withdrawn = await callTool(client, 'cancel_invocation', { invocation_id: await order() });
      assert.equal(withdrawn.isError, undefined);
      assert.match(textsOf(withdrawn)[0] ?? '', /CANCELLED_BY_CONSUMER.* It costs 0 cents/);

      const id = await order();
      assertStatus(await provider.post(`/v1/skills/invocations/${String(id)}/claim`), 200);
      const error = { code: 'NO_IDEA', message: 'It cannot be done.' };
      assertStatus(await provider.post(`/v1/skills/invocations/${String(id)}/fail`, { error }), 200);
      const failed = await callTool(client, 'get_invocation', { invocation_id: id });
      assert.equal(failed.isError, true);
      assert.match(textsOf(failed)[0] ?? '', /failed: "NO_IDEA": "It cannot be done\."\. It costs 0 cents/);
    });

    it('refuses as the route refuses, with the next step', async () => {
      const skill = await buildSkill(provider, { price_per_invocation: 50_000 });
      const given = { skill_id: skill.id, input: { text: 'hello' }, idempotency_key: unique('key') };
      const poor = await callTool(client, 'invoke_skill', given);
      assert.equal(poor.isError, true);
      assert.match(textsOf(poor)[0] ?? '', /^INSUFFICIENT_CREDITS: .*\nAsk your operator to top up/);
      assert.equal(metaOf(poor)['carnet/next'], 'pay');
      const problem = metaOf(poor)['carnet/problem'] as Record<string, unknown>;
      assert.equal(problem['required_cents'], 50_000);
      assert.equal(problem['instance'], '/mcp#invoke_skill');

      const dear = await callTool(client, 'invoke_skill', { ...given, max_price_cents: 1 });
      assert.match(textsOf(dear)[0] ?? '', /^PRICE_CHANGED/);
      const wrong = await callTool(client, 'invoke_skill', { ...given, input: { text: 5 } });
      assert.match(textsOf(wrong)[0] ?? '', /^INPUT_SCHEMA_MISMATCH: .*input\.text: must be string/);
      const strange = await callTool(client, 'get_skill', { skill: skill.id });
      assert.match(textsOf(strange)[0] ?? '', /^VALIDATION_ERROR: arguments\.skill_id: is required/);
    });

    it('has the favourites as tools of their own, with the input schema of the skill', async () => {
      const own = await buildOperator({ cents: 100 });
      const plain = await buildSkill(provider, { price_per_invocation: 5 });
      const referring = await buildSkill(provider, {
        input_schema: { type: 'object', $ref: '#/$defs/a', $defs: { a: { properties: { n: { type: 'integer' } } } } },
      });
      const clashing = await buildSkill(provider, {
        input_schema: { type: 'object', properties: { wait_seconds: { type: 'string' } } },
      });
      for (const { id } of [plain, referring, clashing]) assertStatus(await own.post(`/v1/skills/${id}/favorite`), 200);
      const mine = await connected(lane, own.key ?? '');
      try {
        const inputs = await inputsOf(mine);
        const names = [plain, referring, clashing].map(({ name, id }) => `${name}_${id.slice(-8).toLowerCase()}`);
        assert.deepEqual([...inputs.keys()].slice(-3), names);
        const [flat, nested, clash] = names.map((name) => inputs.get(name));
        assert.deepEqual(Object.keys(flat?.properties ?? {}), [
          'text',
          'idempotency_key',
          'max_price_cents',
          'wait_seconds',
        ]);
        assert.deepEqual(flat?.required, ['text', 'idempotency_key']);
        assert.deepEqual(
          [nested?.required, clash?.required],
          [
            ['input', 'idempotency_key'],
            ['input', 'idempotency_key'],
          ],
        );

        const order = (at: number, given: object) =>
          callTool(mine, names[at] ?? '', {
            ...given,
            idempotency_key: `fav-${JSON.stringify(given)}`,
            wait_seconds: 0,
          });
        const ordered = await order(0, { text: 'hello' });
        assert.equal(metaOf(ordered)['carnet/held_cents'], 5);
        await provide(provider, ordered.structuredContent?.['invocation_id']);
        const again = await callTool(mine, names[0] ?? '', {
          text: 'hello',
          idempotency_key: 'fav-{"text":"hello"}',
        });
        assert.deepEqual(JSON.parse(textsOf(again)[1] ?? ''), { text: 'HELLO' });
        assert.equal((await order(1, { input: { n: 1 } })).structuredContent?.['status'], 'pending');
        assert.equal((await order(2, { input: { wait_seconds: 'x' } })).structuredContent?.['status'], 'pending');
        assert.match(textsOf(await order(1, { input: { n: 'x' } }))[0] ?? '', /^INPUT_SCHEMA_MISMATCH/);
      } finally {
        await mine.close();
      }
      await assert.rejects(callTool(client, `${plain.name}_${plain.id.slice(-8).toLowerCase()}`), {
        code: -32_602,
        message: /There is no tool/,
      });
    });

    it('delegates half of a budget to another agent, which spends no more', async () => {
      const skill = await buildSkill(provider, { price_per_invocation: 5 });
      const buyer = await buildOperator({ cents: 100 });
      const [own, other] = [await buildAgent(buyer), await buildAgent(buyer)];
      const whole = await issue({ as: buyer, agentId: own.id }, { budget: { amount_cents: 10 } });
      const mine = await connected(lane, buyer.key ?? '');
      const given = { passport: whole.token, agent_id: other.id, amount_cents: 5, idempotency_key: unique('key') };
      const half = await callTool(mine, 'delegate_budget', given);
      assert.deepEqual(
        (await callTool(mine, 'delegate_budget', given)).structuredContent,
        half.structuredContent,
        'the same again is the same passport',
      );
      const { jti, passport, amount_cents } = half.structuredContent ?? {};
      assert.deepEqual([amount_cents, textsOf(half)[1]], [5, passport]);
      const spend = () =>
        buyer.post(`/v1/skills/${skill.id}/invoke`, { input: { text: 'hello' }, passport_id: String(jti) });
      assert.equal(assertStatus(await spend(), 201).agent_id, other.id);
      assert.equal((await spend()).body.code, 'PASSPORT_BUDGET_EXCEEDED');
      const more = await callTool(mine, 'delegate_budget', {
        ...given,
        amount_cents: 6,
        idempotency_key: unique('key'),
      });
      await mine.close();
      assert.deepEqual([more.isError, metaOf(more)['carnet/next']], [true, 'pay']);
    });

    it('shows thirty favourites, the last added ones', async () => {
      const own = await buildOperator();
      const skills = await Promise.all(
        Array.from({ length: 31 }, () => buildSkill(provider, publication({ description: 'd'.repeat(1_000) }))),
      );
      for (const { id } of skills) assertStatus(await own.post(`/v1/skills/${id}/favorite`), 200);
      const mine = await connected(lane, own.key ?? '');
      const names = [...(await inputsOf(mine)).keys()].slice(8);
      await mine.close();
      assert.deepEqual(
        names,
        skills.slice(1).map(({ name, id }) => `${name}_${id.slice(-8).toLowerCase()}`),
      );
    });

    it('takes the key of an agent, and a passport where the route does', async () => {
      const agent = await buildAgent(consumer);
      const agentKey = await buildAgentKey(consumer, agent.id);
      const skill = await buildSkill(provider, { price_per_invocation: 5 });
      const byAgent = await connected(lane, agentKey.key ?? '');
      const given = { skill_id: skill.id, input: { text: 'hello' }, idempotency_key: unique('key'), wait_seconds: 0 };
      const ordered = await callTool(byAgent, 'invoke_skill', given);
      await byAgent.close();
      assert.equal(ordered.structuredContent?.['status'], 'pending');
      const { body } = await consumer.get<{ agent_id: string }>(
        `/v1/skills/invocations/${String(ordered.structuredContent?.['invocation_id'])}`,
      );
      assert.equal(body.agent_id, agent.id);

      const { token } = await issued(consumer, agent.id);
      const byPassport = await connected(lane, token);
      assert.equal((await byPassport.listTools()).tools.length, 8);
      const wallet = await callTool(byPassport, 'balance');
      const route = await fetch(`${service().baseUrl}/v1/billing/balance`, {
        headers: { authorization: `Bearer ${token}` },
      });
      assert.equal(wallet.isError ?? false, route.status >= 400, 'a tool does what its route does');
      await byPassport.close();
    });
  });
