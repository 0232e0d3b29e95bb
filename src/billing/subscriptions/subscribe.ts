import { isLargerTier, type PaidTier, type Tier } from '../../fields/tiers.ts';
import { lockOperator } from '../../accounts/index.ts';
import type { Answer, Answered, CommandCall } from '../../commands/command.ts';
import type { Unit } from '../../commands/unit.ts';
import { runWaitingCommand } from '../../commands/waiting.ts';
import type { Context } from '../../context/context.ts';
import { assertThat, CarnetError, invalid, notFound } from '../../errors/carnet-error.ts';
import { newId, type OperatorId, type SubscriptionChangeId } from '../../ids/ids.ts';
import { lifeId } from '../../ids/life-ids.ts';
import { assertCanOpen, openForCaller } from '../payments/open-for-caller.ts';
import { pageNotOpenYet, pageRefused } from '../payments/page-refusals.ts';
import { paymentSettings } from '../payments/settings.ts';
import {
  changeEncryptionContext,
  findChangeInFlight,
  insertChange,
  readChange,
  type ChangeKind,
  type ChangeRow,
} from './change-queries.ts';
import { openSubscriptionCheckout } from './checkout.ts';
import { lockSubscription, saveDesiredTerms, type DesiredTerms, type SubscriptionRow } from './queries.ts';
import type { Subscribe, Subscribed } from './schema.ts';
import { isRunning } from './state.ts';

/**
 * Changes to another tier. A first subscription and a larger tier return the page where they are paid, a
 * smaller tier waits for the end of the period, and the current tier takes back a cancellation or a planned smaller
 * tier.
 * @throws CarnetError PAYMENTS_NOT_CONFIGURED; VALIDATION_ERROR for free; CONTACT_SALES for enterprise; CONFLICT for
 *   the current tier, and while a change waits, with its `checkout_url`; PAYMENT_REFUSED; TEMPORARILY_UNAVAILABLE where
 *   the provider does not open the page in time.
 */
export async function subscribe(
  context: Context,
  call: CommandCall,
  { tier }: Subscribe,
): Promise<Answered<Subscribed>> {
  const wanted = paidTierOf(tier);
  paymentSettings(context);
  const { operatorId } = call.caller;
  const id = newId('sbc');
  return runWaitingCommand(context, call, {
    id,
    begin: (unit) => beginChange(context, unit, { id, operatorId, tier: wanted }),
    wait: (changeId) => openPageOf(context, changeId),
    answer: (unit, changeId) => answerOfChange(context, unit, changeId),
  });
}

/** @throws CarnetError VALIDATION_ERROR, CONTACT_SALES for tiers that are not bought */
function paidTierOf(tier: Tier): PaidTier {
  if (tier === 'free') {
    const message = 'is the tier without a subscription: use POST /v1/billing/cancel-subscription';
    throw invalid({ path: 'tier', code: 'not_for_sale', message });
  }
  if (tier === 'enterprise') {
    throw new CarnetError(
      'CONTACT_SALES',
      'The tier enterprise is agreed on in person; contact us and we set it up for you.',
    );
  }
  return tier;
}

async function beginChange(
  context: Context,
  unit: Unit,
  { id, operatorId, tier }: { id: SubscriptionChangeId; operatorId: OperatorId; tier: PaidTier },
): Promise<void> {
  const { connection } = unit;
  const operator = await lockOperator(connection, operatorId);
  assertThat(operator, () => notFound('operator'));
  const running = await lockSubscription(connection, operatorId);
  const inFlight = await findChangeInFlight(connection, operatorId);
  if (inFlight !== null) throw changeInFlight(context, inFlight);
  const kind = kindOf(tier, { running, current: operator.tier });
  const toPay = kind === 'start' || kind === 'upgrade';
  if (toPay) assertCanOpen(context, operatorId);
  const effectiveAt = kind === 'downgrade' ? running.period_end : null;
  const terms = termsAfter(kind, tier, running);
  await insertChange(connection, {
    id,
    operatorId,
    kind,
    tier,
    page: toPay ? { seconds: context.config.subscribeSessionSeconds, returnTo: context.config.publicBaseUrl } : null,
    effectiveAt,
  });
  if (terms.cancel_at_period_end !== running.cancel_at_period_end || terms.next_tier !== running.next_tier) {
    await saveDesiredTerms(connection, operatorId, terms);
  }
  await unit.lookLater(lifeId.subscription(operatorId));
  await unit.audit('subscription.change_requested', operatorId, { change_id: id, kind, tier });
  unit.changed(operatorId);
}

