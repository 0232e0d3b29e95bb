import type { CarnetError } from '../errors/carnet-error.ts';
import type { ErrorCode } from '../errors/codes.ts';

/** The codes of JSON-RPC that this door answers. */
export const RpcCodes = {
  parseError: -32_700,
  invalidRequest: -32_600,
  methodNotFound: -32_601,
  invalidParams: -32_602,
  internalError: -32_603,
  /** The first of those that an implementation defines for itself: the HTTP request was refused, and `data.code` says why. */
  refused: -32_000,
} as const;

/** The next step of who calls a tool, in words for a model. */
export const nextSteps = {
  mend: 'Change the arguments that are named, and call again.',
  look: 'Read the skill or the invocation again before you go on: it is not as you expected.',
  pay: 'Ask your operator to top up the wallet or to raise the limit; then call again with the same idempotency_key.',
  person: 'Ask a person of your operator to decide this; then call again with the same idempotency_key.',
  credential: 'Ask your operator for a credential that may do this, or for the right that is missing.',
  wait: 'Wait, then call again with the same idempotency_key: what was paid is not paid again.',
  stop: 'Calling again does not help; choose another way.',
} as const;
export type NextStep = keyof typeof nextSteps;

/**
 * The form of each refusal. With a next step it is the result of a tool, with `isError`, that a model reads. `fault` is an error of the protocol in the place
 * of a result. `http` is refused before any tool is called: its HTTP status, and an error of the protocol as the body.
 */
export const formOfRefusal: Readonly<Record<ErrorCode, NextStep | 'fault' | 'http'>> = {
  VALIDATION_ERROR: 'mend',
  INVALID_CURSOR: 'mend',
  INVALID_CODE: 'mend',
  INVALID_CO_SIGNATURE: 'mend',
  CODE_EXPIRED: 'mend',
  CONFIRMATION_REQUIRED: 'mend',
  DESTINATION_UNVERIFIED: 'person',
  FORWARD_URL_FORBIDDEN: 'mend',
  INVALID_PASSPORT: 'credential',
  OPERATOR_CHOICE_REQUIRED: 'mend',
  PASSPORT_TOO_LARGE: 'mend',
  TTL_EXCEEDS_PARENT: 'mend',
  UNKNOWN_INTENT: 'mend',
  INPUT_SCHEMA_MISMATCH: 'mend',
  OUTPUT_SCHEMA_MISMATCH: 'mend',
  BALANCE_TOO_LOW: 'pay',
  BALANCE_BELOW_TOPUP: 'stop',
  CONTACT_SALES: 'person',
  NOT_REFUNDABLE: 'stop',
  REFUND_WINDOW_EXPIRED: 'stop',
  SEATS_OUT_OF_RANGE: 'mend',
  UNAUTHENTICATED: 'http',
  INVALID_SIGNATURE: 'mend',
  INSUFFICIENT_CREDITS: 'pay',
  ADMIN_REQUIRED: 'credential',
  ACCOUNTABILITY_MODE: 'person',
  AGENT_BLOCKED: 'person',
  AGENT_BUDGET_EXCEEDED: 'pay',
  AGENT_CLAIM_FORBIDDEN: 'stop',
  AGENT_CREDENTIAL_FORBIDDEN: 'credential',
  AGENT_REVIEW_PENDING: 'person',
  AUTHORITY_BINDING_INVALID: 'credential',
  DASHBOARD_SESSION_REQUIRED: 'person',
  DELEGATION_DEPTH_EXCEEDED: 'stop',
  GOVERNANCE_APPROVAL_REQUIRED: 'person',
  ISSUER_MISMATCH: 'credential',
  NOT_OWNER: 'stop',
  NOT_PROVIDER: 'stop',
  OPERATOR_SCOPE_REQUIRED: 'credential',
  OPERATOR_SUSPENDED: 'person',
  ORIGIN_FORBIDDEN: 'http',
  PARTNER_SCOPE: 'credential',
  PASSPORT_BUDGET_EXCEEDED: 'pay',
  PASSPORT_EXPIRED: 'credential',
  PASSPORT_REVOKED: 'credential',
  PROVIDER_NOT_ALLOWED: 'credential',
  SCOPE_ESCALATION: 'mend',
  SCOPE_NOT_GRANTED: 'credential',
  SELF_RATING: 'stop',
  TIER_LIMIT_EXCEEDED: 'person',
  TRUST_LEVEL_INSUFFICIENT: 'credential',
  NOT_FOUND: 'mend',
  METHOD_NOT_ALLOWED: 'http',
  REQUEST_TIMEOUT: 'http',
  ALREADY_CHECKED_OUT: 'look',
  ALREADY_REFUNDED: 'look',
  CONFLICT: 'look',
  CREDENTIAL_REQUIRED: 'person',
  DESTINATION_EXISTS: 'look',
  FORWARD_LOOP: 'stop',
  IDEMPOTENCY_IN_FLIGHT: 'wait',
  IDEMPOTENCY_KEY_REUSED: 'mend',
  INVALID_STATE: 'look',
  INVOCATION_EXPIRED: 'look',
  INVOCATION_NOT_PENDING: 'look',
  INVOCATION_NOT_PROCESSING: 'look',
  LEASE_LOST: 'look',
  NO_EXECUTABLE_CONTENT: 'stop',
  NO_LEASE: 'look',
  NO_SUBSCRIPTION: 'stop',
  PRICE_CHANGED: 'look',
  REVIEW_ALREADY_DECIDED: 'look',
  REVIEW_CHANGED: 'look',
  SELLER_LIMIT_REACHED: 'stop',
  SERVICE_EXECUTED: 'stop',
  SERVICE_NAME_TAKEN: 'mend',
  SKILL_NAME_TAKEN: 'mend',
  SKILL_NOT_ACTIVE: 'stop',
  SUBJECT_CHANGED: 'look',
  VERSION_IMMUTABLE: 'mend',
  ENDPOINT_REVOKED: 'stop',
  BODY_TOO_LARGE: 'http',
  UNSUPPORTED_MEDIA_TYPE: 'http',
  EXPECTATION_FAILED: 'http',
  RATE_LIMITED: 'wait',
  HEADERS_TOO_LARGE: 'http',
  INTERNAL_ERROR: 'fault',
  PAYMENT_REFUSED: 'pay',
  EXECUTION_UNAVAILABLE: 'stop',
  KEY_UNAVAILABLE: 'wait',
  PAYMENTS_NOT_CONFIGURED: 'stop',
  SCAN_FAILED: 'wait',
  SMS_NOT_CONFIGURED: 'stop',
  OVERLOADED: 'wait',
  TEMPORARILY_UNAVAILABLE: 'wait',
};

