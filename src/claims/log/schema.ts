import { z } from 'zod';
import { jsonObject } from '../../fields/objects.ts';
import { signingKey } from '../../fields/signing-key.ts';
import { queryInteger } from '../../http/query.ts';
import { SubmitterSchema } from '../schema/claim.ts';
import { ReceiptSchema } from '../schema/envelope.ts';

const hash = z.string().describe('64 lower-case hex digits.');
const size = z.int().min(0);

export const LoggedReceiptSchema = z
  .object({
    receipt: ReceiptSchema.nullable().describe(
      'Always the same one; null with 202, while the claim waits for its place.',
    ),
    checkpoint: z.string().nullable().describe('The signed note (C2SP) of the tree of the receipt.'),
  })
  .meta({
    id: 'ClaimLogReceipt',
    examples: [
      {
        receipt: {
          registry: 'https://carnet.example.com',
          registered_at: 1_795_262_400,
          registry_entry_uri: 'https://carnet.example.com/v1/claims/pc_01K9ZC4T0M3Q8V6W2X5Y7ZABCD',
          proof: {
            format: 'svc-merkle-v1',
            bytes: 'gwEAgA',
            log_index: 0,
            tree_size: 1,
            root_hash: '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d',
          },
          witnesses: null,
        },
        checkpoint:
          'carnet.log/log_01K9ZC4T0M3Q8V6W2X5Y7ZABCE\n1\nbjQLnP+zepicpUTmu3gKLHiQHT+zNzh2hRGjBhevoB0=\n\n— …\n',
      },
    ],
  });

/** The largest whole number that JSON carries exactly. */
const treeSize = queryInteger(0, Number.MAX_SAFE_INTEGER);

export const InclusionQuery = {
  claim_id: z.string(),
  tree_size: treeSize
    .optional()
    .describe('The size of the tree in which it is proven; the published one unless given.'),
};

export const InclusionSchema = z
  .object({
    log_index: size,
    tree_size: size,
    leaf_hash: hash,
    root_hash: hash,
    hashes: z.array(hash).describe('From the sibling of the leaf up (RFC 9162 §2.1.3).'),
  })
  .meta({ id: 'LogInclusion' });

export const ConsistencyQuery = { from: treeSize, to: treeSize };

export const ConsistencySchema = z
  .object({
    from: size,
    to: size,
    from_root: hash,
    to_root: hash,
    hashes: z.array(hash).describe('As RFC 9162 §2.1.4 has them; none where `from` is 0 or `to`.'),
  })
  .meta({ id: 'LogConsistency' });

export const CheckpointSchema = z.string().meta({
  id: 'LogCheckpoint',
  description: 'A signed note (C2SP tlog-checkpoint): origin, size and root of the published tree.',
  examples: ['carnet.log/log_01K9ZC4T0M3Q8V6W2X5Y7ZABCE\n1\nbjQLnP+zepicpUTmu3gKLHiQHT+zNzh2hRGjBhevoB0=\n\n— …\n'],
});

export const VerifierKeySchema = z.string().meta({
  id: 'LogVerifierKey',
  description: 'A verifier key (C2SP signed-note): name, id and base64 of the public key.',
  examples: ['carnet.log/log_01K9ZC4T0M3Q8V6W2X5Y7ZABCE+530d903a+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k\n'],
});

export const LogKeySchema = signingKey.meta({ id: 'LogKey' });

export const LogKeysSchema = z
  .object({ keys: z.array(LogKeySchema) })
  .meta({ id: 'LogKeys', description: 'The key that signs checkpoints and receipts of the log.' });

/** Bytes, sent as they are. */
export const BytesSchema = z.string().meta({ override: { type: 'string', format: 'binary' } });

const note = z.string();

/** An offline verifier reads this. */
export const BundleSchema = z
  .object({
    bundle_version: z.literal(1),
    claim_id: z.string(),
    digest: z.string(),
    envelope: jsonObject.describe('As it was submitted; of an erased claim without its payload.'),
    erased: z.literal(true).optional().describe('The payload is gone.'),
    leaf_hash: hash.optional().describe('The leaf of an erased claim: all that the log has of it.'),
    co_signatures: z.array(
      z.object({
        signer_kid: z.string(),
        signer_role: z.string(),
        cose_sign1: z.string(),
        verified: z.boolean(),
        jwk: jsonObject.nullable(),
      }),
    ),
    receipt: ReceiptSchema,
    cose_receipt: z.string().describe('The same as a COSE receipt (RFC 9942), base64url.'),
    checkpoint: note.describe('The signed note of the tree of the receipt.'),
    latest: z.object({
      checkpoint: note.describe(
        'The newest signed note that meets the policy of witnesses, else the one that most witnesses have signed, or where none has the newest.',
      ),
      consistency: z.array(hash).describe('From the tree of the receipt to the newest.'),
      inclusion: z.array(hash).describe('In the newest tree.'),
      witnesses: z.array(z.string()).describe('Who has signed the newest signed note besides the log.'),
      quorum: z
        .boolean()
        .nullable()
        .describe('Whether these are enough by the policy of the service; null: it has none.'),
    }),
    tlog_proof: z
      .string()
      .describe('C2SP tlog-proof: in the newest tree where witnesses have signed that, else in that of the receipt.'),
    revocation: z.object({
      revoked_at: z.iso.datetime().nullable(),
      reason: z.string().nullable(),
      as_of: z.iso.datetime(),
    }),
    submitter: SubmitterSchema,
    log: z.object({ origin: z.string(), vkey: z.string(), jwk: LogKeySchema }),
  })
  .meta({ id: 'ClaimBundle', description: 'All that proves a claim, for verifying it offline, years later.' });
export type Bundle = z.input<typeof BundleSchema>;

/** While a claim waits for its place in the log there is nothing to prove. */
export const WaitingBundleSchema = z
  .object({ claim_id: z.string(), log_index: z.null() })
  .meta({ id: 'WaitingBundle' });
