import type { FragmentSqlToken } from 'slonik';
import { textArray } from '../../database/columns.ts';
import { sql, type CommonQueryMethods } from '../../database/pool.ts';
import { onTheMarket } from '../queries.ts';
import { ServerRow } from './server-json.ts';

/** The version that a skill has now, where a version is asked for. */
export const LATEST = 'latest';

interface ServerFilters {
  /** A part of the name of the skill, or the whole id or name of the server, in capitals or not. */
  search?: string | undefined;
  namespace: string;
  /** Milliseconds. */
  updatedSince?: number | undefined;
  version?: string | undefined;
  /** The last id of the page before. */
  after: string | null;
  limit: number;
}

/** Revisions of a skill among which its newest versions are looked for: a seller makes as many as they like, and anybody may ask. */
const MAX_REVISIONS = 1_000;

/** When the first or the last revision of a version of `skills s` was made, from the index of versions. */
const createdAt = (which: 'first' | 'last', version: FragmentSqlToken): FragmentSqlToken => sql.fragment`(
  select r.created_at from skill_revisions r where r.skill_id = s.id and r.version = ${version}
  order by r.revision ${which === 'first' ? sql.fragment`asc` : sql.fragment`desc`} limit 1)`;

/** Letters of the longest parts of a name that `skill_name_parts` has. */
const PART = 3;

/**
 * A condition for an index of all parts of one to three letters: of 100,000 skills a text that none has costs 40 blocks, and a scan cost 8,300. By its
 * statistics Postgres knows whether few skills have the text, or so many that the newest fill a page.
 */
function isFoundBy(search: string, namespace: string) {
  if (`${namespace}skl_`.includes(search)) return sql.fragment`true`;
  const parts = Array.from({ length: Math.max(1, search.length - PART + 1) }, (_, at) => search.slice(at, at + PART));
  const [, before, id] = /^(.*?)skl_([0-9a-z]{26})$/.exec(search) ?? [];
  return sql.fragment`(
    (skill_name_parts(s.name) @> ${textArray([...new Set(parts)])} and strpos(lower(s.name), ${search}) > 0)
    or s.id = ${id !== undefined && namespace.endsWith(before ?? '') ? `skl_${id.toUpperCase()}` : null})`;
}

/** The skills on the market in their present version, newest first. */
export function listServers(
  connection: CommonQueryMethods,
  { search, namespace, updatedSince, version, after, limit }: ServerFilters,
): Promise<readonly ServerRow[]> {
  const conditions = [onTheMarket];
  if (after !== null) conditions.push(sql.fragment`s.id < ${after}`);
  if (search !== undefined) conditions.push(isFoundBy(search.toLowerCase(), namespace.toLowerCase()));
  if (updatedSince !== undefined)
    conditions.push(sql.fragment`s.updated_at >= to_timestamp(${updatedSince}::float8 / 1000)`);
  if (version !== undefined) conditions.push(sql.fragment`s.version = ${version}`);
  return connection.any(sql.type(ServerRow)`
    select s.id, s.name, s.description, s.version, s.updated_at, true as latest, ${createdAt('first', sql.fragment`s.version`)} as published_at
    from skills s where ${sql.join(conditions, sql.fragment` and `)}
    order by s.id desc limit ${limit}`);
}

/** The versions of a skill on the market, or the one that is named, newest first; none where it is not there. */
export function listServerVersions(
  connection: CommonQueryMethods,
  { id, version, limit }: { id: string; version: string | null; limit: number },
): Promise<readonly ServerRow[]> {
  const wanted = version === LATEST ? sql.fragment`s.version` : sql.fragment`${version}::text`;
  const named = sql.fragment`v.version`;
  return connection.any(sql.type(ServerRow)`
    select s.id, s.name, s.description, v.version, v.version = s.version as latest, ${createdAt('first', named)} as published_at,
      case when v.version = s.version then s.updated_at else ${createdAt('last', named)} end as updated_at
    from skills s cross join lateral (
      select newest.version, max(newest.revision) as revision
      from (
        select r.version, r.revision from skill_revisions r
        where r.skill_id = s.id ${version === null ? sql.fragment`` : sql.fragment`and r.version = ${wanted}`}
        order by r.revision desc limit ${version === null ? MAX_REVISIONS : 1}
      ) newest
      group by newest.version
    ) v
    where s.id = ${id} and ${onTheMarket}
    order by v.revision desc limit ${limit}`);
}
