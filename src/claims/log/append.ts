import type { Context } from '../../context/context.ts';
import { faultPoint } from '../../commands/fault-points.ts';
import { writeHeadFile } from './head-file.ts';
import { signCheckpoint, type Log } from './log-key.ts';
import { grow } from './merkle.ts';
import { insertBatch, listPending, markPublished, noteHeadWritten } from './queries.ts';
import { secondsOf, signRegistered, signRegisteredFrom, signRegistration } from './registration.ts';
import { assertKeyOpens, underLock, type Locked } from './under-lock.ts';

/** Claims of one batch at most: with their nodes 64 KiB, appended within 20 ms. More wait for the next, which follows immediately. */
export const BATCH = 1_000;

/**
 * Publishes what is appended: writes the head outside of the database, then lets readers see it.
 * @returns the size that readers see; null: the log is stopped
 */
export const publishLog = (context: Context): Promise<number | null> =>
  underLock(context, async (locked) => {
    await publishUnderLock(locked);
    return locked.row.tree_size;
  });

async function publishUnderLock(locked: Locked & { log: Log }): Promise<void> {
  await keepRegistered(locked);
  const { connection, row, path, newest, hasHead } = locked;
  if (row.published_size < row.tree_size || !hasHead) {
    await writeHeadFile(path, newest);
    faultPoint('appendToLog:head-renamed');
    await markPublished(connection, row.tree_size);
  }
  // A copy that was made before this would be taken for confirmed when it is restored.
  if (row.confirmed_size !== null) await noteHeadWritten(connection);
}

/** All that is read under the lock is committed, so the file never says more than the database has. */
async function keepRegistered({
  log,
  registered,
  hasRegistered,
  registeredPath,
}: Locked & { log: Log }): Promise<void> {
  if (registered === null || hasRegistered) return;
  assertKeyOpens(log);
  await writeHeadFile(registeredPath, signRegistered(log, registered));
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
      ...signedBy(log, grown, {
        registry: context.config.publicBaseUrl,
        now: row.now,
        isFirst: row.registered_from === null,
      }),
    });
    faultPoint('appendToLog:inserted');
    return pending.length;
  });

/** The statements of the log about a batch. @throws LogStopped where the key of the log cannot be opened */
function signedBy(
  log: Log,
  tree: { size: number; root: Buffer },
  { registry, now, isFirst }: { registry: string; now: string; isFirst: boolean },
) {
  assertKeyOpens(log);
  return {
    note: signCheckpoint(log, tree),
    registry,
    createdAt: now,
    registration: signRegistration(log, { ...tree, registry, registeredAt: secondsOf(now) }),
    registeredFrom: isFirst ? signRegisteredFrom(log, tree.size) : null,
  };
}
