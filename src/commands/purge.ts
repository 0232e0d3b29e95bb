import { z } from 'zod';
import type { Context } from '../context/context.ts';
import { sql } from '../database/pool.ts';

/** The operators that are looked at, in the order of their ids. */
export interface OperatorRange {
  /** The first id; '' for the first operator that there is. */
  from: string;
  /** The last id; null: to the last operator. */
  to: string | null;
}

/** The outcome of one step. */
interface Purged {
  purged: number;
  /** The operator with whom the next step begins; null: every operator was looked at. */
  next: string | null;
}

/** Purges one content of some operators, a batch of it. What is due is the rows' to say, so a step too many purges nothing. */
export type PurgeStep = (context: Context, range: OperatorRange) => Promise<Purged>;

const PurgeRow = z.object({ purged: z.number(), next_from: z.string().nullable() });

/** @param call a call of the SQL function that purges, with `purged` and `next_from` */
export const purgeBy =
  (call: (range: OperatorRange) => ReturnType<typeof sql.fragment>): PurgeStep =>
  async ({ pool }, range) => {
    const row = await pool.one(sql.type(PurgeRow)`select purged, next_from from ${call(range)}`);
    return { purged: row.purged, next: row.next_from };
  };
