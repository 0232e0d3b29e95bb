import assert from 'node:assert/strict';
import { sql } from '../../src/database/pool.ts';
import type { Usage } from '../../src/billing/metering/schema.ts';
import { run } from '../billing/ledger/ledger-world.ts';
import { envelopeOf } from '../claims/support.ts';
import { newEndpoint, standardHeaders } from '../inbound/support/endpoints.ts';
import { ownContext, type OwnContext } from '../invocations/own-context.ts';
import { newOperator } from '../notifications/support/destinations.ts';
import { buildInvocation, buildOperator, buildSkill, type TestOperator } from '../support/factories.ts';
import { assertProblem, assertStatus, database } from '../support/service.ts';
import { receiveInbound, admitRequest } from '../../src/inbound/receiver/receive.ts';

const GIBIBYTE = 1_073_741_824;

describe('The storage that a tier includes', () => {
  let consumer: TestOperator;
  let provider: TestOperator;
  let skill: string;
  before(async () => {
    consumer = await buildOperator();
    provider = await buildOperator();
    skill = (await buildSkill(provider)).id;
  });

  /** As the steps of retention count them. */
  const keeps = async (operatorId: string, bytes: number): Promise<void> => {
    await run(
      await database(),
      sql.fragment`
        insert into content_bytes (operator_id, content, bytes, counted_to) values (${operatorId}, 'invocation_contents', ${bytes}, now())
        on conflict (operator_id, content) do update set bytes = excluded.bytes`,
    );
  };
  const usedOf = async ({ get }: TestOperator) => assertStatus(await get<Usage>('/v1/billing/usage'), 200).storage;

  it('is shown with what is used of it', async () => {
    const operator = await buildOperator({ tier: 'developer' });
    await keeps(operator.operatorId, 12);
    assert.deepEqual(await usedOf(operator), { used_bytes: 12, included_bytes: 10 * GIBIBYTE });
  });

  it('refuses an invocation where it is full, and takes one below', async () => {
    await keeps(consumer.operatorId, GIBIBYTE - 1);
    await buildInvocation(consumer, skill);
    await keeps(consumer.operatorId, GIBIBYTE);
    const refused = await consumer.post(`/v1/skills/${skill}/invoke`, { input: { text: 'hello' } });
    assertProblem(refused, 'TIER_LIMIT_EXCEEDED');
    assert.deepEqual([refused.body.limit, refused.body.used], [GIBIBYTE, GIBIBYTE]);
  });

  it('refuses a new claim where it is full, and answers one that is recorded', async () => {
    await keeps(consumer.operatorId, 0);
    const envelope = envelopeOf(consumer);
    assertStatus(await consumer.post('/v1/claims', envelope), 201);
    await keeps(consumer.operatorId, GIBIBYTE);
    assertProblem(await consumer.post('/v1/claims', envelopeOf(consumer)), 'TIER_LIMIT_EXCEEDED');
    assertStatus(await consumer.post('/v1/claims', envelope), 200);
  });

  it('keeps nobody from ending, revoking and working: neither consumer nor provider', async () => {
    await keeps(consumer.operatorId, 0);
    const [done, cancelled] = [await buildInvocation(consumer, skill), await buildInvocation(consumer, skill)];
    const claim = assertStatus(await consumer.post<{ id: string }>('/v1/claims', envelopeOf(consumer)), 201);
    for (const { operatorId } of [consumer, provider]) await keeps(operatorId, 2 * GIBIBYTE);
    const path = `/v1/skills/invocations/${done.id}`;
    assertStatus(await provider.post(`${path}/claim`), 200);
    assertStatus(await provider.post(`${path}/complete`, { output: { text: 'HELLO' } }), 200);
    assertStatus(await consumer.post(`/v1/skills/invocations/${cancelled.id}/cancel`), 200);
    assertStatus(await consumer.post(`/v1/claims/${claim.id}/revoke`, {}), 200);
  });

  it('is without limit on tier enterprise', async () => {
    const operator = await buildOperator({ tier: 'enterprise' });
    await keeps(operator.operatorId, 1_000_000 * GIBIBYTE);
    await buildInvocation(operator, skill);
    assert.equal((await usedOf(operator)).included_bytes, null);
  });

  describe('at an inbound endpoint', () => {
    let own: OwnContext;
    before(async () => {
      own = await ownContext();
    });
    after(() => own.close());

    it('refuses what is new where it is full, and knows what came before', async () => {
      const { context } = own;
      const endpoint = await newEndpoint(context, { operatorId: await newOperator(context, 'free') });
      const send = async (payload: unknown) => {
        const body = Buffer.from(JSON.stringify(payload));
        const signed = Object.entries(standardHeaders(endpoint.secret, body, { id: 'msg_1' }));
        const { found } = await admitRequest(context, { provider: 'generic', slug: endpoint.slug });
        return receiveInbound(context, found, {
          headers: Object.fromEntries(signed.map(([name, value]) => [name, [value]])),
          body,
        });
      };
      const keep = (bytes: number) =>
        run(
          context.pool,
          sql.fragment`
            insert into content_bytes (operator_id, content, bytes) values (${endpoint.operatorId}, 'inbound_contents', ${bytes})
            on conflict (operator_id, content) do update set bytes = excluded.bytes`,
        );
      await keep(GIBIBYTE);
      await assert.rejects(send({ note: 'a' }), { code: 'TIER_LIMIT_EXCEEDED' });
      await keep(0);
      const { event_id: id } = await send({ note: 'a' });
      await keep(GIBIBYTE);
      assert.equal((await send({ note: 'a' })).event_id, id);
    });
  });
});
