import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { createActivities } from '../../activities/index.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

const read = (file: string): string => readFileSync(`${ROOT}${file}`, 'utf8');

const findAll = (pattern: RegExp, files: string[]): string[] =>
  files.flatMap((file) => [...read(file).matchAll(pattern)].map(([, found = '']) => found));

/** Names of the fault points in these files as the code has them, with `${…}` where a name is made at run time. */
const templatesIn = (files: string[]): string[] => findAll(/\bstep\(['`]([^'`]+)['`]\)/g, files);

/** The three ways of running a command. */
const runners = {
  command: 'src/commands/run.ts',
  waitingCommand: 'src/commands/waiting.ts',
  hotCommand: 'src/commands/hot.ts',
};

/**
 * Files whose points lie in processes that answer callers or deliver messages; all other points lie in steps of lives.
 */
const RECEIVER = 'src/inbound/receiver/receive.ts';
const OUTSIDE_LIVES: ReadonlySet<string> = new Set([...Object.values(runners), RECEIVER, 'temporal/delivery.ts']);

/** Every point that a process passes which takes an inbound event. */
export const pointsOfReceiver = (): string[] => templatesIn([RECEIVER]);

/**
 * Every point that an answering process passes, read from the code: the hot commands of invocations, the adjustment
 * (which moves money through `runCommand`), and the delivery.
 */
export function pointsOutsideLives(): string[] {
  const hot = findAll(/method: 'post',\s+path: [^\n]+\s+operation: '(\w+)'/g, ['src/invocations/routes.ts']);
  return [
    ...hot.flatMap((operation) => pointsOf(runners.hotCommand).map((point) => `${operation}:${point}`)),
    ...pointsOf(runners.command).map((point) => `createAdjustment:${point}`),
    ...templatesIn(['temporal/delivery.ts']),
  ].toSorted();
}

/** Every point that one operation passes through `runWaitingCommand`. */
export const pointsOfWaitingCommand = (operation: string): string[] =>
  pointsOf(runners.waitingCommand).map((point) => `${operation}:${point}`);

function pointsOf(file: string): string[] {
  const points = findAll(/step\(`\$\{call\.operation\}:([\w-]+)`\)/g, [file]);
  if (points.length === 0) throw new Error(`${file} no longer has the fault points of a command.`);
  return points;
}

/** `advanceInvocation` for `life:advanceInvocation:done`. */
export const stepOf = (point: string): string => point.split(':').at(-2) ?? '';

/** Every point that a step of a life passes in the worker. */
export function pointsOfLives(): string[] {
  const files = globSync(['src/**/*.ts', 'activities/**/*.ts', 'temporal/**/*.ts'], { cwd: ROOT }).filter(
    (file) => !OUTSIDE_LIVES.has(file),
  );
  const activities = Object.keys(createActivities({} as never, {} as never)); // none is called
  return templatesIn(files)
    .flatMap((template) =>
      template.includes('${name}') ? activities.map((name) => template.replace('${name}', name)) : [template],
    )
    .toSorted();
}

/**
 * The points of one step of a life. A test of this folder that calls this is the one that kills the step.
 * @throws Error where the step has none.
 */
export function pointsOfStep(step: string): string[] {
  const points = pointsOfLives().filter((point) => stepOf(point) === step);
  if (points.length === 0) throw new Error(`No step of a life is named ${step}.`);
  return points;
}

/** Those of them that lie in the work itself, which a process that answers callers may do as well. */
export const pointsOfAction = (step: string): string[] =>
  pointsOfStep(step).filter((point) => !point.startsWith('life:'));

/**
 * Steps of lives that a test of this folder kills, read from the tests themselves, so that the list cannot be wrong.
 */
export const stepsKilled = (): Set<string> =>
  new Set(findAll(/\bpointsOfStep\('(\w+)'\)/g, globSync('test/faults/*.test.ts', { cwd: ROOT })));
