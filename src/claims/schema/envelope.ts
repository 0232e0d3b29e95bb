import { z } from 'zod';
import { CoSignatureSchema, MAX_CO_SIGNATURES } from './co-signature.ts';
import { listOf, operatorId, subject, wholeTime } from './fields.ts';
import { CLAIM_TYPES, payloadSchemas, SHAPED_TYPES, SHAPELESS_TYPES } from './payloads.ts';

/** Every member must be present; those that may be null are null where there is no value. */
export const ReceiptSchema = z
  .strictObject({
    registry: z.string(),
    registered_at: z.int(),
    registry_entry_uri: z.string().nullable(),
    proof: z
      .strictObject({
        format: z.enum(['scitt-cose-receipt', 'rekor-v2-tle', 'svc-merkle-v1']),
        bytes: z.string(),
        log_index: z.int().nullable(),
        tree_size: z.int().nullable(),
        root_hash: z.string().nullable(),
      })
      .nullable(),
    witnesses: listOf(
      z.strictObject({
        registry: z.string(),
        registry_entry_uri: z.string(),
        proof_bytes: z.string().nullable(),
      }),
    ).nullable(),
  })
  .meta({ id: 'ClaimReceipt', description: 'That a registry has recorded the claim.' });

const members = {
  envelope_version: z.literal(1),
  issuer: operatorId,
  subject,
  issued_at: wholeTime.describe('When it was issued, in any unit; stored as it is sent.'),
  claim_version: z.int().min(1),
  receipt: ReceiptSchema.nullable(),
  co_signatures: z.array(CoSignatureSchema).max(MAX_CO_SIGNATURES).default([]),
};

const [firstShaped, ...otherShaped] = SHAPED_TYPES.map((type) =>
  z.strictObject({ ...members, claim_type: z.literal(type), payload: payloadSchemas[type] }),
);
if (firstShaped === undefined) throw new TypeError('No claim type has a shape.');

/** A payload that names a type must name the claim's. */
const Shapeless = z
  .strictObject({ ...members, claim_type: z.enum(SHAPELESS_TYPES), payload: z.unknown().optional() })
  .refine(({ claim_type: type, payload }) => namedType(payload) === undefined || namedType(payload) === type, {
    path: ['payload', 'type'],
    message: 'must be the claim_type of the envelope',
  })
  // JSON Schema has no word for a member that is the same as another.
  .meta({
    anyOf: SHAPELESS_TYPES.map((type) => ({
      properties: { claim_type: { const: type }, payload: { properties: { type: { const: type } } } },
    })),
  });

const namedType = (payload: unknown): unknown =>
  typeof payload === 'object' && payload !== null && 'type' in payload ? payload.type : undefined;

/**
 * `claim_type` alone chooses the shape of the payload, regardless of `claim_version`. Compiled to one function, which takes a fifth of the
 * time; what that refuses is read by the schema itself, which says what is wrong. No second validator stands beside it: two can disagree, and
 * Ajv, which is about as fast, fills in no defaults.
 */
export const EnvelopeSchema = z.compile(
  z.discriminatedUnion('claim_type', [firstShaped, ...otherShaped, Shapeless], {
    error: `must be one of ${CLAIM_TYPES.join(', ')}`,
  }),
  { strict: true },
);
// `meta` would make another schema, which is not compiled.
z.globalRegistry.add(EnvelopeSchema, {
  id: 'ClaimEnvelope',
  description: 'A claim: a statement of its issuer about its subject.',
});
export type Envelope = z.infer<typeof EnvelopeSchema>;
