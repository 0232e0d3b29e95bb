import type { PaymentSettings } from '../../context/config.ts';
import type { Context } from '../../context/context.ts';
import { assertThat, CarnetError } from '../../errors/carnet-error.ts';

/** The settings of the payment provider. @throws CarnetError PAYMENTS_NOT_CONFIGURED */
export function paymentSettings({ config: { payments } }: Pick<Context, 'config'>): PaymentSettings {
  assertThat(payments !== undefined, () => {
    const detail =
      'No payment provider is configured here: set STRIPE_SECRET_KEY, or LOCAL_PROVIDERS=true for a trial.';
    return new CarnetError('PAYMENTS_NOT_CONFIGURED', detail);
  });
  return payments;
}
