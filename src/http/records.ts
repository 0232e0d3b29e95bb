import type { Logger } from 'pino';
import { requestDurations } from '../metrics/metrics.ts';
import type { Exchange } from './exchange.ts';

/**
 * Counts an answered request and writes its line, never with a body or a query: commands and refusals at `info`, what changed
 * nothing and went well at `debug`. A line costs 4 µs, a quarter of a cached GET, and the metrics count them all.
 */
export function recordExchange(log: Logger, exchange: Exchange, status: number): void {
  const { method, operation, commanded, requestId, traceId, operatorId } = exchange;
  const ms = performance.now() - exchange.startedAt;
  requestDurations.record(operation, status, ms / 1_000);
  const level = commanded || status >= 400 ? 'info' : 'debug';
  if (log.isLevelEnabled(level)) {
    log[level](
      {
        method,
        operation,
        status,
        ms: Math.round(ms * 100) / 100,
        requestId,
        ...(traceId && { traceId }),
        ...(operatorId && { operatorId }),
      },
      'request',
    );
  }
}
