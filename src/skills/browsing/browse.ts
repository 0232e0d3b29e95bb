import type { FragmentSqlToken } from 'slonik';
import { z } from 'zod';
import { isPlatform, type Caller } from '../../commands/caller.ts';
import { textArray } from '../../database/columns.ts';
import { sql, type CommonQueryMethods } from '../../database/pool.ts';
import { onTheMarket, ListedSkillRow, listedColumns, listedJoin } from '../queries.ts';
import type { BrowsePosition, BrowseQuery } from './schema.ts';
import {
  countsLooked,
  countsOf,
  findTerms,
  hasAny,
  lookedAt,
  lookedAtByWords,
  MAX_LOOKED_AT,
  scoreOfText,
  searchWords,
  skillsLooked,
  type Looked,
  type Term,
} from './terms.ts';

const FoundRow = ListedSkillRow.extend({
  /** By which the list is in order, highest first; the id decides among equal ones. */
  key: z.int(),
});
type FoundRow = z.output<typeof FoundRow>;

interface SkillPage {
  rows: readonly FoundRow[];
  /** Counted among the skills that the search looked at. */
  total: number;
  /** How many skills have each word, as the next page needs it. */
  found: number[];
  /** The last skill that was looked at, where a shorter page goes on behind it. */
  end: Pick<BrowsePosition, 'key' | 'id'> | null;
}

const Count = z.object({ count: z.int() });
const LastLooked = z.object({ id: z.string(), key: z.int(), looked: z.int() });

interface Asked {
  query: BrowseQuery;
  after: BrowsePosition | null;
}

/**
 * One page of the marketplace, one row longer than its limit where there is more. A status other than active shows the caller's own skills; the
 * platform sees everybody's.
 */
export async function browseSkills(
  pool: CommonQueryMethods,
  caller: Caller,
  { query, after }: Asked,
): Promise<SkillPage> {
  const typed = query.q ?? query.search ?? '';
  const words = searchWords(typed);
  const nothing = { rows: [], total: 0, found: [], end: null };
  if (typed.trim() !== '' && words.length === 0) return nothing;
  const terms = await findTerms(pool, { words, begins: true, found: after?.found });
  const byWords = lookedAtByWords(terms);
  const isMarket = query.status === undefined || query.status === 'active';
  if (isMarket && words.length > 0 && byWords === null) return nothing;
  const chosen = isMarket ? await chooseLooked(pool, query, byWords) : ownOf(caller, query);
  const looked = chosen ?? marketInOrder(query, after);
  const conditions = conditionsOf(caller, query);
  if (terms.length > 0 && looked !== byWords?.ids) conditions.push(hasAny(terms));
  const { rows, total } = await matchingSkills(pool, { query, after, terms, looked, conditions });
  const end = chosen === null && rows.length <= query.limit ? await lastLooked(pool, query, looked) : null;
  return { rows, total, found: countsOf(terms), end };
}

const ownOf = (caller: Caller, query: BrowseQuery): FragmentSqlToken =>
  sql.fragment`(select s.id from skills s where ${sql.join(whoseStatus(caller, query), sql.fragment` and `)})`;

/** Microseconds since 1970: the order of time as an integer. */
const createdAt = sql.fragment`(extract(epoch from s.created_at) * 1000000)::bigint`;

/**
 * The order of each sort, as an integer, highest first. The counts are those of `c`; two of them have indexes, in which each call that counts moves
 * its skill.
 */
const keyOf: Record<BrowseQuery['sort'], (query: BrowseQuery, terms: readonly Term[]) => FragmentSqlToken> = {
  relevance: ({ tags = [] }, terms) =>
    terms.length === 0 && tags.length === 0
      ? createdAt
      : sql.fragment`(${scoreOfText(terms)} * 1000000)::bigint * 64 + ${tags.length > 1 ? tagsInCommon(tags) : sql.fragment`0`}`,
  newest: () => createdAt,
  price: () => sql.fragment`-s.price_per_invocation`,
  rating: () => sql.fragment`c.rating_order`,
  most_used: () => sql.fragment`c.invocation_count`,
};

