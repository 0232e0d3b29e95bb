import { lockOperator } from '../../accounts/index.ts';
import type { Answered, CommandCall } from '../../commands/command.ts';
import { runCommand } from '../../commands/run.ts';
import { runWaitingCommand } from '../../commands/waiting.ts';
import type { Context } from '../../context/context.ts';
import { assertThat, CarnetError } from '../../errors/carnet-error.ts';
import { lifeId } from '../../ids/life-ids.ts';
import { assertCanOpen } from '../payments/open-for-caller.ts';
import { paymentSettings } from '../payments/settings.ts';
import { endChange, findChangeInFlight, reopenChange } from './change-queries.ts';
import type { Subscribed } from './schema.ts';
import { answerOfChange, openPageOf } from './subscribe.ts';

const noChange = (): CarnetError =>
  new CarnetError(
    'NOT_FOUND',
    'No change of the subscription waits to be paid: GET /v1/billing/subscription says how it stands.',
  );

/**
 * Gives up the change that waits to be paid, and nothing else: a subscription that runs goes on. The life closes its page
 * at the provider.
 * @throws CarnetError NOT_FOUND where no change waits.
 */
export const giveUpChange = (context: Context, call: CommandCall): Promise<Answered<{ deleted: true }>> =>
  runCommand(context, call, async (unit) => {
    const { operatorId } = call.caller;
    await lockOperator(unit.connection, operatorId);
    const change = await findChangeInFlight(unit.connection, operatorId);
    assertThat(change, noChange);
    await endChange(unit.connection, change.id, { status: 'abandoned', closing: true });
    await unit.audit('subscription.change_abandoned', operatorId, { change_id: change.id, tier: change.tier });
    await unit.wake(lifeId.subscription(operatorId));
    unit.changed(operatorId);
    return { status: 200, body: { deleted: true as const } };
  });

/**
 * The page of the change that waits to be paid. That of an upgrade is opened again, since such pages of the provider live
 * for minutes; that of a first subscription is the same until its time is over.
 * @throws CarnetError PAYMENTS_NOT_CONFIGURED; NOT_FOUND where no change waits; PAYMENT_REFUSED; TEMPORARILY_UNAVAILABLE
 *   where the provider does not open the page in time.
 */
export async function openChangePage(context: Context, call: CommandCall): Promise<Answered<Subscribed>> {
  paymentSettings(context);
  const { operatorId } = call.caller;
  const waiting = await findChangeInFlight(context.pool, operatorId);
  assertThat(waiting, noChange);
  // A call that is repeated with its key names a page that was opened before, so it begins no other one.
  return runWaitingCommand(context, call, {
    id: `${waiting.id}:${waiting.attempt + 1}`,
    async begin(unit) {
      assertCanOpen(context, operatorId);
      await lockOperator(unit.connection, operatorId);
      if (!(await reopenChange(unit.connection, waiting))) return;
      await unit.lookLater(lifeId.subscription(operatorId));
      unit.changed(operatorId);
    },
    wait: (page) => openPageOf(context, changeOf(page)),
    answer: (unit, page) => answerOfChange(context, unit, changeOf(page)),
  });
}

/** `sbc_…` of `sbc_…:2`. */
const changeOf = (page: string): string => page.slice(0, page.indexOf(':'));
