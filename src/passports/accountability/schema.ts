import { z } from 'zod';
import { AgentSchema } from '../../accounts/index.ts';
import { text } from '../../fields/text.ts';
import { queryIntegerOr } from '../../http/query.ts';
import { PassportSchema } from '../schema.ts';

/** Most names in one list of a report: a report is a summary, and each name is looked up. */
const MAX_NAMES = 1_000;
const name = text(1, 128);
const names = z.array(name).max(MAX_NAMES, `must have at most ${MAX_NAMES} items`);

const ToolCallSchema = z
  .strictObject({ service: name, method: text(1, 128), target: text(0, 2_000).optional() })
  .meta({ id: 'ToolCall' });

const reportFields = {
  services_used: names.meta({ description: 'Names or ids of the services that were used since the last report' }),
  tool_calls: z.array(ToolCallSchema).max(MAX_NAMES, `must have at most ${MAX_NAMES} items`).default([]),
  actions_count: z.number().min(0).max(Number.MAX_SAFE_INTEGER),
  delegated_to: names.default([]).meta({ description: 'Agents that were given work' }),
};

/** Body of POST /v1/passports/:jti/checkpoint. */
export const CheckpointBodySchema = z
  .strictObject({ ...reportFields, summary: text(0, 1_000).optional() })
  .meta({ id: 'CheckpointReport' });

/** Body of POST /v1/passports/:jti/checkout: the same with a longer summary. */
export const CheckoutBodySchema = z
  .strictObject({ ...reportFields, summary: text(0, 2_000).optional() })
  .meta({ id: 'CheckoutReport' });
export type ReportBody = z.output<typeof CheckoutBodySchema>;

const FlagType = z.enum([
  'undeclared_service',
  'scope_violation',
  'undeclared_delegation',
  'late_checkpoint',
  'missed_checkpoint',
  'duration_exceeded',
  'missed_checkout',
]);

export const FlagSchema = z
  .object({
    type: FlagType,
    severity: z.enum(['warning', 'critical']),
    message: z.string(),
    raised_at: z.string(),
    jti: z.string(),
  })
  .meta({ id: 'PassportFlag', description: 'A fault that was found in how a passport was used.' });

const reportedFields = {
  services_used: z.array(z.string()),
  tool_calls: z.array(
    z
      .object({ service: z.string(), method: z.string(), target: z.string().optional() })
      .meta({ id: 'ReportedToolCall' }),
  ),
  actions_count: z.number(),
  delegated_to: z.array(z.string()),
  summary: z.string().nullable(),
  submitted_at: z.string(),
  claim_id: z.string().meta({ description: 'The checkpoint_approval claim that records it' }),
};

export const CheckpointSchema = z
  .object({ id: z.string(), jti: z.string(), sequence: z.int(), ...reportedFields })
  .meta({ id: 'Checkpoint' });

export const CheckoutSchema = z
  .object({
    id: z.string(),
    jti: z.string(),
    late: z.boolean().meta({ description: 'It came after it had been flagged as missed' }),
    ...reportedFields,
  })
  .meta({ id: 'Checkout' });

export const ReviewStatus = z.enum(['pending', 'approved', 'blocked']);

const Risk = z
  .enum(['clean', 'flagged', 'critical'])
  .meta({ description: 'While a review of risk critical is not approved, the agent gets no new passports' });

export const ReviewSchema = z
  .object({
    checkout_id: z.string(),
    jti: z.string(),
    agent_id: z.string(),
    status: ReviewStatus,
    risk: Risk,
    missed: z.boolean().meta({ description: 'The checkout did not come in time' }),
    holds: z.boolean().meta({
      description:
        'Whether it holds the agent: it is critical and not approved, and nobody has unblocked the agent since it was blocked',
    }),
    flags: z.array(FlagSchema),
    notes: z.string().nullable(),
    created_at: z.string(),
    decided_at: z.string().nullable(),
    digest: z
      .string()
      .meta({ description: 'A hash of risk, flags, report and decision; another one when any of them has come since' }),
  })
  .meta({ id: 'PassportReview' });
