import { z } from 'zod';
import type { Caller } from '../caller.ts';
import { sql, type DatabasePool } from '../database/pool.ts';
import { PLATFORM_OPERATOR_ID } from '../ids.ts';
import { SkillRow, skillColumns, skillParts } from './queries.ts';
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
  [...search.normalize('NFC').matchAll(/[\p{L}\p{N}\p{M}]+/gu)].slice(0, MOST_WORDS).map(([word]) => word.slice(0, LONGEST_WORD).toWellFormed());

const textArray = (values: readonly string[]) => sql.array(values, 'text');

/**
 * One page of the marketplace: rank in the search, tags in common, newest first (decisions K9-K11, K51). Other statuses than
 * active show the caller's own skills, to the platform everybody's.
 */
export async function browseSkills(pool: DatabasePool, caller: Caller, browse: Browse): Promise<{ rows: readonly SkillRow[]; total: number }> {
  const { status = 'active', tags = [], search = '' } = browse;
  const words = searchWords(search);
  if (search.trim() !== '' && words.length === 0) return { rows: [], total: 0 };
  const searching = words.length > 0;
  const conditions = [status === 'active' ? sql.fragment`s.status = 'active'` : sql.fragment`s.status = ${status}`];
  if (status !== 'active' && caller.operatorId !== PLATFORM_OPERATOR_ID) conditions.push(sql.fragment`s.operator_id = ${caller.operatorId}`);
  if (browse.trust_level !== undefined) conditions.push(sql.fragment`s.trust_level_required = ${browse.trust_level}`);
  if (browse.max_trust_level !== undefined) conditions.push(sql.fragment`s.trust_level_required <= ${browse.max_trust_level}`);
  if (tags.length > 0) {
    conditions.push(browse.tags_match === 'all' ? sql.fragment`s.tags @> ${textArray(tags)}` : sql.fragment`s.tags && ${textArray(tags)}`);
  }
  if (searching) conditions.push(sql.fragment`s.search @@ skill_search(${textArray(words)})`);
  const where = sql.join(conditions, sql.fragment` and `);
  const order = [sql.fragment`s.created_at desc`, sql.fragment`s.id desc`];
  if (tags.length > 1 && browse.tags_match === 'any') order.unshift(sql.fragment`${tagsInCommon(tags)} desc`);
  if (searching) order.unshift(sql.fragment`ts_rank(s.search, skill_search(${textArray(words)})) desc`);
  const by = sql.join(order, sql.fragment`, `);
  const [total, rows] = await Promise.all([
    pool.oneFirst(sql.type(z.object({ count: z.number() }))`select count(*) from skills s where ${where}`),
    // The page is chosen before anything is fetched for it.
    pool.any(sql.type(SkillRow)`
      with page as materialized (
        select s.id, row_number() over () as place
        from (select s.id from skills s where ${where} order by ${by} limit ${browse.limit} offset ${browse.offset}) s
      )
      select ${skillColumns} from page join skills s using (id) ${skillParts} order by page.place`),
  ]);
  return { rows, total };
}

/** A sum of comparisons: for the ten tags a skill may have, several times as fast as unnesting them. */
const tagsInCommon = (tags: readonly string[]) =>
  sql.fragment`(${sql.join(tags.map((tag) => sql.fragment`(${tag} = any(s.tags))::int`), sql.fragment` + `)})`;
