import { z } from 'zod';
import { cents } from '../fields/cents.ts';
import { jsonObject } from '../fields/objects.ts';
import { text } from '../fields/text.ts';

export const InvocationStatusSchema = z.enum(['pending', 'processing', 'completed', 'failed', 'expired']);
export type InvocationStatus = z.infer<typeof InvocationStatusSchema>;

const id = text(1, 128);
const time = z.iso.datetime();
const attempt = z
  .int()
  .min(0)
  .max(2_147_483_647)
  .describe('The attempt that you expect to be the current one; another is 409 LEASE_LOST.');

/** The range of a lease, in seconds. Workflows and documents must agree with it. */
export const MIN_LEASE_SECONDS = 5;
export const MAX_LEASE_SECONDS = 3_600;
/** A fraction is kept as it was sent. */
const leaseSeconds = z.number().min(MIN_LEASE_SECONDS).max(MAX_LEASE_SECONDS);

/**
 * Values in an input or output at most, as `assertFewValues` counts them: sixteen embeddings of 3,072 numbers fit, or 6,000 members. They take
 * 18 ms at most to parse, check and hash (decision C22).
 */
export const MAX_PAYLOAD_VALUES = 50_000;

const InvocationErrorSchema = z.strictObject({ code: text(1, 128), message: text(1, 2_000) });

/** An invocation as lists show it: input and output would make them megabytes large. */
export const InvocationSummarySchema = z
  .object({
    id: z.string(),
    skill_id: z.string(),
    skill_version: z.string(),
    skill_revision: z.int().describe('The revision whose schemas hold for input and output.'),
    status: InvocationStatusSchema,
    execution_mode: z.enum(['open', 'sealed', 'source']),
    input_hash: z.string().describe('SHA-256 of the canonical JSON (RFC 8785) of the input, in hex.'),
    output_hash: z.string().nullable(),
    error: z.object({ code: z.string(), message: z.string() }).meta({ id: 'InvocationFailure' }).nullable(),
    consumer_operator_id: z.string(),
    provider_operator_id: z.string(),
    agent_id: z.string().nullable(),
    passport_id: z.string().nullable().describe('The passport it was invoked with. Null for the provider.'),
    mission_id: z.string().nullable().describe('The mission it is for. Null for the provider.'),
    price_cents: z.int().describe('Held when invoked, captured when completed, else given back. US cents.'),
    compute_bound_cents: z
      .int()
      .describe(
        'Held beside the price where the service executes the skill: the most that its steps can cost. US cents.',
      ),
    compute_cents: z
      .int()
      .describe(
        'The cost of the steps, rounded up to a cent, as budgets count it; the wallet pays once microcents have gathered to a cent, and the statement has each.',
      ),
    self_invocation: z.boolean().describe('A test run of your own skill: free and not counted.'),
    trial: z.boolean().describe('Its owner tries it, whether it is public or not.'),
    attempt: z.int().describe('How many times it was claimed.'),
    lease_seconds: z.number().nullable(),
    lease_until: time.nullable().describe('Until when the claim holds without a heartbeat; null: until expires_at.'),
    created_at: time,
    claimed_at: time.nullable(),
    completed_at: time.nullable().describe('When it ended, whichever way.'),
    expires_at: time,
    contents_purged_at: time
      .nullable()
      .describe('When input and output were purged: both are null since then, and their hashes stay.'),
    duration_ms: z.int().nullable().describe('From the last claim to the end.'),
  })
  .meta({ id: 'InvocationSummary', description: 'An invocation without its input and output.' });
export type InvocationSummary = z.infer<typeof InvocationSummarySchema>;

export const OverseenInvocationSchema = InvocationSummarySchema.omit({
  input_hash: true,
  output_hash: true,
  error: true,
})
  .extend({ error_code: z.string().nullable().describe('Why it failed, without the message of its provider.') })
  .meta({
    id: 'OverseenInvocation',
    description: 'An invocation as the platform sees it: state, times, ids and money.',
  });
export type OverseenInvocation = z.infer<typeof OverseenInvocationSchema>;

