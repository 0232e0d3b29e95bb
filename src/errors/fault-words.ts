import type { z } from 'zod';

/** By zod's names of types; another one is shown as it is. */
const KINDS: Record<string, string> = {
  string: 'a text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
  null: 'null',
};

/** Names what is counted of a value that has a size; a number has none. */
const UNITS: Record<string, string> = { string: 'character', array: 'item' };

const counted = (count: number | bigint, unit: string): string => `${count} ${unit}${Number(count) === 1 ? '' : 's'}`;

function bound(
  origin: string,
  {
    limit,
    comparison,
    inclusive,
  }: { limit: number | bigint; comparison: 'at least' | 'at most'; inclusive: boolean | undefined },
): string {
  const unit = UNITS[origin];
  if (unit !== undefined) return `must have ${comparison} ${counted(limit, unit)}`;
  if (inclusive === false) return `must be ${comparison === 'at least' ? 'more' : 'less'} than ${limit}`;
  return `must be ${comparison} ${limit}`;
}

const oneOf = (values: readonly z.core.util.Primitive[]): string => {
  const shown = values.map((value) => JSON.stringify(value)).join(', ');
  return values.length === 1 ? `must be ${shown}` : `must be one of ${shown}`;
};

/** The message for a fault for which the schema itself has none; undefined leaves it to zod. */
export function faultWords(issue: z.core.$ZodRawIssue): string | undefined {
  switch (issue.code) {
    case 'invalid_type':
      return `must be ${KINDS[issue.expected] ?? issue.expected}`;
    case 'invalid_value':
      return oneOf(issue.values);
    case 'too_small':
      return bound(issue.origin, { limit: issue.minimum, comparison: 'at least', inclusive: issue.inclusive });
    case 'too_big':
      return bound(issue.origin, { limit: issue.maximum, comparison: 'at most', inclusive: issue.inclusive });
    case 'invalid_union':
      return 'options' in issue && Array.isArray(issue.options)
        ? oneOf(issue.options as z.core.util.Primitive[])
        : 'has none of the shapes that are taken here';
    case 'not_multiple_of':
      return `must be a multiple of ${issue.divisor}`;
    case 'custom':
    case 'invalid_element':
    case 'invalid_format':
    case 'invalid_key':
    case 'unrecognized_keys':
      return undefined;
  }
}
