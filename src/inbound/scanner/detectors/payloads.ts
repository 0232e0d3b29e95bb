import { decodeWords } from 'postal-mime';
import { kinds, SEPARATOR } from '../text/characters.ts';
import { MAX_INVISIBLE, type NormalText } from '../text/normalise.ts';
import { spelledBy, unshownIn, type Unshown } from '../text/unshown.ts';
import type { Scene } from './scene.ts';

/** Something in the text that stands for another text, and what it says. */
export interface Payload {
  start: number;
  end: number;
  text: string;
  how: string;
  /** Where in the scanned text the units from `from` to before `to` of `text` are; undefined: nobody knows, somewhere in it. */
  placeOf?(from: number, to: number): { start: number; end: number };
  /** It may be an ordinary text, so only an order in it counts, and whether it is one is judged as of a text that is seen; else it is encoded. */
  mayBeOrdinary?: boolean;
  /** Whether the units from `from` to before `to` of `text` were broken in the scanned text, so that nobody finds them there; undefined: all were. */
  wasBroken?(from: number, to: number): boolean;
  /** Its spaces were lost, so words are found anywhere in it. */
  isDense?: boolean;
}

/** The encoded stretches of a text, in their order. */
export function payloadsOf({ shown, text }: Scene): Payload[] {
  const found: Payload[] = [];
  const add = (payload: Omit<Payload, 'text'> & { text: string | undefined }): void => {
    const { text: decoded } = payload;
    if (decoded !== undefined && decoded.trim().length >= 8) found.push({ ...payload, text: decoded });
  };
  for (const { kind, start, end } of runsIn(text.shown)) {
    const run = shown.slice(start, end);
    if (kind === 'letters')
      add({ start, end, text: run.replaceAll(/[^\p{L}\d]/gu, ''), how: 'spaced letters', isDense: true });
    else if (kind === 'hex') {
      const digits = run.replaceAll(/0x|\\x|[^0-9a-f]/gi, '');
      const isBinary = /^[01]+$/.test(digits) && digits.length >= 48;
      if (isBinary) add({ start, end, text: readable(bytesOfBits(digits)), how: 'binary' });
      else add({ start, end, text: readable(Buffer.from(digits, 'hex')), how: 'hexadecimal' });
    } else {
      const decoded = fromBase64(run);
      add({ start, end, text: decoded, how: 'base64' });
      if (decoded === undefined && end - start <= MAX_WORD && /^[A-Za-z]+$/.test(run))
        add({ start, end, text: run, how: 'words without spaces', isDense: true, mayBeOrdinary: true });
    }
  }
  for (const { first, last, start, end } of regionsOf(shown, ESCAPE, { least: 2, margin: NEAR }))
    add({ start: first, end: last, text: unescaped(shown.slice(start, end)), how: 'escapes' });
  for (const region of regionsOf(shown, BROKEN, { least: 2, margin: AROUND })) found.push(joined(shown, region));
  for (const { first, last, start, end } of regionsOf(shown, SPELLED, { least: 6, margin: 3 })) {
    const letters = shown.slice(start, end).replaceAll(/[^\p{L}\d]/gu, '');
    add({ start: first, end: last, text: letters, how: 'spaced letters', isDense: true });
  }
  for (const { first, last } of regionsOf(shown, ENCODED_WORD, { least: 2, margin: 3 })) {
    for (let start = first; start < last; start += MAX_WORDS) {
      const end = Math.min(last, start + MAX_WORDS);
      add({ start, end, text: decodeWords(shown.slice(start, end)), how: 'encoded words' });
    }
  }
  for (const { first, last, start, end } of regionsOf(shown, UTF7, { least: 1, margin: NEAR }))
    add({ start: first, end: last, text: fromUtf7(shown.slice(start, end)), how: 'UTF-7' });
  for (const { first, last, start, end } of regionsOf(shown, ROT13, { least: 1, margin: AROUND })) {
    const placeOf = (from: number, to: number) => ({ start: start + from, end: start + to });
    add({ start: first, end: last, text: rot13(shown.slice(start, end)), how: 'rot13', placeOf });
  }
  for (const { first, last, start, end } of regionsOf(shown, REVERSED, { least: 1, margin: AROUND })) {
    const placeOf = (from: number, to: number) => ({ start: end - to, end: end - from });
    const reversed = Array.from(shown.slice(start, end)).toReversed().join('');
    add({ start: first, end: last, text: reversed, how: 'reverse', placeOf });
  }
  for (const { first, last, characters } of unshownTogether(text)) {
    const decoded = spelledBy(characters)
      .map(readable)
      .find((one) => one !== undefined);
    const [start, end] = [Math.max(0, first - 1), Math.min(text.length, last + 1)];
    add({ start, end, text: decoded, how: 'characters that are not shown' });
  }
  return found.toSorted((one, other) => one.start - other.start);
}

