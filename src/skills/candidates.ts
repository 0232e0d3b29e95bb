import type { FragmentSqlToken } from 'slonik';
import { z } from 'zod';
import { textArray } from '../database/columns.ts';
import { sql, type CommonQueryMethods } from '../database/pool.ts';
import { onTheMarket, SkillRow, skillColumns, skillParts } from './queries.ts';

/** Who offers skills to a request: others than its owner, in public, at its price (decisions K40). */
interface Offered {
  notOf: string;
  maxPriceCents: number | null;
}

/** What a request asks for, as far as skills are compared with it. Null: it says nothing about that. */
export interface Wanted extends Offered {
  tags: string[];
  /** Entries of `fieldsOf`. */
  inputDeclared: string[] | null;
  outputRequired: string[] | null;
  /** Of the description, by `searchWords`. */
  words: string[];
}

const Candidate = SkillRow.extend({
  input_required: z.array(z.string()),
  output_declared: z.array(z.string()),
});
/** A skill with what it is compared by. */
export type Candidate = z.output<typeof Candidate>;

/** Among equal scores the text decides; it is looked at for this many of the best. */
const RANKED_BY_TEXT = 200;

const nothing = textArray([]);

const offered = ({ notOf, maxPriceCents }: Offered) => sql.fragment`
  ${onTheMarket} and s.accepts_requests and s.operator_id <> ${notOf}
  ${maxPriceCents === null ? sql.fragment`` : sql.fragment`and s.price_per_invocation <= ${maxPriceCents}`}`;

const candidateColumns = sql.fragment`${skillColumns}, s.input_required, s.output_declared`;

/** Counted in floating point, the same formula as `scoreOf` in src/skill-requests/score.ts. */
const scoreOf = ({ tags, inputDeclared, outputRequired }: Wanted) => sql.fragment`
  0.5::float8 * coalesce(shared.n::float8 / nullif(cardinality(s.tags) + ${tags.length}::int - shared.n, 0), 0)
  + 0.25::float8 * ${
    inputDeclared === null
      ? sql.fragment`1`
      : sql.fragment`
      case cardinality(s.input_required) when 0 then 1 else
        (select count(*) from unnest(s.input_required) f where f = any(${textArray(inputDeclared)}))::float8 / cardinality(s.input_required) end`
  }
  + 0.25::float8 * ${
    outputRequired === null || outputRequired.length === 0
      ? sql.fragment`1`
      : sql.fragment`
      (select count(*) from unnest(${textArray(outputRequired)}) f where f = any(s.output_declared))::float8 / ${outputRequired.length}::float8`
  }`;

/** What can lift a skill above those that have nothing in common with the request but its silence; each part is an index scan. */
function inCommon({ tags, inputDeclared, outputRequired }: Wanted): FragmentSqlToken[] {
  const parts: FragmentSqlToken[] = [];
  if (tags.length > 0) parts.push(sql.fragment`s.tags && ${textArray(tags)}`);
  if (inputDeclared !== null)
    parts.push(
      sql.fragment`s.input_required && ${textArray(inputDeclared)}`,
      sql.fragment`s.input_required = ${nothing}`,
    );
  if (outputRequired !== null && outputRequired.length > 0)
    parts.push(sql.fragment`s.output_declared && ${textArray(outputRequired)}`);
  return parts;
}

/**
 * The skills that fit best, best first. Every skill without anything in common has the same score, so those are only looked at
 * when there are too few others and silence is worth something (an absent schema counts 1, decisions K40).
 */
