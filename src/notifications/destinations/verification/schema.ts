/** `turn`: eight codes of the operator are being sent; `gone`: there is no such row. */
export const verificationStatuses = ['waiting', 'turn', 'sending', 'sent', 'failed', 'unknown', 'gone'] as const;

/** Where the sending of a code stands, and what its life waits for. */
export interface VerificationStep {
  status: (typeof verificationStatuses)[number];
  open: boolean;
  /** Milliseconds by Postgres' clock until its time is over, or a turn is free at the latest; at least 1,000; null where there is no row. */
  waitMs: number | null;
}
