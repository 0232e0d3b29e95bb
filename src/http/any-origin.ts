import type { IncomingMessage } from 'node:http';

/** A page of any origin may read the answer; there are no cookies in it, since the route looks at no credential. */
export const anyOriginHeaders: readonly string[] = Object.freeze([
  'Access-Control-Allow-Origin',
  '*',
  'Access-Control-Expose-Headers',
  'ETag, RateLimit, RateLimit-Policy, Retry-After, X-Request-Id',
]);

/** Beside `anyOriginHeaders`, where a browser asks before it sends. A day is the longest that any of them remembers. */
export const preflightHeaders = (allow: string): readonly string[] => [
  'Access-Control-Allow-Methods',
  allow,
  'Access-Control-Allow-Headers',
  'content-type, if-none-match, traceparent, x-request-id',
  'Access-Control-Max-Age',
  '86400',
];

/**
 * The method that a browser asks about before it sends a request of another origin; undefined where it asks nothing.
 */
export const askedMethod = ({ method, headers }: IncomingMessage): string | undefined =>
  method === 'OPTIONS' && headers.origin !== undefined ? headers['access-control-request-method'] : undefined;
