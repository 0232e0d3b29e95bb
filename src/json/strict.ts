import { isUtf8 } from 'node:buffer';
import type { JsonValue } from './value.ts';

/** Containers inside one another; a document of `[[1]]` has depth 2. Deeper ones are refused before anything recurses into them. */
export const MAX_JSON_DEPTH = 64;

export type StrictJsonCode =
  | 'malformed_json'
  | 'invalid_utf8'
  | 'too_deep'
  | 'duplicate_member'
  | 'forbidden_member'
  | 'lone_surrogate'
  | 'nul_character'
  | 'number_overflow'
  | 'unsafe_integer';

/** Why a text is not taken as JSON. `message` is a sentence: where, and what to do. */
export class StrictJsonFault extends Error {
  override readonly name = 'StrictJsonFault';
  readonly code: StrictJsonCode;
  /** Dotted from the root, ending in the member or index at fault; empty for the root. */
  readonly path: string;
  /** UTF-16 units from the start of the text; bytes where the fault is in the UTF-8 itself. */
  readonly offset: number;

  constructor(code: StrictJsonCode, message: string, place: { path: string; offset: number }) {
    super(message);
    this.code = code;
    this.path = place.path;
    this.offset = place.offset;
  }
}

/**
 * Text of a body. JSON is UTF-8 without a byte order mark (RFC 8259 §8.1).
 * @throws StrictJsonFault `invalid_utf8`
 */
export function decodeUtf8Strict(bytes: Buffer): string {
  const refuse = (message: string, offset: number) =>
    new StrictJsonFault('invalid_utf8', message, { path: '', offset });
  if (!isUtf8(bytes)) {
    const offset = firstInvalidByte(bytes);
    throw refuse(`Byte ${offset} is not valid UTF-8; send JSON encoded as UTF-8.`, offset);
  }
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf)
    throw refuse('The text begins with a byte order mark; leave it out.', 0);
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
 * `JSON.parse` that refuses what other readers of the same text could understand differently, or Postgres cannot keep: a member given
 * twice or called `__proto__`, NUL, half a surrogate pair, more than 64 levels, numbers that a double does not hold. The native parser
 * judges the grammar; then one pass over the text, without recursion, finds the rest.
 * @throws StrictJsonFault at the first fault
 */
