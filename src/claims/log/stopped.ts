import type { Context } from '../../context/context.ts';
import { metrics } from '../../metrics/metrics.ts';
import { findLog } from './queries.ts';

const gauge = metrics.gauge('carnet_log_stopped', '1 while nothing is appended to the log of claims; /readyz says why');

/** Notes whether the log is stopped, for this process' metrics. */
export const logStopped = (isStopped: boolean): void => gauge.record(isStopped ? 1 : 0);

/** Why nothing is appended to the log, and what to do; null while it runs. */
export const whyLogIsStopped = async ({ pool }: Pick<Context, 'pool'>): Promise<string | null> =>
  (await findLog(pool))?.stopped_reason ?? null;
