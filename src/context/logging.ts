import pino, { type DestinationStream, type Logger, type LoggerOptions } from 'pino';

/** Members whose values never reach a log, wherever somebody puts them. */
const SECRET_MEMBERS = [
  'authorization',
  'cookie',
  'api_key',
  'apiKey',
  'key',
  'password',
  'secret',
  'token',
  'connectionString',
];
/** Keys, bearer tokens and passwords of URLs inside a text. */
const SECRET_TEXTS = /svc_live_[\w-]+|(?<=Bearer )[^\s"]+|(?<=:\/\/[^\s:/@]*:)[^\s@/]+(?=@)/g;

const scrubbed = (text: string): string => text.replace(SECRET_TEXTS, '[redacted]');

/** Keeps only what shows where an error happened: database errors carry the values of the statement, which may be anything. */
function errorFacts(error: unknown): unknown {
  if (!(error instanceof Error)) return scrubbed(String(error));
  const code = 'code' in error && typeof error.code === 'string' ? error.code : undefined;
  return {
    type: error.name,
    message: scrubbed(error.message),
    ...(code !== undefined && { code }),
    stack: scrubbed(error.stack ?? ''),
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
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { err: errorFacts, error: errorFacts },
      redact: { paths: SECRET_MEMBERS.flatMap((name) => [name, `*.${name}`]), censor: '[redacted]' },
    },
    destination,
  );
}

const standardOutput = (): DestinationStream => pino.destination({ dest: 1, sync: false });
