import { setTimeout as pause } from 'node:timers/promises';
import type { Bench } from './bench.ts';
import { latencyCell, runChains } from './chains.ts';
import { floors } from './floors.ts';
import type { Lab } from './lab.ts';
import { openEvents } from './events.ts';
import { inTurns, quantile, rate, rates, spread, table } from './pairs.ts';
import type { BareDeliveries } from './servers/bare-deliveries.ts';
import type { Arrival } from './servers/sink.ts';

/** Operators with one webhook each. */
const RECEIVERS = 10;
/** Events in parallel, for the burst: no queue of a destination is full. */
const BURST = 1_000;
/** The search for the ceiling: the rate of the first step, the seconds of one, and how much the next is faster. */
const SEARCH = { from: 50, seconds: 6, factor: 1.25 };
/** A rate is sustained where after its step no more wait than come in so long; about half a second's worth waits at any rate. */
const BACKLOG_SECONDS = 1;
/** Milliseconds from commit to receiver at ten events a second. */
const P95_GOAL = 2_000;
/** How much a slow receiver may delay the others' p95, and deliveries at the ceiling the p99 of invoke. */
const SLOW_GOAL = 1.1;
const INVOKE_GOAL = 1.5;

const latencies = (arrivals: readonly Arrival[]): number[] =>
  arrivals.map(({ committed, arrived }) => arrived - committed);
const goal = (limit: number, is: number, digits = 0): string =>
  `${limit.toFixed(digits)} ${is <= limit ? 'reached' : 'missed'}`;
const milliseconds = (values: readonly number[]): string[] =>
  [0.5, 0.95, 0.99].map((share) => quantile(values, share).toFixed(0));

