import { ApplicationFailure } from '@temporalio/activity';
import type { Context } from '../src/context/context.ts';
import { translateDatabaseError } from '../src/database/errors.ts';
import { step } from '../src/commands/fault-points.ts';
import { CarnetError } from '../src/errors/carnet-error.ts';
import { keepAlive } from './keep-alive.ts';

/**
 * A step as the worker runs it, with its fault points `life:<name>:before` and `life:<name>:done` (architecture rule 11). What it throws is
 * told to the log alone: a failure is recorded in the history, and its message could carry what no history may hold (rule 3).
 */
export function activity<Args extends unknown[], Result>(
  context: Context,
  name: string,
  run: (...args: Args) => Promise<Result>,
): (...args: Args) => Promise<Result> {
  return async (...args) => {
    step(`life:${name}:before`);
    const rest = keepAlive();
    try {
      const result = await run(...args);
      step(`life:${name}:done`);
      return result;
    } catch (error) {
      const known = translateDatabaseError(error);
      const type = known instanceof CarnetError ? known.code : 'INTERNAL_ERROR';
      if (type === 'TEMPORARILY_UNAVAILABLE')
        context.log.debug({ err: error, step: name }, 'the database does not answer; the step is tried again');
      else context.log.error({ err: error, step: name }, 'a step of a life failed; it is tried again');
      throw ApplicationFailure.retryable(`${name} did not succeed; the log of the worker says why.`, type);
    } finally {
      rest();
    }
  };
}
