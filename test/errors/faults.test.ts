import assert from 'node:assert/strict';
import { z } from 'zod';
import { CarnetError } from '../../src/errors/carnet-error.ts';
import { parseOrRefuse } from '../../src/errors/faults.ts';

describe('faults of a value', () => {
  const wrong = (count: number) => Array.from({ length: count }, () => 'x');
  const named = (count: number) => Object.fromEntries(wrong(count).map((text, at) => [`k${at}`, text]));
  const either = z.union([z.strictObject({ a: z.string() }), z.strictObject({ b: z.array(z.number()) })]);
  const objects = z.array(z.strictObject({ a: z.string(), b: z.string() }));
  const shapes: [what: string, schema: z.ZodType, value: (count: number) => unknown][] = [
    ['a list', z.array(z.number()), wrong],
    ['a list of objects', objects, (count) => wrong(count).map(() => ({}))],
    ['a list in one of two shapes', either, (count) => ({ b: wrong(count) })],
    ['an object', z.strictObject({}), (count) => named(count / 4)],
  ];
  const faultsOf = (schema: z.ZodType, value: unknown): number => {
    try {
      parseOrRefuse(schema, value);
    } catch (error) {
      if (error instanceof CarnetError && error.code === 'VALIDATION_ERROR') return error.errors?.length ?? 0;
      throw error;
    }
    return 0;
  };
  for (const [what, schema, value] of shapes) {
    it(`are a hundred at most where ${what} has a thousand`, () => {
      assert.equal(faultsOf(schema, value(1_000)), 100);
    });

    it(`take no long time where ${what} has two hundred thousand`, () => {
      const many = value(200_000);
      const start = process.threadCpuUsage();
      assert(faultsOf(schema, many) > 0);
      const { user, system } = process.threadCpuUsage(start);
      assert((user + system) / 1_000 < 700, `it took ${(user + system) / 1_000} ms of CPU time`);
    });
  }

  it('are those of every member where the value is small', () => {
    assert.equal(
      faultsOf(z.strictObject({ a: z.string(), b: z.number(), c: z.array(z.number()) }), { b: 'x', c: wrong(2), d: 1 }),
      5,
    );
  });
});
