import { z } from 'zod';
import type { Context } from '../../context/context.ts';
import { sql } from '../../database/pool.ts';

/** Deleted in one step, and operators looked at; a step takes some ten milliseconds. */
const AT_ONCE = 1_000;

const PurgeRow = z.object({ purged: z.number(), next_after: z.string().nullable() });

/** What one step did. */
export interface Purge {
  purged: number;
  /** The operator after whom the next step goes on; null: everybody was looked at. */
  after: string | null;
}

/**
 * Deletes audit events that are older than their operator's tier keeps them (decisions B22, C8), a thousand at most. Nothing else is
 * purged: wallet rows, claims and approvals are records of their own.
 * @param after the operator, in the order of ids, after whom to begin; '' for the first
 */
export async function purgeAuditEvents({ pool }: Context, after: string): Promise<Purge> {
  const { purged, next_after } = await pool.one(
    sql.type(PurgeRow)`select purged, next_after from purge_audit_events(${after}, ${AT_ONCE})`,
  );
  return { purged, after: next_after };
}
