import { z } from 'zod';
import { cents } from '../fields/cents.ts';
import { jsonObject, withSomeField } from '../fields/objects.ts';
import { text, name as nameText } from '../fields/text.ts';
import {
  codeFields,
  dependencyNames,
  executionFields,
  isAnsweredBySeller,
  singleFieldFaults,
  singleScriptFieldsBesideSteps,
} from './skill-code.ts';
import { semver, tags } from './tags-and-semver.ts';

export const SkillStatus = z.enum(['active', 'suspended', 'unlisted', 'pending_review']);
export type SkillStatus = z.infer<typeof SkillStatus>;

export const TrustLevel = z.enum(['L0', 'L1', 'L2']);
export type TrustLevel = z.infer<typeof TrustLevel>;

export const ReviewStatus = z.enum(['exempt', 'pending', 'approved', 'rejected', 'taken_down']);
export type ReviewStatus = z.infer<typeof ReviewStatus>;

const name = z
  .string()
  .regex(
    /^[a-z0-9](?:[a-z0-9-]{0,62}[a-z0-9])$/,
    'must be 2 to 64 lower-case letters, digits and hyphens, and neither begin nor end with a hyphen',
  );
const description = text(1, 1_000);
const jsonSchema = jsonObject.meta({
  description: 'A JSON Schema, draft 2020-12 or draft-07; see the limits in the documentation.',
});
const requiredCredentials = z
  .array(z.strictObject({ provider: nameText, scopes: z.array(nameText).max(100) }).meta({ id: 'RequiredCredential' }))
  .max(50);
/** A hundred skills of a list, with all their credentials, are a few pages. */
const MAX_CREDENTIALS_BYTES = 16_384;
const sellerCredentialLimit = z
  .strictObject({
    max_calls: z.number().min(0).optional(),
    max_cost_cents: z.number().min(0).optional(),
  })
  .meta({ id: 'SellerCredentialLimit' });

/** POST /v1/skills */
export const PublishSkillSchema = z
  .strictObject({
    name,
    description,
    version: semver,
    input_schema: jsonSchema,
    output_schema: jsonSchema,
    trust_level_required: TrustLevel,
    tags: tags.default([]),
    price_per_invocation: cents.default(0),
    agent_id: z.string().optional(),
    execution_mode: z.enum(['open', 'sealed', 'source']).default('open'),
    credential_mode: z.enum(['none', 'buyer_provides', 'seller_provides', 'both']).default('none'),
    required_credentials: requiredCredentials
      .refine(
        (given) => Buffer.byteLength(JSON.stringify(given)) <= MAX_CREDENTIALS_BYTES,
        `must have at most ${MAX_CREDENTIALS_BYTES} bytes of JSON`,
      )
      .default([]),
    seller_credential_limit: sellerCredentialLimit.optional().meta({
      description:
        'The limits of a skill that is not open and has credential_mode seller_provides or both: required, with one of the two at least.',
    }),
    accepts_requests: z.boolean().default(true),
    ...executionFields,
  })
  .superRefine((body, faults) => {
    for (const field of singleScriptFieldsBesideSteps(body)) {
      faults.addIssue({
        code: 'custom',
        path: [field],
        message: 'cannot stand beside execution_steps; put it into a step, or leave execution_steps out',
      });
    }
  })
  .superRefine(({ execution_mode, dependencies }, faults) => {
    // An open skill may show what it needs; what the service executes has the standard library of its runtime (docs/sandbox.md).
    if (execution_mode === 'open') return;
    for (const dependency of dependencyNames(dependencies)) {
      const shown = JSON.stringify(dependency.slice(0, 100));
      faults.addIssue({
        code: 'custom',
        path: ['dependencies'],
        message: `names ${shown}, which no runtime of the service carries: scripts have the standard library alone; leave it out`,
      });
    }
  })
  .superRefine((body, faults) => {
    if (body.execution_mode === 'open') return;
    for (const { field, message } of singleFieldFaults(body))
      faults.addIssue({ code: 'custom', path: [field], message });
  })
  .superRefine((body, faults) => {
    const { max_calls: calls, max_cost_cents: cost } = body.seller_credential_limit ?? {};
    if (!isAnsweredBySeller(body) || calls !== undefined || cost !== undefined) return;
    faults.addIssue({
      code: 'custom',
      path: ['seller_credential_limit'],
      message:
        'must have max_calls or max_cost_cents: everybody who invokes the skill may ask by the key of its seller',
    });
  })
  .meta({ id: 'PublishSkill' });