/** Runs of characters that are not shown, each by itself and all as one: a text may be spread over the words of another. */
function unshownTogether(text: NormalText): Pick<Unshown, 'first' | 'last' | 'characters'>[] {
  const runs = unshownIn(text);
  if (runs.length < 2) return runs;
  const parts: string[] = [];
  let length = 0;
  for (const { characters } of runs) {
    if (length > MAX_INVISIBLE) break;
    parts.push(characters);
    length += characters.length;
  }
  const all = { first: runs[0]?.first ?? 0, last: runs.at(-1)?.last ?? 0, characters: parts.join('') };
  return [...runs.filter(({ count }) => count >= 8), all];
}

/** The text of the next line may be a word of another kind, and dashes are signs of the form for addresses, or divide the text. */
function fromBase64(run: string): string | undefined {
  for (const part of /\s/.test(run) ? [run, run.split(/\s/, 1)[0] ?? ''] : [run])
    for (const dividing of part.includes('-') ? [/[\s\u2010-\u2015]/g, /[\s-]/g] : [/[\s\u2010-\u2015]/g]) {
      const text = readable(Buffer.from(part.replaceAll(dividing, ''), 'base64'));
      if (text !== undefined) return text;
    }
  return undefined;
}

interface EncodedRun {
  kind: 'base64' | 'hex' | 'letters';
  start: number;
  end: number;
}

/** Signs of base64 and its form for addresses (1), digits of hexadecimal (2), letters (4), by code unit. */
const signs = Uint8Array.from({ length: 128 }, (_, unit) => {
  const sign = String.fromCharCode(unit);
  return (
    (/[A-Za-z0-9+/_=-]/.test(sign) ? 1 : 0) + (/[0-9a-fA-Fx\\]/.test(sign) ? 2 : 0) + (/[A-Za-z0-9]/.test(sign) ? 4 : 0)
  );
});

/** The shortest text that is taken for base64, the digits of one in hexadecimal, and letters that stand alone. */
const MIN_BASE64 = 20;
const MIN_HEX = 24;
const MIN_LETTERS = 10;
/** Letters without a space in which words are looked for; nobody writes an order of more. */
const MAX_WORD = 400;
/** Words that follow each other belong together where no more than this stands between. */
const MAX_GAP = 3;

/** Long words of base64, which lines may divide; words of hexadecimal digits; letters that stand alone. In one pass over the words. */
function runsIn(shown: Uint16Array): EncodedRun[] {
  const found: EncodedRun[] = [];
  const base64 = { start: 0, end: -10 };
  const hex = { start: 0, end: -10, digits: 0 };
  const letters = { start: 0, end: -10, count: 0 };
  const endBase64 = (): void => {
    if (base64.end - base64.start >= MIN_BASE64) found.push({ kind: 'base64', start: base64.start, end: base64.end });
  };
  /** Words of one length, shorter than a line of base64 is elsewhere. */
  const short = { start: 0, end: -10, length: 0, count: 0 };
  const endShort = (): void => {
    if (short.count >= 3 && short.end - short.start >= MIN_BASE64)
      found.push({ kind: 'base64', start: short.start, end: short.end });
    short.count = 0;
  };
  const endHex = (): void => {
    if (hex.digits >= MIN_HEX) found.push({ kind: 'hex', start: hex.start, end: hex.end });
    hex.digits = 0;
  };
  const endLetters = (): void => {
    if (letters.count >= MIN_LETTERS) found.push({ kind: 'letters', start: letters.start, end: letters.end });
    letters.count = 0;
  };
  for (let at = 0; at < shown.length; at += 1) {
    let all = 7;
    const start = at;
    for (; at < shown.length; at += 1) {
      const unit = shown[at] as number;
      const sign = unit < 128 ? (signs[unit] as number) : unit > 0xbf ? 8 : 0;
      if (sign === 0) break;
      all &= sign;
    }
    const length = at - start;
    // A sign that stands alone divides, as a space does.
    if (length === 0 || (length === 1 && !isLetter(shown[start] as number))) continue;
    if (length >= MIN_BASE64 && (all & 1) !== 0) {
      // A line of base64 is long; what is shorter than that ends it.
      if (start - base64.end > 1 || base64.end - base64.start < 40) {
        endBase64();
        base64.start = start;
      }
      base64.end = at;
    } else if (length >= 4 && (all & 1) !== 0 && start - base64.end === 1 && base64.end - base64.start >= 40)
      base64.end = at;
    const isNext = short.count > 0 && start - short.end <= MAX_GAP && length <= short.length;
    if (short.count > 0 && !(isNext && (all & 1) !== 0)) endShort();
    if (length >= 4 && length < MIN_BASE64 && (all & 1) !== 0 && short.count === 0) {
      short.start = start;
      short.length = length;
    }
    if ((all & 1) !== 0 && (isNext || start === short.start)) {
      short.end = at;
      short.count += 1;
      if (length < short.length) endShort();
    }
    if ((all & 2) !== 0 && (length & 1) === 0 && (hex.digits === 0 || start - hex.end <= MAX_GAP)) {
      if (hex.digits === 0) hex.start = start;
      hex.digits += length;
      hex.end = at;
    } else if (hex.digits > 0) endHex();
    if (length === 1 && ((all & 4) !== 0 || (shown[start] as number) > 0xbf)) {
      if (letters.count > 0 && start - letters.end > MAX_GAP) endLetters();
      if (letters.count === 0) letters.start = start;
      letters.count += 1;
      letters.end = at;
    } else if (letters.count > 0) endLetters();
  }
  endBase64();
  endShort();
  endHex();
  endLetters();
  return found;
}

