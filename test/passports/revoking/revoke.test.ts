import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { sql } from '../../../src/database/pool.ts';
import type { Passport, SignedPassport } from '../../../src/passports/schema.ts';
import { buildAgent, buildAgentKey } from '../../support/factories.ts';
import { anonymous, assertProblem, assertStatus, database, type Reply } from '../../support/service.ts';
import {
  claimsOf,
  delegate,
  expire,
  issue,
  openHolder,
  refresh,
  tryRefresh,
  verdictOf,
  type Holder,
} from '../holders.ts';

const Row = z.object({ reason: z.string().nullable(), revoked: z.boolean(), next: z.string().nullable() });
const rowOf = async ({ jti }: SignedPassport) =>
  (await database()).one(sql.type(Row)`
    select p.revoke_reason as reason, l.revoked_at is not null as revoked, l.next_checkpoint_due_at as next
    from passports p join passport_lineages l on l.id = p.lineage_id where jti = ${jti}`);

describe('revoking passports', () => {
  let holder: Holder;
  let childId: string;
  beforeEach(async () => {
    holder = await openHolder();
    childId = (await buildAgent(holder.as)).id;
  });
  const revoke = (jti: string, more: Record<string, unknown> = {}, headers: Record<string, string> = {}) =>
    holder.as.post('/v1/passports/revoke', { jti, ...more }, headers);
  const counts = (reply: Reply): unknown => {
    const {
      success,
      cascaded_count: cascaded,
      revoked_claims_count: claims,
      revoked_count: revoked,
    } = assertStatus(reply, 200);
    assert.equal(success, true);
    return revoked ?? [cascaded, claims];
  };
  const verdicts = (passports: SignedPassport[]): Promise<string[]> =>
    Promise.all(passports.map((passport) => verdictOf(passport)));
  const active = async (): Promise<string[]> =>
    assertStatus(await holder.as.get<Passport[]>('/v1/passports/active'), 200).map(({ jti }) => jti);

  /** A root refreshed once, with a child refreshed once, and a grandchild of either generation of the child. */
  async function tree(): Promise<
    Record<'root' | 'again' | 'child' | 'childAgain' | 'grandchild' | 'other', SignedPassport>
  > {
    const root = await issue(holder);
    const again = await refresh(holder, root);
    const child = await delegate(holder, root, { child_agent_id: childId });
    const childAgain = await refresh(holder, child);
    const [grandchild, other] = [
      await delegate(holder, child),
      await delegate(holder, childAgain, { child_agent_id: childId }),
    ];
    return { root, again, child, childAgain, grandchild, other };
  }

  describe('POST /v1/passports/revoke', () => {
    it('requires authentication, and a credential of the operator', async () => {
      const { jti } = await issue(holder);
      assertProblem(await anonymous().post('/v1/passports/revoke', { jti }), 'UNAUTHENTICATED');
      assertProblem(
        await (await buildAgentKey(holder.as, holder.agentId)).post('/v1/passports/revoke', { jti }),
        'OPERATOR_SCOPE_REQUIRED',
      );
    });

    it('revokes the whole lineage and every descendant, whichever member is named', async () => {
      for (const named of ['root', 'again'] as const) {
        const all = await tree();
        const spared = await issue(holder);
        assert.deepEqual(counts(await revoke(all[named].jti, { reason: 'lost' })), [5, 0]);
        const { root, again, ...below } = all;
        assert.deepEqual(await verdicts([root, again]), ['revoked', 'revoked']);
        assert.deepEqual(await verdicts(Object.values(below)), Array(4).fill('ancestor_revoked'));
        assert.equal(await verdictOf(spared), 'valid');
        assert.deepEqual(await rowOf(below.grandchild), { reason: 'lost', revoked: true, next: null });
        assertStatus(await revoke(spared.jti), 200);
      }
    });

    it('leaves ancestors and siblings', async () => {
      const { root, again, child, childAgain, grandchild, other } = await tree();
      assert.deepEqual(counts(await revoke(grandchild.jti)), [0, 0]);
      assert.deepEqual(await verdicts([root, again, child, childAgain, other]), Array(5).fill('valid'));
      assert.deepEqual(counts(await revoke(childAgain.jti)), [2, 0]);
      assert.deepEqual(await verdicts([root, again, child, childAgain, grandchild, other]), [
        'valid',
        'valid',
        'revoked',
        'revoked',
        'revoked',
        'ancestor_revoked',
      ]);
    });

    it('a second time, and for an expired one, is 200 with counts of 0', async () => {
      const passport = await issue(holder);
      await revoke(passport.jti);
      assert.deepEqual(counts(await revoke(passport.jti)), [0, 0]);
      const expired = await issue(holder);
      await expire(expired);
      assert.deepEqual(counts(await revoke(expired.jti)), [0, 0]);
      assert.equal(await verdictOf(expired), 'expired');
      assert.equal((await rowOf(expired)).revoked, true);
    });

    it('of an expired one revokes its refreshes too', async () => {
      const first = await issue(holder);
      const second = await refresh(holder, first);
      await expire(first);
      assert.deepEqual(counts(await revoke(first.jti)), [1, 0]);
      assert.equal(await verdictOf(second), 'revoked');
      assertProblem(await tryRefresh(holder, second.token), 'PASSPORT_REVOKED');
    });

    it('of an unknown or foreign one is 404', async () => {
      const { jti } = await issue(await openHolder());
      for (const id of [jti, 'psp_01K0000000000000000000000A', 'nonsense'])
        assertProblem(await revoke(id), 'NOT_FOUND');
    });

    it('revokes the claims about the revoked passports', async () => {
      const enforced = await openHolder({ accountability: 'enforced' });
      const [root, spared] = [await issue(enforced), await issue(enforced)];
      const child = await delegate(enforced, root);
      const report = { services_used: [], actions_count: 1 };
      for (const { jti } of [root, root, child, spared])
        assertStatus(await enforced.as.post(`/v1/passports/${jti}/checkpoint`, report), 201);
      assert.deepEqual(counts(await enforced.as.post('/v1/passports/revoke', { jti: root.jti })), [1, 3]);
    });

    it('ends the checkpoints of a logged agent; an enforced one may be silent no longer for it', async () => {
      for (const accountability of ['logged', 'enforced']) {
        const reporting = await openHolder({ accountability, checkpoint_interval_seconds: 300 });
        const [root, spared] = [await issue(reporting), await issue(reporting)];
        const child = await delegate(reporting, root);
        assertStatus(await reporting.as.post('/v1/passports/revoke', { jti: root.jti }), 200);
        for (const revoked of [root, child])
          assert.equal((await rowOf(revoked)).next === null, accountability === 'logged', accountability);
        assert.notEqual((await rowOf(spared)).next, null);
      }
    });

    it('refuses malformed bodies', async () => {
      for (const [where, body] of [
        ['jti', {}],
        ['jti', { jti: 1 }],
        ['reason', { jti: 'x', reason: 1 }],
        ['why', { jti: 'x', why: 'x' }],
      ] as const) {
        assertProblem(await holder.as.post('/v1/passports/revoke', body), 'VALIDATION_ERROR', where);
      }
    });

    it('gives the same answer again for an Idempotency-Key', async () => {
      const { root } = await tree();
      const key = { 'idempotency-key': randomUUID() };
      const first = await revoke(root.jti, {}, key);
      const again = await revoke(root.jti, {}, key);
      assert.deepEqual(assertStatus(again, 200), assertStatus(first, 200));
      assert.equal(again.headers.get('idempotency-replayed'), 'true');
      assertProblem(await revoke(root.jti, { reason: 'another' }, key), 'IDEMPOTENCY_KEY_REUSED');
    });

    it('keeps the reason, by default that the operator did it', async () => {
      const [withReason, withoutReason] = [await issue(holder), await issue(holder)];
      await revoke(withReason.jti, { reason: 'lost' });
      await revoke(withoutReason.jti);
      assert.deepEqual(
        [(await rowOf(withReason)).reason, (await rowOf(withoutReason)).reason],
        ['lost', 'Revoked by operator'],
      );
    });
  });

  describe('POST /v1/passports/revoke-agent/:agentId', () => {
    it('revokes everything of the agent, and what was delegated from it to others', async () => {
      const { root, again, child, childAgain, grandchild, other } = await tree();
      const alone = await issue({ ...holder, agentId: childId });
      assert.equal(counts(await holder.as.post(`/v1/passports/revoke-agent/${childId}`)), 5);
      assert.deepEqual(await verdicts([root, again]), ['valid', 'valid']);
      assert.deepEqual(await verdicts([child, childAgain, other, alone]), Array(4).fill('revoked'));
      assert.equal(await verdictOf(grandchild), 'ancestor_revoked');
      assert.equal(counts(await holder.as.post(`/v1/passports/revoke-agent/${childId}`, {})), 0);
      assert.equal(counts(await holder.as.post(`/v1/passports/revoke-agent/${holder.agentId}`, { reason: 'lost' })), 2);
    });

    it('of an unknown or foreign agent is 200 with count 0, and changes nothing', async () => {
      const foreign = await openHolder();
      const theirs = await issue(foreign);
      for (const id of [foreign.agentId, 'ag_01K0000000000000000000000A', 'nonsense']) {
        assert.equal(counts(await holder.as.post(`/v1/passports/revoke-agent/${id}`)), 0);
      }
      assert.equal(await verdictOf(theirs), 'valid');
    });
  });

  describe('POST /v1/passports/revoke-session/:sessionId', () => {
    it('revokes everything of one session', async () => {
      const all = await tree();
      const spared = await issue(holder);
      await expire(all.other);
      const { session_id: session } = claimsOf(all.root);
      assert.equal(counts(await holder.as.post(`/v1/passports/revoke-session/${session}`)), 5);
      const { other, ...rest } = all;
      assert.deepEqual(await verdicts(Object.values(rest)), Array(5).fill('revoked'));
      assert.equal(await verdictOf(other), 'expired');
      assert.equal(await verdictOf(spared), 'valid');
      assert.equal(counts(await holder.as.post(`/v1/passports/revoke-session/${session}`)), 0);
    });

    it('of an unknown or foreign session is 200 with count 0, and changes nothing', async () => {
      const theirs = await issue(await openHolder());
      for (const id of [claimsOf(theirs).session_id, 'ses_01K0000000000000000000000A']) {
        assert.equal(counts(await holder.as.post(`/v1/passports/revoke-session/${id}`)), 0);
      }
      assert.equal(await verdictOf(theirs), 'valid');
    });
  });

  describe('POST /v1/passports/revoke-all', () => {
    it('revokes everything of the operator and nothing of another', async () => {
      const all = await tree();
      const more = await issue({ ...holder, agentId: childId });
      const theirs = await issue(await openHolder());
      assert.equal(counts(await holder.as.post('/v1/passports/revoke-all', { confirm: true })), 7);
      assert.deepEqual(await verdicts([...Object.values(all), more]), Array(7).fill('revoked'));
      assert.equal(await verdictOf(theirs), 'valid');
      assert.deepEqual(await active(), []);
      assert.equal(counts(await holder.as.post('/v1/passports/revoke-all', { confirm: true })), 0);
    });

    it('must be confirmed: anything but true is CONFIRMATION_REQUIRED', async () => {
      const passport = await issue(holder);
      for (const confirm of [undefined, false, 'true', 1, null, [true], {}]) {
        assertProblem(
          await holder.as.post('/v1/passports/revoke-all', { confirm }),
          'CONFIRMATION_REQUIRED',
          'confirm',
        );
      }
      assertProblem(await holder.as.post('/v1/passports/revoke-all'), 'CONFIRMATION_REQUIRED');
      assertProblem(
        await holder.as.post('/v1/passports/revoke-all', { confirm: true, confrim: true }),
        'VALIDATION_ERROR',
        'confrim',
      );
      assert.equal(await verdictOf(passport), 'valid');
    });

    it('refuses a reused Idempotency-Key before that', async () => {
      const key = { 'idempotency-key': randomUUID() };
      assert.equal(counts(await holder.as.post('/v1/passports/revoke-all', { confirm: true }, key)), 0);
      assertProblem(
        await holder.as.post('/v1/passports/revoke-all', { confirm: false }, key),
        'IDEMPOTENCY_KEY_REUSED',
      );
    });
  });
});
