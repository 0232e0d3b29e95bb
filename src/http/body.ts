import type { IncomingMessage } from 'node:http';
import { CarnetError, invalid } from '../errors/carnet-error.ts';
import type { JsonValue } from '../json/value.ts';
import { parseQuery } from './query.ts';
import { decodeUtf8Strict, parseStrictJson, StrictJsonFault } from '../json/strict.ts';

/** Decisions §1, "405/413/415/429". */
export const STANDARD_BODY_LIMIT = 1_048_576;
/** Of a body over its limit this much more is read and thrown away, so that the client gets to see the 413. */
const DISCARDED = 16 * 1_048_576;

/** Thrown when the client went away before its body had arrived: nobody is left to answer. */
export class ClientGone extends Error {
  override readonly name = 'ClientGone';
}

/** @throws CarnetError BODY_TOO_LARGE; ClientGone */
export function readBody(request: IncomingMessage, limit: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const onData = (chunk: Buffer): void => {
      size += chunk.length;
      if (size <= limit) return void chunks.push(chunk);
      request.off('data', onData);
      discard(request);
      reject(tooLarge(limit));
    };
    request.on('data', onData);
    request.on('end', () => resolve(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks, size)));
    request.on('error', () => reject(new ClientGone()));
  });
}

function discard(request: IncomingMessage): void {
  let discarded = 0;
  request.on('error', () => {});
  request.on('data', (chunk: Buffer) => {
    discarded += chunk.length;
    if (discarded > DISCARDED) request.destroy();
  });
}

const tooLarge = (limit: number): CarnetError =>
  new CarnetError(
    'BODY_TOO_LARGE',
    `The body is larger than the ${limit.toLocaleString('en')} bytes that are taken here.`,
  );

/** Whether the head announces a body: none means `{}` to the routes. */
export const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined ||
  (headers['content-length'] !== undefined && headers['content-length'] !== '0');

/** @throws CarnetError UNSUPPORTED_MEDIA_TYPE unless the head says JSON in UTF-8, not compressed */
export function assertJson({ headers }: IncomingMessage): void {
  const type = headers['content-type'];
  if (
    type !== 'application/json' &&
    !/^\s*application\/json\s*(;\s*charset\s*=\s*"?utf-8"?\s*)?(;\s*)?$/i.test(type ?? '')
  ) {
    const sent = type === undefined ? 'no Content-Type' : `Content-Type ${type}`;
    throw new CarnetError(
      'UNSUPPORTED_MEDIA_TYPE',
      `A body here is JSON: send Content-Type: application/json (it came with ${sent}).`,
      {
        headers: { Accept: 'application/json' },
      },
    );
  }
  const encoding = headers['content-encoding'];
  if (encoding !== undefined && encoding !== 'identity') {
    throw new CarnetError(
      'UNSUPPORTED_MEDIA_TYPE',
      `Compressed bodies are not taken (Content-Encoding: ${encoding}); send it as it is.`,
      {
        headers: { 'Accept-Encoding': 'identity' },
      },
    );
  }
}

/** Whether the head says that the body is a form, not compressed. */
export const isForm = ({ headers }: IncomingMessage): boolean =>
  /^\s*application\/x-www-form-urlencoded\s*(;|$)/i.test(headers['content-type'] ?? '') &&
  (headers['content-encoding'] ?? 'identity') === 'identity';

/** A member sent several times is a list. @throws CarnetError VALIDATION_ERROR naming the fault */
export const parseFormBody = (bytes: Buffer): JsonValue => ({
  ...parseQuery(
    strictly(() => decodeUtf8Strict(bytes)),
    'body',
  ),
});

/** A form of a page of the service is a few members long. */
const FORM_LIMIT = 16_384;

/** The form that a page of the service was sent. @throws CarnetError BODY_TOO_LARGE, UNSUPPORTED_MEDIA_TYPE, VALIDATION_ERROR; ClientGone */
export async function readForm(request: IncomingMessage): Promise<JsonValue> {
  const bytes = await readBody(request, FORM_LIMIT);
  if (!isForm(request)) {
    throw new CarnetError(
      'UNSUPPORTED_MEDIA_TYPE',
      'This page takes what its form sends: Content-Type: application/x-www-form-urlencoded.',
      {
        headers: { Accept: 'application/x-www-form-urlencoded' },
      },
    );
  }
  return parseFormBody(bytes);
}

/** @throws CarnetError VALIDATION_ERROR naming the fault and its place */
export const parseJsonBody = (bytes: Buffer): JsonValue => strictly(() => parseStrictJson(decodeUtf8Strict(bytes)));

function strictly<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof StrictJsonFault)) throw error;
    throw invalid({ path: error.path === '' ? 'body' : error.path, code: error.code, message: error.message });
  }
}
