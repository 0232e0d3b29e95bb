import { lockOperator } from '../../accounts/index.ts';
import type { Unit } from '../../commands/unit.ts';
import { lifeId } from '../../ids/life-ids.ts';
import type { CheckoutFact, PaymentEvent } from '../payments/event.ts';
import type { PaymentEffect } from '../payments/queries.ts';
import { closeAgain, endChange, findChange } from './change-queries.ts';
import { planFetchNow, subscriberOf } from './queries.ts';
import { hasUnknownPrice, takeState } from './state.ts';

type SubscriptionFact = Extract<PaymentEvent, { kind: 'subscription' | 'invoice_paid' | 'checkout' }>;

/**
 * Applies what a payment webhook reports about a subscription, in the transaction that stores the event. Events come in
 * any order, so each counts as of its own time, and the life that the caller wakes fetches the state from the provider
 * as well. An event about an operator that does not exist here changes nothing.
 */
export async function applySubscriptionFact(unit: Unit, event: SubscriptionFact): Promise<PaymentEffect> {
  const operatorId = await operatorOf(unit, event);
  if (operatorId === null || (await lockOperator(unit.connection, operatorId)) === null)
    return { outcome: 'ignored', operator_id: null, life: null };
  if (event.kind === 'checkout') await applyCheckout(unit, event);
  if (event.kind === 'subscription') {
    await takeState(unit, operatorId, { state: event.state, at: event.createdAt.toISOString(), knownRevision: null });
  }
  await planFetchNow(unit.connection, operatorId);
  const outcome = event.kind === 'subscription' && hasUnknownPrice(event.state) ? 'unknown_price' : 'applied';
  return { outcome, operator_id: operatorId, life: lifeId.subscription(operatorId) };
}

async function operatorOf(unit: Unit, event: SubscriptionFact): Promise<string | null> {
  if (event.kind === 'checkout') return await operatorOfCheckout(unit, event);
  if (event.kind === 'invoice_paid') return await subscriberOf(unit.connection, event.subscriptionId);
  // One account at the provider may serve several installations, so this operator may not exist here; locking it shows
  // that.
  return (await subscriberOf(unit.connection, event.state.subscriptionId)) ?? event.operatorId;
}

async function operatorOfCheckout(
  { connection }: Unit,
  { reference, sessionId }: CheckoutFact,
): Promise<string | null> {
  const change = await findChange(connection, reference);
  const ours = change !== null && (change.session_id === null || change.session_id === sessionId);
  return ours ? change.operator_id : null;
}

/**
 * A checkout that failed or expired ends its change immediately; a paid one shows in the subscription, or is completed by the
 * life.
 */
async function applyCheckout({ connection }: Unit, { reference, outcome }: CheckoutFact): Promise<void> {
  if (outcome === 'paid') await closeAgain(connection, reference);
  if (outcome === 'failed' || outcome === 'expired')
    await endChange(connection, reference, { status: outcome, closing: false });
}
