import { findAgent } from '../../accounts/index.ts';
import { actorName } from '../../commands/caller.ts';
import type { Answered, CommandCall } from '../../commands/command.ts';
import type { GovernedAct } from '../../commands/governed-acts.ts';
import { runCommand } from '../../commands/run.ts';
import type { Context } from '../../context/context.ts';
import type { CommonQueryMethods } from '../../database/pool.ts';
import { assertThat, CarnetError, notFound } from '../../errors/carnet-error.ts';
import { lifeId } from '../../ids/life-ids.ts';
import type { OperatorId } from '../../ids/ids.ts';
import { lockPassportsExclusively, lockReview, saveDecision, type LockedReview } from './queries.ts';
import type { Decision, DecideReview } from './schema.ts';

/**
 * Decides the review of a checkout. What lifts a hold needs a person: `approved`, and `blocked` of a critical review
 * without `block_future`. With it the block takes the place of the hold: the lineage with its descendants is revoked and
 * the agent blocked (decision A31), which every credential of the operator may do. `block_future` means nothing beside
 * `approved`. The same decision again changes nothing and needs no approval.
 * @throws CarnetError NOT_FOUND, REVIEW_ALREADY_DECIDED, REVIEW_CHANGED, GOVERNANCE_APPROVAL_REQUIRED
 */
export const decideReview = (
  context: Context,
  call: CommandCall,
  { checkoutId, decision: asked }: { checkoutId: string; decision: DecideReview },
): Promise<Answered<Decision>> =>
  runCommand<Decision>(context, call, async (unit) => {
    const { operatorId } = call.caller;
    const decision = { ...asked, block_future: asked.decision === 'blocked' && asked.block_future };
    const { connection } = unit;
    const revoke = decision.decision === 'blocked' && (decision.block_future || context.config.reviewBlockRevokes);
    if (revoke) await lockPassportsExclusively(connection, operatorId);
    const before = await lockReview(connection, operatorId, checkoutId);
    assertThat(before, () => notFound('review'));
    if (before.review.status !== 'pending') {
      assertSameDecision(before, decision);
      return { status: 200, body: await decisionOf(connection, operatorId, before) };
    }
    assertSeen(before, decision);
    const act = governedAct(before, decision);
    const refused =
      act === null ? null : await context.requireApproval(unit, call, { act, subject: subjectOf(before) });
    if (refused !== null) return refused;
    const revoked = await saveDecision(connection, checkoutId, { decision, revoke, actor: actorName(call.caller) });
    const { agent_id: agentId } = before.review;
    await unit.audit('review.decided', checkoutId, {
      decision: decision.decision,
      block_future: decision.block_future,
      revoked_count: revoked.length,
    });
    if (decision.block_future) {
      await unit.audit('agent.blocked', agentId, { checkout_id: checkoutId });
      unit.changed(agentId);
    }
    await unit.wake(lifeId.session(before.session_id));
    unit.changed(...revoked);
    const decided = await lockReview(connection, operatorId, checkoutId);
    assertThat(decided, () => notFound('review'));
    return { status: 200, body: await decisionOf(connection, operatorId, decided) };
  });

/** What a person has to decide; null: every credential of the operator may. */
function governedAct({ review }: LockedReview, { decision, block_future: blocked }: DecideReview): GovernedAct | null {
  if (decision === 'approved') return 'review.approved';
  return review.risk === 'critical' && !blocked ? 'review.blocked' : null;
}

/** What the person who decides looks at: a late checkout changes it. */
const subjectOf = ({ review, claim_id: report }: LockedReview): object => ({ review, report });

/** Whoever says what they looked at decides about nothing else: a late report may have come while they read. */
function assertSeen({ review }: LockedReview, { seen }: DecideReview): void {
  assertThat(
    seen === undefined || seen === review.digest,
    () =>
      new CarnetError(
        'REVIEW_CHANGED',
        'A report or a flag has come since you looked at this review: look at it again, then decide with its digest.',
        { extra: { digest: review.digest } },
      ),
  );
}

function assertSameDecision({ review, block_future: blocked }: LockedReview, decision: DecideReview): void {
  assertThat(
    review.status === decision.decision && blocked === decision.block_future,
    () =>
      new CarnetError(
        'REVIEW_ALREADY_DECIDED',
        `The review was decided as ${review.status}${blocked ? ' with block_future' : ''}; a decision stands.`,
        { extra: { current_status: review.status } },
      ),
  );
}

async function decisionOf(
  connection: CommonQueryMethods,
  operatorId: OperatorId,
  { review, revoked_count }: LockedReview,
): Promise<Decision> {
  const agent = await findAgent(connection, { operatorId, agentId: review.agent_id });
  assertThat(agent, () => notFound('agent'));
  return { review, revoked_count, agent_status: agent.status };
}
