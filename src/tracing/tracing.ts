import {
  context,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
  TraceFlags,
  type Attributes,
  type Span,
  type SpanContext,
} from '@opentelemetry/api';

/**
 * One trace leads from a request over its command and the life that acts on it to the call outside. All of this costs a look-up where no
 * exporter was started (`startTracing`): then no span is ever active. Attributes are ids, states and codes, never what somebody sent.
 */
const tracer = () => trace.getTracer('carnet');

/** W3C Trace Context, version 00 and later: trace id and span id are the second and the third field, and never all zeros. */
const TRACEPARENT = /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-[0-9a-f]{2}(?:$|-)/;

function parse(traceparent: string | undefined): Pick<SpanContext, 'traceId' | 'spanId'> | undefined {
  const [, traceId, spanId] = (traceparent === undefined ? null : TRACEPARENT.exec(traceparent)) ?? [];
  return traceId === undefined || spanId === undefined ? undefined : { traceId, spanId };
}

/** The trace id of a header `traceparent`; undefined where it is not well formed. */
export const traceIdOf = (traceparent: string | undefined): string | undefined => parse(traceparent)?.traceId;

const contextOf = (traceparent: string | undefined, traceFlags: TraceFlags) => {
  const parent = parse(traceparent);
  return parent === undefined
    ? ROOT_CONTEXT
    : trace.setSpanContext(ROOT_CONTEXT, { ...parent, traceFlags, isRemote: true });
};

/** The span of a request. One that is not ended is not exported. */
export interface RequestSpan {
  /** That of `traceparent` where it is well formed; undefined where there is none, and nothing is exported. */
  traceId: string | undefined;
  within<T>(work: () => T): T;
  end(name: string, ended: { attributes: Attributes; failed: boolean }): void;
}

/** Goes on with the trace of a caller. Whether it is exported is decided here: the flag of a stranger would have everything exported. */
export function openRequestSpan(traceparent: string | undefined): RequestSpan {
  const span = tracer().startSpan('request', { kind: SpanKind.SERVER }, contextOf(traceparent, TraceFlags.NONE));
  return {
    traceId: trace.isSpanContextValid(span.spanContext()) ? span.spanContext().traceId : undefined,
    within: (work) => context.with(trace.setSpan(ROOT_CONTEXT, span), work),
    end(name, { attributes, failed }) {
      span.updateName(name).setAttributes(attributes);
      if (failed) span.setStatus({ code: SpanStatusCode.ERROR });
      span.end();
    },
  };
}

/** The context of what is active, for a row, a history or a receiver; undefined where it is not exported. */
export function activeTraceparent(): string | undefined {
  const active = trace.getActiveSpan()?.spanContext();
  if (active === undefined || (active.traceFlags & TraceFlags.SAMPLED) === 0) return undefined;
  return `00-${active.traceId}-${active.spanId}-01`;
}

/** For a line of the log. */
export function activeTraceId(): string | undefined {
  const active = trace.getActiveSpan()?.spanContext();
  return active !== undefined && trace.isSpanContextValid(active) ? active.traceId : undefined;
}

/** Goes on with the trace that `activeTraceparent` returned; null: what is done belongs to none, no matter what is active here. */
export function inTrace<T>(traceparent: string | null, work: () => T): T {
  const parent = parse(traceparent ?? undefined);
  if (parent !== undefined && parent.traceId === activeTraceId()) return work();
  return context.with(contextOf(traceparent ?? undefined, TraceFlags.SAMPLED), work);
}

interface SpanOptions {
  attributes?: Attributes;
  /** It waits for somebody outside of the service. */
  outside?: boolean;
}

/** Makes a span of `work` where it is part of a trace. A failure is shown by its code: its message may hold what somebody sent. */
export async function inSpan<T>(
  name: string,
  { attributes = {}, outside = false }: SpanOptions,
  work: (span: Span | undefined) => Promise<T>,
): Promise<T> {
  if (trace.getActiveSpan() === undefined) return work(undefined);
  const kind = outside ? SpanKind.CLIENT : SpanKind.INTERNAL;
  return tracer().startActiveSpan(name, { kind, attributes }, async (span) => {
    try {
      return await work(span);
    } catch (error) {
      span.setStatus({ code: SpanStatusCode.ERROR }).setAttribute('error.type', codeOf(error));
      throw error;
    } finally {
      span.end();
    }
  });
}

function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name;
}

/** The same object, with a span of each call of its methods: `<name> <method>`. */
export const tracedCalls = <Port extends object>(name: string, port: Port): Port =>
  Object.fromEntries(
    Object.entries(port).map(([method, call]) => [
      method,
      (...args: unknown[]) =>
        inSpan(`${name} ${method}`, { outside: true }, () =>
          (call as (...all: unknown[]) => Promise<unknown>)(...args),
        ),
    ]),
  ) as Port;