export async function bestCandidates(
  connection: CommonQueryMethods,
  wanted: Wanted,
  limit: number,
): Promise<Candidate[]> {
  const common = inCommon(wanted);
  const best = common.length === 0 ? [] : [...(await candidatesWith(connection, wanted, common, limit))];
  const silent = wanted.inputDeclared === null || wanted.outputRequired === null || wanted.outputRequired.length === 0;
  if (!silent) return best;
  const others = [...common.map((part) => sql.fragment`not (${part})`), offered(wanted)];
  if (best.length < limit && wanted.words.length > 0)
    best.push(...(await candidatesByText(connection, wanted, others, limit - best.length)));
  if (best.length < limit)
    best.push(...(await newestCandidates(connection, [...others, apartFrom(best)], limit - best.length)));
  return best;
}

const apartFrom = (best: readonly Candidate[]) => sql.fragment`s.id <> all(${textArray(best.map(({ id }) => id))})`;

const candidatesWith = (connection: CommonQueryMethods, wanted: Wanted, common: FragmentSqlToken[], limit: number) =>
  connection.any(sql.type(Candidate)`
    with asked as materialized (select skill_search_any(${textArray(wanted.words)}) as query),
    best as materialized (
      select s.id, s.created_at, ${scoreOf(wanted)} as score
      from skills s cross join lateral (select count(*)::int as n from unnest(s.tags) tag where tag = any(${textArray(wanted.tags)})) shared
      where ${offered(wanted)} and (${sql.join(common, sql.fragment` or `)})
      order by score desc, s.created_at desc, s.id desc limit ${Math.max(limit, RANKED_BY_TEXT)}
    ),
    page as (
      select best.id, row_number() over (order by best.score desc, coalesce(ts_rank(s.search, asked.query), 0) desc, best.created_at desc, best.id desc) as place
      from best join skills s using (id) cross join asked
      where best.score > 0
      order by place limit ${limit}
    )
    select ${candidateColumns} from page join skills s using (id) ${skillParts} order by page.place`);

const candidatesByText = (connection: CommonQueryMethods, wanted: Wanted, others: FragmentSqlToken[], limit: number) =>
  connection.any(sql.type(Candidate)`
    with asked as materialized (select skill_search_any(${textArray(wanted.words)}) as query),
    page as (
      select s.id, row_number() over (order by ts_rank(s.search, asked.query) desc, s.created_at desc, s.id desc) as place
      from skills s cross join asked
      where s.search @@ asked.query and ${sql.join(others, sql.fragment` and `)}
      order by place limit ${limit}
    )
    select ${candidateColumns} from page join skills s using (id) ${skillParts} order by page.place`);

const newestCandidates = (connection: CommonQueryMethods, others: FragmentSqlToken[], limit: number) =>
  connection.any(sql.type(Candidate)`
    with page as materialized (
      select s.id, s.created_at from skills s where ${sql.join(others, sql.fragment` and `)} order by s.created_at desc, s.id desc limit ${limit}
    )
    select ${candidateColumns} from page join skills s using (id) ${skillParts} order by page.created_at desc, page.id desc`);

const Part = z.object({
  id: z.string(),
  price_per_invocation: z.number(),
  input_required: z.array(z.string()),
  output_declared: z.array(z.string()),
});
/** A skill as a composition sees it. */
export type Part = z.output<typeof Part>;

/** Skills that give any of these fields: those first that need nothing but what is available, then the cheapest. */
export const findProducers = (
  connection: CommonQueryMethods,
  { fields, available, limit, ...wanted }: Offered & { fields: string[]; available: string[]; limit: number },
): Promise<readonly Part[]> =>
  connection.any(sql.type(Part)`
    select s.id, s.price_per_invocation, s.input_required, s.output_declared from skills s
    where ${offered(wanted)} and s.output_declared && ${textArray(fields)}
    order by (s.input_required <@ ${textArray(available)}) desc, s.price_per_invocation, s.id limit ${limit}`);

export const findSkillRows = (connection: CommonQueryMethods, ids: readonly string[]): Promise<readonly SkillRow[]> =>
  connection.any(
    sql.type(SkillRow)`select ${skillColumns} from skills s ${skillParts} where s.id = any(${textArray(ids)})`,
  );
