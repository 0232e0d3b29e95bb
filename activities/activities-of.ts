import { ApplicationFailure } from '@temporalio/activity';
import type { Context } from '../src/context/context.ts';
import { translateDatabaseError } from '../src/database/errors.ts';
import { faultPoint } from '../src/commands/fault-points.ts';
import { CarnetError } from '../src/errors/carnet-error.ts';
import { startHeartbeat } from './heartbeat.ts';

/** A function of a domain: its first argument is the context, the others come from the workflow. */
type Step<C> = (context: C, ...args: never[]) => Promise<unknown>;

/** The same as a workflow calls it. */
type Activity<S> = S extends (context: never, ...args: infer Args) => Promise<infer Result>
  ? (...args: Args) => Promise<Result>
  : never;

type ActivitiesOf<Steps> = { [Name in keyof Steps]: Activity<Steps[Name]> };

/**
 * The activities of a worker, each named by its key. Each has the fault points `life:<name>:before` and `life:<name>:done`. What a step
 * throws goes to the log alone: a failure is recorded in the history, and its message could hold what no history may.
 */
export function activitiesOf<C extends Context, Steps extends Record<string, Step<C>>>(
  context: C,
  steps: Steps,
): ActivitiesOf<Steps> {
  const activities = Object.entries(steps).map(([name, run]) => [name, activity(context, name, run)]);
  return Object.fromEntries(activities) as ActivitiesOf<Steps>;
}

function activity<C extends Context>(context: C, name: string, run: Step<C>) {
  return async (...args: never[]): Promise<unknown> => {
    faultPoint(`life:${name}:before`);
    const stopHeartbeat = startHeartbeat();
    try {
      const result = await run(context, ...args);
      faultPoint(`life:${name}:done`);
      return result;
    } catch (error) {
      const known = translateDatabaseError(error);
      const type = known instanceof CarnetError ? known.code : 'INTERNAL_ERROR';
      if (type === 'TEMPORARILY_UNAVAILABLE')
        context.log.debug({ err: error, step: name }, 'the database does not answer; the step is tried again');
      else context.log.error({ err: error, step: name }, 'a step of a life failed; it is tried again');
      throw ApplicationFailure.retryable(`${name} did not succeed; the log of the worker says why.`, type);
    } finally {
      stopHeartbeat();
    }
  };
}
