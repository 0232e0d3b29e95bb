import type { Context } from '../../src/context.ts';
import { createLocalPayments } from '../../src/billing/local-payments/index.ts';
import type { PaymentProvider } from '../../src/billing/payment-provider.ts';
import { CarnetError } from '../../src/http/errors.ts';

/**
 * The payment provider of the settings.
 * @throws CarnetError PAYMENTS_NOT_CONFIGURED where there is none.
 */
export function createPayments(context: Context): PaymentProvider {
  const { payments } = context.config;
  if (payments === undefined) throw new CarnetError('PAYMENTS_NOT_CONFIGURED', 'This worker has no payment provider.');
  return createLocalPayments(context);
}
