import { quoted, StrictJsonFault, type StrictJsonCode } from './strict-fault.ts';
import { isKnown, pathOf, type Frame } from './strict-frame.ts';
import {
  ARRAY_CLOSE,
  ARRAY_OPEN,
  BACKSLASH,
  COMMA,
  MINUS,
  OBJECT_CLOSE,
  OBJECT_OPEN,
  QUOTE,
  ZERO,
  hexDigit,
  isDigit,
} from './strict-units.ts';

/** Containers inside one another; a document of `[[1]]` has depth 2 (decisions, trap 24). */
export const MAX_JSON_DEPTH = 64;

/** Integers of fewer digits are always safe, and numbers of fewer digits always finite. */
const SAFE_DIGITS = 15;
const FINITE_DIGITS = 300;

/**
 * Walks one text. Units are read by `charCodeAt`, which is NaN past the end: every comparison is then false, so ends
 * need no
 * check of their own.
 */
export class Scan {
  readonly #text: string;
  #at = 0;
  #depth = 0;
  #frame: Frame | undefined;
  /** Names seen in the open objects, the outermost first; the last of an object's is its current member. */
  readonly #names: string[] = [];

  constructor(text: string) {
    this.#text = text;
  }

  /** @throws StrictJsonFault at the first fault */
  document(): void {
    for (;;) {
      this.#value();
      if (!this.#next()) return;
    }
  }

  /** One scalar or empty container, after opening every container around it. */
  #value(): void {
    for (;;) {
      const unit = this.#skipSpace();
      if (unit === QUOTE) {
        this.#string();
        return;
      }
      if (unit === MINUS || isDigit(unit)) return this.#number(unit);
      if (unit === OBJECT_OPEN) {
        const frame = this.#open(-1);
        if (this.#skipSpace() === OBJECT_CLOSE) return this.#close(frame);
        this.#name(frame);
      } else if (unit === ARRAY_OPEN) {
        const frame = this.#open(0);
        if (this.#skipSpace() === ARRAY_CLOSE) return this.#close(frame);
      } else return this.#literal(unit);
    }
  }

  /** Closes what ends after a value. False at the end of the document, true where another value must follow. */
  #next(): boolean {
    for (;;) {
      const unit = this.#skipSpace();
      const frame = this.#frame;
      if (!frame) {
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
        this.#at,
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
    const escaped = this.#string();
    const name = escaped
      ? (JSON.parse(this.#text.slice(start, this.#at)) as string)
      : this.#text.slice(start + 1, this.#at - 1);
    const known = isKnown(frame, { names: this.#names, name });
    this.#names.push(name);
    if (known) {
      this.#refuse(
        'duplicate_member',
        `The member ${quoted(name)} is given more than once in one object; send it once.`,
        start,
      );
    }
    if (name === '__proto__')
      this.#refuse('forbidden_member', 'A member may not be called __proto__; use another name.', start);
    if (this.#skipSpace() !== 0x3a) this.#malformed('expected : after the member name');
    this.#at += 1;
  }

  /** From the opening quote past the closing one; true where the string holds an escape. */
  #string(): boolean {
    const text = this.#text;
    let escaped = false;
    let at = this.#at + 1;
    for (;;) {
      const unit = text.charCodeAt(at);
      if (unit === QUOTE) break;
      if (unit === BACKSLASH) {
        escaped = true;
        at = this.#escape(at);
      } else if (unit >= 0x20 && (unit & 0xf800) !== 0xd800) at += 1;
      else at = this.#unusual(at);
    }
    this.#at = at + 1;
    return escaped;
  }

  /** A raw surrogate pair is passed; anything else here ends the scan. */
  #unusual(at: number): number {
    const unit = this.#text.charCodeAt(at);
    if (unit >= 0xd800 && unit < 0xdc00 && (this.#text.charCodeAt(at + 1) & 0xfc00) === 0xdc00) return at + 2;
    if (unit >= 0xd800) return this.#loneSurrogate(at);
    this.#at = at;
    return this.#malformed(unit < 0x20 ? 'control characters in a string must be escaped' : 'the string does not end');
  }

  /** From the backslash past the escape, or past both halves of an escaped surrogate pair. */
  #escape(at: number): number {
    const kind = this.#text[at + 1];
    if (kind !== 'u') {
      if (kind !== undefined && '"\\/bfnrt'.includes(kind)) return at + 2;
      this.#at = at;
      return this.#malformed('a backslash must begin one of \\" \\\\ \\/ \\b \\f \\n \\r \\t \\uXXXX');
    }
    const unit = this.#hexUnit(at);
    if (unit === 0)
      return this.#refuse('nul_character', 'Text may not hold the character NUL (\\u0000); leave it out.', at);
    if ((unit & 0xf800) !== 0xd800) return at + 6;
    // A pair is whole only when both halves are written alike: JSON.parse would join \ud83d and a raw \udE00, but no
    // UTF-8 holds that.
    const paired = unit < 0xdc00 && this.#text.startsWith('\\u', at + 6) && (this.#hexUnit(at + 6) & 0xfc00) === 0xdc00;
    return paired ? at + 12 : this.#loneSurrogate(at);
  }

  #hexUnit(at: number): number {
    let unit = 0;
    for (let index = at + 2; index < at + 6; index += 1) {
      const digit = hexDigit(this.#text.charCodeAt(index));
      if (digit === undefined) {
        this.#at = at;
        return this.#malformed('\\u must be followed by four hexadecimal digits');
      }
      unit = unit * 16 + digit;
    }
    return unit;
  }

  #number(first: number): void {
    const text = this.#text;
    const start = this.#at;
    let at = first === MINUS ? start + 1 : start;
    const digits = at;
    while (isDigit(text.charCodeAt(at))) at += 1;
    if (at === digits) this.#badNumber(at);
    if (at > digits + 1 && text.charCodeAt(digits) === ZERO)
      this.#badNumber(digits, 'a number may not begin with a zero');
    const whole = at;
    if (text.charCodeAt(at) === 0x2e) {
      const fraction = (at += 1);
      while (isDigit(text.charCodeAt(at))) at += 1;
      if (at === fraction) this.#badNumber(at);
    }
    const mantissa = at;
    if ((text.charCodeAt(at) | 0x20) === 0x65) {
      at += 1;
      const sign = text.charCodeAt(at);
      if (sign === MINUS || sign === 0x2b) at += 1;
      const exponent = at;
      while (isDigit(text.charCodeAt(at))) at += 1;
      if (at === exponent) this.#badNumber(at);
    }
    this.#at = at;
    if (at === whole && at - digits <= SAFE_DIGITS) return;
    if (at === mantissa && at !== whole && whole - digits <= FINITE_DIGITS) return;
    const value = Number(text.slice(start, at));
    if (!Number.isFinite(value)) {
      this.#refuse('number_overflow', 'The number is too large for a double; send it as a string.', start);
    }
    if (at === whole && !Number.isSafeInteger(value)) {
      this.#refuse(
        'unsafe_integer',
        'Whole numbers must lie within ±9007199254740991; send larger ones as a string.',
        start,
      );
    }
  }

  #badNumber(at: number, why = 'a digit is missing in a number'): never {
    this.#at = at;
    return this.#malformed(why);
  }

  #literal(unit: number): void {
    const word = unit === 0x74 ? 'true' : unit === 0x66 ? 'false' : 'null';
    if (!this.#text.startsWith(word, this.#at)) this.#malformed('expected a value');
    this.#at += word.length;
  }

  #skipSpace(): number {
    for (;;) {
      const unit = this.#text.charCodeAt(this.#at);
      if (unit !== 0x20 && unit !== 0x0a && unit !== 0x0d && unit !== 0x09) return unit;
      this.#at += 1;
    }
  }

  #loneSurrogate(at: number): never {
    return this.#refuse(
      'lone_surrogate',
      'Text may not hold half of a surrogate pair; send whole Unicode characters.',
      at,
    );
  }

  #malformed(why: string): never {
    const offset = Math.min(this.#at, this.#text.length);
    const before = this.#text.slice(0, offset);
    const lineStart = before.lastIndexOf('\n') + 1;
    const line = before.split('\n').length;
    const end = offset === this.#text.length ? ' (the text ends there)' : '';
    return this.#refuse(
      'malformed_json',
      `Not valid JSON at line ${line}, column ${offset - lineStart + 1}${end}: ${why}.`,
      offset,
    );
  }

  #refuse(code: StrictJsonCode, message: string, offset: number): never {
    throw new StrictJsonFault(code, message, { path: pathOf(this.#frame, this.#names), offset });
  }
}
