/** The SQLSTATEs that SQL functions of the service raise, each with one meaning and raised by one function, as scripts/sql-law.ts checks. */
export const SqlStates = {
  /** A refusal, raised by `refuse()` with the code of src/errors/codes.ts: the caller is answered with it. */
  refused: 'CN000',
  /** The facts that a passport was composed of have changed since: it is composed again. */
  factsMoved: 'CN001',
  /** The facts stand from which composing a passport was refused: that refusal is the answer. */
  refusalStands: 'CN002',
  /** The key that was to sign a passport is not the active one: the keys are read again. */
  keyMoved: 'CN003',
  /** The skill has another revision than the one that an input was checked against: it is checked again. */
  revisionMoved: 'CN004',
} as const;

/** The SQLSTATE of an error of Postgres, and the code of one of the operating system. */
export const sqlState = (error: unknown): string | undefined =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;

/** Whether an SQL function raised this. */
export const isRaised = (error: unknown, state: keyof typeof SqlStates): boolean =>
  sqlState(error) === SqlStates[state];
