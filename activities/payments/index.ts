import { type PaymentProvider, createLocalPayments } from '../../src/billing/index.ts';
import type { Context } from '../../src/context/context.ts';
import { CarnetError } from '../../src/errors/carnet-error.ts';
import { createStripePayments } from './stripe-payments.ts';

/** The payment provider of the settings. */
export function createPayments(context: Context): PaymentProvider {
  const { config, log } = context;
  const { payments } = config;
  if (payments === undefined) return notConfigured;
  return payments.provider === 'stripe' ? createStripePayments(payments, log) : createLocalPayments(context);
}

/** In place of a provider where none is configured: every call throws CarnetError PAYMENTS_NOT_CONFIGURED, and is made again. */
const notConfigured = new Proxy({} as PaymentProvider, {
  get: () => () => Promise.reject(new CarnetError('PAYMENTS_NOT_CONFIGURED', 'This worker has no payment provider.')),
});
