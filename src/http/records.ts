import type { Logger } from 'pino';
import { requestDurations } from '../metrics/metrics.ts';
import { requestIdOf, traceIdOf } from './request-id.ts';
import type { Middleware, Recorded } from './state.ts';

/**
 * Names a request by its id, and when it is answered counts it and writes its line, never with a body or a query. Commands and refusals
 * are logged at `info`; what changed nothing and went well at `debug`, since a line costs 4 µs and the metrics count them all.
 */
export const records =
  (log: Logger): Middleware<Recorded> =>
  async (ctx, next) => {
    const startedAt = performance.now();
    const { headers } = ctx.req;
    const traceId = traceIdOf(headers.traceparent as string | undefined);
    const requestId = requestIdOf(headers['x-request-id'] as string | undefined, traceId);
    ctx.state = { requestId, traceId, operation: 'none', operatorId: undefined, commanded: false };
    ctx.set('X-Request-Id', requestId);
    await next();
    const { operation, operatorId, commanded } = ctx.state;
    const { method, status } = ctx;
    const ms = performance.now() - startedAt;
    requestDurations.record(operation, status, ms / 1_000);
    const level = commanded || status >= 400 ? 'info' : 'debug';
    if (!log.isLevelEnabled(level)) return;
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
  };
