import { floors } from './floors.ts';
import type { Lab } from './lab.ts';
import { openLives } from './lives.ts';
import { inTurns, median, rate, ratioCells, rates, table } from './pairs.ts';
import type { LivesRan, LivesRun } from './servers/bare-lives.ts';

/** Enough for four seconds of draining. */
const LIVES = 250;

interface Drained {
  perSecond: number;
  /** Workflow tasks a life, from a sample of histories. */
  tasks: number;
}

/** Lives drained by the service and by a bare workflow, and the floors of the machine. */
export async function measureLives(lab: Lab): Promise<string[]> {
  const temporalAddress = await lab.temporalAddress();
  const world = await lab.newWorld('b5_lives');
  const carnet = await lab.start('carnet', {
    databaseUrl: world.databaseUrl,
    temporalAddress,
    roles: { api: false, worker: true },
  });
  const bare = await lab.start('bare-lives', { temporalAddress });
  const lives = await openLives({ world, temporalAddress, deliver: () => carnet.request({}) });
  const count = lab.quick ? 40 : LIVES;
  const drained = async (ran: LivesRan): Promise<Drained> => ({
    perSecond: await lives.perSecond(ran),
    tasks: await lives.tasksOf(ran.ids.slice(0, 20)),
  });
  const rounds = (kind: 'oneTask' | 'twoTasks') =>
    inTurns<'carnet' | 'bare', Drained>(
      lab.rounds,
      {
        carnet: async () => drained(await lives.drain(kind, count)),
        bare: async () => drained(await bare.request<LivesRan>({ kind, lives: count } satisfies LivesRun)),
      },
      (line) => lab.log(`${kind}: ${line}`),
    );
  await lives.drain('twoTasks', 20);
  const one = await rounds('oneTask');
  const two = await rounds('twoTasks');
  const noop = await bare.request<LivesRan>({ kind: 'nothing', lives: count } satisfies LivesRun);
  const speeds = (runs: Drained[]): number[] => runs.map(({ perSecond }) => perSecond);
  const tasks = (runs: Drained[]): string => median(runs.map((run) => run.tasks)).toFixed(2);
  const row = (what: string, by: typeof one): string[] => [
    what,
    rates(speeds(by.carnet)),
    tasks(by.carnet),
    rates(speeds(by.bare)),
    tasks(by.bare),
    ...ratioCells(speeds(by.carnet), speeds(by.bare), 0.9),
  ];
  const tables = [
    table(
      [
        `${count} lives`,
        'Carnet, lives a second',
        'tasks a life',
        'bare workflow, a second',
        'tasks a life',
        'ratio (spread of the pairs)',
        'goal',
      ],
      [row('over before it is delivered', one), row('claimed and completed after its first task', two)],
    ),
    await floors(lab, [
      ['Temporal, workflow that does nothing, started and awaited, 32 in parallel', rate(await lives.perSecond(noop))],
    ]),
  ];
  await Promise.all([carnet.stop(), bare.stop(), lives.close()]);
  return tables;
}
