import { z } from 'zod';
import { noteSchedule } from '../../commands/schedules.ts';
import type { Context } from '../../context/context.ts';
import { sql } from '../../database/pool.ts';

/** Most contents that one step deletes, of up to 10 MiB each, and most operators that it looks at. */
const BATCH_SIZE = 200;

const PurgeRow = z.object({ purged: z.number(), next_after: z.string().nullable() });

/** The outcome of one step. */
interface Purge {
  purged: number;
  /** The operator after whom the next step continues; null: every operator was looked at. */
  after: string | null;
}

/**
 * Removes contents of inbound events that are older than the tier of their operator keeps them.
 * @param after the id of the operator after whom to begin, in the order of ids; '' to begin with the first
 */
export async function purgeInboundContents({ pool }: Context, after: string): Promise<Purge> {
  const { purged, next_after } = await pool.one(
    sql.type(PurgeRow)`select purged, next_after from purge_inbound_contents(${after}, ${BATCH_SIZE})`,
  );
  if (next_after === null) await noteSchedule(pool, 'retention'); // its last step
  return { purged, after: next_after };
}
