import { Runtime, type LogLevel, type LogMetadata } from '@temporalio/worker';
import type { Logger } from 'pino';

const pinoLevel = {
  TRACE: 'trace',
  DEBUG: 'debug',
  INFO: 'info',
  WARN: 'warn',
  ERROR: 'error',
} as const satisfies Record<LogLevel, string>;
/** What the SDK says below a warning is about its own work. */
const QUIET: ReadonlySet<LogLevel> = new Set(['TRACE', 'DEBUG', 'INFO']);
/** Says of every poller and every try that Temporal does not answer; `Outage` says it once. */
const REPETITIVE = 'temporalio_client::retry';

/** A worker without workflows is what serves the queue `outbound`: nobody need be warned of it at every start. */
const MEANT = 'No workflows registered, not polling for workflow tasks';

let log: Logger | undefined;

/**
 * The SDK keeps one runtime a process: the first call makes it, a later one only says where its warnings go. It must not listen
 * to signals: when to stop is ours to say.
 */
export function forwardLogs(to: Logger): void {
  if (log === undefined) {
    const write = (level: LogLevel, message: string, meta: LogMetadata = {}): void => {
      if (!QUIET.has(level) && meta.target !== REPETITIVE && message !== MEANT)
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
      telemetryOptions: { logging: { forward: {}, filter: { core: 'WARN', other: 'ERROR' } } },
    });
  }
  log = to;
}
