import { z } from 'zod';
import { jsonObject } from '../../fields/objects.ts';

/** One claim has this many at most. */
export const MAX_CO_SIGNATURES = 64;

/** Limits in bytes are in `co-signatures/judge.ts`. */
export const CoSignatureSchema = z
  .strictObject({
    signer_kid: z.string().min(1),
    signer_role: z.enum(['operator_attestation', 'agent_self', 'witness']),
    cose_sign1: z.string().min(1),
  })
  .meta({ id: 'ClaimCoSignature' });
export type CoSignature = z.infer<typeof CoSignatureSchema>;

/** A co-signature as it is kept. */
export const KeptCoSignatureSchema = CoSignatureSchema.extend({
  verified: z
    .boolean()
    .describe(
      'Whether the key was known here when it was sent, and the signature is by it. Sending it again when the key is known verifies it.',
    ),
  public_jwk: jsonObject.nullable().describe('The key that verified it; null where none did.'),
  verified_at: z.iso.datetime().nullable(),
  warnings: z.array(z.string()).describe('Why it is not verified, and what mends that.'),
  created_at: z.iso.datetime(),
})
  .strip()
  .meta({
    id: 'KeptCoSignature',
    description: 'Somebody else signed the bytes that the digest of the claim is of.',
    examples: [
      {
        signer_kid: 'kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k',
        signer_role: 'operator_attestation',
        cose_sign1: '0oRYMKIBJwRYK2tQcktfcW14VldhWVZBOXd3QkY2SXVvM3ZWeno3VHhIQ1R3WEJ5Z3JTNGug9lhA…',
        verified: false,
        public_jwk: null,
        verified_at: null,
        warnings: [
          'No operator has a key with this thumbprint. Register the key, then send the same co-signature again.',
        ],
        created_at: '2026-11-21T12:00:00.000Z',
      },
    ],
  });
export type KeptCoSignature = z.infer<typeof KeptCoSignatureSchema>;

/** The body of a co-signature that is added to a claim. */
export const AddCoSignatureSchema = CoSignatureSchema.meta({ id: 'AddCoSignature' });
