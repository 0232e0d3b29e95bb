import assert from 'node:assert/strict';
import { z } from 'zod';
import { STANDARD_VALUES, type AnyRoute } from '../../src/http/route.ts';
import { routes } from '../../src/process/routes.ts';

const named = (chosen: (route: AnyRoute) => boolean): string[] =>
  routes
    .filter(chosen)
    .map(({ operation }) => operation)
    .toSorted();

const sum = (counts: number[]): number => counts.reduce((one, other) => one + other, 0);

/** Counts the largest value that a schema takes, as `assertFewValues` does; Infinity: as much as somebody sends. */
function maxValuesOf(schema: z.core.$ZodType): number {
  const most = (inner: unknown): number => maxValuesOf(inner as z.core.$ZodType);
  if (schema instanceof z.ZodObject) return 4 + sum(Object.values(schema.shape).map((value) => 7 + most(value)));
  if (schema instanceof z.ZodArray) {
    const { maxItems = Number.POSITIVE_INFINITY } = z.toJSONSchema(schema, { unrepresentable: 'any', io: 'input' });
    return 1 + maxItems * most(schema.element);
  }
  if (schema instanceof z.ZodUnion) return Math.max(...schema.options.map(most));
  if (schema instanceof z.ZodIntersection) return most(schema.def.left) + most(schema.def.right);
  if (schema instanceof z.ZodPipe) return most(schema.in);
  if (
    schema instanceof z.ZodOptional ||
    schema instanceof z.ZodNullable ||
    schema instanceof z.ZodDefault ||
    schema instanceof z.ZodPrefault
  )
    return most(schema.def.innerType);
  const isOne =
    schema instanceof z.ZodString ||
    schema instanceof z.ZodStringFormat ||
    schema instanceof z.ZodNumber ||
    schema instanceof z.ZodBoolean ||
    schema instanceof z.ZodEnum ||
    // Taken only to be refused with a code of its own.
    schema instanceof z.ZodUnknown ||
    schema instanceof z.ZodLiteral;
  return isOne ? 2 : Number.POSITIVE_INFINITY;
}

describe('the routes', () => {
  it('that say nothing of values take all that their schema takes, and no route takes many from anybody', () => {
    const standard = ({ body, maxValues, takesSigned }: AnyRoute): boolean =>
      body !== undefined && maxValues === undefined && takesSigned === undefined;
    assert.deepEqual(
      named((route) => standard(route) && maxValuesOf(route.body as z.core.$ZodType) > STANDARD_VALUES),
      [],
    );
    assert(named(standard).length > 20);
    assert.deepEqual(
      named(({ audience, maxValues = 0 }) => audience === 'public' && maxValues > STANDARD_VALUES),
      [],
    );
  });

  it('that read by cursor, and no others, declare INVALID_CURSOR', () => {
    const byCursor = ({ query }: AnyRoute): boolean => query instanceof z.ZodObject && 'cursor' in query.shape;
    const declaring = ({ refusals }: AnyRoute): boolean => refusals?.includes('INVALID_CURSOR') === true;
    assert.notDeepEqual(named(byCursor), []);
    assert.deepEqual(named(declaring), named(byCursor));
  });
});
