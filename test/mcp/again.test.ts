import assert from 'node:assert/strict';
import { connect, type Socket } from 'node:net';
import { buildAgent, buildOperator, buildSkill, credit, unique, type TestOperator } from '../support/factories.ts';
import { assertStatus, service } from '../support/service.ts';
import { eventually } from '../support/eventually.ts';
import { ownServices, type OwnServices } from '../passports/own-service.ts';
import { FAULTS, openBadProxy, type Seen } from '../sdk/bad-proxy.ts';
import { callTool, connected, LANES, textsOf } from './support/clients.ts';

/** Sends the beginning of a request and what `then` adds, and cuts the connection when `until` is reached. */
async function cut(head: string, rest: string, until: 'sent' | 'answered'): Promise<void> {
  const { hostname, port } = new URL(service().baseUrl);
  const socket: Socket = connect(Number(port), hostname);
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  socket.on('error', reject);
  socket.on('connect', () => socket.write(head + rest, () => (until === 'sent' ? resolve() : undefined)));
  if (until === 'answered') socket.once('data', () => resolve());
  await promise;
  socket.destroy();
}

for (const lane of LANES)
  describe(`A paid call by POST /mcp that is cut, in the lane of ${lane}`, () => {
    let provider: TestOperator;
    let skillId: string;
    before(async () => {
      provider = await buildOperator();
      skillId = (await buildSkill(provider, { price_per_invocation: 40 })).id;
    });

    /** The request, as far as each step sends it. */
    const requestOf = (key: string, given: object) => {
      const modern = lane !== '2025';
      const meta = {
        'io.modelcontextprotocol/protocolVersion': lane,
        'io.modelcontextprotocol/clientCapabilities': {},
      };
      const params = { name: 'invoke_skill', arguments: given, ...(modern && { _meta: meta }) };
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params });
      const headers = [
        'POST /mcp HTTP/1.1',
        `Host: ${new URL(service().baseUrl).host}`,
        `Authorization: Bearer ${key}`,
        'Content-Type: application/json',
        'Accept: application/json, text/event-stream',
        ...(modern ? [`MCP-Protocol-Version: ${lane}`, 'Mcp-Method: tools/call', 'Mcp-Name: invoke_skill'] : []),
        `Content-Length: ${Buffer.byteLength(body)}`,
      ];
      return { head: `${headers.join('\r\n')}\r\n\r\n`, body };
    };

    const steps = {
      'in its head': ({ head }: { head: string }) => cut(head.slice(0, 60), '', 'sent'),
      'before its body': ({ head }: { head: string }) => cut(head, '', 'sent'),
      'in its body': ({ head, body }: { head: string; body: string }) => cut(head, body.slice(0, 40), 'sent'),
      'when all is sent': ({ head, body }: { head: string; body: string }) => cut(head, body, 'sent'),
      'in its answer': ({ head, body }: { head: string; body: string }) => cut(head, body, 'answered'),
    };
    for (const [step, cutAt] of Object.entries(steps))
      it(`is paid once when it is sent again: ${step}`, async () => {
        const consumer = await buildOperator({ cents: 100 });
        const given = { skill_id: skillId, input: { text: 'hello' }, idempotency_key: unique('key'), wait_seconds: 0 };
        await cutAt(requestOf(consumer.key ?? '', given));
        const client = await connected(lane, consumer.key ?? '');
        const answers = [await callTool(client, 'invoke_skill', given), await callTool(client, 'invoke_skill', given)];
        const [id, same] = answers.map(({ structuredContent }) => structuredContent?.['invocation_id']);
        assert.equal(id, same, JSON.stringify(answers));
        const at = `/v1/skills/invocations/${String(id)}`;
        assertStatus(await provider.post(`${at}/claim`), 200);
        assertStatus(await provider.post(`${at}/complete`, { output: { text: 'HELLO' } }), 200);
        const done = await callTool(client, 'invoke_skill', { ...given, wait_seconds: 50 });
        await client.close();
        assert.deepEqual(JSON.parse(textsOf(done)[1] ?? ''), { text: 'HELLO' });
        const { body } = await consumer.get<{ total: number }>('/v1/billing/transactions?type=invocation');
        assert.equal(body.total, 1);
        const { body: wallet } = await consumer.get<{ available_cents: number }>('/v1/billing/balance');
        assert.equal(wallet.available_cents, 60);
      });

    it('is paid once where the official client is cut at each fault, and calls again under the same key', async function () {
      this.timeout(240_000);
      const consumer = await buildOperator({ cents: 100 });
      const proxy = await openBadProxy(service().baseUrl);
      const client = await connected(lane, consumer.key ?? '', proxy.baseUrl);
      const given = { skill_id: skillId, input: { text: 'hello' }, idempotency_key: unique('key'), wait_seconds: 0 };
      const isOrder = ({ body }: Seen): boolean => body.includes('"invoke_skill"');
      proxy.spoil(isOrder, [...FAULTS]);
      // In the lane of 2025 the client waits for the rest of a stream that was cut, until its own time is over.
      const spoiled = () => client.callTool({ name: 'invoke_skill', arguments: given }, { timeout: 3_000 });
      for (const fault of FAULTS) await assert.rejects(spoiled(), Error, fault);
      // A call that the client has given up may be under way still.
      await eventually('the order', async () => {
        const { structuredContent } = await callTool(client, 'invoke_skill', given);
        return structuredContent?.['status'] === 'pending';
      });
      const { body } = await consumer.get<{ held_cents: number }>('/v1/billing/balance');
      assert.equal(body.held_cents, 40);
      await client.close();
      await proxy.stop();
    });

    it('does not wait on for a client that has gone', async () => {
      const consumer = await buildOperator({ cents: 100 });
      const given = { skill_id: skillId, input: { text: 'hello' }, idempotency_key: unique('key'), wait_seconds: 50 };
      const { head, body } = requestOf(consumer.key ?? '', given);
      for (let sent = 0; sent < 30; sent += 1) await cut(head, body, 'sent');
      const client = await connected(lane, consumer.key ?? '');
      const { structuredContent } = await callTool(client, 'invoke_skill', { ...given, wait_seconds: 0 });
      await client.close();
      assert.equal(structuredContent?.['status'], 'pending');
    });
  });

