import { z } from 'zod';
import { name as nameText } from '../../fields/text.ts';
import { TrustLevel } from '../schema.ts';

/** An identity claim as a passport carries it; check-trust reads its level and its expiry alone. */
const PassportClaimSchema = z.strictObject({
  claim_type: nameText,
  assurance_level: z.union([nameText, z.int()]),
  claim_id: nameText.optional(),
  provider: nameText.optional(),
  layer: nameText.optional(),
  holder: nameText.optional().meta({ description: 'Whom the claim is about: an agent or its operator.' }),
  verified_at: z.int().nullable().optional(),
  expires_at: z.int().nullable().optional().meta({
    description: 'Seconds since 1970; a claim that has expired counts nothing. Null or absent: it does not expire.',
  }),
  humanity_verified: z.boolean().optional(),
});
export type PassportClaim = z.output<typeof PassportClaimSchema>;

/** A passport of 16 KiB has fewer than a hundred. */
const MAX_CLAIMS = 250;

/** POST /v1/skills/:id/check-trust */
export const CheckTrustSchema = z
  .strictObject({ passport_claims: z.array(PassportClaimSchema).max(MAX_CLAIMS) })
  .meta({ id: 'CheckTrust', examples: [{ passport_claims: [{ claim_type: 'kyc', assurance_level: 'substantial' }] }] });

export const TrustEvaluationSchema = z
  .object({
    allowed: z.boolean(),
    required: TrustLevel,
    effective: z.enum(['L0', 'L1', 'L2', 'L3']),
    reasons: z.array(z.string()),
  })
  .meta({ id: 'TrustEvaluation' });
export type TrustEvaluation = z.output<typeof TrustEvaluationSchema>;
