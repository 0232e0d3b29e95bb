import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { StartupFault } from '../errors/startup-fault.ts';

/** Milliseconds that a connection may take, in the program that connects. */
export const CONNECT_MS = 5_000;
/** Milliseconds between two tries. */
const PAUSE_MS = 1_000;
/** Seconds that a step waits which a person or a script has started: what runs for ever waits for ever. */
export const STEP_WAIT_SECONDS = 60;

/** The codes that the system and Postgres give for a database that will be there later: nobody listens, no such name yet, starting up, full. */
const AWAY =
  /^(?:E(?:CONNREFUSED|CONNRESET|HOSTUNREACH|NETUNREACH|NOTFOUND|AI_AGAIN|PIPE|TIMEDOUT)|08...|53300|57P0[0-9])$/;

interface Wait {
  /** At most; Infinity: until it answers. */
  seconds: number;
  /** Ends the wait. */
  signal?: AbortSignal;
  /** Called once, before the first pause, with why it does not answer. */
  onAway(why: string): unknown;
}

/**
 * Returns when the database answers, or says something that waiting does not change, by which the first use then fails.
 * @returns whether it was away, and answers now.
 * @throws StartupFault where it was away all the time.
 */
export async function awaitDatabase(databaseUrl: string, { seconds, signal, onAway }: Wait): Promise<boolean> {
  const until = performance.now() + seconds * 1_000;
  let why = await whyAway(databaseUrl);
  if (why === undefined) return false;
  await onAway(why);
  while (why !== undefined) {
    if (performance.now() >= until)
      throw new StartupFault(
        `The database cannot be reached (${why}), for ${seconds} seconds now; check DATABASE_URL and that Postgres runs there.`,
      );
    await sleep(PAUSE_MS, undefined, { signal }).catch(() => {});
    if (signal?.aborted === true) return false;
    why = await whyAway(databaseUrl);
  }
  return true;
}

/** @returns why nothing answers; undefined where something does, be it that there is no such database. */
async function whyAway(connectionString: string): Promise<string | undefined> {
  const client = new pg.Client({
    connectionString,
    application_name: 'carnet-start',
    connectionTimeoutMillis: CONNECT_MS,
  });
  client.on('error', () => {}); // of a connection that ends while it is closed
  try {
    await client.connect();
    await client.end();
    return undefined;
  } catch (error) {
    if (!isAway(error)) return undefined;
    return error.message === '' && 'code' in error ? String(error.code) : error.message; // of a name with two addresses: no message
  }
}

const isAway = (error: unknown): error is Error =>
  error instanceof Error &&
  ('code' in error ? AWAY.test(String(error.code)) : /timeout|terminated unexpectedly/i.test(error.message));
