import assert from 'node:assert/strict';
import { z } from 'zod';
import { sql } from '../../../src/database/pool.ts';
import { approve, refusedWith, withApproval } from '../../governance/support.ts';
import { roundsOf } from '../../support/cases.ts';
import { buildAgent, buildOperator, type TestOperator } from '../../support/factories.ts';
import { signIn, type Person } from '../../support/people.ts';
import { assertProblem, assertStatus, database, type Reply } from '../../support/service.ts';
import { timePasses } from '../lineages.ts';

const ROUNDS = roundsOf(40, 8);
const CRITICAL = { services_used: ['undeclared'], actions_count: 1 };

/** A call that a person has approved, and the same call without the approval. */
type Call = (headers?: Record<string, string>) => Promise<Reply>;

describe('What comes at the moment at which an approval is used', function () {
  this.timeout(240_000);
  let operator: TestOperator;
  let person: Person;
  before(async () => {
    operator = await buildOperator({ tier: 'business' });
    person = await signIn(operator.email);
  });

  const issue = (agentId: string): Promise<Reply<{ jti: string }>> =>
    operator.post('/v1/passports/issue', { agent_id: agentId });
  const report = (jti: string): Promise<Reply<{ checkout: { id: string } }>> =>
    operator.post(`/v1/passports/${jti}/checkout`, CRITICAL);
  const decide = (review: string, body: object, headers?: Record<string, string>): Promise<Reply> =>
    operator.post(`/v1/passports/reviews/${review}/decide`, body, headers);
  const BLOCKED = { decision: 'blocked', block_future: true };

  /** An agent with two passports, the second of which has missed its checkout. */
  async function worked() {
    const { id: agentId } = await buildAgent(operator, { accountability: 'enforced' });
    const first = assertStatus(await issue(agentId), 201).jti;
    const second = assertStatus(await issue(agentId), 201).jti;
    const pool = await database();
    await timePasses(pool, { jti: second, session: '', operator: operator.operatorId, agent: agentId }, 900 + 901);
    await pool.query(sql.type(z.object({}))`
      select from advance_session((select session_id from passports where jti = ${second}), 900)`);
    const missed = await pool.oneFirst(sql.type(z.object({ id: z.string() }))`
      select id from checkouts where agent_id = ${agentId} and missed`);
    return { agentId, first, second, missed };
  }

  /** Has the call approved. */
  async function approved(call: Call): Promise<Call> {
    const refused = await call();
    assertProblem(refused, 'GOVERNANCE_APPROVAL_REQUIRED');
    const { approval_id: id } = refusedWith(refused);
    assertStatus(await approve(person, id), 200);
    return () => call(withApproval(id));
  }

  /** A refusal leaves a request, whose place the next round needs. */
  async function rejectLeft({ status, body }: Reply): Promise<void> {
    if (status === 403)
      assertStatus(await person.post(`/v1/governance/approvals/${String(body['approval_id'])}/reject`), 200);
  }

  it('never lifts a block that was made after it was given', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const { agentId, first, missed } = await worked();
      const review = assertStatus(await report(first), 201).checkout.id;
      assertStatus(await decide(missed, BLOCKED), 200);
      const unblock = await approved((headers) => operator.post(`/v1/agents/${agentId}/unblock`, undefined, headers));
      const [unblocked, blocked] = await Promise.all([unblock(), decide(review, BLOCKED)]);
      assertStatus(blocked, 200);
      assertProblem(await issue(agentId), 'AGENT_BLOCKED');
      await rejectLeft(unblocked);
    }
  });

  it('never lifts a block without a review that was made after it was given, nor one by the same decision again', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const { agentId, missed } = await worked();
      assertStatus(await decide(missed, BLOCKED), 200);
      const unblock = await approved((headers) => operator.post(`/v1/agents/${agentId}/unblock`, undefined, headers));
      const again = round % 2 === 0;
      const [unblocked, blocked] = await Promise.all([
        unblock(),
        again ? decide(missed, { ...BLOCKED, notes: 'Again.' }) : operator.post(`/v1/agents/${agentId}/block`, {}),
      ]);
      assertStatus(blocked, 200);
      assertProblem(await issue(agentId), 'AGENT_BLOCKED');
      await rejectLeft(unblocked);
    }
  });

  it('never lifts a block that the same decision confirms after it', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const { agentId, missed } = await worked();
      assertStatus(await decide(missed, BLOCKED), 200);
      const unblock = await approved((headers) => operator.post(`/v1/agents/${agentId}/unblock`, undefined, headers));
      const [unblocked, confirmed] = await Promise.all([unblock(), decide(missed, BLOCKED)]);
      assertStatus(unblocked, 200);
      assertStatus(confirmed, 200);
      // Either the decision found the block, which was lifted afterwards, or it found it lifted and blocked the agent again.
      const blocks = await (
        await database()
      ).anyFirst(sql.type(z.object({ lifted: z.boolean() }))`
        select lifted_at is not null as lifted from agent_blocks where agent_id = ${agentId} order by id`);
      const { status } = assertStatus(await operator.get<{ status: string }>(`/v1/agents/${agentId}`), 200);
      assert.deepEqual(blocks, status === 'blocked' ? [true, false] : [true], `round ${round}`);
    }
  });

  it('never lifts what a late report with a critical flag holds, by unblocking or by approving the review', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const { agentId, second, missed } = await worked();
      const unblocks = round % 2 === 0;
      if (unblocks) assertStatus(await decide(missed, { decision: 'blocked', block_future: round % 4 === 0 }), 200);
      const lift = await approved((headers) =>
        unblocks
          ? operator.post(`/v1/agents/${agentId}/unblock`, undefined, headers)
          : decide(missed, { decision: 'approved' }, headers),
      );
      const [lifted, reported] = await Promise.all([lift(), report(second)]);
      assertStatus(reported, 201);
      assert.equal((await issue(agentId)).status, 403, `round ${round}`);
      await rejectLeft(lifted);
    }
  });
});

describe('A block without a review', function () {
  this.timeout(120_000);

  it('lets nothing be issued once it is answered, no matter what was under way', async () => {
    const operator = await buildOperator({ tier: 'business' });
    for (let round = 0; round < ROUNDS; round += 1) {
      const { id } = await buildAgent(operator);
      const issue = (): Promise<Reply> => operator.post('/v1/passports/issue', { agent_id: id });
      const blocked = operator.post(`/v1/agents/${id}/block`, {});
      const racing = Promise.all([issue(), issue()]);
      assertStatus(await blocked, 200);
      const pool = await database();
      const count = sql.type(z.object({ count: z.number() }))`
        select count(*) from passports where agent_id = ${id}`;
      const issued = await pool.oneFirst(count);
      assertProblem(await issue(), 'AGENT_BLOCKED');
      await racing;
      assert.equal(await pool.oneFirst(count), issued, `round ${round}`);
    }
  });
});
