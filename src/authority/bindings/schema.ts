import { z } from 'zod';
import { canonicalJson } from '../../json/canonical.ts';
import { instant } from '../../fields/instant.ts';
import { jsonObject } from '../../fields/objects.ts';
import { name } from '../../fields/text.ts';

/** Most bytes of the document as JCS; the same as of a claim whose type has no schema. */
const MAX_DOCUMENT_BYTES = 65_536;

export const AuthorityBindingSchema = z
  .object({
    id: z.string(),
    operator_id: z.string(),
    agent_id: z.string(),
    key_thumbprint: z.string().meta({ description: 'RFC 7638, of the key that the agent had when it was bound.' }),
    receiver_id: z.string(),
    receiver_profile_version_id: z.string(),
    binding_version: z.int(),
    binding_digest: z.string().meta({ description: '`sha256:` and the hex digest of the document in JCS (RFC 8785).' }),
    claim_id: z.string().meta({ description: 'The claim of type authority_binding that records it.' }),
    status: z
      .enum(['active', 'revoked', 'expired', 'key_changed'])
      .meta({ description: 'Only an active binding counts; key_changed: the agent has another key now, or none.' }),
    expires_at: z.string(),
    revoked_at: z.string().nullable(),
    created_at: z.string(),
  })
  .meta({
    id: 'AuthorityBinding',
    description: 'An agent, while it has one certain key, may act towards one receiver.',
    examples: [
      {
        id: 'bnd_01K0000000000000000000000A',
        operator_id: 'op_01K0000000000000000000000A',
        agent_id: 'ag_01K0000000000000000000000A',
        key_thumbprint: 'kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k',
        receiver_id: 'bank.example',
        receiver_profile_version_id: 'payments-2026-11',
        binding_version: 1,
        binding_digest: 'sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
        claim_id: 'pc_01K0000000000000000000000A',
        status: 'active',
        expires_at: '2026-12-21T12:00:00.000Z',
        revoked_at: null,
        created_at: '2026-11-21T12:00:00.000Z',
      },
    ],
  });
export type AuthorityBinding = z.infer<typeof AuthorityBindingSchema>;

export const AuthorityBindingWithDocumentSchema = AuthorityBindingSchema.extend({
  document: jsonObject,
}).meta({ id: 'AuthorityBindingWithDocument', description: 'An authority binding and the document that it pins.' });
export type AuthorityBindingWithDocument = z.infer<typeof AuthorityBindingWithDocumentSchema>;

export const CreateAuthorityBindingSchema = z
  .strictObject({
    agent_id: z.string(),
    receiver_id: name,
    receiver_profile_version_id: name,
    expires_at: instant,
    document: jsonObject
      .refine(
        (document) => Buffer.byteLength(canonicalJson(document)) <= MAX_DOCUMENT_BYTES,
        `must have at most ${MAX_DOCUMENT_BYTES} bytes as JCS`,
      )
      .optional()
      .meta({
        override: { type: 'object', additionalProperties: true },
        description: 'The terms that were agreed. Left out: the terms above with the thumbprint of the agent key.',
      }),
  })
  .meta({ id: 'CreateAuthorityBinding' });
export type CreateAuthorityBinding = z.infer<typeof CreateAuthorityBindingSchema>;