export type PublishSkill = z.output<typeof PublishSkillSchema>;

/** POST /v1/skills/check */
export const CheckSkillSchema = PublishSkillSchema.safeExtend({
  input: jsonObject.optional().meta({ description: 'Checked against `input_schema`.' }),
}).meta({ id: 'CheckSkill' });
export type CheckSkill = z.output<typeof CheckSkillSchema>;

export const CheckedSkillSchema = z.object({ publishable: z.literal(true) }).meta({ id: 'CheckedSkill' });

/** PATCH /v1/skills/:id; name, code, mode, agent and credentials cannot change after publication. */
export const UpdateSkillSchema = withSomeField(
  z.strictObject({
    description: description.optional(),
    version: semver.optional(),
    input_schema: jsonSchema.optional(),
    output_schema: jsonSchema.optional(),
    trust_level_required: TrustLevel.optional(),
    tags: tags.optional(),
    price_per_invocation: cents.optional(),
  }),
).meta({
  id: 'UpdateSkill',
  description: 'Only the fields given change. The name and what the skill executes cannot.',
});
export type UpdateSkill = z.output<typeof UpdateSkillSchema>;

const ReviewSchema = z
  .object({
    status: ReviewStatus,
    rejection_reason: z
      .string()
      .nullable()
      .meta({ description: 'The reason of a rejection or a take-down; shown to the owner.' }),
    reviewed_at: z.string().nullable(),
  })
  .meta({ id: 'SkillReview' });

const SellerSchema = z
  .object({
    name: z.string().meta({ description: 'As the operator calls itself.' }),
    verified: z.boolean().meta({
      description:
        'Whether an identity claim about the operator itself is in force, which the platform recorded. The name alone proves nothing.',
    }),
  })
  .meta({ id: 'SkillSeller', description: 'The operator that published the skill.' });

const example = {
  id: 'skl_01K0000000000000000000000A',
  operator_id: 'op_01K0000000000000000000000A',
  seller: { name: 'Ada Ltd', verified: true },
  name: 'summarise-text',
  description: 'Summarises a text in three sentences.',
  version: '1.0.0',
  revision: 1,
  status: 'active' as const,
  trust_level_required: 'L0' as const,
  tags: ['text', 'summary'],
  price_per_invocation: 25,
  agent_id: null,
  execution_mode: 'open' as const,
  credential_mode: 'none' as const,
  required_credentials: [],
  seller_credential_limit: null,
  accepts_requests: true,
  average_rating: 4.5,
  rating_count: 2,
  invocation_count: 12,
  review: { status: 'exempt' as const, rejection_reason: null, reviewed_at: null },
  created_at: '2026-11-21T12:00:00.000Z',
  updated_at: '2026-11-21T12:00:00.000Z',
};

const exampleSchemas = {
  input_schema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
  output_schema: { type: 'object', properties: { summary: { type: 'string' } }, required: ['summary'] },
};

/** A skill as lists show it, without schemas, steps, scripts, dependencies and model settings, which may have megabytes. */
export const ListedSkillSchema = z
  .object({
    id: z.string(),
    operator_id: z.string(),
    seller: SellerSchema,
    name: z.string(),
    description: z.string(),
    version: z.string(),
    revision: z.int().meta({ description: 'Goes up by one with every change.' }),
    status: SkillStatus,
    trust_level_required: TrustLevel,
    tags: z.array(z.string()),
    price_per_invocation: z.int().meta({ description: 'USD cents' }),
    agent_id: z.string().nullable(),
    execution_mode: z.enum(['open', 'sealed', 'source']),
    credential_mode: z.enum(['none', 'buyer_provides', 'seller_provides', 'both']),
    required_credentials: requiredCredentials,
    seller_credential_limit: sellerCredentialLimit.nullable(),
    accepts_requests: z.boolean(),
    average_rating: z.number().nullable().meta({ description: 'Rounded to hundredths; null before the first rating.' }),
    rating_count: z.int(),
    invocation_count: z.int().meta({ description: 'Completed invocations by other operators.' }),
    review: ReviewSchema,
    created_at: z.string(),
    updated_at: z.string(),
  })
  .meta({
    id: 'ListedSkill',
    description: 'A skill in a list; its schemas are read with it alone.',
    examples: [example],
  });
