import assert from 'node:assert/strict';
import { eventually } from '../../support/eventually.ts';
import { assertProblem, assertStatus, type Reply, type Requester } from '../../support/service.ts';
import { newAdmin, openShell, type Shell } from '../support/shell.ts';
import { things } from '../support/things.ts';

describe('pages of the service', () => {
  let shell: Shell;
  let anonymous: Requester;
  let temporal: 'ok' | 'degraded' = 'ok';

  before(async () => {
    shell = await openShell({ routes: things, health: { temporalHealth: () => temporal } });
    ({ anonymous } = shell);
    const worker = async () => (await anonymous.get('/readyz')).body.worker === 'ok';
    await eventually('the first round of the worker of the suite', worker);
  });
  after(() => shell.close());

  it('GET /livez says that the process runs', async () => {
    assert.deepEqual(assertStatus(await anonymous.get('/livez'), 200), { status: 'ok' });
  });

  for (const path of ['/readyz', '/healthz']) {
    it(`GET ${path} is 200 while the database answers, with or without Temporal`, async () => {
      temporal = 'ok';
      assert.deepEqual(assertStatus(await anonymous.get(path), 200), {
        status: 'ok',
        database: 'ok',
        temporal: 'ok',
        worker: 'ok',
      });
      temporal = 'degraded';
      assert.deepEqual(assertStatus(await anonymous.get(path), 200), {
        status: 'ok',
        database: 'ok',
        temporal: 'degraded',
        worker: 'ok',
      });
    });
  }

  it('GET /readyz is 503 without the database, and calls say so', async () => {
    const cut = await openShell({ routes: things });
    const admin = await newAdmin(cut);
    await cut.context.pool.end();
    try {
      assert.equal((await cut.anonymous.get('/readyz')).status, 503);
      assert.equal((await cut.anonymous.get('/livez')).status, 200);
      assert.equal(
        (await cut.anonymous.get('/v1/things/thg_1', { authorization: `Bearer ${admin.key}x` })).status >= 500,
        true,
      );
    } finally {
      await cut.close().catch(() => {});
    }
  });

  it('GET /metrics counts answers by operation and status, and watches the process', async () => {
    const admin = await newAdmin(shell);
    await admin.get('/v1/things/thg_metrics');
    await anonymous.get('/v1/things/thg_metrics');
    const { text, headers } = await anonymous.get('/metrics');
    assert.match(headers.get('content-type') ?? '', /^text\/plain; version=0\.0\.4/);
    assert.match(text, /^carnet_http_request_duration_seconds_count\{operation="readThing",status="200"\} [1-9]/m);
    assert.match(text, /^carnet_http_request_duration_seconds_count\{operation="readThing",status="401"\} [1-9]/m);
    const bucket = (limit: string) =>
      new RegExp(
        `^carnet_http_request_duration_seconds_bucket\\{operation="readThing",status="200",le="${limit}"\\} (\\d+)$`,
        'm',
      ).exec(text)?.[1];
    assert(bucket('0\\.1') !== undefined, 'answers are counted by how long they took');
    assert(Number(bucket('\\+Inf')) > 0, 'however long that was');
    assert.match(text, /^process_resident_memory_bytes \d{7,}$/m);
    assert.match(text, /^process_cpu_seconds_total \d/m);
    assert.doesNotMatch(text, /thg_metrics/);
  });

  it('GET /openapi.json is the document of these routes, and may be kept', async () => {
    const reply = await anonymous.get('/openapi.json');
    const { paths } = assertStatus(reply, 200) as { paths: Record<string, Record<string, unknown>> };
    assert.deepEqual(Object.keys(paths['/v1/things/{id}'] ?? {}).toSorted(), ['delete', 'get', 'patch']);
    const again = await anonymous.get('/openapi.json', { 'if-none-match': reply.headers.get('etag') ?? '' });
    assert.equal(again.status, 304);
  });

  for (const [path, type] of [
    ['/assets/carnet.css', 'text/css; charset=utf-8'],
    ['/favicon.svg', 'image/svg+xml'],
    ['/favicon.ico', 'image/x-icon'],
  ] as const) {
    it(`GET ${path} may be kept, and is asked for again by its ETag`, async () => {
      const { status, headers, text } = await anonymous.get(path);
      assert.deepEqual([status, headers.get('content-type')], [200, type]);
      assert.match(headers.get('cache-control') ?? '', /^public, max-age=\d+$/);
      const again = await anonymous.get(path, { 'if-none-match': headers.get('etag') ?? '' });
      assert.deepEqual([again.status, again.text], [304, '']);
      const head = await fetch(shell.baseUrl + path, { method: 'HEAD' });
      assert.deepEqual([head.status, await head.text()], [200, '']);
      assert(text.length > 100);
    });
  }

  const addressesIn = (page: string): string[] =>
    [...page.matchAll(/(?:src|href|action)\s*=\s*["']?([^"'\s>]+)/g)].map(([, address]) => address as string);

  for (const path of ['/', '/docs', '/dashboard/sign-in']) {
    describe(`GET ${path}`, () => {
      let page: Reply;

      before(async () => {
        page = await anonymous.get(path);
        assertStatus(page, 200);
      });

      it('has no script or style inside, and nothing from elsewhere', () => {
        assert.match(page.headers.get('content-type') ?? '', /^text\/html/);
        assert.doesNotMatch(page.text, /<script(?![^>]*\ssrc=)|<style|\sstyle=|\son\w+=|javascript:/i);
        for (const address of addressesIn(page.text))
          assert.match(address, /^(?:\/(?!\/)|#)/, `${address} is of elsewhere`);
      });

      it('is bound to that by its policy', () => {
        const policy = page.headers.get('content-security-policy') ?? '';
        assert.match(policy, /default-src 'none'/);
        assert.match(policy, /script-src 'self'(;|$)/);
        assert.match(policy, /style-src 'self'(;|$)/);
        assert.doesNotMatch(policy, /unsafe|https?:|\*/);
      });

      it('is framed by nobody, and is answered to HEAD', async () => {
        assert.match(page.headers.get('content-security-policy') ?? '', /frame-ancestors 'none'/);
        assert.equal(page.headers.get('x-frame-options'), 'DENY');
        const head = await fetch(shell.baseUrl + path, { method: 'HEAD' });
        assert.deepEqual([head.status, await head.text()], [200, '']);
        assert.equal(head.headers.get('content-type'), page.headers.get('content-type'));
      });

      it('links to what is there', async () => {
        const addresses = addressesIn(page.text);
        assert(addresses.length > 1);
        for (const address of addresses) assert.equal((await fetch(shell.baseUrl + address)).status, 200, address);
      });
    });
  }

  it('GET /docs introduces what holds for every call, and says where the key is kept', async () => {
    const { text } = await anonymous.get('/docs');
    for (const word of ['Bearer', 'Idempotency-Key', 'Prefer: wait', 'problem+json', 'next_cursor', 'local storage'])
      assert(text.includes(word), word);
  });

  it('GET /docs has each call that is public in a list, so that it waits for neither script nor document', async () => {
    const { text } = await anonymous.get('/docs');
    const [, list = ''] =
      /<div id="calls">([^]*)<\/div>\s*<div id="swagger-ui" hidden><\/div>\s*<\/main>/.exec(text) ?? [];
    const listed = [...list.matchAll(/<li><code>([A-Z]+ [^<]+)<\/code> ([^<]+)<\/li>/g)].map(([, call, summary]) => [
      call,
      summary,
    ]);
    const { body } = await anonymous.get<{
      paths: Record<string, Record<string, { summary: string; tags: string[] }>>;
      tags: { name: string }[];
    }>('/openapi.json');
    const expected = Object.entries(body.paths).flatMap(([path, methods]) =>
      Object.entries(methods)
        .filter(([, { tags }]) => body.tags.some(({ name }) => tags.includes(name)))
        .map(([method, { summary }]) => [`${method.toUpperCase()} ${path}`, summary]),
    );
    const sorted = (calls: unknown[][]) => calls.map((call) => call.join(' ')).toSorted();
    assert(expected.length > 0);
    assert.deepEqual(sorted(listed), sorted(expected));
    for (const { name } of body.tags) assert(list.includes(`<h3>${name}</h3>`), name);
  });

  it('GET /docs starts swagger-ui with the document of this service and a filter, and asks no validator', async () => {
    const { text, headers } = await anonymous.get('/assets/docs.js');
    assert.match(headers.get('content-type') ?? '', /^text\/javascript/);
    for (const option of [
      "url: '/openapi.json'",
      "docExpansion: 'none'",
      'filter: true',
      'persistAuthorization: true',
      'validatorUrl: null',
    ])
      assert(text.includes(option), option);
    assert.doesNotMatch(text, /https?:/);
  });

  it('GET of a file that swagger-ui has beside is 404', async () => {
    for (const path of ['/docs/package.json', '/docs/../package.json', '/docs/%2e%2e/package.json', '/docs/']) {
      assertProblem(await anonymous.get(path), 'NOT_FOUND');
    }
  });
});
