import { isUtf8 } from 'node:buffer';
import type { JsonValue } from './value.ts';
import { StrictJsonFault } from './strict-fault.ts';
import { Scan } from './strict-scan.ts';

export { StrictJsonFault, type StrictJsonCode } from './strict-fault.ts';
export { MAX_JSON_DEPTH } from './strict-scan.ts';

/**
 * Text of a body. JSON is UTF-8 without a byte order mark (RFC 8259 §8.1).
 * @throws StrictJsonFault `invalid_utf8`
 */
export function decodeUtf8Strict(bytes: Buffer): string {
  if (!isUtf8(bytes)) {
    const offset = firstInvalidByte(bytes);
    throw new StrictJsonFault('invalid_utf8', `Byte ${offset} is not valid UTF-8; send JSON encoded as UTF-8.`, {
      path: '',
      offset,
    });
  }
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) {
    throw new StrictJsonFault('invalid_utf8', 'The text begins with a byte order mark; leave it out.', {
      path: '',
      offset: 0,
    });
  }
  return bytes.toString('utf8');
}

/** Halves the range in which a streaming decoder, which forgives a character that is cut off, first refuses. */
function firstInvalidByte(bytes: Buffer): number {
  let sound = 0;
  let broken = bytes.length;
  while (broken - sound > 1) {
    const middle = (sound + broken) >> 1;
    if (decodes(bytes.subarray(0, middle))) sound = middle;
    else broken = middle;
  }
  return sound;
}

function decodes(bytes: Buffer): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true });
    return true;
  } catch {
    return false;
  }
}

/**
 * `JSON.parse` that refuses what other readers of the same text could understand differently, or Postgres cannot keep
 * (decisions, traps 21 and 24). One pass over the text, no recursion, no regular expressions; the value itself is made
 * by
 * the native parser, which accepts every text that the pass lets through.
 * @throws StrictJsonFault at the first fault
 */
export function parseStrictJson(text: string): JsonValue {
  new Scan(text).document();
  return JSON.parse(text) as JsonValue;
}
