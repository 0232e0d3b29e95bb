import { lockOperator } from '../../accounts/index.ts';
import { serviceCaller } from '../../commands/caller.ts';
import { runCommand } from '../../commands/run.ts';
import { serviceCall } from '../../commands/service-call.ts';
import type { Unit } from '../../commands/unit.ts';
import type { Context } from '../../context/context.ts';
import { step } from '../../commands/fault-points.ts';
import type { OperatorId } from '../../ids/ids.ts';
import { describeLives, type LifeDescription } from '../payments/life-description.ts';
import {
  PaymentRefused,
  type CheckoutState,
  type PaymentProvider,
  type PaymentsContext,
  type SubscriptionState,
} from '../payments/provider.ts';
import { endChange, findChangeInFlight, type ChangeRow } from './change-queries.ts';
import {
  advanceSubscriptionRow,
  auditSubscription,
  findSubscription,
  knownSubscribers,
  planNextFetch,
  reconcileSubscriptionRows,
  type SubscriptionRow,
} from './queries.ts';
import type { SubscriptionStep } from './schema.ts';
import { isRunning, takeState } from './state.ts';

/**
 * One step of the life of a subscription: deletes the messages that woke it and returns what is next. By the rows, so
 * it may run any number of times.
 */
export async function advanceSubscription({ pool }: Context, operatorId: string): Promise<SubscriptionStep> {
  const {
    todo,
    change_id: changeId,
    status,
    tier,
    wait_ms: waitMs,
    until,
  } = await advanceSubscriptionRow(pool, operatorId);
  return { todo, changeId, status, tier, waitMs, until };
}

/**
 * Runs what the service does by itself for an operator, in one transaction that locks the operator first, as every
 * command does.
 */
export async function forOperator(
  context: Context,
  operatorId: string,
  work: (unit: Unit) => Promise<void>,
): Promise<void> {
  const caller = { ...serviceCaller, operatorId: operatorId as OperatorId };
  const call = serviceCall('subscription', 'life', caller);
  await runCommand(context, call, async (unit) => {
    await lockOperator(unit.connection, operatorId);
    await work(unit);
    return { status: 200, body: {} };
  });
}

/**
 * Pushes to the provider what the operator has decided: all of it, under the number of the decision, so that a try
 * whose answer was lost is made again as it was. Where the provider refuses for good, the row goes back to what the
 * provider has (decision B34).
 */
export async function pushSubscription(context: PaymentsContext, operatorId: string): Promise<void> {
  const { payments } = context;
  const row = await findSubscription(context.pool, operatorId);
  if (row === null || row.subscription_id === null || row.revision === row.pushed_revision) return;
  const { subscription_id: subscriptionId, revision } = row;
  const change = {
    purchasedSeats: row.purchased_seats,
    cancelAtPeriodEnd: row.cancel_at_period_end,
    nextTier: row.next_tier,
  };
  const key = `subscription:${operatorId}:${revision}`;
  const pushed = await payments.changeSubscription({ key, subscriptionId, change }).then(
    (state) => ({ state, refused: null }),
    async (error: unknown) => {
      if (!(error instanceof PaymentRefused)) throw error;
      return { state: await payments.readSubscription(subscriptionId), refused: error.message };
    },
  );
  step('pushSubscription:pushed');
  await forOperator(context, operatorId, async (unit) => {
    await takeState(unit, operatorId, { state: pushed.state, at: row.answer_at, knownRevision: revision });
    if (pushed.refused !== null)
      await auditSubscription(unit.connection, operatorId, 'subscription.change_refused', change);
    await planNextFetch(unit.connection, operatorId, row.read_at);
  });
  if (pushed.refused !== null) {
    context.log.error(
      { operatorId, reason: pushed.refused },
      'the payment provider refuses a change of a subscription; it was taken back',
    );
  }
}

/**
 * Fetches the state of checkout and subscription from the provider: at the end of the period, when a checkout expires,
 * after an event. A lost webhook loses nothing.
 */
export async function fetchSubscription(context: PaymentsContext, operatorId: string): Promise<void> {
  const { payments } = context;
  const row = await findSubscription(context.pool, operatorId);
  if (row === null) return;
  const change = await findChangeInFlight(context.pool, operatorId);
  const atProvider = await readAtProvider(payments, row, change).catch((error: unknown) => {
    if (!(error instanceof PaymentRefused)) throw error;
    context.log.error(
      { operatorId, reason: error.message },
      'the payment provider does not know a subscription; a person must look',
    );
    return { checkout: null, state: null };
  });
  step('fetchSubscription:fetched');
  await forOperator(context, operatorId, async (unit) => {
    if (atProvider.state !== null) {
      await takeState(unit, operatorId, {
        state: atProvider.state,
        at: row.answer_at,
        knownRevision: row.pushed_revision,
      });
    }
    if (change !== null && change.status === 'waiting') await endUnpaid(unit, change, atProvider.checkout);
    await planNextFetch(unit.connection, operatorId, row.read_at);
  });
}

interface AtProvider {
  /**
   * The status of the checkout of a first subscription; null where there is none, as for an upgrade, which its
   * subscription shows.
   */
  checkout: CheckoutState['status'] | null;
  /** The subscription that runs, or the one that a checkout has become. */
  state: SubscriptionState | null;
}

async function readAtProvider(
  payments: PaymentProvider,
  row: SubscriptionRow,
  change: ChangeRow | null,
): Promise<AtProvider> {
  const sessionId = change?.kind === 'start' ? change.session_id : null;
  const checkout = sessionId === null ? null : await payments.readCheckout(sessionId);
  const subscriptionId = isRunning(row) ? row.subscription_id : (checkout?.subscriptionId ?? null);
  const state = subscriptionId === null ? null : await payments.readSubscription(subscriptionId);
  return { checkout: checkout?.status ?? null, state };
}

async function endUnpaid(
  { connection }: Unit,
  { id, past }: ChangeRow,
  checkout: AtProvider['checkout'],
): Promise<void> {
  if (checkout === 'failed' || checkout === 'expired')
    return await endChange(connection, id, { status: checkout, closing: false });
  if (past && checkout !== 'processing' && checkout !== 'paid')
    await endChange(connection, id, { status: 'expired', closing: true });
}

/** One query for several operators; those who never requested a subscription are left out. */
export async function describeSubscriptions(
  { pool }: Context,
  operatorIds: string[],
): Promise<Map<string, LifeDescription>> {
  const known = await knownSubscribers(pool, operatorIds);
  return describeLives(
    known.map((id) => ({ id, operator_id: id })),
    ({ id }) => ({
      summary: `Subscription of ${id}`,
      details: `The subscription of \`${id}\`: its checkouts, its renewals, and what is pushed to the payment provider.`,
    }),
  );
}

/** Wakes the lives of subscriptions that seem to have none, at most 100 a call. @returns how many. */
export async function reconcileSubscriptions({ pool, delivery }: Context): Promise<number> {
  const woken = await reconcileSubscriptionRows(pool);
  if (woken > 0) delivery.messagesCommitted();
  return woken;
}
