import { readFile } from 'node:fs/promises';
import { openApiDocument } from '../openapi/document.ts';
import type { AnyRoute } from '../route.ts';
import type { NamedPage } from './page.ts';

const HOUR = 'public, max-age=3600';

/** No inline script or style, and nothing from elsewhere: the page works offline and under its policy (security-headers.ts). */
const page = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Carnet API</title>
    <link rel="stylesheet" href="/docs/swagger-ui.css">
    <link rel="icon" type="image/png" href="/docs/favicon-32x32.png">
  </head>
  <body>
    <div id="swagger-ui"></div>
    <script src="/docs/swagger-ui-bundle.js"></script>
    <script src="/docs/start.js"></script>
  </body>
</html>
`;

/** Without a validator address swagger-ui would send the document to one on the internet. */
const start = `window.ui = SwaggerUIBundle({ url: '/openapi.json', dom_id: '#swagger-ui', deepLinking: true, validatorUrl: null });
`;

/** The OpenAPI document, and swagger-ui reading it. The document is made at the first request for it. */
export function docsPages(routes: AnyRoute[]): [string, NamedPage][] {
  let document: string | undefined;
  return [
    [
      '/openapi.json',
      {
        operation: 'openapi',
        page: () => ({
          status: 200,
          type: 'application/json',
          body: (document ??= JSON.stringify(openApiDocument(routes))),
          cacheControl: 'public, max-age=0',
        }),
      },
    ],
    ['/docs', text('text/html; charset=utf-8', page)],
    ['/docs/start.js', text('text/javascript; charset=utf-8', start)],
    ['/docs/swagger-ui.css', file('text/css; charset=utf-8', import.meta.resolve('swagger-ui-dist/swagger-ui.css'))],
    [
      '/docs/swagger-ui-bundle.js',
      file('text/javascript; charset=utf-8', import.meta.resolve('swagger-ui-dist/swagger-ui-bundle.js')),
    ],
    ['/docs/favicon-32x32.png', file('image/png', import.meta.resolve('swagger-ui-dist/favicon-32x32.png'))],
  ];
}

const text = (type: string, body: string): NamedPage => ({
  operation: 'docs',
  page: () => ({ status: 200, type, body, cacheControl: HOUR }),
});

function file(type: string, url: string): NamedPage {
  let content: Promise<Buffer> | undefined;
  return {
    operation: 'docs',
    page: async () => ({ status: 200, type, body: await (content ??= readFile(new URL(url))), cacheControl: HOUR }),
  };
}