export function parseStrictJson(text: string): JsonValue {
  let value: JsonValue;
  try {
    value = JSON.parse(text) as JsonValue;
  } catch {
    return new Scan(text, false).malformed();
  }
  new Scan(text, true).document();
  return value;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const MINUS = 0x2d;
const OBJECT_OPEN = 0x7b;
const OBJECT_CLOSE = 0x7d;
const ARRAY_OPEN = 0x5b;
const ARRAY_CLOSE = 0x5d;
/** Whole numbers of fewer digits are always safe. */
const SAFE_DIGITS = 15;
/** Up to here a linear look through an object's names is cheaper than a Set. */
const NAMES_WITHOUT_SET = 12;

/** An open object or array. */
interface Frame {
  parent: Frame | undefined;
  /** Of the current element; -1 in an object. */
  index: number;
  /** Where its names begin among those of all open objects. */
  base: number;
  /** The names of an object that has many. */
  set: Set<string> | undefined;
}

/** Walks one text. Units are read by `charCodeAt`, which is NaN past the end: every comparison is then false. */
class Scan {
  readonly #text: string;
  /** JSON.parse took the text; otherwise each scalar is judged on its own, to find the first that is not well-formed. */
  readonly #valid: boolean;
  /** No escape and no surrogate to look at: strings end at the next quote. */
  readonly #plain: boolean;
  #at = 0;
  #depth = 0;
  #frame: Frame | undefined;
  /** Names seen in the open objects, the outermost first; the last of an object's is its current member. */
  readonly #names: string[] = [];

  constructor(text: string, valid: boolean) {
    this.#text = text;
    this.#valid = valid;
    this.#plain = valid && !text.includes('\\') && text.isWellFormed();
  }

  document(): void {
    do this.#value();
    while (this.#next());
  }

  /** Of a text that JSON.parse refused. */
  malformed(): never {
    this.document();
    return this.#malformed('it is not complete', this.#text.length);
  }

  /** One scalar or empty container, after opening every container around it. */
  #value(): void {
    for (;;) {
      const unit = this.#skipSpace();
      if (unit === QUOTE) return void this.#string();
      if (unit !== OBJECT_OPEN && unit !== ARRAY_OPEN) return this.#scalar();
      const frame = this.#open(unit === OBJECT_OPEN ? -1 : 0);
      const end = unit === OBJECT_OPEN ? OBJECT_CLOSE : ARRAY_CLOSE;
      if (this.#skipSpace() === end) return this.#close(frame);
      if (unit === OBJECT_OPEN) this.#name(frame);
    }
  }

  /** Closes what ends after a value. False at the end of the document, true where another value must follow. */
  #next(): boolean {
    for (;;) {
      const unit = this.#skipSpace();
      const frame = this.#frame;
      if (frame === undefined) {
        if (this.#at < this.#text.length) this.#malformed('the document is over, but something follows');
        return false;
      }
      const inObject = frame.index === -1;
      if (unit === COMMA) {
        this.#at += 1;
        if (inObject) {
          this.#skipSpace();
          this.#name(frame);
        } else frame.index += 1;
        return true;
      }
      if (unit !== (inObject ? OBJECT_CLOSE : ARRAY_CLOSE))
        this.#malformed(inObject ? 'expected , or }' : 'expected , or ]');
      this.#close(frame);
    }
  }

  #open(index: number): Frame {
    if (this.#depth === MAX_JSON_DEPTH) {
      this.#refuse(
        'too_deep',
        `Objects and arrays are nested more than ${MAX_JSON_DEPTH} deep; make the value flatter.`,
      );
    }
    this.#at += 1;
    this.#depth += 1;
    return (this.#frame = { parent: this.#frame, index, base: this.#names.length, set: undefined });
  }

  #close(frame: Frame): void {
    this.#at += 1;
    this.#depth -= 1;
    this.#frame = frame.parent;
    this.#names.length = frame.base;
  }

  /** A member's name and its colon. */
  #name(frame: Frame): void {
    const start = this.#at;
    if (this.#text.charCodeAt(start) !== QUOTE) this.#malformed('expected a member name in double quotes');
    const name = this.#string()
      ? (JSON.parse(this.#text.slice(start, this.#at)) as string)
      : this.#text.slice(start + 1, this.#at - 1);
    const known = this.#isKnown(frame, name);
    this.#names.push(name);
    if (known) {
      this.#refuse(
        'duplicate_member',
        `The member "${shown(name)}" is given more than once in one object; send it once.`,
        start,
      );
    }
    if (name === '__proto__')
      this.#refuse('forbidden_member', 'A member may not be called __proto__; use another name.', start);
    if (this.#skipSpace() !== 0x3a) this.#malformed('expected : after the member name');
    this.#at += 1;
  }

  /** Whether the object has had this name; remembers it where a Set is kept. */
  #isKnown(frame: Frame, name: string): boolean {
    const names = this.#names;
    if (names.length - frame.base < NAMES_WITHOUT_SET) {
      for (let index = frame.base; index < names.length; index += 1) if (names[index] === name) return true;
      return false;
    }
    frame.set ??= new Set(names.slice(frame.base));
    return frame.set.size === frame.set.add(name).size;
  }

  /** From the opening quote past the closing one; true where the string holds an escape. */
  #string(): boolean {
    const text = this.#text;
    const start = this.#at;
    if (this.#plain) {
      this.#at = text.indexOf('"', start + 1) + 1;
      return false;
    }
    let escaped = false;
    let at = start + 1;
    for (let unit = text.charCodeAt(at); unit !== QUOTE; unit = text.charCodeAt(at)) {
      if (at >= text.length) this.#malformed('the string does not end', text.length);
      if (unit === BACKSLASH) {
        escaped = true;
        at = text[at + 1] === 'u' ? this.#unicodeEscape(at) : at + 2;
      } else if ((unit & 0xf800) !== 0xd800) at += 1;
      else if (unit < 0xdc00 && (text.charCodeAt(at + 1) & 0xfc00) === 0xdc00) at += 2;
      else this.#loneSurrogate(at);
    }
    this.#at = at + 1;
    if (!this.#valid) this.#judge(start, 'the string holds a raw control character or an escape that is none');
    return escaped;
  }

  /** From the backslash past the escape, or past both halves of an escaped surrogate pair. */
  #unicodeEscape(at: number): number {
    const unitAt = (place: number): number => Number.parseInt(this.#text.slice(place + 2, place + 6), 16);
    const unit = unitAt(at);
    if (this.#text.startsWith('0000', at + 2))
      this.#refuse('nul_character', 'Text may not hold the character NUL (\\u0000); leave it out.', at);
    if ((unit & 0xf800) !== 0xd800) return at + 6;
    // A pair is whole only when both halves are written alike: JSON.parse would join \ud83d and a raw \udE00, but no UTF-8 holds that.
    const paired = unit < 0xdc00 && this.#text.startsWith('\\u', at + 6) && (unitAt(at + 6) & 0xfc00) === 0xdc00;
    return paired ? at + 12 : this.#loneSurrogate(at);
  }

  /** A number or a literal. */
  #scalar(): void {
    const text = this.#text;
    const start = this.#at;
    let at = text.charCodeAt(start) === MINUS ? start + 1 : start;
    while (isDigit(text.charCodeAt(at))) at += 1;
    const digits = !isPartOfScalar(text.charCodeAt(at));
    while (isPartOfScalar(text.charCodeAt(at))) at += 1;
    this.#at = at;
    if (!this.#valid) this.#judge(start, 'expected a value');
    if (at - start <= SAFE_DIGITS && digits) return;
    const value = Number(text.slice(start, at));
    if (Math.abs(value) === Number.POSITIVE_INFINITY)
      this.#refuse('number_overflow', 'The number is too large for a double; send it as a string.', start);
    if (digits && !Number.isSafeInteger(value)) {
      this.#refuse(
        'unsafe_integer',
        'Whole numbers must lie within ±9007199254740991; send larger ones as a string.',
        start,
      );
    }
  }

  #skipSpace(): number {
    for (;;) {
      const unit = this.#text.charCodeAt(this.#at);
      if (unit !== 0x20 && unit !== 0x0a && unit !== 0x0d && unit !== 0x09) return unit;
      this.#at += 1;
    }
  }

  /** @throws StrictJsonFault where what lies between `start` and here is no value */
  #judge(start: number, why: string): void {
    try {
      JSON.parse(this.#text.slice(start, this.#at));
    } catch {
      this.#malformed(why, start);
    }
  }

  #loneSurrogate(at: number): never {
    return this.#refuse(
      'lone_surrogate',
      'Text may not hold half of a surrogate pair; send whole Unicode characters.',
      at,
    );
  }

  #malformed(why: string, offset = this.#at): never {
    const before = this.#text.slice(0, offset);
    const line = before.split('\n').length;
    const column = offset - before.lastIndexOf('\n');
    const end = offset === this.#text.length ? ' (the text ends there)' : '';
    return this.#refuse('malformed_json', `Not valid JSON at line ${line}, column ${column}${end}: ${why}.`, offset);
  }

  #refuse(code: StrictJsonCode, message: string, offset = this.#at): never {
    throw new StrictJsonFault(code, message, { path: this.#path(), offset });
  }

  /** Dotted from the root: the last name of every open object, the index of every open array. */
  #path(): string {
    const steps = [];
    let end = this.#names.length;
    for (let frame = this.#frame; frame; frame = frame.parent) {
      const name = end > frame.base ? this.#names[end - 1] : undefined;
      if (frame.index !== -1) steps.unshift(String(frame.index));
      else if (name !== undefined) steps.unshift(shown(name));
      end = frame.base;
    }
    return steps.join('.');
  }
}

const isDigit = (unit: number): boolean => unit >= 0x30 && unit <= 0x39;

/** Everything but structure, quotes, white space and the end (NaN). */
const isPartOfScalar = (unit: number): boolean =>
  unit > 0x20 &&
  unit !== COMMA &&
  unit !== OBJECT_CLOSE &&
  unit !== ARRAY_CLOSE &&
  unit !== 0x3a &&
  unit !== QUOTE &&
  unit !== OBJECT_OPEN &&
  unit !== ARRAY_OPEN;

/** Names are cut to this length in messages and paths. */
const SHOWN_NAME = 64;

/** A name fit for messages and logs: short and without control characters. */
function shown(name: string): string {
  const short = name.length > SHOWN_NAME ? `${name.slice(0, SHOWN_NAME)}…` : name;
  return JSON.stringify(short.toWellFormed()).slice(1, -1);
}
