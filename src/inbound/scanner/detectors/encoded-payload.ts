import { stretchOf } from '../text/source.ts';
import { viewsOf } from '../html/views.ts';
import { normalise, Workspace, type NormalText } from '../text/normalise.ts';
import type { Folded } from '../text/characters.ts';
import type { Trie } from '../lexicon/trie.ts';
import { isAtLeast } from '../verdict.ts';
import type { Document } from '../../reading/body.ts';
import { payloadsOf, type Payload } from './payloads.ts';
import type { Detection, Detector, Scene } from './scene.ts';

const MAX_LOW = 5;
const MAX_PAYLOADS = 5_000;
/** Encodings inside one another. */
const MAX_DEPTH = 2;

/** The parts that decoding needs besides the text. */
export interface Decoder {
  lexicon: Trie;
  cache: Map<number, Folded>;
  /** Those who look at what was decoded. */
  detectors: readonly Detector[];
  /** The texts of documents in strings; only of the text itself. */
  documents: readonly Document[];
}

/**
 * Texts that are encoded: base64, hexadecimal, binary, percent and backslash escapes, UTF-7, rot13, reversed and spaced letters, tag characters, and words that are broken
 * or without spaces. What they say is scanned like the rest, two encodings deep; what is encoded more often is `unscanned`.
 */
export function encodedPayloads(scene: Scene, decoder: Decoder, depth = 1): Detection[] {
  const payloads = payloadsOf(scene).filter(
    ({ mayBeOrdinary }) => !mayBeOrdinary || (depth <= MAX_DEPTH && !scene.isDense),
  );
  if (depth === 1) payloads.unshift(...payloadsOfDocuments(scene.text, decoder.documents));
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
  for (const { isDense, isSeen } of [
    { isDense: false, isSeen: false },
    { isDense: true, isSeen: false },
    { isDense: false, isSeen: true },
    { isDense: true, isSeen: true },
  ]) {
    const chosen = taken.filter(
      (payload) => (payload.isDense ?? false) === isDense && (payload.mayBeOrdinary ?? false) === isSeen,
    );
    if (chosen.length === 0) continue;
    const inner = sceneOf(chosen, decoder, { isDense, isSeen });
    const detections = [
      ...decoder.detectors.flatMap((detector) => detector(inner)),
      ...(isSeen ? [] : encodedPayloads(inner, decoder, depth + 1)),
    ];
    const grave = new Set<number>();
    for (const detection of detections) {
      const stretch = stretchOf(inner.text, detection.start, detection.end);
      const { field } = stretch;
      const payload = chosen[field];
      if (payload === undefined || !isAtLeast(detection.severity, isSeen ? 'high' : 'medium')) continue;
      if (payload.wasBroken?.(stretch.start, stretch.end) === false) continue;
      const { how } = payload;
      const { start, end } = payload.placeOf?.(stretch.start, stretch.end) ?? payload;
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
    if (isSeen) continue;
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

/**
 * A finding in a document names all of the text in which it stands: its parts are in no order that the text has. In one pass: texts are shown in the order of the fields.
 * @param documents in the order of their fields
 */
function payloadsOfDocuments({ from, bases, fields }: NormalText, documents: readonly Document[]): Payload[] {
  let at = 0;
  const reach = (unit: number): number => {
    while (at < from.length && (from[at] as number) < unit) at += 1;
    return at;
  };
  return documents.map(({ field, text }) => {
    const base = bases[field] ?? 0;
    const start = reach(base);
    const end = reach(base + (fields[field]?.text.length ?? 0));
    return { start, end: Math.max(end, start + 1), text, how: 'a document in a string', mayBeOrdinary: true };
  });
}

const unscanned = (payload: Payload | undefined, reason: string): Detection => ({
  detector_key: 'unscanned',
  severity: 'high',
  start: payload?.start ?? 0,
  end: payload?.end ?? 0,
  reason,
});

function sceneOf(
  payloads: readonly Payload[],
  { lexicon, cache }: Decoder,
  { isDense, isSeen }: { isDense: boolean; isSeen: boolean },
): Scene {
  const fields = payloads.map(({ text }, index) => ({ place: String(index), text, isHtml: false }));
  const text: NormalText = normalise(fields, viewsOf(fields).runs, { cache, workspace: new Workspace() });
  const shown = Buffer.from(text.shown.buffer, text.shown.byteOffset, text.shown.byteLength).toString('utf16le');
  return { text, shown, hits: lexicon.find(text.folded, isDense), sender: undefined, unseen: !isSeen, isDense };
}
