import { RE2JS } from 're2js';
import { z } from 'zod';
import { lengthOf, text } from './fields.ts';

/** Of one list; a token of 16 KiB has no room for much more (decisions A2). */
const MOST_CONSTRAINTS = 50;
const MOST_PATTERN_CHARACTERS = 256;
/** What the counted repeats of one pattern may add up to; RE2 itself limits only those inside one another. */
const MOST_REPEATS = 1_000;
/** The worst patterns of that length take 13 ms to compile, usual ones 0.1 ms; meanwhile nobody else is answered. */
const MOST_NEW_PATTERNS = 32;

const scalar = z.union([text(0, 2_000), z.number(), z.boolean(), z.null()], {
  error: 'must be a text of at most 2,000 characters, a number, a boolean or null',
});
export type ConstraintScalar = z.infer<typeof scalar>;

const param = text(1, 128).meta({ description: 'The parameter of the call that is limited' });

/** RE2's syntax: matched in time linear in the text, in every language there is. */
const pattern = text(1, MOST_PATTERN_CHARACTERS).superRefine((source, context) => {
  if (sound.has(source) || lengthOf(source) > MOST_PATTERN_CHARACTERS) return;
  const fault = faultOfNewPattern(source);
  if (fault !== undefined) return context.addIssue({ code: 'custom', message: fault });
  if (sound.size >= MOST_SOUND) sound.clear();
  sound.add(source);
});

/** Patterns that were found right: the same ones come again with every answer and every token that is parsed. */
const sound = new Set<string>();
const MOST_SOUND = 1_000;

/** A request is parsed in one stretch, at whose end the count begins anew. */
let newPatterns = 0;

function faultOfNewPattern(source: string): string | undefined {
  if (newPatterns === 0) queueMicrotask(() => (newPatterns = 0));
  newPatterns += 1;
  return newPatterns > MOST_NEW_PATTERNS
    ? `is one of more than ${MOST_NEW_PATTERNS} new patterns in one request; send fewer at once`
    : faultOfPattern(source);
}

function faultOfPattern(source: string): string | undefined {
  const repeats = [...source.matchAll(/\{(?:\d+,)?(\d+),?\}/g)].map(([, most]) => Number(most));
  if (repeats.reduce((sum, repeat) => sum + repeat, 0) > MOST_REPEATS) {
    return `has counted repeats that add up to more than ${MOST_REPEATS}`;
  }
  try {
    RE2JS.compile(source);
    return undefined;
  } catch (error) {
    return `is no regular expression of RE2 (${(error as Error).message})`;
  }
}

/**
 * One limit on a parameter of the calls that a grant or a passport allows (decisions A7); `value` is of the kind that
 * `op` compares. Several of them all hold.
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
      z.strictObject({ param, op: z.literal('regex'), value: pattern }),
    ],
    { error: 'must be {param, op, value} with op eq, in, lte, gte, prefix or regex' },
  )
  .meta({
    id: 'Constraint',
    description: 'A limit on one parameter of the calls that are allowed; several of them all hold.',
    examples: [{ param: 'repository', op: 'prefix', value: 'ada/' }],
  });
export type Constraint = z.infer<typeof ConstraintSchema>;

export const ConstraintsSchema = z.array(ConstraintSchema).max(MOST_CONSTRAINTS);
