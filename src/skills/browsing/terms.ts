import type { FragmentSqlToken } from 'slonik';
import { z } from 'zod';
import { textArray } from '../../database/columns.ts';
import { sql, type CommonQueryMethods } from '../../database/pool.ts';

/** Postgres refuses a search word of 2,047 bytes, and nobody types more words than these. */
const MAX_WORD_LENGTH = 200;
export const MAX_WORDS = 32;
/** A search looks at so many skills, 7 microseconds each to rank. Counts go so far, too: what more skills have says nothing about a skill. */
export const MAX_LOOKED_AT = 1_000;

/** The words of a text, letters, digits and their marks alone: nothing that is typed becomes an operator of tsquery. */
export const wordsOf = (text: string): string[] =>
  [...text.normalize('NFC').matchAll(/[\p{L}\p{N}\p{M}]+/gu)].map(([word]) =>
    word.slice(0, MAX_WORD_LENGTH).toWellFormed(),
  );

/** As many of them as a search takes. */
export const searchWords = (text: string): string[] => wordsOf(text).slice(0, MAX_WORDS);

const Term = z.object({
  /** A tsquery. */
  search: z.string(),
  /** The skills that have it are found by these. */
  entries: z.array(z.string()),
  /** Those that write it as two words. */
  skills: z.array(z.string()),
  /** Half where the word is misspelt. */
  likeness: z.number(),
  found: z.int(),
});
/** A word of a search, with what it is searched by. */
export type Term = z.output<typeof Term>;

interface Typed {
  words: readonly string[];
  /** Whether the last word may be a beginning. */
  begins: boolean;
  /** The counts of the page before. */
  found?: readonly number[] | undefined;
}

export const findTerms = async (
  connection: CommonQueryMethods,
  { words, begins, found }: Typed,
): Promise<readonly Term[]> =>
  words.length === 0
    ? []
    : await connection.any(sql.type(Term)`
        select search, entries, skills, likeness, skill_count as found from skill_terms(${textArray(words)}, ${begins}, ${MAX_LOOKED_AT},
          ${found === undefined ? null : sql.array(found, 'int4')})`);

/** The counts as the next page needs them. */
export const countsOf = (terms: readonly Term[]): number[] =>
  terms.map(({ likeness, found }) => (likeness < 1 ? -1 - found : found));

/** The skills that a search looks at. */
export interface Looked {
  /** A query of their ids. */
  ids: FragmentSqlToken;
  /** How many there may be; from MAX_LOOKED_AT on there may be more that are not looked at. */
  found: number;
}

/** Reads `skills s` of the ids of `looked` one by one by their key: `offset 0` keeps the planner from reading the whole table instead. */
export const skillsLooked = sql.fragment`looked cross join lateral (select * from skills where id = looked.id offset 0) s`;

/** Adds their counts `c`, in the same way. */
export const countsLooked = sql.fragment`cross join lateral (select * from skill_counts where skill_id = s.id offset 0) c`;

/** By entries of one kind: those that have more of them come first, then the newest. */
export const lookedAt = (entries: readonly string[]): FragmentSqlToken => lookedAtOf([{ entries, skills: [] }]);

const lookedAtOf = (
  terms: readonly { entries: readonly string[]; skills: readonly string[] }[],
): FragmentSqlToken => sql.fragment`(
  select id from unnest(${textArray(terms.flatMap(({ skills }) => skills))}) id
  union select id from skills_looked_at(${textArray(terms.flatMap(({ entries }) => entries))},
    ${sql.array(
      terms.flatMap(({ entries }, at) => entries.map(() => at)),
      'int4',
    )}, ${MAX_LOOKED_AT}) id)`;

/** By words: the rarest first, as long as the search may look at more. Null: no skill has any. */
export function lookedAtByWords(terms: readonly Term[]): Looked | null {
  const known = terms.filter(({ found }) => found > 0).toSorted((one, other) => one.found - other.found);
  if (known.length === 0) return null;
  const chosen: Term[] = [];
  let found = 0;
  for (const term of known) {
    if (found < MAX_LOOKED_AT) chosen.push(term);
    found += term.found;
  }
  return { ids: lookedAtOf(chosen), found };
}

/** Whether `skills s` has any of the words. */
export const hasAny = (terms: readonly Term[]): FragmentSqlToken =>
  sql.fragment`s.search @@ ${terms.map(({ search }) => `(${search})`).join(' | ')}::tsquery`;

/** Cast as one array: a cast of each would be made again for every skill. */
const queriesOf = (terms: readonly Term[]): FragmentSqlToken =>
  sql.fragment`${textArray(terms.map(({ search }) => search))}::tsquery[]`;

/**
 * How well `skills s` fits, from 0: for each word where it stands, name before description before tags, times how rare it is among the skills on
 * the market.
 */
export const scoreOfText = (terms: readonly Term[]): FragmentSqlToken =>
  terms.length === 0
    ? sql.fragment`0::float8`
    : sql.fragment`(
        select sum(t.weight * (1 + ts_rank(s.search, t.search) * (numnode(t.search) + 1) / 2))
        from unnest(${queriesOf(terms)}, ${sql.array(
          terms.map(({ likeness, found }) => likeness * (1 + Math.log((MAX_LOOKED_AT + 1) / Math.max(found, 1)))),
          'float8',
        )}) t (search, weight)
        where s.search @@ t.search)`;

/** How many of the words `skills s` has. */
export const wordsFound = (terms: readonly Term[]): FragmentSqlToken => sql.fragment`(
  select count(*)::int from unnest(${queriesOf(terms)}) t (search) where s.search @@ t.search)`;
