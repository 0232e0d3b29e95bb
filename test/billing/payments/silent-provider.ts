import assert from 'node:assert/strict';
import { withCaches } from '../../../src/context/caches.ts';
import type { Context } from '../../../src/context/context.ts';
import type { PaymentProvider } from '../../../src/context/payment-provider.ts';
import { sql } from '../../../src/database/pool.ts';
import { CarnetError } from '../../../src/errors/carnet-error.ts';

const silent = new Proxy({} as PaymentProvider, {
  get: () => () => Promise.reject(new CarnetError('TEMPORARILY_UNAVAILABLE', 'The provider of this test is silent.')),
});

/** The context of another process, to which the payment provider does not answer. */
const withSilentProvider = (context: Context): Context => withCaches({ ...context, payments: silent });

export const isUnavailable = (error: unknown): boolean =>
  error instanceof CarnetError && error.code === 'TEMPORARILY_UNAVAILABLE';

/**
 * Leaves a row whose page is not open, and wakes its life: as after a process that was killed, whose rows the reconciler finds ten seconds
 * later.
 * @param begin the call that is not answered
 * @param life of what it has begun
 */
export async function beginUnopened(
  context: Context,
  begin: (context: Context) => Promise<unknown>,
  life: () => Promise<string>,
): Promise<string> {
  await assert.rejects(begin(withSilentProvider(context)), isUnavailable);
  const begun = await life();
  await context.pool.query(sql.unsafe`select wake_life(${begun})`);
  context.delivery.messagesCommitted();
  return begun;
}
