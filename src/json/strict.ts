import { isUtf8 } from 'node:buffer';
import { shown, shownPath } from './shown.ts';
import type { JsonValue } from './value.ts';

/** Containers inside one another; a document of `[[1]]` has depth 2. */
export const MAX_JSON_DEPTH = 64;
const tooDeep = (most: number): string =>
  `Objects and arrays are nested more than ${most} deep; make the value flatter.`;

export type StrictJsonCode =
  | 'malformed_json'
  | 'invalid_utf8'
  | 'too_deep'
  | 'too_many_values'
  | 'duplicate_member'
  | 'forbidden_member'
  | 'lone_surrogate'
  | 'nul_character'
  | 'number_overflow'
  | 'unsafe_integer';

/** Why a text is not taken as JSON. `message` is a sentence: what is wrong, and what to do. */
export class StrictJsonFault extends Error {
  override readonly name = 'StrictJsonFault';
  readonly code: StrictJsonCode;
  /** Dotted from the root, ending in the member or index at fault; empty for the root and where the text is not JSON at all. */
  readonly path: string;

  constructor(code: StrictJsonCode, message: string, path = '') {
    super(message);
    this.code = code;
    this.path = path;
  }
}

/**
 * Text of a body. JSON is UTF-8 without a byte order mark (RFC 8259 §8.1).
 * @throws StrictJsonFault `invalid_utf8`
 */
export function decodeUtf8Strict(bytes: Buffer): string {
  if (!isUtf8(bytes))
    throw new StrictJsonFault('invalid_utf8', 'The text is not valid UTF-8; send JSON encoded as UTF-8.');
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf)
    throw new StrictJsonFault('invalid_utf8', 'The text begins with a byte order mark; leave it out.');
  return bytes.toString('utf8');
}

/**
 * The cost of a value to parse, check and hash, as many times a number in a list (0.27 µs; a text 0.65, an empty object 1.0, a member 1.6 to 2.2;
 * decision C22). A member has a name, a text, beside its value. Bytes of a text do not count: 1 MiB of the dearest takes 10 ms, which the size bounds already.
 */
const MORE_FOR = { text: 1, object: 3, member: 6 } as const;
/** No double needs more characters where it is written without an exponent down to 1e-6: `-0.0000012345678901234567`. */
const CHARACTERS_OF_NUMBER = 25;

/**
 * Refuses JSON that holds more values than this: true, false, null or a list counts one, a number one for each 25 characters, a text two, an
 * object four, and a member of an object seven more than its value. What parses, checks and hashes a body does work for each, so this looks
 * first, and ends at the bound: 4 MiB of the smallest values held the process for two seconds. It reads bytes of UTF-8, which takes a third of
 * the time that their text would. Of what is no JSON it counts what looks like values.
 * @throws StrictJsonFault `too_many_values`; `too_deep` where what is too many stands too deep
 */
export function assertFewValues(json: Uint8Array, most: number, maxDepth = MAX_JSON_DEPTH): void {
  // One value is the root. Each comma begins another one, and so does each container that is not empty.
  let values = 1;
  let depth = 0;
  let deepest = 0;
  let opened = false;
  for (let at = 0; at < json.length; at += 1) {
    const unit = json[at] as number;
    if (unit <= SPACE) {
      while ((json[at + 1] as number) <= SPACE) at += 1; // undefined at the end is not
      continue;
    }
    if (unit === OBJECT_CLOSE || unit === ARRAY_CLOSE) depth -= 1;
    else if (opened || unit === COMMA) values += 1;
    opened = unit === OBJECT_OPEN || unit === ARRAY_OPEN;
    if (opened) {
      depth += 1;
      deepest = Math.max(deepest, depth);
    }
    if (unit === OBJECT_OPEN) values += MORE_FOR.object;
    else if (unit === COLON) values += MORE_FOR.member;
    else if (unit === QUOTE) {
      values += MORE_FOR.text;
      at = endOfString(json, at);
    } else if (beginsNumber(unit)) {
      const last = lastOfNumber(json, at, at + (most - values + 1) * CHARACTERS_OF_NUMBER);
      values += Math.floor((last - at) / CHARACTERS_OF_NUMBER);
      at = last;
    }
    if (values > most) throw deepest > maxDepth ? new StrictJsonFault('too_deep', tooDeep(maxDepth)) : tooMany(most);
  }
}

/** Strings of up to so many bytes are read byte by byte: for these a search by the runtime takes longer. */
const SHORT_STRING = 32;

