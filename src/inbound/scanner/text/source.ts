import type { NormalText } from './normalise.ts';

/** Returns the text from `start` to before `end` in the normalised text, in code units of one field. */
export interface Stretch {
  field: number;
  start: number;
  end: number;
}

/** Where a part of the normalised text is from; what reaches over several fields is cut at the end of the first. */
export function stretchOf(text: NormalText, start: number, end: number): Stretch {
  const last = Math.max(start, end - 1);
  const from = text.from[Math.min(start, text.length - 1)] ?? 0;
  return stretchOfSource(text, from, (text.from[last] ?? from) + (text.width[last] ?? 0));
}

/** @param start, end code units of the source, counted through all fields */
export function stretchOfSource({ bases, fields }: NormalText, start: number, end: number): Stretch {
  let low = 0;
  let high = bases.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((bases[middle] ?? 0) <= start) low = middle;
    else high = middle - 1;
  }
  const base = bases[low] ?? 0;
  const length = fields[low]?.text.length ?? 0;
  return {
    field: low,
    start: Math.min(start - base, length),
    end: Math.min(Math.max(end, start) - base, length),
  };
}

/** Whether a part of the text overlaps with something nobody sees. */
export const hidingOf = ({ hidden }: NormalText, start: number, end: number) => {
  let low = 0;
  let high = hidden.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((hidden[middle]?.end ?? 0) <= start) low = middle + 1;
    else high = middle;
  }
  const first = hidden[low];
  return first !== undefined && first.start < end ? first : undefined;
};
