import assert from 'node:assert/strict';
import { createEncryption } from '../../../src/context/encryption.ts';
import { readCursor, signCursor } from '../../../src/http/lists/cursors.ts';
import { z } from 'zod';
import { assertProblem, assertStatus, type Reply, type Requester } from '../../support/service.ts';
import { newAdmin, openShell, type Shell } from '../support/shell.ts';
import { cursorList, offsetAnswer, offsetList, offsetQuery } from '../../../src/http/lists/pagination.ts';
import { route, type AnyRoute } from '../../../src/http/route.ts';
import { ThingSchema, things } from '../support/things.ts';

/** The links of an answer by their relation. */
const linksOf = (reply: Reply): Record<string, string> =>
  Object.fromEntries(
    [...(reply.headers.get('link') ?? '').matchAll(/<([^>]+)>; rel="(\w+)"/g)].map(([, target, relation]) => [
      relation,
      target,
    ]),
  );

const idsOf = (reply: Reply): string[] =>
  (assertStatus(reply, 200).things as { id: string }[]).map((thing) => thing.id);
const named = (from: number, to: number): string[] =>
  Array.from({ length: to - from }, (_, index) => `thg_${from + index}`);

describe('lists by offset', () => {
  let shell: Shell;
  let admin: Requester;

  before(async () => {
    shell = await openShell({ routes: things });
    admin = await newAdmin(shell);
  });
  after(() => shell.close());

  it('answer the first 20 with total, limit and offset', async () => {
    const reply = await admin.get('/v1/things/mine');
    assert.deepEqual(idsOf(reply), named(0, 20));
    assert.deepEqual({ ...reply.body, things: [] }, { things: [], total: 45, limit: 20, offset: 0 });
  });

  it('link to the pages beside, filters kept, with paths alone', async () => {
    const reply = await admin.get('/v1/things/mine?colour=red&limit=20&offset=20');
    assert.deepEqual(linksOf(reply), {
      prev: '/v1/things/mine?colour=red&limit=20&offset=0',
      next: '/v1/things/mine?colour=red&limit=20&offset=40',
    });
  });

  it('can be read to the end by following next', async () => {
    const ids: string[] = [];
    for (let next: string | undefined = '/v1/things/mine?limit=7'; next !== undefined;) {
      const reply: Reply = await admin.get(next);
      ids.push(...idsOf(reply));
      next = linksOf(reply).next;
    }
    assert.deepEqual(ids, named(0, 45));
  });

  it('answer nothing past the end, and link back', async () => {
    const reply = await admin.get('/v1/things/mine?offset=60');
    assert.deepEqual(idsOf(reply), []);
    assert.deepEqual(Object.keys(linksOf(reply)), ['prev']);
  });
});

