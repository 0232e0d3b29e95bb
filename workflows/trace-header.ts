/** The header of starts, signals and steps that has the trace (W3C traceparent) of the command that a life acts for. */
export const TRACE_HEADER = 'carnet-trace';
