import { z } from 'zod';
import { NotificationSchema } from '../../events/index.ts';
import type { SentWebhook } from '../../http/route.ts';

/** The request to a destination that is a webhook, as the document shows it. */
export const sentNotification: SentWebhook = {
  operation: 'sendNotification',
  summary: 'A notification, to a destination that is a webhook',
  description:
    'Signed after Standard Webhooks with `webhook_secret` of the destination. It comes once, and the same event again where somebody redelivers it: ' +
    'store `webhook-id` before you answer, and refuse one that you have. Any 2xx within ten seconds is delivered.',
  headers: z.object({
    'webhook-id': z.string().meta({ description: 'The id of the event.' }),
    'webhook-timestamp': z.string().meta({ description: 'When it was sent, in seconds.' }),
    'webhook-signature': z
      .string()
      .meta({ description: 'One `v1,…` for each secret that holds, with spaces between them.' }),
    'X-Service-Signature': z
      .string()
      .meta({ description: 'HMAC-SHA256 of the body alone, in hex, for receivers that check nothing else.' }),
  }),
  body: NotificationSchema,
  example: {
    event_type: 'wallet.low_balance',
    severity: 'warning',
    payload: { balance_cents: 975, low_balance_cents: 1_000 },
    timestamp: '2026-11-21T12:00:00.000Z',
  },
};
