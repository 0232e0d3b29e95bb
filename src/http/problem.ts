import { translateDatabaseError } from '../database/errors.ts';
import { ErrorCodes } from '../errors/codes.ts';
import { CarnetError } from '../errors/carnet-error.ts';
import type { Exchange } from './exchange.ts';
import { apiHeaders } from './security-headers.ts';

/** The refusal an error stands for; undefined for a fault of ours. */
export function refusalOf(error: unknown): CarnetError | undefined {
  const translated = error instanceof CarnetError ? error : translateDatabaseError(error);
  return translated instanceof CarnetError ? translated : undefined;
}

/** What is said about a fault of ours: nothing of its insides. */
export const internalError = (): CarnetError =>
  new CarnetError(
    'INTERNAL_ERROR',
    'The fault is ours and was recorded under the request_id. Repeating the call with the same Idempotency-Key is safe.',
  );

/** RFC 9457 with flat extras (decisions C1). */
export function problemOf(error: CarnetError, exchange: Pick<Exchange, 'path' | 'requestId'>): Record<string, unknown> {
  return {
    ...error.extra,
    type: `urn:carnet:problem:${error.code}`,
    title: ErrorCodes[error.code][1],
    status: error.status,
    detail: error.message,
    instance: exchange.path,
    code: error.code,
    request_id: exchange.requestId,
    ...(error.errors !== undefined && { errors: error.errors }),
  };
}

/** The one writer of error bodies. @returns the status */
export function sendProblem(exchange: Exchange, error: CarnetError): number {
  const headers = [
    ...apiHeaders,
    'Content-Type',
    'application/problem+json',
    'Cache-Control',
    'no-store',
    ...Object.entries(error.headers).flat(),
  ];
  exchange.send(error.status, headers, JSON.stringify(problemOf(error, exchange)));
  return error.status;
}
