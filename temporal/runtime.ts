import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { Runtime, type LogLevel, type LogMetadata } from '@temporalio/worker';
import type { Logger } from 'pino';
import { addMetricsSource } from '../src/metrics/metrics.ts';

const pinoLevel = {
  TRACE: 'trace',
  DEBUG: 'debug',
  INFO: 'info',
  WARN: 'warn',
  ERROR: 'error',
} as const satisfies Record<LogLevel, string>;
/** Below a warning the SDK logs its own work only. */
const QUIET: ReadonlySet<LogLevel> = new Set(['TRACE', 'DEBUG', 'INFO']);
/** Logs for every poller and every try that Temporal does not answer; `Outage` logs it once. */
const REPETITIVE = 'temporalio_client::retry';

/** The worker of the queue `outbound` has no workflows on purpose: no warning at every start. */
const NO_WORKFLOWS = 'No workflows registered, not polling for workflow tasks';

/** Within one process; it takes a millisecond or two. */
const METRICS_MS = 1_000;

let log: Logger | undefined;

/**
 * The SDK keeps one runtime a process: the first call makes it, a later one only sets where its warnings go. What it counts (`temporal_…`)
 * is added to /metrics. It must not listen to signals: this process decides when to stop.
 */
export async function openRuntime(to: Logger): Promise<void> {
  const first = log === undefined;
  log = to;
  if (first) {
    const metrics = await freeLoopbackPort();
    const write = (level: LogLevel, message: string, meta: LogMetadata = {}): void => {
      if (!QUIET.has(level) && meta.target !== REPETITIVE && message !== NO_WORKFLOWS)
        log?.[pinoLevel[level]]({ temporal: meta }, message);
    };
    Runtime.install({
      shutdownSignals: [],
      logger: {
        log: write,
        trace: (message, meta) => write('TRACE', message, meta),
        debug: (message, meta) => write('DEBUG', message, meta),
        info: (message, meta) => write('INFO', message, meta),
        warn: (message, meta) => write('WARN', message, meta),
        error: (message, meta) => write('ERROR', message, meta),
      },
      telemetryOptions: {
        logging: { forward: {}, filter: { core: 'WARN', other: 'ERROR' } },
        metrics: {
          prometheus: {
            bindAddress: `127.0.0.1:${metrics}`,
            countersTotalSuffix: true,
            unitSuffix: true,
            useSecondsForDurations: true,
          },
        },
      },
    });
    addMetricsSource(() => textOf(`http://127.0.0.1:${metrics}/metrics`));
  }
}

/** The SDK's core shows what it counts on a port alone; it says of none that the system chose which it is. */
async function freeLoopbackPort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as AddressInfo;
  probe.close();
  await once(probe, 'close');
  return port;
}

async function textOf(url: string): Promise<string> {
  const reply = await fetch(url, { signal: AbortSignal.timeout(METRICS_MS) });
  return await reply.text();
}
