import type { Context } from '../../context/context.ts';
import { assertThat, CarnetError } from '../../errors/carnet-error.ts';
import type { Tier } from '../../fields/tiers.ts';
import type { ChannelType } from '../channels/kinds.ts';
import { channels } from '../channels/registry.ts';

/**
 * Whether an operator of this tier may have destinations of a channel; the SQL function is_destination_paused says the same of those that it has.
 * @throws CarnetError TIER_LIMIT_EXCEEDED for channels that free lacks; SMS_NOT_CONFIGURED where nobody sends SMS
 */
export function assertChannel({ config }: Pick<Context, 'config'>, tier: Tier, type: ChannelType): void {
  const channel = channels[type];
  assertThat(
    !channel.isPaid || tier !== 'free',
    () =>
      new CarnetError(
        'TIER_LIMIT_EXCEEDED',
        'The tier free notifies by e-mail alone; change to a larger tier for SMS, webhooks and Slack.',
      ),
  );
  channel.assertConfigured(config);
}
