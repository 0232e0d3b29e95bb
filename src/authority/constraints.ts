import { RE2JS } from 're2js';
import { z } from 'zod';
import { invalid } from '../errors/carnet-error.ts';
import { text } from '../fields/text.ts';

/** Constraints of one list; a token of 16 KiB has no room for many more. */
const MAX_CONSTRAINTS = 50;
const MAX_PATTERN_CHARACTERS = 256;
/** Most that the counted repeats of one pattern may add up to; RE2 itself limits only nested ones. */
const MAX_REPEATS = 1_000;
/**
 * Patterns of one request. The worst take 13 ms to compile, usual ones 0.1 ms, and no other request is served
 * meanwhile.
 */
const MAX_PATTERNS = 32;

const scalar = z.union([text(0, 2_000), z.number(), z.boolean(), z.null()], {
  error: 'must be a text of at most 2,000 characters, a number, a boolean or null',
});

const param = text(1, 128).meta({ description: 'The limited parameter of the call' });

/**
 * One limit on a parameter of the calls that a grant or a passport allows; `value` is of the kind that `op` compares.
 * All constraints of a list must hold. Rows are read with this schema: their patterns were checked when they were
 * written (`assertPatterns`), and are not compiled again.
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
type Constraint = z.infer<typeof ConstraintSchema>;

/** Constraints of a request, whose patterns are not compiled yet: see `assertPatterns`. */
export const ConstraintsSchema = z.array(ConstraintSchema).max(MAX_CONSTRAINTS);

/**
 * Refuses a request with a pattern that is not in the syntax of RE2, which every verifier matches in linear time. To be called once a
 * request: each different pattern is compiled once, and they are counted over all lists.
 * @param lists lists of constraints by their path in the body, `scopes.2.constraints`
 * @throws CarnetError VALIDATION_ERROR naming every such pattern, and those beyond the most that a request may have.
 */
export function assertPatterns(lists: readonly { path: string; constraints: readonly Constraint[] }[]): void {
  const compiled = new Map<string, string | undefined>();
  const faultOf = (pattern: string): string | undefined => {
    if (!compiled.has(pattern)) {
      if (compiled.size >= MAX_PATTERNS)
        return `is one of more than ${MAX_PATTERNS} patterns in one request; send fewer`;
      compiled.set(pattern, compileFault(pattern));
    }
    return compiled.get(pattern);
  };
  const [first, ...others] = lists.flatMap(({ path, constraints }) =>
    constraints.flatMap((constraint, index) => {
      const message = constraint.op === 'regex' ? faultOf(constraint.value) : undefined;
      return message === undefined ? [] : [{ path: `${path}.${index}.value`, code: 'custom', message }];
    }),
  );
  if (first !== undefined) throw invalid(first, ...others);
}

function compileFault(source: string): string | undefined {
  const repeatCounts = [...source.matchAll(/\{(?:\d+,)?(\d+),?\}/g)].map(([, most]) => Number(most));
  if (repeatCounts.reduce((sum, count) => sum + count, 0) > MAX_REPEATS) {
    return `has counted repeats that add up to more than ${MAX_REPEATS}`;
  }
  try {
    RE2JS.compile(source);
    return undefined;
  } catch (error) {
    return `is not a regular expression of RE2 (${(error as Error).message})`;
  }
}
