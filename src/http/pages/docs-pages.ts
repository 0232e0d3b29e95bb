import { readFile } from 'node:fs/promises';
import { openApiDocument } from '../openapi/document.ts';
import type { AnyRoute } from '../route.ts';
import { docsIntroduction } from './docs-introduction.ts';
import { Tags } from '../openapi/tags.ts';
import { html, type Html } from './html.ts';
import { keptPage } from './kept-page.ts';
import { markdownOf } from './markdown-pages.ts';
import type { NamedPage, PathOfPage } from './page.ts';
import { shell } from './shell.ts';

/** Always asked for again, by its ETag: another release has another page and document. */
const ASKED_FOR = 'public, max-age=0';
const MINUTES = 'public, max-age=300';
/** Caches swagger-ui, which changes with its version. */
const HOUR = 'public, max-age=3600';

/**
 * The OpenAPI document, and swagger-ui reading it below a list of the calls. The document is made at the first request for it. No script or style is inline, and
 * nothing comes from elsewhere: the page works offline and under its policy (security-headers.ts).
 */
export function docsPages(publicBaseUrl: string, routes: AnyRoute[]): PathOfPage[] {
  const page = shell({
    title: 'API documentation',
    current: '/docs',
    listed: true,
    styles: ['/docs/swagger-ui.css', '/assets/docs.css'],
    scripts: ['/docs/swagger-ui-bundle.js', '/assets/docs.js'],
    body: html`${docsIntroduction(publicBaseUrl)}
${listOfCalls(routes)}
<div id="swagger-ui" hidden></div>`,
  });
  return [
    [
      '/openapi.json',
      kept('openapi', {
        type: 'application/json',
        cacheControl: ASKED_FOR,
        text: () => JSON.stringify(openApiDocument(routes)),
      }),
    ],
    ['/docs', kept('docs', { type: 'text/html; charset=utf-8', cacheControl: ASKED_FOR, text: () => page.text })],
    [
      '/assets/docs.css',
      file({ type: 'text/css; charset=utf-8', cacheControl: MINUTES, url: import.meta.resolve('./assets/docs.css') }),
    ],
    [
      '/assets/docs.js',
      file({
        type: 'text/javascript; charset=utf-8',
        cacheControl: MINUTES,
        url: import.meta.resolve('./assets/docs.js'),
      }),
    ],
    [
      '/docs/swagger-ui.css',
      file({
        type: 'text/css; charset=utf-8',
        cacheControl: HOUR,
        url: import.meta.resolve('swagger-ui-dist/swagger-ui.css'),
      }),
    ],
    [
      '/docs/swagger-ui-bundle.js',
      file({
        type: 'text/javascript; charset=utf-8',
        cacheControl: HOUR,
        url: import.meta.resolve('swagger-ui-dist/swagger-ui-bundle.js'),
      }),
    ],
    ...markdownOf(publicBaseUrl),
  ];
}

/**
 * All calls by tag, which are there with the page: swagger-ui needs seconds for the document, and takes the place of the list once it shows
 * them. Without scripts, and where the document does not come, the list stays.
 */
const listOfCalls = (routes: AnyRoute[]): Html => {
  const tagged = Map.groupBy(routes, ({ tag }) => tag);
  return html`<div id="calls">
${Object.entries(Tags).map(([tag, description]) => {
  const calls = tagged.get(tag as keyof typeof Tags) ?? [];
  return description === null || calls.length === 0
    ? html``
    : html`<h3>${tag}</h3>
<p class="muted">${description}</p>
<ul>
${calls.map(({ method, path, summary }) => html`<li><code>${method.toUpperCase()} ${path.replaceAll(/:(\w+)/g, '{$1}')}</code> ${summary}</li>\n`)}</ul>\n`;
})}</div>`;
};

const kept = (
  operation: string,
  { type, cacheControl, text }: { type: string; cacheControl: string; text: () => string },
): NamedPage => keptPage({ operation, type, cacheControl, load: () => Buffer.from(text()) });

const file = ({ type, cacheControl, url }: { type: string; cacheControl: string; url: string }): NamedPage =>
  keptPage({ operation: 'docs', type, cacheControl, load: () => readFile(new URL(url)) });
