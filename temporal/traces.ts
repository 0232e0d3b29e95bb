import type { WorkflowClientInterceptor } from '@temporalio/client';
import { defaultPayloadConverter, type Headers } from '@temporalio/common';
import type { ActivityInterceptorsFactory } from '@temporalio/worker';
import { activeTraceparent, inSpan, inTrace } from '../src/tracing/tracing.ts';
import { TRACE_HEADER } from '../workflows/trace-header.ts';

/** Hands the trace of a command to the run that is woken for it; the run hands it to its steps (`workflows/trace.ts`). */
export const traceOfWakers: WorkflowClientInterceptor = {
  signalWithStart(input, next) {
    const trace = activeTraceparent();
    if (trace === undefined) return next(input);
    const headers = { ...input.headers, [TRACE_HEADER]: defaultPayloadConverter.toPayload(trace) };
    return next({ ...input, headers });
  },
};

/** Makes a span of each step whose run was handed a trace; all others belong to none. */
export const traceOfSteps: ActivityInterceptorsFactory = ({ info }) => ({
  inbound: {
    execute(input, next) {
      const trace = traceIn(input.headers);
      if (trace === undefined) return next(input);
      const attributes = { 'carnet.life': info.workflowExecution?.workflowId, 'carnet.attempt': info.attempt };
      return inTrace(trace, () => inSpan(`step ${info.activityType}`, { attributes }, () => next(input)));
    },
  },
});

/** A header is written by anybody who may signal a run. */
function traceIn(headers: Headers): string | undefined {
  const payload = headers[TRACE_HEADER];
  if (payload === undefined) return undefined;
  try {
    const trace: unknown = defaultPayloadConverter.fromPayload(payload);
    return typeof trace === 'string' ? trace : undefined;
  } catch {
    return undefined;
  }
}
