import type { Context } from '../../context/context.ts';
import { metrics } from '../../metrics/metrics.ts';
import { findLog } from './queries.ts';

const stoppedGauge = metrics.gauge(
  'carnet_log_stopped',
  '1 while nothing is appended to the log of claims; /readyz says why',
);
const unprovenGauge = metrics.gauge(
  'carnet_log_unproven',
  '1 while nobody has confirmed that the log of claims is not an older copy; /readyz says since when',
);

/** Notes whether the log is stopped, for this process' metrics. */
export const logStopped = (isStopped: boolean): void => stoppedGauge.record(isStopped ? 1 : 0);

/** Notes whether the head was taken from the database and nobody has confirmed it, for this process' metrics. */
export const logUnproven = (isUnproven: boolean): void => unprovenGauge.record(isUnproven ? 1 : 0);

/** What a person must know about the log; each is a text that says what to do, null where all is well. */
export interface LogTrouble {
  /** Why nothing is appended. */
  stopped: string | null;
  /** It runs, and whether it runs on an older copy nobody has confirmed. */
  unproven: string | null;
}

/** As the database has it, for every process alike. */
export async function troubleOfLog({ pool }: Pick<Context, 'pool'>): Promise<LogTrouble> {
  const row = await findLog(pool);
  if (row === null) return { stopped: null, unproven: null };
  const { stopped_reason: stopped, unproven_since: since, unproven_size: size } = row;
  const unproven =
    since === null
      ? null
      : `At ${since} the file with the head of the log was not there, and the head of ${size} entries was taken from the database. If that was an ` +
        'older copy, the log has forked. A witness that signed the log before confirms it when it signs again, or a person: docs/operations.md says how.';
  return { stopped, unproven };
}
