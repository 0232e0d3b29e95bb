import { promisify } from 'node:util';
import { deflate } from 'node:zlib';
import { z } from 'zod';
import { LRUCache } from 'lru-cache';
import { defineCache } from '../../context/caches.ts';
import type { Context } from '../../context/context.ts';
import { sql } from '../../database/pool.ts';
import { assertThat, CarnetError, notFound } from '../../errors/carnet-error.ts';
import { activeKey, SIGNING_KEYS_CHANGED } from './signing-keys.ts';

/** Seconds after which a list should be fetched again, and after which it is not to be trusted any more. */
const TTL_SECONDS = 60;
const LIFETIME_SECONDS = 300;
/** A list is made at most once a second a process. */
const FRESH_MS = 1_000;
/**
 * Days that have a list, today included. Tokens live an hour, so a verifier needs two; the others are for those who look back. As many lists are
 * kept in memory, so that nobody who fetches them in turn has each made again.
 */
const DAYS_SHOWN = 7;
const DAY_MS = 86_400_000;
/** Days that our clock cannot rule out, since Postgres' decides, and `today`. */
const NAMES_KEPT = DAYS_SHOWN + 5;
/** Passports whose bits are permuted among each other (status_index_of), and bits by which a list grows: 128 KiB, of zeros 150 bytes. */
const BLOCK_BITS = 2 ** 20;
/** Bits beyond the number of passports, so that those issued while a copy of the list is in use have their bit in it. */
const SPARE_BITS = 65_536;

export const StatusListTokenSchema = z.string().meta({
  id: 'StatusListToken',
  description:
    'A JWT of type `statuslist+jwt` (draft-ietf-oauth-status-list), signed as passports are. `status_list.lst` is zlib ' +
    'in base64url; bit 0 is the least significant of byte 0; a bit of 1 means that the passport is revoked.',
  examples: ['eyJhbGciOiJFZERTQSIs…'],
});

const DayRow = z.object({
  day: z.string(),
  now: z.number(),
  known: z.boolean(),
  numbers: z.number(),
  revoked: z.array(z.number()),
});

/** The lists made lately, by day. */
class StatusLists {
  readonly #context: Context;
  readonly #tokens = new LRUCache<string, Promise<string>>({ max: NAMES_KEPT, ttl: FRESH_MS });

  constructor(context: Context) {
    this.#context = context;
    context.rowEvents.subscribe((id) => {
      if (id === SIGNING_KEYS_CHANGED || id === '*') this.#tokens.clear();
    });
  }

  /** @param day null: today */
  async of(day: string | null): Promise<string> {
    assertThat(day === null || isNear(day), () => notFound('status list'));
    const name = day ?? 'today';
    const known = this.#tokens.get(name);
    if (known !== undefined) return known;
    const token = this.#make(day);
    this.#tokens.set(name, token);
    // That a day has no list is an answer too.
    token.catch(
      (error: unknown) =>
        !(error instanceof CarnetError) && this.#tokens.peek(name) === token && this.#tokens.delete(name),
    );
    return await token;
  }

  async #make(day: string | null): Promise<string> {
    const found = await this.#context.pool.one(dayQuery(day));
    assertThat(found.known, () => notFound('status list'));
    const iat = Math.floor(found.now);
    const list = { bits: 1, lst: await packed(found) };
    const payload = {
      sub: `${this.#context.config.publicBaseUrl}/v1/passports/status-list/${found.day}`,
      iat,
      exp: iat + LIFETIME_SECONDS,
      ttl: TTL_SECONDS,
      status_list: list,
    };
    return (await activeKey(this.#context)).sign(JSON.stringify(payload), 'statuslist+jwt');
  }
}

/**
 * A list exists for today and for each of the days before on which a passport was issued; a day's numbers end where the
 * next day's begin.
 */
const dayQuery = (day: string | null) => sql.type(DayRow)`
  with wanted as (
    select coalesce(${day}::date, today) as day, today
    from (select (clock_timestamp() at time zone 'UTC')::date as today) as clock
  )
  select wanted.day::text as day, extract(epoch from clock_timestamp())::float8 as now,
    wanted.day = today or (d.first is not null and wanted.day > today - ${DAYS_SHOWN}::int) as known,
    coalesce((select first from passport_status_days l where l.day > wanted.day order by l.day limit 1),
      (select last_value + 1 from passport_status_numbers)) - coalesce(d.first, 0) as numbers,
    array(select status_index from passports p where p.status_day = wanted.day and p.revoked_at is not null) as revoked
  from wanted left join passport_status_days d on d.day = wanted.day`;

/** Whether this may be one of the days shown: any other costs neither a query nor a place in memory. */
const isNear = (day: string): boolean => {
  const age = (Date.now() - Date.parse(`${day}T00:00:00Z`)) / DAY_MS;
  return age > -2 && age < DAYS_SHOWN + 2;
};

const zipped = promisify(deflate);

async function packed({ numbers, revoked }: z.infer<typeof DayRow>): Promise<string> {
  const highest = revoked.reduce((most, index) => Math.max(most, index + 1), 0);
  const bits = Math.ceil((Math.max(numbers, highest) + SPARE_BITS) / BLOCK_BITS) * BLOCK_BITS;
  const bytes = Buffer.alloc(bits / 8);
  for (const index of revoked) bytes.writeUInt8(bytes.readUInt8(index >> 3) | (1 << (index & 7)), index >> 3);
  return (await zipped(bytes)).toString('base64url');
}

const statusLists = defineCache((context) => new StatusLists(context));

/**
 * The signed list of the revoked passports of a UTC day, those revoked with an ancestor included.
 * @param day YYYY-MM-DD; null: today, by Postgres' clock
 * @throws CarnetError NOT_FOUND for a day without passports, one to come, or one that is over for a week
 */
export const statusList = (context: Context, day: string | null): Promise<string> =>
  context.caches.get(statusLists).of(day);
