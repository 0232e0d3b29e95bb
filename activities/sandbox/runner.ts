import type { Logger } from 'pino';
import { decodeUtf8Strict, parseStrictJson, StrictJsonFault } from '../../src/json/strict.ts';
import { isJsonObject } from '../../src/json/value.ts';
import {
  MAX_SCRIPT_MS,
  type ScriptFault,
  type ScriptOutcome,
  type ScriptRun,
  type ScriptRunner,
  type ScriptRuntime,
} from '../../src/sandbox/script-runner.ts';
import { Turns } from '../../src/turns/turns.ts';
import type { Ending, RunLimits } from './child.ts';
import { MAX_OUTPUT_BYTES } from './frames.ts';
import { messages, missingPackage } from './messages.ts';
import { Pool } from './pool.ts';
import { javascript, PLACES, python } from './programs.ts';
import { findWalls, type Walls } from './walls.ts';

const STANDARD_LIMITS: RunLimits = {
  wallMs: MAX_SCRIPT_MS,
  cpuMs: MAX_SCRIPT_MS,
  memoryBytes: 64 * 1024 * 1024,
};

interface Waiting {
  caller: string;
  begin(): void;
}

export interface ScriptRunnerSettings {
  log: Logger;
  /** The limits of a run; those that are left out are 10 s by the clock, 10 s of processor time, 64 MiB above what the runtime has by itself. */
  limits?: Partial<RunLimits>;
}

/** Runs scripts in processes behind walls, on all cores but one, operators in turns. */
export class ProcessScriptRunner implements ScriptRunner {
  readonly #limits: RunLimits;
  readonly #pools: Record<ScriptRuntime, Pool>;
  readonly #waiting = new Turns<Waiting>();
  #free = PLACES;
  readonly #closing = new AbortController();

  constructor({ log, limits }: ScriptRunnerSettings) {
    this.#limits = { ...STANDARD_LIMITS, ...limits };
    let found: Promise<Walls> | undefined;
    const walls = (): Promise<Walls> => (found ??= findWalls(log));
    this.#pools = { javascript: new Pool(javascript(), walls), python: new Pool(python(), walls) };
  }

