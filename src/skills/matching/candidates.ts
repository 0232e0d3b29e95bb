import type { FragmentSqlToken } from 'slonik';
import { z } from 'zod';
import { textArray } from '../../database/columns.ts';
import { sql, type CommonQueryMethods } from '../../database/pool.ts';
import { onTheMarket, ListedSkillRow, listedColumns, listedJoin } from '../queries.ts';

/** Which skills are offered to a request: public ones of operators other than its owner, at its price or below. */
interface OfferFilter {
  /** The owner of the request. */
  notOf: string;
  maxPriceCents: number | null;
}

/** The needs of a request, as far as skills are compared with it. Null: the request leaves it open. */
export interface WantedSkill extends OfferFilter {
  tags: string[];
  /** As `comparableProperties` has them. */
  inputDeclared: string[] | null;
  outputRequired: string[] | null;
  /** The words of the description, as `searchWords` has them. */
  words: string[];
}

const CandidateSkill = ListedSkillRow.extend({
  input_required: z.array(z.string()),
  output_declared: z.array(z.string()),
});
/** A skill with what it is compared by. */
export type CandidateSkill = z.output<typeof CandidateSkill>;

/** Among equal scores the text decides; it is ranked for this many of the best. */
const MAX_RANKED_BY_TEXT = 200;

const nothing = textArray([]);

const offeredTo = ({ notOf, maxPriceCents }: OfferFilter) => sql.fragment`
  ${onTheMarket} and s.accepts_requests and s.operator_id <> ${notOf}
  ${maxPriceCents === null ? sql.fragment`` : sql.fragment`and s.price_per_invocation <= ${maxPriceCents}`}`;

const candidateColumns = sql.fragment`${listedColumns}, s.input_required, s.output_declared`;

/** The formula of `scoreOf` in src/skill-requests/score.ts, in floating point. */
const scoreOf = ({ tags, inputDeclared, outputRequired }: WantedSkill) => sql.fragment`
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

/** The things that a skill may have in common with the request; each condition is an index scan. */
function sharedWith({ tags, inputDeclared, outputRequired }: WantedSkill): FragmentSqlToken[] {
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
 * The skills that fit best, best first. A schema that the request leaves out counts as fitting, so then
 * even skills that have nothing in common with the request have a score, all the same one. Those are read last, and only
 * when there are too few others.
 */
export async function bestCandidates(
  connection: CommonQueryMethods,
  wanted: WantedSkill,
  limit: number,
): Promise<CandidateSkill[]> {
  const common = sharedWith(wanted);
  const best = common.length === 0 ? [] : [...(await candidatesWith(connection, wanted, { common, limit }))];
  const scoresWithoutCommon =
    wanted.inputDeclared === null || wanted.outputRequired === null || wanted.outputRequired.length === 0;
  if (!scoresWithoutCommon) return best;
  const others = [...common.map((part) => sql.fragment`not (${part})`), offeredTo(wanted)];
  if (best.length < limit && wanted.words.length > 0)
    best.push(...(await candidatesByText(connection, wanted, { others, limit: limit - best.length })));
  if (best.length < limit)
    best.push(...(await newestCandidates(connection, [...others, apartFrom(best)], limit - best.length)));
  return best;
}

const apartFrom = (best: readonly CandidateSkill[]) =>
  sql.fragment`s.id <> all(${textArray(best.map(({ id }) => id))})`;

const candidatesWith = (
  connection: CommonQueryMethods,
  wanted: WantedSkill,
  { common, limit }: { common: FragmentSqlToken[]; limit: number },
) =>
  connection.any(sql.type(CandidateSkill)`
    with searched as materialized (select skill_search_any(${textArray(wanted.words)}) as query),
    best as materialized (
      select s.id, s.created_at, ${scoreOf(wanted)} as score
      from skills s cross join lateral (select count(*)::int as n from unnest(s.tags) tag where tag = any(${textArray(wanted.tags)})) shared
      where ${offeredTo(wanted)} and (${sql.join(common, sql.fragment` or `)})
      order by score desc, s.created_at desc, s.id desc limit ${Math.max(limit, MAX_RANKED_BY_TEXT)}
    ),
    page as (
      select best.id, row_number() over (order by best.score desc, coalesce(ts_rank(s.search, searched.query), 0) desc, best.created_at desc, best.id desc) as place
      from best join skills s using (id) cross join searched
      where best.score > 0
      order by place limit ${limit}
    )
    select ${candidateColumns} from page join skills s using (id) ${listedJoin} order by page.place`);

const candidatesByText = (
  connection: CommonQueryMethods,
  wanted: WantedSkill,
  { others, limit }: { others: FragmentSqlToken[]; limit: number },
) =>
  connection.any(sql.type(CandidateSkill)`
    with searched as materialized (select skill_search_any(${textArray(wanted.words)}) as query),
    page as (
      select s.id, row_number() over (order by ts_rank(s.search, searched.query) desc, s.created_at desc, s.id desc) as place
      from skills s cross join searched
      where s.search @@ searched.query and ${sql.join(others, sql.fragment` and `)}
      order by place limit ${limit}
    )
    select ${candidateColumns} from page join skills s using (id) ${listedJoin} order by page.place`);

const newestCandidates = (connection: CommonQueryMethods, others: FragmentSqlToken[], limit: number) =>
  connection.any(sql.type(CandidateSkill)`
    with page as materialized (
      select s.id, s.created_at from skills s where ${sql.join(others, sql.fragment` and `)} order by s.created_at desc, s.id desc limit ${limit}
    )
    select ${candidateColumns} from page join skills s using (id) ${listedJoin} order by page.created_at desc, page.id desc`);

const ComposableSkill = z.object({
  id: z.string(),
  price_per_invocation: z.number(),
  input_required: z.array(z.string()),
  output_declared: z.array(z.string()),
});
/** A skill as a chain of skills is composed from it. */
export type ComposableSkill = z.output<typeof ComposableSkill>;

/** Skills whose output has any of these properties: first those that need only what is available, then the cheapest. */
export const findProducers = (
  connection: CommonQueryMethods,
  {
    properties,
    available,
    limit,
    ...wanted
  }: OfferFilter & { properties: string[]; available: string[]; limit: number },
): Promise<readonly ComposableSkill[]> =>
  connection.any(sql.type(ComposableSkill)`
    select s.id, s.price_per_invocation, s.input_required, s.output_declared from skills s
    where ${offeredTo(wanted)} and s.output_declared && ${textArray(properties)}
    order by (s.input_required <@ ${textArray(available)}) desc, s.price_per_invocation, s.id limit ${limit}`);

export const findSkillRows = (
  connection: CommonQueryMethods,
  ids: readonly string[],
): Promise<readonly ListedSkillRow[]> =>
  connection.any(
    sql.type(ListedSkillRow)`select ${listedColumns} from skills s ${listedJoin} where s.id = any(${textArray(ids)})`,
  );
