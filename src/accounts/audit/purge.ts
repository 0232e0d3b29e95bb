import { purgeBy } from '../../commands/purge.ts';
import { sql } from '../../database/pool.ts';

/** Most events that one step deletes, and most operators that it looks at; a step takes about ten milliseconds. */
const BATCH_SIZE = 1_000;

/**
 * Removes audit events that are older than the tier of their operator keeps them; those about money are moved to where they are kept for ever
 * (decision B22).
 */
export const purgeAuditEvents = purgeBy(
  ({ from, to }) => sql.fragment`purge_audit_events(${from}, ${to}, ${BATCH_SIZE})`,
);
