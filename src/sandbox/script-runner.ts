export type ScriptRuntime = 'javascript' | 'python';

/** One step of a skill: a script of a stranger, and what it gets. */
export interface ScriptRun {
  runtime: ScriptRuntime;
  script: string;
  /** Names of packages that the Python runtime carries, checked when the skill was published; empty for JavaScript. */
  dependencies: readonly string[];
  /** JSON text of an object. */
  input: string;
  /** The operator who pays. Operators take turns. */
  caller: string;
  /** The operator whose script it is. A process runs scripts of one author for one caller. */
  author: string;
  /** Ends the run, and its processes with it. */
  signal?: AbortSignal;
}

export type ScriptFault =
  | 'SCRIPT_FAILED'
  | 'SCRIPT_TIME_LIMIT'
  | 'SCRIPT_MEMORY_LIMIT'
  | 'SCRIPT_OUTPUT_INVALID'
  | 'SCRIPT_OUTPUT_TOO_LARGE'
  | 'SCRIPT_CRASHED';

export type ScriptOutcome =
  | {
      outcome: 'returned';
      /** JSON text of an object. */
      output: string;
      /** Milliseconds of processor time that are charged for, `MAX_SCRIPT_MS` at most. */
      computeMs: number;
      console: string;
    }
  | {
      outcome: 'failed';
      code: ScriptFault;
      /** A sentence of ours: never text of the script or of its exception. */
      message: string;
      /** Milliseconds of processor time that are charged for, `MAX_SCRIPT_MS` at most. */
      computeMs: number;
      /** The text that the script printed, then its exception with its line; 16 KiB at most. */
      console: string;
    }
  /** The machine's fault: no process could be started, or it was ended from outside. */
  | { outcome: 'interrupted'; sentence: string };

/** Runs scripts of strangers where they can harm nobody. */
export interface ScriptRunner {
  run(run: ScriptRun): Promise<ScriptOutcome>;
  close(): Promise<void>;
}

/** Milliseconds that a step may last by the clock, and what it may use of a processor; it is never charged for more. */
export const MAX_SCRIPT_MS = 10_000;
