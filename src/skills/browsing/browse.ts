import type { FragmentSqlToken } from 'slonik';
import { z } from 'zod';
import { isPlatform, type Caller } from '../../commands/caller.ts';
import { textArray } from '../../database/columns.ts';
import { sql, type DatabasePool } from '../../database/pool.ts';
import type { BrowsePosition, BrowseQuery } from './schema.ts';
import { choiceOf, findTerms, scoreOfText, searchWords, type SearchTerms } from './terms.ts';
import { onTheMarket, ListedSkillRow, listedColumns, listedJoin } from '../queries.ts';

const FoundRow = ListedSkillRow.extend({
  /** By which the list is in order, highest first; the id decides among equal ones. */
  key: z.int(),
});
type FoundRow = z.output<typeof FoundRow>;

interface SkillPage {
  rows: readonly FoundRow[];
  total: number;
  /** How many skills have each word, as the next page needs it. */
  found: number[];
}

const Count = z.object({ count: z.int() });

/**
 * One page of the marketplace, one row longer than its limit where there is more. A status other than active shows the caller's own skills; the
 * platform sees everybody's.
 */
export async function browseSkills(
  pool: DatabasePool,
  caller: Caller,
  { query, after }: { query: BrowseQuery; after: BrowsePosition | null },
): Promise<SkillPage> {
  const { tags = [], sort } = query;
  const typed = query.q ?? query.search ?? '';
  const words = searchWords(typed);
  if (typed.trim() !== '' && words.length === 0) return { rows: [], total: 0, found: [] };
  if (words.length === 0 && (sort === 'newest' || (sort === 'relevance' && tags.length === 0)))
    return await newestSkills(pool, caller, { query, after });
  const terms = await findTerms(pool, { words, begins: true, found: after?.found });
  if (words.length > 0 && choiceOf(terms) === null) return { rows: [], total: 0, found: [] };
  return { ...(await matchingSkills(pool, caller, { query, after, terms })), found: terms.found };
}

interface Asked {
  query: BrowseQuery;
  after: BrowsePosition | null;
}

/** Microseconds since 1970: the order of time as an integer. */
const createdAt = sql.fragment`(extract(epoch from s.created_at) * 1000000)::bigint`;

/** Without words the index has the order of the list already, and is enough for the count. */
async function newestSkills(pool: DatabasePool, caller: Caller, { query, after }: Asked): Promise<SkillPage> {
  const conditions = conditionsOf(caller, query);
  const where = sql.join(conditions, sql.fragment` and `);
  const beyond =
    after === null
      ? sql.fragment``
      : sql.fragment`and (s.created_at, s.id) < (timestamptz 'epoch' + ${after.key}::bigint * interval '1 microsecond', ${after.id})`;
  const [total, rows] = await Promise.all([
    pool.oneFirst(sql.type(Count)`select count(*) from skills s where ${where}`),
    pool.any(sql.type(FoundRow)`
      with page as materialized (
        select s.id, s.created_at, ${createdAt} as key from skills s where ${where} ${beyond}
        order by s.created_at desc, s.id desc limit ${query.limit + 1} offset ${after === null ? query.offset : 0}
      )
      select ${listedColumns}, page.key from page join skills s using (id) ${listedJoin} order by page.created_at desc, page.id desc`),
  ]);
  return { rows, total, found: [] };
}

/** The order of each sort, as an integer, highest first; of `c` are the counts. Two decimals of a rating count, then how many gave one. */
const keyOf: Record<BrowseQuery['sort'], (asked: { query: BrowseQuery; terms: SearchTerms }) => FragmentSqlToken> = {
  relevance: ({ query: { tags = [] }, terms }) =>
    sql.fragment`(${scoreOfText(terms)} * 1000000)::bigint * 64 + ${tags.length > 1 ? tagsInCommon(tags) : sql.fragment`0`}`,
  newest: () => createdAt,
  price: () => sql.fragment`-s.price_per_invocation`,
  rating: () => sql.fragment`
    coalesce((c.rated_1 + 2 * c.rated_2 + 3 * c.rated_3 + 4 * c.rated_4 + 5 * c.rated_5) * 100::bigint
      / nullif(c.rated_1 + c.rated_2 + c.rated_3 + c.rated_4 + c.rated_5, 0), 0) * 10000000000
    + (c.rated_1 + c.rated_2 + c.rated_3 + c.rated_4 + c.rated_5)`,
  most_used: () => sql.fragment`c.invocation_count`,
};

/** One scan both counts and orders the matches. */
async function matchingSkills(
  pool: DatabasePool,
  caller: Caller,
  { query, after, terms }: Asked & { terms: SearchTerms },
): Promise<Omit<SkillPage, 'found'>> {
  const { sort } = query;
  const choice = choiceOf(terms);
  const conditions = conditionsOf(caller, query);
  if (choice !== null) conditions.push(sql.fragment`s.search @@ ${choice}::tsquery`);
  const counts = sort === 'rating' || sort === 'most_used' ? listedJoin : sql.fragment``;
  const matches = sql.fragment`
    with matches as materialized (
      select s.id, ${keyOf[sort]({ query, terms })} as key
      from skills s ${counts} where ${sql.join(conditions, sql.fragment` and `)}
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
    rows[0]?.total ??
    (query.offset === 0 && after === null
      ? 0
      : await pool.oneFirst(sql.type(Count)`${matches} select count(*) from matches`));
  return { rows: rows.map(({ total: _total, ...row }) => row), total };
}

function conditionsOf(
  caller: Caller,
  { status = 'active', trust_level, max_trust_level, max_price_cents: maximum, tags = [], tags_match }: BrowseQuery,
): FragmentSqlToken[] {
  const conditions = [status === 'active' ? onTheMarket : sql.fragment`s.status = ${status}`];
  if (status !== 'active' && !isPlatform(caller))
    conditions.push(
      caller.kind === 'passport' ? sql.fragment`false` : sql.fragment`s.operator_id = ${caller.operatorId}`,
    );
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
