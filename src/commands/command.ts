import type { CarnetError } from '../errors/carnet-error.ts';
import type { JsonValue } from '../json/value.ts';
import type { Caller } from './caller.ts';

/** The Idempotency-Key of a call and the SHA-256 of what it was sent with (method, path, JCS of the body). */
export interface Idempotency {
  key: string;
  fingerprint: Buffer;
}

/** One call of one command: who, what, and how a repetition is recognised. */
export interface CommandCall {
  caller: Caller;
  /** The operation, as OpenAPI names it; fault points are `<operation>:<point>`. */
  operation: string;
  idempotency: Idempotency | null;
  requestId: string;
  /** The request that a person would approve; null for what the service does by itself. */
  request: GovernedRequest | null;
}

/** One request as an approval is bound to it. */
interface GovernedRequest {
  method: string;
  path: string;
  body: JsonValue;
  /** `X-Governance-Approval`, as it was sent. */
  approvalId: string | undefined;
}

export interface Answer<Body> {
  status: 200 | 201 | 202;
  body: Body;
  location?: string;
}

export type Answered<Body> = Answer<Body> & { replayed: boolean };

/** A refusal whose rows stay (tries of a code, an approval request): it commits and is never stored under the key. */
export interface CommittedRefusal {
  refusal: CarnetError;
}
