import { z } from 'zod';
import { shownPath } from '../json/shown.ts';
import { CarnetError, invalid, MAX_FAULTS, type FieldFault } from './carnet-error.ts';
import { faultWords } from './fault-words.ts';

type Issue = z.core.$ZodIssue;
type RawIssue = z.core.$ZodRawIssue;

/** This many of zod's issues are put into words: beside each of a hundred may stand one that `withoutSizesOfOtherKinds` drops. */
const MAX_ISSUES = 2 * MAX_FAULTS;

/**
 * The first fault alone is named where a value holds more values than this: zod makes an object of each fault, and the 300,000
 * wrong items that fit into 1 MiB would stop the process for seconds.
 */
const SMALL = 5_000;
/** Ends at the first fault of each object and list. Of zod's API it is part of `validate` alone, which does not say what is wrong. */
const FIRST_FAULT: z.core.ParseContextInternal<Issue> = { abortEarly: true };

/**
 * The faults of a value, each at its place. Paths are dotted and end in the property, missing and unknown ones included.
 * The faults of a union are those of the branch that came furthest, since that is the one that was meant.
 * @param prefix `query.` for a query string, '' for a body
 */
function faultsOf(issues: readonly Issue[], prefix = '', above: readonly PropertyKey[] = []): FieldFault[] {
  return withoutSizesOfOtherKinds(issues).flatMap((issue): FieldFault[] => {
    const path = [...above, ...issue.path];
    if (issue.code === 'unrecognized_keys') {
      return issue.keys.slice(0, MAX_FAULTS).map((key) => ({
        path: prefix + shownPath([...path, key]),
        code: 'unknown_property',
        message: 'is not a property of this request',
      }));
    }
    if (issue.code === 'invalid_union') {
      const branches = issue.errors.map((errors) => faultsOf(errors, prefix, path));
      const furthest = branches.reduce<FieldFault[]>(
        (best, branch) => (depth(branch) > depth(best) ? branch : best),
        [],
      );
      if (depth(furthest) > path.length) return furthest;
    }
    if (issue.code === 'invalid_key' || issue.code === 'invalid_element') return faultsOf(issue.issues, prefix, path);
    const missing = (issue.code === 'invalid_type' || issue.code === 'custom') && issue.input === undefined;
    return [
      {
        path: prefix + (shownPath(path) || 'body'),
        code: missing ? 'required' : issue.code,
        message: missing ? 'is required' : issue.message,
      },
    ];
  });
}

/** zod measures a text that stands where a list should; what is of the wrong kind has no wrong size. */
function withoutSizesOfOtherKinds(issues: readonly Issue[]): readonly Issue[] {
  const otherKinds = new Set(issues.filter(({ code }) => code === 'invalid_type').map(({ path }) => path.join('.')));
  if (otherKinds.size === 0) return issues;
  return issues.filter(
    ({ code, path }) => (code !== 'too_big' && code !== 'too_small') || !otherKinds.has(path.join('.')),
  );
}

const depth = (faults: readonly FieldFault[]): number =>
  faults.reduce((most, fault) => Math.max(most, fault.path.split('.').length), 0);

/** Whether a value holds at most `SMALL` values, however deep. */
function isSmall(value: unknown): boolean {
  const open = [value];
  for (let seen = 0; open.length > 0; seen += 1) {
    if (seen + open.length > SMALL) return false;
    const one = open.pop();
    if (typeof one !== 'object' || one === null) continue;
    const held: unknown[] = Object.values(one);
    if (held.length > SMALL) return false;
    open.push(...held);
  }
  return true;
}

/** @throws CarnetError VALIDATION_ERROR with every fault of the value, up to a hundred; with the first where the value is large */
export function parseOrRefuse<Schema extends z.ZodType>(schema: Schema, value: unknown, prefix = ''): z.output<Schema> {
  const parsed = run(schema, value, FIRST_FAULT);
  if (parsed.issues.length === 0) return parsed.value;
  // Only the faults of a refused value need their inputs, to distinguish what is missing from what is wrong.
  const context = { ...(!isSmall(value) && FIRST_FAULT), reportInput: true, error: faultWords };
  const { issues } = run(schema, value, context);
  const found = (issues.length > 0 ? issues : parsed.issues)
    .slice(0, MAX_ISSUES)
    .map((issue) => z.core.util.finalizeIssue(issue, context, z.config()));
  const [first, ...others] = faultsOf(found, prefix).slice(0, MAX_FAULTS);
  throw first === undefined
    ? new CarnetError('VALIDATION_ERROR', 'The request is not valid.')
    : invalid(first, ...others);
}

/**
 * Does what `safeParse` does, without words for each issue: a record ends at none of its faults, and the words for 90,000 of them took a
 * second.
 */
function run<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  context: z.core.ParseContextInternal<Issue>,
): { value: z.output<Schema>; issues: RawIssue[] } {
  // oxlint-disable-next-line no-underscore-dangle -- zod calls its interface for libraries that
  const result = schema._zod.run({ value, issues: [] }, { ...context, async: false });
  if (result instanceof Promise) throw new z.core.$ZodAsyncError();
  return { value: result.value as z.output<Schema>, issues: result.issues };
}
