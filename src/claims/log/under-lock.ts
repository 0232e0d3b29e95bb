import { basename } from 'node:path';
import type { Config } from '../../context/config.ts';
import { defineCache } from '../../context/caches.ts';
import type { Context } from '../../context/context.ts';
import { inTransaction } from '../../commands/unit.ts';
import type { CommonQueryMethods } from '../../database/pool.ts';
import { HeadFileFault, headFileOf, readHeadFile, registeredFileOf } from './head-file.ts';
import { openedLogOf, signedTree, type Log } from './log-key.ts';
import { hashOfSpan, nodesOf, type ReadNode } from './merkle.ts';
import { inclusionsInBatch } from './proofs.ts';
import { hasLostRegistration, isProven } from './proven.ts';
import { NodesGone, readNodes } from './node-queries.ts';
import {
  findEntryAt,
  findNote,
  lockLog,
  noteRunning,
  noteStopped,
  noteUnproven,
  type LockedLogRow,
  type LogRow,
} from './queries.ts';
import { statesWhatWasSigned } from './receipts.ts';
import { alteredAt, damageAt, isHeld, LogStopped, logStopped, logUnproven, REMEDY } from './stopped.ts';
import { keptRegistered, registeredInDatabase } from './registered-file.ts';
import type { Registered } from './registration.ts';
import { NoteFault } from './signed-note.ts';
import { faultOfSlice, type SignedTree } from './slice.ts';
import { contradicting, nameOfKey } from './witnesses/queries.ts';

/** The two files in LOG_HEAD_DIR. */
interface Paths {
  path: string;
  registeredPath: string;
}

/** The state that was read under the lock. */
interface Read {
  /** The nodes that make the root of the tree. */
  nodes: ReadNode;
  /** The checkpoint of the tree. */
  newest: string;
  /** The size of the head that stands outside of the database; null: none does. */
  headSize: number | null;
  /**
   * Whether that proves what was published: it is written before readers see a tree, so no crash leaves one that is older. An older one shows
   * nothing of what came after it.
   */
  hasHead: boolean;
  /** Which batches have a registration, by the database; null: none has one. */
  registered: Registered | null;
  /** Whether the file beside the head says the same. */
  hasRegistered: boolean;
}

/**
 * That what was published is the beginning of the tree that is here. An older copy of the database is not, and would be appended to in
 * another way than before.
 * @throws LogStopped
 */
async function assertTreeHoldsHead(
  connection: CommonQueryMethods,
  { config, log, row, path, registeredPath }: { config: Config; log: Log; row: LogRow } & Paths,
): Promise<Read> {
  const whole = { from: 0, to: row.tree_size };
  const nodes = await readNodes(connection, nodesOf(whole));
  const newest = await findNote(connection, row.tree_size);
  if (newest === null || !isSigned(newest, log, row) || !hashOfSpan(whole, nodes).equals(row.root_hash)) {
    throw new LogStopped(
      `The nodes of the log do not make the root that was signed for its ${row.tree_size} entries: rows of log_nodes or log_checkpoints are ` +
        'gone or changed. Restore a copy of the database in which they are whole.',
    );
  }
  await assertUndamaged(connection, log, row);
  assertNotContradicted(config, row);
  const registered = await registeredInDatabase(connection, log, row);
  const { witnessed_size: witnessed, witnessed_root: root } = row;
  if (witnessed !== null && root !== null) {
    await assertBegins(connection, row, { size: witnessed, rootHash: root, from: 'signed by a witness' });
  }
  const note = await readHeadFile(path);
  const head = note === null ? null : headOf(note, log, path);
  if (head !== null) await assertBegins(connection, row, { ...head, from: `published (${basename(path)})` });
  const headSize = head?.size ?? null;
  const kept = await keptRegistered(log, registeredPath, registered);
  const hasRegistered = registered?.from === kept?.from && registered?.to === kept?.to;
  const hasHead = headSize !== null && headSize >= row.published_size;
  return { nodes, newest, headSize, hasHead, registered, hasRegistered };
}

/** A tree that must be the beginning of the one here. */
interface Head {
  size: number;
  rootHash: Buffer;
  /** How it became known, behind `was`. */
  from: string;
}

/** @throws LogStopped */
async function assertBegins(
  connection: CommonQueryMethods,
  row: LogRow,
  { size, rootHash, from }: Head,
): Promise<void> {
  if (size > row.tree_size) {
    throw new LogStopped(
      `The head of ${size} entries was ${from}, and the database has ${row.tree_size}: it is an older copy. ${REMEDY}`,
    );
  }
  const span = { from: 0, to: size };
  if (hashOfSpan(span, await readNodes(connection, nodesOf(span))).equals(rootHash)) return;
  throw new LogStopped(
    `The head of ${size} entries that was ${from} is not the beginning of the tree in the database: it is another ` +
      `branch, made from an older copy. ${REMEDY}`,
  );
}

/** That the proof which was found to lead to no signed root does now. @throws LogStopped, NodesGone */
async function assertUndamaged(connection: CommonQueryMethods, log: Log, row: LogRow): Promise<void> {
  if (row.damaged_from !== null)
    await assertSliceHolds(connection, row.damaged_from, { size: row.tree_size, rootHash: row.root_hash });
  if (row.damaged_index === null) return;
  const entry = await findEntryAt(connection, row.damaged_index);
  const [inclusion] = entry === null ? [] : await inclusionsInBatch(connection, [entry]);
  if (entry !== null && inclusion !== undefined) {
    if (isProven(log, { inclusion, checkpoint: entry.note }, inclusion.leafHash)) {
      const isWhole =
        entry.registration === null
          ? !(await hasLostRegistration(connection, log, entry))
          : statesWhatWasSigned(log, entry, inclusion.rootHash);
      if (isWhole) return;
      throw new LogStopped(alteredAt(row.damaged_index));
    }
  }
  throw new LogStopped(damageAt(row.damaged_index));
}

