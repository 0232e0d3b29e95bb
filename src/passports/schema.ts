import { z } from 'zod';
import { ConstraintsSchema } from '../authority/index.ts';
import { cents } from '../fields/cents.ts';
import { distinct, text } from '../fields/text.ts';
import { BudgetSchema } from './budgets/queries.ts';
import { AuthorityRefSchema, ServiceScopeSchema } from './token.ts';

/** Seconds that a passport is valid where the request does not say. */
export const DEFAULT_TTL_SECONDS = 900;

/** Seconds; a fraction is accepted and rounded down, since times of a token are integers. */
const ttlSeconds = z.number().min(60).max(3_600);
const id = text(1, 128);
const serviceName = text(1, 128);

const ScopeItemSchema = z
  .strictObject({
    service_connection_id: id,
    scopes: z.array(text(1, 128)).min(1).max(101).meta({ description: '`*`: everything that may be passed on' }),
    constraints: ConstraintsSchema.optional().meta({ description: 'Limits added to those that apply already' }),
    intents: distinct(id, 64)
      .optional()
      .meta({ description: 'Intent claims (`pc_…`): the calls must serve one of them' }),
    allow_data_from: z.array(serviceName).max(101).optional().meta({
      description: 'Services whose content may flow into this one; left out: all that may be passed on; `[]`: none',
    }),
  })
  .meta({ id: 'PassportScopeItem' });
export type ScopeItem = z.infer<typeof ScopeItemSchema>;

const scopeItems = z
  .array(ScopeItemSchema)
  .max(100)
  .superRefine((items, context) => {
    const seen = new Set<string>();
    for (const [index, { service_connection_id: connection }] of items.entries()) {
      if (seen.has(connection)) {
        context.addIssue({
          code: 'custom',
          path: [index, 'service_connection_id'],
          message: 'is named twice; put everything for it into one item',
        });
      }
      seen.add(connection);
    }
  });

const IntentSchema = z
  .strictObject({
    summary: text(1, 500),
    services: z.array(serviceName).max(100),
    will_delegate: z.boolean().optional(),
    estimated_duration_seconds: z.number().min(60).max(86_400).optional(),
    refs: z
      .array(id)
      .max(64)
      .optional()
      .meta({ description: 'A ref that begins with `pc_` is an intent claim of the agent' }),
  })
  .meta({ id: 'PassportIntent' });

const audience = distinct(id, 100).min(1);

const budget = z.strictObject({ amount_cents: cents }).meta({ id: 'RequestedBudget', description: 'US cents' });

export const IssueBodySchema = z
  .strictObject({
    agent_id: id,
    ttl_seconds: ttlSeconds.default(DEFAULT_TTL_SECONDS),
    scopes: scopeItems.optional().meta({
      description:
        'Left out: everything that is granted to the agent, of the services in `audience` where that is given',
    }),
    audience: audience.optional().meta({
      description:
        'The `service_id`s that may accept the passport, each one of its services, or the `iss` of passports: this service, at which it may then invoke; left out: all of its services may accept it',
    }),
    budget: budget.optional().meta({
      description:
        'The most that its invocations, and those of all that come of it, may cost; left out: only the limits of agent and key hold',
    }),
    identity_claim_ids: distinct(id, 100).optional(),
    authority_binding_ids: distinct(id, 8).default([]),
    intent: IntentSchema.optional(),
    checkpoint_interval_seconds: z.number().min(60).max(3_600).optional(),
    mission_ids: distinct(id, 8).default([]),
  })
  .meta({ id: 'IssuePassport' });
export type IssueBody = z.infer<typeof IssueBodySchema>;

/** Without a limit of length: a token that is too long does not verify, which has an error of its own. */
const token = z.string();

export const DelegateBodySchema = z
  .strictObject({
    parent_passport_token: token,
    child_agent_id: id,
    scopes: scopeItems,
    audience: audience.optional().meta({
      description:
        "Each one of the child's services, or the `iss` of passports; left out, if the parent has an audience: all of them that are in it",
    }),
    budget: budget.optional().meta({
      description: 'At most what remains of each budget above, which also counts what is spent of this one',
    }),
    ttl_seconds: ttlSeconds.optional().meta({ description: 'Left out: 900, or less if the parent expires sooner' }),
  })
  .meta({ id: 'DelegatePassport' });