export type ListedSkill = z.output<typeof ListedSkillSchema>;

/** The JSON Schemas of a skill, 64 KiB each at most. */
export const skillSchemas = { input_schema: jsonObject, output_schema: jsonObject };

/** A change of what an approved skill with code promises, until an administrator has looked at it. */
export const PendingChangeSchema = z
  .object({
    id: z.string(),
    fields: z
      .object({
        description: z.string(),
        version: z.string(),
        ...skillSchemas,
      })
      .partial()
      .meta({
        id: 'ChangedFields',
        description: 'The fields that change, with their new values; the skill beside it has those that were approved.',
      }),
    proposed_at: z.string(),
  })
  .meta({ id: 'PendingChange' });
export type PendingChange = z.output<typeof PendingChangeSchema>;

/** A skill has taken so much of its seller's keys, beside `seller_credential_limit`. */
export const SellerCredentialUseSchema = z
  .object({
    calls: z.int(),
    cost_microcents: z.int().meta({
      description: 'By the price list of the service; calls under way count at the most that they can cost.',
    }),
    resets_at: z.string().meta({ description: 'When the next calendar month of UTC begins.' }),
  })
  .meta({ id: 'SellerCredentialUse' });
export type SellerCredentialUse = z.output<typeof SellerCredentialUseSchema>;

/** A skill in the list of what waits for an administrator. */
export const SkillToReviewSchema = ListedSkillSchema.extend({
  pending_change: PendingChangeSchema.nullable().meta({
    description: 'The change that waits, of a skill that is approved; null where the skill itself waits.',
  }),
}).meta({ id: 'SkillToReview', examples: [{ ...example, pending_change: null }] });

/** A skill with its code, for its owner and the platform, and for everybody where execution_mode is `source`. */
export const SkillSchema = ListedSkillSchema.extend({
  ...skillSchemas,
  max_compute_cents: z.int().nullable().meta({
    description:
      'The most that executing it can cost beside its price, USD cents: held when it is invoked. Null where its provider does the work, or where it cannot be executed now.',
  }),
  pending_change: PendingChangeSchema.nullable().optional().meta({
    description:
      'A change that waits for an administrator; for the owner and the platform. What was approved can be invoked meanwhile. A PATCH back to what was approved withdraws it.',
  }),
  seller_credential_use: SellerCredentialUseSchema.optional().meta({
    description:
      'Calls of models by the key of the owner in this month; for the owner, when they read a skill that may be answered by it.',
  }),
  ...codeFields,
}).meta({
  id: 'Skill',
  description:
    'A published capability. Steps, script, runtime, dependencies and the settings of a model are shown to its owner, and to everybody where execution_mode is `source`.',
  examples: [{ ...example, ...exampleSchemas, max_compute_cents: null }],
});
export type Skill = z.output<typeof SkillSchema>;

export const SkillVersionSchema = z
  .object({
    revision: z.int(),
    version: z.string(),
    ...skillSchemas,
    price_per_invocation: z.int(),
    created_at: z.string(),
  })
  .meta({ id: 'SkillVersion' });
export type SkillVersion = z.output<typeof SkillVersionSchema>;

const changeId = z
  .string()
  .optional()
  .meta({ description: 'The change of a skill that is approved already, as `pending_change` names it.' });

/** POST /v1/skills/:id/approve */
export const ApproveSkillSchema = z
  .strictObject({
    change_id: changeId,
    revision: z.int().min(1).optional().meta({
      description: 'The revision that was read; required where the skill was changed since it was published.',
    }),
  })
  .meta({ id: 'ApproveSkill' });

/** POST /v1/skills/:id/reject */
export const RejectSkillSchema = z
  .strictObject({ reason: text(1, 2_000).default('Rejected by admin'), change_id: changeId })
  .meta({ id: 'RejectSkill' });

/** POST /v1/admin/skills/:id/suspend */
export const TakeDownSkillSchema = z.strictObject({ reason: text(1, 2_000) }).meta({ id: 'TakeDownSkill' });

export const FavoritedSchema = z.object({ favorited: z.boolean() }).meta({ id: 'Favorited' });
