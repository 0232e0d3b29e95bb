import assert from 'node:assert/strict';
import type { DatabasePool } from '../../../src/database/pool.ts';
import { sql } from '../../../src/database/pool.ts';
import { newId } from '../../../src/ids/ids.ts';
import { envelopeOf } from '../../claims/support.ts';
import { issue, openHolder, type Holder } from '../../passports/holders.ts';
import { newLineage, timePasses } from '../../passports/lineages.ts';
import {
  buildInvocation,
  buildOperator,
  buildSkill,
  credit,
  publication,
  type TestOperator,
} from '../../support/factories.ts';
import { anonymous, assertStatus, database, type Reply } from '../../support/service.ts';
import { run } from '../ledger/ledger-world.ts';
import { counterOf, eachWithinOneMonth } from './counters.ts';

type Send = (headers?: Record<string, string>) => Promise<Reply>;

const report = { services_used: [], tool_calls: [], actions_count: 1 };
const input = { text: 'hello' };

describe('metered actions', () => {
  let db: DatabasePool;
  let provider: TestOperator;
  let skillId: string;
  before(async () => {
    db = await database();
    provider = await buildOperator();
    skillId = (await buildSkill(provider, { price_per_invocation: 3 })).id;
  });
  eachWithinOneMonth();

  const used = async ({ operatorId }: TestOperator): Promise<number> => (await counterOf(db, operatorId)).used;
  const openPayer = async (): Promise<Holder> => {
    const holder = await openHolder({ accountability: 'logged' });
    await credit(holder.as.operatorId, 100);
    return holder;
  };
  /** A POST whose preconditions are met. */
  const post =
    ({ as }: Holder, path: string, body: unknown): Send =>
    (headers) =>
      as.post(path, body, headers);

  const actions: Record<string, { passports?: 1; invocations?: 1; prepare(holder: Holder): Promise<Send> }> = {
    'passports/issue': {
      passports: 1,
      prepare: async (holder) => post(holder, '/v1/passports/issue', { agent_id: holder.agentId }),
    },
    'passports/delegate': {
      passports: 1,
      prepare: async (holder) => {
        const child = {
          child_agent_id: holder.agentId,
          scopes: [{ service_connection_id: holder.code.id, scopes: ['*'] }],
        };
        return post(holder, '/v1/passports/delegate', { parent_passport_token: (await issue(holder)).token, ...child });
      },
    },
    'passports/refresh': {
      passports: 1,
      prepare: async (holder) => post(holder, '/v1/passports/refresh', { token: (await issue(holder)).token }),
    },
    'passports/:jti/checkpoint': {
      prepare: async (holder) => post(holder, `/v1/passports/${(await issue(holder)).jti}/checkpoint`, report),
    },
    'passports/:jti/checkout': {
      prepare: async (holder) => post(holder, `/v1/passports/${(await issue(holder)).jti}/checkout`, report),
    },
    'skills/:id/invoke': {
      invocations: 1,
      prepare: async (holder) => post(holder, `/v1/skills/${skillId}/invoke`, { input }),
    },
    claims: { prepare: async (holder) => post(holder, '/v1/claims', envelopeOf(holder.as)) },
  };

  for (const [name, { passports = 0, invocations = 0, prepare }] of Object.entries(actions)) {
    it(`POST /v1/${name} counts one, and nothing when its Idempotency-Key is repeated`, async () => {
      const holder = await openPayer();
      const send = await prepare(holder);
      const before = await counterOf(db, holder.as.operatorId);
      const headers = { 'Idempotency-Key': newId('key') };
      assertStatus(await send(headers), 201);
      assert.equal((await send(headers)).headers.get('Idempotency-Replayed'), 'true');
      assert.deepEqual(await counterOf(db, holder.as.operatorId), {
        used: before.used + 1,
        overage: 0,
        passports: before.passports + passports,
        invocations: before.invocations + invocations,
      });
    });
  }

  it('counts many in parallel for one operator, and none for another', async () => {
    const holder = await openPayer();
    const sends = await Promise.all(Object.values(actions).map(({ prepare }) => prepare(holder)));
    const [before, theirs] = [await used(holder.as), await used(provider)];
    const replies = await Promise.all([...sends, ...sends.slice(0, 3)].map((send) => send()));
    for (const reply of replies) assertStatus(reply, 201);
    assert.equal(await used(holder.as), before + replies.length);
    assert.equal(await used(provider), theirs, 'nothing for whose skill was invoked');
  });

  const unmetered: Record<string, [status: number, act: (holder: Holder) => Promise<Reply>]> = {
    'a read': [200, ({ as }) => as.get('/v1/billing/balance')],
    'an invoke that is refused': [400, ({ as }) => as.post(`/v1/skills/${skillId}/invoke`, { input: { text: 7 } })],
    'a passport that is refused': [404, ({ as }) => as.post('/v1/passports/issue', { agent_id: newId('ag') })],
    'a claim that is refused': [
      403,
      ({ as }) => as.post('/v1/claims', envelopeOf(as, { issuer: provider.operatorId })),
    ],
    'publishing a skill': [201, ({ as }) => as.post('/v1/skills', publication())],
    'a new agent': [201, ({ as }) => as.post('/v1/agents', { name: 'one more' })],
  };
  for (const [name, [status, act]] of Object.entries(unmetered)) {
    it(`${name} counts nothing`, async () => {
      const holder = await openPayer();
      assertStatus(await act(holder), status);
      assert.equal(await used(holder.as), 0);
    });
  }

  it('a claim that the service issues counts nothing, neither for its subject nor for the service', async () => {
    const { as } = await openPayer();
    const before = await counterOf(db, 'op_platform');
    assertStatus(await as.post('/v1/missions', { declared_intent: 'Sort the issues' }), 201);
    assert.deepEqual([await used(as), await counterOf(db, 'op_platform')], [0, before]);
  });

  it('verify, introspect and every revoke count nothing', async () => {
    const holder = await openPayer();
    const { token, jti } = await issue(holder);
    const before = await used(holder.as);
    assertStatus(await anonymous().post('/v1/passports/verify', { token }), 200);
    assertStatus(await holder.as.post('/v1/passports/verify', { token }), 200);
    assertStatus(await holder.as.post('/v1/passports/introspect', { token }), 200);
    assertStatus(await holder.as.post('/v1/passports/revoke', { jti }), 200);
    assertStatus(await holder.as.post(`/v1/passports/revoke-agent/${holder.agentId}`, {}), 200);
    assert.equal(await used(holder.as), before);
  });

  it('a claim that is recorded already counts nothing', async () => {
    const { as } = await openPayer();
    const envelope = envelopeOf(as);
    assertStatus(await as.post('/v1/claims', envelope), 201);
    assertStatus(await as.post('/v1/claims', envelope), 200);
    assert.equal(await used(as), 1);
  });

  it('completing, failing and cancelling an invocation count nothing for either side', async () => {
    const { as } = await openPayer();
    const { id } = await buildInvocation(as, skillId);
    const before = [await used(as), await used(provider)];
    assertStatus(await provider.post(`/v1/skills/invocations/${id}/claim`), 200);
    assertStatus(await provider.post(`/v1/skills/invocations/${id}/complete`, { output: input }), 200);
    assert.deepEqual([await used(as), await used(provider)], before);
  });

  // Only a missed checkout that waits for a review has a row before the checkout comes.
  for (const accountability of ['logged', 'enforced'] as const) {
    it(`a missed checkout of a passport that is ${accountability} counts when it comes late`, async () => {
      const { as } = await openPayer();
      const lineage = await newLineage(db, { operator: as.operatorId, accountability, interval: null });
      const before = await used(as);
      await timePasses(db, lineage, 3_600 + 901);
      await run(db, sql.fragment`select advance_session(${lineage.session}, 900)`);
      assert.equal(await used(as), before, 'the miss is not the agent’s doing');
      assertStatus(await as.post(`/v1/passports/${lineage.jti}/checkout`, report), 201);
      assert.equal(await used(as), before + 1);
    });
  }
});