export type DelegateBody = z.infer<typeof DelegateBodySchema>;

export const RefreshBodySchema = z
  .strictObject({ token, ttl_seconds: ttlSeconds.default(DEFAULT_TTL_SECONDS) })
  .meta({ id: 'RefreshPassport' });
export type RefreshBody = z.infer<typeof RefreshBodySchema>;

export const SignedPassportSchema = z.object({ token: z.string(), jti: z.string(), expires_at: z.string() }).meta({
  id: 'SignedPassport',
  description: 'The token is not stored: it is signed again from its row when a request is repeated.',
  examples: [
    {
      token: 'eyJhbGciOiJFZERTQSJ9.eyJqdGkiOiJwc3BfMDFLIn0.c2lnbmF0dXJl',
      jti: 'psp_01K0000000000000000000000A',
      expires_at: '2026-11-21T12:15:00.000Z',
    },
  ],
});
export type SignedPassport = z.infer<typeof SignedPassportSchema>;

const reason = text(0, 2_000).default('Revoked by operator');

export const RevokeBodySchema = z.strictObject({ jti: id, reason }).meta({ id: 'RevokePassport' });
export type RevokeBody = z.infer<typeof RevokeBodySchema>;

export const RevokeManyBodySchema = z.strictObject({ reason }).meta({ id: 'RevokePassports' });

/** `confirm` takes any value: anything but true is refused as CONFIRMATION_REQUIRED. */
export const RevokeAllBodySchema = z
  .strictObject({
    confirm: z
      .unknown()
      .optional()
      .meta({ description: 'Must be true', override: { type: 'boolean', const: true } }),
    reason,
  })
  .meta({ id: 'RevokeAllPassports' });

export const RevokedSchema = z
  .object({
    success: z.literal(true),
    jti: z.string(),
    cascaded_count: z
      .int()
      .meta({ description: 'Other passports revoked: refreshed from it or before it, and delegated' }),
    revoked_claims_count: z.int(),
  })
  .meta({ id: 'RevokedPassport' });
export type Revoked = z.infer<typeof RevokedSchema>;

export const RevokedManySchema = z
  .object({ success: z.literal(true), revoked_count: z.int() })
  .meta({ id: 'RevokedPassports' });
export type RevokedMany = z.infer<typeof RevokedManySchema>;

export const ActivePassportSchema = z
  .object({
    jti: z.string(),
    agent_id: z.string(),
    session_id: z.string(),
    audience: z
      .array(z.string())
      .nullable()
      .meta({ description: 'The `service_id`s that may accept it; null: all that it has scopes for' }),
    delegation_depth: z.int(),
    parent_passport_id: z.string().nullable(),
    identity_claim_ids: z.array(z.string()),
    authority_refs: z.array(AuthorityRefSchema),
    intent_summary: z.string().nullable(),
    intent_services: z.array(z.string()),
    intent_refs: z.array(z.string()),
    mission_ids: z.array(z.string()),
    estimated_duration_seconds: z.number().nullable(),
    checkpoint_interval_seconds: z.number().nullable(),
    checkpoint_count: z
      .int()
      .meta({ description: 'The checkpoints of all passports that it was refreshed from or into, counted together' }),
    last_checkpoint_at: z.string().nullable(),
    issued_at: z.string(),
    expires_at: z.string(),
  })
  .meta({ id: 'ActivePassport' });
export type ActivePassport = z.infer<typeof ActivePassportSchema>;

export const PassportStatus = z.enum(['active', 'expired', 'revoked']);
export type PassportStatus = z.infer<typeof PassportStatus>;

export const PassportSchema = ActivePassportSchema.extend({
  status: PassportStatus,
  revoked_at: z.string().nullable(),
  revoke_reason: z.string().nullable(),
}).meta({ id: 'Passport' });
export type Passport = z.infer<typeof PassportSchema>;

/** As it is read by its jti. */
export const EvidencedPassportSchema = PassportSchema.extend({
  budget: BudgetSchema.nullable().describe('null: neither it nor a passport above has one.'),
  services: z.array(ServiceScopeSchema).describe('Its rights at each service.'),
  claim_ids: z
    .array(z.string())
    .describe('The claims of the service about it: checkpoints, checkout, flags, reviews. The first thousand.'),
}).meta({
  id: 'EvidencedPassport',
  description: 'A passport, with its rights and the claims that are evidence of its session.',
});
