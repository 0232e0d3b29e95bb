import { serviceCaller } from '../../commands/caller.ts';
import { runCommand, type Unit } from '../../commands/run.ts';
import type { Context } from '../../context/context.ts';
import { metrics } from '../../metrics/metrics.ts';
import type { CheckoutFact, PaymentEvent } from '../payments/event.ts';
import {
  insertPaymentEvent,
  paysTopUp,
  recordDispute,
  recordRefund,
  recordRefunded,
  savePaymentOutcome,
  settleTopUp,
  type PaymentEffect,
} from '../payments/queries.ts';
import { applySubscriptionFact } from '../subscriptions/facts.ts';

const paymentEvents = metrics.counter('carnet_payment_events', 'Events of the payment provider, by what they did');

/**
 * Of these a person must hear: money came or went that is not what was asked for, came for something that is not there, or came back of a
 * refund that was not ours, which the wallet has paid.
 */
const ALARMING: ReadonlySet<string> = new Set(['differs', 'unknown', 'came_back']);

/**
 * Takes what the payment provider says, in one transaction: the event counts once, and what it says once more is found done (decisions
 * B7). Any order, any repetition.
 * @throws CarnetError TEMPORARILY_UNAVAILABLE: the provider sends it again.
 */
export async function receivePaymentEvent(context: Context, event: PaymentEvent, requestId: string): Promise<void> {
  const call = {
    caller: serviceCaller,
    operation: 'receivePaymentWebhook',
    idempotency: null,
    requestId,
    request: null,
  };
  const { body: outcome } = await runCommand(context, call, async (unit) => {
    if (!(await insertPaymentEvent(unit.connection, event))) return { status: 200, body: 'seen' };
    const effect = await takeFact(unit, event, requestId);
    await savePaymentOutcome(unit.connection, { id: event.id, subject: subjectOf(event), outcome: effect.outcome });
    if (effect.life !== null) {
      await unit.wake(effect.life, effect.outcome);
      unit.changed(effect.life.slice(effect.life.indexOf(':') + 1));
    }
    if (effect.operator_id !== null) unit.changed(effect.operator_id);
    return { status: 200, body: effect.outcome };
  });
  paymentEvents.add(1, { kind: event.kind, outcome });
  const told = { eventId: event.id, type: event.type, subject: subjectOf(event), outcome };
  if (ALARMING.has(outcome))
    context.log.error(told, 'an event of the payment provider does not fit what we asked for; a person must look');
  else context.log.info(told, 'an event of the payment provider was taken');
}

const IGNORED: PaymentEffect = { outcome: 'ignored', operator_id: null, life: null };
const DIFFERS: PaymentEffect = { ...IGNORED, outcome: 'differs' };

async function takeFact(unit: Unit, event: PaymentEvent, requestId: string): Promise<PaymentEffect> {
  const { connection } = unit;
  if (event.kind === 'checkout' && event.purpose === 'top_up')
    return settleTopUp(connection, topUpOutcome(event), requestId);
  // We ask for dollars alone, so what is not in dollars is of another shop, or its cents are none of a wallet's.
  if ((event.kind === 'refunded' || event.kind === 'dispute') && event.currency !== 'usd') {
    return (await paysTopUp(connection, event.paymentId)) ? DIFFERS : IGNORED;
  }
  if (event.kind === 'refunded') return recordRefunded(connection, event);
  if (event.kind === 'refund') return recordRefund(connection, event, requestId);
  if (event.kind === 'dispute') return recordDispute(connection, event, requestId);
  if (event.kind === 'checkout' || event.kind === 'subscription' || event.kind === 'invoice_paid')
    return applySubscriptionFact(unit, event);
  return IGNORED;
}

const topUpOutcome = ({ reference, ...fact }: CheckoutFact) => ({ ...fact, topUpId: reference });

/** What the event is about, for whoever looks at the row. */
function subjectOf(event: PaymentEvent): string | null {
  if (event.kind === 'checkout') return event.reference;
  if (event.kind === 'refunded') return event.paymentId;
  if (event.kind === 'refund') return event.providerRefundId;
  if (event.kind === 'dispute') return event.disputeId;
  if (event.kind === 'subscription') return event.state.subscriptionId;
  return event.kind === 'invoice_paid' ? event.subscriptionId : null;
}
