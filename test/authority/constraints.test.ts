import assert from 'node:assert/strict';
import { assertPatterns, ConstraintSchema, ConstraintsSchema } from '../../src/authority/constraints.ts';
import { CarnetError } from '../../src/errors/carnet-error.ts';
import { parseOrRefuse } from '../../src/errors/faults.ts';

const pathsOf = (value: unknown): string[] => {
  try {
    assertPatterns([{ path: 'constraints', constraints: parseOrRefuse(ConstraintsSchema, value, 'constraints.') }]);
    return [];
  } catch (error) {
    assert(error instanceof CarnetError);
    return (error.errors ?? []).map(({ path }) => path);
  }
};

describe('constraints', () => {
  for (const [op, ...values] of [
    ['eq', 'a', '', 1.5, true, null],
    ['in', ['a', 2, false, null], Array.from({ length: 100 }, (_, at) => at)],
    ['lte', 0, -1.5],
    ['gte', 1e9],
    ['prefix', 'ada/'],
    ['regex', '^[a-z]{1,64}$', '\\p{L}+'],
  ]) {
    it(`${String(op)} compares ${JSON.stringify(values).slice(0, 40)}`, () => {
      for (const value of values) assert.deepEqual(pathsOf([{ param: 'p', op, value }]), [], JSON.stringify(value));
    });
  }

  for (const [fault, constraint, path] of [
    ['an unknown op', { param: 'p', op: 'lt', value: 1 }, 'op'],
    ['no op', { param: 'p', value: 1 }, 'op'],
    ['no param', { op: 'eq', value: 1 }, 'param'],
    ['an empty param', { param: '', op: 'eq', value: 1 }, 'param'],
    ['a param of 129 characters', { param: 'x'.repeat(129), op: 'eq', value: 1 }, 'param'],
    ['no value', { param: 'p', op: 'eq' }, 'value'],
    ['an unknown member', { param: 'p', op: 'eq', value: 1, not: true }, 'not'],
    ['an object to equal', { param: 'p', op: 'eq', value: {} }, 'value'],
    ['a text too long', { param: 'p', op: 'eq', value: 'x'.repeat(2_001) }, 'value'],
    ['a scalar as a set', { param: 'p', op: 'in', value: 'a' }, 'value'],
    ['an empty set', { param: 'p', op: 'in', value: [] }, 'value'],
    ['a set of 101', { param: 'p', op: 'in', value: Array.from({ length: 101 }, () => 1) }, 'value'],
    ['a list in a set', { param: 'p', op: 'in', value: ['a', ['b']] }, 'value.1'],
    ['a text as upper limit', { param: 'p', op: 'lte', value: '5' }, 'value'],
    ['a text as lower limit', { param: 'p', op: 'gte', value: '5' }, 'value'],
    ['a number as prefix', { param: 'p', op: 'prefix', value: 5 }, 'value'],
    ['an empty prefix, which limits nothing', { param: 'p', op: 'prefix', value: '' }, 'value'],
    ['a pattern that does not close', { param: 'p', op: 'regex', value: '[a' }, 'value'],
    ['a pattern that looks ahead', { param: 'p', op: 'regex', value: 'a(?=b)' }, 'value'],
    ['a pattern of 257 characters', { param: 'p', op: 'regex', value: `${'a'.repeat(256)}[` }, 'value'],
    ['repeats that add up to 1,001', { param: 'p', op: 'regex', value: 'a{1000}b{0,1}' }, 'value'],
  ] as const) {
    it(`refuses ${fault}, with its path`, () => {
      assert.deepEqual(pathsOf([{ param: 'q', op: 'eq', value: 1 }, constraint]), [`constraints.1.${path}`]);
    });
  }

  const patterns = (count: number) =>
    Array.from({ length: count }, (_, at) => ({ param: 'p', op: 'regex' as const, value: `^${at}$` }));

  it('accepts 32 different patterns in a request, however often each is used', () => {
    assert.deepEqual(pathsOf([...patterns(32), ...patterns(10)]), []);
    assert.deepEqual(pathsOf(patterns(34)), ['constraints.32.value', 'constraints.33.value']);
  });

  it('counts the patterns of all lists of a request', () => {
    const another = { param: 'p', op: 'regex' as const, value: 'another' };
    const lists = (count: number) => [
      { path: 'scopes.0.constraints', constraints: patterns(count) },
      { path: 'scopes.1.constraints', constraints: [...patterns(1), another] },
    ];
    assertPatterns(lists(31));
    assert.throws(() => assertPatterns(lists(32)), {
      errors: [
        {
          path: 'scopes.1.constraints.1.value',
          code: 'custom',
          message: 'is one of more than 32 patterns in one request; send fewer',
        },
      ],
    });
  });

  it('are not compiled when they are read back', () => {
    const kept = { param: 'p', op: 'regex', value: '(?=a)' };
    assert.deepEqual(ConstraintSchema.parse(kept), kept);
  });

  it('refuses a list of 51, and what is not a list of objects', () => {
    const constraint = { param: 'p', op: 'eq', value: 1 };
    assert.deepEqual(pathsOf(Array.from({ length: 50 }, () => constraint)), []);
    assert.equal(pathsOf(Array.from({ length: 51 }, () => constraint)).length, 1);
    assert.deepEqual(pathsOf(['repo:read']), ['constraints.0']);
  });
});
