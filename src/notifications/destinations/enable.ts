import type { Answered, CommandCall } from '../../commands/command.ts';
import { runCommand } from '../../commands/run.ts';
import type { Context } from '../../context/context.ts';
import { assertThat, notFound } from '../../errors/carnet-error.ts';
import { enableDestinationRow, lockDestination } from './queries.ts';
import { shownDestination } from './read.ts';
import type { Destination } from './schema.ts';

/** Sends to a destination again that was disabled since it kept failing; its failures count again. @throws CarnetError NOT_FOUND */
export const enableDestination = (
  context: Context,
  call: CommandCall,
  destinationId: string,
): Promise<Answered<Destination>> =>
  runCommand(context, call, async (unit) => {
    const { connection } = unit;
    const { operatorId } = call.caller;
    const found = await lockDestination(connection, { operatorId, destinationId });
    assertThat(found, () => notFound('destination'));
    await enableDestinationRow(connection, found.id);
    await unit.audit('destination.enabled', found.id, { was_disabled: found.disabled_at !== null });
    return { status: 200, body: await shownDestination(connection, operatorId, found.id) };
  });
