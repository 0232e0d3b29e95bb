import assert from 'node:assert/strict';
import { z } from 'zod';
import { CarnetError, invalid } from '../../src/errors/carnet-error.ts';
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
  const refusalOf = (schema: z.ZodType, value: unknown): CarnetError | undefined => {
    try {
      parseOrRefuse(schema, value);
    } catch (error) {
      if (error instanceof CarnetError && error.code === 'VALIDATION_ERROR') return error;
      throw error;
    }
    return undefined;
  };
  const faultsOf = (schema: z.ZodType, value: unknown): number => refusalOf(schema, value)?.errors?.length ?? 0;
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

  it('name each step of a path by 64 characters of it, and the whole by 300', () => {
    const long = (letter: string): string => letter.repeat(100_000);
    const deep = (levels: number, leaf: z.ZodType): z.ZodType =>
      levels === 0 ? leaf : z.record(z.string(), deep(levels - 1, leaf));
    const value = (levels: number): unknown => (levels === 0 ? { [long('z')]: 1 } : { [long('a')]: value(levels - 1) });
    for (const [levels, path] of [
      [0, `${'z'.repeat(64)}…`],
      [2, [`${'a'.repeat(64)}…`, `${'a'.repeat(64)}…`, `${'z'.repeat(64)}…`].join('.')],
      [30, `${`${'a'.repeat(64)}….`.repeat(5).slice(0, 300)}…`],
    ] as const) {
      const refused = refusalOf(deep(levels, z.strictObject({})), value(levels));
      assert.deepEqual(
        refused?.errors?.map((fault) => fault.path),
        [path],
      );
    }
  });

  it('have 4,096 characters together in the detail, no matter who names them', () => {
    const names = Object.fromEntries(Array.from({ length: 100 }, (_none, at) => [`${'n'.repeat(60)}${at}`, 1]));
    const refused = refusalOf(z.strictObject({}), names);
    assert.equal(refused?.errors?.length, 100);
    assert.equal(refused.message.length, 4_097);
    const fault = { path: 'a', code: 'c', message: 'is wrong' };
    assert.equal(invalid(fault, ...wrong(10_000).map(() => fault)).errors?.length, 100);
  });

  it('are those of every member where the value is small', () => {
    assert.equal(
      faultsOf(z.strictObject({ a: z.string(), b: z.number(), c: z.array(z.number()) }), { b: 'x', c: wrong(2), d: 1 }),
      5,
    );
  });
});
