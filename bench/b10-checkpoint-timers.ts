import { setTimeout as pause } from 'node:timers/promises';
import { getHeapStatistics } from 'node:v8';
import type { Bench } from './bench.ts';
import { floors } from './floors.ts';
import type { Lab } from './lab.ts';
import { memoryOf, memoryUnder } from './memory.ts';
import { quantile, table } from './pairs.ts';
import { INTERVAL, openSessions } from './sessions.ts';

/** Milliseconds, MiB and seconds. */
const GOALS = { latenessP99: 1_000, memoryPerCached: 1, recovery: 30 };
const SESSIONS = 10_000;
const EVICTED = 1_000;
const MIB = 1_024 * 1_024;

/** The default size of the SDK's cache of workflows: 600 a GiB of heap above 200 MiB. */
const cacheBound = (): number => Math.floor(((getHeapStatistics().heap_size_limit / MIB - 200) * 600) / 1_024);

const reached = (goal: string, is: boolean): string => `${goal} ${is ? 'reached' : 'missed'}`;

async function measure(lab: Lab): Promise<string[]> {
  const count = lab.quick ? 200 : SESSIONS;
  const window = lab.quick ? 10 : INTERVAL;
  const temporalAddress = await lab.temporalAddress();
  const { databaseUrl } = await lab.newWorld('b10');
  const carnet = await lab.start('carnet', { databaseUrl, temporalAddress, roles: { api: false, worker: true } });
  const sessions = await openSessions({ databaseUrl, deliver: () => carnet.request({}) });
  await pause(lab.seconds(10) * 1_000);
  const idle = memoryOf(carnet.pid);

  await sessions.write(count, { lead: window, window });
  const startSeconds = await sessions.started();
  lab.log(`${count} lives have begun in ${startSeconds.toFixed(0)} s`);
  if (startSeconds > window)
    lab.log('that was longer than the deadlines waited: some of the lateness is theirs who had not begun');
  const begun = memoryOf(carnet.pid);
  await sessions.missed(count);
  const late = await sessions.lateness();
  const [worker, parts] = [memoryOf(carnet.pid), memoryUnder(lab.dataDir)];
  const cached = Math.min(count, cacheBound());
  const perCached = (worker - idle) / cached;
  const p99 = quantile(late, 0.99);
  lab.log(`${late.length} deadlines, p99 ${p99.toFixed(0)} ms; the worker holds ${worker.toFixed(0)} MiB`);

  const evicted = lab.quick ? 20 : EVICTED;
  const recovery = await sessions.wakeOldest(evicted);
  const lateAfter = (await sessions.lateness()).slice(late.length);
  await sessions.close();
  await carnet.stop();
  return [
    table(
      [
        `${count.toLocaleString('en-US')} sessions, a deadline each in ${window} s`,
        'median',
        'p95',
        'p99',
        'most',
        'goal of p99',
      ],
      [
        [
          'Milliseconds from deadline to flag',
          ...[0.5, 0.95, 0.99, 1].map((share) => quantile(late, share).toFixed(0)),
          reached(`${GOALS.latenessP99}`, p99 <= GOALS.latenessP99),
        ],
      ],
    ),
    table(
      ['Memory, MiB', '', 'goal'],
      [
        ['worker before the first session', idle.toFixed(0), ''],
        ['worker when all lives have begun', begun.toFixed(0), ''],
        ['worker after the window', worker.toFixed(0), ''],
        [
          `a cached workflow, of ${cached.toLocaleString('en-US')} (the cache holds ${cacheBound().toLocaleString('en-US')} at most)`,
          perCached.toFixed(2),
          reached(`${GOALS.memoryPerCached}`, perCached <= GOALS.memoryPerCached),
        ],
        ['Postgres and Temporal', parts.toFixed(0), ''],
        ['worker, Postgres and Temporal together', (worker + parts).toFixed(0), ''],
      ],
    ),
    table(
      ['Lives', 'seconds', 'a second', 'goal'],
      [
        [`${count.toLocaleString('en-US')} begun`, startSeconds.toFixed(1), (count / startSeconds).toFixed(0), ''],
        [
          [
            `${evicted.toLocaleString('en-US')} ${count > cached ? 'that had left the cache' : 'still in the cache'}, woken immediately`,
            ...(lateAfter.length > 0 ? [`while ${lateAfter.length} more deadlines passed`] : []),
          ].join(', '),
          recovery.toFixed(1),
          (evicted / recovery).toFixed(0),
          reached(`${GOALS.recovery}`, recovery <= GOALS.recovery),
        ],
      ],
    ),
  ];
}

/** Ten thousand lives that wait for a checkpoint each. */
export const b10: Bench = {
  title: 'B10: many timers',
  run: async (lab) => [...(await measure(lab)), await floors(lab)],
};
