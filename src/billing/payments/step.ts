/** What the life of a top-up or a refund does next. */
export const paymentActions = ['open', 'ask', 'receipt', 'wait', 'end'] as const;

export interface PaymentStep<Status extends string> {
  /** `gone`: there is no such row. */
  status: Status | 'gone';
  action: (typeof paymentActions)[number];
  /** Milliseconds by Postgres' clock, at least 1,000: to `until`, or how long an action is worth trying; null: no end. */
  waitMs: number | null;
  /** ISO 8601. */
  until: string | null;
}
