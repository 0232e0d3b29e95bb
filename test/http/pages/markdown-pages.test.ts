import assert from 'node:assert/strict';
import { routes } from '../../../src/process/routes.ts';
import { assertProblem, type Requester } from '../../support/service.ts';
import { openShell, type Shell } from '../support/shell.ts';

describe('texts for agents', () => {
  let shell: Shell;
  let anonymous: Requester;
  const text = async (path: string, headers = {}) => await fetch(shell.baseUrl + path, { headers });

  before(async () => {
    shell = await openShell({ routes });
    ({ anonymous } = shell);
  });
  after(() => shell.close());

  /** The pages of this service that a text links to, as paths. */
  const linked = (markdown: string, path: string): string[] => {
    const base = shell.context.config.publicBaseUrl;
    return [...markdown.matchAll(/\]\(([^)\s]+)\)/g)]
      .map(([, target = '']) => new URL(target, base + path))
      .filter((url) => url.origin === new URL(base).origin)
      .map(({ pathname }) => pathname);
  };

  it('GET /llms.txt and /AGENTS.md lead to pages that are there, and those to one another', async () => {
    const seen = new Set(['/llms.txt', '/AGENTS.md']);
    for (const path of seen) {
      const response = await text(path);
      assert.equal(response.status, 200, path);
      if (/markdown|llms/.test(`${response.headers.get('content-type')}${path}`))
        for (const target of linked(await response.text(), path)) seen.add(target);
    }
    assert(seen.has('/docs/glossary.md') && seen.has('/openapi.json') && seen.size > 25);
  });

  for (const [path, type] of [
    ['/llms.txt', 'text/plain; charset=utf-8'],
    ['/AGENTS.md', 'text/markdown; charset=utf-8'],
    ['/docs/api.md', 'text/markdown; charset=utf-8'],
  ] as const)
    it(`GET ${path} is text with an ETag`, async () => {
      const first = await text(path);
      assert.equal(first.headers.get('content-type'), type);
      assert.match(await first.text(), /^# /);
      const etag = first.headers.get('etag') ?? '';
      assert.equal((await text(path, { 'if-none-match': etag })).status, 304);
    });

  it('GET of any other document is 404', async () => {
    const paths = ['..%2fREADME', '%2e%2e/README', '../package.json', 'api.md/'];
    for (const name of ['decisions', 'benchmarks', 'none', 'API', 'toString', ...paths])
      assertProblem(await anonymous.get(`/docs/${name}.md`), 'NOT_FOUND');
  });

  it('GET /docs links to each document', async () => {
    const page = await (await text('/docs')).text();
    for (const path of linked(await (await text('/llms.txt')).text(), '/llms.txt').filter((one) => one.endsWith('.md')))
      assert(page.includes(`href="${path}"`), path);
  });
});
