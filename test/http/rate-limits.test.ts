import assert from 'node:assert/strict';
import { addressBlock } from '../../src/http/addresses.ts';
import { createRateLimits } from '../../src/http/rate-limit.ts';
import { assertProblem, assertStatus, type Reply } from '../support/service.ts';
import { newAdmin, openShell, type Shell } from './support/shell.ts';
import { things } from './support/things.ts';

/** The standard setting. Requests of a test would take too long to reach it; the counter itself is called instead. */
const ANONYMOUS_PER_MINUTE = 6_000;

describe('rate limits', () => {
  let shell: Shell;

  before(async () => {
    shell = await openShell({
      routes: things,
      settings: {
        RATE_LIMIT_PER_MINUTE: '3',
        ANONYMOUS_RATE_LIMIT_PER_MINUTE: String(ANONYMOUS_PER_MINUTE),
        TRUST_PROXY_HOPS: '1',
      },
    });
  });
  after(() => shell.close());

  const remaining = (reply: Reply): string | null => reply.headers.get('x-ratelimit-remaining');

  it('show a key how much is left', async () => {
    const admin = await newAdmin(shell);
    const reply = await admin.get('/v1/things/thg_1');
    assertStatus(reply, 200);
    assert.equal(reply.headers.get('ratelimit-policy'), '"key";q=3;w=60');
    assert.match(reply.headers.get('ratelimit') ?? '', /^"key";r=2;t=(60|5\d)$/);
    assert.equal(reply.headers.get('x-ratelimit-limit'), '3');
    assert.equal(remaining(reply), '2');
    assert.match(reply.headers.get('x-ratelimit-reset') ?? '', /^(60|5\d)$/);
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
    assert.match(over.headers.get('retry-after') ?? '', /^(60|5\d)$/);
    assert.equal(remaining(over), '0');
    assertStatus(await (await newAdmin(shell)).get('/v1/things/thg_1'), 200);
  });

  it('count public routes and refused credentials by address', async () => {
    const from = (address: string) => ({ 'x-forwarded-for': address });
    const first = await shell.anonymous.post('/v1/open-things/check', { name: 'x' }, from('203.0.113.7'));
    assertStatus(first, 200);
    assert.equal(first.headers.get('ratelimit-policy'), `"address";q=${ANONYMOUS_PER_MINUTE};w=60`);
    assert.equal(remaining(first), String(ANONYMOUS_PER_MINUTE - 1));
    const refused = await shell.anonymous.get('/v1/things/thg_1', from('203.0.113.7'));
    assertProblem(refused, 'UNAUTHENTICATED');
    assert.equal(remaining(refused), String(ANONYMOUS_PER_MINUTE - 2));
    assert.equal(
      remaining(await shell.anonymous.get('/v1/things/thg_1', from('203.0.113.8'))),
      String(ANONYMOUS_PER_MINUTE - 1),
    );
  });

  it('believe of X-Forwarded-For only what the trusted proxy wrote', async () => {
    const forged = (left: string) =>
      shell.anonymous.get('/v1/things/thg_1', { 'x-forwarded-for': `${left}, 198.51.100.1` });
    assert.equal(remaining(await forged('1.1.1.1')), String(ANONYMOUS_PER_MINUTE - 1));
    assert.equal(remaining(await forged('2.2.2.2')), String(ANONYMOUS_PER_MINUTE - 2));
  });

  it('let health checks and pages through uncounted', async () => {
    assert.equal(remaining(await shell.anonymous.get('/livez')), null);
  });

  it('of 0 are none at all', async () => {
    assert.equal(createRateLimits(0, ANONYMOUS_PER_MINUTE), null);
    const unlimited = await openShell({ routes: things, settings: { RATE_LIMIT_PER_MINUTE: '0' } });
    try {
      assert.equal((await (await newAdmin(unlimited)).get('/v1/things/thg_1')).headers.get('ratelimit'), null);
    } finally {
      await unlimited.close();
    }
  });

  it('refuse the 6,001st request of an address', async () => {
    const limits = createRateLimits(1, ANONYMOUS_PER_MINUTE);
    assert(limits !== null);
    for (let count = 1; count <= ANONYMOUS_PER_MINUTE; count += 1) await limits.anonymous.count('a');
    await assert.rejects(limits.anonymous.count('a'), { code: 'RATE_LIMITED' });
    await limits.anonymous.count('b');
  });

  it('share counters once 50,000 clients are counted, and count on', async () => {
    const limits = createRateLimits(1, ANONYMOUS_PER_MINUTE);
    assert(limits !== null);
    for (let client = 0; client < 50_000; client += 1) await limits.key.count(`client ${client}`);
    const strangers = await Promise.allSettled(
      Array.from({ length: 2_000 }, (_, index) => limits.key.count(`stranger ${index}`)),
    );
    const passed = strangers.filter((one) => one.status === 'fulfilled').length;
    assert(passed > 0 && passed <= 1_024, `2,000 strangers share 1,024 counters of one request; ${passed} passed`);
    await assert.rejects(limits.key.count('client 1'), { code: 'RATE_LIMITED' });
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
});