async function measure(lab: Lab): Promise<string[]> {
  const temporalAddress = await lab.temporalAddress();
  const world = await lab.newWorld('b8');
  const sink = await lab.start('sink', {});
  const carnet = await lab.start('carnet', {
    databaseUrl: world.databaseUrl,
    temporalAddress,
    allowLoopback: true,
    roles: { api: true, worker: true },
  });
  const urlOf = (path: string): string => `${sink.origin}${path}`;
  const events = await openEvents({ databaseUrl: world.databaseUrl, deliver: () => carnet.request({}) });
  const operators: string[] = [];
  for (let nth = 0; nth < RECEIVERS; nth += 1) operators.push(await events.receiver(urlOf(`/fast/${nth}`)));
  const slow = await events.receiver(urlOf('/slow/0'));
  const arrived = async (): Promise<Arrival[]> => (await sink.request<{ arrivals: Arrival[] }>({})).arrivals;

  let [sent, came] = [0, 0];
  /** Waits until nothing of what was recorded waits to be sent. @returns what came to /fast/ */
  const gather = async (): Promise<Arrival[]> => {
    const deadline = performance.now() + 120_000;
    while ((await events.waiting(operators)) > 0) {
      if (performance.now() > deadline) throw new Error('Deliveries still wait after two minutes.');
      await pause(100);
    }
    const all = (await arrived()).filter(({ path }) => path.startsWith('/fast/'));
    came += all.length;
    return all;
  };
  const paced = async (perSecond: number, seconds: number, others: string[] = []): Promise<Arrival[]> => {
    sent += (await events.paced({ perSecond, seconds, operators, others })).count;
    return gather();
  };
  const burst = async (): Promise<number> => {
    const count = lab.quick ? 100 : BURST;
    await events.burst(count, operators);
    sent += count;
    const times = (await gather()).map((one) => one.arrived);
    return ((count - 1) * 1_000) / (Math.max(...times) - Math.min(...times));
  };
  /** Whether so many a second are delivered as quickly as they come. */
  const isSustained = async (perSecond: number): Promise<boolean> => {
    const { count, took } = await events.paced({
      perSecond,
      seconds: lab.seconds(SEARCH.seconds),
      operators,
      others: [],
    });
    const waiting = await events.waiting(operators);
    sent += count;
    await gather();
    const recorded = (count * 1_000) / took;
    lab.log(`${rate(perSecond)} a second: ${rate(recorded)} recorded, ${waiting} waited at the end`);
    return recorded >= 0.95 * perSecond && waiting <= perSecond * BACKLOG_SECONDS;
  };
  /**
   * The last rate that was sustained, upwards from `from`, or from below it where that is too fast. A step that fails is made again, since
   * other work of the machine is no ceiling. A quick run takes one step.
   */
  const climb = async (from: number): Promise<number> => {
    let [held, next] = [0, from];
    while ((await isSustained(next)) || (await isSustained(next))) {
      [held, next] = [next, Math.round(next * SEARCH.factor)];
      if (lab.quick) break;
    }
    if (held === 0 && from <= 10) throw new Error(`Not even ${from} deliveries a second are sustained.`);
    return held > 0 ? held : climb(Math.round(from / SEARCH.factor ** 2));
  };

  await paced(10, 2);
  const bursts: number[] = [];
  for (let round = 0; round < lab.rounds; round += 1) bursts.push(await burst());
  lab.log(`bursts: ${rates(bursts)} deliveries a second`);
  const ceilings = [await climb(SEARCH.from)];
  while (ceilings.length < Math.min(lab.rounds, 3))
    ceilings.push(await climb(Math.round(quantile(ceilings, 0.5) / SEARCH.factor ** 2)));
  const ceiling = quantile(ceilings, 0.5);
  const half = Math.max(10, Math.floor(ceiling / 2));
  const seconds = lab.seconds(20);

  const bare = await lab.start('bare-deliveries', {
    databaseUrl: await lab.newDatabase('b8_bare'),
    urls: operators.map((_, nth) => urlOf(`/fast/${nth}`)),
  });
  const ten = latencies(await paced(10, lab.seconds(30)));
  const runs = await inTurns<'carnet' | 'bare', number[]>(
    lab.quick ? 1 : 3,
    {
      carnet: async () => latencies(await paced(half, seconds)),
      bare: async () => {
        await bare.request({ perSecond: half, seconds } satisfies BareDeliveries);
        return latencies(await arrived());
      },
    },
    () => {},
  );
  const slowed = await inTurns<'alone' | 'beside', number>(
    lab.quick ? 1 : 3,
    {
      alone: async () => quantile(latencies(await paced(half, seconds)), 0.95),
      beside: async () => quantile(latencies(await paced(half, seconds, [slow])), 0.95),
    },
    () => {},
  );
  const delays = slowed.beside.map((with_, at) => with_ / (slowed.alone[at] ?? Number.NaN));

  const pace = { callers: 1, seconds: lab.seconds(8) };
  await runChains(carnet.origin, world, pace);
  const invokes = await inTurns<'alone' | 'beside', number[]>(
    lab.quick ? 1 : 3,
    {
      alone: async () => (await runChains(carnet.origin, world, pace)).latencies.invoke,
      beside: async () => {
        const delivering = paced(ceiling, pace.seconds);
        const { latencies: taken } = await runChains(carnet.origin, world, pace);
        await delivering;
        return taken.invoke;
      },
    },
    () => {},
  );
  const p99 = (of: number[][]): number => quantile(of.flat(), 0.99);
  const ratio = p99(invokes.beside) / p99(invokes.alone);
  const lost = await events.lost(operators);
  const notDelivered = Object.values(lost).reduce((sum, count) => sum + count, 0);
  await events.close();
  await Promise.all([carnet.stop(), bare.stop(), sink.stop()]);
  if (came !== sent || notDelivered > 0)
    throw new Error(
      `Of ${sent} events ${came} arrived; not delivered: ${JSON.stringify(lost)}. The figures are worth nothing.`,
    );
  const [ours, theirs] = [runs.carnet.flat(), runs.bare.flat()];
  return [
    table(
      ['Deliveries', 'a second'],
      [
        [
          `${rate(BURST)} events together, to ${RECEIVERS} receivers`,
          `${rates(bursts)} (${rate(Math.min(...bursts))}–${rate(Math.max(...bursts))})`,
        ],
        [
          `the ceiling: the highest rate at which no more wait after ${SEARCH.seconds} s than come in ${BACKLOG_SECONDS} s`,
          `${rates(ceilings)} (${rate(Math.min(...ceilings))}–${rate(Math.max(...ceilings))})`,
        ],
      ],
    ),
    table(
      ['All events of this run', 'recorded', 'arrived', 'not delivered'],
      [['to the ten receivers', rate(sent), rate(came), rate(notDelivered)]],
    ),
    table(
      ['Milliseconds from commit to receiver', 'median', 'p95', 'p99', 'goal of p95'],
      [
        ['Carnet, 10 events a second', ...milliseconds(ten), goal(P95_GOAL, quantile(ten, 0.95))],
        [
          `Carnet, ${half} a second, half of the ceiling`,
          ...milliseconds(ours),
          goal(quantile(theirs, 0.95), quantile(ours, 0.95)),
        ],
        [`a commit and undici, ${half} a second`, ...milliseconds(theirs), ''],
      ],
    ),
    table(
      ['What stands beside', 'ratio (spread of the pairs)', 'goal'],
      [
        ['p95 of ten receivers, one more takes 5 s', spread(delays), goal(SLOW_GOAL, quantile(delays, 0.5), 1)],
        [
          `p99 of invoke, deliveries at the ceiling (${latencyCell(invokes.alone.flat())} ms alone, ${latencyCell(invokes.beside.flat())} beside)`,
          ratio.toFixed(2),
          goal(INVOKE_GOAL, ratio, 1),
        ],
      ],
    ),
  ];
}

/** Deliveries to webhooks, against the least that a signed request after a commit can cost. */
export const b8: Bench = {
  title: 'B8: outbound deliveries',
  run: async (lab) => [...(await measure(lab)), await floors(lab)],
};
