import { z } from 'zod';
import { cents } from '../../fields/cents.ts';
import { jsonObject, withSomeField } from '../../fields/objects.ts';
import { name } from '../../fields/text.ts';
import { PublicJwkSchema } from './public-jwk.ts';

/** From the weakest to the strongest. */
export const AccountabilitySchema = z.enum(['standard', 'logged', 'enforced']);
export type Accountability = z.infer<typeof AccountabilitySchema>;

/** Most seconds between the checkpoints of an agent in mode enforced. */
export const ENFORCED_INTERVAL_SECONDS = 300;

/** Seconds. A passport that is issued without an interval takes this one, so the range is that of passports. */
const checkpointInterval = z.number().min(60).max(3_600).nullable();
const monthlyLimit = cents.nullable().meta({
  description: 'Most cents that the agent may spend in a UTC month, counted when they are held; null: no limit.',
});

const HeldToSchema = z
  .object({
    accountability: AccountabilitySchema,
    accountability_from: z.string().nullable().meta({ description: 'The agent whose mode it is' }),
    checkpoint_interval_seconds: checkpointInterval,
    checkpoint_interval_from: z.string().nullable().meta({ description: 'The agent whose interval it is' }),
  })
  .meta({
    id: 'AgentHeldTo',
    description:
      'The accountability of new passports of the agent: the strictest mode and the shortest interval of all agents of the operator that have or had a public key of it, and the agent that each comes from, itself where it is as strict; null: there is none, or you may not see it',
  });

export const AgentSchema = z
  .object({
    id: z.string(),
    operator_id: z.string(),
    name: z.string(),
    accountability: AccountabilitySchema,
    held_to: HeldToSchema,
    public_jwk: PublicJwkSchema.nullable(),
    checkpoint_interval_seconds: checkpointInterval,
    monthly_limit_cents: monthlyLimit,
    status: z.enum(['active', 'blocked', 'disabled']),
    retired_at: z.string().nullable().meta({
      description: 'Since when it is retired, also while it is blocked; null: it is not',
    }),
    partner_grant_id: z
      .string()
      .nullable()
      .meta({ description: 'The partner whose key registered it; null: the operator itself' }),
    created_at: z.string(),
    updated_at: z.string(),
  })
  .meta({
    id: 'Agent',
    description:
      'A piece of software that acts for its operator. A disabled agent is retired: its keys are refused. One that is blocked may be retired too, which `retired_at` says.',
    examples: [
      {
        id: 'ag_01K0000000000000000000000A',
        operator_id: 'op_01K0000000000000000000000A',
        name: 'researcher',
        accountability: 'standard',
        held_to: {
          accountability: 'standard',
          accountability_from: 'ag_01K0000000000000000000000A',
          checkpoint_interval_seconds: null,
          checkpoint_interval_from: null,
        },
        public_jwk: null,
        checkpoint_interval_seconds: null,
        monthly_limit_cents: 5_000,
        status: 'active',
        retired_at: null,
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

export const BlockSchema = z
  .object({
    agent_id: z.string().meta({ description: 'The agent that it binds' }),
    checkout_id: z
      .string()
      .nullable()
      .meta({ description: 'The review in which it was decided; null: in none, or not known' }),
    blocked_by: z.string().nullable().meta({ description: 'Who decided it; null: not known' }),
    reason: z.string().nullable(),
    blocked_at: z.string(),
  })
  .meta({
    id: 'AgentBlock',
    description: 'A decision that the agent gets no passport; unblocking it lifts all of them.',
  });
export type Block = z.infer<typeof BlockSchema>;

/** Answer of GET /v1/agents/:id/conduct: all that a person must know who decides about the agent. */
export const AgentConductSchema = z
  .object({
    agent: AgentSchema,
    blocks: z.array(BlockSchema).meta({ description: 'Those that bind it, the newest first, a hundred at most' }),
    other_blocks: z.number().meta({ description: 'How many others bind it, older than these' }),
    twin_blocks: z.array(BlockSchema).meta({
      description:
        'Those that bind other agents of the operator which have or had a public key of it, and by these keys it too; the newest first, a hundred at most',
    }),
    other_twin_blocks: z.number().meta({ description: 'How many others bind these, older than these' }),
    conduct: jsonObject.meta({
      description:
        '`reviews`: those that are not approved or are critical, with their flags, notes and report; `unreviewed_flags`; both the newest first, a hundred at most, and how many others there are. `twins`: the same of all other agents of the operator that have or had a public key of it, and who they are, with status, mode and interval',
    }),
    digest: z.string().meta({ description: 'A hash of all of it, which `seen` of unblocking repeats' }),
  })
  .meta({ id: 'AgentConduct' });
export type AgentConduct = z.infer<typeof AgentConductSchema>;

export const UnblockAgentSchema = z
  .strictObject({
    seen: z.string().max(64).optional().meta({
      description:
        'The digest of GET /v1/agents/{id}/conduct as you looked at it, which a person who is signed in has to send; where anything has come since, this is 409 SUBJECT_CHANGED',
    }),
  })
  .meta({ id: 'UnblockAgent' });
