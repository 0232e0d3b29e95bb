import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { StartupFault } from '../errors/startup-fault.ts';

/**
 * For `set local lock_timeout`: while somebody waits for a whole table, every command on it waits behind them. A command waits three
 * seconds for a lock (rule 13), so none is refused.
 */
export const BRIEF_LOCK = '1s';
/** Between two tries, in which the commands that have waited go on. */
const PAUSE_MS = 2_000;
/** Between two looks at who is in the way, of which several fit into one try. */
const LOOK_MS = 100;
/** Characters of a query that are shown. */
const SHOWN = 60;

/** Postgres' codes of a lock that was not to be had: in time, or because each of two waited for the other. */
const NOT_TO_BE_HAD: ReadonlySet<string | undefined> = new Set(['55P03', '40P01']);

export const isLockFault = (error: unknown): boolean =>
  error instanceof Error && (NOT_TO_BE_HAD.has((error as { code?: string }).code) || isLockFault(error.cause));

interface Patience {
  /** The beginning of a sentence: what is being done. */
  what: string;
  /** How long it is tried again. */
  seconds: number;
  /** Is called once, with a sentence that says who is in the way. */
  onBlocked?: ((sentence: string) => void) | undefined;
}

/**
 * Does `work`, a transaction of `client` with BRIEF_LOCK, and again while others hold what it needs.
 * @throws StartupFault naming who was in the way all the time; what `work` throws for another reason
 */
export async function untilUnlocked<T>(
  client: pg.Client,
  { what, seconds, onBlocked }: Patience,
  work: () => Promise<T>,
): Promise<T> {
  const until = performance.now() + seconds * 1_000;
  try {
    return await work();
  } catch (error) {
    if (!isLockFault(error)) throw error;
  }
  for (let told = false; ; told = true) {
    const blockers = await watchBlockers(client);
    try {
      return await work();
    } catch (error) {
      if (!isLockFault(error)) throw error;
    } finally {
      await blockers.stop();
    }
    const who = blockers.shown();
    if (performance.now() >= until)
      throw new StartupFault(
        `${what} did not get its locks within ${seconds} seconds, and nothing of it was done: ${who}. Wait until that is over, or end it, and start again.`,
      );
    if (!told) onBlocked?.(`${what} waits for a lock: ${who}. It is tried again for ${seconds} seconds.`);
    await sleep(PAUSE_MS);
  }
}

/** A session, or a prepared transaction, which has neither process nor query. */
interface BlockerRow {
  pid: number | null;
  /** The application_name of a session; the name that a transaction was prepared under. */
  name: string;
  seconds: number;
  query: string;
}

/** pg_blocking_pids() has 0 for a prepared transaction. Its locks have no process: one of them is on its number, and tells which the others are. */
const BLOCKERS = `
  select pid, application_name as name, query,
      extract(epoch from clock_timestamp() - coalesce(xact_start, query_start, backend_start))::int as seconds
    from pg_stat_activity where pid = any(pg_blocking_pids($1))
  union all
  select null, p.gid, '', extract(epoch from clock_timestamp() - p.prepared)::int
    from pg_prepared_xacts p
      join pg_locks own on own.pid is null and own.granted and own.transactionid = p.transaction
      join pg_locks held on held.pid is null and held.granted and held.virtualtransaction = own.virtualtransaction
      join pg_locks wanted on wanted.pid = $1 and not wanted.granted and wanted.locktype = held.locktype
        and (wanted.database, wanted.relation, wanted.transactionid) is not distinct from (held.database, held.relation, held.transactionid)
    where 0 = any(pg_blocking_pids($1))
  order by seconds desc limit 1`;

/** Looks from a connection of its own at who keeps `client` waiting: once the wait is over nothing tells. */
async function watchBlockers(client: pg.Client): Promise<{ shown(): string; stop(): Promise<void> }> {
  const { rows: own } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
  const { host, port, user, password, database, ssl } = client;
  const watcher = new pg.Client({ host, port, user, password, database, ssl, application_name: 'carnet-blockers' });
  watcher.on('error', () => {});
  let last: BlockerRow | undefined;
  const ended = new AbortController();
  const look = async (): Promise<void> => {
    await watcher.connect();
    while (!ended.signal.aborted) {
      const { rows } = await watcher.query<BlockerRow>(BLOCKERS, [own[0]?.pid]);
      last = rows[0] ?? last;
      await sleep(LOOK_MS, undefined, { signal: ended.signal }).catch(() => {});
    }
  };
  const looking = look().catch(() => {}); // who is in the way is only shown
  return {
    shown: () => (last === undefined ? 'nobody could be seen holding it' : shownBlocker(last)),
    async stop() {
      ended.abort();
      await looking;
      await watcher.end().catch(() => {});
    },
  };
}

const shownBlocker = ({ pid, name, seconds, query }: BlockerRow): string =>
  pid === null
    ? `the transaction "${name}" was prepared ${seconds} seconds ago, and "commit prepared" or "rollback prepared" ends it`
    : `process ${pid} of Postgres (${name === '' ? 'without an application_name' : name}) has been in a transaction for ${seconds} seconds, last with "${firstWords(query)}"`;

/** Returns what stands in a query before its first value, which may be a secret. */
export const firstWords = (query: string): string =>
  (query.replaceAll(/\s+/g, ' ').split(/['$]|(?<![\w.])[-+]?\.?\d/)[0] ?? '').trim().slice(0, SHOWN);
