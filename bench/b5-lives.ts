import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import type { Bench } from './bench.ts';
import { runChains, type Pace } from './chains.ts';
import { floors } from './floors.ts';
import type { World } from './world.ts';
import type { Lab } from './lab.ts';
import { openLives, type LivesRan } from './lives.ts';
import { inTurns, median, rate, rates, spread, table } from './pairs.ts';

/** Enough for four seconds of draining. */
const LIVES = 250;

interface Drained {
  perSecond: number;
  /** Workflow tasks a life, from a sample of histories. */
  tasks: number;
}

/** Invocations are written past the API, all in one transaction; then their messages are delivered and the lives run to their end. */
async function measureLives(lab: Lab): Promise<string> {
  const temporalAddress = await lab.temporalAddress();
  const world = await lab.newWorld('b5_lives');
  const carnet = await lab.start('carnet', {
    databaseUrl: world.databaseUrl,
    temporalAddress,
    roles: { api: false, worker: true },
    runForEveryLife: true,
  });
  const lives = await openLives({ world, temporalAddress, deliver: () => carnet.request({}) });
  const count = lab.quick ? 40 : LIVES;
  const drained = async (ran: LivesRan): Promise<Drained> => ({
    perSecond: await lives.perSecond(ran),
    tasks: await lives.tasksOf(ran.ids.slice(0, 20)),
  });
  await lives.drain('twoTasks', 20);
  const { oneTask, twoTasks } = await inTurns<'oneTask' | 'twoTasks', Drained>(
    lab.rounds,
    {
      oneTask: async () => drained(await lives.drain('oneTask', count)),
      twoTasks: async () => drained(await lives.drain('twoTasks', count)),
    },
    lab.log,
  );
  await Promise.all([carnet.stop(), lives.close()]);
  const row = (what: string, runs: Drained[], most: number): string[] => {
    const tasks = median(runs.map((run) => run.tasks));
    const goal = `${most.toFixed(2)} ${tasks <= most ? 'reached' : 'missed'}`;
    return [
      what,
      spread(
        runs.map(({ perSecond }) => perSecond),
        0,
      ),
      tasks.toFixed(2),
      goal,
    ];
  };
  return table(
    [`${count} lives`, 'a second (spread)', 'tasks a life', 'goal, at most'],
    [row('over before it is delivered', oneTask, 1), row('claimed and completed after its first task', twoTasks, 2)],
  );
}

async function query(url: string, text: string): Promise<unknown[]> {
  const client = new pg.Client(url);
  await client.connect();
  const { rows } = await client.query<{ value: unknown }>(text);
  await client.end();
  return rows.map(({ value }) => value);
}

/** Between two pages that an operator opens: twenty in a minute are its limit. */
const TOP_UP_EVERY_MS = 3_200;

/** Pages of top-ups that both operators open meanwhile. @returns milliseconds of each */
async function topUps(origin: string, { consumer, provider }: World, seconds: number): Promise<number[]> {
  const times: number[] = [];
  const until = performance.now() + seconds * 1_000;
  const open = async (key: string): Promise<void> => {
    while (performance.now() < until) {
      const begun = performance.now();
      const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
      const body = JSON.stringify({ amount_cents: 1_000 });
      const answer = await fetch(`${origin}/v1/billing/topup`, { method: 'POST', headers, body });
      if (!answer.ok) throw new Error(`A top-up was answered ${answer.status}: ${await answer.text()}`);
      await answer.arrayBuffer();
      times.push(performance.now() - begun);
      await pause(TOP_UP_EVERY_MS);
    }
  };
  await Promise.all([open(consumer.key), open(provider.key)]);
  return times;
}

const medianAndMost = (times: number[]): string => `${median(times).toFixed(1)} / ${Math.max(...times).toFixed(1)}`;

/** Chains answered by API and worker in one process: in bursts, and in a minute whose lives cannot keep up. */
async function measureAnswers(lab: Lab): Promise<string> {
  const temporalAddress = await lab.temporalAddress();
  const world = await lab.newWorld('b5_answers');
  const carnet = await lab.start('carnet', {
    databaseUrl: world.databaseUrl,
    temporalAddress,
    roles: { api: true, worker: true },
  });
  const chains = async (pace: Pace): Promise<number> => (await runChains(carnet.origin, world, pace)).perSecond;
  const burst = async (): Promise<number> => {
    const perSecond = await chains({ callers: 32, seconds: lab.seconds(2) });
    // The lives of a burst would otherwise run beside the next one.
    await query(world.databaseUrl, 'delete from lives where ready');
    await pause(lab.seconds(2) * 1_000);
    return perSecond;
  };
  const livesClosed = async (): Promise<number> =>
    Number((await query(world.databaseUrl, 'select count(*)::int as value from invocations where followed_up'))[0]);
  await burst();
  const { bursts } = await inTurns(lab.rounds, { bursts: burst }, lab.log);
  const before = await livesClosed();
  const seconds = lab.seconds(60);
  const idle = await topUps(carnet.origin, world, seconds);
  const [sustained, beside] = await Promise.all([
    chains({ callers: 32, seconds }),
    topUps(carnet.origin, world, seconds),
  ]);
  const drained = ((await livesClosed()) - before) / seconds;
  const [waiting] = await query(world.databaseUrl, 'select count(*)::int as value from lives where ready');
  await carnet.stop();
  return table(
    ['32 callers', 'a second'],
    [
      ['chains answered in bursts of 2 s', rates(bursts)],
      ['chains answered in a sustained minute', rate(sustained)],
      ['lives that ended in that minute, with a run or without', rate(drained)],
      ['messages that waited at its end', String(waiting)],
      ['a top-up in an idle minute, median / most, ms', medianAndMost(idle)],
      ['a top-up in that minute', medianAndMost(beside)],
    ],
  );
}

/** How many lives the worker runs to their end, and what callers are answered meanwhile. */
export const b5: Bench = {
  title: 'B5: lives, and the answers before them',
  run: async (lab) => [await measureLives(lab), await measureAnswers(lab), await floors(lab)],
};
