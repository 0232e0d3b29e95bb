import {
  BackendTerminatedError,
  BackendTerminatedUnexpectedlyError,
  ConnectionError,
  IntegrityConstraintViolationError,
  StatementTimeoutError,
} from 'slonik';
import { isErrorCode, type ErrorCode } from '../errors/codes.ts';
import { CarnetError } from '../errors/carnet-error.ts';
import { isRaised, sqlState } from './sql-states.ts';

/** Constraints that say something to the caller. Any other violation is a fault of ours and stays a 500. */
const constraints: Record<string, { code: ErrorCode; sentence: string }> = {
  service_connections_operator_id_service_name_key: {
    code: 'SERVICE_NAME_TAKEN',
    sentence: 'You already have a service of this name; choose another service_name, or PATCH the connection you have.',
  },
  skills_operator_id_name_key: {
    code: 'SKILL_NAME_TAKEN',
    sentence: 'You already have a skill of this name; choose another name, or PATCH the skill you have.',
  },
};

interface Refused {
  message: string;
  detail: string;
}

const isRefused = (error: unknown): error is Refused => isRaised(error, 'refused');

/** The codes that the operating system gives for a connection to a server that has just ended. */
const CONNECTION_LOST: ReadonlySet<string | undefined> = new Set(['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT']);

/** 503 TEMPORARILY_UNAVAILABLE, to be repeated after a second. */
export const unavailable = (sentence: string, cause: unknown): CarnetError =>
  new CarnetError('TEMPORARILY_UNAVAILABLE', sentence, { headers: { 'Retry-After': '1' }, cause });

/**
 * A statement that this connection has prepared returns another type since, as after an install of the functions it calls. The pool closes
 * the connection, and another one prepares it again.
 */
const isStalePlan = (error: unknown): boolean =>
  sqlState(error) === '0A000' &&
  error instanceof Error &&
  'routine' in error &&
  error.routine === 'RevalidateCachedQuery';

/** @throws CarnetError what the database refuses; see `translateDatabaseError` */
export const translated = <Result>(answer: Promise<Result>): Promise<Result> =>
  answer.catch((error: unknown) => {
    throw translateDatabaseError(error);
  });

/** Translates a database error for a caller: a refusal raised by a function, a named constraint, a wait that took too long, or itself. */
export function translateDatabaseError(error: unknown): unknown {
  if (isRefused(error)) {
    const { detail, extra } = JSON.parse(error.detail) as { detail: string; extra: Record<string, unknown> };
    const headers = error.message === 'IDEMPOTENCY_IN_FLIGHT' ? { 'Retry-After': '1' } : {};
    return isErrorCode(error.message)
      ? new CarnetError(error.message, detail, { extra, headers, cause: error })
      : error;
  }
  if (error instanceof IntegrityConstraintViolationError && error.constraint !== null) {
    const known = constraints[error.constraint];
    if (known) return new CarnetError(known.code, known.sentence, { cause: error });
  }
  if (sqlState(error) === '55P03')
    return unavailable('Another change holds what this one needs; repeat the call in a moment.', error);
  if (error instanceof StatementTimeoutError)
    return unavailable('The database took too long; repeat the call in a moment.', error);
  if (isStalePlan(error))
    return unavailable('The database has just changed what this call returns; repeat it in a moment.', error);
  if (isAway(error)) return unavailable('The database does not answer; repeat the call in a moment.', error);
  return error;
}

/** Postgres does not answer, or ends what it began. Each process logs an outage once, where it listens for changed rows. */
export const isAway = (error: unknown): boolean =>
  error instanceof ConnectionError ||
  error instanceof BackendTerminatedError ||
  error instanceof BackendTerminatedUnexpectedlyError ||
  /^(08|53|57P)/.test(sqlState(error) ?? '') ||
  CONNECTION_LOST.has(sqlState(error));
