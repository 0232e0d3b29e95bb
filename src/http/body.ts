import type { IncomingMessage } from 'node:http';
import { getRawBody } from 'raw-body';
import { CarnetError, invalid } from '../errors/carnet-error.ts';
import { shown } from '../json/shown.ts';
import { assertFewValues, decodeUtf8Strict, parseStrictJson, StrictJsonFault } from '../json/strict.ts';
import type { JsonValue } from '../json/value.ts';
import { parseQuery } from './query.ts';
import { STANDARD_VALUES, takesBody, type AnyRoute } from './route.ts';
import type { Middleware, Sent } from './state.ts';

const STANDARD_BODY_LIMIT = 1_048_576;
/** Of a body over its limit this much more is read and thrown away, so that the client gets to see the 413. */
const DISCARDED = 16 * 1_048_576;

/** Thrown when the client went away before its body had arrived: nobody is left to answer. */
export class ClientGone extends Error {
  override readonly name = 'ClientGone';
}

/**
 * Reads the body of a method that has one, and judges it in this order: size, media type, UTF-8, number of values and JSON. No body at all is `{}`, so that
 * `validation` names what is required.
 * @throws CarnetError BODY_TOO_LARGE, UNSUPPORTED_MEDIA_TYPE, VALIDATION_ERROR; ClientGone
 */
export const body: Middleware<Sent> = async (ctx, next) => {
  const { route, bodyLimit = route.bodyLimit ?? STANDARD_BODY_LIMIT } = ctx.state;
  ctx.state.sent = takesBody(route) ? await sentTo(route, ctx.req, bodyLimit) : undefined;
  await next();
};

async function sentTo(route: AnyRoute, request: IncomingMessage, limit: number): Promise<JsonValue | Buffer> {
  const bytes = hasBody(request) ? await readBody(request, limit) : Buffer.alloc(0);
  if (route.takesSigned !== undefined) return bytes;
  if (bytes.length === 0) return {};
  if (route.takesForms === true && isForm(request)) return parseFormBody(bytes);
  assertJson(request);
  return parseJsonBody(bytes, route);
}

/** @throws CarnetError BODY_TOO_LARGE; ClientGone */
async function readBody(request: IncomingMessage, limit: number): Promise<Buffer> {
  try {
    return await getRawBody(request, { limit, length: request.headers['content-length'] ?? null });
  } catch (error) {
    if (!(error instanceof Error && 'type' in error && error.type === 'entity.too.large')) throw new ClientGone();
    discard(request);
    throw new CarnetError(
      'BODY_TOO_LARGE',
      `The body is larger than the ${limit.toLocaleString('en')} bytes that are taken here.`,
    );
  }
}

function discard(request: IncomingMessage): void {
  let discarded = 0;
  request.on('error', () => {});
  request.on('data', (chunk: Buffer) => {
    discarded += chunk.length;
    if (discarded > DISCARDED) request.destroy();
  });
  request.resume();
}

/** Whether the head announces a body: none means `{}` to the routes. */
const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined ||
  (headers['content-length'] !== undefined && headers['content-length'] !== '0');

/** @throws CarnetError UNSUPPORTED_MEDIA_TYPE unless the head names JSON in UTF-8, not compressed */
export function assertJson({ headers }: IncomingMessage): void {
  const type = headers['content-type'];
  if (
    type !== 'application/json' &&
    !/^\s*application\/json\s*(;\s*charset\s*=\s*"?utf-8"?\s*)?(;\s*)?$/i.test(type ?? '')
  ) {
    const sent = type === undefined ? 'no Content-Type' : `Content-Type ${shown(type)}`;
    throw new CarnetError(
      'UNSUPPORTED_MEDIA_TYPE',
      `A body here is JSON: send Content-Type: application/json (it came with ${sent}).`,
      { headers: { Accept: 'application/json' } },
    );
  }
  const encoding = headers['content-encoding'];
  if (encoding !== undefined && encoding !== 'identity') {
    throw new CarnetError(
      'UNSUPPORTED_MEDIA_TYPE',
      `Compressed bodies are not taken (Content-Encoding: ${shown(encoding)}); send it as it is.`,
      { headers: { 'Accept-Encoding': 'identity' } },
    );
  }
}

/** Whether the head names a form, not compressed. */
const isForm = ({ headers }: IncomingMessage): boolean =>
  /^\s*application\/x-www-form-urlencoded\s*(;|$)/i.test(headers['content-type'] ?? '') &&
  (headers['content-encoding'] ?? 'identity') === 'identity';

/** A member sent several times is a list. @throws CarnetError VALIDATION_ERROR naming the fault */
function parseFormBody(bytes: Buffer): JsonValue {
  const text = strictly(() => decodeUtf8Strict(bytes));
  if (text.split('&', FORM_FIELDS + 1).length > FORM_FIELDS) {
    const message = `The form has more than ${FORM_FIELDS} fields; send fewer.`;
    throw invalid({ path: 'body', code: 'too_many_values', message });
  }
  return { ...parseQuery(text, 'body') };
}

/** A form of a page of the service is a few members long. */
const FORM_LIMIT = 16_384;
/** Of introspection and the pages none has ten. */
const FORM_FIELDS = 100;

/** The form that a page of the service was sent. @throws CarnetError BODY_TOO_LARGE, UNSUPPORTED_MEDIA_TYPE, VALIDATION_ERROR; ClientGone */
export async function readForm(request: IncomingMessage): Promise<JsonValue> {
  const bytes = await readBody(request, FORM_LIMIT);
  if (!isForm(request)) {
    throw new CarnetError(
      'UNSUPPORTED_MEDIA_TYPE',
      'This page takes what its form sends: Content-Type: application/x-www-form-urlencoded.',
      { headers: { Accept: 'application/x-www-form-urlencoded' } },
    );
  }
  return parseFormBody(bytes);
}

/** @throws CarnetError VALIDATION_ERROR naming the fault and its place */
const parseJsonBody = (bytes: Buffer, { mostValues = STANDARD_VALUES, mostDepth }: AnyRoute): JsonValue =>
  strictly(() => {
    const text = decodeUtf8Strict(bytes);
    assertFewValues(bytes, mostValues, mostDepth);
    return parseStrictJson(text, mostDepth);
  });

function strictly<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof StrictJsonFault)) throw error;
    throw invalid({ path: error.path === '' ? 'body' : error.path, code: error.code, message: error.message });
  }
}
