import { cut } from '../json/shown.ts';
import { ErrorCodes, type ErrorCode } from './codes.ts';

/** One fault in a request. `path` is dotted from the body's root (or `query.limit`, `header.idempotency-key`) and ends in the property. */
export interface FieldFault {
  path: string;
  message: string;
  code: string;
}

/** Faults named in one refusal: a body of 1 MiB can have a hundred thousand, and a caller that mends a few finds the rest. */
export const MAX_FAULTS = 100;
/** Characters of a `detail`: a person reads it, and a client that does not read its answers makes us keep them. */
const DETAIL_LENGTH = 4_096;

interface CarnetErrorOptions {
  /** The single faults of a `VALIDATION_ERROR` and its kin. */
  errors?: FieldFault[];
  /** Further top-level members of the problem, as specified for the code (`required_cents`, `approval_id` …). */
  extra?: Record<string, unknown>;
  /** Further response headers (Retry-After, Allow, WWW-Authenticate). */
  headers?: Record<string, string>;
  cause?: unknown;
}

/**
 * The one refusal of the product, thrown from any layer; only the outermost middleware turns it into a problem+json body.
 * `detail` is a sentence for the person reading: what was wrong, where, what to do; its first 4,096 characters are kept, and the first
 * hundred of `errors`.
 */
export class CarnetError extends Error {
  override readonly name = 'CarnetError';
  readonly code: ErrorCode;
  readonly status: number;
  readonly errors: FieldFault[] | undefined;
  readonly extra: Record<string, unknown>;
  readonly headers: Record<string, string>;

  constructor(code: ErrorCode, detail: string, options: CarnetErrorOptions = {}) {
    super(cut(detail, DETAIL_LENGTH), options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.status = ErrorCodes[code][0];
    this.errors = options.errors?.slice(0, MAX_FAULTS);
    this.extra = options.extra ?? {};
    this.headers = options.headers ?? {};
  }
}

/** Throws `error()` unless the condition holds; the error is made only when needed. */
export function assertThat(condition: unknown, error: () => CarnetError): asserts condition {
  if (!condition) throw error();
}

/** 400 with one or more faults, each naming its place. */
export const invalid = (...errors: [FieldFault, ...FieldFault[]]): CarnetError =>
  new CarnetError('VALIDATION_ERROR', errors.map((fault) => `${fault.path}: ${fault.message}`).join('; '), { errors });

/** The same refusal with its faults; the first is in `detail`, for who reads nothing else. */
export function withFaults({ code, message, extra, headers }: CarnetError, errors: FieldFault[]): CarnetError {
  const [first] = errors;
  const detail = first === undefined ? message : `${message} ${first.path}: ${first.message}`;
  return new CarnetError(code, detail, { errors, extra, headers });
}

/** 404 in the same words whether the thing does not exist or the caller may not see it. */
export const notFound = (what: string): CarnetError =>
  new CarnetError('NOT_FOUND', `There is no such ${what}, or this credential may not see it.`);
