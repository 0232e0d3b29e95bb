import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import type { Program } from './child.ts';

/** Scripts that run in parallel: on all cores but one. */
export const PLACES = Math.max(1, availableParallelism() - 1);

const CHILDREN = new URL('children/', import.meta.url);

/** Limits Node itself: a script has a memory of its own, outside of this heap. */
const FLAGS = ['--permission', '--no-warnings', '--disallow-code-generation-from-strings', '--no-addons'];

const folder = (url: URL): string => fileURLToPath(url);

/** A module that may read the folders of children and of its library, and nothing else. */
function program(module: string, library: URL, flags: readonly string[]): Pick<Program, 'nodeArguments'> {
  const reads = [CHILDREN, library].map((url) => `--allow-fs-read=${folder(url)}*`);
  return { nodeArguments: [...FLAGS, ...flags, ...reads, folder(new URL(module, CHILDREN)), library.href] };
}

/** How a pool keeps its processes. */
export interface PooledProgram extends Program {
  /** Runs after which a process is ended; 1 where none is ever used again. */
  maxRuns: number;
  /** Processes that wait at most, for whose they are or for anybody. */
  maxReady: number;
}

/** A process is warm after its first runs; it is ended before what it gathers weighs more than a new start. */
const MAX_JAVASCRIPT_RUNS = 200;
/** All that ran in parallel wait for their next run, and some of others. Each holds 70 MB, up to 115 after scripts that used much memory. */
const MAX_JAVASCRIPT_READY = PLACES + 3;

export const javascript = (): PooledProgram => ({
  ...program('javascript.mjs', new URL('.', import.meta.resolve('quickjs-wasi/quickjs.wasm')), [
    '--max-old-space-size=64',
    // KiB: QuickJS's own bound of its stack is mostly reached first, and is an exception that the script may catch.
    '--stack-size=3900',
  ]),
  maxRuns: MAX_JAVASCRIPT_RUNS,
  maxReady: MAX_JAVASCRIPT_READY,
  startIsCharged: false,
});

export const python = (): PooledProgram => ({
  ...program('python.mjs', new URL('.', import.meta.resolve('pyodide')), ['--max-old-space-size=128']),
  maxRuns: 1,
  maxReady: 1,
  startIsCharged: true,
});
