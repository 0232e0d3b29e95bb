import assert from 'node:assert/strict';
import { createLogger } from '../../src/context/logging.ts';
import { newAdmin, openShell, type Shell } from '../http/support/shell.ts';
import { things } from '../http/support/things.ts';

const logged = (write: (log: ReturnType<typeof createLogger>) => void): Record<string, unknown> => {
  let line = '';
  write(createLogger('debug', { write: (text: string) => void (line += text) }));
  return JSON.parse(line) as Record<string, unknown>;
};

describe('logs', () => {
  let shell: Shell;

  before(async () => {
    shell = await openShell({ routes: things });
  });
  after(() => shell.close());

  it('have one line a request: who, what, how it ended, how long it took', async () => {
    const admin = await newAdmin(shell);
    const reply = await admin.post('/v1/things', { name: 'private name' }, { 'x-request-id': 'log-1' });
    assert.equal(reply.status, 201);
    const lines = shell.logged().filter((line) => line.requestId === 'log-1');
    assert.equal(lines.length, 1);
    const { method, operation, status, ms, operatorId, level } = lines[0] ?? {};
    assert.deepEqual(
      { method, operation, status, operatorId, level },
      { method: 'POST', operation: 'makeThing', status: 201, operatorId: admin.operatorId, level: 'info' },
    );
    assert(typeof ms === 'number' && ms > 0);
  });

  it('have reads that went well at debug, refused ones at info', async () => {
    const admin = await newAdmin(shell);
    await admin.get('/v1/things/thg_1', { 'x-request-id': 'log-2' });
    await shell.anonymous.get('/v1/things/thg_1', { 'x-request-id': 'log-3' });
    const levelOf = (id: string): unknown => shell.logged().find((line) => line.requestId === id)?.level;
    assert.equal(levelOf('log-2'), 'debug');
    assert.equal(levelOf('log-3'), 'info');
  });

  it('never have keys, bodies or queries', async () => {
    const admin = await newAdmin(shell);
    await admin.post('/v1/things', { name: 'body-of-a-call' });
    await admin.get('/v1/things/mine?colour=query-of-a-call');
    await admin.get('/v1/faulty-things/throws');
    const text = JSON.stringify(shell.logged());
    assert.match(text, /makeThing/);
    for (const secret of [admin.key ?? '', 'body-of-a-call', 'query-of-a-call']) assert(!text.includes(secret), secret);
  });

  it('redact secrets by the name of their member, wherever they stand', () => {
    const line = logged((log) =>
      log.info(
        {
          authorization: 'Bearer a',
          request: { headers: {}, authorization: 'b' },
          api_key: 'c',
          key: 'd',
          nested: { secret: 'e' },
        },
        'x',
      ),
    );
    assert.deepEqual(
      [
        line.authorization,
        (line.request as Record<string, unknown>).authorization,
        line.api_key,
        line.key,
        (line.nested as Record<string, unknown>).secret,
      ],
      Array.from({ length: 5 }, () => '[redacted]'),
    );
  });

  it('redact keys and passwords inside the texts of errors, and leave the values of statements out', () => {
    const secret = `svc_live_${'s'.repeat(43)}`;
    const error = Object.assign(
      new Error(`cannot use ${secret}`, { cause: new Error('postgres://carnet:hunter2@db/carnet') }),
      { values: ['a value'] },
    );
    const text = JSON.stringify(logged((log) => log.error({ err: error }, 'x')));
    assert(text.includes('cannot use [redacted]'));
    assert(text.includes('postgres://carnet:[redacted]@db'));
    assert(!text.includes(secret) && !text.includes('hunter2') && !text.includes('a value'));
  });

  const jwt = `eyJ${'h'.repeat(20)}.eyJ${'p'.repeat(40)}.${'s'.repeat(43)}`;
  for (const [what, secret] of [
    ['an API key', `svc_live_${'s'.repeat(43)}`],
    ['the secret of a webhook', `whsec_${'c2VjcmV0'.repeat(4)}`],
    ['a key of the payment provider', `sk_live_${'a1'.repeat(12)}`],
    ['a key of a model provider', `sk-proj-${'b2'.repeat(20)}`],
    ['a token', jwt],
    ['the cookie of a session', `carnet_session=${'t'.repeat(43)}`],
    ['a bearer token', `Bearer ${'o'.repeat(24)}`],
    ['a code that proves an address', 'the code 493021'],
  ] as const) {
    const hidden = secret.split(/[ =]/).at(-1) ?? '';
    it(`redact ${what} by its form: as a member, deep inside, in a text, in a list, in the message and of a child`, () => {
      const nested = { a: { b: { c: { d: { value: secret } } } } };
      const lines = [
        logged((log) => log.info({ value: secret }, 'x')),
        logged((log) => log.info(nested, 'x')),
        logged((log) => log.info({ text: `before ${secret}, "after"` }, 'x')),
        logged((log) => log.info({ list: [[secret], { text: JSON.stringify({ text: secret }) }] }, 'x')),
        logged((log) => log.info(`it was ${secret}.`)),
        logged((log) => log.child({ by: secret }).warn('x')),
        logged((log) => log.error(new Error(`with ${secret}`))),
      ].map((line) => JSON.stringify(line));
      for (const line of lines) {
        assert(!line.includes(hidden), line);
        assert(line.includes('[redacted]'), line);
      }
    });
  }

  it('redact by the name of a member however deep it stands, and in a JSON text', () => {
    const body = { user: { login: { password: 'hunter2', api_key: 'k"1' } } };
    const line = JSON.stringify(logged((log) => log.info({ a: { b: [body] }, text: JSON.stringify(body) }, 'x')));
    assert(!line.includes('hunter2') && !line.includes('k\\"1'), line);
    assert.equal(line.split('[redacted]').length, 5);
  });

  it('leave ids, hashes, numbers and codes of errors as they are', () => {
    const facts = {
      id: 'inv_01K9ZC4T0M3Q8V6W2X5Y7ZABCD',
      hash: '2f0e8b4c4e2b1a7a0e4b9d7e1c7ad1a5cbe3a1a24ba0a96a54e3c0bb0a3d4c11',
      ms: 123456,
      code: 'INSUFFICIENT_CREDITS',
      state: 'SQL code 23505',
      keyId: 'key_01K9ZC4T0M3Q8V6W2X5Y7ZABCD',
    };
    const line = logged((log) => log.info(facts, 'six digits: 123456'));
    for (const [name, value] of Object.entries(facts)) assert.equal(line[name], value, name);
    assert.equal(line.msg, 'six digits: 123456');
  });
});
