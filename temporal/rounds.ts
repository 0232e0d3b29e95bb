import { z } from 'zod';
import { sql, type DatabasePool } from '../src/database/pool.ts';

const Taken = z.object({ taken: z.boolean() });
const Epoch = z.object({ epoch: z.number().nullable() });

/** Whether this process does the next round of `task`: of all workers one does, and no other within `seconds`. */
export const takeRound = (pool: DatabasePool, task: string, seconds: number): Promise<boolean> =>
  pool.oneFirst(sql.type(Taken)`select take_round(${task}, ${seconds}) as taken`);

/**
 * Notes where lives are kept. @returns the epoch that has begun, where it is another store than before: an emptied Temporal, or a
 * restored database, after which every open row is woken again; otherwise null.
 */
export const noteLifeStore = (pool: DatabasePool, namespaceId: string): Promise<number | null> =>
  pool.oneFirst(sql.type(Epoch)`select note_life_store(${namespaceId}) as epoch`);
