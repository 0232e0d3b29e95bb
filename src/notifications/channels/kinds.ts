import { z } from 'zod';

/** Each has its folder beside this file, and its row in `registry.ts`. */
export const ChannelTypeSchema = z.enum(['email', 'sms', 'webhook', 'slack']);
export type ChannelType = z.infer<typeof ChannelTypeSchema>;
