import type { CarnetError } from '../../errors/carnet-error.ts';
import { ErrorCodes } from '../../errors/codes.ts';
import { html, type Html } from './html.ts';
import { shell } from './shell.ts';

/**
 * An error for a person in front of a browser: what was wrong, what to do, and by what the people who run the service find it in the log. The
 * address is not on the page: that of a payment page opens it.
 */
export function errorContent(error: CarnetError, requestId: string): { title: string; body: Html } {
  const [status, title] = ErrorCodes[error.code];
  const { errors: faults = [] } = error;
  const what =
    faults.length < 2
      ? html`<p>${status === 500 ? 'The fault is ours, and it was recorded under the request id below.' : error.message}</p>`
      : html`<ul>\n${faults.map(({ path, message }) => html`<li><code>${path}</code> ${message}</li>\n`)}</ul>`;
  return {
    title,
    body: html`<p class="muted">Error ${status}</p>
<h1>${title}</h1>
${what}
<p>${adviceOf(error)}</p>
<dl class="facts small">
<dt>Code</dt><dd><code>${error.code}</code></dd>
<dt>Request id</dt><dd><code>${requestId}</code></dd>
</dl>`,
  };
}

/** The error where no page says in which frame it stands. */
export const errorPage = (content: { title: string; body: Html }): Html => shell({ ...content, narrow: true });

const home = html`<a href="/">Go to the home page</a>`;

/** Tells a person what to do about it. */
function adviceOf({ status, headers, code }: CarnetError): Html {
  if (code === 'OPERATOR_SUSPENDED')
    return html`<a href="/dashboard/switch">Switch to another operator</a> of yours, or <a href="/dashboard/sign-in">sign in</a> as somebody else. ${home}.`;
  const { 'Retry-After': seconds = 'a few' } = headers;
  const later = html`Wait ${seconds} seconds, then load the page again.`;
  switch (status) {
    case 401:
      return html`<a href="/dashboard/sign-in">Sign in</a>, then open the page again. Programs send an API key instead.`;
    case 403:
      return html`<a href="/dashboard/sign-in">Sign in</a> as somebody who may do this, or have them do it. ${home}.`;
    case 404:
      return html`Look whether the address is complete. ${home}, or read <a href="/docs">the documentation</a>.`;
    case 405:
      return html`Go back, and use the links and buttons of the page that you came from. ${home}.`;
    case 410:
      return html`It does not come back: ask for another one where you got the address. ${home}.`;
    case 429:
    case 503:
      return later;
    case 500:
      return html`Load the page again. If the fault stays, give the request id below to the people who run this service.`;
    default:
      return html`Go back, change what is wrong, and try again.`;
  }
}
