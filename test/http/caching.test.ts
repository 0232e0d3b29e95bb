import assert from 'node:assert/strict';
import { prepareJson } from '../../src/json/prepared.ts';
import { route } from '../../src/http/route.ts';
import { assertStatus, type Requester } from '../support/service.ts';
import { newAdmin, openShell, type Shell } from './support/shell.ts';
import { things, ThingSchema } from './support/things.ts';

const prepared = prepareJson(ThingSchema, { id: 'thg_ä', name: 'prepared 😀' });
const preparedThing = route({
  method: 'get',
  path: '/v1/prepared-things/one',
  operation: 'readPreparedThing',
  tag: 'skills',
  summary: 'For tests',
  audience: 'anyone',
  status: 200,
  reply: ThingSchema,
  cache: 'private, max-age=60',
  handler: async () => ({ status: 200, prepared }),
});

describe('answers that may be kept', () => {
  let shell: Shell;
  let admin: Requester;

  before(async () => {
    shell = await openShell({ routes: [...things, preparedThing] });
    admin = await newAdmin(shell);
  });
  after(() => shell.close());

  it('carry ETag and Cache-Control', async () => {
    const reply = await admin.get('/v1/things/thg_1');
    assertStatus(reply, 200);
    assert.match(reply.headers.get('etag') ?? '', /^"[\w-]{22}"$/);
    assert.equal(reply.headers.get('cache-control'), 'private, no-cache');
  });

  it('have one ETag for one content, another for another', async () => {
    const etag = async (id: string): Promise<string | null> =>
      (await admin.get(`/v1/things/${id}`)).headers.get('etag');
    assert.equal(await etag('thg_1'), await etag('thg_1'));
    assert.notEqual(await etag('thg_1'), await etag('thg_2'));
  });

  for (const form of [
    (etag: string) => etag,
    (etag: string) => `W/${etag}`,
    (etag: string) => `"other", ${etag}`,
    () => '*',
  ]) {
    it(`are 304 without a body to If-None-Match: ${form('"…"')}`, async () => {
      const etag = (await admin.get('/v1/things/thg_1')).headers.get('etag') ?? '';
      const reply = await admin.get('/v1/things/thg_1', { 'if-none-match': form(etag) });
      assert.equal(reply.status, 304);
      assert.equal(reply.text, '');
      assert.equal(reply.headers.get('etag'), etag);
      assert.equal(reply.headers.get('cache-control'), 'private, no-cache');
    });
  }

  it('are sent again to another If-None-Match', async () => {
    assertStatus(await admin.get('/v1/things/thg_1', { 'if-none-match': '"other"' }), 200);
  });

  it('need a credential, no matter what the client has kept', async () => {
    assert.equal((await shell.anonymous.get('/v1/things/thg_1', { 'if-none-match': '*' })).status, 401);
  });

  it('may be prepared once and sent many times', async () => {
    const reply = await admin.get('/v1/prepared-things/one');
    assert.deepEqual(assertStatus(reply, 200), { id: 'thg_ä', name: 'prepared 😀' });
    assert.equal(reply.headers.get('etag'), prepared.etag);
    assert.equal(reply.headers.get('content-length'), String(Buffer.byteLength(reply.text)));
    assert.equal((await admin.get('/v1/prepared-things/one', { 'if-none-match': prepared.etag })).status, 304);
  });
});
