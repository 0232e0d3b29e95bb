import { WorkflowNotFoundError } from '@temporalio/client';
import type { Logger } from 'pino';
import { withCaches } from '../src/context/caches.ts';
import type { Context } from '../src/context/context.ts';
import type { Delivery } from '../src/context/ports.ts';
import { isAway } from '../src/database/errors.ts';
import { openPool, type DatabasePool } from '../src/database/pool.ts';
import { faultPoint } from '../src/commands/fault-points.ts';
import { CarnetError } from '../src/errors/carnet-error.ts';
import { metrics } from '../src/metrics/metrics.ts';
import { inTrace } from '../src/tracing/tracing.ts';
import type { Temporal } from './client.ts';
import { chores } from './chores.ts';
import { createRound } from './due-lives.ts';
import { leaseLives, postponeLives, postponeRefused, type LeasedLife } from './lives-table.ts';
import type { LifeDescription } from '../src/commands/life-description.ts';
import type { LifeDefinitions } from './lives.ts';
import { createOutage } from './outage.ts';
import { noteLifeStore, takeRound } from './rounds.ts';
import { ensureSchedules } from './schedules.ts';
import { createWaker, isInvalidArgument } from './wake-lives.ts';
import { parseLifeId, type LifeKind } from '../src/ids/life-ids.ts';

/** From commit to delivery: the half second of the row's `next_attempt_at`, and a little so that it is due. By then a short life is over and costs one task. */
const DELIVERY_DELAY_MS = 520;
/** From commit to the first look, at what is due immediately. */
const FIRST_LOOK_MS = 20;
/** Until the last message is due, and so under load, the next look at what has become due. */
const LOOK_AGAIN_MS = 100;
/** Lives a batch, and so calls in flight a process: 64 starved the server's own work. */
const BATCH = 8;
const POOL_SIZE = 4;
/** The sweep looks every second for what is older than two. */
const SWEEP_EVERY_MS = 1_000;
const SWEEP_AGE_MS = 2_000;
const CHORES_EVERY_MS = 5_000;
/** A round is not begun again by any worker within these; a little less than the intervals, so that timers that jitter miss none. */
const SWEEP_SECONDS = 0.9;
const ROUND_SECONDS = 4.5;
/** For a look at a run, which a person waits for. */
const DESCRIBE_MS = 2_000;
/** For looking for all schedules. */
const SCHEDULES_MS = 5_000;

const livesWoken = metrics.counter('carnet_lives_woken', 'Lives woken by signal-with-start');
/** Rounds of a task that fail in a row before the log says so, once. */
const ROUNDS_BEFORE_A_WORD = 3;

const roundsFailed = metrics.counter('carnet_rounds_failed', 'Rounds of looking after rows that ended by a fault');
const schedulesMade = metrics.counter(
  'carnet_schedules_made',
  'Schedules that were missing in Temporal and have been made',
);
const messagesRefused = metrics.counter('carnet_life_messages_refused', 'Wake-ups that Temporal refused as invalid');

interface DeliveryOptions {
  temporal: Temporal;
  log: Logger;
  /** How each kind of life is started: `lives` of lives.ts. */
  lives: LifeDefinitions;
}

export interface RunningDelivery extends Delivery {
  /** Begins to deliver, over a pool of its own. A process that runs a worker also sweeps, and looks after lives. */
  start(context: Context, role: { sweep: boolean }): Promise<void>;
  /** Its own connections; undefined before `start`. */
  readonly pool: DatabasePool | undefined;
  /** Finishes the batch in hand. */
  stop(): Promise<void>;
}

/**
 * Brings the messages that commands left to their lives. Made before the context, whose commands
 * call `messagesCommitted`; what was announced before `start` is delivered after it.
 */