export const InvocationSchema = InvocationSummarySchema.extend({
  input: jsonObject
    .nullable()
    .describe(
      'Null for the provider where the service executes the skill: it is between its consumer and the service. Null for both once it was purged.',
    ),
  output: jsonObject
    .nullable()
    .describe('Null until it is completed, and once it was purged; for the provider as `input`.'),
}).meta({
  id: 'Invocation',
  description: 'One piece of work ordered from a skill.',
  examples: [
    {
      id: 'inv_01K9ZC4T0M3Q8V6W2X5Y7ZABCD',
      skill_id: 'skl_01K9ZC4T0M3Q8V6W2X5Y7ZABCE',
      skill_version: '1.0.0',
      skill_revision: 1,
      status: 'pending',
      execution_mode: 'open',
      input: { text: 'hello' },
      input_hash: '2f0e8b4c4e2b1a7a0e4b9d7e1c7ad1a5cbe3a1a24ba0a96a54e3c0bb0a3d4c11',
      output: null,
      output_hash: null,
      error: null,
      consumer_operator_id: 'op_01K9ZC4T0M3Q8V6W2X5Y7ZABCF',
      provider_operator_id: 'op_01K9ZC4T0M3Q8V6W2X5Y7ZABCG',
      agent_id: null,
      passport_id: null,
      mission_id: null,
      price_cents: 25,
      compute_bound_cents: 0,
      compute_cents: 0,
      self_invocation: false,
      trial: false,
      attempt: 0,
      lease_seconds: null,
      lease_until: null,
      created_at: '2026-11-21T12:00:00.000Z',
      claimed_at: null,
      completed_at: null,
      expires_at: '2026-11-22T12:00:00.000Z',
      contents_purged_at: null,
      duration_ms: null,
    },
  ],
});
export type Invocation = z.infer<typeof InvocationSchema>;

/** A step of an execution by the service, as consumer and provider see it. */
const ExecutedStepSchema = z
  .object({
    index: z.int().describe('Counts from 0.'),
    kind: z.enum(['script', 'llm']),
    label: z.string().nullable().describe('For callers who may see the code.'),
    status: z.enum(['running', 'done', 'failed']),
    duration_ms: z.int().nullable(),
    charged_microcents: z.int().describe('Once the invocation has ended.'),
    tokens: z.int().nullable().describe('That a model read and wrote.'),
    error: z.object({ code: z.string(), message: z.string() }).nullable(),
    console: z
      .string()
      .nullable()
      .describe(
        'The output of a failed script to its console, for the owner of the skill; for a run that is not theirs the kind of the exception and its lines.',
      ),
  })
  .meta({ id: 'ExecutedStep' });
export type ExecutedStep = z.infer<typeof ExecutedStepSchema>;

/** As it is read by its id. */
export const EvidencedInvocationSchema = InvocationSchema.extend({
  claim_ids: z
    .array(z.string())
    .describe('The claims of the service about it: that it was submitted, and how it ended.'),
  steps: z.array(ExecutedStepSchema).nullable().describe('Null where its provider does the work.'),
}).meta({ id: 'EvidencedInvocation', description: 'An invocation, with the claims that are evidence of it.' });

export const InvokeBodySchema = z
  .strictObject({
    input: jsonObject,
    agent_id: id.optional(),
    passport_id: id.optional().describe('A passport of yours (its jti); its agent invokes.'),
    mission_id: id
      .optional()
      .describe(
        'The mission it is for, an active one of yours. Left out: that of the passport, if it names exactly one.',
      ),
    ttl_seconds: z.number().min(60).max(604_800).optional(),
    max_price_cents: cents.optional().describe('Refuse instead of paying more than this (409 PRICE_CHANGED).'),
  })
  .meta({ id: 'InvokeSkill' });
export type InvokeBody = z.infer<typeof InvokeBodySchema>;

export const ClaimBodySchema = z
  .strictObject({
    lease_seconds: leaseSeconds.optional().describe('Without a heartbeat within this time it returns to pending.'),
    attempt: attempt.optional(),
  })
  .meta({ id: 'ClaimInvocation' });
export type ClaimBody = z.infer<typeof ClaimBodySchema>;

export const CompleteBodySchema = z
  .strictObject({ output: jsonObject, attempt: attempt.optional() })
  .meta({ id: 'CompleteInvocation' });
export type CompleteBody = z.infer<typeof CompleteBodySchema>;

export const FailBodySchema = z
  .strictObject({ error: InvocationErrorSchema, attempt: attempt.optional() })
  .meta({ id: 'FailInvocation' });
export type FailBody = z.infer<typeof FailBodySchema>;

export const HeartbeatBodySchema = z
  .strictObject({
    lease_seconds: leaseSeconds.optional().describe('Left out: as long as the claim requested.'),
    attempt: attempt.optional(),
  })
  .meta({ id: 'HeartbeatInvocation' });
export type HeartbeatBody = z.infer<typeof HeartbeatBodySchema>;
