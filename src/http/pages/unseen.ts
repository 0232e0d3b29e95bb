/** Scripts whose words are written with joiners: Indic ones, those of South-East Asia, Arabic and what is written like it. */
const JOINED_SCRIPTS = 'Arab Beng Deva Gujr Guru Khmr Knda Mand Mlym Mong Mymr Nkoo Orya Sinh Syrc Taml Telu Tibt'
  .split(' ')
  .map((script) => `\\p{Script=${script}}`)
  .join('');

/**
 * Characters that are not seen, and those that turn the direction of a text: each could make it read as another. The signs of Arabic,
 * Syriac and Kaithi that enclose a number are `Cf` too, and seen.
 */
const UNSEEN =
  '[[\\p{Cf}\\p{Cc}\\p{Zl}\\p{Zp}\\p{Co}\\p{Cn}\\p{Default_Ignorable_Code_Point}]--[\\u0600-\\u0605\\u06dd\\u070f\\u0890\\u0891\\u08e2\\u{110bd}\\u{110cd}]]';

/**
 * One joiner after a letter or mark of a script that needs it, and what makes one emoji of several characters. Two names can differ by it, so ids stand
 * beside names.
 */
const JOINING = [
  `(?<=[[\\p{L}\\p{M}]&&[${JOINED_SCRIPTS}]])[\\u200c\\u200d]`,
  '(?<=\\p{Extended_Pictographic})[\\ufe0e\\ufe0f]',
  '(?<=[0-9#*])\\ufe0f(?=\\u20e3)',
  '(?<=\\p{Extended_Pictographic}[\\ufe0f\\p{Emoji_Modifier}]?)\\u200d(?=\\p{Extended_Pictographic})',
].join('|');

const unseen = new RegExp(UNSEEN, 'gv');
const unseenInWords = new RegExp(`${JOINING}|[\\t\\n\\r]|(?<unseen>${UNSEEN})`, 'gv');

/** How pages show a character that is not seen: `[U+202E]`. */
export const codeOf = (character: string): string =>
  `[U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}]`;

/** Each character that is not seen as `shown` has it, joiners and ends of lines too. */
export const showUnseen = (text: string, shown: (character: string) => string): string =>
  text.replaceAll(unseen, shown);

/** The same for words that people wrote: ends of lines, tabs, and joiners where a script or an emoji needs them, are left. */
export const showUnseenInWords = (text: string, shown: (character: string) => string): string =>
  text.replaceAll(unseenInWords, (found, hidden: string | undefined) => (hidden === undefined ? found : shown(hidden)));
