import type { Answered, CommandCall } from '../../../commands/command.ts';
import { runCommand } from '../../../commands/run.ts';
import type { Context } from '../../../context/context.ts';
import { assertThat, CarnetError, notFound } from '../../../errors/carnet-error.ts';
import { lifeId } from '../../../ids/life-ids.ts';
import { listedTopUp } from './list.ts';
import { closeTopUpPage, findTopUp } from './queries.ts';
import type { ListedTopUp } from './schema.ts';

/**
 * Ends the page of a top-up that nobody has paid; its life closes it at the provider. One that is over already stays as it is.
 * @throws CarnetError NOT_FOUND; INVALID_STATE with current_status where it was paid, or is being paid
 */
export const endTopUpPage = (context: Context, call: CommandCall, id: string): Promise<Answered<ListedTopUp>> =>
  runCommand(context, call, async (unit) => {
    const { operatorId } = call.caller;
    const closed =
      (await findTopUp(unit.connection, { id, operatorId })) !== null && (await closeTopUpPage(unit.connection, id));
    const row = await findTopUp(unit.connection, { id, operatorId });
    assertThat(row, () => notFound('top-up'));
    const { status } = row;
    assertThat(status !== 'paid' && status !== 'processing', () => {
      const detail = `This top-up is ${status}; a paid one can be refunded.`;
      return new CarnetError('INVALID_STATE', detail, { extra: { current_status: status } });
    });
    if (closed) {
      await unit.audit('top_up.ended', id);
      await unit.wake(lifeId['top-up'](id));
      unit.changed(id, operatorId);
    }
    return { status: 200, body: listedTopUp(context, row) };
  });
