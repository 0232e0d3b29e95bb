import type { CarnetError } from '../errors/carnet-error.ts';
import { html, type Html } from '../http/pages/html.ts';
import type { Page } from '../http/pages/page.ts';
import { htmlPage, shell } from '../http/pages/shell.ts';
import { CONSOLE_SCRIPT } from './assets.ts';
import { liveAddress } from './live.ts';
import { HOME, sections } from './places.ts';
import { decides, focused, noticeOf, type PersonsVisit } from './visits.ts';

const nothing = html``;

export const signOutForm = html`<form method="post" action="${HOME}/sign-out"><button class="plain">Sign out</button></form>`;

/** The link of the navigation that a page stands under: the longest path that its own begins with; none where it has none. */
function current(path: string): string {
  const paths = sections.flatMap(({ pages }) => pages.map((page) => page.path));
  return (
    paths.filter((one) => path === one || path.startsWith(`${one}/`)).toSorted((a, b) => b.length - a.length)[0] ?? path
  );
}

const link = (path: string, text: string, at: string): Html =>
  html`<li><a href="${path}"${path === at ? html` aria-current="page"` : nothing}>${text}</a></li>\n`;

/** Sections fold, so that few links stand there at first, and a member is shown no page that the API refuses to them. */
function navigation(person: PersonsVisit, path: string): Html {
  const at = current(path);
  const shown = sections.filter(({ platform }) => platform !== true || person.caller.platform);
  const parts = shown.map(({ title, open, pages }) => {
    const allowed = pages.filter(({ administrators }) => administrators !== true || decides(person));
    const isOpen = open === true || allowed.some((page) => page.path === at);
    return html`<li><details${isOpen ? html` open` : nothing}><summary class="section">${title}</summary>
<ul>
${allowed.map((page) => link(page.path, page.text, at))}</ul></details></li>
`;
  });
  return html`<nav class="side" aria-label="Console">
<details class="menu">
<summary>Menu</summary>
<form class="search" role="search" action="${HOME}/search"><label><span class="hidden">Find an id or a name</span><input name="q" type="search" placeholder="Find an id or a name" maxlength="100" autocomplete="off" data-key="/"></label></form>
<ul>
${link(HOME, 'Home', at)}${parts}</ul>
</details>
</nav>`;
}

interface PersonsPage {
  title: string;
  /** Its `h1` first. */
  body: Html;
  /** The path of the page, for the navigation; absent: that of the first page. */
  path?: string;
  refusal?: CarnetError | undefined;
  /** Ids whose changes bring the page up to date while it is open, and whether a look each quarter of a minute does. */
  live?: { ids: readonly string[]; looks?: true } | undefined;
  /** Addresses of scripts of this page alone. */
  scripts?: readonly string[] | undefined;
  /** It answers an act by its content, so the reader goes on there. */
  answers?: boolean;
}

/** A page of the console, with who is signed in. What is live is all within `main`. */
export function personsPage(
  person: PersonsVisit,
  { title, body, path = HOME, refusal, live, scripts = [], answers = false }: PersonsPage,
): Page {
  const { member, operator } = person.session;
  return {
    ...htmlPage(
      shell({
        title,
        nav: [{ path: '/docs', text: 'Documentation' }],
        account: html`<strong>${operator.name}</strong> <span class="address">${member.email}</span>\n<a href="${HOME}/switch">Switch operator</a>\n${signOutForm}`,
        side: navigation(person, path),
        scripts: [CONSOLE_SCRIPT, ...scripts],
        ...(answers && { main: focused }),
        ...(live !== undefined && { live: liveAddress(person, live) }),
        body: html`${refusal === undefined ? nothing : noticeOf(refusal, focused)}${body}`,
      }),
      refusal?.status,
    ),
    headers: refusal?.headers ?? {},
  };
}
