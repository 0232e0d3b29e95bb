import type { Context } from '../../context/context.ts';
import { metrics } from '../../metrics/metrics.ts';
import { ageOfOldestWaiting, findLog, type LogRow } from './queries.ts';

const stoppedGauge = metrics.gauge(
  'carnet_log_stopped',
  '1 while nothing is appended to the log of claims; /readyz says why',
);
const unprovenGauge = metrics.gauge(
  'carnet_log_unproven',
  '1 while nobody has confirmed that the log of claims is not an older copy; /readyz says since when',
);

/** A fault that stops the log: nothing may be appended to this tree. The message says why, and what to do. */
export class LogStopped extends Error {
  override readonly name = 'LogStopped';
}

/** Notes whether the log is stopped, for this process' metrics. */
export const logStopped = (isStopped: boolean): void => stoppedGauge.record(isStopped ? 1 : 0);

/** Notes whether the head was taken from the database and nobody has confirmed it, for this process' metrics. */
export const logUnproven = (isUnproven: boolean): void => unprovenGauge.record(isUnproven ? 1 : 0);

/** A claim waits for a second, for fifteen without Temporal; the rest is for what passes by itself. */
const LATE_SECONDS = 60;

/** Tells a person what to do about a tree that is older than what was published. */
export const REMEDY =
  'Stop the service and restore a newer copy of the database, one that was made after that head was published. Never delete the file to go on: ' +
  'receipts that others hold would not verify any more. docs/operations.md says what to do where no newer copy exists.';

/** Why a log stops of which witnesses know another tree; `why` is a sentence about the witness. */
export const contradictionBy = (witnesses: readonly { name: string; why: string }[]): string =>
  `${witnesses.map(({ name, why }) => `The witness ${name} contradicts this log. ${why}`).join(' ')} Is the database an older copy? ${REMEDY}`;

/** Why a log stops whose tree does not prove the claim at this place. */
export const damageAt = (index: number): string =>
  `The proof of entry ${index} of the log does not lead to the root that was signed: rows of log_nodes, log_entries or log_checkpoints are gone ` +
  'or changed. Restore a copy of the database in which they are whole.';

/** Why a log stops of which a row states something else than what the log signed of its batch. */
export const alteredAt = (index: number): string =>
  `The registry or the time that log_checkpoints has of the batch of entry ${index} of the log is not what the log signed: the row was changed by ` +
  'hand. Restore a copy of the database in which it is whole.';

/** Why no receipt is given of a batch that has no registration, and gets none while the log is stopped. */
export const unregisteredAt = (index: number, stopped: string): string =>
  `The batch of entry ${index} of the log has no registration, and the log signs none while it is stopped: ${stopped}`;

/** Whether nothing is published until somebody confirms the head: with a policy there are witnesses to ask (decision L104). */
export const isHeld = (
  { witnessPolicy }: Pick<Context['config'], 'witnessPolicy'>,
  { unproven_since: since }: Pick<LogRow, 'unproven_since'>,
): boolean => witnessPolicy !== undefined && since !== null;

/** In Prometheus' text format, as the database has it when it is asked. */
export async function logMetrics({ pool }: Pick<Context, 'pool'>): Promise<string> {
  const seconds = await ageOfOldestWaiting(pool);
  const { walked_size: walked, walk_rounds: rounds } = (await findLog(pool)) ?? { walked_size: 0, walk_rounds: 0 };
  return `# HELP carnet_log_oldest_waiting_seconds How long the oldest claim without a receipt has waited
# TYPE carnet_log_oldest_waiting_seconds gauge
carnet_log_oldest_waiting_seconds ${seconds.toFixed(3)}
# HELP carnet_log_walked_entries How far the walk that computes old nodes again has come in this round
# TYPE carnet_log_walked_entries gauge
carnet_log_walked_entries ${walked}
# HELP carnet_log_walk_rounds_total How often it has come to the end
# TYPE carnet_log_walk_rounds_total counter
carnet_log_walk_rounds_total ${rounds}
`;
}

/** The troubles of the log that a person must know; each is a text that says what to do, null where all is well. */
export interface LogTrouble {
  /** Why nothing is appended. */
  stopped: string | null;
  /** Claims wait for longer than they should, for a reason that nobody has found. */
  late: string | null;
  /** It runs, and whether it runs on an older copy nobody has confirmed. */
  unproven: string | null;
}

/** As the database has it, for every process alike. */
export async function troubleOfLog({ config, pool }: Pick<Context, 'config' | 'pool'>): Promise<LogTrouble> {
  const row = await findLog(pool);
  if (row === null) return { stopped: null, late: null, unproven: null };
  const { stopped_reason: stopped, unproven_since: since, unproven_size: size } = row;
  const unproven =
    since === null
      ? null
      : `At ${since} the file with the head of the log was missing or older than the database, and the head of ${size} entries was taken from the database. If that was an ` +
        (isHeld(config, row)
          ? 'older copy, the log would fork, so nothing is published. Enough witnesses of the policy that signed the log before confirm it when they sign ' +
            'again, or a person: docs/operations.md says how.'
          : 'older copy, the log has forked. A person confirms it: docs/operations.md says how.');
  const seconds = await ageOfOldestWaiting(pool);
  const isExplained = stopped !== null || isHeld(config, row);
  const late =
    isExplained || seconds < LATE_SECONDS
      ? null
      : `The oldest claim without a receipt has waited for ${Math.floor(seconds)} seconds. Look whether a worker runs, and what it logs: ` +
        'what fails for a reason that passes is tried again.';
  return { stopped, late, unproven };
}
