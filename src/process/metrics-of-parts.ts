import { scheduleMetrics } from '../commands/schedules.ts';
import type { Context } from '../context/context.ts';
import { ownRelease } from '../database/functions.ts';
import type { DatabasePool } from '../database/pool.ts';
import { stuckMetrics } from '../billing/index.ts';
import { logMetrics } from '../claims/index.ts';
import { VERSION } from '../context/version.ts';
import { lifeMetrics } from '../lives/index.ts';
import { mailMetrics } from '../mail/index.ts';
import { addMetricsSource } from '../metrics/metrics.ts';

/** Adds to `/metrics` what this process reads from its parts and from the database. @returns what takes it out again */
export function addMetricsOfParts(context: Context, pools: Readonly<Record<string, () => DatabasePool | undefined>>) {
  const removals = [
    () => Promise.resolve(processMetrics(context, pools)),
    () => logMetrics(context),
    () => lifeMetrics(context),
    () => scheduleMetrics(context),
    () => mailMetrics(context),
    () => stuckMetrics(context),
  ].map((read) => addMetricsSource(read));
  return (): void => removals.forEach((remove) => remove());
}

/** In Prometheus' text format: the connections of this process, who waits in it, and which build it is. */
function processMetrics(
  { rowEvents }: Pick<Context, 'rowEvents'>,
  pools: Readonly<Record<string, () => DatabasePool | undefined>>,
): string {
  const states = Object.entries(pools).flatMap(([name, pool]) => {
    const state = pool()?.state();
    return state === undefined ? [] : [{ name, ...state }];
  });
  return `# HELP carnet_pool_connections_in_use Connections to the database that a statement or transaction has
# TYPE carnet_pool_connections_in_use gauge
${states.map(({ name, acquiredConnections }) => `carnet_pool_connections_in_use{pool="${name}"} ${acquiredConnections}\n`).join('')}\
# HELP carnet_pool_waiting Statements and transactions that wait for a connection
# TYPE carnet_pool_waiting gauge
${states.map(({ name, waitingClients }) => `carnet_pool_waiting{pool="${name}"} ${waitingClients}\n`).join('')}\
# HELP carnet_waiters Calls that wait for a row to change, as by Prefer: wait
# TYPE carnet_waiters gauge
carnet_waiters ${rowEvents.waiting}
# HELP carnet_build_info Which build this process is; always 1
# TYPE carnet_build_info gauge
carnet_build_info{version="${VERSION}",node="${process.versions.node}",release="${ownRelease().schema}"} 1
`;
}
