import assert from 'node:assert/strict';
import { CarnetError, invalid } from '../../../src/errors/carnet-error.ts';
import { route } from '../../../src/http/route.ts';
import { assertProblem, type Reply } from '../../support/service.ts';
import { newAdmin, openShell, type Shell } from '../support/shell.ts';
import { things, ThingSchema } from '../support/things.ts';

/** As Chromium and Firefox send it when a person opens an address. */
const browser = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8' };

const hostile = `<script>alert("1")</script>' onload='x\u202e`;

const failing = (name: string, error: () => Error) =>
  route({
    method: 'get',
    path: `/v1/failing-things/${name}`,
    operation: `failingThing${name}`,
    tag: 'skills',
    summary: 'For tests',
    audience: 'public',
    status: 200,
    reply: ThingSchema,
    refusals: ['ENDPOINT_REVOKED', 'VALIDATION_ERROR'],
    handler: () => Promise.reject(error()),
  });

const routes = [
  ...things,
  failing('gone', () => new CarnetError('ENDPOINT_REVOKED', `The endpoint ${hostile} is revoked.`)),
  failing('away', () => new CarnetError('TEMPORARILY_UNAVAILABLE', 'Later.', { headers: { 'Retry-After': '7' } })),
  failing('faulty', () =>
    invalid(
      { path: 'colour', code: 'custom', message: 'must be red' },
      { path: hostile, code: 'unknown_property', message: 'is not a property of this request' },
    ),
  ),
  failing('broken', () => new Error(`secret ${hostile}`)),
];

function assertErrorPage(reply: Reply, status: number, ...texts: (string | RegExp)[]): void {
  assert.equal(reply.status, status, reply.text.slice(0, 400));
  assert.equal(reply.headers.get('content-type'), 'text/html; charset=utf-8');
  assert.equal(reply.headers.get('cache-control'), 'no-store');
  assert.match(reply.headers.get('content-security-policy') ?? '', /frame-ancestors 'none'/);
  assert.equal(reply.headers.get('x-frame-options'), 'DENY');
  const requestId = reply.headers.get('x-request-id') ?? '-';
  for (const text of [`Error ${status}`, requestId, ...texts])
    assert(typeof text === 'string' ? reply.text.includes(text) : text.test(reply.text), `${text} in ${reply.text}`);
  assert.doesNotMatch(reply.text, /<script|\son\w+='|\u202e/);
}

describe('an error in a browser', () => {
  let shell: Shell;

  before(async () => {
    shell = await openShell({ routes });
  });
  after(() => shell.close());

  const open = (path: string, headers = {}) => shell.anonymous.get(path, { ...browser, ...headers });

  it('404: is a page with the code, what to do and the request id', async () => {
    const reply = await open('/nowhere', { 'x-request-id': 'browser-1' });
    assertErrorPage(reply, 404, 'NOT_FOUND', 'href="/"', 'browser-1');
  });

  it('405: is a page that names what the address takes', async () => {
    const reply = await shell.anonymous.post('/docs', undefined, browser);
    assertErrorPage(reply, 405, 'METHOD_NOT_ALLOWED', 'GET, HEAD, OPTIONS');
    assert.equal(reply.headers.get('allow'), 'GET, HEAD, OPTIONS');
  });

  it('401: leads to where people sign in', async () => {
    assertErrorPage(await open('/v1/things/thg_1'), 401, 'href="/dashboard/sign-in"');
  });

  it('410: escapes what it was refused with', async () => {
    assertErrorPage(await open('/v1/failing-things/gone'), 410, '&lt;script&gt;', '[U+202E]');
  });

  it('500: shows nothing of its cause', async () => {
    const reply = await open('/v1/failing-things/broken');
    assertErrorPage(reply, 500, 'The fault is ours');
    assert.doesNotMatch(reply.text, /secret/);
  });

  it('503: names how long to wait', async () => {
    const reply = await open('/v1/failing-things/away');
    assertErrorPage(reply, 503, 'Wait 7 seconds');
    assert.equal(reply.headers.get('retry-after'), '7');
  });

  it('429: names how long to wait', async () => {
    const limited = await openShell({ routes, settings: { ANONYMOUS_RATE_LIMIT_PER_MINUTE: '1' } });
    try {
      await limited.anonymous.get('/docs', browser);
      assertErrorPage(await limited.anonymous.get('/docs', browser), 429, /Wait \d+ seconds/);
    } finally {
      await limited.close();
    }
  });

  it('400: lists every fault, with what was sent as text', async () => {
    const reply = await open('/v1/failing-things/faulty');
    assertErrorPage(reply, 400, '<code>colour</code> must be red', '<code>&lt;script&gt;', 'is not a property');
  });

  it('shows nothing of an address, however hostile', async () => {
    for (const path of [`/${hostile}`, `/v1/things/${hostile}`, `/docs/${encodeURIComponent(hostile)}`, '/%ff'])
      assert.doesNotMatch((await open(encodeURI(path))).text, /alert|%ff/);
  });

  it('is answered to HEAD without a body', async () => {
    const reply = await fetch(`${shell.baseUrl}/nowhere`, { method: 'HEAD', headers: browser });
    assert.deepEqual([reply.status, await reply.text()], [404, '']);
    assert.equal(reply.headers.get('content-type'), 'text/html; charset=utf-8');
  });
});

describe('an error to a program', () => {
  let shell: Shell;

  before(async () => {
    shell = await openShell({ routes });
  });
  after(() => shell.close());

  for (const accept of [
    '*/*',
    'application/json',
    'application/json, text/html;q=0.9',
    'application/problem+json',
    'image/png',
    'text/html;q=0, */*',
  ])
    it(`is a problem where Accept is ${accept}`, async () => {
      assertProblem(await shell.anonymous.get('/nowhere', { accept }), 'NOT_FOUND');
    });

  it('is a problem where it shows a bearer, no matter what it accepts', async () => {
    const admin = await newAdmin(shell);
    assertProblem(await admin.get('/v1/nowhere', browser), 'NOT_FOUND');
    assertProblem(await shell.as('wrong').get('/v1/things/thg_1', browser), 'UNAUTHENTICATED');
  });
});
