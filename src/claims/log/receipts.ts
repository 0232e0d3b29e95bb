import type { z } from 'zod';
import type { CommonQueryMethods } from '../../database/pool.ts';
import type { ReceiptSchema } from '../schema/envelope.ts';
import { encodeInclusion, rootOf } from './inclusion.ts';
import { inclusionsInBatch, type Inclusion } from './proofs.ts';
import type { Log } from './log-key.ts';
import { NodesGone } from './node-queries.ts';
import { findEntries, noteDamaged, type CheckpointRow, type PublishedEntry } from './queries.ts';
import { isRegistered, parseRegistration, secondsOf, type Registration } from './registration.ts';
import { NoteFault, parseCheckpoint, parseNote } from './signed-note.ts';
import { alteredAt, damageAt } from './stopped.ts';

export type Receipt = z.infer<typeof ReceiptSchema>;

/** That a claim is in the log, as it was when its batch was appended: never another one. */
export interface LoggedClaim {
  logIndex: number;
  receipt: Receipt;
  /** The signed note of the receipt's tree. */
  checkpoint: string;
  /** Made of the nodes of the tree as they are now; what is signed is the root in the checkpoint alone. */
  inclusion: Inclusion;
  /** The batch that it came with, as its rows are now. */
  batch: CheckpointRow;
  /** Whether the proof leads to the root in the checkpoint: then the leaf of `inclusion` is the one that was logged. */
  leads: boolean;
  /**
   * Whether the proof leads to the root in the checkpoint, and the batch has the registry and time of its registration; else rows were changed,
   * or the batch waits for its registration, and the receipt is shown to nobody.
   */
  isWhole: boolean;
}

/** The bytes of a proof of format svc-merkle-v1: `[tree_size, leaf_index, [hashes]]`. */
const proofBytes = (inclusion: Inclusion): string => encodeInclusion(inclusion).toString('base64url');

/** The statement of a batch, as its columns have it. */
const columnsOf = ({ registry, created_at: createdAt }: CheckpointRow): Registration => ({
  registry,
  registeredAt: secondsOf(createdAt),
});

const receiptFrom = (entry: PublishedEntry, inclusion: Inclusion): Receipt => ({
  registry: entry.registry,
  registered_at: columnsOf(entry).registeredAt,
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

/** Whether a proof, made of the nodes as they are now, leads to the root in the checkpoint of its batch. */
function leads({ note }: PublishedEntry, inclusion: Inclusion): boolean {
  try {
    const { size, rootHash } = parseCheckpoint(parseNote(note).text);
    return size === inclusion.treeSize && rootOf(inclusion.leafHash, inclusion).equals(rootHash);
  } catch (error) {
    if (error instanceof NoteFault) return false;
    throw error;
  }
}

/**
 * Whether a batch has the registry and the time of its registration, whose signature is verified where the receipt is given out. One without a
 * registration states nothing that the log has signed: its receipt waits for one, and `hasLostRegistration` finds what was taken away.
 */
function agrees(batch: CheckpointRow): boolean {
  if (batch.registration === null) return false;
  try {
    const said = parseRegistration(batch.registration);
    const { registry, registeredAt } = columnsOf(batch);
    return said.registry === registry && said.registeredAt === registeredAt;
  } catch (error) {
    if (error instanceof NoteFault) return false;
    throw error;
  }
}

/** Whether the log signed the registry and the time that a batch has now. */
export const statesWhatWasSigned = (log: Pick<Log, 'origin' | 'vkey'>, batch: CheckpointRow, root: Buffer): boolean =>
  batch.registration !== null &&
  isRegistered(log, batch.registration, { ...columnsOf(batch), size: batch.tree_size, root });

/** @throws NodesGone where a node of one of them is gone, which stops the log */
async function provenOf(connection: CommonQueryMethods, entries: readonly PublishedEntry[]): Promise<Inclusion[]> {
  try {
    return await inclusionsInBatch(connection, entries);
  } catch (error) {
    if (!(error instanceof NodesGone)) throw error;
    const [entry] = entries;
    if (entries.length > 1) for (const one of entries) await provenOf(connection, [one]);
    else if (entry !== undefined) await noteDamaged(connection, entry.log_index, damageAt(entry.log_index));
    throw error;
  }
}

/**
 * Receipts by the ids of their claims; a claim that has no place in the log yet has none. A proof that does not lead to the signed root stops
 * the log, and so does a batch that has another registry or time than was signed (decision L76).
 */
export async function receiptsOf(
  connection: CommonQueryMethods,
  claimIds: readonly string[],
): Promise<ReadonlyMap<string, LoggedClaim>> {
  const entries = claimIds.length === 0 ? [] : await findEntries(connection, claimIds);
  const inclusions = await provenOf(connection, entries);
  const leading = entries.map((entry, at) => leads(entry, inclusions[at] as Inclusion));
  const damaged = entries[leading.indexOf(false)];
  if (damaged !== undefined) await noteDamaged(connection, damaged.log_index, damageAt(damaged.log_index));
  const altered = entries.find((entry) => entry.registration !== null && !agrees(entry));
  if (altered !== undefined) await noteDamaged(connection, altered.log_index, alteredAt(altered.log_index));
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
          batch: entry,
          leads: leading[at] === true,
          isWhole: leading[at] === true && agrees(entry),
        },
      ];
    }),
  );
}

/** The receipt of a claim; null while it has no place in the log. */
export const receiptOf = async (connection: CommonQueryMethods, claimId: string): Promise<LoggedClaim | null> =>
  (await receiptsOf(connection, [claimId])).get(claimId) ?? null;
