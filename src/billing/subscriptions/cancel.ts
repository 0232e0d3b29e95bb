import { lockOperator } from '../../accounts/index.ts';
import type { Answered, CommandCall } from '../../commands/command.ts';
import { runCommand } from '../../commands/run.ts';
import type { Context } from '../../context/context.ts';
import { assertThat, CarnetError, notFound } from '../../errors/carnet-error.ts';
import { lifeId } from '../../ids/life-ids.ts';
import { endChange, findChangeInFlight } from './change-queries.ts';
import { lockSubscription, saveDesiredTerms } from './queries.ts';
import type { CanceledSubscription } from './schema.ts';
import { isRunning } from './state.ts';

/**
 * Ends the subscription at the end of its period, and gives up a change that nobody has paid. The life pushes that to
 * the provider afterwards. A repeated call gets the same answer.
 * @throws CarnetError NO_SUBSCRIPTION where there is neither a subscription nor a change.
 */
export const cancelSubscription = (context: Context, call: CommandCall): Promise<Answered<CanceledSubscription>> =>
  runCommand(context, call, async (unit) => {
    const { connection } = unit;
    const { operatorId } = call.caller;
    const operator = await lockOperator(connection, operatorId);
    assertThat(operator, () => notFound('operator'));
    const subscription = await lockSubscription(connection, operatorId);
    const change = await findChangeInFlight(connection, operatorId);
    const running = isRunning(subscription);
    assertThat(running || change !== null, () => {
      const why = operator.tier === 'free' ? 'your tier is free' : `the platform gave you tier ${operator.tier}`;
      const detail = `There is no subscription to cancel: ${why}.`;
      return new CarnetError('NO_SUBSCRIPTION', detail);
    });
    if (change !== null) {
      await endChange(connection, change.id, { status: 'abandoned', closing: true });
      await unit.audit('subscription.change_abandoned', operatorId, { change_id: change.id, tier: change.tier });
    }
    if (running && !subscription.cancel_at_period_end) {
      await saveDesiredTerms(connection, operatorId, { ...subscription, cancel_at_period_end: true, next_tier: null });
      await unit.audit('subscription.canceled', operatorId, {
        tier: subscription.tier,
        current_period_end: subscription.period_end,
      });
    }
    await unit.wake(lifeId.subscription(operatorId));
    unit.changed(operatorId);
    return {
      status: 200,
      body: {
        tier: operator.tier,
        status: running ? 'canceling' : 'abandoned',
        cancel_at_period_end: running,
        current_period_end: running ? subscription.period_end : null,
      },
    };
  });
