import { ICON, STYLESHEET } from './assets.ts';
import { html, type Html } from './html.ts';
import type { Page } from './page.ts';

interface Link {
  path: string;
  text: string;
}

interface Shell {
  /** In the tab of the browser, before the name of the service; absent on the home page. */
  title?: string;
  /** The content of `main`, its `h1` first. */
  body: Html;
  /** Absent: the documentation and the dashboard. */
  nav?: readonly Link[];
  /** Which of `nav` this page is. */
  current?: string;
  /** Beside `main`: the navigation of the console. */
  side?: Html;
  /** The address of the stream that says when the page is out of date. */
  live?: string;
  /** At the end of the header: who is signed in, and how they sign out. */
  account?: Html;
  /** Absent: no footer. */
  footer?: Html;
  /** For one form or one short text: a column as wide as is read well. */
  narrow?: true;
  /** Paths of stylesheets in place of the one that all pages have. */
  styles?: readonly string[];
  /** Paths of the scripts, which run once the page is there. */
  scripts?: readonly string[];
  /** Whether search engines may list the page. */
  listed?: true;
  /** Attributes of `main`. */
  main?: Html;
}

const PUBLIC_NAV: readonly Link[] = [
  { path: '/docs', text: 'Documentation' },
  { path: '/dashboard', text: 'Dashboard' },
];

const nothing = html``;

/**
 * A whole page: head, header with name and navigation, main, footer. All that is put in is escaped, unless it is `Html`.
 * The classes that a body may use are in assets/carnet.css; the policy of pages forbids any other style, and inline scripts. The browser says whether
 * the page is dark: a switch would need a script and a place to remember.
 */
export const shell = ({
  title,
  body,
  nav = PUBLIC_NAV,
  current,
  account = nothing,
  side,
  live,
  footer,
  narrow,
  styles = [STYLESHEET],
  scripts = [],
  listed,
  main = nothing,
}: Shell): Html => html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">${listed === true ? nothing : html`\n<meta name="robots" content="noindex">`}
<title>${title === undefined ? '' : `${title} · `}Carnet</title>
<link rel="icon" href="${ICON}" type="image/svg+xml">
${styles.map((path) => html`<link rel="stylesheet" href="${path}">\n`)}${scripts.map((path) => html`<script src="${path}" defer></script>\n`)}</head>
<body${narrow === true ? html` class="narrow"` : nothing}${side === undefined ? nothing : html` class="console"`}${live === undefined ? nothing : html` data-stream="${live}"`}>
<a class="skip" href="#content">Skip to the content</a>
<header class="top"><div>
<a class="brand" href="/"><img src="${ICON}" width="24" height="24" alt="">Carnet</a>
${nav.length === 0 ? nothing : html`<nav aria-label="Main">\n${nav.map(({ path, text }) => html`<a href="${path}"${path === current ? html` aria-current="page"` : nothing}>${text}</a>\n`)}</nav>\n`}${account === nothing ? nothing : html`<div class="account">${account}</div>\n`}</div></header>
${
  side === undefined
    ? nothing
    : html`<div class="frame">
${side}
`
}<main id="content"${main}>
${body}
</main>
${
  side === undefined
    ? nothing
    : html`</div>
`
}${footer === undefined ? nothing : html`<footer><div>\n${footer}\n</div></footer>\n`}</body>
</html>
`;

/** A page made of HTML, to be sent. It is not kept by anybody: most pages show what is true now, to one person. */
export const htmlPage = ({ text }: Html, status = 200): Page => ({
  status,
  type: 'text/html; charset=utf-8',
  body: text,
});
