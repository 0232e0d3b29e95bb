import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { createActivities } from '../../activities/index.ts';
import { invocationRoutes } from '../../src/invocations/routes.ts';
import { casesOf } from '../support/cases.ts';

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

/** A process that dies at such a point has done its work and told nobody. In `npm test` an operation is tried there alone. */
export const isCommitted = (point: string): boolean => point.endsWith(':committed');

/** Every point that a process passes which takes an inbound event. */
export const pointsOfReceiver = (): readonly string[] => casesOf(templatesIn([RECEIVER]), isCommitted);

/** The commands that pass `hotCommand`: all that change an invocation. */
export const hotOperations = (): string[] =>
  invocationRoutes.filter(({ method }) => method === 'post').map(({ operation }) => operation);

/** Every point of the hot commands of invocations, read from the code. `npm test` tries a command of each side. */
export const pointsOfHotCommands = (): readonly string[] =>
  casesOf(
    hotOperations().flatMap((operation) => pointsOf(runners.hotCommand).map((point) => `${operation}:${point}`)),
    (point) => point === 'invokeSkill:committed' || point === 'completeInvocation:committed',
  );

/** Every point that one operation passes through `runCommand`. */
export const pointsOfCommand = (operation: string): readonly string[] =>
  casesOf(
    pointsOf(runners.command).map((point) => `${operation}:${point}`),
    isCommitted,
  );

/** Every point of the delivery of messages. */
export const pointsOfDelivery = (): string[] => templatesIn(['temporal/delivery.ts']);

/**
 * Every point that one operation passes through `runWaitingCommand`. `npm test` tries the one where the row is there, the process that
 * waited for its life is not, and the key is reserved.
 */
export const pointsOfWaitingCommand = (operation: string): readonly string[] =>
  casesOf(
    pointsOf(runners.waitingCommand).map((point) => `${operation}:${point}`),
    (point) => point.endsWith(':reserved'),
  );

function pointsOf(file: string): string[] {
  const points = findAll(/step\(`\$\{call\.operation\}:([\w-]+)`\)/g, [file]);
  if (points.length === 0) throw new Error(`${file} no longer has the fault points of a command.`);
  return points;
}

/** `advanceInvocation` for `life:advanceInvocation:done`. */
export const stepOf = (point: string): string => point.split(':').at(-2) ?? '';

/** Every point that a step of a life passes in the worker; those of one file in their order. */
export function pointsOfLives(): string[] {
  const files = globSync(['src/**/*.ts', 'activities/**/*.ts', 'temporal/**/*.ts'], { cwd: ROOT }).filter(
    (file) => !OUTSIDE_LIVES.has(file),
  );
  const activities = Object.keys(createActivities({} as never, {} as never)); // none is called
  return templatesIn(files).flatMap((template) =>
    template.includes('${name}') ? activities.map((name) => template.replace('${name}', name)) : [template],
  );
}

/**
 * The points of one step of a life. A test of this folder that calls this is the one that kills the step. `npm test` tries one: the last
 * that the step names itself, where it has acted and has not said so, or else the point where it is done and Temporal does not know.
 * @throws Error where the step has none.
 */
export function pointsOfStep(step: string): readonly string[] {
  const points = pointsOfLives().filter((point) => stepOf(point) === step);
  const last = points.findLast((point) => !point.startsWith('life:')) ?? `life:${step}:done`;
  return casesOf(points, (point) => point === last);
}

/** Those of them that lie in the work itself, which a process that answers callers may do as well. */
export const pointsOfAction = (step: string): string[] =>
  pointsOfStep(step).filter((point) => !point.startsWith('life:'));

/**
 * Steps of lives that a test of this folder kills, read from the tests themselves, so that the list cannot be wrong.
 */
export const stepsKilled = (): Set<string> =>
  new Set(findAll(/\bpointsOfStep\('(\w+)'\)/g, globSync('test/faults/*.test.ts', { cwd: ROOT })));
