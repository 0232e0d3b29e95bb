import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import { defineCache } from '../context/caches.ts';
import type { Context } from '../context/context.ts';
import { invalid } from '../errors/carnet-error.ts';
import { text } from '../fields/text.ts';
import { shownPath } from '../json/shown.ts';

/** Constraints of one list; a token of 16 KiB has no room for many more. */
const MAX_CONSTRAINTS = 50;
const MAX_PATTERN_CHARACTERS = 256;
/** Most that the counted repeats of one pattern may add up to; RE2 itself limits only nested ones. */
const MAX_REPEATS = 1_000;
/** Patterns of one request, which share the second that a thread has for them; usual ones take 0.1 ms each. */
const MAX_PATTERNS = 32;
/** Patterns remembered as good, 256 characters each: issuing repeats those of its last calls. */
const REMEMBERED = 2_000;

const scalar = z.union([text(0, 2_000), z.number(), z.boolean(), z.null()], {
  error: 'must be a text of at most 2,000 characters, a number, a boolean or null',
});

const param = text(1, 128).meta({ description: 'The limited parameter of the call' });

/**
 * One limit on a parameter of the calls that a grant or a passport allows; `value` is of the kind that `op` compares.
 * All constraints of a list must hold. Rows are read with this schema, since what was written is not judged again.
 */
export const ConstraintSchema = z
  .discriminatedUnion(
    'op',
    [
      z.strictObject({ param, op: z.literal('eq'), value: scalar }),
      z.strictObject({ param, op: z.literal('in'), value: z.array(scalar).min(1).max(100) }),
      z.strictObject({ param, op: z.literal('lte'), value: z.number() }),
      z.strictObject({ param, op: z.literal('gte'), value: z.number() }),
      z.strictObject({ param, op: z.literal('prefix'), value: text(1, 2_000) }),
      z.strictObject({ param, op: z.literal('regex'), value: text(1, MAX_PATTERN_CHARACTERS) }),
    ],
    { error: 'must be {param, op, value} with op eq, in, lte, gte, prefix or regex' },
  )
  .meta({
    id: 'Constraint',
    description:
      'A limit on one parameter of the calls that are allowed; all limits of a list must hold. Patterns have the syntax of RE2.',
    examples: [{ param: 'repository', op: 'prefix', value: 'ada/' }],
  });
export type Constraint = z.infer<typeof ConstraintSchema>;

/**
 * Constraints of a request, but for whether their patterns compile: that takes up to 0.3 s a pattern, so it is looked at outside of the
 * event loop, by `assertPatterns`.
 */
export const ConstraintsSchema = z
  .array(ConstraintSchema)
  .max(MAX_CONSTRAINTS)
  .superRefine((constraints, context) => {
    for (const { path, pattern } of patternsOf(constraints)) {
      if (repeatsOf(pattern) > MAX_REPEATS) {
        const message = `has counted repeats that add up to more than ${MAX_REPEATS}`;
        context.addIssue({ code: 'custom', path, message });
      }
    }
  });

const repeatsOf = (pattern: string): number =>
  [...pattern.matchAll(/\{(?:\d+,)?(\d+),?\}/g)].reduce((sum, [, most]) => sum + Number(most), 0);

interface PlacedPattern {
  path: (string | number)[];
  pattern: string;
}

const patternsOf = (constraints: readonly Constraint[]): PlacedPattern[] =>
  constraints.flatMap(({ op, value }, index) => (op === 'regex' ? [{ path: [index, 'value'], pattern: value }] : []));

const goodPatterns = defineCache(() => new LRUCache<string, true>({ max: REMEMBERED }));

/**
 * Checks that the patterns of a request are regular expressions of RE2, which every verifier matches in linear time. They are compiled where
 * schemas of strangers are (rule 15), and together have as long as one schema.
 * @param caller the operator whose processor time it takes
 * @param lists constraints by the path of their list in the body
 * @throws CarnetError VALIDATION_ERROR, RATE_LIMITED, TEMPORARILY_UNAVAILABLE
 */
export async function assertPatterns(
  { caches, schemas }: Pick<Context, 'caches' | 'schemas'>,
  caller: string,
  lists: Iterable<readonly [at: string, constraints: readonly Constraint[]]>,
): Promise<void> {
  const known = caches.get(goodPatterns);
  const paths = new Map<string, string>();
  for (const [at, constraints] of lists) {
    for (const { path, pattern } of patternsOf(constraints)) {
      if (!paths.has(pattern)) paths.set(pattern, `${at}.${shownPath(path)}`);
    }
  }
  const placed = [...paths].map(([pattern, path]) => ({ pattern, path }));
  const [tooMany, ...others] = placed
    .slice(MAX_PATTERNS)
    .map(({ path }) => ({ path, code: 'too_many_patterns', message: `is one of more than ${MAX_PATTERNS} patterns` }));
  if (tooMany !== undefined) throw invalid(tooMany, ...others);
  const [unknown, ...alsoUnknown] = placed.filter(({ pattern }) => !known.has(pattern));
  if (unknown === undefined) return;
  const [fault, ...faults] = await schemas.checkPatterns([unknown, ...alsoUnknown], caller);
  if (fault !== undefined) throw invalid(fault, ...faults);
  for (const { pattern } of [unknown, ...alsoUnknown]) known.set(pattern, true);
}
