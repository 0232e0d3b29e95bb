import { z } from 'zod';
import { jsonObject } from '../../fields/objects.ts';
import { text } from '../../fields/text.ts';
import { queryInstant } from '../../http/query.ts';
import { KeptCoSignatureSchema } from './co-signature.ts';
import { ReceiptSchema } from './envelope.ts';
import { claimRef } from './fields.ts';
import { CLAIM_TYPES } from './payloads.ts';

/** By what kind of credential a claim was submitted. */
export const SubmitterSchema = z
  .enum(['operator_key', 'operator_token', 'member_session', 'agent_key', 'platform_key', 'service'])
  .nullable()
  .describe(
    'By what kind of credential it was submitted first, as the service has it; nobody signs that. `service`: the service states it itself. ' +
      'null: it is from before this was kept.',
  );
export type Submitter = NonNullable<z.infer<typeof SubmitterSchema>>;

/** Everybody who knows the id may read this: it shows nothing that the claim states. */
export const ClaimDigestSchema = z
  .object({
    id: z.string(),
    digest: z
      .string()
      .describe(
        '`sha256:` and the hash of the canonical JSON (RFC 8785) of the envelope without `receipt` and `co_signatures`.',
      ),
    log_index: z.int().nullable().describe('The place in the log; null while it has none.'),
    receipt: ReceiptSchema.nullable().describe(
      'The receipt of the log of this service; null while it has none, or where its proof does not hold.',
    ),
    revoked_at: z.iso.datetime().nullable(),
    erased_at: z.iso
      .datetime()
      .nullable()
      .describe('Since when its payload is gone; digest and place in the log stay.'),
    tombstone_id: z.string().nullable().describe('The claim that records the erasure.'),
  })
  .meta({
    id: 'ClaimDigest',
    description: 'That a claim exists, and the hash of its signed bytes. Who is not a reader of it sees no more.',
  });
export type ClaimDigest = z.infer<typeof ClaimDigestSchema>;

const envelopeExample = {
  envelope_version: 1,
  issuer: 'op_01K9ZC4T0M3Q8V6W2X5Y7ZABCF',
  subject: 'carnet://agent/ag_01K9ZC4T0M3Q8V6W2X5Y7ZABCG',
  issued_at: 1_795_262_400,
  claim_type: 'detector_signal',
  claim_version: 1,
  payload: {
    type: 'detector_signal',
    detector_key: 'prompt_injection',
    severity: 'high',
    pipeline: 'heuristic',
    detected_at: 1_795_262_400,
  },
  receipt: null,
};

export const ClaimSchema = ClaimDigestSchema.extend({
  envelope: jsonObject.describe(
    'As it was submitted; without its payload once that is erased, and empty where the database was changed so that it does not have its digest.',
  ),
  payload_effective: z.unknown().describe('The payload with its defaults; null where there is none.'),
  co_signatures: z
    .array(KeptCoSignatureSchema)
    .describe('Those that came with the claim and those that were added later, in the order in which they came.'),
  external_receipt_verified: z
    .boolean()
    .nullable()
    .describe(
      'Whether the receipt of another registry in the envelope verified when it came; null where there is none.',
    ),
  schema: z.enum(['v1', 'none']).describe('`none`: the payload of this type has no shape.'),
  unresolved_refs: z.array(z.string()).describe('Claims that the payload names and that do not exist here yet.'),
  warnings: z
    .array(z.string())
    .describe(
      'The contradictions: that the issuer said before that the same intent or invocation had ended, or that the claim was changed in the ' +
        'database.',
    ),
  revoke_reason: z.string().nullable(),
  submitter: SubmitterSchema,
  created_at: z.iso.datetime(),
}).meta({
  id: 'Claim',
  description: 'A recorded claim. It is never changed; it can be revoked, and its payload can be erased.',
  examples: [
    {
      id: 'pc_01K9ZC4T0M3Q8V6W2X5Y7ZABCD',
      digest: 'sha256:5f0e8b4c4e2b1a7a0e4b9d7e1c7ad1a5cbe3a1a24ba0a96a54e3c0bb0a3d4c11',
      log_index: null,
      receipt: null,
      envelope: envelopeExample,
      payload_effective: { ...envelopeExample.payload, metadata: {} },
      co_signatures: [],
      external_receipt_verified: null,
      schema: 'v1',
      unresolved_refs: [],
      warnings: [],
      revoked_at: null,
      revoke_reason: null,
      erased_at: null,
      tombstone_id: null,
      submitter: 'operator_key',
      created_at: '2026-11-21T12:00:00.000Z',
    },
  ],
});
export type Claim = z.infer<typeof ClaimSchema>;

const name = text(1, 2_000).optional();

