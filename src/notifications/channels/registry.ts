import type { Channel } from './channel.ts';
import { emailChannel } from './email/channel.ts';
import type { ChannelType } from './kinds.ts';
import { slackChannel } from './slack/channel.ts';
import { smsChannel } from './sms/channel.ts';
import { webhookChannel } from './webhook/channel.ts';

/** Every channel, by its kind. */
export const channels: Readonly<Record<ChannelType, Channel>> = {
  email: emailChannel,
  sms: smsChannel,
  webhook: webhookChannel,
  slack: slackChannel,
};