/**
 * That no witness of the policy knows another tree; one that was taken out of the policy says nothing any more. A process without a policy does not
 * know who was taken out, so for it every word stands.
 * @throws LogStopped
 */
function assertNotContradicted({ witnessPolicy }: Config, row: LogRow): void {
  const keys = contradicting(row);
  const counts = witnessPolicy?.witnesses.some(({ key }) => keys.has(nameOfKey(key))) ?? keys.size > 0;
  if (counts) throw new LogStopped(row.contradicted_reason ?? '');
}

/** @throws LogStopped */
async function assertSliceHolds(connection: CommonQueryMethods, from: number, tree: SignedTree): Promise<void> {
  const fault = await faultOfSlice(connection, from, tree);
  if (fault !== null) throw new LogStopped(fault);
}

function headOf(note: string, log: Log, path: string): { size: number; rootHash: Buffer } {
  try {
    return signedTree(log, note);
  } catch (error) {
    if (!(error instanceof NoteFault)) throw error;
    throw new LogStopped(
      `${basename(path)} is no checkpoint of the log ${log.origin}. Put the file back as it was; the log goes on when it is there.`,
    );
  }
}

/** Whether the checkpoint of this tree, as the database has it, is signed by the log. */
function isSigned(note: string, log: Log, { tree_size: size, root_hash: root }: LogRow): boolean {
  try {
    const signed = signedTree(log, note);
    return signed.size === size && signed.rootHash.equals(root);
  } catch (error) {
    if (!(error instanceof NoteFault)) throw error;
    return false;
  }
}

export interface Locked extends Read, Paths {
  connection: CommonQueryMethods;
  row: LockedLogRow;
}

/** The file with the head does not prove what was published. */
interface Unproven {
  headSize: number | null;
  publishedSize: number;
}

/** Does something under the lock of the log, in one transaction. @returns null: the log is stopped, or held until its head is confirmed */
export async function underLock<T>(
  context: Context,
  work: (locked: Locked & { log: Log }) => Promise<T>,
): Promise<T | null> {
  const log = await openedLogOf(context);
  const { logHeadDir } = context.config;
  const paths = { path: headFileOf(logHeadDir, log.id), registeredPath: registeredFileOf(logHeadDir, log.id) };
  try {
    const done = await inTransaction(
      context,
      async (connection): Promise<{ result: T | null; wasStopped: boolean } | Unproven> => {
        const row = await lockLog(connection);
        const read = await assertTreeHoldsHead(connection, { config: context.config, log, row, ...paths });
        logUnproven(row.unproven_since !== null);
        const isConfirmed = row.confirmed_size === row.published_size;
        if (!read.hasHead && row.published_size > 0 && row.unproven_since === null && !isConfirmed) {
          await noteUnproven(connection);
          return { headSize: read.headSize, publishedSize: row.published_size };
        }
        const held = isHeld(context.config, row);
        const result = held ? null : await work({ connection, log, row, ...paths, ...read });
        const wasStopped = wasAgainst(row);
        if (wasStopped) await noteRunning(connection);
        return { result, wasStopped };
      },
    );
    if ('result' in done) {
      logStopped(false);
      context.caches.get(toldReason).reason = null;
      if (done.wasStopped) context.log.info('the claims log runs again');
      return done.result;
    }
    // It is noted, and this is committed, before there is a file again.
    context.log.warn(
      { path: paths.path, ...done },
      'the head of the claims log was missing or older than the database, which may be an older copy itself: /readyz says so until it is confirmed',
    );
    return await underLock(context, work);
  } catch (error) {
    const stops = error instanceof LogStopped || error instanceof NodesGone || error instanceof HeadFileFault;
    // Anything else may pass, such as Postgres being away. It is tried again, and `late` if it does not pass.
    if (!stops) throw error;
    await stop(context, error.message);
    return null;
  }
}

/** Whether something spoke against the tree until now. */
const wasAgainst = (row: LogRow): boolean =>
  row.stopped_reason !== null ||
  row.damaged_index !== null ||
  row.damaged_from !== null ||
  row.witnessed_size !== null ||
  row.contradicted_by !== null;

/** The reason that this process has logged while the log is stopped; null: none. */
const toldReason = defineCache((): { reason: string | null } => ({ reason: null }));

/** One error a process and reason: the log is looked at every few seconds, and again and again finds the same. */
async function stop(context: Context, reason: string): Promise<void> {
  logStopped(true);
  await noteStopped(context.pool, reason);
  const told = context.caches.get(toldReason);
  if (told.reason === reason) return;
  told.reason = reason;
  context.log.error({ reason }, 'the claims log is stopped: claims are recorded and wait, nothing is appended');
}

/** @throws LogStopped where the key of the log cannot be opened */
export function assertKeyOpens(log: Log): void {
  try {
    log.privateKey();
  } catch (cause) {
    throw new LogStopped(
      'No key of ENCRYPTION_KEY opens the key of the log. Put the key that is missing back into ENCRYPTION_KEY, behind the first one, and start again.',
      { cause },
    );
  }
}
