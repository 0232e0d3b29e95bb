import assert from 'node:assert/strict';
import type { IncomingMessage } from 'node:http';
import type { ParameterizedContext } from 'koa';
import type { Caller, OperatorCredential } from '../../src/commands/caller.ts';
import { CarnetError } from '../../src/errors/carnet-error.ts';
import { addressBlock, clientAddress } from '../../src/http/addresses.ts';
import type { Authenticated } from '../../src/http/state.ts';
import type { ApiKeyId, DashboardSessionId, MemberId, OperatorId, PassportId } from '../../src/ids/ids.ts';
import { keyRoutes } from '../../src/passports/keys/routes.ts';
import { createRateLimits, rateLimit } from '../../src/http/rate-limit.ts';
import { buildOperator } from '../support/factories.ts';
import { buildPerson } from '../support/people.ts';
import { browserOf, type WebBrowser } from '../support/web-browser.ts';
import { assertProblem, assertStatus, type Reply } from '../support/service.ts';
import { newAdmin, openShell, type Shell } from './support/shell.ts';
import { things } from './support/things.ts';

/** The standard setting. Requests of a test would take too long to reach it; the counter itself is called instead. */
const ANONYMOUS_PER_MINUTE = 6_000;
/** So many of them may come together. */
const ANONYMOUS_AT_ONCE = 2_000;
/** A clock that stands still unless the test moves it. */
const stopped = { ms: 0, now: (): number => stopped.ms };
const limitsOfOne = { rateLimitPerMinute: 1, anonymousRateLimitPerMinute: ANONYMOUS_PER_MINUTE, trustProxyHops: 0 };

