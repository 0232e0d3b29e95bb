import { isUtf8 } from 'node:buffer';
import { stretchOf } from '../text/source.ts';
import { normalise, type Field, type NormalText } from '../text/normalise.ts';
import type { Folded } from '../text/characters.ts';
import type { Trie } from '../lexicon/trie.ts';
import { isAtLeast } from '../verdict.ts';
import type { Detection, Detector, Scene } from './scene.ts';

/** Something in the text that stands for another text, and what it says. */
interface Payload {
  start: number;
  end: number;
  text: string;
  how: string;
  /** Its spaces were lost, so words are found anywhere in it. */
  isDense?: boolean;
}

const MAX_LOW = 5;
const MAX_PAYLOADS = 5_000;
/** Encodings inside one another. */
const MAX_DEPTH = 2;

/** What decoding needs besides the text. */
export interface Decoder {
  lexicon: Trie;
  cache: Map<number, Folded>;
  /** Those who look at what was decoded. */
  detectors: readonly Detector[];
}

/**
 * Texts that are encoded: base64, hexadecimal, binary, percent and backslash escapes, UTF-7, rot13, reversed and spaced letters, tag characters. What
 * they say is scanned like the rest, two encodings deep; what is encoded more often is `unscanned`.
 */
export function encodedPayloads(scene: Scene, decoder: Decoder, depth = 1): Detection[] {
  const payloads = payloadsOf(scene);
  const found: Detection[] = [];
  if (payloads.length === 0) return found;
  if (payloads.length > MAX_PAYLOADS)
    found.push(unscanned(payloads[MAX_PAYLOADS], 'There are more encoded texts than are decoded.'));
  const taken = payloads.slice(0, MAX_PAYLOADS);
  if (depth > MAX_DEPTH)
    return taken
      .map((payload) => unscanned(payload, 'A text is encoded more than twice, and was not read further.'))
      .slice(0, 1);
  let low = 0;
  for (const isDense of [false, true]) {
    const chosen = taken.filter((payload) => (payload.isDense ?? false) === isDense);
    if (chosen.length === 0) continue;
    const inner = sceneOf(chosen, decoder, isDense);
    const detections = [
      ...decoder.detectors.flatMap((detector) => detector(inner)),
      ...encodedPayloads(inner, decoder, depth + 1),
    ];
    const grave = new Set<number>();
    for (const detection of detections) {
      const { field } = stretchOf(inner.text, detection.start, detection.end);
      const payload = chosen[field];
      if (payload === undefined || !isAtLeast(detection.severity, 'medium')) continue;
      const { start, end, how } = payload;
      found.push({ ...detection, start, end });
      if (grave.has(field)) continue;
      grave.add(field);
      found.push({
        detector_key: 'encoded_payload',
        severity: 'high',
        start,
        end,
        reason: `A text written in ${how} holds what another detector found.`,
      });
    }
    for (const [field, { start, end, how }] of chosen.entries()) {
      if (grave.has(field) || low >= MAX_LOW) continue;
      low += 1;
      found.push({
        detector_key: 'encoded_payload',
        severity: 'low',
        start,
        end,
        reason: `A text is written in ${how}.`,
      });
    }
  }
  return found;
}

const unscanned = (payload: Payload | undefined, reason: string): Detection => ({
  detector_key: 'unscanned',
  severity: 'high',
  start: payload?.start ?? 0,
  end: payload?.end ?? 0,
  reason,
});

function sceneOf(payloads: readonly Payload[], { lexicon, cache }: Decoder, isDense: boolean): Scene {
  const fields: Field[] = payloads.map(({ text }, index) => ({ place: String(index), text }));
  const runs = fields.map(({ text }, field) => ({ field, start: 0, end: text.length, hidden: undefined, apart: true }));
  const text: NormalText = normalise(fields, runs, cache);
  const shown = Buffer.from(text.shown.buffer, text.shown.byteOffset, text.shown.byteLength).toString('utf16le');
  return { text, shown, hits: lexicon.find(text.folded, isDense), sender: undefined, unseen: true };
}

