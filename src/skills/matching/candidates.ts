import type { FragmentSqlToken } from 'slonik';
import { z } from 'zod';
import { textArray } from '../../database/columns.ts';
import { sql, type CommonQueryMethods } from '../../database/pool.ts';
import { findTerms, lookedAt, lookedAtByWords, scoreOfText, skillsLooked, wordsFound } from '../browsing/terms.ts';
import { onTheMarket, ListedSkillRow, listedColumns, listedJoin } from '../queries.ts';

/** Which skills are offered: public ones, to a request those of operators other than its owner that accept requests, at its price or below. */
interface OfferFilter {
  /** The owner of the request; null where none is compared. */
  notOf: string | null;
  /** A skill that is left out. */
  except?: string;
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
  /** The words of the description that its text has, of those that say something; 0 of 0 where they were not compared. */
  words_found: z.int(),
  words_compared: z.int(),
});
/** A skill with what it is compared by. */
export type CandidateSkill = z.output<typeof CandidateSkill>;

/** Among equal scores the text decides; it is ranked for this many of the best. */
const MAX_RANKED_BY_TEXT = 200;

const offeredTo = ({ notOf, except, maxPriceCents }: OfferFilter) => sql.fragment`
  ${onTheMarket}
  ${notOf === null ? sql.fragment`` : sql.fragment`and s.accepts_requests and s.operator_id <> ${notOf}`}
  ${except === undefined ? sql.fragment`` : sql.fragment`and s.id <> ${except}`}
  ${maxPriceCents === null ? sql.fragment`` : sql.fragment`and s.price_per_invocation <= ${maxPriceCents}`}`;

const candidateColumns = sql.fragment`${listedColumns}, s.input_required, s.output_declared`;

/** The names of each kind in the request; a schema that is left out, or says nothing, has none. */
const namedBy = ({ tags, inputDeclared, outputRequired }: WantedSkill) => ({
  tags,
  inputs: inputDeclared ?? [],
  outputs: outputRequired ?? [],
});

/** The formula of `scoreOf` in score.ts, in floating point, where something is shared. */
function scoreOf(wanted: WantedSkill): FragmentSqlToken {
  const { tags, inputs, outputs } = namedBy(wanted);
  const inputWeight =
    inputs.length === 0
      ? sql.fragment`0::float8`
      : sql.fragment`(case cardinality(s.input_required) when 0 then 0 else 0.25 end)::float8`;
  return sql.fragment`(
    ${tags.length === 0 ? 0 : 0.5}::float8 * coalesce(shared.n::float8 / nullif(cardinality(s.tags) + ${tags.length}::int - shared.n, 0), 0)
    + ${inputWeight} * coalesce(
      (select count(*) from unnest(s.input_required) f where f = any(${textArray(inputs)}))::float8 / nullif(cardinality(s.input_required), 0), 0)
    + ${outputs.length === 0 ? 0 : 0.25}::float8
      * (select count(*) from unnest(${textArray(outputs)}) f where f = any(s.output_declared))::float8 / ${Math.max(outputs.length, 1)}::float8
  ) / nullif(${(tags.length === 0 ? 0 : 0.5) + (outputs.length === 0 ? 0 : 0.25)}::float8 + ${inputWeight}, 0)`;
}

/** The entries of the market that a skill may have in common with the request. */
function sharedWith(wanted: WantedSkill): string[] {
  const { tags, inputs, outputs } = namedBy(wanted);
  return [
    ...tags.map((tag) => `#${tag}`),
    ...inputs.map((property) => `<${property}`),
    ...outputs.map((property) => `>${property}`),
  ];
}

/**
 * The skills that fit best, best first. What shares nothing with the request is no match. A request that names neither tags nor properties of
 * a schema is compared by the words of its description.
 */
export async function bestCandidates(
  connection: CommonQueryMethods,
  wanted: WantedSkill,
  limit: number,
): Promise<readonly CandidateSkill[]> {
  const common = sharedWith(wanted);
  return common.length > 0
    ? await candidatesWith(connection, wanted, { common, limit })
    : await candidatesByText(connection, wanted, limit);
}

async function candidatesWith(
  connection: CommonQueryMethods,
  wanted: WantedSkill,
  { common, limit }: { common: string[]; limit: number },
): Promise<readonly CandidateSkill[]> {
  const terms = await findTerms(connection, { words: wanted.words, begins: false });
  return await connection.any(sql.type(CandidateSkill)`
    with looked as materialized ${lookedAt(common)},
    best as materialized (
      select s.id, s.created_at, ${scoreOf(wanted)} as score
      from ${skillsLooked}
      cross join lateral (select count(*)::int as n from unnest(s.tags) tag where tag = any(${textArray(wanted.tags)})) shared
      where ${offeredTo(wanted)}
      order by score desc, s.created_at desc, s.id desc limit ${Math.max(limit, MAX_RANKED_BY_TEXT)}
    ),
    page as (
      select best.id, row_number() over (order by best.score desc, coalesce(${scoreOfText(terms)}, 0) desc, best.created_at desc, best.id desc) as place
      from best join skills s using (id)
      order by place limit ${limit}
    )
    select ${candidateColumns}, 0 as words_found, 0 as words_compared from page join skills s using (id) ${listedJoin} order by page.place`);
}

/** As browsing finds them, and of the best those first that have most of the words. */
async function candidatesByText(
  connection: CommonQueryMethods,
  wanted: WantedSkill,
  limit: number,
): Promise<readonly CandidateSkill[]> {
  const terms = await findTerms(connection, { words: wanted.words, begins: false });
  const looked = lookedAtByWords(terms);
  if (looked === null) return [];
  return await connection.any(sql.type(CandidateSkill)`
    with looked as materialized ${looked.ids},
    page as materialized (
      select s.id, row_number() over (order by ${scoreOfText(terms)} desc, s.created_at desc, s.id desc) as place
      from ${skillsLooked}
      where ${offeredTo(wanted)}
      order by place limit ${limit}
    ),
    compared as materialized (
      select page.id, page.place, ${wordsFound(terms)} as words_found from page join skills s using (id)
    )
    select ${candidateColumns}, compared.words_found, ${terms.length}::int as words_compared
    from compared join skills s using (id) ${listedJoin}
    order by compared.words_found desc, compared.place`);
}

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
