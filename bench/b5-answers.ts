import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { runCalls, runChains, type Pace } from './chains.ts';
import type { Lab } from './lab.ts';
import { inTurns, median, rate, ratioCells, rates, table } from './pairs.ts';
import { startRestateServer } from './restate-server.ts';
import type { World } from './world.ts';

const CALLERS = 32;
const POOL = 8;
const BURST_SECONDS = 2;
const SUSTAINED_SECONDS = 60;

async function query<Row extends pg.QueryResultRow>(url: string, text: string): Promise<Row[]> {
  const client = new pg.Client(url);
  await client.connect();
  const { rows } = await client.query<Row>(text);
  await client.end();
  return rows;
}

/** The rivals need no messages for lives: in their databases waking a life does nothing. */
async function rivalWorld(lab: Lab, name: string): Promise<World> {
  const world = await lab.newWorld(name);
  await query(
    world.databaseUrl,
    `create or replace function wake_life(p_life text, p_owner text default 'nobody') returns void language sql as ''`,
  );
  return world;
}

async function contenders(lab: Lab) {
  const temporalAddress = await lab.temporalAddress();
  const world = await lab.newWorld('b5_carnet');
  const carnet = await lab.start('carnet', {
    databaseUrl: world.databaseUrl,
    temporalAddress,
    roles: { api: true, worker: true },
  });
  const dbosWorld = await rivalWorld(lab, 'b5_dbos');
  const dbos = await lab.start('dbos', {
    world: dbosWorld,
    systemDatabaseUrl: await lab.newDatabase('b5_dbos_system'),
    size: POOL,
  });
  const handlers = await lab.start('restate', { world: await rivalWorld(lab, 'b5_restate'), size: POOL });
  const restate = await startRestateServer(lab, handlers.origin);
  return {
    /** Deletes the messages of a run, whose lives would otherwise run while the next one is measured. */
    async forgetLives(): Promise<void> {
      await query(world.databaseUrl, 'delete from life_messages');
      await pause(lab.seconds(2) * 1_000);
    },
    async livesClosed(): Promise<number> {
      const [row] = await query<{ closed: number }>(
        world.databaseUrl,
        'select count(*)::int as closed from invocations where followed_up',
      );
      return row?.closed ?? 0;
    },
    run: {
      carnet: async (pace: Pace): Promise<number> => (await runChains(carnet.origin, world, pace)).perSecond,
      DBOS: (pace: Pace): Promise<number> => runCalls(dbos.origin, '/', pace),
      Restate: (pace: Pace): Promise<number> => runCalls(restate, '/chain/run', pace),
    },
  };
}

/** Chains answered a second by Carnet in three requests, by DBOS and Restate in one durable workflow of three steps. */
export async function measureAnswers(lab: Lab): Promise<string[]> {
  const { run, forgetLives, livesClosed } = await contenders(lab);
  const burst: Pace = { callers: CALLERS, seconds: lab.seconds(BURST_SECONDS) };
  const carnetBurst = async (): Promise<number> => {
    const perSecond = await run.carnet(burst);
    await forgetLives();
    return perSecond;
  };
  lab.log('warming up');
  await carnetBurst();
  await run.DBOS(burst);
  await run.Restate(burst);
  const bursts = await inTurns(
    lab.rounds,
    { carnet: carnetBurst, DBOS: () => run.DBOS(burst), Restate: () => run.Restate(burst) },
    (line) => lab.log(`bursts: ${line}`),
  );
  const faster = median(bursts.DBOS) > median(bursts.Restate) ? ('DBOS' as const) : ('Restate' as const);
  const [burstRatio, burstGoal] = ratioCells(bursts.carnet, bursts[faster], 1);

  const sustained: Pace = { callers: CALLERS, seconds: lab.seconds(SUSTAINED_SECONDS) };
  const closedBefore = await livesClosed();
  lab.log('a sustained minute of each');
  const carnet = await run.carnet(sustained);
  const lives = ((await livesClosed()) - closedBefore) / sustained.seconds;
  await forgetLives();
  const [dbos, restate] = [await run.DBOS(sustained), await run.Restate(sustained)];
  const ratio = (ours: number): string => (ours / Math.max(dbos, restate)).toFixed(2);
  return [
    table(
      [`Chains a second, ${CALLERS} callers`, 'Carnet', 'DBOS', 'Restate', 'Carnet to the faster', 'goal'],
      [
        [
          `bursts of ${BURST_SECONDS} s, answers`,
          rates(bursts.carnet),
          rates(bursts.DBOS),
          rates(bursts.Restate),
          `${burstRatio} of ${faster}`,
          burstGoal,
        ],
        ['a sustained minute, answers', rate(carnet), rate(dbos), rate(restate), ratio(carnet), 'none'],
        [
          'a sustained minute, durable work done',
          `${rate(lives)} lives`,
          rate(dbos),
          rate(restate),
          ratio(lives),
          'none',
        ],
      ],
    ),
  ];
}