const isLetter = (unit: number): boolean =>
  unit < 128 ? ((signs[unit] as number) & 4) !== 0 : unit > 0xbf && kinds[unit] !== SEPARATOR;

const bytesOfBits = (bits: string): Buffer =>
  Buffer.from(bits.match(/[01]{8}/g)?.map((byte) => Number.parseInt(byte, 2)) ?? []);

const ESCAPE =
  /\\u\{?[0-9a-f]{4,6}\}?|\\x[0-9a-f]{2}|\\0?[01][0-7]{2}|%[0-9a-f]{2}|&#x?[0-9a-f]{2,6};|=[0-9A-F]{2}(?=[=A-Za-z\s])|&(?:lt|gt|amp|quot|nbsp);/gi;
/** Base64 of UTF-16 between two signs; what else stands so is told apart when it is decoded. */
const UTF7 = /\+[A-Za-z0-9+/]{3,4096}-?/g;
/** A word of a header of a mail (RFC 2047); a long text is cut in several, wherever it happens. */
const ENCODED_WORD = /=\?[\w*-]{1,40}\?[bq]\?[^?\s]{1,200}\?=/gi;
/** Units of encoded words that are joined together: 850 KB of them took the decoder thirteen times as long as half of that. */
const MAX_WORDS = 65_536;
/** Characters that stand inside of words and are not read: hyphens at the ends of lines and elsewhere, marks of emphasis, line breaks of a string in a string. */
const BROKEN = /\\[nrt](?=[A-Za-z])|(?<=\p{L})(?:[-=]\s?\n|[*_`~|^-]{1,8})(?=\p{L})/gu;
/** A letter alone, with a sign behind it that is no space. */
const SPELLED = /(?<![A-Za-z])[A-Za-z][-_=+/](?=[A-Za-z](?![A-Za-z]))/g;
const ROT13 = /\b(?:vtaber|qvfertneq|sbetrg|bireevqr|vafgehpgvbaf?|cerivbhf|flfgrz|cebzcg|cnffjbeq|perqragvnyf)\b/gi;
const REVERSED =
  /\b(?:snoitcurtsni|suoiverp|erongi|tegrof|draugersid|drager?sid|tpmorp|metsys|drowssap|slaitnederc)\b/gi;

const NEAR = 48;
const AROUND = 200;

interface Region {
  /** From the first match to the last. */
  first: number;
  last: number;
  /** With what stands around them. */
  start: number;
  end: number;
}

/** Where matches stand near each other, at least `least` of them, with `margin` units on both sides. */
function regionsOf(shown: string, pattern: RegExp, { least, margin }: { least: number; margin: number }): Region[] {
  const regions: Region[] = [];
  let first = -1;
  let last = -1;
  let count = 0;
  const close = (): void => {
    if (count < least) return;
    const start = Math.max(regions.at(-1)?.end ?? 0, first - margin);
    regions.push({ first, last, start, end: Math.min(shown.length, last + margin) });
  };
  for (const { index, 0: found } of shown.matchAll(pattern)) {
    if (first >= 0 && index - last > margin) {
      close();
      first = -1;
      count = 0;
    }
    if (first < 0) first = index;
    last = index + found.length;
    count += 1;
  }
  if (first >= 0) close();
  return regions;
}

/** A region without what breaks its words. */
function joined(shown: string, { first, last, start, end }: Region): Payload {
  let text = '';
  let from = start;
  /** Where in `text` something was left out, and how much in all. */
  const breaks: { at: number; left: number }[] = [];
  for (const { index, 0: found } of shown.slice(start, end).matchAll(BROKEN)) {
    text += shown.slice(from, start + index);
    from = start + index + found.length;
    const isLine = found.startsWith('\\');
    if (isLine) text += '\n';
    const left = (breaks.at(-1)?.left ?? 0) + found.length - (isLine ? 1 : 0);
    breaks.push({ at: text.length, left });
  }
  text += shown.slice(from, end);
  /** How many breaks stand before a unit, or at it. */
  const countTo = (unit: number): number => {
    let [low, high] = [0, breaks.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((breaks[middle]?.at ?? 0) <= unit) low = middle + 1;
      else high = middle;
    }
    return low;
  };
  const sourceOf = (unit: number): number => start + unit + (breaks[countTo(unit) - 1]?.left ?? 0);
  return {
    start: first,
    end: last,
    text,
    how: 'words that are broken',
    placeOf: (least, most) => ({ start: sourceOf(least), end: sourceOf(most - 1) + 1 }),
    mayBeOrdinary: true,
    wasBroken: (least, most) => countTo(most - 1) - countTo(least) >= 2,
  };
}

/** Undefined where nothing in it is UTF-7 of a text. */
function fromUtf7(text: string): string | undefined {
  let count = 0;
  const decoded = text.replaceAll(/\+([A-Za-z0-9+/]{3,4096})-?/g, (whole, base64: string) => {
    // Whole units leave fewer than six bits over: "+0100" of a date is none. A run that begins as Latin text does may have letters too many.
    if ((base64.length * 6) % 16 >= 6 && !/^A[C-H]/.test(base64)) return whole;
    const units = bigEndian(Buffer.from(base64, 'base64')).replace(/\0+$/, '');
    if (!/^[\t\n\r -~\u00a0-\u2fff\u3040-\u9fff\uac00-\ud7a3]+$/.test(units)) return whole;
    count += 1;
    return units;
  });
  return count === 0 ? undefined : decoded;
}

const unescaped = (text: string): string =>
  text
    .replaceAll(
      /\\u\{?([0-9a-f]{4,6})\}?|\\x([0-9a-f]{2})|&#x([0-9a-f]{2,6});/gi,
      (_, ...hex: (string | undefined)[]) =>
        fromPoint(Number.parseInt(hex.slice(0, 3).find((one) => one !== undefined) ?? '20', 16)),
    )
    .replaceAll(/\\0?([01][0-7]{2})/g, (_, octal: string) => fromPoint(Number.parseInt(octal, 8)))
    .replaceAll(/&#(\d{2,6});/g, (_, decimal: string) => fromPoint(Number(decimal)))
    .replaceAll(/(?:[%=][0-9a-f]{2})+/gi, (run) => Buffer.from(run.replaceAll(/[%=]/g, ''), 'hex').toString('utf8'))
    .replaceAll(/&(lt|gt|amp|quot|nbsp);/gi, (_, name: string) => entities[name.toLowerCase()] ?? ' ');

const entities: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', nbsp: ' ' };

const fromPoint = (point: number): string => (point > 0x10ffff ? ' ' : String.fromCodePoint(point).toWellFormed());

const rot13 = (text: string): string =>
  text.replaceAll(/[a-z]/gi, (letter) => {
    const base = letter <= 'Z' ? 65 : 97;
    return String.fromCharCode(((letter.charCodeAt(0) - base + 13) % 26) + base);
  });

const bigEndian = (bytes: Buffer): string =>
  bytes
    .subarray(0, bytes.length & ~1)
    .swap16()
    .toString('utf16le');

/** Bytes as text, where a person could read it: hardly any control characters or broken ones, and some words. What follows the text may have been taken for a part of it. */
function readable(bytes: Buffer): string | undefined {
  if (bytes.length < 8) return undefined;
  const text = textOfBytes(bytes);
  let letters = 0;
  let strange = 0;
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    if (unit === 0xfffd) strange += 1;
    else if (unit < 32 && unit !== 10 && unit !== 13 && unit !== 9) strange += 1;
    else if ((unit | 32) >= 97 && (unit | 32) <= 122) letters += 1;
    else if (unit >= 0xc0 || unit === 32) letters += 1;
    if (strange * 50 > text.length + MAX_STRANGE) return undefined;
  }
  return letters * 10 >= text.length * 6 ? text : undefined;
}

/** Three characters of a word that was no base64, and 2 %. */
const MAX_STRANGE = 3 * 50;

/** UTF-8; or UTF-16 of Latin text, in which every other byte is zero. */
function textOfBytes(bytes: Buffer): string {
  const isZero = (at: number): boolean => bytes[at] === 0 && bytes[at + 2] === 0 && bytes[at + 4] === 0;
  return isZero(3) ? bytes.toString('utf16le') : isZero(2) ? bigEndian(bytes) : bytes.toString('utf8');
}
