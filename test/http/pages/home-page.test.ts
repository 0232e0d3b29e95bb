import assert from 'node:assert/strict';
import { completeConfig, readSettings } from '../../../src/context/config.ts';
import { homePages } from '../../../src/http/pages/home-page.ts';
import { noPreferences, type Page } from '../../../src/http/pages/page.ts';
import { assertStatus } from '../../support/service.ts';
import { openShell, type Shell } from '../support/shell.ts';
import { things } from '../support/things.ts';

describe('GET /', () => {
  let shell: Shell;

  before(async () => {
    shell = await openShell({
      routes: things,
      settings: {
        PUBLIC_BASE_URL: 'https://carnet.example.test/a"b<c',
        TEMPORAL_UI_URL: 'https://temporal.example.test/?a="b&c=<d>',
      },
    });
  });
  after(() => shell.close());

  it('is a page with a call to copy and where to go on', async () => {
    const { status, headers, text } = await shell.anonymous.get('/');
    assert.deepEqual([status, headers.get('content-type')], [200, 'text/html; charset=utf-8']);
    assert(text.includes('curl https://carnet.example.test/a&quot;b&lt;c/v1/operators/me'));
    for (const address of [
      '/docs',
      '/dashboard',
      '/docs/mcp.md',
      '/docs/sdk.md',
      '/AGENTS.md',
      '/openapi.json',
      '/readyz',
      'https://temporal.example.test/?a=&quot;b&amp;c=&lt;d&gt;',
    ])
      assert(text.includes(`<a href="${address}">`), address);
    assert.doesNotMatch(text, /credentials\.json/, 'others reach this instance');
    assert.match(text, /An administrator of your operator makes the key/);
  });

  it('names no file of keys where none is written, on this machine either', () => {
    const settings = readSettings({
      LOCAL_PROVIDERS: 'true',
      PUBLIC_BASE_URL: 'http://localhost:1',
      DATA_DIR: '/data',
    });
    const config = completeConfig(settings, {
      databaseUrl: 'postgres://localhost/none',
      temporalAddress: 'localhost:1',
      platformAdminKey: 'x'.repeat(24),
      encryptionKeys: [Buffer.alloc(32)],
    });
    const [[, home] = assert.fail()] = homePages(config);
    const { body } = home.page({ id: '', ...noPreferences }) as Page;
    assert.match(String(body), /An administrator of your operator makes the key/);
    assert.doesNotMatch(String(body), /credentials\.json/);
  });

  it('is an index of addresses to programs that prefer JSON', async () => {
    const reply = await shell.anonymous.get('/', { accept: 'application/json' });
    const base = 'https://carnet.example.test/a"b<c';
    assert.deepEqual(assertStatus(reply, 200), {
      name: 'Carnet',
      description: 'Identity, work, money and evidence for AI agents.',
      api: `${base}/v1`,
      mcp: `${base}/mcp`,
      agents: `${base}/AGENTS.md`,
      openapi: `${base}/openapi.json`,
      documentation: `${base}/docs`,
      dashboard: `${base}/dashboard`,
      health: `${base}/readyz`,
      temporal_ui: 'https://temporal.example.test/?a="b&c=<d>',
    });
    assert.equal(reply.headers.get('vary'), 'Accept');
    assert.equal(reply.headers.get('content-type'), 'application/json');
  });

  it('may be kept, each form by its ETag', async () => {
    const [page, index] = await Promise.all([
      shell.anonymous.get('/'),
      shell.anonymous.get('/', { accept: 'application/json' }),
    ]);
    const etag = page.headers.get('etag') ?? '';
    assert.notEqual(etag, index.headers.get('etag'));
    assert.equal((await shell.anonymous.get('/', { 'if-none-match': etag })).status, 304);
    const other = await shell.anonymous.get('/', { accept: 'application/json', 'if-none-match': etag });
    assert.equal(other.status, 200);
  });

  it('names no Temporal UI where none is known, and on this machine where the keys are', async () => {
    const local = await openShell({ routes: things, settings: { DATA_DIR: '/srv/carnet data' } });
    try {
      const { text } = await local.anonymous.get('/');
      assert.doesNotMatch(text, /Temporal/);
      assert(text.includes('<code>/srv/carnet data/credentials.json</code>'));
      const { body } = await local.anonymous.get('/', { accept: 'application/json' });
      assert(!('temporal_ui' in body));
    } finally {
      await local.close();
    }
  });

  it('links to no script: the address of the Temporal UI is one of the web', () => {
    assert.throws(() => readSettings({ TEMPORAL_UI_URL: 'javascript:alert(1)' }), /TEMPORAL_UI_URL must be a URL/);
  });

  it('takes no other method, and a program is refused there with a problem', async () => {
    const reply = await shell.anonymous.post('/', {}, { accept: 'application/json' });
    assert.deepEqual([reply.status, reply.body.code], [405, 'METHOD_NOT_ALLOWED']);
    const page = await shell.anonymous.post('/', {});
    assert.deepEqual([page.status, page.headers.get('content-type')], [405, 'text/html; charset=utf-8']);
  });
});
