import type { Logger } from 'pino';
import type { Caller } from '../commands/caller.ts';
import { credentialName } from '../commands/caller.ts';
import type { Config } from '../context/config.ts';
import { requestDurations } from '../metrics/metrics.ts';
import { openRequestSpan, traceIdOf } from '../tracing/tracing.ts';
import { clientAddress } from './addresses.ts';
import { requestIdOf } from './request-id.ts';
import type { Middleware, Recorded, Routed } from './state.ts';

/** Pages that machines ask for every few seconds: a line for each would bury the others. The metrics count them. */
const PROBES: ReadonlySet<string> = new Set(['livez', 'readyz', 'healthz', 'metrics']);

/** A path may hold anything, a key that somebody mistook for an id among it: nothing but ids of ours is written. */
const ID = /^[a-z]{2,5}_[0-9A-Z]{26}$/;

function resourceOf(params: Readonly<Record<string, string>> = {}): { resource?: Record<string, string> } {
  const ids = Object.entries(params).filter(([, value]) => ID.test(value));
  return ids.length === 0 ? {} : { resource: Object.fromEntries(ids) };
}

/** Names the caller in the line of the request: by ids, never by what they showed. */
export function noteCaller(state: Recorded, caller: Caller): void {
  state.operatorId = caller.operatorId;
  state.credentialId = credentialName(caller);
  state.agentId = 'agentId' in caller ? caller.agentId : undefined;
}

/**
 * Names a request by its id, and when it is answered counts it and writes its line, never with a body or a query. The ids in its path
 * say what it is about. Commands and refusals are logged at `info`; what changed nothing and went well at `debug`, since a line costs 4 µs
 * and the metrics count them all.
 */
export const records =
  (log: Logger, { trustProxyHops }: Pick<Config, 'trustProxyHops'>): Middleware<Recorded & Partial<Routed>> =>
  async (ctx, next) => {
    const startedAt = performance.now();
    const { headers } = ctx.req;
    const traceparent = headers.traceparent as string | undefined;
    const span = openRequestSpan(traceparent);
    const { traceId } = span;
    const requestId = requestIdOf(headers['x-request-id'] as string | undefined, traceIdOf(traceparent));
    ctx.state = {
      requestId,
      traceId,
      operation: 'none',
      operatorId: undefined,
      credentialId: undefined,
      agentId: undefined,
      refused: undefined,
      commanded: false,
    };
    ctx.set('X-Request-Id', requestId);
    await span.within(next);
    const { operation, operatorId, credentialId, agentId, refused, params, commanded } = ctx.state;
    const { method, status } = ctx;
    const ms = performance.now() - startedAt;
    requestDurations.record(operation, status, ms / 1_000);
    if (operation !== 'none' && !PROBES.has(operation))
      span.end(operation, {
        failed: status >= 500,
        attributes: {
          'http.request.method': method,
          'http.response.status_code': status,
          'carnet.request_id': requestId,
          ...(operatorId !== undefined && { 'carnet.operator_id': operatorId }),
          ...(agentId !== undefined && { 'carnet.agent_id': agentId }),
          ...(refused !== undefined && { 'carnet.code': refused }),
        },
      });
    const level = commanded || status >= 400 ? 'info' : 'debug';
    if (PROBES.has(operation) || !log.isLevelEnabled(level)) return;
    log[level](
      {
        method,
        operation,
        status,
        ms: Math.round(ms * 100) / 100,
        requestId,
        ...(traceId && { traceId }),
        address: clientAddress(ctx.req, trustProxyHops),
        ...(operatorId && { operatorId, credentialId }),
        ...(agentId && { agentId }),
        ...resourceOf(params),
        ...(refused && { code: refused }),
      },
      'request',
    );
  };
