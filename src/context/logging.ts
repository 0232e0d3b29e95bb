import { activeTraceId } from '../tracing/tracing.ts';
import pino, { type DestinationStream, type Logger, type LoggerOptions } from 'pino';

/** Members whose texts never reach a log, wherever somebody puts them. */
const SECRET_MEMBERS = 'authorization|cookie|api_key|apiKey|key|password|secret|token|connectionString';

/**
 * The forms of secrets, wherever one stands in a line: keys of ours, of the payment provider and of model providers, secrets of webhooks, tokens,
 * bearers, cookies of ours, passwords of URLs, and six digits behind the word `code`, which prove an address. None of them takes a quote
 * or a backslash along, so a line stays JSON.
 */
const SECRET_FORMS = [
  /\b(?:svc_live_|whsec_|[sr]k_(?:live|test)_|sk-)[\w+/=-]{8,}/g,
  /\beyJ[\w-]{8,}\.[\w-]+(?:\.[\w-]*)*/g,
  /(?<=\bBearer )[\w.~+/=-]+/gi,
  /(?<=\bcarnet_\w+=)[\w-]+/g,
  /(?<=:\/\/[^\s:/@"\\]*:)[^\s@/"\\]+(?=@)/g,
  /(?<=\bcode\b[^\w]{1,6}(?:is )?)\d{6}\b/gi,
];
const ofMember = (quote: string, content: string): RegExp =>
  new RegExp(String.raw`(?<!\\)(${quote}(?:${SECRET_MEMBERS})${quote}\s*:\s*${quote})(?:${content})*(?=${quote})`, 'g');
/** A member of such a name in the line, and one in a JSON text that stands in it, where each quote has a backslash before it. */
const MEMBERS_OF_LINE = ofMember('"', String.raw`[^"\\]|\\.`);
const MEMBERS_IN_TEXT = ofMember(String.raw`\\"`, String.raw`[^"\\]|\\\\(?:\\["\\]|[^"\\])`);

/** Takes a whole line, so nothing that is logged goes past it. */
const scrubbed = (line: string): string =>
  [...SECRET_FORMS, MEMBERS_OF_LINE, MEMBERS_IN_TEXT].reduce(
    (text, secret) => text.replace(secret, (_, head: unknown) => `${typeof head === 'string' ? head : ''}[redacted]`),
    line,
  );

/** Keeps only what shows where an error happened: database errors carry the values of the statement, which may be anything. */
function errorFacts(error: unknown): unknown {
  if (!(error instanceof Error)) return String(error);
  const code = 'code' in error && typeof error.code === 'string' ? error.code : undefined;
  return {
    type: error.name,
    message: error.message,
    ...(code !== undefined && { code }),
    stack: error.stack ?? '',
    ...(error.cause !== undefined && { cause: errorFacts(error.cause) }),
  };
}

/** Structured lines on standard output. Lines below `warn` are gathered for a moment; a clean stop writes them out. */
export function createLogger(
  level: LoggerOptions['level'] & string,
  destination: DestinationStream = standardOutput(),
): Logger {
  return pino(
    {
      level,
      base: { service: 'carnet', pid: process.pid },
      mixin: traceOfLine,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { err: errorFacts, error: errorFacts },
      hooks: { streamWrite: scrubbed },
    },
    destination,
  );
}

/** A line that is written during a traced request or step of a life names its trace. */
function traceOfLine(): object {
  const traceId = activeTraceId();
  return traceId === undefined ? {} : { traceId };
}

const standardOutput = (): DestinationStream => pino.destination({ dest: 1, sync: false });
