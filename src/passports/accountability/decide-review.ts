import { findAgent } from '../../accounts/index.ts';
import { actorName } from '../../commands/caller.ts';
import type { Answered, CommandCall } from '../../commands/command.ts';
import { runCommand } from '../../commands/run.ts';
import type { Context } from '../../context/context.ts';
import type { CommonQueryMethods } from '../../database/pool.ts';
import { assertThat, CarnetError, notFound } from '../../errors/carnet-error.ts';
import { lifeId } from '../../ids/life-ids.ts';
import type { OperatorId } from '../../ids/ids.ts';
import { lockPassportsExclusively, lockReview, saveDecision, type LockedReview } from './queries.ts';
import type { Decision, DecideReview } from './schema.ts';

/**
 * Decides the review of a checkout. `approved` needs a person, since it lets the agent work again. `blocked` is allowed
 * to every credential of the operator; with `block_future` it also revokes the lineage with its descendants and blocks
 * the agent (decision A31). The same decision again changes nothing and needs no approval.
 * @throws CarnetError NOT_FOUND, REVIEW_ALREADY_DECIDED, GOVERNANCE_APPROVAL_REQUIRED
 */
export const decideReview = (
  context: Context,
  call: CommandCall,
  { checkoutId, decision }: { checkoutId: string; decision: DecideReview },
): Promise<Answered<Decision>> =>
  runCommand<Decision>(context, call, async (unit) => {
    const { operatorId } = call.caller;
    const { connection } = unit;
    const revoke = decision.decision === 'blocked' && (decision.block_future || context.config.reviewBlockRevokes);
    if (revoke) await lockPassportsExclusively(connection, operatorId);
    const before = await lockReview(connection, operatorId, checkoutId);
    assertThat(before, () => notFound('review'));
    if (before.review.status !== 'pending') {
      assertSameDecision(before, decision);
      return { status: 200, body: await decisionOf(connection, operatorId, before) };
    }
    if (decision.decision === 'approved') {
      const refused = await context.requireApproval(unit, call, 'review.approved');
      if (refused !== null) return refused;
    }
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