describe('POST /mcp of two processes', () => {
  let services: OwnServices;
  before(async () => {
    services = await ownServices();
  });
  after(() => services.close());

  for (const lane of LANES)
    it(`goes on in another process when the first has ended, in the lane of ${lane}`, async () => {
      const first = await services.open();
      const consumer = await buildOperator({}, first.place);
      const provider = await buildOperator({}, first.place);
      await credit(consumer.operatorId, 100, first.context.pool);
      const skill = await buildSkill(provider, { price_per_invocation: 40 });
      await buildAgent(consumer);
      const given = { skill_id: skill.id, input: { text: 'hello' }, idempotency_key: 'k', wait_seconds: 0 };
      const before = await connected(lane, consumer.key ?? '', first.baseUrl);
      const ordered = await callTool(before, 'invoke_skill', given);
      await before.close();
      const lines = first.logged().split('\n');
      const logged = lines.filter((line) => line.includes('"operation":"mcp"') && line.includes('"level":"info"'));
      assert.equal(logged.length, 1, 'the order is the one message that has changed something');

      const second = await services.open();
      const after = await connected(lane, consumer.key ?? '', second.baseUrl);
      const again = await callTool(after, 'invoke_skill', given);
      const id = ordered.structuredContent?.['invocation_id'];
      assert.equal(again.structuredContent?.['invocation_id'], id);
      const read = await callTool(after, 'get_invocation', { invocation_id: id });
      await after.close();
      assert.equal(read.structuredContent?.['status'], 'pending');
    });
});
