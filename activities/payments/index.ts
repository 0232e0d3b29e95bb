import { createLocalPayments } from '../../src/billing/payments/local/index.ts';
import type { PaymentProvider } from '../../src/billing/payments/provider.ts';
import type { Context } from '../../src/context/context.ts';
import { CarnetError } from '../../src/errors/carnet-error.ts';
import { createStripePayments } from './stripe-payments.ts';

/** One a context: the SDK keeps connections open. */
const made = new WeakMap<Context, PaymentProvider>();

/**
 * The payment provider of the settings.
 * @throws CarnetError PAYMENTS_NOT_CONFIGURED where there is none.
 */
export function createPayments(context: Context): PaymentProvider {
  const known = made.get(context);
  if (known !== undefined) return known;
  const payments = makePayments(context);
  made.set(context, payments);
  return payments;
}

function makePayments(context: Context): PaymentProvider {
  const { config, log } = context;
  const { payments } = config;
  if (payments === undefined) throw new CarnetError('PAYMENTS_NOT_CONFIGURED', 'This worker has no payment provider.');
  return payments.provider === 'stripe' ? createStripePayments(payments, config, log) : createLocalPayments(context);
}
