import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ChromiumVisitor } from '../../support/chromium-visitor.ts';
import { chromium } from '../../support/chromium.ts';
import { PATIENCE_MS } from '../../support/pasted.ts';

const page = (body: string): string =>
  `<!doctype html><html lang="en"><head><title>x</title><meta name="viewport" content="width=device-width"></head>
<body><main><h1>A page</h1>${body}</main></body></html>`;

/** Pages with one fault each, and the words in which a test of the pages fails. */
const faults: readonly [title: string, body: string, words: RegExp][] = [
  ['a field without a label', '<input name="x">', /axe finds .*label: <input name="x">/s],
  ['text that is hard to read', '<p class="faint">Hello</p>', /axe finds .*color-contrast/s],
  ['a page that is wider than the window', '<p class="wide">Hello</p>', /px wide in 360 px/],
  ['an inline script, which the policy refuses', '<script>1</script>', /Content Security Policy/],
  ['an error of a script', '<script src="/fails.js"></script>', /Error: it fails/],
  ['an image that is missing', '<img src="/missing.png" alt="">', /404 http.*missing\.png/],
];

const STYLE = '<link rel="stylesheet" href="/style.css">';
const files: Readonly<Record<string, [type: string, text: string]>> = {
  '/style.css': ['text/css', '.faint { color: #ddd } .wide { width: 500px }'],
  '/fails.js': ['text/javascript', "throw new Error('it fails')"],
};

describe('A visit in Chromium', function () {
  this.timeout(PATIENCE_MS);
  let server: Server;
  let baseUrl: string;
  before(async () => {
    server = createServer(({ url = '' }, response) => {
      const file = files[url];
      const fault = faults.find((_, n) => url === `/${n}`);
      const [type, text] = file ?? ['text/html', page(`${STYLE}${fault?.[1] ?? ''}`)];
      response.setHeader('content-security-policy', "default-src 'self'");
      response.writeHead(file === undefined && fault === undefined ? 404 : 200, { 'content-type': type }).end(text);
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  after(() => {
    server.close();
    server.closeAllConnections();
  });

  for (const [n, [title, , words]] of faults.entries())
    it(`fails for ${title}`, async () => {
      const browser = await chromium();
      if (browser === null) return; // the checks of HTML alone have other words
      const way = { scripts: true, hand: 'mouse', width: 360, scheme: 'light' } as const;
      const visitor = await ChromiumVisitor.arrive(browser, way, baseUrl);
      await assert.rejects(async () => {
        await visitor.open(`/${n}`);
        await visitor.assertUsable();
        await visitor.close();
      }, words);
    });
});
