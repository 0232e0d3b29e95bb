import { findAgent } from '../../accounts/index.ts';
import { actorName } from '../../commands/caller.ts';
import { runCommand, type Answered, type CommandCall } from '../../commands/run.ts';
import type { Context } from '../../context/context.ts';
import type { CommonQueryMethods } from '../../database/pool.ts';
import { assertThat, CarnetError, notFound } from '../../errors/carnet-error.ts';
import { lifeId } from '../../ids/life-ids.ts';
import { excludeIssuing, lockReview, saveDecision, type HeldReview } from './queries.ts';
import type { Decision, DecideReview } from './schema.ts';

/**
 * A person's word on a checkout. `approved` needs a person (Market §5 rule 5); `blocked` anybody of the operator may say,
 * and with `block_future` it takes the passports of the lineage and what descends from them, and bars the agent (decisions
 * A31). Saying the same again changes nothing and asks nobody (decisions A32, §3.8).
 * @throws CarnetError NOT_FOUND, REVIEW_ALREADY_DECIDED, GOVERNANCE_APPROVAL_REQUIRED
 */
export const decideReview = (
  context: Context,
  call: CommandCall,
  checkoutId: string,
  decision: DecideReview,
): Promise<Answered<Decision>> =>
  runCommand<Decision>(context, call, async (unit) => {
    const { operatorId } = call.caller;
    const { connection } = unit;
    const revoke = decision.decision === 'blocked' && (decision.block_future || context.config.reviewBlockRevokes);
    if (revoke) await excludeIssuing(connection, operatorId);
    const held = await lockReview(connection, operatorId, checkoutId);
    assertThat(held, () => notFound('review'));
    if (held.review.status !== 'pending') {
      assertSaidAgain(held, decision);
      return { status: 200, body: await decisionOf(connection, operatorId, held) };
    }
    if (decision.decision === 'approved') {
      const refused = await context.requireApproval(unit, call, 'review.approve');
      if (refused !== null) return refused;
    }
    const revoked = await saveDecision(connection, checkoutId, { decision, revoke, actor: actorName(call.caller) });
    const { agent_id: agentId } = held.review;
    await unit.audit('review.decided', checkoutId, {
      decision: decision.decision,
      block_future: decision.block_future,
      revoked_count: revoked.length,
    });
    if (decision.block_future) {
      await unit.audit('agent.blocked', agentId, { checkout_id: checkoutId });
      unit.changed(agentId);
    }
    await unit.wake(lifeId.session(held.session_id), 'decided');
    unit.changed(...revoked);
    const decided = await lockReview(connection, operatorId, checkoutId);
    assertThat(decided, () => notFound('review'));
    return { status: 200, body: await decisionOf(connection, operatorId, decided) };
  });

function assertSaidAgain({ review, block_future: blocked }: HeldReview, decision: DecideReview): void {
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
  operatorId: string,
  { review, revoked_count }: HeldReview,
): Promise<Decision> {
  const agent = await findAgent(connection, { operatorId, agentId: review.agent_id });
  assertThat(agent, () => notFound('agent'));
  return { review, revoked_count, agent_status: agent.status };
}
