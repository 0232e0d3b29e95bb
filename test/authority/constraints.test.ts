import assert from 'node:assert/strict';
import { LRUCache } from 'lru-cache';
import { assertPatterns, ConstraintSchema, ConstraintsSchema } from '../../src/authority/constraints.ts';
import type { Caches } from '../../src/context/caches.ts';
import { CarnetError } from '../../src/errors/carnet-error.ts';
import { parseOrRefuse } from '../../src/errors/faults.ts';
import { createSchemaChecker, standardLimits, type SchemaChecker } from '../../src/json-schema/index.ts';
import { ampleTime } from '../support/ample-time.ts';

const pathsOf = (value: unknown): string[] => {
  try {
    parseOrRefuse(ConstraintsSchema, value, 'constraints.');
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
    ['a pattern of 257 characters', { param: 'p', op: 'regex', value: `${'a'.repeat(256)}[` }, 'value'],
    ['repeats that add up to 1,001', { param: 'p', op: 'regex', value: 'a{1000}b{0,1}' }, 'value'],
  ] as const) {
    it(`refuses ${fault}, with its path`, () => {
      assert.deepEqual(pathsOf([{ param: 'q', op: 'eq', value: 1 }, constraint]), [`constraints.1.${path}`]);
    });
  }

  describe('with patterns', () => {
    let checker: SchemaChecker;
    before(() => {
      checker = createSchemaChecker(ampleTime, { ...standardLimits, waitMs: 120_000 });
    });
    after(() => checker.close());

    /** Returns what a request with these patterns is refused for, each fault with its path; a context of its own, so nothing is remembered. */
    const faultsOf = async (patterns: string[], schemas: Pick<SchemaChecker, 'checkPatterns'> = checker) => {
      const caches = { get: () => new LRUCache<string, true>({ max: 100 }) } as unknown as Caches;
      const constraints = patterns.map((value) => ({ param: 'p', op: 'regex' as const, value }));
      try {
        await assertPatterns({ caches, schemas: schemas as SchemaChecker }, 'op_1', [['constraints', constraints]]);
        return [];
      } catch (error) {
        assert(error instanceof CarnetError && error.code === 'VALIDATION_ERROR', String(error));
        return (error.errors ?? []).map(({ path, code }) => `${path} ${code}`);
      }
    };

    it('takes those of RE2', async () => {
      assert.deepEqual(await faultsOf(['^[a-z]{1,64}$', '\\p{L}+', '(?i)ada|grace']), []);
    });

    it('refuses what RE2 does not have, with its path', async () => {
      assert.deepEqual(await faultsOf(['ok', '[a', 'a(?=b)']), [
        'constraints.1.value pattern_unsupported',
        'constraints.2.value pattern_unsupported',
      ]);
    });

    it('accepts 32 different ones in a request, however often each is used', async () => {
      const patterns = Array.from({ length: 34 }, (_, at) => `^${at}$`);
      assert.deepEqual(await faultsOf([...patterns.slice(0, 32), ...patterns.slice(0, 10)]), []);
      assert.deepEqual(await faultsOf(patterns), [
        'constraints.32.value too_many_patterns',
        'constraints.33.value too_many_patterns',
      ]);
    });

    it('compiles none of them on the event loop: the whole request has a second of a thread', async () => {
      // Folding the case of a range of most of Unicode takes 5 ms, and 256 characters have room for 60 of them.
      const heavy = Array.from({ length: 32 }, (_, at) => `(?i)[${'A-\u{1e942}'.repeat(60)}]{${at + 1}}`);
      parseOrRefuse(
        ConstraintsSchema,
        heavy.map((value) => ({ param: 'p', op: 'regex', value })),
        '',
      );
      let turns = 0;
      const turning = setInterval(() => (turns += 1), 1);
      assert.deepEqual(await faultsOf(heavy), ['constraints.0.value pattern_too_heavy']);
      clearInterval(turning);
      assert(turns > 100, `the event loop had ${turns} turns in a second`);
    });

    it('compiles each once while it is remembered', async () => {
      let compiled = 0;
      const counting = {
        checkPatterns: (patterns: readonly unknown[]) => {
          compiled += patterns.length;
          return Promise.resolve([]);
        },
      };
      const known = new LRUCache<string, true>({ max: 100 });
      const caches = { get: () => known } as unknown as Caches;
      const lists = [['constraints', [{ param: 'p', op: 'regex' as const, value: 'a+' }]]] as const;
      const context = { caches, schemas: counting as unknown as SchemaChecker };
      for (const _ of [1, 2, 3]) await assertPatterns(context, 'op_1', lists);
      assert.equal(compiled, 1);
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
