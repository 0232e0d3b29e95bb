import type { Context } from '../../context/context.ts';
import { openedLogOf, signedTree } from './log-key.ts';
import { findNewestCheckpoint, noteDamagedSlice, noteWalked, takeSlice } from './queries.ts';
import { endOfSlice, faultOfSlice } from './slice.ts';
import { logStopped } from './stopped.ts';

/** From one slice to the next: a tree of a hundred million claims is walked within three days, at a thousandth of a processor. */
const EVERY_SECONDS = 30;

/**
 * Walks a slice of the log, where it is time for one: computes its nodes again and holds them against the newest root that the log has signed
 * and published. What nobody reads is looked at too; a slice that is not what was signed stops the log (decision L76). A
 * worker carries the walk, whose place is a row: a schedule would need Temporal.
 */
export async function walkLog(context: Context): Promise<void> {
  const { pool } = context;
  const log = await openedLogOf(context);
  const from = await takeSlice(pool, EVERY_SECONDS);
  const newest = from === null ? null : await findNewestCheckpoint(pool);
  if (from === null || newest === null) return;
  const tree = signedTree(log, newest.note);
  // A tree that was restored from a copy is shorter than what was walked.
  if (from >= tree.size) return noteWalked(pool, { from, to: 0 });
  const fault = await faultOfSlice(pool, from, tree);
  if (fault !== null) {
    logStopped(true);
    await noteDamagedSlice(pool, from, fault);
    context.log.error(
      { reason: fault },
      'the claims log is stopped: claims are recorded and wait, nothing is appended',
    );
    return;
  }
  const end = endOfSlice(from, tree.size);
  await noteWalked(pool, { from, to: end === tree.size ? 0 : end });
}