describe('lists by cursor', () => {
  let shell: Shell;
  let admin: Requester;

  before(async () => {
    shell = await openShell({ routes: things });
    admin = await newAdmin(shell);
  });
  after(() => shell.close());

  const cursorOf = async (path: string): Promise<string> =>
    String(assertStatus(await admin.get(path), 200).next_cursor);

  it('can be read to the end, by cursor as by link', async () => {
    const first = await admin.get('/v1/things/a/history?limit=30');
    assert.deepEqual(idsOf(first), named(0, 30));
    assert.equal(first.body.has_more, true);
    assert.equal(linksOf(first).next, `/v1/things/a/history?limit=30&cursor=${String(first.body.next_cursor)}`);
    const second = await admin.get(linksOf(first).next ?? '');
    assert.deepEqual(idsOf(second), named(30, 45));
    assert.equal(second.body.has_more, false);
    assert.equal(second.body.next_cursor, null);
    assert.equal(second.headers.get('link'), null);
  });

  it('may change the length of the page on the way', async () => {
    const cursor = await cursorOf('/v1/things/a/history?limit=5');
    assert.deepEqual(idsOf(await admin.get(`/v1/things/a/history?limit=2&cursor=${cursor}`)), named(5, 7));
  });

  describe('refuse a cursor with 400 INVALID_CURSOR', () => {
    const refused: [what: string, path: (cursor: string) => string][] = [
      ['that is empty', () => 'a/history?cursor='],
      ['that is no cursor', () => 'a/history?cursor=abc'],
      ['that was cut', (cursor) => `a/history?cursor=${cursor.slice(0, -1)}`],
      ['with a sign that no cursor has', (cursor) => `a/history?cursor=${cursor}!`],
      ['that was lengthened', (cursor) => `a/history?cursor=${cursor}A`],
      [
        'with another content',
        (cursor) =>
          `a/history?cursor=${Buffer.from('{"s":"","p":{"index":0},"e":9e15}').toString('base64url')}.${cursor.split('.')[1]}`,
      ],
      ['with another mac', (cursor) => `a/history?cursor=${cursor.split('.')[0]}.${'A'.repeat(43)}`],
      ['under a filter', (cursor) => `a/history?colour=red&cursor=${cursor}`],
      ['of another thing', (cursor) => `b/history?cursor=${cursor}`],
    ];
    for (const [what, path] of refused) {
      it(what, async () => {
        const cursor = await cursorOf('/v1/things/a/history?limit=5');
        assertProblem(await admin.get(`/v1/things/${path(cursor)}`), 'INVALID_CURSOR', 'query.cursor');
      });
    }

    it('of another operator', async () => {
      const cursor = await cursorOf('/v1/things/a/history?limit=5');
      const other = await newAdmin(shell);
      assertProblem(await other.get(`/v1/things/a/history?cursor=${cursor}`), 'INVALID_CURSOR');
      assertStatus(await admin.get(`/v1/things/a/history?cursor=${cursor}`), 200);
    });
  });

  describe('keep a cursor', () => {
    const keys = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)] as const;
    const scope = { list: 'things', operatorId: 'op_1', filters: { colour: 'red' } };
    const Position = z.object({ index: z.int() });

    it('when ENCRYPTION_KEY gets a new first key, until the old one leaves the list', () => {
      const cursor = signCursor(createEncryption([keys[0]]), scope, { position: { index: 7 } });
      assert.deepEqual(readCursor(createEncryption([keys[1], keys[0]]), scope, { cursor, position: Position }), {
        index: 7,
      });
      assert.throws(() => readCursor(createEncryption([keys[1]]), scope, { cursor, position: Position }), {
        code: 'INVALID_CURSOR',
      });
    });

    it('for 24 hours', () => {
      const encryption = createEncryption([keys[0]]);
      const realNow = Date.now;
      try {
        Date.now = () => realNow() - 24 * 3_600_000 - 1_000;
        const expired = signCursor(encryption, scope, { position: { index: 7 } });
        Date.now = () => realNow() - 24 * 3_600_000 + 60_000;
        const kept = signCursor(encryption, scope, { position: { index: 7 } });
        Date.now = realNow;
        assert.throws(() => readCursor(encryption, scope, { cursor: expired, position: Position }), {
          code: 'INVALID_CURSOR',
        });
        assert.deepEqual(readCursor(encryption, scope, { cursor: kept, position: Position }), { index: 7 });
      } finally {
        Date.now = realNow;
      }
    });
  });
});

describe('a page of large items', () => {
  /** Ten items of 300 KiB each: three are a page. */
  const large = Array.from({ length: 10 }, (_, at) => ({ id: `thg_${at}`, name: 'x'.repeat(307_200) }));
  const pages = cursorList({
    name: 'things',
    item: ThingSchema,
    position: z.object({ at: z.int() }),
    maximum: 50,
    standard: 20,
  });
  const common = { method: 'get', tag: 'skills', summary: 'For tests', audience: 'anyone', status: 200 } as const;
  const byOffset = route({
    ...common,
    path: '/v1/large-things',
    operation: 'listLargeThings',
    query: z.object(offsetQuery),
    reply: offsetList('things', ThingSchema),
    handler: async ({ query }) =>
      offsetAnswer('things', {
        items: large.slice(query.offset, query.offset + query.limit),
        total: large.length,
        query,
      }),
  });
  const byCursor = route({
    ...common,
    path: '/v1/large-things/history',
    operation: 'listLargeThingHistory',
    query: z.object(pages.query),
    reply: pages.reply,
    refusals: ['INVALID_CURSOR'],
    handler: async (request) => {
      const from = pages.after(request)?.at ?? 0;
      const rows = large.map((thing, at) => ({ ...thing, at: at + 1 })).slice(from, from + request.query.limit + 1);
      return pages.answer(request, rows, ({ at }) => ({ at }));
    },
  });
  const routes: AnyRoute[] = [byOffset, byCursor];

  for (const path of ['/v1/large-things?limit=8', '/v1/large-things/history?limit=8'])
    it(`of ${path} ends by bytes, and the next one begins there`, async () => {
      const shell = await openShell({ routes });
      try {
        const admin = await newAdmin(shell);
        const sizes: number[] = [];
        const ids: string[] = [];
        for (let next: string | undefined = path; next !== undefined;) {
          const reply: Reply = await admin.get(next);
          ids.push(...idsOf(reply));
          sizes.push(idsOf(reply).length);
          assert(reply.text.length <= 1_048_576 + 1_000, `${reply.text.length} bytes`);
          next = linksOf(reply).next;
        }
        assert.deepEqual(sizes, [3, 3, 3, 1]);
        assert.deepEqual(ids, named(0, 10));
      } finally {
        await shell.close();
      }
    });
});
