import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { migrate } from '../../src/database/migrations.ts';
import { openPool, type DatabasePool } from '../../src/database/pool.ts';
import { service } from '../support/service.ts';

export interface OwnDatabase {
  url: string;
  pool: DatabasePool;
  drop(): Promise<void>;
}

/** A migrated database beside the suite's, for rows that no running service may touch meanwhile. */
export async function ownDatabase(): Promise<OwnDatabase> {
  const name = `test_${randomBytes(6).toString('hex')}`;
  const administer = async (statement: string): Promise<void> => {
    const client = new pg.Client({ connectionString: service().databaseUrl });
    await client.connect();
    try {
      await client.query(statement);
    } finally {
      await client.end();
    }
  };
  await administer(`create database ${name}`);
  const url = new URL(service().databaseUrl);
  url.pathname = `/${name}`;
  await migrate(url.href);
  const pool = await openPool(url.href, { size: 16, applicationName: 'carnet-test' });
  return {
    url: url.href,
    pool,
    async drop() {
      await pool.end();
      await administer(`drop database ${name} with (force)`);
    },
  };
}
