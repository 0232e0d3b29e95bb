import { codeOf, showUnseenInWords } from './unseen.ts';

/** Text that is HTML already; anything else is escaped where it is put into some. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

/**
 * A text as HTML shows it. Characters that are not seen, or turn the direction of what follows, would let a name read as another or
 * rewrite the sentence it stands in, so they are shown as their code: `[U+202E]`.
 */
export const escaped = (text: string): string =>
  showUnseenInWords(
    text.replace(/[&<>"']/g, (character) => entities[character] ?? character),
    codeOf,
  );

type Part = Html | string | number | readonly Html[];

const textOf = (part: Part): string => {
  if (part instanceof Html) return part.text;
  return typeof part === 'object' ? part.map(({ text }) => text).join('') : escaped(String(part));
};

/** A template of HTML: what is put in is escaped, unless it is HTML itself. Attributes are to be quoted. */
export const html = (strings: TemplateStringsArray, ...parts: Part[]): Html =>
  new Html(
    strings.map((string, index) => string + (index < parts.length ? textOf(parts[index] as Part) : '')).join(''),
  );