/** The whole market in the order of a sort, from where the page before ended: each is that of an index. */
function marketInOrder(
  { sort, max_price_cents: maximum }: BrowseQuery,
  after: BrowsePosition | null,
): FragmentSqlToken {
  const before = (columns: FragmentSqlToken, key: FragmentSqlToken) =>
    after === null ? sql.fragment`true` : sql.fragment`${columns} < (${key}, ${after.id})`;
  const key = sql.fragment`${after?.key ?? 0}::bigint`;
  if (sort === 'price')
    return sql.fragment`(
      select id from skills where status = 'active' and ${before(sql.fragment`(-price_per_invocation, id)`, key)}
        and ${maximum === undefined ? sql.fragment`true` : sql.fragment`-price_per_invocation >= -${maximum}::bigint`}
      order by -price_per_invocation desc, id desc limit ${MAX_LOOKED_AT})`;
  if (sort === 'rating')
    return sql.fragment`(
      select skill_id as id from skill_counts where ${before(sql.fragment`(rating_order, skill_id)`, key)}
      order by rating_order desc, skill_id desc limit ${MAX_LOOKED_AT})`;
  if (sort === 'most_used')
    return sql.fragment`(
      select skill_id as id from skill_counts where ${before(sql.fragment`(invocation_count, skill_id)`, key)}
      order by invocation_count desc, skill_id desc limit ${MAX_LOOKED_AT})`;
  return sql.fragment`(
    select id from skills where status = 'active'
      and ${before(sql.fragment`(created_at, id)`, sql.fragment`timestamptz 'epoch' + ${key} * interval '1 microsecond'`)}
    order by created_at desc, id desc limit ${MAX_LOOKED_AT})`;
}

/**
 * The skills on the market that are looked at: those that have the words, the tags or the price, whichever are few enough to be looked at wholly. Where none
 * are, the best for the words, or the newest of the tags; null without both: the market in its order.
 */
async function chooseLooked(
  pool: CommonQueryMethods,
  query: BrowseQuery,
  byWords: Looked | null,
): Promise<FragmentSqlToken | null> {
  const { tags = [], max_price_cents: maximum, sort } = query;
  const ways = [
    ...(byWords === null ? [] : [byWords]),
    ...(tags.length === 0 ? [] : [await lookedAtByTags(pool, query)]),
    ...(maximum === undefined || sort === 'price' ? [] : [await lookedAtByPrice(pool, maximum)]),
  ];
  const whole = ways.find(({ found }) => found < MAX_LOOKED_AT);
  const isNamed = byWords !== null || tags.length > 0;
  return (whole ?? (isNamed ? ways[0] : undefined))?.ids ?? null;
}

