import type { Context } from '../../context/context.ts';
import { assertThat, CarnetError } from '../../errors/carnet-error.ts';
import type { Tier } from '../../fields/tiers.ts';
import type { ChannelType } from './schema.ts';

/**
 * Whether an operator of this tier may have destinations of a channel; the SQL function is_destination_paused says the same of those that it has.
 * @throws CarnetError TIER_LIMIT_EXCEEDED for SMS and webhooks on free; SMS_NOT_CONFIGURED where nobody sends SMS
 */
export function assertChannel({ config }: Pick<Context, 'config'>, tier: Tier, channel: ChannelType): void {
  if (channel === 'email') return;
  assertThat(
    tier !== 'free',
    () =>
      new CarnetError(
        'TIER_LIMIT_EXCEEDED',
        'The tier free notifies by e-mail alone; change to a larger tier for SMS and webhooks.',
      ),
  );
  assertThat(
    channel !== 'sms' || config.sms !== undefined,
    () =>
      new CarnetError(
        'SMS_NOT_CONFIGURED',
        'This service sends no SMS: TWILIO_ACCOUNT_SID is not set. Use e-mail or a webhook.',
      ),
  );
}
