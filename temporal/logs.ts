import { Runtime, type LogLevel, type LogMetadata } from '@temporalio/worker';
import type { Logger } from 'pino';

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

let log: Logger | undefined;

/**
 * The SDK keeps one runtime a process: the first call makes it, a later one only sets where its warnings go. It must not listen
 * to signals: this process decides when to stop.
 */
export function forwardLogs(to: Logger): void {
  if (log === undefined) {
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
      telemetryOptions: { logging: { forward: {}, filter: { core: 'WARN', other: 'ERROR' } } },
    });
  }
  log = to;
}
