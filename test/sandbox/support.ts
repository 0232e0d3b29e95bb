import { existsSync } from 'node:fs';
import pino from 'pino';
import { createScriptRunner } from '../../activities/sandbox/index.ts';
import { childrenOf } from '../support/processes.ts';
import type { ScriptOutcome, ScriptRun, ScriptRunner } from '../../src/sandbox/script-runner.ts';

type RunnerSettings = Parameters<typeof createScriptRunner>[0];

/** A runner that writes no log. */
export const buildRunner = (limits: RunnerSettings['limits'] = {}): ScriptRunner =>
  createScriptRunner({ log: pino({ level: 'silent' }), limits });

export const buildRun = (run: Partial<ScriptRun> & { script: string }): ScriptRun => ({
  runtime: 'javascript',
  dependencies: [],
  input: '{"known":1}',
  caller: 'op_1',
  author: 'op_author',
  ...run,
});

/** A fault's code, or what was returned. */
export const endOf = (outcome: ScriptOutcome): unknown => {
  switch (outcome.outcome) {
    case 'returned':
      return JSON.parse(outcome.output);
    case 'failed':
      return outcome.code;
    case 'interrupted':
      return outcome.sentence;
  }
};

/** Processes anywhere below a process. */
export function processesUnder(pid: number): number[] {
  return childrenOf(pid).flatMap((child) => [child, ...processesUnder(child)]);
}

export const isAlive = (pid: number): boolean => existsSync(`/proc/${pid}`);
