import { html, type Html } from '../http/pages/html.ts';
import { showUnseen } from '../http/pages/unseen.ts';
import type { JsonValue } from '../json/value.ts';

/** Characters of a text that are shown among others; on its own page it is shown whole. */
const SHOWN_AMONG_OTHERS = 4_000;

/** Members whose value opens something to every reader. */
const SECRET = /(?:^|_)secret$/;

const withoutSecrets = (name: string, value: unknown): unknown =>
  SECRET.test(name) && typeof value === 'string' ? `(set; ${value.length} characters, not shown)` : value;

const codeOf = (character: string): string =>
  character === '\n'
    ? character
    : character
        .split('')
        .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
        .join('');

/**
 * JSON as a person reads it who decides about it: on lines of its own, secrets by their length alone, and what is not seen as its code.
 * A person must know that a secret is set; its value is no part of what they decide, and pages are seen over shoulders and in
 * screenshots.
 */
export const readable = (value: unknown): string => showUnseen(JSON.stringify(value, withoutSecrets, 2), codeOf);

/** A text that is shown, and whether that is all of it. */
interface Excerpt {
  text: Html;
  whole: boolean;
}

/** @param whole however long it is */
export function excerptOf(value: JsonValue, { whole }: { whole: boolean }): Excerpt {
  const text = readable(value);
  if (whole || text.length <= SHOWN_AMONG_OTHERS) return { text: block(text), whole: true };
  return { text: html`${block(text.slice(0, SHOWN_AMONG_OTHERS).toWellFormed())}<p>…</p>`, whole: false };
}

const block = (text: string): Html => html`<pre class="wrapped" tabindex="0"><code>${text}</code></pre>`;

/** The title of a card: right below that of the page where the card is the page, else below that of a list. */
export const heading = (title: Html | string, { whole }: { whole: boolean }): Html =>
  whole ? html`<h2>${title}</h2>` : html`<h3>${title}</h3>`;

/** A sentence whose words of the API stand between backticks. */
export const sentence = (text: string): Html =>
  html`${text.split('`').map((part, at) => (at % 2 === 0 ? html`${part}` : html`<code>${part}</code>`))}`;
