import type { Context } from '../../../context/context.ts';
import { faultPoint } from '../../../commands/fault-points.ts';
import { forCustomer } from '../customers.ts';
import { describeLives, type LifeDescription } from '../../../commands/life-description.ts';
import { settleTopUp } from '../queries.ts';
import { PaymentRefused, type CheckoutState, type PaymentProvider } from '../../../context/payment-provider.ts';
import type { TopUpStep } from '../step.ts';
import {
  advanceTopUpRow,
  checkTopUpLater,
  describeTopUpRows,
  endTopUp,
  readTopUp,
  saveCheckout,
  saveReceipt,
} from './queries.ts';
import { checkoutEncryptionContext, receiptEncryptionContext } from './encryption-contexts.ts';

/**
 * One step of the life of a top-up: deletes the messages that woke it and returns what is next. By the row, so it may
 * run any number of times.
 */
export async function advanceTopUp({ pool }: Context, id: string): Promise<TopUpStep> {
  const { status, action, wait_ms: waitMs, until } = await advanceTopUpRow(pool, id);
  return { status, action, waitMs, until };
}

/**
 * Opens the checkout under the top-up's own id, so that a try whose answer was lost is the same session when it is made
 * again, by the caller or by the life; never one whose time to be paid is over.
 */
export async function openTopUp(context: Context, id: string): Promise<void> {
  const { pool, encryption, payments } = context;
  const { status, operator_id: operatorId, amount_cents: amountCents, ...terms } = await readTopUp(pool, id);
  if (status !== 'opening') return;
  if (terms.past) return await endTopUp(pool, id, 'expired');
  const { seconds, return_to: returnTo } = terms;
  const page = { expiresAt: new Date(terms.expires_at), seconds, returnTo };
  try {
    const { sessionId, url } = await forCustomer(context, operatorId, (customer) => {
      faultPoint('openTopUp:customer');
      return payments.openTopUp({ topUpId: id, operatorId, ...customer, amountCents, ...page });
    });
    faultPoint('openTopUp:opened');
    await saveCheckout(pool, id, { sessionId, url: encryption.encrypt(url, checkoutEncryptionContext(id)) });
  } catch (error) {
    if (!(error instanceof PaymentRefused)) throw error;
    context.log.error({ topUpId: id, reason: error.message }, 'the payment provider refuses to open a checkout');
    await endTopUp(pool, id, 'refused');
  }
}

/**
 * Checks with the provider the outcome of a checkout, and closes it where its time is over: a webhook that was lost
 * loses nothing, and nobody pays a page that we gave up. Before that it is checked where an event reported something
 * else than was asked for.
 */
export async function checkTopUp(context: Context, id: string): Promise<void> {
  const { pool, log, rowEvents, payments } = context;
  const { status, session_id: sessionId, operator_id: operatorId, past } = await readTopUp(pool, id);
  if (sessionId === null || (status !== 'open' && status !== 'processing')) return;
  try {
    const state = past ? await closedCheckout(payments, sessionId) : await payments.readCheckout(sessionId);
    faultPoint('checkTopUp:checked');
    if (state.status === 'open' || (state.status === 'processing' && status === 'processing'))
      return await checkTopUpLater(pool, id);
    const { outcome } = await settleTopUp(pool, { topUpId: id, outcome: state.status, sessionId, ...state }, null);
    if (outcome === 'differs') {
      log.error({ topUpId: id }, 'a top-up was paid, but not as it was requested; a person must look');
      await endTopUp(pool, id, 'differs');
    }
    rowEvents.changed(operatorId);
  } catch (error) {
    if (!(error instanceof PaymentRefused)) throw error;
    log.error({ topUpId: id, reason: error.message }, 'the payment provider does not know the checkout of a top-up');
    await endTopUp(pool, id, 'refused');
  }
}

async function closedCheckout(payments: PaymentProvider, sessionId: string): Promise<CheckoutState> {
  const state = await payments.readCheckout(sessionId);
  if (state.status !== 'open') return state;
  await payments.expireCheckout(sessionId).catch((error: unknown) => {
    // It was paid meanwhile: what is read next says so.
    if (!(error instanceof PaymentRefused)) throw error;
  });
  return payments.readCheckout(sessionId);
}

/** Keeps the address of the provider's receipt for the statement. */
export async function fetchReceipt({ pool, encryption, payments }: Context, id: string): Promise<void> {
  const { status, session_id: sessionId } = await readTopUp(pool, id);
  if (status !== 'paid' || sessionId === null) return;
  const receiptUrl = await payments.readCheckout(sessionId).then(
    (state) => state.receiptUrl,
    (error: unknown) => {
      if (error instanceof PaymentRefused) return null;
      throw error;
    },
  );
  faultPoint('fetchReceipt:fetched');
  await saveReceipt(
    pool,
    id,
    receiptUrl === null ? null : encryption.encrypt(receiptUrl, receiptEncryptionContext(id)),
  );
}

/** One query for several ids; ids without a row are left out. */
export const describeTopUps = async ({ pool }: Context, ids: string[]): Promise<Map<string, LifeDescription>> =>
  describeLives(
    await describeTopUpRows(pool, ids),
    ({ id, operator_id: operatorId, amount_cents: cents, expires_at: until }) => ({
      operatorIds: [operatorId],
      summary: `Top-up of ${cents} cents for ${operatorId}`,
      details: `Top-up \`${id}\` of ${cents} cents for \`${operatorId}\`, to be paid until ${until}`,
    }),
  );