  /** Resolves also where the script fails or the machine does; rejects where the runner itself is at fault. */
  async run(run: ScriptRun): Promise<ScriptOutcome> {
    const signal = AbortSignal.any([this.#closing.signal, ...(run.signal === undefined ? [] : [run.signal])]);
    if (!(await this.#turn(run.caller, signal))) return interrupted(ENDED);
    try {
      return await this.#perform(run, signal);
    } finally {
      this.#free += 1;
      // Also after one whose turn came while nobody else waited: who came meanwhile waits for one run and not for two.
      this.#waiting.giveWay(run.caller);
      this.#dispatch();
    }
  }

  /** Ends what runs and refuses what waits; no process of a script is left. */
  async close(): Promise<void> {
    this.#closing.abort();
    await Promise.all(Object.values(this.#pools).map((pool) => pool.close()));
  }

  async #perform(run: ScriptRun, signal: AbortSignal): Promise<ScriptOutcome> {
    const { runtime, script, input } = run;
    const [package_] = run.dependencies;
    if (package_ !== undefined) return failed('SCRIPT_FAILED', { console: missingPackage(package_), cpuMs: 0 });
    const pool = this.#pools[runtime];
    const child = await pool.take(`${run.author} for ${run.caller}`);
    if (child === undefined) return interrupted('No process could be started for the script; try again later.');
    if (signal.aborted) {
      pool.giveBack(child);
      return interrupted(ENDED);
    }
    const ending = await child.run({ script, input }, this.#limits, signal);
    const outcome = judge(ending);
    // A limit or a crash leaves a process that nobody can judge.
    if (outcome.outcome === 'failed' && !HARMLESS.has(outcome.code)) child.end();
    pool.giveBack(child);
    return outcome;
  }

  /** Until there is a place for this caller; false where `signal` comes first. */
  #turn(caller: string, signal: AbortSignal): Promise<boolean> {
    return new Promise((resolve) => {
      if (signal.aborted) {
        resolve(false);
        return;
      }
      const onAbort = (): void => {
        this.#waiting.remove(waiting);
        resolve(false);
      };
      const waiting: Waiting = {
        caller,
        begin(): void {
          signal.removeEventListener('abort', onAbort);
          resolve(true);
        },
      };
      signal.addEventListener('abort', onAbort, { once: true });
      this.#waiting.push(waiting);
      this.#dispatch();
    });
  }

  #dispatch(): void {
    while (this.#free > 0) {
      const next = this.#waiting.take(() => true);
      if (next === undefined) return;
      this.#free -= 1;
      next.begin();
    }
  }
}

const ENDED = 'The run was ended before its script had answered.';

/** After these the process is as it was. */
const HARMLESS: ReadonlySet<ScriptFault> = new Set([
  'SCRIPT_FAILED',
  'SCRIPT_OUTPUT_INVALID',
  'SCRIPT_OUTPUT_TOO_LARGE',
]);

/** A child may say this of a script. */
const FAULTS: ReadonlySet<string> = new Set<ScriptFault>([
  'SCRIPT_FAILED',
  'SCRIPT_TIME_LIMIT',
  'SCRIPT_MEMORY_LIMIT',
  'SCRIPT_OUTPUT_INVALID',
  'SCRIPT_OUTPUT_TOO_LARGE',
  'SCRIPT_CRASHED',
]);
const isFault = (code: string): code is ScriptFault => FAULTS.has(code);

/** Signals by which a process ends when something outside of it wants that; the others come from what it did. */
const FROM_OUTSIDE: ReadonlySet<NodeJS.Signals> = new Set(['SIGKILL', 'SIGTERM', 'SIGINT', 'SIGHUP', 'SIGQUIT']);

function judge(ending: Ending): ScriptOutcome {
  switch (ending.how) {
    case 'returned':
      return judgeOutput(ending.output, ending);
    case 'failed':
      return failed(isFault(ending.code) ? ending.code : 'SCRIPT_CRASHED', ending);
    case 'wall limit':
    case 'processor limit':
      return failed('SCRIPT_TIME_LIMIT', ending);
    case 'memory limit':
      return failed('SCRIPT_MEMORY_LIMIT', ending);
    case 'foreign':
      return failed('SCRIPT_CRASHED', ending);
    case 'died':
      return ending.signal !== null && FROM_OUTSIDE.has(ending.signal)
        ? interrupted('The process of the script was ended from outside; the script is not at fault.')
        : failed('SCRIPT_CRASHED', ending);
    case 'aborted':
      return interrupted(ENDED);
  }
}

function judgeOutput(output: Buffer, ending: Ending): ScriptOutcome {
  if (output.length > MAX_OUTPUT_BYTES) return failed('SCRIPT_OUTPUT_TOO_LARGE', ending);
  try {
    const text = decodeUtf8Strict(output);
    if (!isJsonObject(parseStrictJson(text))) return failed('SCRIPT_OUTPUT_INVALID', ending);
    return { outcome: 'returned', output: text, computeMs: computeMs(ending), console: ending.console };
  } catch (error) {
    if (!(error instanceof StrictJsonFault)) throw error;
    return failed('SCRIPT_OUTPUT_INVALID', { ...ending, console: `${ending.console}${error.message}\n` });
  }
}

const failed = (code: ScriptFault, ended: Pick<Ending, 'console' | 'cpuMs'>): ScriptOutcome => ({
  outcome: 'failed',
  code,
  message: messages[code],
  computeMs: computeMs(ended),
  console: ended.console,
});

const interrupted = (sentence: string): ScriptOutcome => ({ outcome: 'interrupted', sentence });

/** Whole milliseconds, since money is counted by them. */
const computeMs = ({ cpuMs }: Pick<Ending, 'cpuMs'>): number => Math.min(MAX_SCRIPT_MS, Math.ceil(cpuMs));
