/** The class of a code unit to a reader of words. */
export const SEPARATOR = 0;
export const LETTER = 1;
/** A letter of a script that writes without spaces: a word may begin at each. */
export const UNSPACED = 2;

/** By code unit; halves of surrogate pairs are separators, since letters beyond the first plane are folded or of no lexicon. */
export const kinds: Uint8Array = Uint8Array.from({ length: 65_536 }, (_, unit) => {
  if (unit < 128) return /[A-Za-z0-9]/.test(String.fromCharCode(unit)) ? LETTER : SEPARATOR;
  if (unit >= 0xd800 && unit < 0xe000) return SEPARATOR;
  const character = String.fromCharCode(unit);
  if (/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}ー]/u.test(character)) return UNSPACED;
  return /[\p{L}\p{N}\p{M}]/u.test(character) ? LETTER : SEPARATOR;
});

/** Characters that are drawn as nothing, or change only the direction of others. */
export const isInvisible = (point: number): boolean =>
  point === 0xad ||
  point === 0x34f ||
  point === 0x61c ||
  point === 0x115f ||
  point === 0x1160 ||
  point === 0x17b4 ||
  point === 0x17b5 ||
  (point >= 0x180b && point <= 0x180f) ||
  (point >= 0x200b && point <= 0x200f) ||
  (point >= 0x202a && point <= 0x202e) ||
  (point >= 0x2060 && point <= 0x206f) ||
  point === 0x3164 ||
  (point >= 0xfe00 && point <= 0xfe0f) ||
  point === 0xfeff ||
  point === 0xffa0 ||
  (point >= 0xfff9 && point <= 0xfffb) ||
  (point >= 0x1d173 && point <= 0x1d17a) ||
  (point >= 0xe0000 && point <= 0xe0fff);

/** A letter written with a tag character (U+E0020 to U+E007E); it stands for the ASCII character 0xE0000 below. */
export const isTag = (point: number): boolean => point >= 0xe0020 && point <= 0xe007e;

/** A selector of variants stands for a byte: sixteen in the first plane, the others in the last but two. */
export function byteOfSelector(point: number): number | undefined {
  if (point >= 0xfe00 && point <= 0xfe0f) return point - 0xfe00;
  if (point >= 0xe0100 && point <= 0xe01ef) return point - 0xe0100 + 16;
  return undefined;
}

/** Letters that look like Latin ones and have no decomposition: from Unicode's confusables, those of scripts with a keyboard of their own. */
const lookAlikes: Readonly<Record<string, string>> = {
  a: 'аɑαᴀ',
  b: 'ьʙᏏ',
  c: 'сϲᴄⅽ',
  d: 'ԁᴅժ',
  e: 'еєҽᴇɛε',
  f: 'ғꜰ',
  g: 'ɡցɢ',
  h: 'һհʜн',
  i: 'іıɪιӏ',
  j: 'јյᴊ',
  k: 'кκᴋ',
  l: 'ʟⅼ',
  m: 'мᴍ',
  n: 'пոɴη',
  o: 'оοօᴏσ',
  p: 'рρᴘ',
  q: 'ԛզ',
  r: 'гʀᴦ',
  s: 'ѕꜱ',
  t: 'тᴛτ',
  u: 'υսᴜ',
  v: 'ѵνᴠ',
  w: 'ѡԝᴡω',
  x: 'хχ',
  y: 'уүʏγ',
  z: 'ᴢ',
};

/** Letters that fold to others without Unicode's own decomposition. */
const folds: ReadonlyMap<number, string> = new Map([
  ...Object.entries(lookAlikes).flatMap(([letter, others]) =>
    [...others].map((other): [number, string] => [other.codePointAt(0) ?? 0, letter]),
  ),
  [0xdf, 'ss'],
  [0xe6, 'ae'],
  [0x153, 'oe'],
  [0xf8, 'o'],
  [0x142, 'l'],
  [0x111, 'd'],
  [0xf0, 'd'],
  [0xfe, 'th'],
  [0x2018, "'"],
  [0x2019, "'"],
  [0x201b, "'"],
  [0x2032, "'"],
  [0x201c, '"'],
  [0x201d, '"'],
  [0x201e, '"'],
  [0xab, '"'],
  [0xbb, '"'],
]);

/** Marks that are written on letters and change no word of a lexicon: Latin, Greek and Cyrillic accents, Hebrew and Arabic vowels, the tatweel. */
const MARKS = /[\u0300-\u036f\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0670\u0640]/g;

export interface Folded {
  /** As it is read: compatibility forms replaced, case kept. */
  shown: string;
  /** As it is matched: small, without accents, look-alikes replaced. */
  folded: string;
}

/** @param point a code point of 128 or above */
export function foldPoint(point: number): Folded {
  // Regional indicators and the letters in black circles and squares have no decomposition.
  const enclosed = point >= 0x1f1e6 && point <= 0x1f1ff ? point - 0x1f1e6 : enclosedLetter(point);
  if (enclosed !== undefined) {
    const letter = String.fromCharCode(0x61 + enclosed);
    return { shown: letter.toUpperCase(), folded: letter };
  }
  const shown = String.fromCodePoint(point).normalize('NFKC');
  const isHangul = point >= 0xac00 && point <= 0xd7af;
  const isKana = point >= 0x3040 && point <= 0x30ff;
  const bare = isHangul || isKana ? shown : shown.normalize('NFKD').replace(MARKS, '');
  let folded = '';
  for (const character of bare.toLowerCase().replace(MARKS, ''))
    folded += folds.get(character.codePointAt(0) ?? 0) ?? character;
  return { shown, folded };
}

function enclosedLetter(point: number): number | undefined {
  if (point >= 0x1f150 && point <= 0x1f169) return point - 0x1f150;
  if (point >= 0x1f170 && point <= 0x1f189) return point - 0x1f170;
  return undefined;
}

/** A text as it is matched, for terms. */
export function foldText(text: string): string {
  let folded = '';
  for (const character of text) {
    const point = character.codePointAt(0) ?? 0;
    folded += point < 128 ? character.toLowerCase() : isInvisible(point) ? '' : foldPoint(point).folded;
  }
  return folded;
}
