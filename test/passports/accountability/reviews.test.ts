import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { z } from 'zod';
import type { Claim } from '../../../src/claims/schema/claim.ts';
import { sql } from '../../../src/database/pool.ts';
import { advanceSession } from '../../../src/passports/accountability/advance-session.ts';
import { decideReview } from '../../../src/passports/accountability/decide-review.ts';
import { callOf, ownContext } from '../../invocations/own-context.ts';
import {
  buildAgent,
  buildAgentKey,
  buildMemberKey,
  buildOperator,
  unique,
  type TestOperator,
} from '../../support/factories.ts';
import { buildPerson, signIn, unblock, type Person } from '../../support/people.ts';
import { publicJwk } from '../../authority/support.ts';
import { anonymous, assertProblem, assertStatus, database, type Reply, type Requester } from '../../support/service.ts';
import { claimsOf, eventsOf, newLineage, newOperator, timePasses } from '../lineages.ts';

interface Issued {
  jti: string;
  token: string;
}
interface Review {
  checkout_id: string;
  status: string;
  risk: string;
  holds: boolean;
  flags: { type: string }[];
  notes: string | null;
  decided_at: string | null;
}
interface Decision {
  review: Review;
  revoked_count: number;
  agent_status: string;
}
const REPORT = { services_used: [] as string[], actions_count: 1 };

