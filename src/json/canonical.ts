import { createHash } from 'node:crypto';
import canonicalize from 'canonicalize';
import type { JsonValue } from './value.ts';

/**
 * The one way of writing a value that RFC 8785 (JCS) allows, so that equal values have equal hashes.
 * @throws Error on a lone surrogate or a number that is not finite; `parseStrictJson` lets neither through.
 */
export function canonicalJson(value: JsonValue): string {
  const text = canonicalize(value);
  if (text === undefined) throw new TypeError('Only JSON values have a canonical form.');
  return text;
}

/**
 * 64 lower-case hex digits of SHA-256 over the UTF-8 bytes of `text`; over `canonicalJson` it is input_hash and
 * output_hash.
 */
export const sha256Hex = (text: string): string => createHash('sha256').update(text, 'utf8').digest('hex');
