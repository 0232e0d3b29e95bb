import assert from 'node:assert/strict';
import { things } from './support/things.ts';
import { newAdmin, openShell, type Shell } from './support/shell.ts';
import { exchangeBytes, statusOf } from './support/raw.ts';
import { assertProblem, assertStatus, type Requester } from '../support/service.ts';

const MIB = 1_048_576;

describe('bodies of requests', () => {
  let shell: Shell;
  let admin: Requester;

  before(async () => {
    shell = await openShell({ routes: things });
    admin = await newAdmin(shell);
  });
  after(() => shell.close());

  const faulty: [what: string, body: string, path: string, code: string][] = [
    ['cut off', '{"name": "x"', 'body', 'malformed_json'],
    ['not JSON', 'name=x', 'body', 'malformed_json'],
    ['followed by more', '{"name": "x"} {}', 'body', 'malformed_json'],
    ['with a duplicate member', '{"name": "x", "name": "y"}', 'name', 'duplicate_member'],
    ['with a duplicate member in escapes', '{"name": "x", "\\u006eame": "y"}', 'name', 'duplicate_member'],
    ['with a member __proto__', '{"name": "x", "__proto__": {"size": 1}}', '__proto__', 'forbidden_member'],
    ['with NUL', '{"name": "a\\u0000b"}', 'name', 'nul_character'],
    ['with a lone surrogate', '{"name": "\\ud800"}', 'name', 'lone_surrogate'],
    ['nested too deep', `{"name": "x", "free": ${'['.repeat(100)}${']'.repeat(100)}}`, 'free', 'too_deep'],
    ['nested a hundred thousand deep', `${'['.repeat(100_000)}${']'.repeat(100_000)}`, '', 'too_deep'],
    ['with a number beyond doubles', '{"name": "x", "size": 1e400}', 'size', 'number_overflow'],
    ['with an integer beyond 2^53', '{"name": "x", "size": 9007199254740993}', 'size', 'unsafe_integer'],
    ['without what is required', '{}', 'name', 'required'],
    ['empty', '', 'name', 'required'],
    ['with an unknown property', '{"name": "x", "nmae": "y"}', 'nmae', 'unknown_property'],
    [
      'with an unknown property inside',
      '{"name": "x", "parts": [{"label": "a", "lable": "b"}]}',
      'parts.0.lable',
      'unknown_property',
    ],
    ['without a property inside', '{"name": "x", "parts": [{"label": "a"}, {}]}', 'parts.1.label', 'required'],
    ['with a wrong type', '{"name": 7}', 'name', 'invalid_type'],
    ['with null', '{"name": null}', 'name', 'invalid_type'],
    ['with a text too long', JSON.stringify({ name: 'x'.repeat(129) }), 'name', 'too_big'],
    ['with a fault in a chosen shape', '{"name": "x", "shape": {"kind": "round"}}', 'shape.radius', 'required'],
    ['that is an array', '[]', 'body', 'invalid_type'],
    ['that is a string', '"name"', 'body', 'invalid_type'],
    ['that is null', 'null', 'body', 'invalid_type'],
  ];
  for (const [what, body, path, code] of faulty) {
    it(`are 400 when ${what}, naming the fault`, async () => {
      const reply = await admin.post('/v1/things', body);
      assertProblem(reply, 'VALIDATION_ERROR');
      const faults = reply.body.errors as { path: string; code: string; message: string }[];
      const fault = faults.find((one) => one.code === code);
      assert(fault !== undefined, `expected ${code}, got ${JSON.stringify(faults)}`);
      if (path !== '')
        assert(fault.path === path || fault.path.startsWith(`${path}.`), `expected ${path}, got ${fault.path}`);
      assert(String(reply.body.detail).includes(fault.message));
    });
  }

  it('are 400 naming every fault in one answer', async () => {
    const reply = await admin.post('/v1/things', { size: 'big', colour: 'red', parts: 'none' });
    assertProblem(reply, 'VALIDATION_ERROR');
    const paths = (reply.body.errors as { path: string }[]).map((fault) => fault.path);
    assert.deepEqual(paths.toSorted(), ['colour', 'name', 'parts', 'size']);
  });

  it('are 400 naming a hundred faults where there are more, and the first one of a large body', async () => {
    const members = (count: number) => Object.fromEntries(Array.from({ length: count }, (_none, at) => [`k${at}`, 0]));
    const items = (count: number) => Array.from({ length: count }, () => 0);
    const faultsIn = async (body: unknown): Promise<number> => {
      const reply = await admin.post('/v1/things', body);
      assertProblem(reply, 'VALIDATION_ERROR');
      return (reply.body.errors as unknown[]).length;
    };
    assert.equal(await faultsIn(members(1_000)), 100);
    assert.equal(await faultsIn({ name: 'x', parts: items(1_000) }), 100);
    assert((await faultsIn(members(20_000))) <= 100);
    assert.equal(await faultsIn({ name: 'x', parts: items(20_000) }), 1);
  });

  it('are 400 with more values than the route takes, counted before they are parsed', async () => {
    const values = (count: number): string => `[${'0,'.repeat(count - 2)}0]`;
    const sent = async (free: string): Promise<unknown> => {
      const reply = await admin.post('/v1/things', `{"name": "x", "free": ${free}}`);
      return reply.status === 201 ? 'taken' : (reply.body.errors as [unknown])[0];
    };
    const tooMany = {
      path: 'body',
      code: 'too_many_values',
      message:
        'The body holds more than 25,000 values, where a number counts one for each 25 characters, a text two, an object four and a member seven more than its value; send fewer.',
    };
    // The body, two members and the name are twenty more; the root of the list is one of its values.
    assert.equal(await sent(values(24_980)), 'taken');
    assert.deepEqual(await sent(values(24_981)), tooMany);
    assert.deepEqual(await sent(`${values(200_000)} and no JSON`), tooMany);
    assert.equal(await sent(JSON.stringify('[,{"\\'.repeat(100_000))), 'taken');
    // Each of the 24,980 that are left is 25 characters of one number.
    const digits = (count: number): string => `0.${'1'.repeat(count - 2)}`;
    assert.equal(await sent(digits(24_980 * 25)), 'taken');
    assert.deepEqual(await sent(digits(24_980 * 25 + 1)), tooMany);
    assert.deepEqual(await sent(`[${`${digits(600)},`.repeat(1_600)}0]`), tooMany);
  });

  it('are 400 where they are not UTF-8', async () => {
    const head = `POST /v1/things HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${admin.key}\r\nContent-Type: application/json\r\nConnection: close\r\n`;
    const body = Buffer.concat([Buffer.from('{"name": "'), Buffer.from([0xc3, 0x28]), Buffer.from('"}')]);
    const answer = await exchangeBytes(
      shell.port,
      Buffer.concat([Buffer.from(`${head}Content-Length: ${body.length}\r\n\r\n`), body]),
    );
    assert.equal(statusOf(answer), 400);
    assert.match(answer, /"code":"invalid_utf8"/);
  });

  for (const [what, body] of [
    ['a text', JSON.stringify({ name: 'x'.repeat(2 * MIB) })],
    ['an array', JSON.stringify({ name: 'x', free: Array.from({ length: MIB }, () => 1) })],
    ['spaces', ' '.repeat(2 * MIB)],
    ['digits', '1'.repeat(2 * MIB)],
    ['brackets', '['.repeat(2 * MIB)],
  ] as const) {
    it(`are 413 when they are 2 MiB of ${what}`, async () => {
      assertProblem(await admin.post('/v1/things', body), 'BODY_TOO_LARGE');
    });
  }

  it('are 413 over the limit of their own route, and taken just under it', async () => {
    const empty = JSON.stringify({ name: '' }).length;
    assertProblem(await admin.patch('/v1/things/thg_1', { name: 'x'.repeat(2_049 - empty) }), 'BODY_TOO_LARGE');
    assertStatus(await admin.patch('/v1/things/thg_1', { name: 'x'.repeat(2_048 - empty) }), 200);
  });

  it('are 413 when they are sent in chunks and never say how long they are', async () => {
    const chunk = `10000\r\n${'x'.repeat(0x10000)}\r\n`;
    const head = `POST /v1/things HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${admin.key}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`;
    const answer = await exchangeBytes(shell.port, `${head}${chunk.repeat(32)}`, /"code":"BODY_TOO_LARGE".*\}$/s);
    assert.equal(statusOf(answer), 413);
  });

  it('leave a connection usable after a 413', async () => {
    const big = 'x'.repeat(MIB + 1);
    const head = (length: number): string =>
      `POST /v1/things HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${admin.key}\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n`;
    const small = '{"name":"after"}';
    const answer = await exchangeBytes(
      shell.port,
      `${head(big.length)}\r\n${big}${head(small.length)}Connection: close\r\n\r\n${small}`,
    );
    assert.equal(statusOf(answer), 413);
    assert.match(answer, /HTTP\/1\.1 201 Created/);
  });

  for (const [what, headers] of [
    ['no media type', { 'content-type': '' }],
    ['form fields', { 'content-type': 'application/x-www-form-urlencoded' }],
    ['another charset', { 'content-type': 'application/json; charset=latin1' }],
    ['compression', { 'content-encoding': 'gzip' }],
  ] as const) {
    it(`are 415 with ${what}`, async () => {
      assertProblem(await admin.post('/v1/things', '{"name": "x"}', headers), 'UNSUPPORTED_MEDIA_TYPE');
    });
  }

  for (const type of ['application/json;charset=utf-8', 'Application/JSON; charset="UTF-8"']) {
    it(`are taken as ${type}`, async () => {
      assertStatus(await admin.post('/v1/things', '{"name": "x"}', { 'content-type': type }), 201);
    });
  }

  describe('that a route does not want', () => {
    it('may be missing or {}', async () => {
      assertStatus(await admin.post('/v1/things/thg_1/polish'), 200);
      assertStatus(await admin.post('/v1/things/thg_1/polish', {}), 200);
    });

    it('are 400 with any property', async () => {
      assertProblem(await admin.post('/v1/things/thg_1/polish', { hard: true }), 'VALIDATION_ERROR', 'hard');
    });
  });

  it('keep what was sent: characters beyond 16 bits, escapes, 1E30', async () => {
    const reply = await admin.post('/v1/things', '{"name": "\\ud83d\\ude00 ä 😀", "size": 1E30}');
    assert.equal(assertStatus(reply, 201).name, '😀 ä 😀');
  });
});
