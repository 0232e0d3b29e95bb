import assert from 'node:assert/strict';
import { z } from 'zod';
import { sql } from '../../src/database/pool.ts';
import type { Skill } from '../../src/skills/schema.ts';
import { buildMemberKey, buildOperator, type TestOperator } from '../support/factories.ts';
import { eventually } from '../support/eventually.ts';
import { anonymous, assertProblem, assertStatus, database, platform } from '../support/service.ts';
import { approve, complete, llmStep, publish, publishApproved, scriptStep, sealedSkill, secret } from './support.ts';

const codeFields = [
  'execution_steps',
  'execution_script',
  'execution_runtime',
  'dependencies',
  'llm_enabled',
  'llm_provider',
  'llm_model',
  'llm_config',
] as const;

describe('GET /v1/skills/:id', () => {
  let owner: TestOperator;
  let other: TestOperator;

  before(async () => {
    [owner, other] = await Promise.all([buildOperator(), buildOperator()]);
  });

  it('requires authentication', async () =>
    assertProblem(await anonymous().get(`/v1/skills/${(await publish(owner)).id}`), 'UNAUTHENTICATED'));

  it('answers the skill as published, to anybody', async () => {
    const published = await publish(owner);
    const skill = assertStatus(await other.get<Skill>(`/v1/skills/${published.id}`), 200);
    const shown: Partial<Skill> = { ...published };
    for (const field of [...codeFields, 'pending_change'] as const) delete shown[field];
    assert.deepEqual(skill, shown);
    assert.deepEqual(assertStatus(await owner.get<Skill>(`/v1/skills/${published.id}`), 200), published);
  });

  for (const id of ['skl_01K0000000000000000000000A', 'x', '%20', "'", 'skl_'.padEnd(3_000, '0')]) {
    it(`knows no skill ${id.slice(0, 40)}`, async () =>
      assertProblem(await owner.get(`/v1/skills/${id}`), 'NOT_FOUND'));
  }

  it('answers 304 to a client that has it already, and the new one once it changed', async () => {
    const { id } = await publish(owner);
    const etag = (await other.get(`/v1/skills/${id}`)).headers.get('etag') ?? '';
    assert.equal((await other.get(`/v1/skills/${id}`, { 'if-none-match': etag })).status, 304);
    assertStatus(await owner.patch(`/v1/skills/${id}`, { description: 'Another' }), 200);
    assert.equal((await other.get(`/v1/skills/${id}`, { 'if-none-match': etag })).status, 200);
  });

  it('shows a change immediately, however often it was read before', async () => {
    const { id } = await publish(owner);
    for (let price = 1; price <= 20; price += 1) {
      assertStatus(await owner.patch(`/v1/skills/${id}`, { price_per_invocation: price }), 200);
      const [first, second] = await Promise.all([
        other.get<Skill>(`/v1/skills/${id}`),
        owner.get<Skill>(`/v1/skills/${id}`),
      ]);
      assert.deepEqual([first.body.price_per_invocation, second.body.price_per_invocation], [price, price]);
    }
  });

  it('counts completed invocations by others', async () => {
    const { id } = await publish(owner);
    const invocations = [await complete(other, owner, id), await complete(owner, owner, id)];
    const pool = await database();
    for (const invocation of invocations)
      await pool.query(sql.type(z.object({}))`select advance_invocation(${invocation})`);
    await eventually(
      'the count to be shown',
      async () => (await other.get<Skill>(`/v1/skills/${id}`)).body.invocation_count > 0,
    );
    assert.equal((await other.get<Skill>(`/v1/skills/${id}`)).body.invocation_count, 1);
  });

  describe('what is visible', () => {
    const make: Record<string, () => Promise<Skill>> = {
      active: () => publish(owner),
      unlisted: async () =>
        assertStatus(await owner.post<Skill>(`/v1/skills/${(await publish(owner)).id}/unlist`), 200),
      'suspended after it was public': async () =>
        assertStatus(await owner.post<Skill>(`/v1/skills/${(await publish(owner)).id}/suspend`), 200),
      pending_review: () => publish(owner, sealedSkill),
      'suspended before it was ever public': async () =>
        assertStatus(await owner.post<Skill>(`/v1/skills/${(await publish(owner, sealedSkill)).id}/suspend`), 200),
      rejected: async () =>
        assertStatus(await platform().post<Skill>(`/v1/skills/${(await publish(owner, sealedSkill)).id}/reject`), 200),
      'pending_review again after a take-down': async () => {
        const { id } = await publish(owner);
        assertStatus(await platform().post(`/v1/admin/skills/${id}/suspend`, { reason: 'fraud' }), 200);
        return assertStatus(await owner.post<Skill>(`/v1/skills/${id}/activate`), 200);
      },
    };
    const toOthers = new Set(['active', 'unlisted', 'suspended after it was public']);

    for (const [state, build] of Object.entries(make)) {
      const seen = toOthers.has(state);
      it(`${seen ? 'shows' : 'hides'} a skill that is ${state} ${seen ? 'to' : 'from'} others, and shows it to its owner and the platform`, async () => {
        const { id } = await build();
        for (const path of ['', '/ratings', '/versions']) {
          const reply = await other.get(`/v1/skills/${id}${path}`);
          if (seen) assertStatus(reply, 200);
          else assertProblem(reply, 'NOT_FOUND');
        }
        for (const caller of [owner, await buildMemberKey(owner), platform()])
          assertStatus(await caller.get(`/v1/skills/${id}`), 200);
      });
    }
  });

  it('shows the reason of a take-down to the owner, and the skill to nobody else', async () => {
    const { id } = await publish(owner);
    assertStatus(await platform().post(`/v1/admin/skills/${id}/suspend`, { reason: 'fraud' }), 200);
    assert.equal((await owner.get<Skill>(`/v1/skills/${id}`)).body.review.rejection_reason, 'fraud');
    assertProblem(await other.get(`/v1/skills/${id}`), 'NOT_FOUND');
  });

  describe('what a skill executes', () => {
    it('is shown to everybody in a source skill', async () => {
      const { id } = await publishApproved(owner, { execution_mode: 'source', execution_steps: [scriptStep, llmStep] });
      for (const caller of [owner, other, platform()]) {
        assert.deepEqual((await caller.get<Skill>(`/v1/skills/${id}`)).body.execution_steps, [scriptStep, llmStep]);
      }
    });

    const hidden: [what: string, overrides: Record<string, unknown>][] = [
      ['sealed steps', sealedSkill],
      [
        'a sealed script',
        {
          execution_mode: 'sealed',
          execution_script: secret,
          execution_runtime: 'javascript',
          dependencies: `# ${secret}`,
          llm_config: { system_prompt: secret },
        },
      ],
      [
        'a sealed model',
        {
          execution_mode: 'sealed',
          llm_enabled: true,
          llm_provider: 'openai',
          llm_model: 'tiny-1',
          llm_config: { system_prompt: secret },
        },
      ],
      [
        'the script of an open skill',
        { execution_script: secret, dependencies: secret, llm_config: { system_prompt: secret } },
      ],
    ];
    for (const [what, overrides] of hidden) {
      it(`never leaves the owner and the platform: ${what}`, async () => {
        const tag = `leak-${Math.random().toString(36).slice(2)}`;
        const output = { type: 'object', properties: { [tag]: { type: 'string' } }, required: [tag] };
        const { id } = await publish(owner, { ...overrides, tags: [tag], output_schema: output });
        await approve(id);
        for (const caller of [owner, platform()])
          assert.match((await caller.get(`/v1/skills/${id}`)).text, /the secret of the house/);
        const { id: request } = assertStatus(
          await other.post<{ id: string }>('/v1/skill-requests', {
            description: 'Echoes',
            tags: [tag],
            desired_output_schema: output,
          }),
          201,
        );
        const seen = await Promise.all([
          other.get(`/v1/skills/${id}`),
          other.get(`/v1/skills?tags=${tag}`),
          other.get('/v1/skills?search=echoes'),
          other.post(`/v1/skills/${id}/favorite`),
          other.get(`/v1/skills/${id}/versions`),
          other.get(`/v1/skills/${id}/ratings`),
          other.post(`/v1/skills/${id}/rate`, { rating: 5 }),
          other.post(`/v1/skills/${id}/check-trust`, { passport_claims: [] }),
          other.get(`/v1/skill-requests/${request}/matches`),
          other.get(`/v1/skill-requests/${request}/suggest`),
          other.patch(`/v1/skills/${id}`, { description: 'x' }),
          other.post(`/v1/skills/${id}/suspend`),
        ]);
        seen.push(await other.get('/v1/skills/favorites'));
        for (const { text, status } of seen) {
          assert(status < 500);
          assert(!text.includes('the secret of the house'));
        }
        for (const at of [0, 1, 2, 3, 8, 9, 12]) assertStatus(seen[at] ?? assert.fail(), 200);
        for (const at of [0, 1, 8, 9, 12]) assert(seen[at]?.text.includes(id), 'the skill itself is shown');
        for (const field of codeFields) assert(!(field in (seen[0]?.body ?? {})), field);
      });
    }

    it('is null for its owner where there is none', async () => {
      const skill = (await owner.get<Skill>(`/v1/skills/${(await publish(owner)).id}`)).body;
      for (const field of codeFields) assert.equal(skill[field], null, field);
    });
  });
});
