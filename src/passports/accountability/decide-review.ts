import { findAgent } from '../../accounts/index.ts';
import { actorName } from '../../commands/caller.ts';
import type { Answered, CommandCall } from '../../commands/command.ts';
import { runCommand } from '../../commands/run.ts';
import type { Context } from '../../context/context.ts';
import type { CommonQueryMethods } from '../../database/pool.ts';
import { assertThat, CarnetError, notFound } from '../../errors/carnet-error.ts';
import { lifeId } from '../../ids/life-ids.ts';
import type { OperatorId } from '../../ids/ids.ts';
import { isBlockedSo, lockPassportsExclusively, lockReview, saveDecision, type LockedReview } from './queries.ts';
import type { Decision, DecideReview } from './schema.ts';

/**
 * Decides the review of a checkout. Approving needs a person, since it vouches for the work and lifts the hold of a critical review.
 * `blocked` leaves the hold as it is, so that every credential of the operator may decide so; with `block_future` the lineage with its
 * descendants is revoked and the agent blocked too (decision A30), also where the review was decided as blocked before: the first decision
 * takes no block away from later ones. `block_future` means nothing beside `approved`. A review that was decided as blocked can still be
 * approved. The same decision again changes nothing and needs no approval; a block that has been lifted, or of another actor or with other
 * notes, is not the same.
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
    const actor = actorName(call.caller);
    if (await isDecidedSo(connection, before, { ...decision, actor }))
      return { status: 200, body: await decisionOf(connection, operatorId, before) };
    assertOpenFor(before, decision);
    assertSeen(before, decision);
    if (decision.decision === 'approved') {
      const refused = await context.requireApproval(unit, call, { act: 'review.approved', subject: subjectOf(before) });
      if (refused !== null) return refused;
    }
    const revoked = await saveDecision(connection, checkoutId, { decision, revoke, actor });
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
    unit.changed(checkoutId, ...revoked);
    const decided = await lockReview(connection, operatorId, checkoutId);
    assertThat(decided, () => notFound('review'));
    return { status: 200, body: await decisionOf(connection, operatorId, decided) };
  });

const isDecidedSo = async (
  connection: CommonQueryMethods,
  { review, block_future: blocked }: LockedReview,
  { decision, block_future: asked, notes, actor }: DecideReview & { actor: string },
): Promise<boolean> =>
  review.status === decision &&
  blocked === asked &&
  (!asked || (await isBlockedSo(connection, { review, actor, notes })));

/** All that the person who decides must know: a late report changes it, and so does another decision. */
const subjectOf = ({ review, claim_id: report, block_future }: LockedReview): object => ({
  review,
  report,
  block_future,
});

/** A person who says what they looked at decides about nothing else: a late report may have come while they read. */
function assertSeen({ review }: LockedReview, { seen }: DecideReview): void {
  assertThat(
    seen === undefined || seen === review.digest,
    () =>
      new CarnetError(
        'REVIEW_CHANGED',
        'A report, a flag or a decision has come since you looked at this review: look at it again, then decide with its digest.',
        { extra: { digest: review.digest } },
      ),
  );
}

/** A decision stands, except that a person may approve what was blocked, and everybody who decides may block the agent for it. */
function assertOpenFor(
  { review, block_future: blocked }: LockedReview,
  { decision, block_future: asked }: DecideReview,
): void {
  assertThat(
    review.status === 'pending' || (review.status === 'blocked' && (decision === 'approved' || asked)),
    () =>
      new CarnetError(
        'REVIEW_ALREADY_DECIDED',
        review.status === 'approved'
          ? 'The review was decided as approved; a decision stands.'
          : `The review was decided as blocked${blocked ? ' with block_future' : ''}; a person may still approve it, and a block with block_future is taken.`,
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
