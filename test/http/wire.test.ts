import assert from 'node:assert/strict';
import { newAdmin, openShell, type Shell } from './support/shell.ts';
import { exchangeBytes, statusOf } from './support/raw.ts';
import { things } from './support/things.ts';
import { assertProblem, assertStatus, type Requester } from '../support/service.ts';

describe('HTTP as the shell speaks it', () => {
  let shell: Shell;
  let admin: Requester;

  before(async () => {
    shell = await openShell({ routes: things });
    admin = await newAdmin(shell);
  });
  after(() => shell.close());

  const request = (first: string, ...headers: string[]): string =>
    [first, 'Host: x', 'Connection: close', `Authorization: Bearer ${admin.key}`, ...headers, '', ''].join('\r\n');

  describe('paths', () => {
    for (const path of [
      '/v1',
      '/v1/',
      '/v1/nothing',
      '/v1/things/',
      '/v1/things/a/b/c',
      '/V1/things/a',
      '/v1//things',
      '/v1/things/%zz',
    ]) {
      it(`${path} is 404 for anyone`, async () => {
        assertProblem(await shell.anonymous.get(path), 'NOT_FOUND');
        assertProblem(await admin.get(path), 'NOT_FOUND');
      });
    }

    it('may be given with scheme and host (absolute form)', async () => {
      const answer = await exchangeBytes(
        shell.port,
        request('GET http://elsewhere.test/v1/things/mine?limit=1 HTTP/1.1'),
      );
      assert.equal(statusOf(answer), 200);
      assert.match(answer, /"limit":1,/);
    });

    it('keep an escaped slash inside its segment', async () => {
      assert.equal(assertStatus(await admin.get('/v1/things/..%2f'), 200).id, '../');
    });

    it('prefer a fixed segment to an id', async () => {
      assert.equal(assertStatus(await admin.get('/v1/things/mine'), 200).total, 45);
      assert.equal(assertStatus(await admin.get('/v1/things/mine2'), 200).id, 'mine2');
    });

    it('go back to an id where a fixed segment leads nowhere', async () => {
      assert.equal((assertStatus(await admin.get('/v1/things/mine/history'), 200).things as unknown[]).length, 20);
    });

    it('are 400 with NUL', async () => {
      assertProblem(await admin.get('/v1/things/a%00b'), 'VALIDATION_ERROR', 'path.id');
    });
  });

  describe('queries', () => {
    for (const [query, path] of [
      ['limit=0', 'query.limit'],
      ['limit=101', 'query.limit'],
      ['limit=1e1', 'query.limit'],
      ['limit=', 'query.limit'],
      ['limit=5&limit=6', 'query.limit'],
      ['limit=99999999999999999999', 'query.limit'],
      ['offset=-1', 'query.offset'],
      ['offset=1.5', 'query.offset'],
      ['colour=green', 'query.colour'],
      ['colour=%00', 'query.colour'],
      ['colour=%ff', 'query.colour'],
    ] as const) {
      it(`?${query} is 400 at ${path}`, async () => {
        assertProblem(await admin.get(`/v1/things/mine?${query}`), 'VALIDATION_ERROR', path);
      });
    }

    it('may have parameters that nobody knows', async () => {
      assertStatus(await admin.get('/v1/things/mine?utm_source=x&__proto__=y&constructor=z'), 200);
    });
  });

  describe('methods', () => {
    it('that a path does not take are 405 with Allow, for anyone', async () => {
      const reply = await shell.anonymous.put('/v1/things/thg_1', {});
      assertProblem(reply, 'METHOD_NOT_ALLOWED');
      assert.deepEqual(reply.headers.get('allow')?.split(', ').toSorted(), [
        'DELETE',
        'GET',
        'HEAD',
        'OPTIONS',
        'PATCH',
      ]);
    });

    it('that a page does not take are 405 with Allow', async () => {
      const reply = await shell.anonymous.post('/livez', {});
      assertProblem(reply, 'METHOD_NOT_ALLOWED');
      assert.equal(reply.headers.get('allow'), 'GET, HEAD, OPTIONS');
    });

    it('OPTIONS is 204 with Allow and opens nothing to other origins', async () => {
      const reply = await fetch(`${shell.baseUrl}/v1/things`, {
        method: 'OPTIONS',
        headers: { origin: 'https://elsewhere.test' },
      });
      assert.equal(reply.status, 204);
      assert.equal(reply.headers.get('allow'), 'POST, OPTIONS');
      assert.equal(reply.headers.get('access-control-allow-origin'), null);
    });

    it('HEAD answers the headers of GET without its body', async () => {
      const answer = await exchangeBytes(shell.port, request('HEAD /v1/things/thg_1 HTTP/1.1'));
      const get = await admin.get('/v1/things/thg_1');
      assert.equal(statusOf(answer), 200);
      assert.match(answer, new RegExp(`content-length: ${get.headers.get('content-length')}`, 'i'));
      assert.match(answer, /etag: "/i);
      assert(answer.endsWith('\r\n\r\n'));
    });

    it('HEAD is refused as GET is', async () => {
      const reply = await fetch(`${shell.baseUrl}/v1/things/thg_1`, { method: 'HEAD' });
      assert.equal(reply.status, 401);
    });
  });

  describe('requests that are not well formed', () => {
    const malformed: [what: string, bytes: () => string, status: number][] = [
      ['no HTTP at all', () => 'hello\r\n\r\n', 400],
      ['no Host', () => 'GET /livez HTTP/1.1\r\n\r\n', 400],
      ['two Hosts', () => request('GET /livez HTTP/1.1', 'Host: y'), 400],
      ['two Hosts that are equal', () => request('GET /livez HTTP/1.1', 'HOST: x'), 400],
      ['two Authorizations', () => request('GET /v1/things/thg_1 HTTP/1.1', 'authorization: Bearer other'), 400],
      [
        'two Content-Types',
        () =>
          `${request('POST /v1/things HTTP/1.1', 'Content-Type: application/json', 'Content-Type: text/plain', 'Content-Length: 2')}{}`,
        400,
      ],
      [
        'two Content-Lengths',
        () => `${request('POST /v1/things HTTP/1.1', 'Content-Length: 2', 'Content-Length: 3')}{}`,
        400,
      ],
      [
        'a Content-Length that is no number',
        () => `${request('POST /v1/things HTTP/1.1', 'Content-Length: 1e3')}{}`,
        400,
      ],
      ['a negative Content-Length', () => `${request('POST /v1/things HTTP/1.1', 'Content-Length: -1')}{}`, 400],
      [
        'Content-Length beside Transfer-Encoding',
        () => `${request('POST /v1/things HTTP/1.1', 'Content-Length: 2', 'Transfer-Encoding: chunked')}0\r\n\r\n`,
        400,
      ],
      [
        'an obscure Transfer-Encoding',
        () => `${request('POST /v1/things HTTP/1.1', 'Transfer-Encoding: xchunked')}0\r\n\r\n`,
        400,
      ],
      [
        'a chunk size that is none',
        () =>
          `${request('POST /v1/things HTTP/1.1', 'Content-Type: application/json', 'Transfer-Encoding: chunked')}zz\r\n{}\r\n0\r\n\r\n`,
        400,
      ],
      ['a header of 64 KiB', () => request('GET /livez HTTP/1.1', `X-Big: ${'x'.repeat(65_536)}`), 431],
      ['an address of 64 KiB', () => request(`GET /v1/things/${'x'.repeat(65_536)} HTTP/1.1`), 431],
    ];
    for (const [what, bytes, status] of malformed) {
      it(`are ${status} with ${what}`, async () => {
        const answer = await exchangeBytes(shell.port, bytes());
        assert.equal(statusOf(answer), status, answer.slice(0, 200));
      });
    }

    it('are answered with a problem', async () => {
      const answer = await exchangeBytes(shell.port, request('GET /livez HTTP/1.1', `X-Big: ${'x'.repeat(65_536)}`));
      assert.match(answer, /Content-Type: application\/problem\+json/);
      assert.match(answer, /"code":"HEADERS_TOO_LARGE"/);
    });

    for (const coding of ['gzip, chunked', 'identity, chunked', 'chunked, chunked']) {
      it(`are 400 in Transfer-Encoding ${coding}, and end the connection`, async () => {
        const first = `POST /v1/things HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: ${coding}\r\n\r\n2\r\n{}\r\n0\r\n\r\n`;
        const answer = await exchangeBytes(shell.port, `${first}GET /livez HTTP/1.1\r\nHost: x\r\n\r\n`, /HTTP.*HTTP/s);
        assert.equal(statusOf(answer), 400);
        assert.match(answer, /Connection: close/i);
        assert.equal(answer.match(/^HTTP\/1\.1 \d/gm)?.length, 1, answer);
      });
    }

    it('of HTTP/1.0 in chunks are 400, and end the connection', async () => {
      const first = `POST /v1/things HTTP/1.0\r\nHost: x\r\nConnection: keep-alive\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n`;
      const answer = await exchangeBytes(shell.port, `${first}GET /livez HTTP/1.1\r\nHost: x\r\n\r\n`, /HTTP.*HTTP/s);
      assert.equal(statusOf(answer), 400);
      assert.match(answer, /"code":"VALIDATION_ERROR"/);
      assert.match(answer, /Connection: close/i);
      assert.equal(answer.match(/^HTTP\/1\.1 \d/gm)?.length, 1, answer);
    });

    it('that offer another protocol are answered, and end the connection: what stands behind them is not read', async () => {
      const offer = 'GET /livez HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n';
      const answer = await exchangeBytes(shell.port, `${offer}GET /livez HTTP/1.1\r\nHost: x\r\n\r\n`);
      assert.equal(statusOf(answer), 200);
      assert.match(answer, /Connection: close/i);
    });

    for (const [what, bytes, code] of [
      ['without Host', 'GET /livez HTTP/1.1\r\n\r\n', 'VALIDATION_ERROR'],
      ['with Expect', 'GET /livez HTTP/1.1\r\nHost: x\r\nExpect: a miracle\r\n\r\n', 'EXPECTATION_FAILED'],
    ] as const) {
      it(`${what} are answered with a problem, and end the connection`, async () => {
        const answer = await exchangeBytes(shell.port, bytes);
        assert.match(answer, /^HTTP\/1\.1 (400|417) /);
        assert.match(answer, /Content-Type: application\/problem\+json/);
        assert.match(answer, /Connection: close/);
        assert.match(answer, new RegExp(`"code":"${code}"`));
      });
    }

    it('of HTTP/1.0 need no Host, and a body that waits is requested', async () => {
      assert.equal(statusOf(await exchangeBytes(shell.port, 'GET /livez HTTP/1.0\r\n\r\n')), 200);
      const waiting = request('POST /v1/things HTTP/1.1', 'Content-Length: 2', 'Expect: 100-continue');
      assert.match(await exchangeBytes(shell.port, waiting, /\r\n\r\n/), /^HTTP\/1\.1 100 Continue/);
    });

    it('do not carry a second request past the first (smuggling)', async () => {
      const smuggled = 'GET /v1/things/smuggled HTTP/1.1\r\nHost: x\r\n\r\n';
      const answer = await exchangeBytes(
        shell.port,
        `${request('POST /v1/things HTTP/1.1', `Content-Length: ${smuggled.length}`, 'Transfer-Encoding: chunked')}0\r\n\r\n${smuggled}`,
      );
      assert.equal(answer.match(/^HTTP\/1\.1 \d/gm)?.length, 1, answer);
      assert.equal(statusOf(answer), 400);
    });
  });

  describe('headers of answers', () => {
    it('accept and echo X-Request-Id', async () => {
      const reply = await admin.get('/v1/things/thg_1', { 'x-request-id': 'my-call.7_x' });
      assert.equal(reply.headers.get('x-request-id'), 'my-call.7_x');
    });

    for (const bad of ['with space', 'x'.repeat(129), 'a/b', '<script>']) {
      it(`replace X-Request-Id ${bad.slice(0, 12)}…`, async () => {
        const reply = await shell.anonymous.get('/v1/nothing', { 'x-request-id': bad });
        assert.match(reply.headers.get('x-request-id') ?? '', /^[\w.-]{36}$/);
        assert.equal(reply.body.request_id, reply.headers.get('x-request-id'));
      });
    }

    it('take the trace id of traceparent for the request id, and log it', async () => {
      const trace = '4bf92f3577b34da6a3ce929d0e0e4736';
      const reply = await admin.get('/v1/things/thg_1', { traceparent: `00-${trace}-00f067aa0ba902b7-01` });
      assert.equal(reply.headers.get('x-request-id'), trace);
      assert(shell.logged().some((line) => line.traceId === trace && line.operation === 'readThing'));
    });

    it('guard against being sniffed, framed and remembered', async () => {
      const reply = await admin.get('/v1/things/mine');
      const headers = Object.fromEntries(reply.headers);
      assert.equal(headers['x-content-type-options'], 'nosniff');
      assert.equal(headers['referrer-policy'], 'same-origin');
      assert.equal(headers['cache-control'], 'no-store');
      assert.equal(headers['content-security-policy'], "default-src 'none';frame-ancestors 'none'");
      assert.match(headers['strict-transport-security'] ?? '', /^max-age=\d+/);
      assert.equal(headers['x-powered-by'], undefined);
    });
  });

  describe('answers', () => {
    it('say nothing that the reply schema does not name', async () => {
      assert.deepEqual(assertStatus(await admin.get('/v1/things/thg_1'), 200), { id: 'thg_1', name: 'one' });
    });

    for (const id of ['throws', 'incomplete']) {
      it(`are 500 without a word of the insides where a handler ${id === 'throws' ? id : 'answers something else'}`, async () => {
        const reply = await admin.get(`/v1/faulty-things/${id}`);
        assertProblem(reply, 'INTERNAL_ERROR');
        assert.doesNotMatch(reply.text, /hunter2|TypeError|Zod|name/i);
        const line = shell.logged().find((one) => one.level === 'error' && one.requestId === reply.body.request_id);
        assert(line !== undefined, 'the fault is logged under its request id');
      });
    }

    it('carry the further members of a refusal at the top', async () => {
      const reply = await admin.post('/v1/things', { name: 'refused' });
      assertProblem(reply, 'CONFLICT');
      assert.equal(reply.body.checkout_url, null);
      assert.equal(reply.body.instance, '/v1/things');
      assert.equal(reply.body.title, 'This conflicts with what is there already');
    });

    it('are 500 naming code and operation where a route does not declare its refusal', async () => {
      const reply = await admin.post('/v1/things', { name: 'undeclared' });
      assertProblem(reply, 'INTERNAL_ERROR');
      assert.match(String(reply.body.detail), /makeThing was refused with SELF_RATING/);
      const line = shell.logged().find((one) => one.level === 'error' && one.requestId === reply.body.request_id);
      assert.match(String(line?.msg), /makeThing was refused with SELF_RATING/);
    });

    it('are 500 naming code and member where src/errors/members.ts does not name a member of the refusal', async () => {
      const reply = await admin.post('/v1/things', { name: 'unnamed' });
      assertProblem(reply, 'INTERNAL_ERROR');
      assert.match(
        String(reply.body.detail),
        /makeThing was refused with CONFLICT.+members\.ts does not name.+name_given/,
      );
    });

    it('are the refusal itself in production, and a warning in the log', async () => {
      const production = await openShell({ routes: things, settings: { NODE_ENV: 'production' } });
      try {
        const reply = await (await newAdmin(production)).post('/v1/things', { name: 'undeclared' });
        assertProblem(reply, 'SELF_RATING');
        assert(production.logged().some((one) => one.level === 'warn' && one.code === 'SELF_RATING'));
      } finally {
        await production.close();
      }
    });

    it('name what was made in Location', async () => {
      const reply = await admin.post('/v1/things', { name: 'x' });
      assert.equal(reply.headers.get('location'), `/v1/things/${String(assertStatus(reply, 201).id)}`);
    });
  });

  describe('Prefer: wait', () => {
    for (const [prefer, applied] of [
      ['wait=20', 'wait=20'],
      ['respond-async, WAIT = 5', 'wait=5'],
      ['wait=60', 'wait=60'],
      ['wait=0', null],
      ['wait=61', null],
      ['wait=-1', null],
      ['wait=abc', null],
      ['waiting=5', null],
      ['wait=3, wait=9', 'wait=3'],
    ] as const) {
      it(`${prefer} is ${applied === null ? 'ignored' : `applied as ${applied}`}`, async () => {
        const reply = await admin.post('/v1/things/thg_1/polish', undefined, { prefer });
        assertStatus(reply, 200);
        assert.equal(reply.headers.get('preference-applied'), applied);
      });
    }
  });
});