function payloadsOf({ shown, text }: Scene): Payload[] {
  const found: Payload[] = [];
  const add = (start: number, end: number, decoded: string | undefined, how: string, isDense = false): void => {
    if (decoded !== undefined && decoded.trim().length >= 8) found.push({ start, end, text: decoded, how, isDense });
  };
  for (const { index, 0: run } of shown.matchAll(BASE64))
    add(index, index + run.length, readable(Buffer.from(run.replaceAll(/\s/g, ''), 'base64')), 'base64');
  for (const { index, 0: run } of shown.matchAll(HEX))
    add(
      index,
      index + run.length,
      readable(Buffer.from(run.replaceAll(/0x|\\x|[^0-9a-f]/gi, ''), 'hex')),
      'hexadecimal',
    );
  for (const { index, 0: run } of shown.matchAll(BINARY)) {
    const bytes = run.match(/[01]{8}/g) ?? [];
    add(index, index + run.length, readable(Buffer.from(bytes.map((byte) => Number.parseInt(byte, 2)))), 'binary');
  }
  for (const { index, 0: run } of shown.matchAll(UTF7))
    add(index, index + run.length, readable(bigEndian(Buffer.from(run.slice(1, -1), 'base64'))), 'UTF-7');
  for (const { start, end } of regionsOf(shown, ESCAPE)) add(start, end, unescaped(shown.slice(start, end)), 'escapes');
  for (const { start, end } of regionsOf(shown, ROT13)) add(start, end, rot13(shown.slice(start, end)), 'rot13');
  for (const { start, end } of regionsOf(shown, REVERSED))
    add(start, end, Array.from(shown.slice(start, end)).toReversed().join(''), 'reverse');
  for (const { index, 0: run } of shown.matchAll(SPACED))
    add(index, index + run.length, run.replaceAll(/[^\p{L}\d]/gu, ''), 'spaced letters', true);
  for (const { at, spells } of text.invisible)
    if (spells.length >= 8)
      add(Math.max(0, at - 1), Math.min(text.length, at + 1), spells, 'characters that are not shown');
  return found.toSorted((one, other) => one.start - other.start);
}

/** Runs of one class with single line breaks between: each unit is looked at once, and again at most for the least length of a run. */
const BASE64 = /[A-Za-z0-9+/_-]{20,}(?:[ \n][A-Za-z0-9+/_-]{40,}){0,100000}={0,2}/g;
const HEX = /(?:(?:0x|\\x)?[0-9a-f]{2}[ :,-]?){12,}/gi;
const BINARY = /[01]{8}(?: ?[01]{8}){5,}/g;
const UTF7 = /\+[A-Za-z0-9+/]{12,4000}-/g;
const ESCAPE =
  /\\u\{?[0-9a-f]{4,6}\}?|\\x[0-9a-f]{2}|%[0-9a-f]{2}|&#x?[0-9a-f]{2,6};|=[0-9A-F]{2}(?=[=A-Za-z\s])|&(?:lt|gt|amp|quot|nbsp);/gi;
const ROT13 = /\b(?:vtaber|qvfertneq|sbetrg|bireevqr|vafgehpgvbaf?|cerivbhf|flfgrz|cebzcg|cnffjbeq|perqragvnyf)\b/gi;
const REVERSED =
  /\b(?:snoitcurtsni|suoiverp|erongi|tegrof|draugersid|drager?sid|tpmorp|metsys|drowssap|slaitnederc)\b/gi;
const SPACED = /(?<![\p{L}\d])\p{L}(?:[ .*_|\n-]{1,3}\p{L}){9,2000}(?![\p{L}\d])/gu;

const NEAR = 48;
const AROUND = 200;

/** Where matches stand near each other, at least two of words or four of escapes, with what stands around them. */
function regionsOf(shown: string, pattern: RegExp): { start: number; end: number }[] {
  const isEscape = pattern === ESCAPE;
  const regions: { start: number; end: number }[] = [];
  let first = -1;
  let last = -1;
  let count = 0;
  const close = (): void => {
    if (count < (isEscape ? 4 : 1)) return;
    const margin = isEscape ? NEAR : AROUND;
    const start = Math.max(regions.at(-1)?.end ?? 0, first - margin);
    regions.push({ start, end: Math.min(shown.length, last + margin) });
  };
  for (const { index, 0: found } of shown.matchAll(pattern)) {
    if (first >= 0 && index - last > (isEscape ? NEAR : AROUND)) {
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

const unescaped = (text: string): string =>
  text
    .replaceAll(
      /\\u\{?([0-9a-f]{4,6})\}?|\\x([0-9a-f]{2})|&#x([0-9a-f]{2,6});/gi,
      (_, ...hex: (string | undefined)[]) =>
        fromPoint(Number.parseInt(hex.slice(0, 3).find((one) => one !== undefined) ?? '20', 16)),
    )
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

const bigEndian = (bytes: Buffer): Buffer =>
  Buffer.from(
    bytes
      .subarray(0, bytes.length & ~1)
      .swap16()
      .toString('utf16le'),
  );

/** Bytes as text, where a person could read it: hardly any control characters, and some words. */
function readable(bytes: Buffer): string | undefined {
  if (bytes.length < 8 || !isUtf8(bytes)) return undefined;
  const text = bytes.toString('utf8');
  let letters = 0;
  let controls = 0;
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    if (unit < 32 && unit !== 10 && unit !== 13 && unit !== 9) controls += 1;
    else if ((unit | 32) >= 97 && (unit | 32) <= 122) letters += 1;
    else if (unit >= 0xc0 || unit === 32) letters += 1;
  }
  return controls * 50 <= text.length && letters * 10 >= text.length * 6 ? text : undefined;
}
