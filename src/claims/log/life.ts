import { setTimeout as sleep } from 'node:timers/promises';
import type { Context } from '../../context/context.ts';
import { translated } from '../../database/errors.ts';
import { faultPoint } from '../../commands/fault-points.ts';
import type { LookOfLives } from '../../commands/lives.ts';
import { describeLives, type LifeDescription } from '../../commands/life-description.ts';
import { lifeId } from '../../ids/life-ids.ts';
import { appendBatch, BATCH, publishLog } from './append.ts';
import { openedLogOf } from './log-key.ts';
import { advanceLogRow, deleteMessagesOf, findLog, hasUnregistered, wakeLog } from './queries.ts';
import { registerOlder } from './registered.ts';
import { walkLog } from './walk.ts';

/** From one batch to the next. */
const BATCH_EVERY_MS = 200;
/** For how long one step appends: a step in the database has five seconds. */
const MAX_STEP_MS = 2_000;
/** Looks in vain before a step ends: more than half a second, after which a message would wake the life again. */
const LOOKS_IN_VAIN = 3;

/** Where the log is. */
interface LogStep {
  /** `waiting`: claims wait for a place, or what is appended is not published. `stopped`: nothing may be appended. */
  status: 'gone' | 'idle' | 'waiting' | 'stopped';
  treeSize: number;
  publishedSize: number;
  /** Nothing about the log is timed. */
  waitMs: null;
}

/** One look of the life at its row: deletes the messages that woke it. It may run any number of times. */
export async function advanceLog({ pool }: Context, id: string): Promise<LogStep> {
  const row = await translated(advanceLogRow(pool, id));
  return { status: row.status, treeSize: row.tree_size, publishedSize: row.published_size, waitMs: null };
}

/**
 * Appends what waits in batches, every 200 ms, and publishes each. It goes on while claims come, for two seconds at most. Any number may run
 * in parallel: the lock of the log lets one batch after the other in, and each reads the tree again.
 * @returns `more`: claims still came when the time was over
 */
export async function appendToLog(context: Context): Promise<{ more: boolean }> {
  const life = lifeId['log-sequencer']((await openedLogOf(context)).id);
  const until = performance.now() + MAX_STEP_MS;
  for (let inVain = 0; performance.now() < until;) {
    const begun = performance.now();
    await deleteMessagesOf(context.pool, life);
    const appended = await appendBatch(context);
    faultPoint('appendToLog:committed');
    if (appended === null) return { more: false };
    if (appended > 0) await publishLog(context);
    faultPoint('appendToLog:published');
    inVain = appended > 0 ? 0 : inVain + 1;
    if (appended < BATCH) await sleep(Math.max(begun + BATCH_EVERY_MS - performance.now(), 0));
    if (inVain === LOOKS_IN_VAIN) return { more: false };
  }
  return { more: true };
}

/** There is one log; of other ids nothing is said. */
export async function describeLogs({ pool }: Context, ids: string[]): Promise<Map<string, LifeDescription>> {
  const row = await findLog(pool);
  return describeLives(row !== null && ids.includes(row.id) ? [row] : [], ({ origin }) => ({
    operatorIds: ['op_platform'],
    summary: 'The log of claims',
    details: `Gives claims their places in the log \`${origin}\``,
  }));
}

/**
 * Where claims wait and no run looks after them, what waits is appended here and now: without Temporal a receipt takes ten seconds or fifteen. A log
 * that nothing waits for needs no run.
 */
export const lookAtLogs: LookOfLives = async (context, { lives, wakes }) => {
  for (const life of lives) {
    const { status } = await advanceLog(context, life.slice(life.indexOf(':') + 1));
    if (status !== 'waiting' && status !== 'stopped') continue;
    const until = performance.now() + MAX_STEP_MS;
    while (performance.now() < until && ((await appendBatch(context)) ?? 0) > 0) await publishLog(context);
    if (wakes) await wakeLog(context.pool, life);
  }
  if (wakes) context.delivery.messagesCommitted();
  return { ended: 0 };
};

/** Looks at a slice of what the log has. Nothing of it is done where there is no log: it is made by the process that needs it. */
export async function lookAfterLog(context: Context): Promise<void> {
  if ((await findLog(context.pool)) === null) return;
  const until = performance.now() + MAX_STEP_MS;
  // Two seconds of every five, the newest first: claims in these batches have no receipt (202) until they are signed.
  if (await hasUnregistered(context.pool))
    while (performance.now() < until && ((await registerOlder(context)) ?? 0) > 0);
  await walkLog(context);
}
