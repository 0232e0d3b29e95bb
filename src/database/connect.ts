import pg from 'pg';
import { StartupFault } from '../errors/startup-fault.ts';
import { CONNECT_MS } from './await-database.ts';

/**
 * A connection of its own, outside of every pool.
 * @param name `application_name`, as Postgres lists it
 * @param options settings of the session, `-c name=value`, as a start-up parameter
 * @throws StartupFault where the database cannot be reached.
 */
export async function connect(
  databaseUrl: string,
  { name, options }: { name: string; options?: string },
): Promise<pg.Client> {
  const client = new pg.Client({
    connectionString: options === undefined ? databaseUrl : withOptions(databaseUrl, options),
    application_name: name,
    keepAlive: true,
    connectionTimeoutMillis: CONNECT_MS,
  });
  client.on('error', () => {}); // a connection that ends between two queries: the next query fails
  await client.connect().catch((error: Error) => {
    const todo = /startup parameter/.test(error.message)
      ? 'the pooler in between must pass the start-up parameter options on, as docs/operations.md says'
      : 'check DATABASE_URL and that Postgres runs there';
    throw new StartupFault(`The database cannot be reached (${error.message}); ${todo}.`);
  });
  return client;
}

/** The address with settings of the session as a start-up parameter, in place of those that it may have. */
export function withOptions(databaseUrl: string, options: string): string {
  const url = new URL(databaseUrl);
  url.searchParams.set('options', options);
  return url.href;
}
