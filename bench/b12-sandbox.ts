import { PLACES } from '../activities/sandbox/programs.ts';
import type { Bench } from './bench.ts';
import { latencyCell, runChains } from './chains.ts';
import { floors } from './floors.ts';
import type { Lab } from './lab.ts';
import { inTurns, median, quantile, spread, table } from './pairs.ts';
import type { Server } from './server.ts';
import type { BareQuestion } from './servers/bare-scripts.ts';
import type { Memory, ScriptsQuestion, Times } from './servers/scripts.ts';

/** Milliseconds, ratios, and MiB above what the runtime needs by itself. */
const GOALS = { warm: 5, cold: 150, python: 1.3, invoke: 1.5, turns: 2, growth: 64 };
/** For which a look at the memory may come late: a script fills some MiB between two of them. */
const LOOK_MIB = 16;

const INPUT = JSON.stringify({ words: Array.from({ length: 200 }, (_, nth) => `word${nth % 50}`) });
const JAVASCRIPT = `function main(input) {
  const counts = {};
  for (const word of input.words) counts[word] = (counts[word] ?? 0) + 1;
  return { counts };
}`;
const PYTHON = `from collections import Counter
def main(input): return {"counts": dict(Counter(input["words"]))}`;
/** Nearly all that a script may have, and more than that. */
const HUNGRY = 'function main() { new Uint8Array(40e6).fill(1); return {}; }';
const BOMB = 'def main(input):\n  kept = []\n  while True: kept.append(bytearray(10**6))';

const reached = (goal: number, is: number, unit = ''): string => `${goal}${unit} ${is <= goal ? 'reached' : 'missed'}`;
const cells = (times: readonly number[]): string[] => [0.5, 0.95].map((share) => quantile(times, share).toFixed(1));

interface Sides {
  scripts: Server;
  bare: Server;
}
const ask = <Answer>(server: Server, question: ScriptsQuestion | BareQuestion): Promise<Answer> =>
  server.request<Answer>(question);
const timesOf = async (server: Server, question: ScriptsQuestion | BareQuestion): Promise<number[]> =>
  (await ask<Times>(server, question)).times;

async function measureSteps(lab: Lab, { scripts, bare }: Sides): Promise<string> {
  const step = { script: JAVASCRIPT, input: INPUT };
  const count = lab.quick ? 20 : 300;
  // Both are warm after so many.
  await timesOf(scripts, { ask: 'warm', ...step, count: 50 });
  await timesOf(bare, { ask: 'quickjs', ...step, count: 50 });
  const warm = await inTurns<'ours' | 'bare', number[]>(
    lab.rounds,
    {
      ours: () => timesOf(scripts, { ask: 'warm', ...step, count }),
      bare: () => timesOf(bare, { ask: 'quickjs', ...step, count }),
    },
    () => {},
  );
  const above = median(warm.ours.flat()) - median(warm.bare.flat());
  const cold: number[] = [];
  for (let nth = 0; nth < (lab.quick ? 2 : 20); nth += 1)
    cold.push(...(await timesOf(scripts, { ask: 'cold', runtime: 'javascript', ...step })));
  lab.log(`JavaScript: ${above.toFixed(1)} ms above bare QuickJS, ${median(cold).toFixed(0)} ms cold`);
  return table(
    ['A JavaScript step, milliseconds', 'median', 'p95', 'above bare, median', 'goal'],
    [
      ['warm, by the sandbox', ...cells(warm.ours.flat()), above.toFixed(1), reached(GOALS.warm, above)],
      ['the same function in a new QuickJS of this process', ...cells(warm.bare.flat()), '', ''],
      ['cold: the process starts, and its first run', ...cells(cold), '', reached(GOALS.cold, median(cold))],
    ],
  );
}

async function measurePython(lab: Lab, { scripts, bare }: Sides): Promise<string> {
  const step = { script: PYTHON, input: INPUT };
  const pairs = await inTurns<'ours' | 'bare', number>(
    lab.rounds,
    {
      ours: async () => median(await timesOf(scripts, { ask: 'cold', runtime: 'python', ...step })),
      bare: async () => median(await timesOf(bare, { ask: 'pyodide', ...step })),
    },
    (line) => lab.log(`Python ${line}`),
  );
  const ratios = pairs.ours.map((ours, at) => ours / (pairs.bare[at] ?? Number.NaN));
  return table(
    ['A Python step that finds no process ready, milliseconds', 'median', 'ratio (spread of the pairs)', 'goal'],
    [
      ['by the sandbox', median(pairs.ours).toFixed(0), spread(ratios), reached(GOALS.python, median(ratios))],
      ['a Node that loads Pyodide and runs the same', median(pairs.bare).toFixed(0), '', ''],
    ],
  );
}

