import { z } from 'zod';
import { EventStatusSchema, VerdictSchema } from '../events/schema.ts';

const header = (description: string) => z.string().optional().meta({ description });

/** The first of these that a request has decides: Standard Webhooks, its older names, then a hex HMAC of the body. */
export const SignatureHeadersSchema = z.object({
  'webhook-id': header('Standard Webhooks: the id of the event, without a full stop'),
  'webhook-timestamp': header('Standard Webhooks: seconds since 1970, five minutes old at most'),
  'webhook-signature': header(
    'Standard Webhooks: `v1,` and base64 of the HMAC-SHA256 of `<id>.<timestamp>.<body>`; several stand between blanks',
  ),
  'svix-id': header('As `webhook-id`, of Svix and Resend; for `mail_provider`'),
  'svix-timestamp': header('As `webhook-timestamp`, of Svix and Resend; for `mail_provider`'),
  'svix-signature': header('As `webhook-signature`, of Svix and Resend; for `mail_provider`'),
  'x-service-signature': header('The HMAC-SHA256 of the body in hex, keyed with the whole secret'),
  'x-signature': header('As `x-service-signature`'),
  'x-hub-signature-256': header('As `x-service-signature`, with `sha256=` before it, of GitHub and others'),
});

export const ReceivedEventSchema = z
  .object({
    event_id: z.string(),
    duplicate: z.boolean().meta({ description: 'It was received before; nothing is done a second time.' }),
    status: EventStatusSchema,
    verdict: VerdictSchema,
    forwarded: z.boolean(),
  })
  .meta({
    id: 'ReceivedInboundEvent',
    description: 'The outcome of a request of a provider.',
    examples: [
      {
        event_id: 'iev_01K0000000000000000000000A',
        duplicate: false,
        status: 'forwarded',
        verdict: { verdict: 'clean', severity: 'none', findings: [] },
        forwarded: true,
      },
    ],
  });
export type ReceivedEvent = z.input<typeof ReceivedEventSchema>;
