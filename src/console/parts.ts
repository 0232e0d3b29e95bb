import { html, type Html } from '../http/pages/html.ts';
import { moment } from '../http/pages/moment.ts';

const nothing = html``;

/** How a state of the API is shown: each word of a status has one tone everywhere. */
const tones: Readonly<Record<string, 'good' | 'warning' | 'error' | 'info'>> = {
  active: 'good',
  approved: 'good',
  allowed: 'good',
  clean: 'good',
  completed: 'good',
  consumed: 'good',
  delivered: 'good',
  done: 'good',
  fulfilled: 'good',
  paid: 'good',
  succeeded: 'good',
  verified: 'good',
  valid: 'good',
  forwarded: 'good',
  released: 'good',
  open: 'info',
  pending: 'info',
  processing: 'info',
  running: 'info',
  sending: 'info',
  waiting: 'info',
  invited: 'info',
  received: 'info',
  draft: 'info',
  pending_review: 'info',
  flagged: 'warning',
  held: 'warning',
  unknown: 'warning',
  expired: 'warning',
  suspended: 'warning',
  unlisted: 'warning',
  disabled: 'warning',
  quarantined: 'warning',
  disputed: 'warning',
  critical: 'error',
  blocked: 'error',
  failed: 'error',
  rejected: 'error',
  revoked: 'error',
  refused: 'error',
  lost: 'error',
  cancelled: 'warning',
};

/** @param state a word of the API, `pending_review` say */
export function badge(state: string, tone: string | undefined = tones[state]): Html {
  const words = state.replaceAll('_', ' ');
  return html`<span class="badge${tone === undefined ? '' : ` ${tone}`}">${words}</span>`;
}

/** A list of terms; a term whose value is null is left out. */
export const facts = (terms: readonly (readonly [term: string, value: Html | string | number | null])[]): Html =>
  html`<dl class="facts">
${terms.flatMap(([term, value]) => (value === null ? [] : [html`<dt>${term}</dt><dd>${value}</dd>\n`]))}</dl>
`;

/** Where there is a moment; else the word. */
export const momentOr = (iso: string | null | undefined, otherwise = '–'): Html =>
  iso === null || iso === undefined ? html`${otherwise}` : moment(iso);

export const empty = (words: Html | string): Html => html`<p class="empty">${words}</p>\n`;

/** A text to be copied whole, by a button where scripts run. */
export const copyable = (text: string): Html =>
  html`<div class="copyable"><pre class="wrapped" tabindex="0"><code data-copy>${text}</code></pre></div>\n`;

/** A secret that nobody is shown again, a key say. */
export const shownOnce = (what: string, secret: string): Html =>
  html`<div class="notice warning" role="status"><p><strong>${what} is shown this once.</strong> Copy it now.</p>
${copyable(secret)}</div>
`;

/** Without this box a form that cannot be undone is not sent. */
export const sure = (words: string): Html =>
  html`<label><input type="checkbox" name="sure" value="true" required><span>${words}</span></label>\n`;

/** A section of a long page, which unfolds. @param open what was typed in it was refused, or the reader is amid it */
export const folded = (title: string, content: Html, { open = false }: { open?: boolean } = {}): Html =>
  html`<details class="card"${open ? html` open` : nothing}><summary>${title}</summary>
${content}</details>
`;

/** The figures at the head of a page. */
export const figures = (
  label: string,
  all: readonly (readonly [what: string, figure: Html | string | number])[],
): Html =>
  html`<ul class="cards figures" aria-label="${label}">
${all.map(([what, figure]) => html`<li class="card"><span class="muted">${what}</span> <span class="figure">${figure}</span></li>\n`)}</ul>
`;

/** The tabs of a page: links to it, of which one is shown. */
export const tabs = (label: string, all: readonly { href: string; text: string; current: boolean }[]): Html =>
  html`<nav class="tabs" aria-label="${label}">
${all.map(({ href, text, current }) => html`<a href="${href}"${current ? html` aria-current="page"` : nothing}>${text}</a>\n`)}</nav>
`;

/** A column of a table. */
export interface Column<Row> {
  title: string;
  cell(row: Row): Html | string | number;
  /** As CSV has it; absent: the column is not in it. */
  text?(row: Row): string | number | null;
  /** The column has amounts, which stand to the right. */
  amount?: true;
}

export const table = <Row>(label: string, columns: readonly Column<Row>[], rows: readonly Row[]): Html =>
  html`<div class="scroll" tabindex="0" role="region" aria-label="${label}"><table>
<thead><tr>${columns.map(({ title, amount }) => html`<th scope="col"${amount === true ? html` class="amount"` : nothing}>${title}</th>`)}</tr></thead>
<tbody>
${rows.map((row) => html`<tr>${columns.map(({ cell, amount }) => html`<td${amount === true ? html` class="amount"` : nothing}>${cell(row)}</td>`)}</tr>\n`)}</tbody>
</table></div>
`;
