import { randomUUID } from 'node:crypto';

const ACCEPTED = /^[\w.-]{1,128}$/;
/** W3C Trace Context, version 00 and later: the trace id is the second field, and never all zeros. */
const TRACEPARENT = /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}(?:$|-)/;

export const traceIdOf = (traceparent: string | undefined): string | undefined =>
  traceparent === undefined ? undefined : TRACEPARENT.exec(traceparent)?.[1];

/** The caller's X-Request-Id when it is well formed, else the trace id of `traceparent`, else a new one. */
export const requestIdOf = (requestId: string | undefined, traceId: string | undefined): string =>
  requestId !== undefined && ACCEPTED.test(requestId) ? requestId : (traceId ?? randomUUID());
