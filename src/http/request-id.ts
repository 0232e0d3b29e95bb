import { randomUUID } from 'node:crypto';

const ACCEPTED = /^[\w.-]{1,128}$/;

/** The caller's X-Request-Id when it is well formed, else the trace id of `traceparent`, else a new one. */
export const requestIdOf = (requestId: string | undefined, traceId: string | undefined): string =>
  requestId !== undefined && ACCEPTED.test(requestId) ? requestId : (traceId ?? randomUUID());