async function measureInvoke(lab: Lab, { scripts }: Sides): Promise<string[]> {
  const world = await lab.newWorld('b12');
  const carnet = await lab.start('carnet', { databaseUrl: world.databaseUrl, roles: { api: true, worker: false } });
  const pace = { callers: 1, seconds: lab.seconds(8) };
  await runChains(carnet.origin, world, pace);
  const taken = async (): Promise<number[]> => (await runChains(carnet.origin, world, pace)).latencies.invoke;
  const invokes = await inTurns<'alone' | 'beside', number[]>(
    lab.quick ? 1 : 3,
    {
      alone: taken,
      beside: async () => {
        await ask(scripts, { ask: 'fill' });
        const times = await taken();
        await ask(scripts, { ask: 'stop' });
        return times;
      },
    },
    () => {},
  );
  await carnet.stop();
  const [alone, beside] = [invokes.alone.flat(), invokes.beside.flat()];
  const ratio = quantile(beside, 0.99) / quantile(alone, 0.99);
  lab.log(`p99 of invoke beside ${PLACES} endless runs: ${ratio.toFixed(2)} times`);
  return [
    `p99 of invoke beside ${PLACES} endless runs (${latencyCell(alone)} ms alone, ${latencyCell(beside)} beside)`,
    ratio.toFixed(2),
    reached(GOALS.invoke, ratio),
  ];
}

async function measureTurns(lab: Lab, { scripts }: Sides, limitMs: number): Promise<string[]> {
  await ask(scripts, { ask: 'fill' });
  const waits = await timesOf(scripts, { ask: 'turns', script: JAVASCRIPT, input: INPUT, count: lab.quick ? 2 : 10 });
  await ask(scripts, { ask: 'stop' });
  const ratio = Math.max(...waits) / limitMs;
  return [
    `the longest of ${waits.length} runs beside endless ones of another operator, in runs of ${limitMs} ms`,
    ratio.toFixed(2),
    reached(GOALS.turns, ratio),
  ];
}

async function measureMemory(lab: Lab, { scripts }: Sides): Promise<string> {
  const few = lab.quick ? 5 : 50;
  const rows: [string, Extract<ScriptsQuestion, { ask: 'memory' }>][] = [
    [
      `JavaScript, ${few} runs of the step`,
      { ask: 'memory', runtime: 'javascript', script: JAVASCRIPT, input: INPUT, count: few },
    ],
    [
      `JavaScript, ${few} runs that fill 40 MB`,
      { ask: 'memory', runtime: 'javascript', script: HUNGRY, input: '{}', count: few },
    ],
    ['Python, a run of the step', { ask: 'memory', runtime: 'python', script: PYTHON, input: INPUT, count: 1 }],
    ['Python, a memory bomb', { ask: 'memory', runtime: 'python', script: BOMB, input: '{}', count: 1 }],
  ];
  const measured: string[][] = [];
  for (const [name, question] of rows) {
    const { ready, after, most } = await ask<Memory>(scripts, question);
    const bound = GOALS.growth + LOOK_MIB;
    measured.push([
      name,
      ...[ready, after, most].map((mib) => mib.toFixed(0)),
      `${(most - ready).toFixed(0)}, ${reached(bound, most - ready)}`,
    ]);
  }
  return table(
    ['Resident memory of one process, MiB', 'ready', 'after', 'most', 'growth, and its goal, at most'],
    measured,
  );
}

async function measure(lab: Lab): Promise<string[]> {
  const limitMs = lab.quick ? 1_000 : 10_000;
  const sides = { scripts: await lab.start('scripts', { limitMs }), bare: await lab.start('bare-scripts', {}) };
  const tables = [await measureSteps(lab, sides), await measurePython(lab, sides)];
  const beside = [await measureInvoke(lab, sides), await measureTurns(lab, sides, limitMs)];
  tables.push(table(['What stands beside', 'ratio', 'goal'], beside), await measureMemory(lab, sides));
  await Promise.all([sides.scripts.stop(), sides.bare.stop()]);
  return tables;
}

/** Measures what the walls around scripts cost, against the runtimes without them. */
export const b12: Bench = {
  title: 'B12: the sandbox',
  run: async (lab) => [...(await measure(lab)), await floors(lab)],
};
