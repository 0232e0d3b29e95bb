import { audiences, type Audience } from '../auth/audience.ts';
import type { AnyRoute } from '../route.ts';
import { escaped } from './html.ts';
import type { NamedPage } from './page.ts';

/** Until the console exists: a plain page with the calls to make. */
export function dashboardPages(baseUrl: string, routes: AnyRoute[]): [string, NamedPage][] {
  const body = pageOf(baseUrl, routes);
  return [
    ['/dashboard', { operation: 'dashboard', page: () => ({ status: 200, type: 'text/html; charset=utf-8', body }) }],
  ];
}

const callersOf = (audience: Audience): string => (audience === 'public' ? 'anyone' : audiences[audience].callers);

function pageOf(baseUrl: string, routes: AnyRoute[]): string {
  const tags = [...new Set(routes.map((route) => route.tag))];
  const rows = (tag: string): string =>
    routes
      .filter((route) => route.tag === tag)
      .map(
        ({ method, path, summary, audience }) =>
          `<tr><td><code>${method.toUpperCase()} ${escaped(path)}</code><td>${escaped(summary)}<td>${callersOf(audience)}`,
      )
      .join('\n');
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Carnet</title>
<h1>Carnet</h1>
<p><a href="/dashboard/sign-in">Sign in</a> to decide what waits for a person.
<p>The calls to make, with the key of an operator or an agent. <a href="/docs">Try them with their bodies</a>, or read the <a href="/openapi.json">OpenAPI document</a>.
<pre>curl -H "Authorization: Bearer $API_KEY" ${escaped(baseUrl)}/v1/operators/me</pre>
${tags.map((tag) => `<h2>${escaped(tag)}</h2>\n<table>\n<tr><th>Call<th>What it does<th>Who may\n${rows(tag)}\n</table>`).join('\n')}
</html>
`;
}
