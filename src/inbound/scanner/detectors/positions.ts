import { numberOf, type Concept } from '../lexicon/concepts.ts';
import type { Scene } from './scene.ts';

/** Where terms of these concepts begin, in order. */
export function positionsOf({ hits }: Scene, ...concepts: Concept[]): number[] {
  const wanted = new Set(concepts.map(numberOf));
  const found: number[] = [];
  for (let index = 0; index < hits.count; index += 1)
    if (wanted.has(hits.concept[index] as number)) found.push(hits.start[index] as number);
  return found;
}

/** How many of the positions lie from `from` to before `to`. */
export const countBetween = (positions: readonly number[], from: number, to: number): number =>
  firstFrom(positions, to) - firstFrom(positions, from);

function firstFrom(positions: readonly number[], value: number): number {
  let low = 0;
  let high = positions.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((positions[middle] as number) < value) low = middle + 1;
    else high = middle;
  }
  return low;
}
