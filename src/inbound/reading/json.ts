import { hash } from 'node:crypto';
import { assertFewValues, decodeUtf8Strict, parseStrictJson, StrictJsonFault } from '../../json/strict.ts';
import type { JsonValue } from '../../json/value.ts';
import { UnreadableBody } from './errors.ts';
import type { Selected } from './body.ts';

/** As many as any body of the API may have. A mail is large by its texts, and not by their number. */
const MAX_VALUES = 25_000;

/** A text that holds too many values is refused before it is parsed. @throws UnreadableBody */
export function parseJsonBody(body: Uint8Array): JsonValue {
  try {
    assertFewValues(body, MAX_VALUES);
    return parseStrictJson(decodeUtf8Strict(Buffer.from(body.buffer, body.byteOffset, body.byteLength)));
  } catch (error) {
    if (error instanceof StrictJsonFault) throw new UnreadableBody(error.message);
    throw error;
  }
}

/** Names of up to three words and 24 letters, joined by `_-.`, are no text; longer ones and all others are scanned. */
const NAME_OF_MEMBER = /^(?=.{1,24}$)[A-Za-z0-9]{1,40}(?:[_.-][A-Za-z0-9]{1,40}){0,2}$/;

/**
 * Code units of a place. The sender chooses names of members, and each of 50 findings names its place: so bounded they have 64 KiB together at most, even where each unit
 * is escaped.
 */
const MAX_OF_PLACE = 160;
/** Hexadecimal digits that tell two long places apart. */
const DIGITS = 12;

/** The JSON pointer of a member. Of a longer one the beginning and a hash of the whole; this takes time that grows with the name alone. */
export function pointerTo(path: string, name: string): string {
  const whole = `${path}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
  if (whole.length < MAX_OF_PLACE) return whole;
  return `${whole.slice(0, MAX_OF_PLACE - DIGITS - 2).toWellFormed()}…${hash('sha256', whole, 'hex').slice(0, DIGITS)}`;
}

/** Every text of a value: its strings, and names of members that could be more than names. `path` is a JSON pointer, or its beginning and a hash. */
export function selectLeaves(value: JsonValue, path: string, into: Selected[]): void {
  if (typeof value === 'string') {
    if (value !== '') into.push({ place: path, text: value, isHtml: false });
  } else if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) selectLeaves(item, pointerTo(path, String(index)), into);
  } else if (value !== null && typeof value === 'object') {
    for (const [name, member] of Object.entries(value)) {
      const at = pointerTo(path, name);
      if (!NAME_OF_MEMBER.test(name)) into.push({ place: `${at}#`, text: name, isHtml: false });
      selectLeaves(member, at, into);
    }
  }
}
