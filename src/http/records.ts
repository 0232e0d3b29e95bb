import type { Logger } from 'pino';
import { metrics } from '../metrics.ts';
import type { Exchange } from './exchange.ts';

const durations = metrics.durations(
  'carnet_http_request_duration_seconds',
  'Answers of the API by operation and status',
);

/**
 * Counts an answered request and writes its line, never with a body or a query. Reads that went well are `debug`: a line costs
 * 4 µs, as much as a third of a cached GET, and the metrics count them anyway. Everything else is `info`.
 */
export function recordExchange(log: Logger, exchange: Exchange, status: number): void {
  const { method, operation, requestId, traceId, operatorId } = exchange;
  const ms = performance.now() - exchange.startedAt;
  durations.record(ms / 1_000, { operation, status });
  const level = status < 400 && (method === 'GET' || method === 'HEAD') ? 'debug' : 'info';
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
