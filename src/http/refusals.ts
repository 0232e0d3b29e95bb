import type { ErrorCode } from '../errors/codes.ts';
import { refusalsOfAudience } from './auth/audience.ts';
import { takesBody, takesKey, type AnyRoute } from './route.ts';

/** Every code that requests of this route may be refused with: its own and those that all routes like it share. Sorted. */
export const refusalsOf = (route: AnyRoute): ErrorCode[] =>
  [...new Set([...sharedRefusals(route), ...(route.refusals ?? [])])].toSorted();

function sharedRefusals(route: AnyRoute): ErrorCode[] {
  const codes: ErrorCode[] = ['RATE_LIMITED', 'INTERNAL_ERROR', 'TEMPORARILY_UNAVAILABLE'];
  if (route.params !== undefined || route.query !== undefined || takesBody(route)) codes.push('VALIDATION_ERROR');
  // An id that cannot be one is the id of nothing.
  if (route.params !== undefined) codes.push('NOT_FOUND');
  if (takesBody(route)) codes.push('BODY_TOO_LARGE', 'REQUEST_TIMEOUT', 'UNSUPPORTED_MEDIA_TYPE');
  if (takesKey(route)) codes.push('IDEMPOTENCY_IN_FLIGHT', 'IDEMPOTENCY_KEY_REUSED');
  return [...codes, ...refusalsOfAudience(route.audience, route.method)];
}
