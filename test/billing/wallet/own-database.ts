import { openPool, type DatabasePool } from '../../../src/database/pool.ts';
import { migratedDatabase, type EmptyDatabase } from '../../support/empty-database.ts';

export interface OwnDatabase extends EmptyDatabase {
  pool: DatabasePool;
}

/** A migrated database in addition to the suite's, for rows that no running service may touch meanwhile. */
export async function ownDatabase(): Promise<OwnDatabase> {
  const { url, drop } = await migratedDatabase();
  const pool = await openPool(url, { size: 16, applicationName: 'carnet-test' });
  return {
    url,
    pool,
    async drop() {
      await pool.end();
      await drop();
    },
  };
}
