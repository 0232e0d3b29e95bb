import { byteOfSelector, isTag } from './characters.ts';
import type { NormalText } from './normalise.ts';

/** Characters that are not shown, with nothing between them that is; white space may be. */
export interface Unshown {
  /** Unit of the normalised text before which the first stands, and the one before which the last does. */
  first: number;
  last: number;
  count: number;
  /** As many of them as are kept. */
  characters: string;
  /** White space divides them. */
  isDivided: boolean;
}

export function unshownIn({ invisible, folded }: NormalText): Unshown[] {
  const found: Unshown[] = [];
  for (const { at, count, characters } of invisible) {
    const group = found.at(-1);
    const isSpace = folded[at - 1] === 0x20 || folded[at - 1] === 0x0a;
    if (group !== undefined && (group.last === at || (group.last === at - 1 && isSpace))) {
      group.last = at;
      group.count += count;
      group.characters += characters;
      group.isDivided = true;
    } else found.push({ first: at, last: at, count, characters, isDivided: false });
  }
  return found;
}

/** The same few characters again and again say nothing: newsletters fill their preview with them. */
export function repeatsItself(characters: string): boolean {
  for (let period = 1; period <= MAX_PERIOD; period += 1)
    if (characters.slice(period) === characters.slice(0, -period)) return true;
  return false;
}

const MAX_PERIOD = 8;

/** The texts that such characters may spell: by tags and selectors, or as bits of two characters, of which nobody knows which is the one and whether the first bit weighs most. */
export function spelledBy(characters: string): Buffer[] {
  const written: number[] = [];
  const counts = new Map<string, number>();
  for (const character of characters) {
    const point = character.codePointAt(0) ?? 0;
    const byte = isTag(point) ? point - 0xe0000 : byteOfSelector(point);
    if (byte !== undefined && byte >= 0x20 && byte <= 0x7e) written.push(byte);
    else counts.set(character, (counts.get(character) ?? 0) + 1);
  }
  const texts = [Buffer.from(written)];
  // A third character divides letters.
  const [zero, one] = [...counts].toSorted(([, some], [, others]) => others - some).map(([character]) => character);
  if (zero === undefined || one === undefined) return texts;
  const bits = Array.from(characters, (character) =>
    character === zero ? 0 : character === one ? 1 : undefined,
  ).filter((bit) => bit !== undefined);
  for (const isSwapped of [0, 1])
    for (const isLastFirst of [false, true]) {
      const bytes = Buffer.alloc(bits.length >> 3);
      for (let at = 0; at < bytes.length * 8; at += 1)
        (bytes[at >> 3] as number) |= ((bits[at] as number) ^ isSwapped) << (isLastFirst ? at & 7 : 7 - (at & 7));
      texts.push(bytes);
    }
  return texts;
}