describe('rate limits', () => {
  let shell: Shell;

  before(async () => {
    shell = await openShell({
      routes: things,
      settings: {
        RATE_LIMIT_PER_MINUTE: '3',
        ANONYMOUS_RATE_LIMIT_PER_MINUTE: '6',
        TRUST_PROXY_HOPS: '1',
      },
    });
  });
  after(() => shell.close());

  const detailOf = (reply: Reply): string => (reply.body as { detail: string }).detail;
  const remaining = (reply: Reply): string | null => reply.headers.get('x-ratelimit-remaining');

  it('show a key how much is left', async () => {
    const admin = await newAdmin(shell);
    const reply = await admin.get('/v1/things/thg_1');
    assertStatus(reply, 200);
    assert.equal(reply.headers.get('ratelimit-policy'), '"key";q=3;w=60');
    assert.match(reply.headers.get('ratelimit') ?? '', /^"key";r=2;t=(20|1\d)$/);
    assert.equal(reply.headers.get('x-ratelimit-limit'), '3');
    assert.equal(remaining(reply), '2');
    assert.match(reply.headers.get('x-ratelimit-reset') ?? '', /^(20|1\d)$/);
  });

  it('are 429 with Retry-After over the limit of a key, refusals counted too, and other keys go on', async () => {
    const admin = await newAdmin(shell);
    const seen = [
      await admin.get('/v1/things/thg_1'),
      await admin.post('/v1/things', {}),
      await admin.delete('/v1/things/thg_1'),
    ];
    assert.deepEqual(
      seen.map((reply) => [reply.status, remaining(reply)]),
      [
        [200, '2'],
        [400, '1'],
        [403, '0'],
      ],
    );
    const over = await admin.get('/v1/things/thg_1');
    assertProblem(over, 'RATE_LIMITED');
    assert.match(over.headers.get('retry-after') ?? '', /^(20|1\d)$/);
    assert.match(
      detailOf(over),
      /^This credential has used its requests: 3 a minute, 3 of them together; go on in (20|1\d) seconds\.$/,
    );
    assert.equal(remaining(over), '0');
    assertStatus(await (await newAdmin(shell)).get('/v1/things/thg_1'), 200);
  });

  it('count public routes and refused credentials by address', async () => {
    const from = (address: string) => ({ 'x-forwarded-for': address });
    const first = await shell.anonymous.post('/v1/open-things/check', { name: 'x' }, from('203.0.113.7'));
    assertStatus(first, 200);
    assert.equal(first.headers.get('ratelimit-policy'), '"address";q=6;w=60');
    assert.equal(remaining(first), '5');
    const refused = await shell.anonymous.get('/v1/things/thg_1', from('203.0.113.7'));
    assertProblem(refused, 'UNAUTHENTICATED');
    assert.equal(remaining(refused), '4');
    assert.equal(remaining(await shell.anonymous.get('/v1/things/thg_1', from('203.0.113.8'))), '5');
  });

  it('believe of X-Forwarded-For only what the trusted proxy wrote', async () => {
    const forged = (left: string) =>
      shell.anonymous.get('/v1/things/thg_1', { 'x-forwarded-for': `${left}, 198.51.100.1` });
    assert.equal(remaining(await forged('1.1.1.1')), '5');
    assert.equal(remaining(await forged('2.2.2.2')), '4');
  });

  it('let health checks through uncounted, and count pages and metrics by address', async () => {
    for (const path of ['/livez', '/readyz', '/healthz'])
      assert.equal(remaining(await shell.anonymous.get(path)), null, path);
    const from = { 'x-forwarded-for': '203.0.113.9' };
    const left = ['/metrics', '/docs', '/dashboard/sign-in'].map(async (path, at) =>
      assert.equal(
        remaining(await shell.anonymous.get(path, { 'x-forwarded-for': `203.0.113.${at + 20}` })),
        '5',
        path,
      ),
    );
    await Promise.all(left);
    assert.equal(remaining(await shell.anonymous.get('/metrics', from)), '5');
    assert.equal(remaining(await shell.anonymous.get('/metrics', from)), '4');
    assert.equal(remaining(await shell.anonymous.get('/openapi.json', from)), '5', 'a document');
  });

  for (const [entry, client] of [
    ['198.51.100.30', '198.51.100.30'],
    [' 198.51.100.30 ', '198.51.100.30'],
    ['198.51.100.30:50123', '198.51.100.30'],
    ['::ffff:198.51.100.30', '198.51.100.30'],
    ['::FFFF:c633:641e', '198.51.100.30'],
    ['[::ffff:198.51.100.30]:443', '198.51.100.30'],
    ['[2001:db8::7]:443', '2001:db8:0:0::/64'],
    ['2001:0DB8:0:0:1::7', '2001:db8:0:0::/64'],
    ['unknown', 'socket'],
    ['', 'socket'],
    ['198.51.100.30:port', 'socket'],
    ['198.51.100.300', 'socket'],
    ["198.51.100.30'; --", 'socket'],
    ['x'.repeat(5_000), 'socket'],
  ] as const) {
    it(`of the proxy's entry ${JSON.stringify(entry.slice(0, 40))} count ${client}`, () => {
      const request = {
        headers: { 'x-forwarded-for': `203.0.113.1, ${entry}` },
        socket: { remoteAddress: '192.0.2.99' },
      } as unknown as IncomingMessage;
      assert.equal(addressBlock(clientAddress(request, 1)), client === 'socket' ? '192.0.2.99' : client);
    });
  }

  it('count OAuth subjects and passports with their operator, and each key by itself', async () => {
    const limits = createRateLimits({ ...limitsOfOne, rateLimitPerMinute: 2 });
    const limit = rateLimit(limits);
    const calls = async (caller: Partial<Caller>): Promise<string> => {
      const ctx = {
        req: { headers: {} },
        state: { credential: { caller }, counted: false, route: {} },
        res: { setHeaders: () => {} },
      } as unknown as ParameterizedContext<Authenticated>;
      return await Promise.resolve(limit(ctx, async () => {})).then(
        () => 'passed',
        (error: unknown) => (error instanceof CarnetError ? error.code : String(error)),
      );
    };
    const oauth = (operatorId: string, subject: string) =>
      calls({
        kind: 'operator',
        operatorId: operatorId as OperatorId,
        by: { kind: 'oauth', subject, endsAt: '2100-01-01T00:00:00.000Z' },
      });
    assert.deepEqual(
      [await oauth('op_1', 'a'), await oauth('op_1', 'b'), await oauth('op_1', 'c'), await oauth('op_2', 'a')],
      ['passed', 'passed', 'RATE_LIMITED', 'passed'],
    );
    const passport = (operatorId: string, jti: string) =>
      calls({ kind: 'passport', operatorId: operatorId as OperatorId, jti: jti as PassportId });
    assert.deepEqual(
      [await passport('op_1', 'psp_1'), await passport('op_1', 'psp_2'), await passport('op_1', 'psp_3')],
      ['passed', 'passed', 'RATE_LIMITED'],
    );
    const key = (keyId: string) =>
      calls({ kind: 'operator', operatorId: 'op_1' as OperatorId, by: { kind: 'key', keyId: keyId as ApiKeyId } });
    assert.deepEqual(
      [await key('key_1'), await key('key_2'), await key('key_1'), await key('key_1')],
      ['passed', 'passed', 'passed', 'RATE_LIMITED'],
    );
  });

  it('count the keys of an operator together too, five times what one has, and no person with them', async () => {
    const limits = createRateLimits({ ...limitsOfOne, rateLimitPerMinute: 2 });
    const limit = rateLimit(limits);
    const call = async (operatorId: string, by: OperatorCredential): Promise<string | undefined> => {
      const caller: Partial<Caller> = { kind: 'operator', operatorId: operatorId as OperatorId, by };
      const ctx = {
        req: { headers: {} },
        state: { credential: { caller }, counted: false, route: {} },
        res: { setHeaders: () => {} },
      } as unknown as ParameterizedContext<Authenticated>;
      try {
        await limit(ctx, async () => {});
        return undefined;
      } catch (error) {
        assert(error instanceof CarnetError && error.code === 'RATE_LIMITED', String(error));
        return error.headers['RateLimit-Policy'];
      }
    };
    const key = (keyId: string): OperatorCredential => ({ kind: 'key', keyId: keyId as ApiKeyId });
    const session = (sessionId: string): OperatorCredential => ({
      kind: 'session',
      sessionId: sessionId as DashboardSessionId,
      memberId: 'mem_1' as MemberId,
    });
    const answers: (string | undefined)[] = [];
    for (let nth = 0; nth < 11; nth += 1) answers.push(await call('op_1', key(`key_${nth}`)));
    assert.deepEqual(answers, [...Array<undefined>(10).fill(undefined), '"operator";q=10;w=60']);
    assert.equal(await call('op_2', key('key_of_another')), undefined);
    assert.equal(await call('op_1', session('dse_1')), undefined, 'who is flooded by their keys can delete them');
  });

  it('keep neither who is signed in nor documents from an address that others have used up', async () => {
    const busy = await openShell({
      routes: [...keyRoutes, ...things],
      settings: { ANONYMOUS_RATE_LIMIT_PER_MINUTE: '3', TRUST_PROXY_HOPS: '1' },
    });
    const from = { 'x-forwarded-for': '203.0.113.60' };
    try {
      const { cookie } = await buildPerson(await buildOperator());
      assertStatus(await busy.anonymous.get('/dashboard', { ...from, cookie }), 200);
      for (let nth = 0; nth < 3; nth += 1) await busy.anonymous.get('/dashboard/sign-in', from);
      assertStatus(await busy.anonymous.get('/dashboard/sign-in', from), 429);
      const page = await busy.anonymous.get('/dashboard', { ...from, cookie });
      assertStatus(page, 200);
      assert.match(page.headers.get('ratelimit-policy') ?? '', /^"key";/);
      for (const [nth, path] of ['/openapi.json', '/assets/docs.css', '/.well-known/jwks.json'].entries()) {
        const document = await busy.anonymous.get(path, from);
        assertStatus(document, 200);
        assert.equal(document.headers.get('ratelimit-policy'), '"document";q=3;w=60');
        assert.equal(remaining(document), String(2 - nth));
      }
      assertStatus(await busy.anonymous.get('/openapi.json', from), 429);
      assertStatus(await busy.anonymous.get('/dashboard', { ...from, cookie: 'carnet_session=made-up' }), 429);
    } finally {
      await busy.close();
    }
  });

  it('of 0 are none at all', async () => {
    assert.equal(createRateLimits({ ...limitsOfOne, rateLimitPerMinute: 0 }), null);
    const unlimited = await openShell({ routes: things, settings: { RATE_LIMIT_PER_MINUTE: '0' } });
    try {
      assert.equal((await (await newAdmin(unlimited)).get('/v1/things/thg_1')).headers.get('ratelimit'), null);
    } finally {
      await unlimited.close();
    }
  });

  it('let a third of a minute come together, and the rest steadily', () => {
    const limits = createRateLimits(limitsOfOne, stopped.now);
    assert(limits !== null);
    const send = (count: number): void => {
      for (let sent = 0; sent < count; sent += 1) limits.anonymous.count('a');
    };
    send(ANONYMOUS_AT_ONCE);
    assert.throws(() => send(1), { code: 'RATE_LIMITED' });
    limits.anonymous.count('b');
    stopped.ms += 500;
    send(50);
    assert.throws(() => send(1), { code: 'RATE_LIMITED' }, 'half a second brings 50, and no new minute begins');
    stopped.ms += 3_600_000;
    send(ANONYMOUS_AT_ONCE);
    assert.throws(() => send(1), { code: 'RATE_LIMITED' }, 'an hour brings no more than what may come together');
  });

  it('share counters once 50,000 clients are counted, count on, and forget who has all of it back', () => {
    const limits = createRateLimits(limitsOfOne, stopped.now);
    assert(limits !== null);
    const { requests } = limits.key;
    const passes = (client: string): boolean => {
      try {
        requests.count(client);
        return true;
      } catch {
        return false;
      }
    };
    for (let client = 0; client < 50_000; client += 1) requests.count(`client ${client}`);
    const strangers = (): number =>
      Array.from({ length: 2_000 }, (_, at) => passes(`stranger ${at}`)).filter(Boolean).length;
    const passed = strangers();
    assert(passed > 0 && passed <= 1_024, `2,000 strangers share 1,024 counters of one request; ${passed} passed`);
    assert(!passes('client 1'));
    stopped.ms += 60_000;
    assert.equal(strangers(), 2_000, 'each has a counter of its own now');
  });

  it('count bytes of bodies and answers beside calls: one key that is over them, and another', async () => {
    // A request a minute, and with it 102,400 bytes.
    const heavy = await openShell({ routes: things, settings: { RATE_LIMIT_PER_MINUTE: '4' } });
    try {
      const [hostile, honest] = [await newAdmin(heavy), await newAdmin(heavy)];
      const name = { name: 'one', free: 'x'.repeat(300_000) };
      assertStatus(await hostile.post('/v1/things', name), 201);
      const over = await hostile.post('/v1/things', name);
      assertProblem(over, 'RATE_LIMITED');
      assert.match(
        detailOf(over),
        /^This credential has used its bytes of bodies and answers: 409,600 a minute, 409,600 of them together; go on in \d+ seconds\.$/,
      );
      assert.equal(over.headers.get('ratelimit-policy'), '"key-bytes";q=409600;qu="content-bytes";w=60');
      assert(Number(over.headers.get('retry-after')) >= 1);
      assertStatus(await hostile.get('/v1/things/thg_1'), 200);
      assertStatus(await honest.post('/v1/things', name), 201);
    } finally {
      await heavy.close();
    }
  });

  it('count the bytes of the forms and pages of a person as those of calls', async () => {
    const heavy = await openShell({ routes: things, settings: { RATE_LIMIT_PER_MINUTE: '4' } });
    try {
      const browsers = [await buildPerson(await buildOperator()), await buildPerson(await buildOperator())].map(
        ({ cookie }) => browserOf({ cookie }, heavy.baseUrl),
      );
      const [hostile, honest] = browsers as [WebBrowser, WebBrowser];
      const [path, form] = ['/dashboard/claims/verify', new URLSearchParams({ act: 'x'.repeat(300_000) })];
      const { origin } = new URL(heavy.context.config.publicBaseUrl);
      assert.equal((await hostile.send(path, form, { origin })).status, 200);
      const over = await hostile.send(path, form, { origin });
      assert.equal(over.status, 429);
      assert.match(over.text, /This credential has used its bytes of bodies and answers: 409,600 a minute/);
      assert.equal((await honest.send(path, form, { origin })).status, 200);
      // A form in pieces announces no length.
      const [chunks] = [await buildPerson(await buildOperator())].map(({ cookie }) => ({ cookie }));
      const inPieces = (): Promise<Response> =>
        fetch(new URL(path, heavy.baseUrl), {
          method: 'POST',
          headers: { ...chunks, origin, accept: 'text/html', 'content-type': 'application/x-www-form-urlencoded' },
          body: new Blob([form.toString()]).stream(),
          duplex: 'half',
        });
      for (const status of [200, 429]) {
        const answer = await inPieces();
        await answer.body?.cancel();
        assert.equal(answer.status, status);
      }
    } finally {
      await heavy.close();
    }
  });

  it('count the bytes of an answer, and of a body that announces none, when they are there', async () => {
    const limits = createRateLimits(limitsOfOne, stopped.now);
    const limit = rateLimit(limits);
    const call = (key: string, headers: Record<string, string>, { bodyBytes = 0, length = 0 }) => {
      const caller: Partial<Caller> = {
        kind: 'operator',
        operatorId: `op_${key}` as OperatorId,
        by: { kind: 'key', keyId: key as ApiKeyId },
      };
      const ctx = {
        req: { headers },
        state: { credential: { caller }, counted: false, route: {} },
        length,
        res: { setHeaders: () => {} },
      } as unknown as ParameterizedContext<Authenticated>;
      return Promise.resolve(limit(ctx, async () => void (ctx.state.bodyBytes = bodyBytes)));
    };
    await call('key_answer', {}, { length: 200_000 });
    await call('key_chunked', {}, { bodyBytes: 200_000 });
    await call('key_light', {}, { length: 1_000 });
    // The request is back after a minute; of the bytes twice as many were used as come back in it.
    stopped.ms += 60_000;
    await assert.rejects(call('key_answer', { 'content-length': '50000' }, {}), /bytes/);
    await assert.rejects(call('key_chunked', { 'content-length': '50000' }, {}), /bytes/);
    await call('key_light', { 'content-length': '50000' }, { bodyBytes: 50_000 });
  });

  for (const [address, block] of [
    ['192.0.2.1', '192.0.2.1'],
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:db8:1:2::6', '2001:db8:1:2::/64'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
  ] as const) {
    it(`count ${address} as ${block}`, () => {
      assert.equal(addressBlock(address), block);
    });
  }

  it('count signing in by the /48 of an IPv6 address, of which one customer has 65,536 blocks', () => {
    assert.equal(addressBlock('2001:db8:1:2:3:4:5:6', 48), '2001:db8:1::/48');
    assert.equal(addressBlock('2001:db8:1:ffff::6', 48), '2001:db8:1::/48');
    assert.equal(addressBlock('192.0.2.1', 48), '192.0.2.1');
  });
});
