import { runCommand } from '../../commands/run.ts';
import { serviceCall } from '../../commands/service-call.ts';
import type { Unit } from '../../commands/unit.ts';
import type { Context } from '../../context/context.ts';
import { parseLifeId } from '../../ids/life-ids.ts';
import { metrics } from '../../metrics/metrics.ts';
import type { CheckoutFact, PaymentEvent } from '../payments/event.ts';
import {
  insertPaymentEvent,
  paysTopUp,
  recordDispute,
  recordRefund,
  recordSubscriptionDispute,
  recordTransferReversed,
  reportRefunds,
  savePaymentOutcome,
  settleTopUp,
  type PaymentEffect,
} from '../payments/queries.ts';
import { disputedSubscription, type DisputedSubscription } from '../payments/disputes/owner.ts';
import { applySubscriptionFact } from '../subscriptions/facts.ts';

const paymentEvents = metrics.counter('carnet_payment_events', 'Events of the payment provider, by what they did');

/**
 * Outcomes that a person must look at, so they are logged as errors:
 * - `differs`: the amount, the currency or the session is not the one that was requested;
 * - `unknown`: the payment is for a top-up that does not exist;
 * - `came_back`: what was refunded of a second subscription came back from the bank;
 * - `subscription_disputed`: a payment for a subscription is disputed, and its tier stays;
 * - `unlisted`: a dispute has a status that we do not know, so only what its balance transactions moved counts;
 * - `unknown_price`: a subscription has a price that no setting names, so only the rest of it counts;
 * - `reversed_in_part`: a part of a payout was taken back from the publisher's account.
 */
const ALARMING: ReadonlySet<string> = new Set([
  'differs',
  'unknown',
  'came_back',
  'subscription_disputed',
  'unlisted',
  'unknown_price',
  'reversed_in_part',
]);

/**
 * Applies an event of the payment provider in one transaction. An event counts once, and facts that are known already
 * change nothing, so events may come in any order and any number of times.
 * @throws CarnetError TEMPORARILY_UNAVAILABLE, also where the provider does not say whose a disputed payment is: the provider sends the event again.
 */
export async function receivePaymentEvent(context: Context, event: PaymentEvent, requestId: string): Promise<void> {
  const disputed = event.kind === 'dispute' ? await disputedSubscription(context, event) : null;
  const call = serviceCall({ operation: 'receivePaymentWebhook', requestId });
  const { body: outcome } = await runCommand(context, call, async (unit) => {
    if (!(await insertPaymentEvent(unit.connection, event))) return { status: 200, body: 'seen' };
    const effect = await applyFact(unit, { event, requestId, disputed });
    await savePaymentOutcome(unit.connection, { id: event.id, subject: subjectOf(event), outcome: effect.outcome });
    if (effect.life !== null) {
      await unit.wake(effect.life, effect.operator_id ?? undefined);
      const life = parseLifeId(effect.life);
      if (life !== undefined) unit.changed(life.id);
    }
    if (effect.operator_id !== null) unit.changed(effect.operator_id);
    return { status: 200, body: effect.outcome };
  });
  paymentEvents.add(1, { kind: event.kind, outcome });
  const fields = { eventId: event.id, type: event.type, subject: subjectOf(event), outcome };
  if (ALARMING.has(outcome))
    context.log.error(fields, 'an event of the payment provider does not fit what we requested; a person must look');
  else context.log.info(fields, 'an event of the payment provider was applied');
}

const IGNORED: PaymentEffect = { outcome: 'ignored', operator_id: null, life: null };
const DIFFERS: PaymentEffect = { ...IGNORED, outcome: 'differs' };

async function applyFact(
  unit: Unit,
  { event, requestId, disputed }: { event: PaymentEvent; requestId: string; disputed: DisputedSubscription | null },
): Promise<PaymentEffect> {
  const { connection } = unit;
  if (event.kind === 'dispute' && disputed !== null)
    return recordSubscriptionDispute(connection, { ...event, ...disputed }, requestId);
  if (event.kind === 'checkout' && event.purpose === 'top_up')
    return settleTopUp(connection, topUpOutcome(event), requestId);
  // We request dollars only. Another currency belongs to another product on the account, or its cents are not those of
  // a wallet.
  if (event.kind === 'dispute' && event.currency !== 'usd')
    return (await paysTopUp(connection, event.paymentId)) ? DIFFERS : IGNORED;
  if (event.kind === 'refunded') return reportRefunds(connection, event);
  if (event.kind === 'refund') return recordRefund(connection, event);
  if (event.kind === 'dispute') return recordDispute(connection, event, requestId);
  if (event.kind === 'transfer_reversed') return recordTransferReversed(connection, event, requestId);
  if (event.kind === 'checkout' || event.kind === 'subscription' || event.kind === 'invoice_paid')
    return applySubscriptionFact(unit, event);
  return IGNORED;
}

const topUpOutcome = ({ reference, ...fact }: CheckoutFact) => ({ ...fact, topUpId: reference });

/** Says what the event is about, for people who read the row. */
function subjectOf(event: PaymentEvent): string | null {
  if (event.kind === 'checkout') return event.reference;
  if (event.kind === 'refunded') return event.paymentId;
  if (event.kind === 'refund') return event.providerRefundId;
  if (event.kind === 'dispute') return event.disputeId;
  if (event.kind === 'transfer_reversed') return event.transferId;
  if (event.kind === 'subscription') return event.state.subscriptionId;
  return event.kind === 'invoice_paid' ? event.subscriptionId : null;
}
