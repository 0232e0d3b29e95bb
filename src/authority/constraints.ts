import { RE2JS } from 're2js';
import { z } from 'zod';
import { lengthOf, text } from '../fields/fields.ts';

/** Of one list; a token of 16 KiB has no room for much more (decisions A2). */
const MOST_CONSTRAINTS = 50;
const MOST_PATTERN_CHARACTERS = 256;
/** What the counted repeats of one pattern may add up to; RE2 itself limits only those inside one another. */
const MOST_REPEATS = 1_000;
/** The worst patterns of that length take 13 ms to compile, usual ones 0.1 ms; meanwhile nobody else is answered. */
const MOST_PATTERNS = 32;

const scalar = z.union([text(0, 2_000), z.number(), z.boolean(), z.null()], {
  error: 'must be a text of at most 2,000 characters, a number, a boolean or null',
});

const param = text(1, 128).meta({ description: 'The parameter of the call that is limited' });

/**
 * One limit on a parameter of the calls that a grant or a passport allows (decisions A7); `value` is of the kind that
 * `op` compares. Several of them all hold. What is read back was found right when it was taken, so patterns are not
 * compiled here but in `ConstraintsSchema`.
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
      z.strictObject({ param, op: z.literal('regex'), value: text(1, MOST_PATTERN_CHARACTERS) }),
    ],
    { error: 'must be {param, op, value} with op eq, in, lte, gte, prefix or regex' },
  )
  .meta({
    id: 'Constraint',
    description:
      'A limit on one parameter of the calls that are allowed; several of them all hold. Patterns have the syntax of RE2.',
    examples: [{ param: 'repository', op: 'prefix', value: 'ada/' }],
  });
export type Constraint = z.infer<typeof ConstraintSchema>;

/** Constraints of a request: patterns compile in RE2's syntax, which is matched in time linear in the text everywhere. */
export const ConstraintsSchema = z
  .array(ConstraintSchema)
  .max(MOST_CONSTRAINTS)
  .superRefine((constraints, context) => {
    for (const [at, constraint] of constraints.entries()) {
      const fault = constraint.op === 'regex' ? faultOfPattern(constraint.value) : undefined;
      if (fault !== undefined) context.addIssue({ code: 'custom', path: [at, 'value'], message: fault });
    }
  });

/** What was found about the patterns of one request, which is parsed in one stretch, refused ones twice. */
const found = new Map<string, string | undefined>();

function faultOfPattern(source: string): string | undefined {
  if (found.has(source)) return found.get(source);
  if (found.size >= MOST_PATTERNS) return `is one of more than ${MOST_PATTERNS} patterns in one request; send fewer`;
  if (found.size === 0) queueMicrotask(() => found.clear());
  const fault = compileFault(source);
  found.set(source, fault);
  return fault;
}

function compileFault(source: string): string | undefined {
  if (lengthOf(source) > MOST_PATTERN_CHARACTERS) return undefined; // said already, and not worth compiling
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
