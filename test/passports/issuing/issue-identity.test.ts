import assert from 'node:assert/strict';
import { z } from 'zod';
import { sql } from '../../../src/database/pool.ts';
import type { SignedPassport } from '../../../src/passports/schema.ts';
import type { PassportClaims } from '../../../src/passports/token.ts';
import { inSeconds } from '../../authority/support.ts';
import { eventually } from '../../support/eventually.ts';
import { buildAgent, buildOperator } from '../../support/factories.ts';
import { anonymous, assertProblem, assertStatus, platform } from '../../support/service.ts';
import {
  claimsOf,
  delegate,
  issue,
  openHolder,
  payloadOf,
  refresh,
  signed,
  tryIssue,
  type Holder,
} from '../holders.ts';
import { ownServices } from '../own-service.ts';

const attest = async (body: Record<string, unknown>): Promise<string> =>
  assertStatus(
    await platform().post<{ id: string }>('/v1/identity-claims', {
      provider: 'eid',
      layer: 'person',
      claim_type: 'name',
      assurance_level: 'L2',
      ...body,
    }),
    201,
  ).id;

describe('POST /v1/passports/issue, identity claims', () => {
  let holder: Holder;
  beforeEach(async () => {
    holder = await openHolder();
  });

  const shownOf = async (body: Record<string, unknown> = {}): Promise<string[]> =>
    claimsOf(await issue(holder, body)).identity_claims.map(({ claim_id: id }) => id);

  it("are the agent's own and those of the account that agents inherit, without revoked ones", async () => {
    const { operatorId } = holder.as;
    const account = await attest({ operator_id: operatorId });
    const own = await attest({ agent_id: holder.agentId, inherit: false });
    const kept = await attest({ operator_id: operatorId, inherit: false });
    await attest({ agent_id: (await buildAgent(holder.as)).id });
    assert.deepEqual((await shownOf()).toSorted(), [account, own].toSorted());
    assert.deepEqual(await shownOf({ identity_claim_ids: [kept, own] }), [kept, own]);
    assert.deepEqual(await shownOf({ identity_claim_ids: [] }), []);
    assertStatus(await platform().delete(`/v1/identity-claims/${account}`), 200);
    assert.deepEqual(await shownOf(), [own]);
  });

  it('name who they are about, the agent or the account, in every passport below too', async () => {
    const { operatorId } = holder.as;
    const account = await attest({ operator_id: operatorId });
    const own = await attest({ agent_id: holder.agentId });
    const { id: childId } = await buildAgent(holder.as);
    const childsOwn = await attest({ agent_id: childId });
    const expected = new Map([
      [account, operatorId],
      [own, holder.agentId],
    ]);
    const root = await issue(holder);
    const child = await delegate(holder, root, { child_agent_id: childId });
    const grandchild = await delegate(holder, child, { child_agent_id: holder.agentId });
    for (const passport of [root, child, grandchild, await refresh(holder, root), await refresh(holder, grandchild)]) {
      const shown = claimsOf(passport).identity_claims;
      assert.deepEqual(new Map(shown.map(({ claim_id: id, holder: about }) => [id, about])), expected);
      const { claims } = assertStatus(
        await anonymous().post<{ claims: PassportClaims }>('/v1/passports/verify', { token: passport.token }),
        200,
      );
      assert.deepEqual(claims.identity_claims, shown);
      const introspected = assertStatus(
        await holder.as.post<{ svcns: PassportClaims }>('/v1/passports/introspect', { token: passport.token }),
        200,
      );
      assert.deepEqual(introspected.svcns.identity_claims, shown);
    }
    const [first] = claimsOf(
      await issue(holder, { agent_id: childId, identity_claim_ids: [childsOwn] }),
    ).identity_claims;
    assert.equal(first?.holder, childId);
  });

  it('are left out from the second in which they expire, though nothing else has changed', async () => {
    const id = await attest({ operator_id: holder.as.operatorId, expires_at: inSeconds(2) });
    await eventually('the claim to be left out', async () => {
      const passport = await issue(holder);
      const {
        iat,
        svcns: { identity_claims: shown },
      } = payloadOf(passport.token);
      for (const { expires_at: end } of shown)
        assert(end === null || end > iat, `issued at ${iat} with a claim that ended at ${end}`);
      return shown.length === 0;
    });
    assertProblem(await tryIssue(holder, { identity_claim_ids: [id] }), 'VALIDATION_ERROR', 'identity_claim_ids.0');
  });

  it('never expire in the second in which a passport with them is issued, however long writing it takes', async () => {
    const services = await ownServices();
    try {
      const {
        context: { pool },
        platform: administrator,
        as: speaker,
      } = await services.open();
      const { api_key: key, operator } = assertStatus(
        await administrator.post<{ api_key: string; operator: { id: string } }>('/v1/operators', {
          name: 'Ada',
          email: 'ada@example.test',
        }),
        201,
      );
      const as = speaker(key);
      const { id: agentId } = await buildAgent(as);
      const eid = { provider: 'eid', layer: 'person', claim_type: 'name', assurance_level: 'L2' };
      assertStatus(await administrator.post('/v1/identity-claims', { ...eid, operator_id: operator.id }), 201);
      const sign = async (act: string, body: Record<string, unknown>): Promise<SignedPassport> =>
        signed(await as.post<SignedPassport>(`/v1/passports/${act}`, body));
      const root = await sign('issue', { agent_id: agentId });
      assert.equal(claimsOf(root).identity_claims.length, 1);

      // It expires in 0.3 to 1.3 s, and a request while a passport is written takes longer.
      await pool.query(sql.unsafe`
        create or replace function refuse_agents_bound(p_agents text[]) returns void language sql volatile as 'select from pg_sleep(1.4)'`);
      const end = await pool.oneFirst(sql.type(z.object({ end: z.number() }))`
        update identity_claims set expires_at = date_trunc('second', clock_timestamp() + interval '0.3 seconds') + interval '1 second'
        returning extract(epoch from expires_at)::float8 as end`);
      const passports = await Promise.all([
        sign('issue', { agent_id: agentId }),
        sign('delegate', { parent_passport_token: root.token, child_agent_id: agentId, scopes: [] }),
        sign('refresh', { token: root.token }),
      ]);
      for (const { token } of passports) {
        const {
          iat,
          svcns: { identity_claims: shown },
        } = payloadOf(token);
        assert(shown.length === 0 || iat < end, `issued at ${iat} with a claim that ended at ${end}`);
      }
    } finally {
      await services.close();
    }
  });

  it("that are unknown, another operator's, another agent's or revoked are 400", async () => {
    const stranger = await buildOperator();
    const revoked = await attest({ operator_id: holder.as.operatorId });
    assertStatus(await platform().delete(`/v1/identity-claims/${revoked}`), 200);
    const bad = [
      'idc_01K0000000000000000000000A',
      revoked,
      await attest({ operator_id: stranger.operatorId }),
      await attest({ agent_id: (await buildAgent(holder.as)).id }),
    ];
    for (const id of bad)
      assertProblem(await tryIssue(holder, { identity_claim_ids: [id] }), 'VALIDATION_ERROR', 'identity_claim_ids.0');
  });
});
