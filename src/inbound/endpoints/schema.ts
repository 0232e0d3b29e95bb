import { z } from 'zod';
import { InboundProviderSchema } from '../../fields/inbound-providers.ts';
import { withSomeField } from '../../fields/objects.ts';
import { name, text } from '../../fields/text.ts';
import { hasUsableKey } from '../../webhooks/secrets.ts';

/** From the mildest to the gravest. */
export const BlockAtSchema = z.enum(['low', 'medium', 'high', 'critical']);
export type BlockAt = z.infer<typeof BlockAtSchema>;

const mode = z.enum(['enforce', 'shadow']);

/** The policy of an endpoint that says nothing else. */
export const STANDARD_POLICY = { block_at: 'high', mode: 'enforce' } as const;

export const PolicySchema = z
  .object({
    block_at: BlockAtSchema.meta({ description: 'An event of this severity or a graver one is not forwarded.' }),
    mode: mode.meta({ description: '`shadow`: it is forwarded all the same, with its verdict.' }),
  })
  .meta({ id: 'InboundPolicy', examples: [STANDARD_POLICY] });
export type Policy = z.infer<typeof PolicySchema>;

const count = z.int();
const CountersSchema = z
  .object({
    received: count.meta({ description: 'Events, each once' }),
    rejected: count.meta({ description: 'Requests that were refused, of which nothing is kept' }),
    duplicates: count,
    clean: count,
    suspicious: count,
    malicious: count,
    forwarded: count,
    blocked: count.meta({ description: 'Held by the policy' }),
    forward_failed: count,
    marked_harmless: count.meta({ description: 'Findings that a person has marked as harmless, each once' }),
    last_event_at: z.string().nullable(),
  })
  .meta({ id: 'InboundCounters' });

const example = {
  id: 'inw_01K0000000000000000000000A',
  operator_id: 'op_01K0000000000000000000000A',
  agent_id: 'ag_01K0000000000000000000000A',
  partner_grant_id: null,
  provider: 'mail_provider' as const,
  name: 'support mail',
  slug: 'k3v7q2ma5xw4tj6hzsn2c7dfryb4gpe5',
  receiver_url: 'https://carnet.example.com/v1/inbound/mail_provider/k3v7q2ma5xw4tj6hzsn2c7dfryb4gpe5',
  forward_url: 'https://agents.example.com/mail',
  policy: STANDARD_POLICY,
  status: 'active' as const,
  timeouts_in_row: 0,
  slow_since: null,
  held_until: null,
  old_secret_until: null,
  revoked_at: null,
  created_at: '2026-11-21T12:00:00.000Z',
  counters: {
    received: 0,
    rejected: 0,
    duplicates: 0,
    clean: 0,
    suspicious: 0,
    malicious: 0,
    forwarded: 0,
    blocked: 0,
    forward_failed: 0,
    marked_harmless: 0,
    last_event_at: null,
  },
};

export const EndpointSchema = z
  .object({
    id: z.string(),
    operator_id: z.string(),
    agent_id: z.string(),
    partner_grant_id: z
      .string()
      .nullable()
      .meta({ description: 'The partner whose key made it; null: the operator itself' }),
    provider: InboundProviderSchema,
    name: z.string().nullable(),
    slug: z.string(),
    receiver_url: z.string().meta({ description: 'Where the provider sends its events to' }),
    forward_url: z.string().nullable().meta({ description: 'null: events are scanned and recorded' }),
    policy: PolicySchema,
    status: z.enum(['active', 'revoked']),
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
    old_secret_until: z
      .string()
      .nullable()
      .meta({ description: 'Until then the secret before the current one verifies too.' }),
    revoked_at: z.string().nullable(),
    created_at: z.string(),
    counters: CountersSchema,
  })
  .meta({
    id: 'InboundEndpoint',
    description: 'Takes what one provider sends for one agent. Its secret is in no list.',
    examples: [example],
  });
export type Endpoint = z.infer<typeof EndpointSchema>;

const secret = z.string().meta({
  description: 'Shown only once; the same request with the same Idempotency-Key shows it again for 24 hours.',
});
const exampleSecret = 'whsec_dGhpcyBpcyBhbiBleGFtcGxlLCBub3QgYSBzZWNyZXQ=';

