import assert from 'node:assert/strict';
import { request, type IncomingHttpHeaders } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { openShell, type Shell } from '../support/shell.ts';
import { things } from '../support/things.ts';

const decoded: Record<string, (bytes: Buffer) => Buffer> = {
  br: (bytes) => brotliDecompressSync(bytes),
  gzip: (bytes) => gunzipSync(bytes),
};

describe('pages that stay the same', () => {
  let shell: Shell;

  before(async () => {
    shell = await openShell({ routes: things });
  });
  after(() => shell.close());

  /** The bytes as they come: fetch would decode them. */
  const get = (path: string, headers: IncomingHttpHeaders, method = 'GET') =>
    new Promise<{ status: number | undefined; headers: IncomingHttpHeaders; bytes: Buffer }>((resolve, reject) => {
      request(shell.baseUrl + path, { method, headers, agent: false }, (response) => {
        buffer(response).then(
          (bytes) => resolve({ status: response.statusCode, headers: response.headers, bytes }),
          reject,
        );
      })
        .on('error', reject)
        .end();
    });

  for (const path of ['/openapi.json', '/docs', '/docs/swagger-ui.css', '/assets/carnet.css', '/favicon.svg'])
    it(`GET ${path} is compressed as the client takes it, each form with an ETag of its own`, async () => {
      const plain = await get(path, {});
      assert.equal(plain.headers['content-encoding'], undefined);
      assert.equal(plain.headers.vary, 'Accept-Encoding');
      const etags = new Set([plain.headers.etag]);
      for (const [coding, accepted] of [
        ['br', 'gzip, deflate, br, zstd'],
        ['gzip', 'gzip'],
      ] as const) {
        const { headers, bytes } = await get(path, { 'accept-encoding': accepted });
        assert.deepEqual([headers['content-encoding'], headers.vary], [coding, 'Accept-Encoding']);
        assert.equal(headers['content-length'], String(bytes.length));
        assert.deepEqual(decoded[coding]?.(bytes), plain.bytes);
        etags.add(headers.etag);
        const again = await get(path, { 'accept-encoding': accepted, 'if-none-match': headers.etag });
        assert.deepEqual([again.status, again.bytes.length, again.headers.vary], [304, 0, 'Accept-Encoding']);
        const head = await get(path, { 'accept-encoding': accepted }, 'HEAD');
        assert.deepEqual([head.headers.etag, head.bytes.length], [headers.etag, 0]);
        assert.equal(head.headers['content-length'], headers['content-length']);
      }
      assert.equal(etags.size, 3);
    });

  for (const accepted of ['identity', 'br;q=0, gzip;q=0', 'zstd', ''])
    it(`are sent as they are where Accept-Encoding is "${accepted}"`, async () => {
      const { headers, bytes } = await get('/openapi.json', { 'accept-encoding': accepted });
      assert.equal(headers['content-encoding'], undefined);
      assert(JSON.parse(bytes.toString()));
    });

  it('the OpenAPI document is a tenth of its size', async () => {
    const { routes } = await import('../../../src/process/routes.ts');
    const whole = await openShell({ routes });
    try {
      const sizes = await Promise.all(
        ['identity', 'br'].map(async (coding) => {
          const response = await fetch(`${whole.baseUrl}/openapi.json`, { headers: { 'accept-encoding': coding } });
          const { length } = await response.text();
          return [Number(response.headers.get('content-length')), length] as const;
        }),
      );
      const [[plain, length] = [0, 0], [small, same] = [0, 0]] = sizes;
      assert.equal(length, same);
      assert(small * 10 < plain, `${small} of ${plain} bytes`);
    } finally {
      await whole.close();
    }
  });
});
