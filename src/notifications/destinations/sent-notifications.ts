import { z } from 'zod';
import { notificationBodies } from '../../events/index.ts';
import type { SentWebhook } from '../../http/route.ts';

const headers = z.object({
  'webhook-id': z.string().meta({ description: 'The id of the event; of a code `vcd_…`.' }),
  'webhook-timestamp': z.string().meta({ description: 'When it was sent, in seconds.' }),
  'webhook-signature': z
    .string()
    .meta({ description: 'One `v1,…` for each secret that holds, with spaces between them.' }),
  'X-Service-Signature': z
    .string()
    .meta({ description: 'HMAC-SHA256 of the body alone, in hex, for receivers that check nothing else.' }),
});

/** The requests to a destination that is a webhook, one a kind of event, as the document shows them. */
export const sentNotifications: readonly SentWebhook[] = notificationBodies().map(
  ({ type, name, description, body, example }) => ({
    name: type,
    operation: `send${name}`,
    summary: `${type}, to a destination that is a webhook`,
    description:
      `${description} Signed after Standard Webhooks with \`webhook_secret\` of the destination. It comes once, and the same event again where ` +
      'somebody redelivers it: store `webhook-id` before you answer, and refuse one that you have. Any 2xx within ten seconds is delivered.',
    headers,
    body,
    example,
  }),
);
