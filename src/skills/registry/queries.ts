import { textArray } from '../../database/columns.ts';
import { sql, type DatabasePool } from '../../database/pool.ts';
import { onTheMarket } from '../queries.ts';
import { ServerRow } from './server-json.ts';

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

/** Letters of the longest parts of a name that `skill_name_parts` has. */
const PART = 3;

/** A condition for an index: by its statistics Postgres knows whether few skills have the text, or so many that the newest fill a page. */
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
  pool: DatabasePool,
  { search, namespace, updatedSince, version, after, limit }: ServerFilters,
): Promise<readonly ServerRow[]> {
  const conditions = [onTheMarket];
  if (after !== null) conditions.push(sql.fragment`s.id < ${after}`);
  if (search !== undefined) conditions.push(isFoundBy(search.toLowerCase(), namespace.toLowerCase()));
  if (updatedSince !== undefined)
    conditions.push(sql.fragment`s.updated_at >= to_timestamp(${updatedSince}::float8 / 1000)`);
  if (version !== undefined) conditions.push(sql.fragment`s.version = ${version}`);
  return pool.any(sql.type(ServerRow)`
    select s.id, s.name, s.description, s.version, s.updated_at, true as latest,
      (select min(r.created_at) from skill_revisions r where r.skill_id = s.id and r.version = s.version) as published_at
    from skills s where ${sql.join(conditions, sql.fragment` and `)}
    order by s.id desc limit ${limit}`);
}

/** The versions of a skill on the market, or the one that is named, newest first; none where it is not there. */
export const listServerVersions = (
  pool: DatabasePool,
  { id, version, limit }: { id: string; version: string | null; limit: number },
): Promise<readonly ServerRow[]> =>
  pool.any(sql.type(ServerRow)`
    select s.id, s.name, s.description, r.version, r.version = s.version as latest, min(r.created_at) as published_at,
      case when r.version = s.version then s.updated_at else max(r.created_at) end as updated_at
    from skills s join skill_revisions r on r.skill_id = s.id
    where s.id = ${id} and ${onTheMarket} and (${version}::text is null or r.version = ${version})
    group by s.id, r.version
    order by max(r.revision) desc limit ${limit}`);
