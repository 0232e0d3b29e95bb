import { basename } from 'node:path';
import type { Context } from '../../context/context.ts';
import { inTransaction } from '../../commands/unit.ts';
import { step } from '../../commands/fault-points.ts';
import type { CommonQueryMethods } from '../../database/pool.ts';
import { headFileOf, readHeadFile, writeHeadFile } from './head-file.ts';
import { openedLogOf, signCheckpoint, signedTree, type Log } from './log-key.ts';
import { grow, hashOfSpan, nodesOf, type ReadNode } from './merkle.ts';
import {
  findNote,
  insertBatch,
  listPending,
  lockLog,
  markPublished,
  NodesGone,
  noteStopped,
  noteUnproven,
  readNodes,
  type LogRow,
} from './queries.ts';
import { logStopped, logUnproven } from './stopped.ts';
import { NoteFault } from './signed-note.ts';

/** Claims of one batch at most: with their nodes 64 KiB, appended within 20 ms. More wait for the next, which follows at once. */
export const BATCH = 1_000;

/** What stops the log: nothing may be appended to this tree. The message says why, and what to do. */
class LogStopped extends Error {
  override readonly name = 'LogStopped';
}

/** What a person does about a tree that is older than what was published. */
const REMEDY =
  'Stop the service and restore a newer copy of the database, one that was made after that head was published. Never delete the file to go on: ' +
  'receipts that others hold would not verify any more. docs/operations.md says what to do where no newer copy exists.';

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
  const note = await readHeadFile(path);
  if (note === null) return { nodes, newest, hasHead: false };
  const head = headOf(note, log, path);
  if (head.size > row.tree_size) {
    throw new LogStopped(
      `The head of ${head.size} entries was published (${basename(path)}), and the database has ${row.tree_size}: it is an older copy. ${REMEDY}`,
    );
  }
  const published = { from: 0, to: head.size };
  const beginning = head.size === row.tree_size ? nodes : await readNodes(connection, nodesOf(published));
  if (!hashOfSpan(published, beginning).equals(head.rootHash)) {
    throw new LogStopped(
      `The head of ${head.size} entries that was published (${basename(path)}) is not the beginning of the tree in the database: it is another ` +
        `branch, made from an older copy. ${REMEDY}`,
    );
  }
  return { nodes, newest, hasHead: true };
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
    const done = await inTransaction(context, async (connection): Promise<{ result: T } | null> => {
      const row = await lockLog(connection);
      const read = await assertTreeHoldsHead(connection, log, row, path);
      if (row.stopped_reason !== null) {
        await noteStopped(connection, null);
        context.log.info('the claims log runs again');
      }
      logStopped(false);
      logUnproven(row.unproven_since !== null);
      if (!read.hasHead && row.published_size > 0 && row.unproven_since === null) {
        await noteUnproven(connection);
        return null;
      }
      return { result: await work({ connection, log, row, path, ...read }) };
    });
    if (done !== null) return done.result;
    // It is noted, and this is committed, before there is a file again.
    context.log.warn(
      { path },
      'the head of the claims log was not there and is taken from the database, which may be an older copy: /readyz says so until it is confirmed',
    );
    return await underLock(context, work);
  } catch (error) {
    if (!(error instanceof LogStopped || error instanceof NodesGone)) throw error;
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
      note: signCheckpoint(log, grown),
      registry: context.config.publicBaseUrl,
    });
    step('appendToLog:inserted');
    return pending.length;
  });
