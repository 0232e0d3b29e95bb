import type pg from 'pg';
import type { Logger } from 'pino';
import { Shares } from '../turns/shares.ts';
import { connectToRelease } from './functions.ts';
import { RecentChanges } from './recent-changes.ts';
import { SILENT_MS } from './silence.ts';

/** Waiters a process holds at most, of one caller three quarters: each reads Postgres now and then. One more gets the row as it is. */
const MAX_WAITERS = 1_000;
/** Between two looks of a waiter that nothing was announced to: an announcement is rarely lost, and changes of other processes come by it alone. */
const LOOK_MS = 10_000;
/** The same while announcements of other processes do not arrive. */
const UNHEARD_LOOK_MS = 1_000;

/** Between two tries to connect again. */
const RECONNECT_MS = 250;
/** A connection that listens says nothing by itself, so it is asked: who trusts a cache learns within ten seconds that it is dead. */
const HEARTBEAT_MS = 5_000;

const CHANNEL = 'carnet_rows';
/**
 * Announcements of 20 ms go out as one NOTIFY, outside of every command: a NOTIFY inside of one serialises commits (16,000 inserts a
 * second fell to 4,500).
 */
const COALESCE_MS = 20;
/** Postgres takes 8,000 bytes a NOTIFY; ids are 30. */
const IDS_PER_NOTIFY = 200;

export interface Wait {
  /** The operator whose share of the places it takes. */
  caller: string;
  seconds: number;
  signal: AbortSignal;
}

export interface RowEvents {
  /** Call after a commit that changed these rows: notifies listeners of this process immediately, other processes within about 20 ms. */
  changed(...ids: string[]): void;
  /** Calls back for every changed id, and with `'*'` when announcements may have been missed (a reconnect). @returns unsubscribe. */
  subscribe(listener: (id: string) => void): () => void;
  /**
   * Whether one of these may have changed since this moment, in milliseconds: one that was announced since, or the announcements of that time are no longer
   * known.
   */
  mayHaveChanged(ids: ReadonlySet<string>, since: number): boolean;
  /** False while announcements of other processes do not arrive; caches must then not be trusted. */
  readonly listening: boolean;
  /** How many wait by `waitFor`. */
  readonly waiting: number;
  /**
   * Reads until `read` gives a value, again at every change of `id`, on reconnect and every ten seconds, and every second while `listening`
   * is false; undefined when `seconds` are over, `signal` is aborted, or there is no place for another waiter of this caller. Registers
   * before it reads, so no change between the two is missed.
   */
  waitFor<T>(id: string, wait: Wait, read: () => Promise<T | undefined>): Promise<T | undefined>;
  /** Before a stop: everybody who waits, now or later, has waited long enough. */
  endWaits(): void;
  close(): Promise<void>;
}

/**
 * Listens and announces on the one connection that the process keeps while it runs, which also marks its SQL functions as in use and
 * installs them where they are missing. When it is lost, it is made again in the background, for ever; until then only changes of this
 * process are announced.
 * @throws StartupFault where the first connection cannot be made, or the functions cannot be installed.
 */
