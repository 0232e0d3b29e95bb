import type { Context } from '../../context/context.ts';
import type { PaymentProvider } from '../../context/payment-provider.ts';
import { CarnetError } from '../../errors/carnet-error.ts';
import { tracedCalls } from '../../tracing/tracing.ts';
import { createLocalPayments, type LocalPaymentParts } from './local/index.ts';

/** The payment provider of the settings. The SDK of Stripe is loaded where Stripe is the one. */
export async function createPayments(parts: LocalPaymentParts & Pick<Context, 'log'>): Promise<PaymentProvider> {
  const { payments } = parts.config;
  if (payments === undefined) return notConfigured;
  if (payments.provider === 'local') return tracedCalls('payments', createLocalPayments(parts));
  const { createStripePayments } = await import('./stripe/provider.ts');
  return tracedCalls('payments', createStripePayments(payments, parts.log));
}

/** In place of a provider where none is configured: every call throws CarnetError PAYMENTS_NOT_CONFIGURED; a life makes it again. */
const notConfigured = new Proxy({} as PaymentProvider, {
  // Without `then`, since a provider that is awaited would be called as a promise.
  get: (_, name) =>
    name === 'then'
      ? undefined
      : () => Promise.reject(new CarnetError('PAYMENTS_NOT_CONFIGURED', 'This process has no payment provider.')),
});
