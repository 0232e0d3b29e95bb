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
const templatesIn = (files: string[]): string[] => findAll(/\bfaultPoint\(['`]([^'`]+)['`]\)/g, files);

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

/** Every point of the delivery of messages. `npm test` tries the one where the life has been told, and the row does not say so. */
export const pointsOfDelivery = (): readonly string[] =>
  casesOf(templatesIn(['temporal/delivery.ts']), (point) => point === 'delivery:signalled');

/**
 * Every point that one operation passes through `runWaitingCommand`, and in the step that it waits for, where the process that answers does
 * that itself. `npm test` tries where the step has acted and nobody knows; and of one operation, where the key is reserved alone.
 */
export const pointsOfWaitingCommand = (operation: string, step: string): readonly string[] =>
  casesOf(
    [...pointsOf(runners.waitingCommand).map((point) => `${operation}:${point}`), ...ofAction(step)],
    (point) => point === 'createTopUp:reserved' || point === lastOf(step),
  );

function pointsOf(file: string): string[] {
  const points = findAll(/faultPoint\(`\$\{call\.operation\}:([\w-]+)`\)/g, [file]);
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
 * The points of steps of a life that one story kills. A test of this folder that calls this is the one that kills these steps. `npm test`
 * tries one point, of the last step: the last that it names itself, where it has acted and has not said so, or else the point where it is
 * done and Temporal does not know.
 * @throws Error where a step has none.
 */
export function pointsOfSteps(...steps: string[]): readonly string[] {
  const points = steps.flatMap(ofStep);
  return casesOf(points, (point) => point === lastOf(steps.at(-1) ?? ''));
}

const ofStep = (step: string): string[] => pointsOfLives().filter((point) => stepOf(point) === step);
const ofAction = (step: string): string[] => ofStep(step).filter((point) => !point.startsWith('life:'));
const lastOf = (step: string): string => ofAction(step).at(-1) ?? `life:${step}:done`;

/**
 * Steps of lives that a test of this folder kills, read from the tests themselves, so that the list cannot be wrong.
 */
export const stepsKilled = (): Set<string> =>
  new Set(
    findAll(/\bpointsOfSteps\(([^)]+)\)/g, globSync('test/faults/*.test.ts', { cwd: ROOT })).flatMap((steps) =>
      [...steps.matchAll(/'(\w+)'/g)].map(([, step = '']) => step),
    ),
  );