async function lookedAtByTags(pool: CommonQueryMethods, { tags = [], tags_match }: BrowseQuery): Promise<Looked> {
  const counted = await pool.any(sql.type(z.object({ entry: z.string(), found: z.int() }))`
    select entry, entries_found(array[entry], ${MAX_LOOKED_AT}) as found
    from unnest(${textArray(tags.map((tag) => `#${tag}`))}) entry order by found, entry`);
  const needed = tags_match === 'all' ? counted.slice(0, 1) : counted;
  return {
    ids: lookedAt(needed.map(({ entry }) => entry)),
    found: needed.reduce((sum, { found }) => sum + found, 0),
  };
}

async function lookedAtByPrice(pool: CommonQueryMethods, maximum: number): Promise<Looked> {
  const ids = sql.fragment`(
    select id from skills where status = 'active' and -price_per_invocation >= -${maximum}::bigint
    order by -price_per_invocation desc, id desc limit ${MAX_LOOKED_AT})`;
  return { ids, found: await pool.oneFirst(sql.type(Count)`select count(*) from ${ids} cheap`) };
}

/** Where a look at the market in its order ended; null at the end of the market. */
async function lastLooked(
  pool: CommonQueryMethods,
  query: BrowseQuery,
  looked: FragmentSqlToken,
): Promise<SkillPage['end']> {
  const last = await pool.maybeOne(sql.type(LastLooked)`
    with looked as materialized ${looked}
    select s.id, ${keyOf[query.sort](query, [])} as key, count(*) over () as looked
    from ${skillsLooked} ${countsNeeded(query)} order by key, s.id limit 1`);
  return last !== null && last.looked === MAX_LOOKED_AT ? { key: last.key, id: last.id } : null;
}

const countsNeeded = ({ sort }: BrowseQuery): FragmentSqlToken =>
  sort === 'rating' || sort === 'most_used' ? countsLooked : sql.fragment``;

interface Matching extends Asked {
  terms: readonly Term[];
  /** Ids of the skills that are looked at. */
  looked: FragmentSqlToken;
  conditions: FragmentSqlToken[];
}

/** One query both counts and orders the matches; the total of a page further is that of the first. */
async function matchingSkills(
  pool: CommonQueryMethods,
  { query, after, terms, looked, conditions }: Matching,
): Promise<Pick<SkillPage, 'rows' | 'total'>> {
  const matches = sql.fragment`
    with looked as materialized ${looked},
    matches as materialized (
      select s.id, ${keyOf[query.sort](query, terms)} as key
      from ${skillsLooked} ${countsNeeded(query)} where ${sql.join(conditions, sql.fragment` and `)}
    )`;
  const beyond =
    after === null ? sql.fragment`` : sql.fragment`where (m.key, m.id) < (${after.key}::bigint, ${after.id})`;
  const rows = await pool.any(sql.type(FoundRow.extend({ total: z.int() }))`
    ${matches},
    page as (
      select m.id, m.key from matches m ${beyond}
      order by m.key desc, m.id desc limit ${query.limit + 1} offset ${after === null ? query.offset : 0}
    )
    select ${listedColumns}, page.key, (select count(*) from matches) as total
    from page join skills s using (id) ${listedJoin} order by page.key desc, page.id desc`);
  const total =
    after?.total ??
    rows[0]?.total ??
    (query.offset === 0 ? 0 : await pool.oneFirst(sql.type(Count)`${matches} select count(*) from matches`));
  return { rows: rows.map(({ total: _total, ...row }) => row), total };
}

function whoseStatus(caller: Caller, { status = 'active' }: BrowseQuery): FragmentSqlToken[] {
  if (status === 'active') return [onTheMarket];
  const ofStatus = sql.fragment`s.status = ${status}`;
  if (isPlatform(caller)) return [ofStatus];
  // A passport buys: it sees of its operator's skills what others see.
  return [
    ofStatus,
    caller.kind === 'passport' ? sql.fragment`false` : sql.fragment`s.operator_id = ${caller.operatorId}`,
  ];
}

function conditionsOf(caller: Caller, query: BrowseQuery): FragmentSqlToken[] {
  const { trust_level, max_trust_level, max_price_cents: maximum, tags = [], tags_match } = query;
  const conditions = whoseStatus(caller, query);
  if (trust_level !== undefined) conditions.push(sql.fragment`s.trust_level_required = ${trust_level}`);
  if (max_trust_level !== undefined) conditions.push(sql.fragment`s.trust_level_required <= ${max_trust_level}`);
  if (maximum !== undefined) conditions.push(sql.fragment`s.price_per_invocation <= ${maximum}`);
  if (tags.length > 0)
    conditions.push(
      tags_match === 'all' ? sql.fragment`s.tags @> ${textArray(tags)}` : sql.fragment`s.tags && ${textArray(tags)}`,
    );
  return conditions;
}

/** The list is one parameter: a text that grew with the number of tags would be another statement for each number. */
const tagsInCommon = (tags: readonly string[]): FragmentSqlToken =>
  sql.fragment`(select count(*) from unnest(${textArray(tags)}) wanted where wanted = any(s.tags))`;
