import { lockOperator } from '../../accounts/index.ts';
import { serviceCaller } from '../../commands/caller.ts';
import { runCommand } from '../../commands/run.ts';
import { serviceCall } from '../../commands/service-call.ts';
import type { Unit } from '../../commands/unit.ts';
import type { Context } from '../../context/context.ts';
import { faultPoint } from '../../commands/fault-points.ts';
import type { OperatorId } from '../../ids/ids.ts';
import { endAlarm, raiseAlarm } from '../cases/queries.ts';
import { describeLives, type LifeDescription } from '../../commands/life-description.ts';
import { PaymentRefused, type CheckoutState, type SubscriptionState } from '../../context/payment-provider.ts';
import { endChange, findChangeInFlight, type ChangeRow } from './change-queries.ts';
import {
  advanceSubscriptionRow,
  auditSubscription,
  findSubscription,
  knownSubscribers,
  openSurplus,
  planNextFetch,
  settleSurplus,
  type SurplusOutcome,
  type SubscriptionRow,
} from './queries.ts';
import type { SubscriptionStep } from './schema.ts';
import { hasUnknownPrice, isRunning, takeState, takeUnknown } from './state.ts';

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
  const call = serviceCall({ operation: 'subscription', requestId: 'life', caller });
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
export async function pushSubscription(context: Context, operatorId: string): Promise<void> {
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
      return { state: await readSubscription(context, { operatorId, subscriptionId }), refused: error.message };
    },
  );
  faultPoint('pushSubscription:pushed');
  await forOperator(context, operatorId, async (unit) => {
    const { state } = pushed;
    if (state === 'unknown') await takeUnknown(unit, operatorId);
    else await takeState(unit, operatorId, { state, at: row.answer_at, knownRevision: revision });
    if (pushed.refused !== null)
      await auditSubscription(unit.connection, { operatorId, action: 'subscription.change_refused', detail: change });
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
 * after an event. A lost webhook loses nothing. Gives back subscriptions that were paid beside it.
 */
export async function fetchSubscription(context: Context, operatorId: string): Promise<void> {
  await giveSurplusBack(context, operatorId);
  const row = await findSubscription(context.pool, operatorId);
  if (row === null) return;
  const change = await findChangeInFlight(context.pool, operatorId);
  const { checkout, state } = await readAtProvider(context, operatorId, { row, change });
  if (state !== null && state !== 'unknown' && hasUnknownPrice(state)) {
    context.log.error(
      { operatorId, subscriptionId: state.subscriptionId },
      'a subscription has a price that no setting names; add it to the list of its STRIPE_PRICE_ setting',
    );
  }
  faultPoint('fetchSubscription:fetched');
  await forOperator(context, operatorId, async (unit) => {
    if (state === 'unknown') await takeUnknown(unit, operatorId);
    else if (state !== null)
      await takeState(unit, operatorId, { state, at: row.answer_at, knownRevision: row.pushed_revision });
    if (change !== null && change.status === 'waiting') await endUnpaid(unit, change, checkout);
    await planNextFetch(unit.connection, operatorId, row.read_at);
  });
}

interface AtProvider {
  /**
   * The status of the page of the change that waits; null where there is none. One of the portal is open for ever: what
   * was confirmed there shows in the subscription.
   */
  checkout: CheckoutState['status'] | null;
  /** The subscription that runs, or the one that a checkout has become; `unknown`: the provider does not know it. */
  state: SubscriptionState | 'unknown' | null;
}

async function readAtProvider(
  context: Context,
  operatorId: string,
  { row, change }: { row: SubscriptionRow; change: ChangeRow | null },
): Promise<AtProvider> {
  const sessionId = change?.session_id ?? null;
  const checkout = sessionId === null ? null : await readCheckout(context, { operatorId, sessionId });
  const subscriptionId = isRunning(row) ? row.subscription_id : (checkout?.subscriptionId ?? null);
  if (subscriptionId === null) return { checkout: checkout?.status ?? null, state: null };
  if (change !== null && checkout !== null) await completeIfPaid(context, { change, checkout, subscriptionId });
  return {
    checkout: checkout?.status ?? null,
    state: await readSubscription(context, { operatorId, subscriptionId }),
  };
}

/** Makes an upgrade that was paid where paying it did not. */
export async function completeIfPaid(
  { payments, log, pool }: Context,
  { change, checkout, subscriptionId }: { change: ChangeRow; checkout: CheckoutState; subscriptionId: string },
): Promise<void> {
  if (change.kind !== 'upgrade' || checkout.status !== 'paid') return;
  const { id: changeId, operator_id: operatorId, tier } = change;
  const alarm = async (reason: string): Promise<void> => {
    log.error({ changeId, subscriptionId, reason }, 'an upgrade was paid and is not made; a person must look');
    await raiseAlarm(pool, { kind: 'upgrade_not_made', concerns: changeId, operatorId });
  };
  try {
    const { tier: has } = await payments.completeUpgrade({ changeId, subscriptionId, tier });
    if (has !== tier) await alarm(`the tier is ${has ?? 'unknown'} by now`);
  } catch (error) {
    if (!(error instanceof PaymentRefused)) throw error;
    await alarm(error.message);
  }
}

const readSubscription = (
  { payments, log }: Context,
  { operatorId, subscriptionId }: { operatorId: string; subscriptionId: string },
): Promise<SubscriptionState | 'unknown'> =>
  payments.readSubscription(subscriptionId).catch((error: unknown) => {
    if (!(error instanceof PaymentRefused)) throw error;
    const fields = { operatorId, subscriptionId, reason: error.message };
    log.error(fields, 'the payment provider does not know a subscription; a person must look');
    return 'unknown' as const;
  });

/** Null where the provider does not know it: it ends when its time is over. */
const readCheckout = (
  { payments, log }: Context,
  { operatorId, sessionId }: { operatorId: string; sessionId: string },
): Promise<CheckoutState | null> =>
  payments.readCheckout(sessionId).catch((error: unknown) => {
    if (!(error instanceof PaymentRefused)) throw error;
    log.error(
      { operatorId, reason: error.message },
      'the payment provider does not know a checkout; a person must look',
    );
    return null;
  });

/**
 * Ends subscriptions that were paid beside the one that runs, and has the provider refund what was paid for them: under
 * keys, so any number of times. An event may be late, so both are read first.
 */
async function giveSurplusBack(context: Context, operatorId: string): Promise<void> {
  const { pool, log } = context;
  for (const subscriptionId of await openSurplus(pool, operatorId)) {
    const row = await findSubscription(pool, operatorId);
    const running = row !== null && isRunning(row) ? row.subscription_id : null;
    const first = running === null ? null : await readSubscription(context, { operatorId, subscriptionId: running });
    const second = await readSubscription(context, { operatorId, subscriptionId });
    const outcome = await surplusOutcome(context, { operatorId, subscriptionId, first, second });
    await forOperator(context, operatorId, async (unit) => {
      await settleSurplus(unit.connection, subscriptionId, outcome);
      if (outcome.status === 'kept' && row !== null) {
        for (const state of [first, second])
          if (state !== null && state !== 'unknown')
            await takeState(unit, operatorId, { state, at: row.answer_at, knownRevision: row.pushed_revision });
      }
      if (outcome.status !== 'kept')
        await endAlarm(unit.connection, { kind: 'unknown_price', concerns: subscriptionId });
      if (outcome.status === 'refused')
        await raiseAlarm(unit.connection, {
          kind: 'subscription_not_given_back',
          concerns: subscriptionId,
          operatorId,
        });
      if (outcome.status !== 'given_back') return;
      const detail = { subscription_id: subscriptionId, refunded_cents: outcome.refundedCents };
      await auditSubscription(unit.connection, { operatorId, action: 'subscription.second_given_back', detail });
      log.error({ operatorId, ...detail }, 'an operator paid for two subscriptions; the second was ended and refunded');
    });
  }
}

type Fetched = SubscriptionState | 'unknown' | null;

async function surplusOutcome(
  { payments, log }: Context,
  found: { operatorId: string; subscriptionId: string; first: Fetched; second: Fetched },
): Promise<SurplusOutcome> {
  const { operatorId, subscriptionId, first, second } = found;
  const alarm = (reason: string): SurplusOutcome => {
    const sentence = 'an operator may pay for two subscriptions, and the second is not given back; a person must look';
    log.error({ operatorId, subscriptionId, reason }, sentence);
    return { status: 'refused' };
  };
  if (first === 'unknown' || second === 'unknown' || second === null)
    return alarm('the payment provider does not know one of them');
  if (first === null || !givesTier(first)) return { status: givesTier(second) ? 'kept' : 'over' };
  try {
    const refundedCents = await payments.giveSubscriptionBack(subscriptionId);
    return refundedCents === null ? { status: 'over' } : { status: 'given_back', refundedCents };
  } catch (error) {
    if (!(error instanceof PaymentRefused)) throw error;
    return alarm(error.message);
  }
}

const givesTier = ({ status }: SubscriptionState): boolean => status === 'active' || status === 'past_due';

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
    known.map((id) => ({ id })),
    ({ id }) => ({
      operatorIds: [id],
      summary: `Subscription of ${id}`,
      details: `The subscription of \`${id}\`: its checkouts, its renewals, and what is pushed to the payment provider.`,
    }),
  );
}
