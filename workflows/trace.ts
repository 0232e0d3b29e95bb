import type { Headers, Payload } from '@temporalio/common';
import type { WorkflowInterceptors } from '@temporalio/workflow';
import { TRACE_HEADER } from './trace-header.ts';

/**
 * Hands the trace of the last wake-up to the steps of the run and to the run that follows it. A header decides nothing, and no command of a history
 * is compared by it, so runs with and without one replay alike.
 */
export function interceptors(): WorkflowInterceptors {
  let trace: Payload | undefined;
  // A wake-up that belongs to no trace ends the one before: a life that goes on for months would otherwise stay in its first trace.
  const note = (headers: Headers): void => void (trace = headers[TRACE_HEADER]);
  const passOn = <Input extends { readonly headers: Headers }>(input: Input): Input =>
    trace === undefined ? input : { ...input, headers: { ...input.headers, [TRACE_HEADER]: trace } };
  return {
    inbound: [
      {
        execute(input, next) {
          note(input.headers);
          return next(input);
        },
        handleSignal(input, next) {
          note(input.headers);
          return next(input);
        },
      },
    ],
    outbound: [
      {
        scheduleActivity: (input, next) => next(passOn(input)),
        scheduleLocalActivity: (input, next) => next(passOn(input)),
        continueAsNew: (input, next) => next(passOn(input)),
      },
    ],
  };
}
