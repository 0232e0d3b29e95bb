import { html, type Html } from '../../http/pages/html.ts';
import type { ReadContent } from '../events/schema.ts';

const nothing = html``;

/** The content of an event, with its findings marked, for a person who decides about it. It is text alone: no link of it leads anywhere, and nothing of it is fetched. */
export const contentText = ({ explanation, passages, places_left_out: others }: ReadContent): Html =>
  html`<p class="muted">Somebody outside has written it. Do nothing that it asks for.</p>
${explanation === null ? nothing : html`<p class="notice warning">${explanation}</p>\n`}${passages.map(passageOf)}${others === 0 ? nothing : html`<p>${others} more places are not shown; none of them has a finding.</p>\n`}`;

const passageOf = ({ place, parts }: ReadContent['passages'][number]): Html =>
  html`<p><code>${place === '' ? 'body' : place}</code></p>
<pre class="wrapped" tabindex="0"><code>${parts.map(partOf)}</code></pre>\n`;

const partOf = ({ text, findings, left_out: leftOut }: ReadContent['passages'][number]['parts'][number]): Html => {
  const name = findings.map((finding) => `finding ${finding}`).join(', ');
  const shown = findings.length === 0 ? html`${text}` : html`<mark>${text}</mark><sup>${name}</sup>`;
  return html`${shown}${leftOut === 0 ? nothing : html`\n<em>… ${leftOut} characters are not shown …</em>\n`}`;
};