describe('Reviews of checkouts', () => {
  let operator: TestOperator;
  let person: Person;
  before(async () => {
    operator = await buildOperator({ tier: 'business' });
    person = await signIn(operator.email);
  });

  const enforced = async (): Promise<string> => (await buildAgent(operator, { accountability: 'enforced' })).id;
  const issue = async (agentId: string, more: object = {}): Promise<Issued> =>
    assertStatus(
      await operator.post<Issued & Record<string, unknown>>('/v1/passports/issue', { agent_id: agentId, ...more }),
      201,
    );
  const delegate = async (parent: Issued, agentId: string): Promise<Issued> =>
    assertStatus(
      await operator.post<Issued & Record<string, unknown>>('/v1/passports/delegate', {
        parent_passport_token: parent.token,
        child_agent_id: agentId,
        scopes: [],
      }),
      201,
    );
  const checkout = async ({ jti }: Issued, report: Record<string, unknown> = REPORT): Promise<string> => {
    const { checkout: made } = assertStatus(
      await operator.post<{ checkout: { id: string } }>(`/v1/passports/${jti}/checkout`, report),
      201,
    );
    return made.id;
  };
  /** A review of risk critical, pending. */
  const critical = async (passport: Issued): Promise<string> =>
    checkout(passport, { ...REPORT, services_used: ['undeclared'] });
  const decide = (
    checkoutId: string,
    body: Record<string, unknown>,
    { by = operator, headers }: { by?: Requester; headers?: Record<string, string> | undefined } = {},
  ) => by.post<Decision & Record<string, unknown>>(`/v1/passports/reviews/${checkoutId}/decide`, body, headers);
  const verified = async ({ token }: Issued): Promise<boolean> =>
    assertStatus(await anonymous().post<{ valid: boolean }>('/v1/passports/verify', { token }), 200).valid;
  const issueReply = (agentId: string): Promise<Reply> => operator.post('/v1/passports/issue', { agent_id: agentId });
  const eventTypes = async (agentId: string): Promise<string[]> =>
    (await eventsOf(await database(), { operator: operator.operatorId }))
      .filter(({ payload }) => payload.agent_id === agentId)
      .map(({ event_type }) => event_type);

  describe('GET /v1/passports/reviews', () => {
    it('requires authentication, and a credential of the operator', async () => {
      assertProblem(await anonymous().get('/v1/passports/reviews'), 'UNAUTHENTICATED');
      const key = await buildAgentKey(operator, (await buildAgent(operator)).id);
      assertProblem(await key.get('/v1/passports/reviews'), 'OPERATOR_SCOPE_REQUIRED');
    });

    it('lists by status, newest first, in numbered pages, and none of another operator', async () => {
      const other = await buildOperator();
      const agentId = (await buildAgent(other, { accountability: 'enforced' })).id;
      const ids: string[] = [];
      for (let nth = 0; nth < 3; nth += 1) {
        const { jti } = assertStatus(
          await other.post<Issued & Record<string, unknown>>('/v1/passports/issue', { agent_id: agentId }),
          201,
        );
        ids.unshift(
          assertStatus(await other.post<{ checkout: { id: string } }>(`/v1/passports/${jti}/checkout`, REPORT), 201)
            .checkout.id,
        );
      }
      interface Page {
        reviews: Review[];
        page: number;
        limit: number;
        total: number;
        has_more: boolean;
      }
      const page = async (query: string): Promise<Page> =>
        assertStatus(await other.get<Page>(`/v1/passports/reviews${query}`), 200);
      const all = await page('');
      assert.deepEqual(
        [all.reviews.map(({ checkout_id }) => checkout_id), all.page, all.limit, all.total, all.has_more],
        [ids, 1, 20, 3, false],
      );
      const first = await page('?limit=2');
      assert.deepEqual([first.reviews.length, first.has_more], [2, true]);
      const second = await page('?limit=2&page=2');
      assert.deepEqual([second.reviews.map(({ checkout_id }) => checkout_id), second.has_more], [[ids[2]], false]);
      assert.deepEqual((await page('?page=9')).reviews, []);
      const links = (await other.get('/v1/passports/reviews?limit=1&page=2&status=pending')).headers.get('link') ?? '';
      assert.match(links, /[?&]page=1[^>]*>; rel="prev"/);
      assert.match(links, /[?&]page=3[^>]*>; rel="next"/);
      for (const filter of ['limit=1', 'status=pending']) assert.equal(links.split(filter).length, 3, filter);
      assertStatus(await decide(ids[0] ?? '', { decision: 'blocked' }, { by: other }), 200);
      assert.deepEqual((await page('?status=pending')).total, 2);
      assert.deepEqual(
        (await page('')).reviews.map(({ checkout_id }) => checkout_id),
        ids.slice(1),
        'without a status: what needs attention',
      );
      assert.deepEqual(
        (await page('?status=blocked')).reviews.map(({ checkout_id }) => checkout_id),
        [ids[0]],
      );
      assert.deepEqual((await page('?status=approved')).total, 0);
      const mine = assertStatus(await operator.get<Page>('/v1/passports/reviews?limit=100'), 200);
      assert(!mine.reviews.some(({ checkout_id }) => ids.includes(checkout_id)));
    });

    for (const query of ['status=open', 'page=0', 'page=x', 'limit=0', 'limit=101', 'status=pending&status=blocked']) {
      it(`refuses ?${query}`, async () => {
        assertProblem(await operator.get(`/v1/passports/reviews?${query}`), 'VALIDATION_ERROR');
      });
    }
  });

  describe('POST /v1/passports/reviews/:checkoutId/decide', () => {
    it('requires authentication, and a credential of the operator', async () => {
      const review = await checkout(await issue(await enforced()));
      assertProblem(await decide(review, { decision: 'blocked' }, { by: anonymous() }), 'UNAUTHENTICATED');
      const key = await buildAgentKey(operator, (await buildAgent(operator)).id);
      assertProblem(await decide(review, { decision: 'blocked' }, { by: key }), 'OPERATOR_SCOPE_REQUIRED');
    });

    it('refuses a body that is no decision, and an unknown or foreign review', async () => {
      const review = await checkout(await issue(await enforced()));
      assertProblem(await decide(review, {}), 'VALIDATION_ERROR', 'decision');
      assertProblem(await decide(review, { decision: 'pending' }), 'VALIDATION_ERROR', 'decision');
      assertProblem(
        await decide(review, { decision: 'blocked', notes: 'x'.repeat(1_001) }),
        'VALIDATION_ERROR',
        'notes',
      );
      assertProblem(
        await decide(review, { decision: 'blocked', block_future: 'yes' }),
        'VALIDATION_ERROR',
        'block_future',
      );
      assertProblem(
        await decide(review, { decision: 'blocked', block_futures: true }),
        'VALIDATION_ERROR',
        'block_futures',
      );
      assertProblem(await decide('chko_unknown', { decision: 'blocked' }), 'NOT_FOUND');
      assertProblem(await decide(review, { decision: 'blocked' }, { by: await buildOperator() }), 'NOT_FOUND');
    });

    it('holds every agent of the operator that has the key of the held one, also where that gets another key', async () => {
      const withKey = { accountability: 'enforced', public_jwk: publicJwk } as const;
      const held = (await buildAgent(operator, withKey)).id;
      const twin = (await buildAgent(operator, withKey)).id;
      const other = await enforced();
      const passport = await issue(twin);
      const review = await critical(await issue(held));
      const refused = async (): Promise<void> => {
        assertProblem(await issueReply(held), 'AGENT_REVIEW_PENDING');
        assertProblem(await issueReply(twin), 'AGENT_REVIEW_PENDING');
        assertProblem(
          await operator.post('/v1/passports/delegate', {
            parent_passport_token: passport.token,
            child_agent_id: other,
            scopes: [],
          }),
          'AGENT_REVIEW_PENDING',
        );
      };
      await refused();
      assertStatus(await operator.patch(`/v1/agents/${held}`, { public_jwk: null }), 200);
      await refused();
      await issue(other);
      const elsewhere = await buildOperator();
      const stranger = await buildAgent(elsewhere, withKey);
      assertStatus(await elsewhere.post('/v1/passports/issue', { agent_id: stranger.id }), 201);
      assertStatus(await decide(review, { decision: 'approved' }, { by: person }), 200);
      await issue(twin);
    });

    describe('of agents with one key', () => {
      /** A public key that nobody else has. */
      const newKey = () => {
        const { x = '' } = generateKeyPairSync('ed25519').publicKey.export({ format: 'jwk' });
        return { kty: 'OKP', crv: 'Ed25519', x };
      };
      const agentWith = async (key: object | null): Promise<string> =>
        (await buildAgent(operator, { accountability: 'enforced', public_jwk: key })).id;
      const setKey = (agentId: string, key: object | null) =>
        operator.patch(`/v1/agents/${agentId}`, { public_jwk: key });
      const delegateReply = ({ token }: Issued, agentId: string): Promise<Reply> =>
        operator.post('/v1/passports/delegate', { parent_passport_token: token, child_agent_id: agentId, scopes: [] });
      const refreshReply = ({ token }: Issued): Promise<Reply> => operator.post('/v1/passports/refresh', { token });

      it('blocked with block_future: the block binds all that the hold bound, until a person unblocks the agent', async () => {
        const key = newKey();
        const [agentId, twin, below] = [await agentWith(key), await agentWith(key), await enforced()];
        const parent = await issue(twin);
        const child = await delegate(parent, below);
        const review = await critical(await issue(agentId));
        const refusedAll = async (code: 'AGENT_REVIEW_PENDING' | 'AGENT_BLOCKED'): Promise<void> => {
          for (const reply of [
            await issueReply(twin),
            await refreshReply(parent),
            await delegateReply(parent, below),
            await refreshReply(child),
            await delegateReply(child, below),
          ])
            assertProblem(reply, code);
        };
        await refusedAll('AGENT_REVIEW_PENDING');
        assertStatus(await decide(review, { decision: 'blocked', block_future: true }), 200);
        await refusedAll('AGENT_BLOCKED');
        assert.equal((await issueReply(twin)).body.agent_id, agentId, 'it names who is to be unblocked');
        assertProblem(await operator.post('/v1/agents', { name: 'new', public_jwk: key }), 'AGENT_BLOCKED');
        assertStatus(await unblock(person, agentId), 200);
        await issue(twin);
        assertStatus(await refreshReply(child), 201);
        await agentWith(key);
      });

      it('of which one loses the key before the report, or during the hold: hold and block bind the key that it had', async () => {
        const key = newKey();
        const [agentId, twin] = [await agentWith(key), await agentWith(key)];
        const passport = await issue(agentId);
        assertStatus(await setKey(agentId, null), 200);
        const review = await critical(passport);
        assertProblem(await issueReply(twin), 'AGENT_REVIEW_PENDING');
        assertStatus(await setKey(agentId, newKey()), 200);
        assertStatus(await decide(review, { decision: 'blocked', block_future: true }), 200);
        assertProblem(await issueReply(twin), 'AGENT_BLOCKED');
        assertProblem(await operator.post('/v1/agents', { name: 'again', public_jwk: key }), 'AGENT_BLOCKED');
        const other = await agentWith(null);
        assertProblem(await setKey(other, key), 'AGENT_BLOCKED');
        await issue(other);
      });

      it('of which one had the key for a while between two others', async () => {
        const key = newKey();
        const [agentId, twin] = [await agentWith(newKey()), await agentWith(key)];
        const passport = await issue(agentId);
        assertStatus(await setKey(agentId, key), 200);
        assertStatus(await setKey(agentId, null), 200);
        await critical(passport);
        assertProblem(await issueReply(twin), 'AGENT_REVIEW_PENDING');
      });

      it('binds a twin also where a bearer takes the key off it', async () => {
        const key = newKey();
        const [agentId, twin] = [await agentWith(key), await agentWith(key)];
        const review = await critical(await issue(agentId));
        assertStatus(await setKey(twin, null), 200);
        assertProblem(await issueReply(twin), 'AGENT_REVIEW_PENDING');
        assertStatus(await decide(review, { decision: 'blocked', block_future: true }), 200);
        assertProblem(await issueReply(twin), 'AGENT_BLOCKED');
      });

      it('with two reviews: each holds until it is decided', async () => {
        const key = newKey();
        const [agentId, twin, third] = [await agentWith(key), await agentWith(key), await agentWith(key)];
        const [first, second] = [await issue(agentId), await issue(twin)];
        const [one, two] = [await critical(first), await critical(second)];
        assertStatus(await decide(one, { decision: 'approved' }, { by: person }), 200);
        assertProblem(await issueReply(third), 'AGENT_REVIEW_PENDING');
        assertStatus(await decide(two, { decision: 'blocked', block_future: true }), 200);
        assertProblem(await issueReply(third), 'AGENT_BLOCKED');
        assertStatus(await unblock(person, twin), 200);
        await issue(third);
        await issue(agentId);
      });
    });

    it('is evidence that its passport names, of the mission that it was for', async () => {
      const mission = assertStatus(await operator.post('/v1/missions', { declared_intent: 'Test the reviews.' }), 201);
      const passport = await issue(await enforced(), { mission_ids: [mission.id] });
      const review = await critical(passport);
      assertStatus(await decide(review, { decision: 'approved' }, { by: person }), 200);
      const { claim_ids: ids } = assertStatus(
        await operator.get<{ claim_ids: string[] }>(`/v1/passports/${passport.jti}`),
        200,
      );
      const types: string[] = [];
      for (const id of ids) {
        const { envelope } = assertStatus(await operator.get<Claim>(`/v1/claims/${id}`), 200);
        assert.equal(envelope.subject, `carnet://passport/${passport.jti}`);
        types.push(envelope.claim_type as string);
      }
      assert.deepEqual([...new Set(types)].toSorted(), ['checkpoint_approval', 'detector_signal', 'operator_review']);
      assert.equal(types.at(-1), 'operator_review');
      const { claims } = assertStatus(
        await operator.get<{ claims: Claim[] }>(`/v1/claims?mission_ref=${mission.id}&claim_type=operator_review`),
        200,
      );
      assert.deepEqual(
        claims.map(({ id }) => id),
        ids.slice(-1),
      );
    });

    it("approved: a key needs a person's approval, once, and then the hold is lifted", async () => {
      const agentId = await enforced();
      const passport = await issue(agentId);
      const review = await critical(passport);
      assertProblem(await issueReply(agentId), 'AGENT_REVIEW_PENDING');
      const body = { decision: 'approved', notes: 'A typing error.' };
      const refused = await decide(review, body);
      assertProblem(refused, 'GOVERNANCE_APPROVAL_REQUIRED');
      assertProblem(await issueReply(agentId), 'AGENT_REVIEW_PENDING');
      const approval = String(refused.body.approval_id);
      assertStatus(await person.post(`/v1/governance/approvals/${approval}/approve`), 200);
      const decided = assertStatus(
        await decide(review, body, { by: operator, headers: { 'x-governance-approval': approval } }),
        200,
      );
      assert.deepEqual(
        [decided.review.status, decided.review.notes, decided.review.risk, decided.revoked_count, decided.agent_status],
        ['approved', 'A typing error.', 'critical', 0, 'active'],
      );
      assert.notEqual(decided.review.decided_at, null);
      assertStatus(await issueReply(agentId), 201);
      assert.deepEqual(
        assertStatus(await decide(review, body), 200),
        decided,
        'the same decision again needs no approval',
      );
      assertProblem(await decide(review, { decision: 'blocked' }), 'REVIEW_ALREADY_DECIDED');
      assert.deepEqual(await eventTypes(agentId), ['review.pending', 'passport.flagged']);
      const [claim] = await claimsOf(await database(), { agent: agentId }, 'operator_review');
      assert.equal(claim?.envelope.payload.decision, 'approved');
    });

    /** A passport of an enforced agent whose checkout did not come, and the review that the miss made. */
    const missing = async (): Promise<{ agentId: string; passport: Issued; missed: string }> => {
      const agentId = await enforced();
      const passport = await issue(agentId);
      const pool = await database();
      const lineage = { jti: passport.jti, session: '', operator: operator.operatorId, agent: agentId };
      await timePasses(pool, lineage, 900 + 901);
      await pool.query(sql.type(z.object({}))`
        select from advance_session((select session_id from passports where jti = ${passport.jti}), 900)`);
      const { reviews } = assertStatus(
        await operator.get<{ reviews: (Review & { agent_id: string })[] }>('/v1/passports/reviews'),
        200,
      );
      const missed = reviews.find(({ agent_id }) => agent_id === agentId)?.checkout_id ?? '';
      return { agentId, passport, missed };
    };

    for (const decision of ['approved', 'blocked']) {
      it(`${decision} before a late report that adds a critical flag: it waits for a person again, and holds`, async () => {
        const { agentId, passport, missed } = await missing();
        assertStatus(await decide(missed, { decision }, { by: person }), 200);
        assert.equal((await issueReply(agentId)).status, decision === 'approved' ? 201 : 403);
        assert.equal(await critical(passport), missed);
        assertProblem(await issueReply(agentId), 'AGENT_REVIEW_PENDING');
        assertProblem(await decide(missed, { decision: 'approved' }), 'GOVERNANCE_APPROVAL_REQUIRED');
        const { review } = assertStatus(await decide(missed, { decision }, { by: person }), 200);
        assert.deepEqual([review.status, review.decided_at === null], [decision, false]);
        assert.equal((await issueReply(agentId)).status, decision === 'approved' ? 201 : 403);
      });
    }

    it('decided before a late report that adds nothing critical: the decision stands', async () => {
      const { agentId, passport, missed } = await missing();
      assertStatus(await decide(missed, { decision: 'approved' }, { by: person }), 200);
      await checkout(passport);
      assertStatus(await issueReply(agentId), 201);
      assertProblem(await decide(missed, { decision: 'blocked' }), 'REVIEW_ALREADY_DECIDED');
    });

    it('blocked for good before a late report with a critical flag: the block stands', async () => {
      const { agentId, passport, missed } = await missing();
      const body = { decision: 'blocked', block_future: true };
      assertStatus(await decide(missed, body), 200);
      await critical(passport);
      assert.equal(assertStatus(await decide(missed, body), 200).review.status, 'blocked');
      assertProblem(await issueReply(agentId), 'AGENT_BLOCKED');
    });

    it('blocked for good and unblocked before a late report with a critical flag: it waits for a person again, and holds', async () => {
      const { agentId, passport, missed } = await missing();
      const body = { decision: 'blocked', block_future: true };
      assertStatus(await decide(missed, body), 200);
      assertStatus(await unblock(person, agentId), 200);
      assertStatus(await issueReply(agentId), 201);
      await critical(passport);
      assertProblem(await issueReply(agentId), 'AGENT_REVIEW_PENDING');
      assertProblem(await decide(missed, { decision: 'approved' }), 'GOVERNANCE_APPROVAL_REQUIRED');
      assertStatus(await decide(missed, { decision: 'approved' }, { by: person }), 200);
      assertStatus(await issueReply(agentId), 201);
    });

    it('approved by somebody who has not seen the late report: the approval lapses, and they look again', async () => {
      const { agentId, passport, missed } = await missing();
      const body = { decision: 'approved' };
      const approvalOf = async (headers?: Record<string, string>) => {
        const refused = await decide(missed, body, { by: operator, headers });
        assertProblem(refused, 'GOVERNANCE_APPROVAL_REQUIRED');
        return { id: String(refused.body.approval_id), status: refused.body.approval_status };
      };
      const { id } = await approvalOf();
      const shown = assertStatus(
        await person.get<{ subject: { review: Review } }>(`/v1/governance/approvals/${id}`),
        200,
      );
      const flagged = shown.subject.review.flags.map(({ type }) => type);
      assert(flagged.includes('missed_checkout') && !flagged.includes('undeclared_service'), flagged.join(', '));
      assertStatus(await person.post(`/v1/governance/approvals/${id}/approve`), 200);
      assert.equal(await critical(passport), missed, 'the late report fills the same review');
      const again = await approvalOf({ 'x-governance-approval': id });
      assert.deepEqual([again.status, again.id === id], ['subject_changed', false]);
      assertProblem(await issueReply(agentId), 'AGENT_REVIEW_PENDING');
    });

    it('decided by a person who has not seen the late report: refused, and they look again', async () => {
      const { agentId, passport, missed } = await missing();
      const look = async (): Promise<string> => {
        const { reviews } = assertStatus(
          await person.get<{ reviews: (Review & { digest: string })[] }>('/v1/passports/reviews?limit=100'),
          200,
        );
        return reviews.find(({ checkout_id }) => checkout_id === missed)?.digest ?? '';
      };
      const seen = await look();
      assert.match(seen, /^[0-9a-f]{64}$/);
      await critical(passport);
      for (const decision of ['approved', 'blocked']) {
        const refused = await decide(missed, { decision, seen }, { by: person });
        assertProblem(refused, 'REVIEW_CHANGED');
        assert.equal(refused.body.digest, await look());
      }
      assertProblem(await issueReply(agentId), 'AGENT_REVIEW_PENDING');
      assert.equal((await decide(missed, { decision: 'approved', seen: await look() }, { by: person })).status, 200);
      assert.equal(
        (await decide(missed, { decision: 'approved', seen }, { by: person })).status,
        200,
        'it stands already',
      );
    });

    it('approved: a person decides directly, a member of the lowest role does not', async () => {
      const review = await checkout(await issue(await enforced()));
      const member = await buildPerson(operator, 'member');
      assertProblem(await decide(review, { decision: 'approved' }, { by: member }), 'GOVERNANCE_APPROVAL_REQUIRED');
      assert.equal(
        assertStatus(await decide(review, { decision: 'approved' }, { by: person }), 200).review.status,
        'approved',
      );
    });

    it('approved with block_future: means the same as without', async () => {
      const agentId = await enforced();
      const review = await critical(await issue(agentId));
      const decided = assertStatus(
        await decide(review, { decision: 'approved', block_future: true }, { by: person }),
        200,
      );
      assert.deepEqual([decided.review.status, decided.revoked_count, decided.agent_status], ['approved', 0, 'active']);
      assertStatus(await issueReply(agentId), 201);
      assert.deepEqual(assertStatus(await decide(review, { decision: 'approved' }), 200), decided);
    });

    it('blocked: every credential may, and the agent stays held until a person approves the review', async () => {
      for (const by of [operator, await buildMemberKey(operator), person]) {
        const agentId = await enforced();
        const review = await critical(await issue(agentId));
        const decided = assertStatus(await decide(review, { decision: 'blocked' }, { by }), 200);
        assert.deepEqual([decided.review.status, decided.review.holds], ['blocked', true]);
        assertProblem(await issueReply(agentId), 'AGENT_REVIEW_PENDING');
        assert.deepEqual(
          assertStatus(await decide(review, { decision: 'blocked' }, { by }), 200),
          decided,
          'the same again',
        );
        assertProblem(await decide(review, { decision: 'approved' }), 'GOVERNANCE_APPROVAL_REQUIRED');
        const approved = assertStatus(await decide(review, { decision: 'approved' }, { by: person }), 200);
        assert.deepEqual([approved.review.status, approved.review.holds], ['approved', false]);
        assertStatus(await issueReply(agentId), 201);
      }
      const clean = assertStatus(
        await decide(await checkout(await issue(await enforced())), { decision: 'blocked' }),
        200,
      );
      assert.equal(clean.review.holds, false, 'a review that is not critical holds nothing');
    });

    it('blocked: the hold of its keys stays too, and a person who unblocks the agent lifts it', async () => {
      const withKey = { accountability: 'enforced', public_jwk: publicJwk } as const;
      const other = await buildOperator();
      const otherPerson = await signIn(other.email);
      const [held, twin] = [await buildAgent(other, withKey), await buildAgent(other, withKey)];
      const refused = async (): Promise<void> => {
        for (const { id } of [held, twin])
          assertProblem(await other.post('/v1/passports/issue', { agent_id: id }), 'AGENT_REVIEW_PENDING');
      };
      const passport = assertStatus(
        await other.post<{ jti: string }>('/v1/passports/issue', { agent_id: held.id }),
        201,
      );
      const report = { ...REPORT, services_used: ['undeclared'] };
      const made = await other.post<{ checkout: { id: string } }>(`/v1/passports/${passport.jti}/checkout`, report);
      const review = assertStatus(made, 201).checkout.id;
      assertProblem(await unblock(otherPerson, held.id), 'INVALID_STATE');
      assertStatus(await decide(review, { decision: 'blocked' }, { by: other }), 200);
      await refused();
      assertProblem(await other.post(`/v1/agents/${held.id}/unblock`), 'GOVERNANCE_APPROVAL_REQUIRED');
      assertProblem(await otherPerson.post(`/v1/agents/${held.id}/unblock`), 'VALIDATION_ERROR', 'seen');
      await refused();
      assert.equal(assertStatus(await unblock(otherPerson, held.id), 200).status, 'active');
      for (const { id } of [held, twin]) assertStatus(await other.post('/v1/passports/issue', { agent_id: id }), 201);
    });

    it('blocked with block_future and approved later: the block stands until a person unblocks the agent', async () => {
      const agentId = await enforced();
      const review = await critical(await issue(agentId));
      assertStatus(await decide(review, { decision: 'blocked', block_future: true }), 200);
      const approved = assertStatus(await decide(review, { decision: 'approved' }, { by: person }), 200);
      assert.deepEqual([approved.review.status, approved.agent_status], ['approved', 'blocked']);
      assertProblem(await issueReply(agentId), 'AGENT_BLOCKED');
      assertStatus(await unblock(person, agentId), 200);
      assertStatus(await issueReply(agentId), 201);
    });

    it('blocked with block_future: a key may, since it only takes away', async () => {
      const agentId = await enforced();
      const review = await critical(await issue(agentId));
      const body = { decision: 'blocked', block_future: true };
      assert.equal(assertStatus(await decide(review, body), 200).agent_status, 'blocked');
      assertProblem(await issueReply(agentId), 'AGENT_BLOCKED');
    });

    it('blocked: revokes nothing, and emits an event', async () => {
      const agentId = await enforced();
      const passport = await issue(agentId);
      const review = await critical(passport);
      const decided = assertStatus(
        await decide(review, { decision: 'blocked', notes: 'Not again.' }, { by: person }),
        200,
      );
      assert.deepEqual([decided.review.status, decided.revoked_count, decided.agent_status], ['blocked', 0, 'active']);
      assert.deepEqual(await eventTypes(agentId), ['review.pending', 'passport.flagged', 'passport.blocked']);
      const [, , blocked] = (await eventsOf(await database(), { operator: operator.operatorId })).filter(
        ({ payload }) => payload.agent_id === agentId,
      );
      assert.deepEqual(
        [blocked?.severity, blocked?.payload],
        ['critical', { jti: passport.jti, agent_id: agentId, checkout_id: review, reason: 'Not again.' }],
      );
      assertStatus(await decide(review, { decision: 'approved' }, { by: person }), 200);
      assertProblem(await decide(review, { decision: 'blocked' }), 'REVIEW_ALREADY_DECIDED');
    });

    it('blocked with block_future: the chain has ended with the checkout, no other session ends, and it blocks the agent until a person unblocks it', async () => {
      const [agentId, helper] = [await enforced(), (await buildAgent(operator)).id];
      const [passport, elsewhere] = [await issue(agentId), await issue(agentId)];
      const child = await delegate(passport, helper);
      const grandchild = await delegate(child, agentId);
      const review = await checkout(passport);
      const body = { decision: 'blocked', block_future: true };
      const decided = assertStatus(await decide(review, body), 200);
      assert.deepEqual([decided.review.status, decided.revoked_count, decided.agent_status], ['blocked', 0, 'blocked']);
      assert.deepEqual(await Promise.all([passport, child, grandchild, elsewhere].map(verified)), [
        false,
        false,
        false,
        true,
      ]);
      assertProblem(await issueReply(agentId), 'AGENT_BLOCKED');
      assert.deepEqual(await eventTypes(agentId), ['review.pending', 'passport.blocked', 'agent.blocked']);
      assert.deepEqual(assertStatus(await decide(review, body), 200), decided, 'the same again');
      assertStatus(await unblock(person, agentId), 200);
      assertStatus(await issueReply(agentId), 201);
    });

    it('decided in two ways in parallel: once it is approved a block is refused, and a block that came first is approved', async () => {
      const agentId = await enforced();
      for (let round = 0; round < 5; round += 1) {
        const review = await checkout(await issue(agentId));
        const replies = await Promise.all([
          decide(review, { decision: 'approved' }, { by: person }),
          decide(review, { decision: 'blocked' }),
          decide(review, { decision: 'approved' }, { by: person }),
          decide(review, { decision: 'blocked' }),
        ]);
        const [approved, blocked, again, blockedAgain] = replies.map(({ status }) => status);
        assert.deepEqual([approved, again], [200, 200]);
        for (const status of [blocked, blockedAgain]) assert(status === 200 || status === 409, `${status}`);
        assertProblem(await decide(review, { decision: 'blocked' }), 'REVIEW_ALREADY_DECIDED');
      }
    });

    it('is made once for one Idempotency-Key', async () => {
      const review = await checkout(await issue(await enforced()));
      const key = { 'idempotency-key': unique('key') };
      const replies = await Promise.all(
        [1, 2, 3].map(() => decide(review, { decision: 'blocked' }, { by: operator, headers: key })),
      );
      for (const reply of replies) assert.deepEqual(assertStatus(reply, 200), replies[0]?.body);
    });
  });

  describe('GET /v1/passports/:jti/report', () => {
    it('requires authentication, and is 404 for another operator', async () => {
      const { jti } = await issue(await enforced());
      assertProblem(await anonymous().get(`/v1/passports/${jti}/report`), 'UNAUTHENTICATED');
      assertProblem(await (await buildOperator()).get(`/v1/passports/${jti}/report`), 'NOT_FOUND');
      assertProblem(await operator.get('/v1/passports/psp_unknown/report'), 'NOT_FOUND');
    });

    it('shows checkpoints, checkout, flags, review and the chain, by any passport of the lineage', async () => {
      const passport = await issue(await enforced());
      const child = await delegate(passport, await enforced());
      const refreshed = assertStatus(
        await operator.post<Issued & Record<string, unknown>>('/v1/passports/refresh', { token: child.token }),
        201,
      );
      const path = (jti: string): string => `/v1/passports/${jti}/report`;
      const made = await operator.post<{ checkpoint: Record<string, unknown> }>(
        `/v1/passports/${child.jti}/checkpoint`,
        {
          ...REPORT,
          services_used: ['undeclared'],
        },
      );
      assertStatus(made, 201);
      assert.equal(made.headers.get('location'), path(child.jti));
      const review = await checkout(refreshed);
      interface Report {
        passport: { jti: string; status: string; checkpoint_count: number };
        checkpoints: unknown[];
        checkout: { id: string } | null;
        flags: { type: string }[];
        review: Review | null;
        chain: string[];
      }
      for (const { jti } of [child, refreshed]) {
        const report = assertStatus(await operator.get<Report>(path(jti)), 200);
        assert.deepEqual(
          [report.passport.jti, report.passport.status, report.passport.checkpoint_count],
          [jti, 'revoked', 1],
        );
        assert.deepEqual(report.checkpoints, [made.body.checkpoint]);
        assert.deepEqual(
          [report.checkout?.id, report.review?.checkout_id, report.review?.risk],
          [review, review, 'critical'],
        );
        assert.deepEqual(
          report.flags.map(({ type }) => type),
          ['undeclared_service'],
        );
        assert.deepEqual(report.chain, [passport.jti]);
      }
      const parent = assertStatus(await operator.get<Report>(path(passport.jti)), 200);
      assert.deepEqual(
        [parent.checkpoints, parent.checkout, parent.flags, parent.review, parent.chain],
        [[], null, [], null, []],
      );
    });
  });
});

describe('Reviews where REVIEW_BLOCK_REVOKES is set', () => {
  it('a block of a missed checkout revokes what still descends from it, but does not block the agent', async () => {
    const own = await ownContext();
    const { pool, config } = own.context;
    const context = { ...own.context, config: { ...config, reviewBlockRevokes: true } };
    const lineage = await newLineage(pool, { operator: await newOperator(pool) });
    await newLineage(pool, { operator: lineage.operator, parent: lineage });
    const call = (operation: string) => callOf(lineage.operator, operation);
    // A checkout that comes ends them by itself; one that is missed leaves the passports of its descendants.
    await timePasses(pool, lineage, 3_600 + 901);
    const { reviews } = await advanceSession(own.context, lineage.session);
    const review = String(reviews[0]);
    const decided = await decideReview(context, call('decidePassportReview'), {
      checkoutId: review,
      decision: { decision: 'blocked', block_future: false },
    });
    assert.deepEqual([decided.body.revoked_count, decided.body.agent_status], [1, 'active']);
    assert.deepEqual(
      (await eventsOf(pool, lineage)).map(({ event_type }) => event_type),
      ['review.pending', 'passport.missed_checkout', 'passport.flagged', 'passport.blocked'],
    );
    await own.close();
  });
});
