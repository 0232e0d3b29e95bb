import { z } from 'zod';
import { cents } from '../../fields/cents.ts';
import { withSomeField } from '../../fields/objects.ts';
import { name } from '../../fields/text.ts';
import { PublicJwkSchema } from './public-jwk.ts';

/** From the weakest to the strongest. */
export const AccountabilitySchema = z.enum(['standard', 'logged', 'enforced']);
export type Accountability = z.infer<typeof AccountabilitySchema>;

/** Most seconds between the checkpoints of an agent in mode enforced (decision A22). */
export const ENFORCED_INTERVAL_SECONDS = 300;

/** Seconds. A passport that is issued without an interval takes this one, so the range is that of passports. */
const checkpointInterval = z.number().min(60).max(3_600).nullable();
const monthlyLimit = cents.nullable().meta({
  description: 'Most cents that the agent may spend in a UTC month, counted when they are held; null: no limit.',
});

export const AgentSchema = z
  .object({
    id: z.string(),
    operator_id: z.string(),
    name: z.string(),
    accountability: AccountabilitySchema,
    public_jwk: PublicJwkSchema.nullable(),
    checkpoint_interval_seconds: checkpointInterval,
    monthly_limit_cents: monthlyLimit,
    status: z.enum(['active', 'blocked', 'disabled']),
    partner_grant_id: z
      .string()
      .nullable()
      .meta({ description: 'The partner whose key registered it; null: the operator itself' }),
    created_at: z.string(),
    updated_at: z.string(),
  })
  .meta({
    id: 'Agent',
    description: 'A piece of software that acts for its operator. A disabled agent is retired: its keys are refused.',
    examples: [
      {
        id: 'ag_01K0000000000000000000000A',
        operator_id: 'op_01K0000000000000000000000A',
        name: 'researcher',
        accountability: 'standard',
        public_jwk: null,
        checkpoint_interval_seconds: null,
        monthly_limit_cents: 5_000,
        status: 'active',
        partner_grant_id: null,
        created_at: '2026-11-21T12:00:00.000Z',
        updated_at: '2026-11-21T12:00:00.000Z',
      },
    ],
  });
export type Agent = z.infer<typeof AgentSchema>;

export const CreateAgentSchema = z
  .strictObject({
    name,
    accountability: AccountabilitySchema.default('standard'),
    public_jwk: PublicJwkSchema.nullable().default(null),
    checkpoint_interval_seconds: checkpointInterval.default(null),
    monthly_limit_cents: monthlyLimit.default(null),
  })
  .meta({ id: 'CreateAgent' });
export type CreateAgent = z.infer<typeof CreateAgentSchema>;

export const UpdateAgentSchema = withSomeField(
  z.strictObject({
    name: name.optional(),
    accountability: AccountabilitySchema.optional(),
    public_jwk: PublicJwkSchema.nullable().optional(),
    checkpoint_interval_seconds: checkpointInterval.optional(),
    monthly_limit_cents: monthlyLimit.optional(),
    status: z.enum(['active', 'disabled']).optional(),
  }),
).meta({ id: 'UpdateAgent', description: 'Fields that are absent stay; null clears the ones that may be null.' });
export type UpdateAgent = z.infer<typeof UpdateAgentSchema>;
