import assert from 'node:assert/strict';
import { inflateSync } from 'node:zlib';
import { createRemoteJWKSet, jwtVerify } from 'jose';
import { z } from 'zod';
import { sql } from '../../../src/database/pool.ts';
import { statusList } from '../../../src/passports/keys/status-list.ts';
import { eventually } from '../../support/eventually.ts';
import { anonymous, assertProblem, assertStatus } from '../../support/service.ts';
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
      sql.type(Nothing)`insert into passport_status_days values (${day}, nextval('passport_status_numbers'))`,
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

  it('is made once for all requests at the same time', async () => {
    const lists = new Set(Array.from({ length: 20 }, () => statusList(own.context, null)));
    assert.equal(lists.size, 1);
    await Promise.all(lists);
  });

  it('has room for passports that are issued while a copy is in use', async () => {
    const day = await begun();
    await own.context.pool.query(sql.type(Nothing)`select setval('passport_status_numbers', 100000)`);
    const room = bits(await fetched(`${PATH}/${day}`)).length * 8;
    assert(room >= 100_000 + 65_536, `${room} bits`);
    assert.equal(Math.log2(room) % 1, 0, 'a power of two reveals little about how many passports there are');
  });

  it('of an earlier day ends where the next day begins; there is none of a day without passports or in the future', async () => {
    await own.context.pool.query(sql.type(Nothing)`
      insert into passport_status_days values ('2026-01-02', 1), ('2026-01-03', 200001)`);
    await own.context.pool.query(sql.type(Nothing)`select setval('passport_status_numbers', 2000000)`);
    const list = await fetched(`${PATH}/2026-01-02`);
    assert.equal(list.sub, `https://carnet.example.test${PATH}/2026-01-02`);
    assert.equal(bits(list).length * 8, 2 ** 19, 'room for 200,000 and 65,536');
    assert.equal(bits(await fetched(`${PATH}/2026-01-03`)).length * 8, 2 ** 21, 'room for 1,800,000 and 65,536');
    for (const day of ['2026-01-01', '2999-01-01', '2026-02-30', '0000-01-01', 'yesterday', '20260102']) {
      assertProblem(await own.anonymous.get(`${PATH}/${day}`), 'NOT_FOUND');
    }
    assert.equal(
      await seenToday(async (day) => (await own.anonymous.get(`${PATH}/${day}`)).status),
      200,
      'but of today, from its first moment',
    );
  });

  it('needs no credential, and takes only GET', async () => {
    assert.equal((await anonymous().get(PATH)).status, 200);
    assertProblem(await anonymous().post(PATH), 'METHOD_NOT_ALLOWED');
  });
});
