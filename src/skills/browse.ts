import type { FragmentSqlToken } from 'slonik';
import { z } from 'zod';
import type { Caller } from '../commands/caller.ts';
import { textArray } from '../database/columns.ts';
import { sql, type DatabasePool } from '../database/pool.ts';
import { PLATFORM_OPERATOR_ID } from '../ids/ids.ts';
import { onTheMarket, SkillRow, skillColumns, skillParts } from './queries.ts';
import type { SkillStatus, TrustLevel } from './schema.ts';

export interface Browse {
  search?: string | undefined;
  status?: SkillStatus | undefined;
  trust_level?: TrustLevel | undefined;
  max_trust_level?: TrustLevel | undefined;
  tags?: string[] | undefined;
  tags_match: 'any' | 'all';
  limit: number;
  offset: number;
}

/** A word of 2,047 bytes is an error to Postgres, and nobody types more words than these. */
const LONGEST_WORD = 200;
const MOST_WORDS = 32;

/** The words of a search: letters and digits (with their marks) only, so that nothing typed is ever an operator of tsquery. */
export const searchWords = (search: string): string[] =>
  [...search.normalize('NFC').matchAll(/[\p{L}\p{N}\p{M}]+/gu)]
    .slice(0, MOST_WORDS)
    .map(([word]) => word.slice(0, LONGEST_WORD).toWellFormed());

/**
 * One page of the marketplace: rank in the search, tags in common, newest first (decisions K9-K11, K51). Other statuses than
 * active show the caller's own skills, to the platform everybody's.
 */
export async function browseSkills(pool: DatabasePool, caller: Caller, browse: Browse): Promise<SkillPage> {
  const { tags = [], search = '' } = browse;
  const words = searchWords(search);
  if (search.trim() !== '' && words.length === 0) return { rows: [], total: 0 };
  return words.length === 0 && tags.length === 0
    ? await newestSkills(pool, caller, browse)
    : await matchingSkills(pool, caller, browse, words);
}

export interface SkillPage {
  rows: readonly SkillRow[];
  total: number;
}

const Count = z.object({ count: z.int() });

/** Without search and tags the index is in order already, and holds what is counted. */
async function newestSkills(pool: DatabasePool, caller: Caller, browse: Browse): Promise<SkillPage> {
  const where = sql.join(statusAndTrust(caller, browse), sql.fragment` and `);
  const [total, rows] = await Promise.all([
    pool.oneFirst(sql.type(Count)`select count(*) from skills s where ${where}`),
    pool.any(sql.type(SkillRow)`
      with page as materialized (
        select s.id, s.created_at from skills s where ${where}
        order by s.created_at desc, s.id desc limit ${browse.limit} offset ${browse.offset}
      )
      select ${skillColumns} from page join skills s using (id) ${skillParts} order by page.created_at desc, page.id desc`),
  ]);
  return { rows, total };
}

/**
 * The query of the words is made once (a function in the condition is called for every row), and the matches are counted and
 * ordered from one scan: a word of three descriptions in four takes 0.2 s among 100,000 skills, other words a tenth.
 */
async function matchingSkills(
  pool: DatabasePool,
  caller: Caller,
  browse: Browse,
  words: readonly string[],
): Promise<SkillPage> {
  const { tags = [] } = browse;
  const conditions = statusAndTrust(caller, browse);
  if (tags.length > 0)
    conditions.push(
      browse.tags_match === 'all'
        ? sql.fragment`s.tags @> ${textArray(tags)}`
        : sql.fragment`s.tags && ${textArray(tags)}`,
    );
  if (words.length > 0) conditions.push(sql.fragment`s.search @@ typed.query`);
  const matches = sql.fragment`
    with typed as materialized (select skill_search(${textArray(words)}) as query),
    matches as materialized (
      select s.id, s.created_at, ${words.length > 0 ? sql.fragment`ts_rank(s.search, typed.query)` : sql.fragment`0`} as rank,
             ${tags.length > 1 ? tagsInCommon(tags) : sql.fragment`0`} as in_common
      from skills s cross join typed where ${sql.join(conditions, sql.fragment` and `)}
    )`;
  const rows = await pool.any(sql.type(SkillRow.extend({ total: z.int() }))`
    ${matches},
    page as (
      select id, row_number() over (order by rank desc, in_common desc, created_at desc, id desc) as place
      from matches order by place limit ${browse.limit} offset ${browse.offset}
    )
    select ${skillColumns}, (select count(*) from matches) as total
    from page join skills s using (id) ${skillParts} order by page.place`);
  const total =
    rows[0]?.total ??
    (browse.offset === 0 ? 0 : await pool.oneFirst(sql.type(Count)`${matches} select count(*) from matches`));
  return { rows: rows.map(({ total: _total, ...row }) => row), total };
}

function statusAndTrust(
  caller: Caller,
  { status = 'active', trust_level, max_trust_level }: Browse,
): FragmentSqlToken[] {
  const conditions = [status === 'active' ? onTheMarket : sql.fragment`s.status = ${status}`];
  if (status !== 'active' && caller.operatorId !== PLATFORM_OPERATOR_ID)
    conditions.push(sql.fragment`s.operator_id = ${caller.operatorId}`);
  if (trust_level !== undefined) conditions.push(sql.fragment`s.trust_level_required = ${trust_level}`);
  if (max_trust_level !== undefined) conditions.push(sql.fragment`s.trust_level_required <= ${max_trust_level}`);
  return conditions;
}

/** A sum of comparisons: for the few tags of a skill several times as fast as unnesting them. */
const tagsInCommon = (tags: readonly string[]) =>
  sql.fragment`(${sql.join(
    tags.map((tag) => sql.fragment`(${tag} = any(s.tags))::int`),
    sql.fragment` + `,
  )})`;
