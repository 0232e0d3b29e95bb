import type { RefundStatus } from './refunds/schema.ts';
import type { TopUpStatus } from './top-ups/schema.ts';

/** The next step of the life of a top-up. */
export const topUpActions = ['open', 'check', 'refunds', 'receipt', 'wait', 'end'] as const;

/** The next step of the life of a refund. */
export const refundActions = ['request', 'wait', 'end'] as const;

interface PaymentStep<Status extends string, Action extends string> {
  /** `gone`: there is no such row. */
  status: Status | 'gone';
  action: Action;
  /**
   * Milliseconds by Postgres' clock, at least 1,000: to `until`, or how long an action is worth trying; null: no end.
   */
  waitMs: number | null;
  /** ISO 8601. */
  until: string | null;
}

export type TopUpStep = PaymentStep<TopUpStatus, (typeof topUpActions)[number]>;
export type RefundStep = PaymentStep<RefundStatus, (typeof refundActions)[number]>;
