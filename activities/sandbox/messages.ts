import type { ScriptFault } from '../../src/sandbox/script-runner.ts';
import { MAX_OUTPUT_BYTES } from './frames.ts';

/** One sentence for each fault. A buyer may read them, so nothing of a script is in them. */
export const messages: Record<ScriptFault, string> = {
  SCRIPT_FAILED: 'The script ended with an exception, or has no function main; its owner can read where.',
  SCRIPT_TIME_LIMIT: 'The script needed more time than a step may have; let it do less in one step.',
  SCRIPT_MEMORY_LIMIT: 'The script needed more memory than a step may have; let it keep less in memory.',
  SCRIPT_OUTPUT_INVALID:
    'What main returned is no JSON object, or holds what JSON cannot; return an object of plain values.',
  SCRIPT_OUTPUT_TOO_LARGE: `What main returned is longer than ${MAX_OUTPUT_BYTES / 1024} KiB as JSON; return less.`,
  SCRIPT_CRASHED: 'The script broke the runtime that ran it; let it do less in one step, or do it another way.',
};

/** For the console of a script whose dependencies the runtime lacks. @param name of a package */
export const missingPackage = (name: string): string =>
  `The runtime carries no package ${JSON.stringify(name.slice(0, 100))}; it has the standard library alone.\n`;
