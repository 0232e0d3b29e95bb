import { findAgent, type Agent } from '../../accounts/index.ts';
import { actorName } from '../../commands/caller.ts';
import type { Answered, CommandCall } from '../../commands/command.ts';
import { runCommand } from '../../commands/run.ts';
import type { Context } from '../../context/context.ts';
import { assertThat, notFound } from '../../errors/carnet-error.ts';
import { blockWithoutReview, lockPassportsExclusively } from './queries.ts';
import type { BlockAgent } from './schema.ts';

/**
 * Blocks an agent without a review: nothing new is signed for it from the answer on, and what it has stays good (decision A30). Another
 * actor or other notes are one more block; the same again changes nothing.
 * @throws CarnetError NOT_FOUND for an unknown or foreign agent
 */
export async function blockAgent(
  context: Context,
  call: CommandCall,
  { agentId, notes }: BlockAgent & { agentId: string },
): Promise<Answered<Agent>> {
  const answered = await runCommand<Agent>(context, call, async (unit) => {
    const { connection } = unit;
    const named = { operatorId: call.caller.operatorId, agentId };
    await lockPassportsExclusively(connection, named.operatorId);
    assertThat(await findAgent(connection, named), () => notFound('agent'));
    if (await blockWithoutReview(connection, { ...named, actor: actorName(call.caller), notes })) {
      await unit.audit('agent.blocked', agentId, { checkout_id: null });
      unit.changed(agentId);
    }
    const blocked = await findAgent(connection, named);
    assertThat(blocked, () => notFound('agent'));
    return { status: 200, body: blocked };
  });
  // The event may have woken a destination.
  context.delivery.messagesCommitted();
  return answered;
}
