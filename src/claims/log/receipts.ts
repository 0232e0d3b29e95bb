import type { z } from 'zod';
import type { CommonQueryMethods } from '../../database/pool.ts';
import type { ReceiptSchema } from '../schema/envelope.ts';
import { encodeInclusion } from './inclusion.ts';
import { inclusionsInBatch, type Inclusion } from './proofs.ts';
import { findEntries, type PublishedEntry } from './queries.ts';

export type Receipt = z.infer<typeof ReceiptSchema>;

/** That a claim is in the log, as it was when its batch was appended: never another one. */
export interface LoggedClaim {
  logIndex: number;
  receipt: Receipt;
  /** The signed note of the receipt's tree. */
  checkpoint: string;
  /** Made of the nodes of the tree as they are now; what is signed is the root in the checkpoint alone. */
  inclusion: Inclusion;
}

/** The bytes of a proof of format svc-merkle-v1: `[tree_size, leaf_index, [hashes]]`. */
const proofBytes = (inclusion: Inclusion): string => encodeInclusion(inclusion).toString('base64url');

const receiptFrom = (entry: PublishedEntry, inclusion: Inclusion): Receipt => ({
  registry: entry.registry,
  registered_at: Math.floor(Date.parse(entry.created_at) / 1_000),
  registry_entry_uri: `${entry.registry}/v1/claims/${entry.claim_id}`,
  proof: {
    format: 'svc-merkle-v1',
    bytes: proofBytes(inclusion),
    log_index: inclusion.logIndex,
    tree_size: inclusion.treeSize,
    root_hash: inclusion.rootHash.toString('hex'),
  },
  witnesses: null,
});

/** Receipts by the ids of their claims; a claim that has no place in the log yet has none. */
export async function receiptsOf(
  connection: CommonQueryMethods,
  claimIds: readonly string[],
): Promise<ReadonlyMap<string, LoggedClaim>> {
  const entries = claimIds.length === 0 ? [] : await findEntries(connection, claimIds);
  const inclusions = await inclusionsInBatch(connection, entries);
  return new Map(
    entries.map((entry, at): [string, LoggedClaim] => {
      const inclusion = inclusions[at] as Inclusion;
      return [
        entry.claim_id,
        {
          logIndex: entry.log_index,
          receipt: receiptFrom(entry, inclusion),
          checkpoint: entry.note,
          inclusion,
        },
      ];
    }),
  );
}

/** The receipt of a claim; null while it has no place in the log. */
export const receiptOf = async (connection: CommonQueryMethods, claimId: string): Promise<LoggedClaim | null> =>
  (await receiptsOf(connection, [claimId])).get(claimId) ?? null;