export function createDelivery({ temporal, log, lives }: DeliveryOptions): RunningDelivery {
  const outage = createOutage(log, {
    gone: 'Temporal does not answer; commands go on, and lives catch up when it is back',
    back: 'Temporal answers again; the messages that waited are being delivered',
  });
  const waker = createWaker(temporal, log);
  const intervals: NodeJS.Timeout[] = [];
  const turns = new Map<number, string>();
  let started: (Context & { pool: DatabasePool }) | undefined;
  let timer: NodeJS.Timeout | undefined;
  let lastIsDueAt = 0;
  let stopped = false;

  const tryLife = async ({ life, trace }: LeasedLife, description: LifeDescription | undefined): Promise<Attempt> => {
    const kind = parseLifeId(life)?.kind;
    if (kind === undefined) return { outcome: 'refused', error: new Error(`${life} is no id of a life`) };
    try {
      await inTrace(trace, () => waker.wakeLife(life, lives[kind], description));
      return { outcome: 'woken' };
    } catch (error) {
      return { outcome: isInvalidArgument(error) ? 'refused' : 'failed', error };
    }
  };

  const tryLives = async (leased: LeasedLife[], descriptions: Map<string, LifeDescription>): Promise<Attempt[]> => {
    try {
      await waker.prepare();
    } catch (error) {
      return leased.map(() => ({ outcome: 'failed', error }));
    }
    return Promise.all(leased.map((one) => tryLife(one, descriptions.get(one.life))));
  };

  const deliver = async (context: Context, leased: LeasedLife[]): Promise<void> => {
    const attempts = await tryLives(leased, await describe(context, lives, leased));
    faultPoint('delivery:signalled');
    const having = (outcome: Attempt['outcome']): LeasedLife[] =>
      leased.filter((_, at) => attempts[at]?.outcome === outcome);
    const [woken, refused, failed] = [having('woken'), having('refused'), having('failed')];
    if (failed.length === leased.length) outage.seen(attempts[0]?.error);
    else outage.over();
    for (const [at, { life }] of leased.entries()) {
      if (attempts[at]?.outcome === 'refused')
        log.error(
          { life, err: attempts[at].error },
          'Temporal refuses to wake this life; it is tried again, at least every hour',
        );
    }
    livesWoken.add(woken.length);
    messagesRefused.add(refused.length);
    // A life that was woken is due again where nobody looks at it.
    const why = ({ life }: LeasedLife): string => String(attempts[leased.findIndex((one) => one.life === life)]?.error);
    for (const one of refused) await postponeRefused(context.pool, [one], why(one));
    if (failed[0] !== undefined) await postponeLives(context.pool, failed, why(failed[0]));
  };

  const drain = once(log, 'the messages for lives cannot be read', async (minimumAgeMs: number) => {
    while (started !== undefined && !stopped && outage.worthATry) {
      // While Temporal is away one life a time finds out whether it is back.
      const limit = outage.lasting ? 1 : BATCH;
      const leased = await leaseLives(started.pool, { limit, minimumAgeMs, turns });
      if (leased.length === 0) return;
      faultPoint('delivery:leased');
      await deliver(started, leased);
    }
  });

  /** Rounds of each task that failed in a row. */
  const failing = new Map<string, number>();
  /** One round of `task`, unless another worker does it. A fault ends this round of this task, and nothing else. */
  const round = async (
    task: string,
    work: (context: Context & { pool: DatabasePool }) => Promise<unknown>,
    seconds = ROUND_SECONDS,
  ) => {
    if (started === undefined || stopped) return;
    try {
      if (await takeRound(started.pool, task, seconds)) await work(started);
      failing.delete(task);
    } catch (error) {
      roundsFailed.add(1, { task });
      const inARow = (failing.get(task) ?? 0) + 1;
      failing.set(task, inARow);
      // A fault that passes by itself, as of a Temporal that is busy with its start, is counted above.
      if (inARow === ROUNDS_BEFORE_A_WORD)
        log[isAway(error) ? 'debug' : 'warn'](
          { err: error, task },
          'a round of this task has failed several times in a row; it is tried every few seconds',
        );
    }
  };

  const lookAtDueLives = createRound(lives);
  const lookAfterLives = once(log, 'lives cannot be looked after', () =>
    round('lives', (context) => lookAtDueLives(context, { temporalIsAway: outage.lasting }), SWEEP_SECONDS),
  );

  const doChores = once(log, 'what is old cannot be purged', async () => {
    for (const [task, chore] of Object.entries(chores))
      await round(task, async (context) => {
        while (!stopped && (await chore(context)));
      });
  });

  /** Apart from the rows, which wait for no Temporal that hangs. */
  const lookAtTemporal = once(log, 'Temporal cannot be looked at', async () => {
    await round('store', async ({ pool }) => {
      const namespaceId = await temporal.namespaceId();
      const epoch = namespaceId === null ? null : await noteLifeStore(pool, namespaceId);
      if (epoch !== null)
        log.warn({ epoch }, 'Temporal or the database is another one than before; every open life is looked at again');
    });
    if (outage.lasting) return;
    await round('schedules', async ({ config }) => {
      const { schedule, connection } = temporal.client;
      const made = await connection.withDeadline(Date.now() + SCHEDULES_MS, () => ensureSchedules(schedule, config));
      if (made.length > 0) log.warn({ schedules: made }, 'schedules were not there, and have been made');
      schedulesMade.add(made.length);
    });
  });

  const deliverWhatIsDue = async (): Promise<void> => {
    await drain.running;
    await drain(0);
    timer = undefined;
    const left = lastIsDueAt - performance.now();
    if (left > 0 && !stopped) lookIn(Math.min(left, LOOK_AGAIN_MS));
  };

  /** A timer keeps what is active where it is made; the look is about the messages of many commands. */
  const lookIn = (ms: number): void => {
    timer = inTrace(null, () => setTimeout(() => void deliverWhatIsDue(), ms));
  };

  const messagesCommitted = (): void => {
    lastIsDueAt = performance.now() + DELIVERY_DELAY_MS;
    if (!stopped && started !== undefined && timer === undefined) lookIn(FIRST_LOOK_MS);
  };

  return {
    messagesCommitted,
    async begin(life) {
      const parsed = parseLifeId(life);
      if (parsed === undefined || started === undefined || outage.lasting) return;
      try {
        const descriptions = await lives[parsed.kind].describe(started, [parsed.id]);
        await waker.prepare();
        await waker.wakeLife(life, lives[parsed.kind], descriptions.get(parsed.id));
      } catch (error) {
        log.debug({ err: error, life }, 'a life could not be started immediately; its message starts it');
      }
    },
    async newestRun(life) {
      const { client, namespace } = temporal;
      try {
        const { runId, status, startTime, closeTime } = await client.connection.withDeadline(
          Date.now() + DESCRIBE_MS,
          () => client.workflow.getHandle(life).describe(),
        );
        const ui = started?.config.temporalUiUrl;
        return {
          run_id: runId,
          status: status.name,
          started_at: startTime.toISOString(),
          closed_at: closeTime?.toISOString() ?? null,
          url: ui === undefined ? null : `${ui}/namespaces/${namespace}/workflows/${encodeURIComponent(life)}/${runId}`,
        };
      } catch (error) {
        if (error instanceof WorkflowNotFoundError) return null;
        throw new CarnetError('TEMPORARILY_UNAVAILABLE', 'Temporal does not answer, so its run cannot be shown.', {
          headers: { 'Retry-After': '5' },
          cause: error,
        });
      }
    },
    get pool() {
      return started?.pool;
    },
    async start(context, { sweep }) {
      const pool = await openPool(context.config.databaseUrl, { size: POOL_SIZE, applicationName: 'carnet-delivery' });
      started = withCaches({ ...context, pool }); // what it keeps in memory is read over its own pool
      messagesCommitted();
      if (!sweep) return;
      intervals.push(
        setInterval(() => void drain(SWEEP_AGE_MS), SWEEP_EVERY_MS),
        setInterval(() => void lookAfterLives(), SWEEP_EVERY_MS),
        setInterval(() => void doChores(), CHORES_EVERY_MS),
        setInterval(() => void lookAtTemporal(), CHORES_EVERY_MS),
      );
    },
    async stop() {
      stopped = true;
      clearTimeout(timer);
      intervals.forEach(clearInterval);
      await Promise.all([drain.running, lookAfterLives.running, doChores.running, lookAtTemporal.running]);
      await started?.pool.end();
    },
  };
}