/** Filters of the list of claims; times are compared with `issued_at`. */
export const claimFilters = {
  issuer: name,
  subject: name,
  claim_type: z.enum(CLAIM_TYPES).optional(),
  agent_id: name.describe('The agent in the payload, or the one that a claim of the service is about.'),
  mission_ref: name,
  since: queryInstant.optional().describe('Issued then or later; issued_at of 1e11 and more counts as milliseconds.'),
  until: queryInstant.optional().describe('Issued before.'),
  ref: claimRef.optional().describe('Claims whose payload names this claim.'),
};
export type ClaimFilters = z.infer<z.ZodObject<typeof claimFilters>>;

export const RevokeClaimSchema = z.strictObject({ reason: text(1, 2_000).optional() }).meta({ id: 'RevokeClaim' });
export type RevokeClaim = z.infer<typeof RevokeClaimSchema>;

export const EraseClaimSchema = z
  .strictObject({ reason: text(1, 2_000).optional().describe('Stands in the tombstone, for ever.') })
  .meta({ id: 'EraseClaim' });
export type EraseClaim = z.infer<typeof EraseClaimSchema>;

/** One member alone: a claim as somebody holds it, or the one that is recorded under an id. */
export const VerifyClaimSchema = z
  .strictObject({
    envelope: z.unknown().optional().describe('A claim as you hold it, its receipt and co-signatures included.'),
    claim_id: text(1, 128).optional().describe('A claim that is recorded here.'),
  })
  .refine((body) => Object.keys(body).length === 1, 'must have either envelope or claim_id')
  .meta({ id: 'VerifyClaim' });
export type VerifyClaim = z.infer<typeof VerifyClaimSchema>;

/** null: there is nothing to check, or it cannot be checked yet. */
const check = z.boolean().nullable();

export const VerificationSchema = z
  .object({
    status: z
      .enum(['valid', 'erased', 'invalid'])
      .describe(
        '`valid`: the claim is in the log as it stands here, and nothing speaks against it. `erased`: its entry is in the log, and nobody can ' +
          'say what it stated, since its payload is gone; who holds the claim sends it as `envelope`. `invalid`: `errors` say why.',
      ),
    valid: z.boolean().describe('Whether `status` is `valid`.'),
    claim_id: z.string().nullable().describe('null: no such claim is recorded.'),
    digest: z.string().nullable(),
    checks: z.object({
      schema: check.describe('Envelope and payload have their shape; null once the payload is erased.'),
      digest: check.describe(
        'Its signed bytes have the digest under which it is recorded; null once the payload is erased.',
      ),
      receipt: check.describe(
        'The receipt that came along, or else that of this log; null where it waits for the log, or the receipt is of a registry whose key is not known here.',
      ),
      inclusion: check.describe('It is in the published log; null while it waits for that.'),
      co_signatures: z
        .array(
          z.object({
            signer_kid: z.string(),
            signer_role: z.string(),
            verified: z.boolean(),
            warnings: z.array(z.string()).describe('Why it is not verified.'),
          }),
        )
        .describe(
          'Each for itself: none of them decides whether the claim is valid. `verified` is false where the key is not known here, and where the ' +
            'signature does not verify. By `claim_id`, for those who read the claim in full. Nobody signs which co-signatures a claim has.',
        ),
      revocation: check.describe('It is not revoked.'),
    }),
    erased_at: z.iso.datetime().nullable(),
    errors: z.array(
      z.object({
        code: z.enum(['INVALID_SCHEMA', 'DIGEST_MISMATCH', 'INVALID_RECEIPT', 'NOT_INCLUDED', 'NOT_LOGGED', 'REVOKED']),
        path: z.string().nullable().describe('Dotted from the body; null where it is about the whole claim.'),
        message: z.string(),
      }),
    ),
  })
  .meta({
    id: 'ClaimVerification',
    examples: [
      {
        status: 'valid',
        valid: true,
        claim_id: 'pc_01K9ZC4T0M3Q8V6W2X5Y7ZABCD',
        digest: 'sha256:5f0e8b4c4e2b1a7a0e4b9d7e1c7ad1a5cbe3a1a24ba0a96a54e3c0bb0a3d4c11',
        checks: { schema: true, digest: true, receipt: true, inclusion: true, co_signatures: [], revocation: true },
        erased_at: null,
        errors: [],
      },
    ],
  });
export type Verification = z.infer<typeof VerificationSchema>;

export const PayloadSchemasSchema = z
  .object({
    envelope: z.string().describe('Where the JSON Schema of the envelope is read.'),
    schemas: z.array(z.object({ claim_type: z.string(), schema: z.enum(['v1', 'none']), path: z.string() })),
  })
  .meta({ id: 'ClaimSchemas', description: 'Every claim type, and where the JSON Schema of its payload is read.' });
