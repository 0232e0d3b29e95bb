import { z } from 'zod';
import { text } from '../../fields/text.ts';
import { ChannelTypeSchema } from '../channels/kinds.ts';

/** A URL has 2,048 characters at most, and an address or number fewer. */
const destination = text(1, 2_048).meta({
  description:
    'An e-mail address, a telephone number in E.164 (+15551230000), an https URL on the internet, or the URL of an incoming webhook of Slack, of which answers show the beginning alone.',
});

export const CreateDestinationSchema = z
  .strictObject({ channel_type: ChannelTypeSchema, destination })
  .meta({ id: 'CreateDestination' });
export type CreateDestination = z.infer<typeof CreateDestinationSchema>;

export const VerificationCodeSchema = z
  .object({
    status: z.enum(['waiting', 'sending', 'sent', 'failed', 'unknown']).meta({
      description:
        '`sent`: a webhook answered with 2xx, the provider of SMS or the mail server took it. `unknown`: it may have arrived.',
    }),
    reason: z
      .string()
      .nullable()
      .meta({
        description:
          'Why it was not sent, one word: `expired`, `replaced`, `destination_deleted` or `interrupted`, or one of those that a delivery has; ' +
          'docs/notifications.md lists them.',
      }),
    error: z.string().nullable().meta({ description: 'A sentence about what went wrong with the call.' }),
    requested_at: z.string(),
    expires_at: z.string(),
  })
  .meta({
    id: 'VerificationCode',
    description: 'The outcome of a code; the code itself is in no answer.',
    examples: [
      {
        status: 'waiting',
        reason: null,
        error: null,
        requested_at: '2026-11-21T12:00:00.000Z',
        expires_at: '2026-11-21T12:10:00.000Z',
      },
    ],
  });

export type VerificationCode = z.infer<typeof VerificationCodeSchema>;

const webhook = {
  id: 'dst_01K0000000000000000000000A',
  operator_id: 'op_01K0000000000000000000000A',
  channel_type: 'webhook' as const,
  destination: 'https://hooks.example.com/carnet',
  verified: false,
  paused: false,
  failures_in_row: 0,
  disabled_at: null,
  disabled_reason: null,
  timeouts_in_row: 0,
  slow_since: null,
  held_until: null,
  code: {
    status: 'waiting' as const,
    reason: null,
    error: null,
    requested_at: '2026-11-21T12:00:00.000Z',
    expires_at: '2026-11-21T12:10:00.000Z',
  },
  created_at: '2026-11-21T12:00:00.000Z',
};

export const DestinationSchema = z
  .object({
    id: z.string(),
    operator_id: z.string(),
    channel_type: ChannelTypeSchema,
    destination: z.string(),
    verified: z.boolean().meta({ description: 'Nothing but codes is sent before.' }),
    paused: z.boolean().meta({ description: 'The tier has no deliveries by this channel.' }),
    failures_in_row: z.int(),
    disabled_at: z.string().nullable().meta({ description: 'Nothing is sent since then, until it is enabled.' }),
    disabled_reason: z.string().nullable(),
    timeouts_in_row: z
      .int()
      .meta({ description: 'Calls to it that timed out one after another; an answer ends the row.' }),
    slow_since: z
      .string()
      .nullable()
      .meta({ description: 'It hangs: after three timeouts in a row it has one place at most, until it answers.' }),
    held_until: z
      .string()
      .nullable()
      .meta({ description: 'After six timeouts in a row nothing is sent before; then one call tries it.' }),
    code: VerificationCodeSchema.nullable().meta({
      description: 'The last code, for a day; null where it is verified too',
    }),
    created_at: z.string(),
  })
  .meta({
    id: 'Destination',
    description: 'Where an operator is notified. The secret of a webhook is in no list.',
    examples: [webhook],
  });
export type Destination = z.infer<typeof DestinationSchema>;

const webhookSecret = z.string().meta({
  description:
    'The secret of a webhook, only in this answer; the same request with the same Idempotency-Key shows it again for 24 hours.',
});

export const CreatedDestinationSchema = DestinationSchema.extend({ webhook_secret: webhookSecret.optional() }).meta({
  id: 'CreatedDestination',
  description: 'A new destination; that of a webhook with its secret.',
  examples: [{ ...webhook, webhook_secret: 'whsec_dGhpcyBpcyBhbiBleGFtcGxlLCBub3QgYSBzZWNyZXQ=' }],
});
export type CreatedDestination = z.infer<typeof CreatedDestinationSchema>;

export const RotatedSecretSchema = DestinationSchema.extend({ webhook_secret: webhookSecret }).meta({
  id: 'RotatedSecret',
  description: 'A webhook with its new secret.',
  examples: [{ ...webhook, webhook_secret: 'whsec_dGhpcyBpcyBhbiBleGFtcGxlLCBub3QgYSBzZWNyZXQ=' }],
});
export type RotatedSecret = z.infer<typeof RotatedSecretSchema>;

export const SentCodeSchema = z
  .object({
    sent: z.literal(true).meta({ description: 'It is on its way.' }),
    expires_at: z.string().meta({ description: 'Until then the code counts.' }),
  })
  .meta({ id: 'SentCode', examples: [{ sent: true, expires_at: '2026-11-21T12:10:00.000Z' }] });
export type SentCode = z.infer<typeof SentCodeSchema>;

export const VerifyDestinationSchema = z
  .strictObject({ code: text(1, 100).meta({ examples: ['123456'] }) })
  .meta({ id: 'VerifyDestination' });

export const VerifiedSchema = z.object({ verified: z.literal(true) }).meta({ id: 'Verified' });
export type Verified = z.infer<typeof VerifiedSchema>;
