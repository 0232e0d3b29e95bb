import type { IncomingMessage } from 'node:http';

/** A page of any origin may read the answer; there are no cookies in it, since the route looks at no credential. */
export const anyOriginHeaders = Object.freeze({
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Expose-Headers': 'ETag, RateLimit, RateLimit-Policy, Retry-After, X-Request-Id',
});

/** Beside `anyOriginHeaders`, in the answer to a preflight. A day is the longest that any browser remembers it. */
export const preflightHeaders = (allow: string) => ({
  'Access-Control-Allow-Methods': allow,
  'Access-Control-Allow-Headers': 'content-type, if-none-match, traceparent, x-request-id',
  'Access-Control-Max-Age': '86400',
});

/** The method of the request that a preflight announces; undefined where the request is no preflight. */
export const preflightMethod = ({ method, headers }: IncomingMessage): string | undefined =>
  method === 'OPTIONS' && headers.origin !== undefined ? headers['access-control-request-method'] : undefined;
