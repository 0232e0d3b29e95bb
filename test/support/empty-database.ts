import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { service } from './service.ts';

export interface EmptyDatabase {
  url: string;
  drop(): Promise<void>;
}

/** A database beside the suite's that nobody has migrated. */
export async function emptyDatabase(): Promise<EmptyDatabase> {
  const name = `empty_${randomBytes(6).toString('hex')}`;
  await administer(`create database ${name}`);
  const url = new URL(service().databaseUrl);
  url.pathname = `/${name}`;
  return { url: url.href, drop: () => administer(`drop database ${name} with (force)`) };
}

async function administer(statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: service().databaseUrl });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