/** Where the string that begins at `start` ends; the end of the JSON where it does not. */
function endOfString(json: Uint8Array, start: number): number {
  let at = start + 1;
  for (const short = Math.min(at + SHORT_STRING, json.length); at < short; at += 1) {
    const unit = json[at];
    if (unit === QUOTE) return at;
    if (unit === BACKSLASH) at += 1;
  }
  for (let from = at; ;) {
    const quote = json.indexOf(QUOTE, from);
    if (quote < 0) return json.length;
    let first = quote;
    while (first > from && json[first - 1] === BACKSLASH) first -= 1;
    if (((quote - first) & 1) === 0) return quote;
    from = quote + 1;
  }
}

/** Where the last character of the number stands that begins at `start`; `furthest` where it is longer. */
function lastOfNumber(json: Uint8Array, start: number, furthest: number): number {
  const end = Math.min(furthest, json.length - 1);
  let last = start;
  while (last < end && isPartOfNumber(json[last + 1] as number)) last += 1;
  return last;
}

const tooMany = (most: number): StrictJsonFault =>
  new StrictJsonFault(
    'too_many_values',
    `The body holds more than ${most.toLocaleString('en')} values, where a number counts one for each ${CHARACTERS_OF_NUMBER} characters, a text two, an object four and a member seven more than its value; send fewer.`,
  );

/**
 * `JSON.parse` that refuses what other readers of the same text could understand differently, or Postgres cannot keep: a member given
 * twice or called `__proto__`, NUL, half a surrogate pair, more than `maxDepth` levels, numbers that a double does not hold. The native parser
 * judges the grammar, without recursion; one pass over what is then known to be JSON finds the rest.
 * @throws StrictJsonFault at the first fault
 */
export function parseStrictJson(text: string, maxDepth = MAX_JSON_DEPTH): JsonValue {
  let value: JsonValue;
  try {
    value = JSON.parse(text) as JsonValue;
  } catch (error) {
    throw new StrictJsonFault('malformed_json', `Not valid JSON: ${(error as SyntaxError).message}.`);
  }
  new Scan(text, maxDepth).document();
  return value;
}

/** White space, and the control characters that no JSON holds outside of it, are not above it. */
const SPACE = 0x20;
const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const MINUS = 0x2d;
const ZERO = 0x30;
const NINE = 0x39;
const BACKSLASH = 0x5c;
const LETTER_U = 0x75;
const ARRAY_OPEN = 0x5b;
const ARRAY_CLOSE = 0x5d;
const OBJECT_OPEN = 0x7b;
const OBJECT_CLOSE = 0x7d;
/** Numbers whose whole part has no more characters are always safe. */
const SAFE_CHARACTERS = 15;
/** From here on JSON.stringify writes an exponent, and below it every digit of a whole number. */
const WRITTEN_WITH_EXPONENT = 1e21;

/** An open object: the names it had so far, and its current member's once that is read; or an open array with its current index. */
type Container = { names: Set<string>; name: string | undefined } | { names: undefined; index: number };

/** Walks a text that JSON.parse has taken. */
class Scan {
  readonly #text: string;
  /** No escape and no surrogate to look at: strings end at the next quote. */
  readonly #plain: boolean;
  #at = 0;
  readonly #open: Container[] = [];
  readonly #maxDepth: number;

  constructor(text: string, maxDepth: number) {
    this.#text = text;
    this.#maxDepth = maxDepth;
    this.#plain = !text.includes('\\') && text.isWellFormed();
  }

  document(): void {
    const text = this.#text;
    // A string is the name of a member after `{`, and after `,` in an object.
    let namesFollow = false;
    while (this.#at < text.length) {
      const unit = text.charCodeAt(this.#at);
      if (unit <= SPACE) this.#at += 1;
      else if (unit === QUOTE) {
        const start = this.#at;
        const escaped = this.#string();
        if (namesFollow) this.#member(start, escaped);
        namesFollow = false;
      } else if (beginsNumber(unit)) this.#number();
      else {
        this.#at += 1;
        if (unit === OBJECT_OPEN) {
          this.#enter({ names: new Set(), name: undefined });
          namesFollow = true;
        } else if (unit === ARRAY_OPEN) this.#enter({ names: undefined, index: 0 });
        else if (unit === OBJECT_CLOSE || unit === ARRAY_CLOSE) {
          this.#open.pop();
          namesFollow = false;
        } else if (unit === COMMA) {
          const container = this.#open.at(-1) as Container; // a comma stands in one
          namesFollow = container.names !== undefined;
          if (container.names === undefined) container.index += 1;
          else container.name = undefined;
        }
        // Anything else is a colon or a letter of true, false and null.
      }
    }
  }

  #enter(container: Container): void {
    if (this.#open.length === this.#maxDepth) this.#refuse('too_deep', tooDeep(this.#maxDepth));
    this.#open.push(container);
  }

  /** The string from `start` to here is the name of a member. */
  #member(start: number, escaped: boolean): void {
    const object = this.#open.at(-1) as Extract<Container, { names: Set<string> }>;
    const quoted = this.#text.slice(start, this.#at);
    const name = escaped ? (JSON.parse(quoted) as string) : quoted.slice(1, -1);
    const known = object.names.size === object.names.add(name).size;
    object.name = name;
    if (known) {
      const message = `The member "${shown(name)}" is given more than once in one object; send it once.`;
      this.#refuse('duplicate_member', message);
    }
    if (name === '__proto__')
      this.#refuse('forbidden_member', 'A member may not be called __proto__; use another name.');
  }

