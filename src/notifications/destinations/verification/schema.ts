/** `gone`: there is no such row. */
export const verificationStatuses = ['waiting', 'sending', 'sent', 'failed', 'unknown', 'gone'] as const;

/** Where the sending of a code stands, and what its life waits for. */
export interface VerificationStep {
  status: (typeof verificationStatuses)[number];
  open: boolean;
  /** Milliseconds by Postgres' clock until its time is over, at least 1,000; null where there is no row. */
  waitMs: number | null;
}
