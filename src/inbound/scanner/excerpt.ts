import type { NormalText } from './text/normalise.ts';
import { unitAt } from './text/units.ts';
import type { Place } from './verdict.ts';

const MAX_LENGTH = 8_000;
const MAX_FINDINGS = 20;

/** Up to 8,000 characters of what was scanned, as it is read: all of it, or what stands around each finding, in the order of the text. */
export function excerptOf(text: NormalText, findings: readonly Place[]): string {
  const { shown, length } = text;
  const part = (start: number, end: number): string =>
    Buffer.from(shown.buffer, shown.byteOffset + start * 2, (end - start) * 2)
      .toString('utf16le')
      .toWellFormed();
  if (length <= MAX_LENGTH) return part(0, length);
  const spans = findings
    .slice(0, MAX_FINDINGS)
    .map((finding) => unitsOf(text, finding))
    .filter((span) => span !== undefined)
    .toSorted((one, other) => one.start - other.start);
  if (spans.length === 0) return part(0, MAX_LENGTH);
  const room = Math.floor(MAX_LENGTH / spans.length);
  let excerpt = '';
  let last = 0;
  for (const { start, end } of spans) {
    const margin = Math.max(0, Math.floor((room - (end - start)) / 2) - 1);
    const from = Math.max(last, start - margin);
    const to = Math.min(length, from + room - 3, end + margin);
    if (to <= from) continue;
    excerpt += `${excerpt === '' ? '' : '\n…\n'}${part(from, to)}`;
    last = to;
  }
  return excerpt.slice(0, MAX_LENGTH).toWellFormed();
}

/** Where the text of a finding stands in the normalised text, the first time it is there. */
function unitsOf({ fields, bases, from, length }: NormalText, { place, span }: Place) {
  const field = fields.findIndex((one) => one.place === place);
  const { text } = fields[field] ?? {};
  if (text === undefined) return undefined;
  const base = bases[field] ?? 0;
  const first = unitAt(text, 0, span.start);
  const [least, most] = [base + first, base + unitAt(text, first, span.end - span.start)];
  let start = 0;
  while (start < length && !((from[start] as number) >= least && (from[start] as number) < most)) start += 1;
  let end = start;
  while (end < length && (from[end] as number) >= least && (from[end] as number) < most) end += 1;
  return end > start ? { start, end } : undefined;
}
