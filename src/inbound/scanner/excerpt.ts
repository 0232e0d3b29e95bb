import type { NormalText } from './text/normalise.ts';
import type { Detection } from './detectors/scene.ts';

const MAX_LENGTH = 8_000;

/** Up to 8,000 characters of what was scanned, as it is read: all of it, or what stands around each finding, in the order of the text. */
export function excerptOf({ shown, length }: NormalText, detections: readonly Detection[]): string {
  const part = (start: number, end: number): string =>
    Buffer.from(shown.buffer, shown.byteOffset + start * 2, (end - start) * 2)
      .toString('utf16le')
      .toWellFormed();
  if (length <= MAX_LENGTH) return part(0, length);
  const spans = detections.toSorted((one, other) => one.start - other.start).slice(0, 20);
  if (spans.length === 0) return part(0, MAX_LENGTH);
  const room = Math.floor(MAX_LENGTH / spans.length);
  let text = '';
  let last = 0;
  for (const { start, end } of spans) {
    const margin = Math.max(0, Math.floor((room - (end - start)) / 2) - 1);
    const from = Math.max(last, start - margin);
    const to = Math.min(length, from + room - 3, end + margin);
    if (to <= from) continue;
    text += `${text === '' ? '' : '\n…\n'}${part(from, to)}`;
    last = to;
  }
  return text.slice(0, MAX_LENGTH).toWellFormed();
}
