import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { sql, type DatabasePool } from '../../database/pool.ts';
import { jsonPage, type NamedPage, type Page } from './page.ts';

/** The troubles of the log of claims, and what to do; each is null where nothing is. */
interface LogTrouble {
  stopped: string | null;
  late: string | null;
  unproven: string | null;
}

/** The troubles of lives, and what to do; each is null where nothing is. */
interface LifeTrouble {
  refused: string | null;
  behind: string | null;
}

/** How the parts are doing that commands do not need; absent where this process has none. */
export interface Health {
  temporalHealth?: () => 'ok' | 'degraded';
  /** Whether a worker polls Temporal, without which it does nothing. Absent where this process serves calls. */
  isPolling?: () => boolean;
  /** Why the log of claims is stopped, or runs on a head that nobody has confirmed, and what to do. Claims are recorded all the same. */
  logTrouble?: () => Promise<LogTrouble>;
  /** Which lives Temporal refuses to wake, and whether they wait for long. */
  lifeTrouble?: () => Promise<LifeTrouble>;
  /** This process is about to stop: it still serves, and nothing new should be sent to it. */
  isStopping?: () => boolean;
}

const WorkerRow = z.object({ worker: z.boolean() });

/** A worker begins a round every five seconds; where the next is ten seconds late, no worker is there. Temporal lists the pollers of a dead worker for minutes. */
const LATE_SECONDS = 10;

/** Milliseconds that an answer of the database is shown for, so that anybody may ask and it costs one look a second. */
const READY_MS = 1_000;

/** Milliseconds after which a database that has not answered counts as unreachable: a probe waits no longer. */
const ANSWER_MS = 2_000;

/** The last result for this long, and the one that is under way, however long it is. */
function atMostEvery<T>(ms: number, look: () => Promise<T>): () => Promise<T> {
  let last: { result: Promise<T>; until: number } | undefined;
  return () => {
    if (last === undefined || performance.now() >= last.until) {
      const begun = { result: look(), until: Infinity };
      void begun.result.finally(() => (begun.until = performance.now() + ms));
      last = begun;
    }
    return last.result;
  };
}

/**
 * `/livez` is 200 while the process runs, `/readyz` (and `/healthz`) while it can serve and goes on doing so: while the database
 * answers, and until it is to stop. A worker serves while it polls Temporal too.
 * Temporal's state is shown, that of the log of claims, lives that Temporal refuses to wake, and of a process that serves calls whether a worker is there; none
 * need be ok: commands commit without them.
 */
export function healthPages(
  pool: DatabasePool,
  { temporalHealth, isPolling, logTrouble, lifeTrouble, isStopping }: Health,
): [string, NamedPage][] {
  const unreachable = { database: 'unreachable', log: null, lives: null } as const;
  const state = atMostEvery(READY_MS, async () => {
    try {
      const worker = await pool.oneFirst(sql.type(WorkerRow)`select is_worker_there(${LATE_SECONDS}) as worker`);
      const log = (await logTrouble?.()) ?? null;
      const lives = (await lifeTrouble?.()) ?? null;
      return { database: 'ok', log, lives, worker: worker ? 'ok' : 'none' } as const;
    } catch {
      return unreachable;
    }
  });
  const readiness = async (): Promise<Page> => {
    const tooLate = sleep(ANSWER_MS, unreachable, { ref: false });
    const { database, log, lives, ...others } = await Promise.race([state(), tooLate]);
    const temporal = temporalHealth?.();
    const working = isPolling === undefined || (isPolling() && temporal === 'ok');
    const serves = database === 'ok' && working ? 'ok' : 'unavailable';
    const status = isStopping?.() === true ? 'stopping' : serves;
    return jsonPage(status === 'ok' ? 200 : 503, {
      status,
      database,
      ...(temporal !== undefined && { temporal }),
      ...shownTrouble(log),
      ...shownLives(lives),
      ...(isPolling === undefined && others),
    });
  };
  return [
    ['/livez', { operation: 'livez', uncounted: true, page: () => jsonPage(200, { status: 'ok' }) }],
    ['/readyz', { operation: 'readyz', uncounted: true, page: readiness }],
    ['/healthz', { operation: 'healthz', uncounted: true, page: readiness }],
  ];
}

/** The gravest of both is the state; both are told in words. */
function shownLives(lives: LifeTrouble | null) {
  const { refused, behind } = lives ?? { refused: null, behind: null };
  return {
    ...(behind !== null && { lives: 'behind', lives_behind: behind }),
    ...(refused !== null && { lives: 'refused', lives_refused: refused }),
  };
}

/** The gravest of several troubles is the state; all are told in words. */
function shownTrouble(log: LogTrouble | null) {
  const { stopped, late, unproven } = log ?? { stopped: null, late: null, unproven: null };
  return {
    ...(unproven !== null && { log: 'unproven', log_unproven: unproven }),
    ...(late !== null && { log: 'late', log_late: late }),
    ...(stopped !== null && { log: 'stopped', log_stopped: stopped }),
  };
}