export async function openRowEvents(databaseUrl: string, log: Logger): Promise<RowEvents> {
  const listeners = new Set<(id: string) => void>();
  const pending = new Set<string>();
  const recent = new RecentChanges();
  let client: pg.Client | undefined;
  let listening = false;
  let announcing = false;
  let closed = false;
  let flushTimer: NodeJS.Timeout | undefined;
  let reconnectTimer: NodeJS.Timeout | undefined;
  const places = new Shares(MAX_WAITERS);
  let waitsEnded = false;

  const notify = (id: string): void => {
    recent.note(id, Date.now());
    for (const listener of listeners) listener(id);
  };

  /** On a connection that does not answer, `end` closes immediately, and the query fails. */
  const query = async (on: pg.Client, text: string, values: string[] = []): Promise<void> => {
    const silent = setTimeout(() => {
      log.warn('row events: Postgres does not answer on this connection; another one is made');
      void on.end().catch(() => {});
    }, SILENT_MS);
    try {
      await on.query(text, values);
    } finally {
      clearTimeout(silent);
    }
  };

  const connect = async (): Promise<void> => {
    const next = await connectToRelease(databaseUrl, { name: 'carnet-row-events' });
    next.on('notification', ({ payload }) => payload?.split(' ').forEach(notify));
    const heartbeat = setInterval(() => void beat(next), HEARTBEAT_MS);
    next.on('end', () => {
      clearInterval(heartbeat);
      if (client !== next) return;
      listening = false;
      client = undefined;
      if (!closed) reconnectTimer = setTimeout(() => void reconnect(), RECONNECT_MS);
    });
    try {
      await next.query(`listen ${CHANNEL}`);
    } catch (error) {
      await next.end().catch(() => {});
      throw error;
    }
    if (closed) return await next.end();
    client = next;
    listening = true;
    notify('*');
    void flush();
  };

  /** The log has it already. */
  let isAway = false;

  const reconnect = async (): Promise<void> => {
    try {
      await connect();
      if (isAway) log.info('row events: connected to Postgres again');
      isAway = false;
    } catch (error) {
      // One line an outage, and no stack: it is of the driver, and the same each time.
      if (!isAway)
        log.warn({ reason: reasonOf(error) }, 'row events: no connection to Postgres; trying again until there is');
      isAway = true;
      if (!closed) reconnectTimer = setTimeout(() => void reconnect(), RECONNECT_MS);
    }
  };

  /** One query at a time: a connection of pg takes no more. What comes up meanwhile goes with the next. */
  const flush = async (): Promise<void> => {
    flushTimer = undefined;
    if (announcing) return;
    announcing = true;
    while (client !== undefined && pending.size > 0) {
      const ids = [...pending.values().take(IDS_PER_NOTIFY)];
      for (const id of ids) pending.delete(id);
      await query(client, 'select pg_notify($1, $2)', [CHANNEL, ids.join(' ')]).catch((error: unknown) => {
        log.debug({ err: error }, 'row events: an announcement was lost; waiters read again within ten seconds');
      });
    }
    announcing = false;
  };

  const beat = async (on: pg.Client): Promise<void> => {
    if (announcing) return;
    announcing = true;
    await query(on, 'select').catch(() => {}); // its end is noticed by the connection
    announcing = false;
    void flush();
  };

  const waitInPlace = async <T>(
    id: string,
    { seconds, signal }: Wait,
    read: () => Promise<T | undefined>,
  ): Promise<T | undefined> => {
    let wake = (): void => {};
    let changedSince = false;
    let isOver = seconds <= 0;
    // A timer, and no comparison of times: one that fires a part of a millisecond early would read twice at the end.
    const end = setTimeout(() => {
      isOver = true;
      wake();
    }, seconds * 1_000);
    const unsubscribe = rowEvents.subscribe((changed) => {
      if (changed === id || changed === '*') {
        changedSince = true;
        wake();
      }
    });
    const onAbort = (): void => wake();
    signal.addEventListener('abort', onAbort);
    try {
      for (;;) {
        changedSince = false;
        const value = await read();
        if (value !== undefined || isOver || signal.aborted || waitsEnded) return value;
        if (changedSince) continue;
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, listening ? LOOK_MS : UNHEARD_LOOK_MS);
          wake = () => {
            clearTimeout(timer);
            resolve();
          };
        });
      }
    } finally {
      clearTimeout(end);
      unsubscribe();
      signal.removeEventListener('abort', onAbort);
    }
  };

  const rowEvents: RowEvents = {
    get listening() {
      return listening;
    },
    get waiting() {
      return MAX_WAITERS - places.free;
    },
    changed(...ids) {
      for (const id of ids) {
        notify(id);
        if (pending.size < 100_000) pending.add(id);
      }
      flushTimer ??= setTimeout(() => void flush(), COALESCE_MS);
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    mayHaveChanged: (ids, since) => recent.mayHaveChanged(ids, since),
    async waitFor(id, wait, read) {
      if (!places.mayTake(wait.caller)) return await read();
      places.take(wait.caller);
      try {
        return await waitInPlace(id, wait, read);
      } finally {
        places.giveBack(wait.caller);
      }
    },
    endWaits() {
      waitsEnded = true;
      notify('*');
    },
    async close() {
      closed = true;
      clearTimeout(flushTimer);
      clearTimeout(reconnectTimer);
      await client?.end().catch(() => {});
    },
  };
  await connect();
  return rowEvents;
}

/** The reason in words; a name with two addresses has an error without a message. */
const reasonOf = (error: unknown): string =>
  error instanceof Error ? error.message || ('code' in error ? String(error.code) : error.name) : String(error);
