import pino from 'pino';
import { Child } from '../../activities/sandbox/child.ts';
import { createScriptRunner } from '../../activities/sandbox/index.ts';
import { javascript, PLACES, python } from '../../activities/sandbox/programs.ts';
import { findWalls } from '../../activities/sandbox/walls.ts';
import type { ScriptRun, ScriptRuntime } from '../../src/sandbox/script-runner.ts';
import { answering, ready, settings } from './child.ts';

/** The sandbox alone: what the worker does with a step, without database and Temporal. */

export type ScriptsQuestion =
  /** Runs of one operator, one after the other. */
  | { ask: 'warm'; script: string; input: string; count: number }
  /** A process that starts, and its first run. */
  | { ask: 'cold'; runtime: ScriptRuntime; script: string; input: string }
  /** All places taken by endless runs of one operator, whose runs end at `limitMs`, until `stop`. */
  | { ask: 'fill' }
  | { ask: 'stop' }
  /** Runs of an honest operator beside those. */
  | { ask: 'turns'; script: string; input: string; count: number }
  /** Resident memory of one process: when it is ready, after so many runs, and the most that was seen meanwhile. */
  | { ask: 'memory'; runtime: ScriptRuntime; script: string; input: string; count: number };

/** Milliseconds by the clock of each run. */
export interface Times {
  times: number[];
}
/** MiB. */
export interface Memory {
  ready: number;
  after: number;
  most: number;
}

const { limitMs } = settings<{ limitMs: number }>();
const LIMITS = { wallMs: limitMs, cpuMs: limitMs, memoryBytes: 64 * 1024 * 1024 };
const MIB = 1_024 * 1_024;
const LOOK_MS = 5;
const log = pino({ level: 'silent' });
const walls = await findWalls(log);
const runner = createScriptRunner({ log, limits: LIMITS });
const programs = { javascript: javascript(), python: python() };
const never = new AbortController().signal;

const started = async (runtime: ScriptRuntime): Promise<Child> => {
  const child = await Child.start(programs[runtime], walls, { n: 0, signal: never });
  if (child === undefined) throw new Error(`No process of ${runtime} could be started.`);
  return child;
};

const runOf = (run: Pick<ScriptRun, 'script' | 'input' | 'caller'>): ScriptRun => ({
  ...run,
  runtime: 'javascript',
  dependencies: [],
  author: 'op_author',
});

async function timesOf(count: number, run: ScriptRun): Promise<Times> {
  const times: number[] = [];
  for (let nth = 0; nth < count; nth += 1) {
    const before = performance.now();
    const { outcome } = await runner.run(run);
    times.push(performance.now() - before);
    if (outcome !== 'returned') throw new Error(`A run ${outcome}.`);
  }
  return { times };
}

async function cold(runtime: ScriptRuntime, job: { script: string; input: string }): Promise<Times> {
  const before = performance.now();
  const child = await started(runtime);
  const { how } = await child.run(job, LIMITS);
  const times = [performance.now() - before];
  child.end();
  if (how !== 'returned') throw new Error(`A first run of ${runtime} ended by ${how}.`);
  return { times };
}

async function memory(runtime: ScriptRuntime, job: { script: string; input: string }, count: number): Promise<Memory> {
  const child = await started(runtime);
  const look = (): number => (child.residentBytes ?? Number.NaN) / MIB;
  const atStart = look();
  let [after, most] = [atStart, atStart];
  const timer = setInterval(() => (most = Math.max(most, look() || 0)), LOOK_MS);
  for (let nth = 0; nth < count && !child.isGone; nth += 1) {
    await child.run(job, LIMITS);
    // A Python process ends with its run, and one that met a limit is killed.
    after = look() || after;
  }
  clearInterval(timer);
  child.end();
  return { ready: atStart, after, most: Math.max(most, after) };
}

let filling: AbortController | undefined;
let filled: Promise<unknown> = Promise.resolve();

/** As many endless runs wait as are under way. */
function fill(): void {
  const stop = new AbortController();
  const endless = async (): Promise<void> => {
    while (!stop.signal.aborted)
      await runner.run({ ...runOf({ script: 'for (;;);', input: '{}', caller: 'op_hostile' }), signal: stop.signal });
  };
  filling = stop;
  filled = Promise.all(Array.from({ length: 2 * PLACES }, endless));
}

answering<ScriptsQuestion>(async (question): Promise<object> => {
  switch (question.ask) {
    case 'warm':
      return timesOf(question.count, runOf({ ...question, caller: 'op_bench' }));
    case 'cold':
      return cold(question.runtime, question);
    case 'fill':
      fill();
      return {};
    case 'stop':
      filling?.abort();
      await filled;
      return {};
    case 'turns':
      return timesOf(question.count, runOf({ ...question, caller: 'op_honest' }));
    case 'memory':
      return memory(question.runtime, question, question.count);
  }
});
ready();
