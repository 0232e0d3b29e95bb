import assert from 'node:assert/strict';
import { z } from 'zod';
import type { AgentConduct } from '../../../src/accounts/agents/schema.ts';
import { textArray } from '../../../src/database/columns.ts';
import { sql } from '../../../src/database/pool.ts';
import { newId } from '../../../src/ids/ids.ts';
import { advanceSession } from '../../../src/passports/accountability/advance-session.ts';
import { decideReview } from '../../../src/passports/accountability/decide-review.ts';
import { otherJwk, publicJwk } from '../../authority/support.ts';
import { callOf, ownContext } from '../../invocations/own-context.ts';
import {
  buildAgent,
  buildAgentKey,
  buildMemberKey,
  buildOperator,
  type TestOperator,
} from '../../support/factories.ts';
import { signIn, unblock, type Person } from '../../support/people.ts';
import { anonymous, assertProblem, assertStatus, database, type Reply, type Requester } from '../../support/service.ts';
import { eventsOf, newLineage, newOperator, timePasses } from '../lineages.ts';

const BLOCKED = { decision: 'blocked' };
const FUTURE = { ...BLOCKED, block_future: true };

describe('Blocking an agent', () => {
  let operator: TestOperator;
  let person: Person;
  before(async () => {
    operator = await buildOperator({ tier: 'business' });
    person = await signIn(operator.email);
  });

  const issue = (agentId: string): Promise<Reply<{ jti: string; token: string }>> =>
    operator.post('/v1/passports/issue', { agent_id: agentId });
  /** A review of a new agent, or of this one, with a critical flag. */
  const reviewed = async (of?: { id: string }): Promise<{ agentId: string; review: string }> => {
    const { id: agentId } = of ?? (await buildAgent(operator, { accountability: 'enforced' }));
    const { jti } = assertStatus(await issue(agentId), 201);
    const report = { services_used: ['undeclared'], actions_count: 1 };
    const made = await operator.post<{ checkout: { id: string } }>(`/v1/passports/${jti}/checkout`, report);
    return { agentId, review: assertStatus(made, 201).checkout.id };
  };
  const decide = (review: string, body: object, by: Requester = operator): Promise<Reply<{ agent_status: string }>> =>
    by.post(`/v1/passports/reviews/${review}/decide`, body);
  const block = (agentId: string, body: object = {}, by: Requester = operator): Promise<Reply<{ status: string }>> =>
    by.post(`/v1/agents/${agentId}/block`, body);
  const conductOf = async (agentId: string): Promise<AgentConduct> =>
    assertStatus(await person.get<AgentConduct>(`/v1/agents/${agentId}/conduct`), 200);
  const reasonsOf = async (agentId: string): Promise<(string | null)[]> =>
    (await conductOf(agentId)).blocks.map(({ reason }) => reason);
  const blockEventsOf = async (agentId: string): Promise<unknown[]> =>
    (await eventsOf(await database(), { operator: operator.operatorId }))
      .filter(({ event_type: type, payload }) => type === 'agent.blocked' && payload.agent_id === agentId)
      .map(({ payload }) => payload);

  describe('by a review that somebody has decided as blocked before', () => {
    it('is done by a person and by every key of the operator', async () => {
      for (const by of [person, operator, await buildMemberKey(operator)]) {
        const { agentId, review } = await reviewed();
        assertStatus(await decide(review, BLOCKED), 200);
        assert.equal(assertStatus(await decide(review, FUTURE, by), 200).agent_status, 'blocked');
        assertProblem(await issue(agentId), 'AGENT_BLOCKED');
        assertProblem(await decide(review, BLOCKED), 'REVIEW_ALREADY_DECIDED');
      }
    });

    it('revokes what still descends from it', async () => {
      const own = await ownContext();
      const { pool } = own.context;
      const lineage = await newLineage(pool, { operator: await newOperator(pool) });
      await newLineage(pool, { operator: lineage.operator, parent: lineage });
      await timePasses(pool, lineage, 3_600 + 901);
      const { reviews } = await advanceSession(own.context, lineage.session);
      const decided = async (block_future: boolean): Promise<[number, string]> => {
        const { body } = await decideReview(own.context, callOf(lineage.operator, 'decidePassportReview'), {
          checkoutId: String(reviews[0]),
          decision: { decision: 'blocked', block_future },
        });
        return [body.revoked_count, body.agent_status];
      };
      assert.deepEqual(await decided(false), [0, 'active']);
      assert.deepEqual(await decided(true), [1, 'blocked']);
      await own.close();
    });

    it('is refused once a person has approved it, and a block without a review is not', async () => {
      const { agentId, review } = await reviewed();
      assertStatus(await decide(review, { decision: 'approved' }, person), 200);
      assertProblem(await decide(review, FUTURE), 'REVIEW_ALREADY_DECIDED');
      assert.equal(assertStatus(await block(agentId), 200).status, 'blocked');
    });
  });

  describe('by the same decision again', () => {
    it('blocks it again after a person has unblocked it', async () => {
      const { agentId, review } = await reviewed();
      for (let time = 1; time <= 2; time += 1) {
        assert.equal(assertStatus(await decide(review, FUTURE), 200).agent_status, 'blocked');
        assertProblem(await issue(agentId), 'AGENT_BLOCKED');
        assert.equal((await blockEventsOf(agentId)).length, time);
        assertStatus(await unblock(person, agentId), 200);
        assertStatus(await issue(agentId), 201);
      }
    });

    it('keeps what another actor, or other notes, say against it', async () => {
      const { agentId, review } = await reviewed();
      const never = { ...FUTURE, notes: 'Never again.' };
      assertStatus(await decide(review, FUTURE), 200);
      assertStatus(await decide(review, FUTURE, person), 200);
      assertStatus(await decide(review, never, person), 200);
      assert.deepEqual(await reasonsOf(agentId), ['Never again.', null, null]);
      const { blocks } = await conductOf(agentId);
      assert.equal(new Set(blocks.map(({ blocked_by: by }) => by)).size, 2);
    });

    it('changes nothing while it binds the agent, no matter what else does', async () => {
      const { agentId, review } = await reviewed();
      const first = assertStatus(await decide(review, { ...FUTURE, notes: 'First.' }), 200);
      assertStatus(await decide(review, FUTURE, person), 200);
      const { digest } = await conductOf(agentId);
      assert.deepEqual(
        assertStatus(await decide(review, { ...FUTURE, notes: 'First.' }), 200).agent_status,
        first.agent_status,
      );
      assert.equal((await conductOf(agentId)).digest, digest);
    });
  });

  describe('by POST /v1/agents/:id/block', () => {
    it('takes new passports from it and from its twin until a person unblocks it, and leaves those that there are', async () => {
      const other = await buildOperator();
      const owner = await signIn(other.email);
      const ids: string[] = [];
      for (let nth = 0; nth < 2; nth += 1) ids.push((await buildAgent(other, { public_jwk: publicJwk })).id);
      const [agentId = '', twin = ''] = ids;
      const issued = await other.post<{ token: string }>('/v1/passports/issue', { agent_id: agentId });
      assert.equal(assertStatus(await block(agentId, { notes: 'Taken over.' }, other), 200).status, 'blocked');
      for (const id of [agentId, twin])
        assertProblem(await other.post('/v1/passports/issue', { agent_id: id }), 'AGENT_BLOCKED');
      const { token } = assertStatus(issued, 201);
      const verdict = await anonymous().post<{ valid: boolean }>('/v1/passports/verify', { token });
      assert.equal(assertStatus(verdict, 200).valid, true);
      assertProblem(await other.post(`/v1/agents/${agentId}/unblock`), 'GOVERNANCE_APPROVAL_REQUIRED');
      assertStatus(await unblock(owner, agentId), 200);
      assertStatus(await other.post('/v1/passports/issue', { agent_id: twin }), 201);
    });

    it('is open to every credential of the operator, and is shown, audited and notified', async () => {
      const { id: agentId } = await buildAgent(operator);
      const member = await buildMemberKey(operator);
      for (const by of [member, operator, person]) assertStatus(await block(agentId, { notes: 'Stop.' }, by), 200);
      assert.deepEqual(await reasonsOf(agentId), ['Stop.', 'Stop.', 'Stop.']);
      assertStatus(await block(agentId, { notes: 'Stop.' }, member), 200);
      assert.equal((await reasonsOf(agentId)).length, 3, 'the same once more is no further block');
      const event = { agent_id: agentId, reason: 'Stop.', checkout_id: null };
      assert.deepEqual(await blockEventsOf(agentId), [event, event, event]);
      const audit = await operator.get<{ audit_events: { action: string; target: string }[] }>('/v1/audit-events');
      const made = assertStatus(audit, 200).audit_events.filter(({ target }) => target === agentId);
      assert.equal(made.filter(({ action }) => action === 'agent.blocked').length, 3);
    });

    it('requires authentication, refuses an agent’s own key, and is 404 for another operator', async () => {
      const { id: agentId } = await buildAgent(operator);
      assertProblem(await block(agentId, {}, anonymous()), 'UNAUTHENTICATED');
      assertProblem(await block(agentId, {}, await buildAgentKey(operator, agentId)), 'AGENT_CREDENTIAL_FORBIDDEN');
      assertProblem(await block(agentId, {}, await buildOperator()), 'NOT_FOUND');
      assertProblem(await block(agentId, { notes: 'x'.repeat(1_001) }), 'VALIDATION_ERROR', 'notes');
      assertStatus(await issue(agentId), 201);
    });
  });

  describe('and what its decider sees', () => {
    it('has the newest hundred blocks, and counts the others', async () => {
      const { id: agentId } = await buildAgent(operator);
      assertStatus(await block(agentId, { notes: 'The first.' }), 200);
      await (
        await database()
      ).query(sql.type(z.object({}))`
        insert into agent_blocks (agent_id, operator_id, blocked_by, reason, blocked_at)
        select ${agentId}, ${operator.operatorId}, 'key_of_one', n::text, clock_timestamp() from generate_series(1, 101) as n`);
      const { blocks, other_blocks: others, digest } = await conductOf(agentId);
      assert.deepEqual([blocks.length, blocks[0]?.reason, others], [100, '101', 2]);
      assertStatus(await block(agentId, { notes: 'One more.' }), 200);
      assertProblem(await person.post(`/v1/agents/${agentId}/unblock`, { seen: digest }), 'SUBJECT_CHANGED');
      assertStatus(await unblock(person, agentId), 200);
    });

    it('has what each of its twins is held to: of the newest hundred whole, of the others in a digest', async () => {
      const { id: agentId } = await buildAgent(operator, { public_jwk: otherJwk });
      const ids = Array.from({ length: 101 }, () => newId('ag'));
      const pool = await database();
      await pool.query(sql.type(z.object({}))`
        insert into agents (id, operator_id, name, public_jwk)
        select id, ${operator.operatorId}, 'twin', ${JSON.stringify(otherJwk)}::jsonb from unnest(${textArray(ids)}) as id`);
      const [oldest, ...shown] = ids.toSorted();
      const seen = async (): Promise<{ held: Map<string, unknown>; others: { count: number; digest: string } }> => {
        const { twins } = (await conductOf(agentId)).conduct as {
          twins: { agents: Record<string, string>[]; other_agents: { count: number; digest: string } };
        };
        const held = twins.agents.map(
          ({ id = '', accountability, checkpoint_interval_seconds: seconds }) =>
            [id, [accountability, seconds]] as const,
        );
        return { held: new Map(held), others: twins.other_agents };
      };
      const change = (id: string | undefined, body: object): Promise<unknown> =>
        operator.patch(`/v1/agents/${id}`, body).then((reply) => assertStatus(reply, 200));

      const before = await seen();
      assert.deepEqual([before.held.size, before.held.get(shown[0] ?? '')], [100, ['standard', null]]);
      await change(shown[0], { accountability: 'logged', checkpoint_interval_seconds: 90 });
      const { held, others } = await seen();
      assert.deepEqual([held.get(shown[0] ?? ''), others], [['logged', 90], before.others]);
      const digests = [others.digest];
      for (const body of [{ accountability: 'logged' }, { checkpoint_interval_seconds: 90 }]) {
        await change(oldest, body);
        digests.push((await seen()).others.digest);
      }
      assert.equal(new Set(digests).size, 3);
    });

    it('has the reviews and flags of its twins apart from its own, and each change of them is another digest', async () => {
      const other = await buildOperator();
      const owner = await signIn(other.email);
      const made = { accountability: 'enforced', public_jwk: publicJwk } as const;
      const [agent, twin] = [await buildAgent(other, made), await buildAgent(other, made)];
      const [stranger] = [await buildAgent(other, { accountability: 'enforced' })];
      const report = async (agentId: string, kind: string): Promise<string> => {
        const issued = await other.post<{ jti: string }>('/v1/passports/issue', { agent_id: agentId });
        const { jti } = assertStatus(issued, 201);
        const body = { services_used: ['undeclared'], actions_count: 1 };
        const reply = await other.post<Record<string, { id: string }>>(`/v1/passports/${jti}/${kind}`, body);
        return assertStatus(reply, 201)[kind]?.id ?? '';
      };
      await report(stranger.id, 'checkout');
      await report(twin.id, 'checkpoint');
      const review = await report(twin.id, 'checkout');
      assertStatus(await block(agent.id, {}, other), 200);
      interface Seen {
        reviews: { checkout_id: string; agent_id: string }[];
        unreviewed_flags: { type: string }[];
        twins: Omit<Seen, 'twins'> & { agents: { id: string; status: string }[] };
      }
      const look = async (): Promise<{ conduct: Seen; digest: string }> =>
        assertStatus(await owner.get<{ conduct: Seen; digest: string }>(`/v1/agents/${agent.id}/conduct`), 200);
      const { conduct, digest } = await look();
      assert.deepEqual([conduct.reviews, conduct.unreviewed_flags], [[], []]);
      assert.deepEqual(
        conduct.twins.reviews.map(({ checkout_id: id, agent_id: of }) => [id, of]),
        [[review, twin.id]],
      );
      assert.deepEqual(
        conduct.twins.unreviewed_flags.map(({ type }) => type),
        ['undeclared_service'],
      );
      assert.deepEqual(
        conduct.twins.agents.map(({ id, status }) => [id, status]),
        [[twin.id, 'active']],
      );
      assertStatus(await other.post(`/v1/passports/reviews/${review}/decide`, { ...BLOCKED, notes: 'Look.' }), 200);
      const refused = await owner.post(`/v1/agents/${agent.id}/unblock`, { seen: digest });
      assertProblem(refused, 'SUBJECT_CHANGED');
      assert.match(refused.text, /Look\./);
      const { digest: second } = await look();
      for (const notes of ['Stop.', 'And again.']) {
        const { digest: seen } = await look();
        assertStatus(await block(twin.id, { notes }, other), 200);
        assertProblem(await owner.post(`/v1/agents/${agent.id}/unblock`, { seen }), 'SUBJECT_CHANGED');
      }
      assertProblem(await owner.post(`/v1/agents/${agent.id}/unblock`, { seen: second }), 'SUBJECT_CHANGED');
      const { twin_blocks: blocks, other_twin_blocks: others } = assertStatus(
        await owner.get<AgentConduct>(`/v1/agents/${agent.id}/conduct`),
        200,
      );
      assert.deepEqual(
        blocks.map(({ agent_id: of, reason }) => [of, reason]),
        [
          [twin.id, 'And again.'],
          [twin.id, 'Stop.'],
        ],
      );
      assert.equal(others, 0);
      assertStatus(await unblock(owner, agent.id), 200);
    });
  });
});