export const CreatedEndpointSchema = EndpointSchema.extend({ secret }).meta({
  id: 'CreatedInboundEndpoint',
  description: 'A new endpoint with its secret.',
  examples: [{ ...example, secret: exampleSecret }],
});
export type CreatedEndpoint = z.infer<typeof CreatedEndpointSchema>;

/** A URL has 2,048 characters at most. */
const forwardUrl = text(1, 2_048).nullable().meta({
  description: 'An https URL on the internet that verified events are sent to; null: they are scanned and recorded.',
});

/** 128 bits, the least that a key of an HMAC should have. */
const MIN_KEY_BYTES = 16;

const providerSecret = z
  .string()
  .regex(/^[!-~]{16,200}$/, 'must be 16 to 200 printable ASCII characters without blanks')
  .refine(
    (value) => hasUsableKey(value, MIN_KEY_BYTES),
    `must have base64 of at least ${MIN_KEY_BYTES} bytes behind whsec_`,
  )
  .optional()
  .meta({
    description:
      'The signing key that the provider made, as Mailgun and Resend do; absent: one is made here. Only one with `whsec_`, and base64 of at ' +
      `least ${MIN_KEY_BYTES} bytes behind it, keys Standard Webhooks and Svix.`,
  });

export const CreateEndpointSchema = z
  .strictObject({
    provider: InboundProviderSchema,
    agent_id: z.string(),
    forward_url: forwardUrl.default(null),
    name: name.nullable().default(null),
    policy: z
      .strictObject({
        block_at: BlockAtSchema.default(STANDARD_POLICY.block_at),
        mode: mode.default(STANDARD_POLICY.mode),
      })
      .default(STANDARD_POLICY),
    secret: providerSecret,
  })
  .meta({ id: 'CreateInboundEndpoint' });
export type CreateEndpoint = z.infer<typeof CreateEndpointSchema>;

export const UpdateEndpointSchema = withSomeField(
  z.strictObject({
    forward_url: forwardUrl.optional(),
    name: name.nullable().optional(),
    policy: withSomeField(z.strictObject({ block_at: BlockAtSchema.optional(), mode: mode.optional() })).optional(),
  }),
).meta({
  id: 'UpdateInboundEndpoint',
  description: 'Fields that are absent stay; null clears the ones that may be null.',
});
export type UpdateEndpoint = z.infer<typeof UpdateEndpointSchema>;

export const SampleKindSchema = z.enum(['harmless', 'hostile']);
export type SampleKind = z.infer<typeof SampleKindSchema>;

export const MakeSampleSchema = z.strictObject({ kind: SampleKindSchema }).meta({ id: 'MakeInboundSample' });

export const SampleSchema = z
  .object({
    headers: z
      .record(z.string(), z.string())
      .meta({ description: 'With the signatures, which verify for five minutes' }),
    body: z.string().meta({ description: 'The bytes that are signed' }),
    curl: z.string().meta({ description: 'The command that sends it, for a shell' }),
  })
  .meta({
    id: 'InboundSample',
    description: 'An event as the provider of an endpoint would send it. Sending it twice is a duplicate.',
    examples: [
      {
        headers: { 'Content-Type': 'application/json', 'X-Service-Signature': '0'.repeat(64) },
        body: '{"event_id":"sample_01K0000000000000000000000A"}',
        curl: `curl -X POST '${example.receiver_url}' -H 'Content-Type: application/json' …`,
      },
    ],
  });
export type Sample = z.infer<typeof SampleSchema>;

export const RotateEndpointSecretSchema = z
  .strictObject({
    immediate: z
      .boolean()
      .default(false)
      .meta({ description: 'The secret before ends immediately; else it verifies for another 24 hours.' }),
    secret: providerSecret,
  })
  .meta({ id: 'RotateInboundSecret' });

export type RotateEndpointSecret = z.infer<typeof RotateEndpointSecretSchema>;

export const RotatedEndpointSecretSchema = z
  .object({ id: z.string(), secret })
  .meta({ id: 'RotatedInboundSecret', examples: [{ id: example.id, secret: exampleSecret }] });
export type RotatedEndpointSecret = z.infer<typeof RotatedEndpointSecretSchema>;