interface Attempt {
  outcome: 'woken' | 'refused' | 'failed';
  error?: unknown;
}

/** One query a kind. */
async function describe(
  context: Context,
  lives: LifeDefinitions,
  leased: LeasedLife[],
): Promise<Map<string, LifeDescription>> {
  const ids = new Map<LifeKind, string[]>();
  const lifeOf = new Map<string, string>();
  for (const { life } of leased) {
    const parsed = parseLifeId(life);
    if (parsed === undefined) continue;
    ids.set(parsed.kind, [...(ids.get(parsed.kind) ?? []), parsed.id]);
    lifeOf.set(parsed.id, life);
  }
  const described = await Promise.all([...ids].map(([kind, idsOfKind]) => lives[kind].describe(context, idsOfKind)));
  return new Map(
    described.flatMap((rows) =>
      [...rows].map(([id, description]): [string, LifeDescription] => [lifeOf.get(id) ?? id, description]),
    ),
  );
}

interface Once<Args extends unknown[]> {
  (...args: Args): Promise<void>;
  /** Undefined while nothing runs. */
  readonly running: Promise<void> | undefined;
}

/** Runs `work` unless it runs already; it never rejects, and logs the first of failures that follow each other. */
function once<Args extends unknown[]>(
  log: Logger,
  complaint: string,
  work: (...args: Args) => Promise<void>,
): Once<Args> {
  let running: Promise<void> | undefined;
  let failing = false;
  const attempt = async (...args: Args): Promise<void> => {
    try {
      await work(...args);
      failing = false;
    } catch (error) {
      if (!failing) log[isAway(error) ? 'debug' : 'warn']({ err: error }, `${complaint}; trying again`);
      failing = true;
    }
  };
  const run = async (...args: Args): Promise<void> => {
    running ??= attempt(...args).finally(() => (running = undefined));
    await running;
  };
  return Object.defineProperty(run, 'running', { get: () => running }) as Once<Args>;
}
