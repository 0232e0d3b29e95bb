import type { FragmentSqlToken } from 'slonik';
import { z } from 'zod';
import { textArray } from '../../database/columns.ts';
import { sql, type CommonQueryMethods } from '../../database/pool.ts';

/** Postgres refuses a search word of 2,047 bytes, and nobody types more words than these. */
const MAX_WORD_LENGTH = 200;
export const MAX_WORDS = 32;
/** Words are counted so far: what more skills have says nothing about a skill. */
const MOST_FOUND = 2_001;
/** Skills that are ranked, unless a single word finds more: 7 microseconds each. */
const MAX_RANKED = 4_000;

/** The words of a text, letters, digits and their marks alone: nothing that is typed becomes an operator of tsquery. */
export const wordsOf = (text: string): string[] =>
  [...text.normalize('NFC').matchAll(/[\p{L}\p{N}\p{M}]+/gu)].map(([word]) =>
    word.slice(0, MAX_WORD_LENGTH).toWellFormed(),
  );

/** As many of them as a search takes. */
export const searchWords = (text: string): string[] => wordsOf(text).slice(0, MAX_WORDS);

const Term = z.object({
  place: z.int(),
  /** A tsquery. */
  search: z.string(),
  /** Half where the word is misspelt. */
  likeness: z.number(),
  found: z.int(),
});
type Term = z.output<typeof Term>;

/** The words of a search, with what they are searched by. */
export interface SearchTerms {
  terms: readonly Term[];
  /** As the next page needs it. */
  found: number[];
  /** Where every word is common: whether some skill has them all. */
  together: boolean;
}

interface Typed {
  words: readonly string[];
  /** Whether the last word may be a beginning. */
  begins: boolean;
  /** The counts of the page before. */
  found?: readonly number[] | undefined;
}

export async function findTerms(connection: CommonQueryMethods, { words, begins, found }: Typed): Promise<SearchTerms> {
  if (words.length === 0) return { terms: [], found: [], together: false };
  const terms = await connection.any(sql.type(Term)`
    select place, search, likeness, skill_count as found from skill_terms(${textArray(words)}, ${begins}, ${MOST_FOUND},
      ${found === undefined ? null : sql.array(found, 'int4')})`);
  const known = terms.filter(({ found: count }) => count > 0);
  const isCommon = known.length > 1 && known.every(({ found: count }) => count >= MOST_FOUND);
  return {
    terms,
    found: terms.map((term) => (term.likeness < 1 ? -1 - term.found : term.found)),
    together:
      isCommon &&
      (await connection.oneFirst(sql.type(z.object({ found: z.int() }))`
        select skills_found(${allOf(known)}::tsquery, 1) as found`)) > 0,
  };
}

const allOf = (terms: readonly Term[]): string => terms.map(({ search }) => `(${search})`).join(' & ');

/**
 * The tsquery that chooses the skills that are ranked, as text: any of the words, the rarest first, as long as few enough have them. Where every
 * word is common, the skills that have all of them, or the rarest where none does. Null: no skill has any.
 */
export function choiceOf({ terms, together }: SearchTerms): string | null {
  const known = terms.filter(({ found }) => found > 0).toSorted((one, other) => one.found - other.found);
  const [rarest] = known;
  if (rarest === undefined) return null;
  if (together) return allOf(known);
  const chosen: string[] = [];
  let ranked = 0;
  for (const { search, found } of known) {
    ranked += found;
    if (chosen.length > 0 && ranked > MAX_RANKED) break;
    chosen.push(`(${search})`);
  }
  return chosen.join(' | ');
}

/**
 * How well `skills s` fits, from 0: for each word where it stands, name before description before tags, times how rare it is among the skills on
 * the market.
 */
export const scoreOfText = ({ terms }: SearchTerms): FragmentSqlToken =>
  terms.length === 0
    ? sql.fragment`0::float8`
    : sql.fragment`(
        select sum(t.weight * (1 + ts_rank(s.search, t.search::tsquery) * (numnode(t.search::tsquery) + 1) / 2))
        from unnest(${textArray(terms.map(({ search }) => search))}, ${sql.array(
          terms.map(({ likeness, found }) => likeness * (1 + Math.log(MOST_FOUND / Math.max(found, 1)))),
          'float8',
        )}) t (search, weight)
        where s.search @@ t.search::tsquery)`;

/** How many of the words `skills s` has. */
export const wordsFound = ({ terms }: SearchTerms): FragmentSqlToken => sql.fragment`(
  select count(*)::int from unnest(${textArray(terms.map(({ search }) => search))}) t (search) where s.search @@ t.search::tsquery)`;
