import { z } from 'zod';
import { instant } from '../../fields/instant.ts';
import { name } from '../../fields/text.ts';

export const IdentityClaimSchema = z
  .object({
    id: z.string(),
    operator_id: z.string(),
    agent_id: z.string().nullable().meta({ description: 'The agent it is about; null: the account itself.' }),
    provider: z.string(),
    layer: z.string(),
    claim_type: z.string(),
    assurance_level: z.string(),
    inherit: z.boolean(),
    humanity_verified: z.boolean(),
    verified_at: z.string(),
    expires_at: z.string().nullable(),
    revoked_at: z.string().nullable(),
    created_at: z.string(),
  })
  .meta({
    id: 'IdentityClaim',
    description:
      'A fact that a provider attested about an operator or an agent; it decides the trust level of invocations.',
    examples: [
      {
        id: 'idc_01K0000000000000000000000A',
        operator_id: 'op_01K0000000000000000000000A',
        agent_id: null,
        provider: 'eid',
        layer: 'person',
        claim_type: 'legal_name',
        assurance_level: 'L2',
        inherit: true,
        humanity_verified: true,
        verified_at: '2026-11-21T12:00:00.000Z',
        expires_at: '2027-11-21T12:00:00.000Z',
        revoked_at: null,
        created_at: '2026-11-21T12:00:00.000Z',
      },
    ],
  });
export type IdentityClaim = z.infer<typeof IdentityClaimSchema>;

/**
 * `layer`, `claim_type` and `assurance_level` are any text, since providers have their own words; an unknown level
 * counts 0.
 */
export const CreateIdentityClaimSchema = z
  .strictObject({
    operator_id: z.string().optional(),
    agent_id: z.string().optional(),
    provider: name,
    layer: name,
    claim_type: name,
    assurance_level: name,
    inherit: z.boolean().default(true),
    humanity_verified: z.boolean().default(false),
    verified_at: instant.optional(),
    expires_at: instant.optional(),
    cost_microcents: z
      .int()
      .positive()
      .optional()
      .describe(
        'The cost of the verification, in millionths of a US cent: charged with 15 % on top to the wallet of the operator it is about.',
      ),
  })
  .refine((body) => body.operator_id !== undefined || body.agent_id !== undefined, {
    path: ['operator_id'],
    message: 'is needed where no agent_id is given',
  })
  .meta({ id: 'CreateIdentityClaim' });
export type CreateIdentityClaim = z.infer<typeof CreateIdentityClaimSchema>;
