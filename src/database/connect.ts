import pg from 'pg';
import { StartupFault } from '../errors/startup-fault.ts';

/**
 * A connection of its own, outside of every pool, for what is done once at a start.
 * @param name `application_name`, as Postgres lists it
 * @throws StartupFault where the database cannot be reached.
 */
export async function connect(databaseUrl: string, name: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: databaseUrl, application_name: name });
  await client.connect().catch((error: Error) => {
    throw new StartupFault(
      `The database cannot be reached (${error.message}); check DATABASE_URL and that Postgres runs there.`,
    );
  });
  return client;
}
