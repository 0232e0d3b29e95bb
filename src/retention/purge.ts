import type { Context } from '../context/context.ts';
import type { PurgeStep } from '../commands/purge.ts';
import { noteSchedule } from '../commands/schedules.ts';
import { CONTENTS } from './contents.ts';
import { eraseNext } from './erase.ts';

/** A place in a run through the list of contents, and through the operators of each. */
export interface Place {
  /** Null: the first of the list. */
  content: string | null;
  /** The operator to begin with; '' for the first. */
  from: string;
}

interface Step {
  name: string;
  purge: PurgeStep;
}

interface PurgedBatch {
  content: string;
  purged: number;
  /** Where the next step goes on; null: nothing is left to look at. */
  next: Place | null;
}

/** Erasures that were requested go last: they take what has come since it was looked at, and are noted as ended. */
const STEPS: readonly [Step, ...Step[]] = [...CONTENTS, { name: 'erasures', purge: eraseNext }];

/** Purges the next batch of what is older than its operator keeps it. A content that the list lacks, as of another release, begins it from the beginning. */
export async function purgeContents(context: Context, { content, from }: Place): Promise<PurgedBatch> {
  const found = STEPS.find(({ name }) => name === content) ?? STEPS[0];
  const { purged, next } = await found.purge(context, { from, to: null });
  if (next !== null) return { content: found.name, purged, next: { content: found.name, from: next } };
  const following = STEPS[STEPS.indexOf(found) + 1];
  if (following === undefined) await noteSchedule(context.pool, 'retention');
  return {
    content: found.name,
    purged,
    next: following === undefined ? null : { content: following.name, from: '' },
  };
}
