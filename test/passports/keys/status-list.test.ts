import assert from 'node:assert/strict';
import { inflateSync } from 'node:zlib';
import { createRemoteJWKSet, jwtVerify } from 'jose';
import { z } from 'zod';
import { sql } from '../../../src/database/pool.ts';
import { statusList } from '../../../src/passports/keys/status-list.ts';
import { eventually } from '../../support/eventually.ts';
import { anonymous, assertProblem, assertStatus } from '../../support/service.ts';
import { issue, openHolder, payloadOf } from '../holders.ts';
import { newPassport, ownServices, revoke, type OwnService, type OwnServices } from '../own-service.ts';

const PATH = '/v1/passports/status-list';
const Day = z.object({ day: z.string() });
const Nothing = z.object({});

interface ListPayload {
  sub: string;
  iat: number;
  exp: number;
  ttl: number;
  status_list: { bits: number; lst: string };
}

describe(`GET ${PATH}`, () => {
  let services: OwnServices;
  let own: OwnService;

  beforeEach(async () => {
    services = await ownServices();
    own = await services.open();
  });
  afterEach(() => services.close());

  const fetched = async (path: string): Promise<ListPayload> => {
    const answer = await own.anonymous.get(path);
    assert.equal(answer.status, 200, answer.text);
    const keys = createRemoteJWKSet(new URL('/.well-known/jwks.json', own.baseUrl), { timeoutDuration: 60_000 });
    return (await jwtVerify<ListPayload>(answer.text, keys, { algorithms: ['EdDSA'], typ: 'statuslist+jwt' })).payload;
  };
  const today = (): Promise<string> =>
    own.context.pool.oneFirst(sql.type(Day)`select ((clock_timestamp() at time zone 'UTC')::date)::text as day`);
  /** Reads something of today's list; again where the day ended meanwhile. */
  const seenToday = async <T>(look: (day: string) => Promise<T>): Promise<T> => {
    for (;;) {
      const day = await today();
      const seen = await look(day);
      if ((await today()) === day) return seen;
    }
  };
  /** Today as the first passport of a day begins it: its list stays when the day is over. */
  const begun = async (): Promise<string> => {
    const day = await today();
    await own.context.pool.query(
      sql.type(
        Nothing,
      )`insert into passport_status_days (day, first) values (${day}, nextval('passport_status_numbers'))`,
    );
    return day;
  };
  const bits = ({ status_list: { lst } }: ListPayload): Buffer => inflateSync(Buffer.from(lst, 'base64url'));
  const bit = (list: Buffer, index: number): number => (list.readUInt8(index >> 3) >> (index & 7)) & 1;

  it('is a signed list of the day, which may be cached for a minute', async () => {
    const answer = await own.anonymous.get(PATH);
    assert.equal(answer.status, 200);
    assert.equal(answer.headers.get('content-type'), 'application/statuslist+jwt');
    assert.equal(answer.headers.get('cache-control'), 'public, max-age=60');
    assert.equal(answer.headers.get('access-control-allow-origin'), '*');
    const { list, day } = await seenToday(async (current) => ({ list: await fetched(PATH), day: current }));
    assert.equal(list.sub, `https://carnet.example.test${PATH}/${day}`);
    assert.equal(list.ttl, 60);
    assert(list.exp > list.iat);
    assert.equal(list.status_list.bits, 1);
    assert(
      bits(list).every((byte) => byte === 0),
      'nothing is revoked',
    );
  });

  it('is not accepted as a passport, though the same key signs it', async () => {
    const { text } = await own.anonymous.get(PATH);
    const verdict = assertStatus(await own.anonymous.post('/v1/passports/verify', { token: text }), 200);
    assert.deepEqual(verdict, { valid: false, reason: 'malformed' });
  });

  it('has the bits of revoked passports, from the least significant, those revoked with an ancestor included', async () => {
    const revoked = [0, 1, 7, 8, 1_000, 65_535];
    const kept = [2, 9, 999, 1_001, 65_536];
    const day = await begun();
    for (const [at, statusIndex] of revoked.entries()) {
      await newPassport(own, { day, statusIndex, revoked: at % 2 === 0 ? 'itself' : 'by an ancestor' });
    }
    for (const statusIndex of kept) await newPassport(own, { day, statusIndex });
    const list = bits(await fetched(`${PATH}/${day}`));
    for (const index of revoked) assert.equal(bit(list, index), 1, `bit ${index}`);
    for (const index of kept) assert.equal(bit(list, index), 0, `bit ${index}`);
    assert.equal(list[0], 0b1000_0011);
    assert.equal(
      list.reduce((sum, byte) => sum + byte.toString(2).replaceAll('0', '').length, 0),
      revoked.length,
    );
  });

  it('shows a revocation within a second or so', async () => {
    const day = await begun();
    const { payload } = await newPassport(own, { day, statusIndex: 12 });
    assert.equal(bit(bits(await fetched(`${PATH}/${day}`)), 12), 0);
    await revoke(own, payload.jti);
    await eventually('the bit to be set', async () => bit(bits(await fetched(`${PATH}/${day}`)), 12) === 1);
  });

  /** How many statements that make a list the database has run. */
  const listsMade = async <T>(work: () => Promise<T>): Promise<number> => {
    const { pool } = own.context;
    const one = pool.one.bind(pool);
    let made = 0;
    const counted: typeof pool.one = (query) => {
      if (query.sql.includes('passport_status_days')) made += 1;
      return one(query);
    };
    Object.assign(own.context, { pool: Object.assign(Object.create(pool), { one: counted }) });
    await work();
    Object.assign(own.context, { pool });
    return made;
  };
  const daysAgo = (days: number): Promise<string> =>
    own.context.pool.oneFirst(
      sql.type(Day)`select ((clock_timestamp() at time zone 'UTC')::date - ${days}::int)::text as day`,
    );

  it('is made once for all requests at the same time', async () => {
    assert.equal(
      await listsMade(() => Promise.all(Array.from({ length: 20 }, () => statusList(own.context, null)))),
      1,
    );
  });

  it('is made once a second however many days are fetched in turn, and however often', async () => {
    const days: string[] = [];
    for (let ago = 0; ago < 12; ago += 1) days.push(await daysAgo(ago));
    await own.context.pool.query(sql.type(Nothing)`
      insert into passport_status_days (day, first)
      select day::date, 1000 - (current_date - day::date) from unnest(${sql.array(days, 'text')}) as day`);
    const startedAt = performance.now();
    const made = await listsMade(async () => {
      for (let round = 0; round < 5; round += 1) {
        for (const day of [...days, '1999-01-01', '2999-01-01'])
          await statusList(own.context, day).catch((error: unknown) => error);
      }
    });
    const seconds = Math.ceil((performance.now() - startedAt) / 1_000);
    assert(made <= 10 * seconds, `${made} lists in ${seconds} s`);
  });

  it('has room for passports that are issued while a copy is in use, and tells nothing smaller than a million', async () => {
    const day = await begun();
    const room = async (): Promise<number> => bits(await fetched(`${PATH}/${day}`)).length * 8;
    assert.equal(await room(), 2 ** 20);
    await own.context.pool.query(sql.type(Nothing)`select setval('passport_status_numbers', 1000000)`);
    await eventually('a list with more room', async () => (await room()) === 2 ** 21);
  });

  it('of an earlier day ends where the next day begins; there is none of a day without passports, to come or a week ago', async () => {
    const [two, three, six, week] = [await daysAgo(2), await daysAgo(3), await daysAgo(6), await daysAgo(7)];
    await own.context.pool.query(sql.type(Nothing)`
      insert into passport_status_days (day, first) values (${week}, 1), (${three}, 2), (${two}, 2000001)`);
    await own.context.pool.query(sql.type(Nothing)`select setval('passport_status_numbers', 2100000)`);
    const list = await fetched(`${PATH}/${three}`);
    assert.equal(list.sub, `https://carnet.example.test${PATH}/${three}`);
    assert.equal(bits(list).length * 8, 2 ** 21, 'room for 1,999,999 and 65,536');
    assert.equal(bits(await fetched(`${PATH}/${two}`)).length * 8, 2 ** 20, 'room for 100,000 and 65,536');
    for (const day of [week, six, '2026-01-01', '2999-01-01', '2026-02-30', '0000-01-01', 'yesterday', '20260102']) {
      assertProblem(await own.anonymous.get(`${PATH}/${day}`), 'NOT_FOUND');
    }
    assert.equal(
      await seenToday(async (day) => (await own.anonymous.get(`${PATH}/${day}`)).status),
      200,
      'but of today, from its first moment',
    );
  });

  describe('has bits that do not tell how many passports were issued', () => {
    it('of one after another', async () => {
      const holder = await openHolder({}, own.place);
      const indexes: number[] = [];
      for (let nth = 0; nth < 12; nth += 1) {
        const { status } = payloadOf((await issue(holder)).token);
        indexes.push(status?.status_list.idx ?? assert.fail('no bit'));
      }
      assert.equal(new Set(indexes).size, indexes.length);
      const steps = indexes.slice(1).map((index, at) => index - (indexes[at] ?? 0));
      assert(new Set(steps).size > 6, `steps of ${steps.join(', ')}`);
      assert(Math.max(...indexes) > 10_000, `they are of a whole block: ${indexes.join(', ')}`);
    });

    it('and each passport has its own: of a block they are a permutation', async () => {
      const Range = z.object({ places: z.number(), least: z.number(), most: z.number() });
      const range = (first: number) =>
        own.context.pool.one(sql.type(Range)`
          select count(distinct place)::int as places, min(place) as least, max(place) as most
          from generate_series(${first}::bigint, ${first + 9_999}::bigint) as nth, status_index_of(nth, '\\x0123'::bytea) as place`);
      const first = await range(0);
      assert.equal(first.places, 10_000);
      assert(first.most > 900_000 && first.most < 2 ** 20 && first.least >= 0);
      const third = await range(2 * 2 ** 20);
      assert.equal(third.places, 10_000);
      assert(third.least >= 2 * 2 ** 20 && third.most < 3 * 2 ** 20);
    });
  });

  it('needs no credential, and takes only GET', async () => {
    assert.equal((await anonymous().get(PATH)).status, 200);
    assertProblem(await anonymous().post(PATH), 'METHOD_NOT_ALLOWED');
  });
});