  /** From the opening quote past the closing one; true where the string holds an escape. */
  #string(): boolean {
    const text = this.#text;
    let at = this.#at + 1;
    let escaped = false;
    if (this.#plain) at = text.indexOf('"', at);
    else {
      for (let unit = text.charCodeAt(at); unit !== QUOTE; unit = text.charCodeAt(at)) {
        if (unit === BACKSLASH) {
          escaped = true;
          at = text.charCodeAt(at + 1) === LETTER_U ? this.#unicodeEscape(at) : at + 2;
        } else if ((unit & 0xf800) !== 0xd800) at += 1;
        else if (unit < 0xdc00 && (text.charCodeAt(at + 1) & 0xfc00) === 0xdc00) at += 2;
        else this.#loneSurrogate();
      }
    }
    this.#at = at + 1;
    return escaped;
  }

  /** From the backslash past the escape, or past both halves of an escaped surrogate pair. */
  #unicodeEscape(at: number): number {
    const text = this.#text;
    const unit = escapedUnit(text, at);
    if (unit === 0) this.#refuse('nul_character', 'Text may not hold the character NUL (\\u0000); leave it out.');
    if ((unit & 0xf800) !== 0xd800) return at + 6;
    // A pair is whole only when both halves are written alike: JSON.parse would join \ud83d and a raw \udE00, but no UTF-8 holds that.
    const paired = unit < 0xdc00 && text.startsWith('\\u', at + 6) && (escapedUnit(text, at + 6) & 0xfc00) === 0xdc00;
    return paired ? at + 12 : this.#loneSurrogate();
  }

  #number(): void {
    const text = this.#text;
    const start = this.#at;
    let at = start + 1;
    while (text.charCodeAt(at) >= ZERO && text.charCodeAt(at) <= NINE) at += 1;
    const whole = at - start;
    const digits = !isPartOfNumber(text.charCodeAt(at));
    let exponent = false;
    for (let unit = text.charCodeAt(at); isPartOfNumber(unit); unit = text.charCodeAt(at)) {
      exponent ||= isExponent(unit);
      at += 1;
    }
    this.#at = at;
    if (!exponent && whole <= SAFE_CHARACTERS) return;
    const value = Number(text.slice(start, at));
    if (!Number.isFinite(value))
      this.#refuse('number_overflow', 'The number is too large for a double; send it as a string.');
    // 1e16 or 9007199254740993.0 would be written as digits that are refused here when they come back, and other last digits would have the same
    // hash. From 1e21 on canonical JSON writes an exponent.
    const size = Math.abs(value);
    if (size > Number.MAX_SAFE_INTEGER && (digits || size < WRITTEN_WITH_EXPONENT))
      this.#refuse('unsafe_integer', 'Whole numbers must lie within ±9007199254740991; send larger ones as a string.');
  }

  #loneSurrogate(): never {
    return this.#refuse('lone_surrogate', 'Text may not hold half of a surrogate pair; send whole Unicode characters.');
  }

  #refuse(code: StrictJsonCode, message: string): never {
    const steps = this.#open.map((container) => (container.names === undefined ? container.index : container.name));
    throw new StrictJsonFault(code, message, shownPath(steps.filter((step) => step !== undefined)));
  }
}

/** The code unit that the escape `\uXXXX` at this place stands for; JSON.parse has taken its digits. */
const escapedUnit = (text: string, at: number): number =>
  (hexDigit(text.charCodeAt(at + 2)) << 12) |
  (hexDigit(text.charCodeAt(at + 3)) << 8) |
  (hexDigit(text.charCodeAt(at + 4)) << 4) |
  hexDigit(text.charCodeAt(at + 5));

/** Letters of both cases end in the four bits of one to six. */
const hexDigit = (unit: number): number => (unit <= NINE ? unit - ZERO : (unit & 0xf) + 9);

const beginsNumber = (unit: number): boolean => unit === MINUS || (unit >= ZERO && unit <= NINE);

/** Digits, point, exponent and signs; NaN, which is past the end, is none. */
const isPartOfNumber = (unit: number): boolean => (unit >= MINUS && unit <= NINE) || unit === 0x2b || isExponent(unit);
const isExponent = (unit: number): boolean => unit === 0x45 || unit === 0x65;
