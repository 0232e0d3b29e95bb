import type { Context } from '../../context/context.ts';
import { faultPoint } from '../../commands/fault-points.ts';
import { forCustomer } from '../payments/customers.ts';
import { portalConfigurationOf } from '../payments/portal-configuration.ts';
import { PaymentRefused, type HostedPage, type SubscriptionState } from '../../context/payment-provider.ts';
import {
  beginToOpen,
  changeIsClosed,
  changesToClose,
  changeEncryptionContext,
  endChange,
  readChange,
  savePage,
  type ChangeRow,
} from './change-queries.ts';
import { completeIfPaid, forOperator } from './life.ts';
import { findSubscription, planFetchNow, type SubscriptionRow } from './queries.ts';
import { isRunning, takeState } from './state.ts';

/**
 * Opens the page of a change under the change's own id, so that a try whose answer was lost is the same page when it is
 * made again, by the caller or by the life; never one whose time is over. The pages of changes that were given up are closed
 * first, so that there are never two to pay.
 */
export async function openSubscriptionCheckout(context: Context, changeId: string): Promise<void> {
  const { pool, log } = context;
  const { operator_id: operatorId } = await readChange(pool, changeId);
  for (const closing of await changesToClose(pool, operatorId)) await closeSubscriptionCheckout(context, closing);
  const change = await readChange(pool, changeId);
  const row = await findSubscription(pool, operatorId);
  if (change.past) return await endChange(pool, changeId, { status: 'expired', closing: true });
  if (change.status !== 'opening' || row === null || !(await beginToOpen(pool, changeId))) return;
  try {
    await keepPage(context, change, await openPage(context, { change, row }));
  } catch (error) {
    if (!(error instanceof PaymentRefused)) throw error;
    log.error({ changeId, reason: error.message }, 'the payment provider refuses to open a checkout of a subscription');
    await endChange(pool, changeId, { status: 'refused', closing: false });
    // It may be refused since the subscription has ended there, and nobody has said so here.
    if (isRunning(row)) await planFetchNow(pool, operatorId);
  }
}

interface Wanted {
  change: ChangeRow;
  row: SubscriptionRow;
}

async function openPage(context: Context, { change, row }: Wanted): Promise<HostedPage> {
  const { payments } = context;
  const { id: changeId, operator_id: operatorId, tier, attempt, kind, expires_at: until, seconds } = change;
  const { subscription_id: subscriptionId } = row;
  if (until === null || seconds === null || change.return_to === null)
    throw new Error(`The change ${changeId} has nothing to pay.`);
  const terms = { expiresAt: new Date(until), seconds, returnTo: change.return_to };
  const configurationId = kind === 'upgrade' ? await portalConfigurationOf(context) : null;
  const page = await forCustomer(context, operatorId, (customer) => {
    faultPoint('openSubscriptionCheckout:customer');
    return kind === 'upgrade' && subscriptionId !== null
      ? payments.openUpgrade({ changeId, attempt, configurationId, ...customer, subscriptionId, tier, ...terms })
      : payments.openSubscription({ changeId, operatorId, ...customer, tier, purchasedSeats: 0, ...terms });
  });
  faultPoint('openSubscriptionCheckout:opened');
  return page;
}

async function keepPage(
  { pool, encryption }: Context,
  { id, attempt }: ChangeRow,
  { sessionId, url }: HostedPage,
): Promise<void> {
  await savePage(pool, id, { attempt, sessionId, url: encryption.encrypt(url, changeEncryptionContext(id)) });
}

/**
 * Closes the page of a change that was given up, before another is opened. Where somebody paid it after all, that
 * counts: the money came in.
 */
export async function closeSubscriptionCheckout(context: Context, changeId: string): Promise<void> {
  const { pool, log, payments } = context;
  const change = await readChange(pool, changeId);
  const row = await findSubscription(pool, change.operator_id);
  if (!change.closing || row === null) return;
  try {
    const sessionId = change.session_id ?? (await openPage(context, { change, row })).sessionId;
    await payments.expireCheckout(sessionId).catch(unlessRefused);
    faultPoint('closeSubscriptionCheckout:expired');
    await takeWhatWasPaid(context, { change, row, state: await boughtBy(context, { change, row, sessionId }) });
  } catch (error) {
    if (!(error instanceof PaymentRefused)) throw error;
    log.warn({ changeId, reason: error.message }, 'the payment provider does not know a checkout that was given up');
    await changeIsClosed(pool, changeId);
  }
}

/** One that is over already cannot be expired; its outcome is read next. */
const unlessRefused = (error: unknown): void => {
  if (!(error instanceof PaymentRefused)) throw error;
};

async function boughtBy(
  context: Context,
  { change, row, sessionId }: Wanted & { sessionId: string },
): Promise<SubscriptionState | null> {
  const { payments } = context;
  const checkout = await payments.readCheckout(sessionId);
  // One that was paid beside a subscription that runs by now is a second one.
  const subscriptionId = checkout.subscriptionId ?? (isRunning(row) ? row.subscription_id : null);
  if (subscriptionId === null) return null;
  await completeIfPaid(context, { change, checkout, subscriptionId });
  return await payments.readSubscription(subscriptionId);
}

const takeWhatWasPaid = (
  context: Context,
  { change, row, state }: Wanted & { state: SubscriptionState | null },
): Promise<void> =>
  forOperator(context, change.operator_id, async (unit) => {
    await changeIsClosed(unit.connection, change.id);
    if (state === null) return;
    await takeState(unit, change.operator_id, { state, at: row.answer_at, knownRevision: row.pushed_revision });
  });