export type Review = z.output<typeof ReviewSchema>;

export const CheckpointAnswerSchema = z
  .object({
    checkpoint: CheckpointSchema,
    flags: z
      .array(FlagSchema)
      .meta({ description: 'Raised since the previous checkpoint, by this one or by a deadline' }),
    next_checkpoint_due_at: z
      .string()
      .nullable()
      .meta({ description: 'A checkpoint may still come within the grace after it; null: none is due' }),
  })
  .meta({ id: 'CheckpointAnswer' });
export type CheckpointAnswer = z.output<typeof CheckpointAnswerSchema>;

export const CheckoutAnswerSchema = z
  .object({
    checkout: CheckoutSchema,
    flags: z.array(FlagSchema).meta({ description: 'All that were raised' }),
    review: z
      .object({ checkout_id: z.string(), status: ReviewStatus, risk: Risk })
      .nullable()
      .meta({ description: 'null where nobody reviews (accountability logged)' }),
  })
  .meta({ id: 'CheckoutAnswer' });
export type CheckoutAnswer = z.output<typeof CheckoutAnswerSchema>;

/** Answer of GET /v1/passports/:jti/report. */
export const AccountabilityReportSchema = z
  .object({
    passport: PassportSchema,
    checkpoints: z
      .array(CheckpointSchema)
      .meta({ description: 'The checkpoints of the passport and all its refreshes' }),
    checkout: CheckoutSchema.nullable(),
    flags: z.array(FlagSchema),
    review: ReviewSchema.nullable(),
    chain: z.array(z.string()).meta({ description: 'The passports it was delegated from, the root first' }),
  })
  .meta({ id: 'AccountabilityReport' });
export type AccountabilityReport = z.output<typeof AccountabilityReportSchema>;

/** Query of GET /v1/passports/reviews; pages are numbered from 1. */
export const ReviewsQuerySchema = z.object({
  status: ReviewStatus.default('pending').meta({ description: 'Left out: those that wait for a decision' }),
  page: queryIntegerOr({ standard: 1, minimum: 1, maximum: 1_000_000 }),
  limit: queryIntegerOr({ standard: 20, minimum: 1, maximum: 100 }),
});
export type ReviewsQuery = z.output<typeof ReviewsQuerySchema>;

export const ReviewsSchema = z
  .object({ reviews: z.array(ReviewSchema), page: z.int(), limit: z.int(), total: z.int(), has_more: z.boolean() })
  .meta({ id: 'PassportReviews' });
export type Reviews = z.output<typeof ReviewsSchema>;

/** Body of POST /v1/passports/reviews/:checkoutId/decide. */
export const DecideReviewSchema = z
  .strictObject({
    decision: z.enum(['approved', 'blocked']),
    notes: text(0, 1_000).optional(),
    block_future: z.boolean().default(false).meta({
      description:
        'With blocked, also where it was decided as blocked before: revoke the passport with its refreshes and delegations, and block the agent until a person unblocks it; with approved it means nothing',
    }),
    seen: z.string().max(64).optional().meta({
      description:
        'The digest of the review that you looked at; where a report, flag or decision has come since, this is 409 REVIEW_CHANGED',
    }),
  })
  .meta({ id: 'DecideReview' });
export type DecideReview = z.output<typeof DecideReviewSchema>;

/** Body of POST /v1/agents/:id/block. */
export const BlockAgentSchema = z
  .strictObject({
    notes: text(0, 1_000).optional().meta({ description: 'The reason, for those who may unblock the agent' }),
  })
  .meta({ id: 'BlockAgent' });
export type BlockAgent = z.output<typeof BlockAgentSchema>;
/** Answer of POST /v1/agents/:id/block. */
export const BlockedAgentSchema = AgentSchema;

export const DecisionSchema = z
  .object({
    review: ReviewSchema,
    revoked_count: z.int().meta({ description: 'Passports that the decision revoked' }),
    agent_status: z.enum(['active', 'blocked', 'disabled']),
  })
  .meta({ id: 'ReviewDecision' });
export type Decision = z.output<typeof DecisionSchema>;