/** The result of a tool whose route has refused: the sentence of the refusal and the next step for a model, and the whole problem for a program. */
export function toolRefusal(error: CarnetError, problem: Record<string, unknown>) {
  const form = formOfRefusal[error.code];
  const next = form === 'fault' || form === 'http' ? 'stop' : form;
  const retryAfter = Number(error.headers['Retry-After'] ?? Number.NaN);
  const faults = (error.errors ?? [])
    .map(({ path, message }) => `${path}: ${message}`)
    .filter((fault) => !error.message.includes(fault))
    .slice(0, SHOWN_FAULTS);
  const text = [`${error.code}: ${error.message}`, ...faults, nextSteps[next]].join('\n');
  return {
    content: [{ type: 'text' as const, text }],
    isError: true,
    _meta: {
      'carnet/problem': problem,
      'carnet/next': next,
      ...(Number.isFinite(retryAfter) && { 'carnet/retry_after_seconds': retryAfter }),
    },
  };
}

/** A model mends a few at a time. */
const SHOWN_FAULTS = 10;

/** The body of a request that was refused before its message was looked at. */
export const doorRefusal = (error: CarnetError, problem: Record<string, unknown>) =>
  rpcError(rpcCodeOf(error), error.message, problem);

function rpcCodeOf({ code }: CarnetError): number {
  if (code === 'INTERNAL_ERROR') return RpcCodes.internalError;
  return code === 'VALIDATION_ERROR' ? RpcCodes.parseError : RpcCodes.refused;
}

/** An error of JSON-RPC for a request whose id is not known, or that has none. */
export const rpcError = (code: number, message: string, data?: unknown) => ({
  jsonrpc: '2.0',
  id: null,
  error: { code, message, ...(data !== undefined && { data }) },
});