/** @throws CarnetError CONFLICT */
function kindOf(tier: PaidTier, { running, current }: { running: SubscriptionRow; current: Tier }): ChangeKind {
  if (running.status === 'unpaid') {
    throw conflict(
      'Your subscription is unpaid: pay its invoice in the portal (POST /v1/billing/portal), or cancel it first.',
    );
  }
  if (isRunning(running) && running.tier !== null) {
    if (running.tier !== tier) return isLargerTier(tier, running.tier) ? 'upgrade' : 'downgrade';
    if (running.cancel_at_period_end || running.next_tier !== null) return 'resume';
    throw conflict(`You are subscribed to ${tier} already; name another tier.`);
  }
  if (isLargerTier(tier, current)) return 'start';
  throw conflict(`The platform gave you tier ${current}, which is no smaller than ${tier}; name a larger tier.`);
}

/** A larger tier takes a planned smaller one back when it is requested, and a cancellation only when it is paid. */
function termsAfter(
  kind: ChangeKind,
  tier: PaidTier,
  { cancel_at_period_end, purchased_seats }: SubscriptionRow,
): DesiredTerms {
  if (kind === 'downgrade') return { cancel_at_period_end: false, next_tier: tier, purchased_seats };
  return { cancel_at_period_end: cancel_at_period_end && kind === 'upgrade', next_tier: null, purchased_seats };
}

const conflict = (detail: string, extra: Record<string, unknown> = {}): CarnetError =>
  new CarnetError('CONFLICT', detail, { extra });

function changeInFlight({ encryption }: Context, { id, tier, checkout_url: sealed }: ChangeRow): CarnetError {
  const url = sealed === null ? null : encryption.decrypt(sealed, changeEncryptionContext(id));
  const advice =
    'pay it at its checkout_url, which POST /v1/billing/subscription/change/checkout opens again, or give it up with DELETE /v1/billing/subscription/change';
  return conflict(`A change to ${tier} waits to be paid: ${advice}.`, { checkout_url: url });
}

/** Opens the page of a change for a caller who waits, where it has one that is not open. */
export async function openPageOf(context: Context, changeId: string): Promise<void> {
  const { status, operator_id: operatorId } = await readChange(context.pool, changeId);
  if (status !== 'opening') return;
  await openForCaller(context, operatorId, (watched) => openSubscriptionCheckout(watched, changeId));
}

/**
 * Answers with the page of a change, or with what there was to do without one, and wakes the life. Not before: it would open the page
 * beside this call. Where a call does not come this far, somebody looks later.
 * @throws CarnetError TEMPORARILY_UNAVAILABLE, PAYMENT_REFUSED; CONFLICT where the change is over
 */
export async function answerOfChange({ encryption }: Context, unit: Unit, id: string): Promise<Answer<Subscribed>> {
  const change = await readChange(unit.connection, id);
  const { tier, status, session_id, checkout_url: sealed, effective_at } = change;
  await unit.wake(lifeId.subscription(change.operator_id));
  if (status === 'waiting' || status === 'done') {
    const checkout_url = sealed === null ? null : encryption.decrypt(sealed, changeEncryptionContext(id));
    return { status: 200, body: { checkout_url, session_id, tier, effective_at } };
  }
  if (status === 'opening') throw pageNotOpenYet('checkout');
  if (status === 'refused') throw pageRefused(`checkout for ${tier}`, 'name another tier');
  throw conflict(`This change to ${tier} is over (${status}) and was not paid; subscribe again.`);
}
