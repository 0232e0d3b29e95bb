import { lockOperator } from '../../accounts/index.ts';
import type { Unit } from '../../commands/run.ts';
import { lifeId } from '../../ids/life-ids.ts';
import type { CheckoutFact, PaymentEvent } from '../payments/event.ts';
import type { PaymentEffect } from '../payments/queries.ts';
import { endChange, findChange } from './change-queries.ts';
import { askSoon, subscriberOf } from './queries.ts';
import { takeState } from './state.ts';

export type SubscriptionFact = Extract<PaymentEvent, { kind: 'subscription' | 'invoice_paid' | 'checkout' }>;

/**
 * Takes what a payment webhook says of a subscription, in the transaction that keeps the event. Events come in any order, so whatever
 * they say is taken by their own time, and the life, which is to be woken, asks the provider as well. One about nobody we know changes
 * nothing.
 */
export async function applySubscriptionFact(unit: Unit, event: SubscriptionFact): Promise<PaymentEffect> {
  const operatorId = await concernedBy(unit, event);
  if (operatorId === null || (await lockOperator(unit.connection, operatorId)) === null)
    return { outcome: 'ignored', operator_id: null, life: null };
  if (event.kind === 'checkout') await endUnpaid(unit, event);
  if (event.kind === 'subscription') {
    await takeState(unit, operatorId, { state: event.state, at: event.createdAt.toISOString(), knownRevision: null });
  }
  await askSoon(unit.connection, operatorId);
  return { outcome: 'told', operator_id: operatorId, life: lifeId.subscription(operatorId) };
}

async function concernedBy(unit: Unit, event: SubscriptionFact): Promise<string | null> {
  if (event.kind === 'checkout') return await concernedByCheckout(unit, event);
  if (event.kind === 'invoice_paid') return await subscriberOf(unit.connection, event.subscriptionId);
  // One account at the provider may serve several installations: whether there is such an operator here is seen when it is locked.
  return (await subscriberOf(unit.connection, event.state.subscriptionId)) ?? event.operatorId;
}

async function concernedByCheckout(
  { connection }: Unit,
  { reference, sessionId }: CheckoutFact,
): Promise<string | null> {
  const change = await findChange(connection, reference);
  const ours = change !== null && (change.session_id === null || change.session_id === sessionId);
  return ours ? change.operator_id : null;
}

/** A checkout that nobody will pay ends its change at once; what was paid shows in the subscription. */
async function endUnpaid({ connection }: Unit, { reference, outcome }: CheckoutFact): Promise<void> {
  if (outcome === 'failed' || outcome === 'expired')
    await endChange(connection, reference, { status: outcome, closing: false });
}
