import type { Bench } from './bench.ts';
import { latencyCell, runChains, type ChainRun, type Pace, type Step } from './chains.ts';
import { floors } from './floors.ts';
import type { Lab } from './lab.ts';
import { inTurns, quantile, ratioCells, rates, table } from './pairs.ts';

const POOL = 8;
const STEPS: readonly Step[] = ['invoke', 'claim', 'complete'];
/** Milliseconds: the 95th of a hundred answers to one caller. */
const P95_GOAL = 10;

const gathered = (runs: ChainRun[], step: Step): number[] => runs.flatMap(({ latencies }) => latencies[step]);
const speeds = (runs: ChainRun[]): number[] => runs.map(({ perSecond }) => perSecond);

async function measure(lab: Lab): Promise<string[]> {
  const [ours, theirs] = [await lab.newWorld('b6'), await lab.newWorld('b6_bare')];
  const carnet = await lab.start('carnet', { databaseUrl: ours.databaseUrl, roles: { api: true, worker: false } });
  const bare = await lab.start('bare-commands', { world: theirs, size: POOL });
  const compare = async (callers: number) => {
    const pace: Pace = { callers, seconds: lab.seconds(4) };
    await runChains(carnet.origin, ours, pace);
    await runChains(bare.origin, theirs, pace);
    const runs = await inTurns<'carnet' | 'bare', ChainRun>(
      lab.rounds,
      { carnet: () => runChains(carnet.origin, ours, pace), bare: () => runChains(bare.origin, theirs, pace) },
      () => {},
    );
    lab.log(
      `${callers} callers: Carnet ${rates(speeds(runs.carnet))}, bare ${rates(speeds(runs.bare))} chains a second`,
    );
    return runs;
  };
  const one = await compare(1);
  const many = await compare(32);
  const throughput = (callers: number, { carnet: a, bare: b }: typeof one): string[] => [
    String(callers),
    rates(speeds(a)),
    rates(speeds(b)),
    ...ratioCells(speeds(a), speeds(b), 0.5),
  ];
  const latency = (what: string, runs: ChainRun[], goal: boolean): string[] => {
    const worst = Math.max(...STEPS.map((step) => quantile(gathered(runs, step), 0.95)));
    return [
      what,
      ...STEPS.map((step) => latencyCell(gathered(runs, step))),
      goal ? `${P95_GOAL} ${worst <= P95_GOAL ? 'reached' : 'missed'}` : '',
    ];
  };
  await Promise.all([carnet.stop(), bare.stop()]);
  const whole = await measureWhole(lab);
  return [
    table(
      ['Callers', 'Carnet, chains a second', 'bare, chains a second', 'ratio (spread of the pairs)', 'goal'],
      [throughput(1, one), throughput(32, many)],
    ),
    table(
      ['Milliseconds, median / p95', ...STEPS, 'p95 goal'],
      [
        latency('Carnet, one caller', one.carnet, true),
        latency('bare, one caller', one.bare, false),
        latency('Carnet, 32 callers', many.carnet, false),
        latency('bare, 32 callers', many.bare, false),
        latency('Carnet, 20 chains a second while API and worker in one process drain their lives', [whole], true),
      ],
    ),
  ];
}

/** The service as `npm start` runs it, at a load that its lives keep up with. */
async function measureWhole(lab: Lab): Promise<ChainRun> {
  const temporalAddress = await lab.temporalAddress();
  const world = await lab.newWorld('b6_whole');
  const carnet = await lab.start('carnet', {
    databaseUrl: world.databaseUrl,
    temporalAddress,
    roles: { api: true, worker: true },
  });
  await runChains(carnet.origin, world, { callers: 1, seconds: lab.seconds(5), perSecond: 20 });
  const run = await runChains(carnet.origin, world, { callers: 1, seconds: lab.seconds(15), perSecond: 20 });
  lab.log(`with lives drained: ${run.perSecond.toFixed(1)} chains a second`);
  await carnet.stop();
  return run;
}

/** Measures what a command costs above the transaction it is. */
export const b6: Bench = {
  title: 'B6: command latency',
  run: async (lab) => [...(await measure(lab)), await floors(lab)],
};
