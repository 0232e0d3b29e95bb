import { z } from 'zod';
import { sql, type CommonQueryMethods, type DatabasePool } from '../../src/database/pool.ts';

/** The rows of a table that `work` reads, in a transaction of its own. */
export const rowsRead = (
  db: DatabasePool,
  table: string,
  work: (connection: CommonQueryMethods) => Promise<unknown>,
): Promise<number> =>
  db.transaction(async (connection) => {
    // Holds what this connection has not yet reported, too.
    const reads = () =>
      connection.oneFirst(sql.type(z.object({ read: z.number() }))`
        select seq_tup_read + coalesce(idx_tup_fetch, 0) as read from pg_stat_xact_user_tables where relname = ${table}`);
    const before = await reads();
    await work(connection);
    return (await reads()) - before;
  });
