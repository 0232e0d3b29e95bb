import type { Problem } from './generated.ts';

/** A refusal of the service: nothing was done. `code` stays the same over versions; `detail` says what to do. */
export class CarnetError extends Error {
  override name = 'CarnetError';
  readonly code: string;
  readonly status: number;
  readonly detail: string;
  /** The first fault of a request that was not valid, dotted from the root of the body. */
  readonly field: string | undefined;
  /** Seconds after which it may be tried again. */
  readonly retryAfter: number | undefined;
  /** Every member of the answer, those of a code alone among them. */
  readonly problem: Readonly<Record<string, unknown>>;
  /** Where the operations are explained, with their codes. */
  readonly docs: string;

  constructor(
    problem: Pick<Problem, 'status' | 'detail'> & { code: string },
    { retryAfter, baseUrl = '' }: { retryAfter?: number | undefined; baseUrl?: string } = {},
  ) {
    super(`${problem.code}: ${problem.detail}`);
    this.code = problem.code;
    this.status = problem.status;
    this.detail = problem.detail;
    this.problem = { ...problem };
    this.field = (problem as Partial<Problem>).errors?.[0]?.path;
    this.retryAfter = retryAfter;
    this.docs = `${baseUrl}/docs`;
  }
}

/** 402: the wallet does not cover the price. */
export class InsufficientCredits extends CarnetError {
  override name = 'InsufficientCredits';
  get requiredCents(): number {
    return Number(this.problem['required_cents']);
  }
  get balanceCents(): number {
    return Number(this.problem['balance_cents']);
  }
}
/** The price is above `maxPriceCents`. */
export class PriceChanged extends CarnetError {
  override name = 'PriceChanged';
}
/** A budget is used up: of the agent in this month, or of the passport. */
export class BudgetExceeded extends CarnetError {
  override name = 'BudgetExceeded';
}
/** Still 429 after all tries. */
export class RateLimited extends CarnetError {
  override name = 'RateLimited';
}
/** A person must approve this first; `approvalId` names what they decide about. */
export class ApprovalRequired extends CarnetError {
  override name = 'ApprovalRequired';
  get approvalId(): string {
    return String(this.problem['approval_id']);
  }
}

const kindOf = (code: string): typeof CarnetError => {
  if (code === 'INSUFFICIENT_CREDITS') return InsufficientCredits;
  if (code === 'PRICE_CHANGED') return PriceChanged;
  if (code === 'RATE_LIMITED') return RateLimited;
  if (code === 'GOVERNANCE_APPROVAL_REQUIRED') return ApprovalRequired;
  return code.endsWith('BUDGET_EXCEEDED') ? BudgetExceeded : CarnetError;
};

export const refusal = (...[problem, more]: ConstructorParameters<typeof CarnetError>): CarnetError =>
  new (kindOf(problem.code))(problem, more);

/**
 * No answer that can be read came, after all tries: the call may have been performed. Call again with the same
 * `idempotencyKey` to learn it: what was done is answered again, and is not done twice.
 */
export class UnclearError extends Error {
  override name = 'UnclearError';
  readonly operation: string;
  readonly idempotencyKey: string | undefined;
  /** False where no try reached a service. */
  readonly mayHaveHappened: boolean;

  constructor(
    operation: string,
    {
      cause,
      idempotencyKey,
      mayHaveHappened,
    }: { cause: unknown; idempotencyKey: string | undefined; mayHaveHappened: boolean },
  ) {
    const advice = mayHaveHappened
      ? 'it may have been performed, so repeat it with the same idempotency key'
      : 'it was not performed';
    super(`${operation} was not answered: ${advice}. ${cause instanceof Error ? cause.message : ''}`.trim(), { cause });
    this.operation = operation;
    this.idempotencyKey = idempotencyKey;
    this.mayHaveHappened = mayHaveHappened;
  }
}

/** The invocation ended without an output: nothing was paid for it. */
export class InvocationFailed extends Error {
  override name = 'InvocationFailed';
  readonly id: string;
  readonly status: string;
  readonly code: string;

  constructor({ id, status, code, message }: { id: string; status: string; code: string; message: string }) {
    super(`${code}: ${message}`);
    this.id = id;
    this.status = status;
    this.code = code;
  }
}

/** The invocation is still under way; `market.result(id)` waits on. */
export class StillRunning extends Error {
  override name = 'StillRunning';
  readonly id: string;

  constructor(id: string) {
    super(`Invocation ${id} has not ended yet; wait on with market.result('${id}').`);
    this.id = id;
  }
}
