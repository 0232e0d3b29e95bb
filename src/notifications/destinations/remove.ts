import { lockOperator } from '../../accounts/index.ts';
import type { Answered, CommandCall } from '../../commands/command.ts';
import { runCommand } from '../../commands/run.ts';
import type { Context } from '../../context/context.ts';
import { assertThat, notFound } from '../../errors/carnet-error.ts';
import { decidedAbout } from './decided-about.ts';
import { deleteDestination, lockDestination } from './queries.ts';

/**
 * Deletes a destination. It leaves the rules, and a rule with none left is inactive; what waits for it is not sent.
 * @throws CarnetError NOT_FOUND; GOVERNANCE_APPROVAL_REQUIRED
 */
export const removeDestination = (
  context: Context,
  call: CommandCall,
  destinationId: string,
): Promise<Answered<{ deleted: true }>> =>
  runCommand(context, call, async (unit) => {
    const { connection } = unit;
    // As every command on rules does: none is made on the destination while a person's approval of this is compared with them.
    await lockOperator(connection, call.caller.operatorId);
    const found = await lockDestination(connection, { operatorId: call.caller.operatorId, destinationId });
    assertThat(found, () => notFound('destination'));
    const { id, channel_type } = found;
    const subject = await decidedAbout(connection, found);
    const refused = await context.requireApproval(unit, call, { act: 'destination.deleted', subject });
    if (refused !== null) return refused;
    await deleteDestination(connection, id);
    await unit.audit('destination.deleted', id, { channel_type });
    return { status: 200, body: { deleted: true } };
  });
