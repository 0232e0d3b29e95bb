import { z } from 'zod';
import type { Context } from '../../context/context.ts';
import { sql } from '../../database/pool.ts';

/** Most events that one step deletes, and most operators that it looks at; a step takes about ten milliseconds. */
const BATCH_SIZE = 1_000;

const PurgeRow = z.object({ purged: z.number(), next_after: z.string().nullable() });

/** The outcome of one step. */
interface Purge {
  purged: number;
  /** The operator after whom the next step continues; null: every operator was looked at. */
  after: string | null;
}

/**
 * Removes audit events that are older than the tier of their operator keeps them, a thousand at most; those about money
 * are moved to where they are kept for ever (decision B22). Nothing else is purged: wallet rows, claims and approvals are
 * records of their own.
 * @param after the id of the operator after whom to begin, in the order of ids; '' to begin with the first
 */
export async function purgeAuditEvents({ pool }: Context, after: string): Promise<Purge> {
  const { purged, next_after } = await pool.one(
    sql.type(PurgeRow)`select purged, next_after from purge_audit_events(${after}, ${BATCH_SIZE})`,
  );
  return { purged, after: next_after };
}
