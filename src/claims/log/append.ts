import { basename } from 'node:path';
import type { Context } from '../../context/context.ts';
import { inTransaction } from '../../commands/unit.ts';
import { step } from '../../commands/fault-points.ts';
import type { CommonQueryMethods } from '../../database/pool.ts';
import { HeadFileFault, headFileOf, readHeadFile, writeHeadFile } from './head-file.ts';
import { openedLogOf, signCheckpoint, signedTree, type Log } from './log-key.ts';
import { grow, hashOfSpan, nodesOf, type ReadNode } from './merkle.ts';
import { inclusionsInBatch } from './proofs.ts';
import { isProven } from './proven.ts';
import {
  findEntryAt,
  findNote,
  insertBatch,
  listPending,
  lockLog,
  markPublished,
  NodesGone,
  noteRunning,
  noteStopped,
  noteUnproven,
  readNodes,
  type LogRow,
} from './queries.ts';
import { damageAt, logStopped, logUnproven, REMEDY } from './stopped.ts';
import { NoteFault } from './signed-note.ts';

/** Claims of one batch at most: with their nodes 64 KiB, appended within 20 ms. More wait for the next, which follows at once. */
export const BATCH = 1_000;

/** What stops the log: nothing may be appended to this tree. The message says why, and what to do. */
class LogStopped extends Error {
  override readonly name = 'LogStopped';
}

/** What was read under the lock. */
interface Read {
  /** The nodes that make the root of the tree. */
  nodes: ReadNode;
  /** The checkpoint of the tree. */
  newest: string;
  /** Whether the head stands outside of the database. */
  hasHead: boolean;
}

/**
 * That what was published is the beginning of the tree that is here. An older copy of the database is not, and would be appended to in
 * another way than before.
 * @throws LogStopped
 */
async function assertTreeHoldsHead(connection: CommonQueryMethods, log: Log, row: LogRow, path: string): Promise<Read> {
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
  const { witnessed_size: witnessed, witnessed_root: root } = row;
  if (witnessed !== null && root !== null) {
    await assertBegins(connection, row, { size: witnessed, rootHash: root, from: 'signed by a witness' });
  }
  const note = await readHeadFile(path);
  if (note === null) return { nodes, newest, hasHead: false };
  await assertBegins(connection, row, { ...headOf(note, log, path), from: `published (${basename(path)})` });
  return { nodes, newest, hasHead: true };
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
  if (row.damaged_index === null) return;
  const entry = await findEntryAt(connection, row.damaged_index);
  const [inclusion] = entry === null ? [] : await inclusionsInBatch(connection, [entry]);
  if (entry !== null && inclusion !== undefined) {
    if (isProven(log, { inclusion, checkpoint: entry.note }, inclusion.leafHash)) return;
  }
  throw new LogStopped(damageAt(row.damaged_index));
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

interface Locked extends Read {
  connection: CommonQueryMethods;
  row: LogRow;
  path: string;
}

/** Does something under the lock of the log, in one transaction. @returns null: the log is stopped */
async function underLock<T>(context: Context, work: (locked: Locked & { log: Log }) => Promise<T>): Promise<T | null> {
  const log = await openedLogOf(context);
  const path = headFileOf(context.config.logHeadDir, log.id);
  try {
    const done = await inTransaction(
      context,
      async (connection): Promise<{ result: T; wasStopped: boolean } | null> => {
        const row = await lockLog(connection);
        const read = await assertTreeHoldsHead(connection, log, row, path);
        logUnproven(row.unproven_since !== null);
        if (!read.hasHead && row.published_size > 0 && row.unproven_since === null) {
          await noteUnproven(connection);
          return null;
        }
        const result = await work({ connection, log, row, path, ...read });
        const { stopped_reason: stopped, damaged_index: damaged, witnessed_size: witnessed } = row;
        const wasStopped = stopped !== null || damaged !== null || witnessed !== null;
        if (wasStopped) await noteRunning(connection);
        return { result, wasStopped };
      },
    );
    if (done !== null) {
      logStopped(false);
      if (done.wasStopped) context.log.info('the claims log runs again');
      return done.result;
    }
    // It is noted, and this is committed, before there is a file again.
    context.log.warn(
      { path },
      'the head of the claims log was not there and is taken from the database, which may be an older copy: /readyz says so until it is confirmed',
    );
    return await underLock(context, work);
  } catch (error) {
    const stops = error instanceof LogStopped || error instanceof NodesGone || error instanceof HeadFileFault;
    // Whatever else happens may pass, such as Postgres being away. It is tried again, and `late` if it does not pass.
    if (!stops) throw error;
    await stop(context, error.message);
    return null;
  }
}

async function stop(context: Context, reason: string): Promise<void> {
  logStopped(true);
  await noteStopped(context.pool, reason);
  context.log.error({ reason }, 'the claims log is stopped: claims are recorded and wait, nothing is appended');
}

/**
 * Publishes what is appended: writes the head outside of the database, then lets readers see it.
 * @returns the size that readers see; null: the log is stopped
 */
export const publishLog = (context: Context): Promise<number | null> =>
  underLock(context, async (locked) => {
    await publishUnderLock(locked);
    return locked.row.tree_size;
  });

async function publishUnderLock({ connection, row, path, newest, hasHead }: Locked): Promise<void> {
  if (row.published_size === row.tree_size && hasHead) return;
  await writeHeadFile(path, newest);
  step('appendToLog:head-renamed');
  await markPublished(connection, row.tree_size);
}

/**
 * Appends what waits, one batch at most. What was appended before is published first, so that never more than a batch is unknown outside.
 * @returns how many claims were appended; null: the log is stopped
 */
export const appendBatch = (context: Context): Promise<number | null> =>
  underLock(context, async (locked) => {
    await publishUnderLock(locked);
    const { connection, log, row, nodes } = locked;
    const pending = await listPending(connection, BATCH);
    if (pending.length === 0) return 0;
    const { tree_size: size } = row;
    const leaves = pending.map(({ leaf_hash: leaf }) => leaf);
    const grown = grow(size, leaves, nodes);
    await insertBatch(connection, {
      size,
      seqs: pending.map(({ seq }) => seq),
      nodes: Buffer.concat(grown.levels.flat()),
      root: grown.root,
      note: signedBy(log, grown),
      registry: context.config.publicBaseUrl,
    });
    step('appendToLog:inserted');
    return pending.length;
  });

/** @throws LogStopped where the key of the log cannot be opened */
function signedBy(log: Log, tree: { size: number; root: Buffer }): string {
  try {
    log.privateKey();
  } catch (cause) {
    throw new LogStopped(
      'No key of ENCRYPTION_KEY opens the key of the log. Put the key that is missing back into ENCRYPTION_KEY, behind the first one, and start again.',
      { cause },
    );
  }
  return signCheckpoint(log, tree);
}
