import type { IncomingMessage } from 'node:http';
import type { ParameterizedContext } from 'koa';
import { CarnetError, invalid } from '../errors/carnet-error.ts';
import { shown } from '../json/shown.ts';
import { assertFewValues, decodeUtf8Strict, parseStrictJson, StrictJsonFault } from '../json/strict.ts';
import type { JsonValue } from '../json/value.ts';
import { addressBlock, clientAddress } from './addresses.ts';
import type { HeldBodies } from './held-bodies.ts';
import { parseQuery } from './query.ts';
import { STANDARD_VALUES, takesBody, type AnyRoute } from './route.ts';
import type { Middleware, Sent } from './state.ts';

const STANDARD_MAX_BODY_BYTES = 1_048_576;

/** Bytes that a body of the route has at most. */
export const bodyLimitOf = ({ bodyLimit = STANDARD_MAX_BODY_BYTES }: AnyRoute): number => bodyLimit;

/** Where bodies are held: those that somebody signed until the answer, all others until they are parsed. */
interface Held {
  signed: HeldBodies;
  others: HeldBodies;
}

/**
 * Reads the body of a method that has one, and judges it in this order: size, media type, UTF-8, number of values and JSON. No body at all is `{}`, so that
 * `validation` names what is required.
 * @throws CarnetError BODY_TOO_LARGE, REQUEST_TIMEOUT, TEMPORARILY_UNAVAILABLE, UNSUPPORTED_MEDIA_TYPE, VALIDATION_ERROR; ClientGone
 */
export function body({ signed, others }: Held): Middleware<Sent> {
  return async (ctx, next) => {
    const { route, bodyLimit = bodyLimitOf(route) } = ctx.state;
    ctx.state.sent = undefined;
    if (!takesBody(route)) return await next();
    if (!hasBody(ctx.req)) {
      ctx.state.sent = contentOf(route, ctx.req, Buffer.alloc(0));
      return await next();
    }
    const reading = { owner: ownerOf(ctx), limit: bodyLimit };
    if (route.takesSigned === undefined) {
      const bytes = await bytesOf(others, ctx.req, reading);
      ctx.state.bodyBytes = bytes.length;
      ctx.state.sent = contentOf(route, ctx.req, bytes);
      return await next();
    }
    const { bytes, release } = await signed.read(ctx.req, reading);
    try {
      ctx.state.sent = bytes;
      await next();
    } finally {
      release();
    }
  };
}

/** A body takes the share of the room of whom it is sent to, else of who sends it. */
function ownerOf({ req, state: { bodyOwner, caller, context } }: ParameterizedContext<Sent>): string {
  return bodyOwner ?? caller?.operatorId ?? addressBlock(clientAddress(req, context.config.trustProxyHops), 48);
}

/** For bodies that are parsed together. @throws as `HeldBodies.read` */
async function bytesOf(
  bodies: HeldBodies,
  request: IncomingMessage,
  reading: Parameters<HeldBodies['read']>[1],
): Promise<Buffer> {
  const { bytes, release } = await bodies.read(request, reading);
  release();
  return bytes;
}

function contentOf(route: AnyRoute, request: IncomingMessage, bytes: Buffer): JsonValue | Buffer {
  if (route.takesSigned !== undefined) return bytes;
  if (bytes.length === 0) return {};
  if (route.takesForms === true && isForm(request)) return parseFormBody(bytes);
  assertJson(request);
  return parseJsonBody(bytes, route);
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

/** A form of a page of the service is a few members long, unless a person pastes texts into it. */
export const STANDARD_FORM_BYTES = 16_384;
/** No form of introspection has ten; the longest of a page is made from a schema, a field for each property. */
const FORM_FIELDS = 200;

/**
 * The form that a page of the service was sent.
 * @param reading owner: the block of addresses that sends it; limit: bytes at most; read: told how many there were; ofAnyType: true
 *   where nobody asks what it says, which is then null
 * @throws CarnetError BODY_TOO_LARGE, REQUEST_TIMEOUT, TEMPORARILY_UNAVAILABLE, UNSUPPORTED_MEDIA_TYPE, VALIDATION_ERROR; ClientGone
 */
export async function readForm(
  request: IncomingMessage,
  bodies: HeldBodies,
  {
    owner,
    limit = STANDARD_FORM_BYTES,
    read,
    ofAnyType = false,
  }: { owner: string; limit?: number | undefined; read?: (bytes: number) => void; ofAnyType?: boolean | undefined },
): Promise<JsonValue> {
  const bytes = await bytesOf(bodies, request, { owner, limit });
  read?.(bytes.length);
  if (ofAnyType) return null;
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
const parseJsonBody = (bytes: Buffer, { maxValues = STANDARD_VALUES, maxDepth }: AnyRoute): JsonValue =>
  strictly(() => {
    const text = decodeUtf8Strict(bytes);
    assertFewValues(bytes, maxValues, maxDepth);
    return parseStrictJson(text, maxDepth);
  });

function strictly<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof StrictJsonFault)) throw error;
    throw invalid({ path: error.path === '' ? 'body' : error.path, code: error.code, message: error.message });
  }
}
