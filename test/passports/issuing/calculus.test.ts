import assert from 'node:assert/strict';
import fc from 'fast-check';
import { CarnetError } from '../../../src/errors/carnet-error.ts';
import {
  isAsTight,
  combineConstraints,
  findLoosened,
  includesEveryLimit,
  type SignedConstraint,
} from '../../../src/passports/issuing/constraints.ts';
import { narrowServices, type Allowance, type RequestedScope } from '../../../src/passports/issuing/narrowing.ts';

/** Few values, so that generated constraints often concern the same: two parameters, few values of each kind. */
const param = fc.constantFrom('a', 'b');
const number = fc.integer({ min: -2, max: 3 });
const word = fc.stringMatching(/^[xy]{0,3}$/);
const scalar = fc.oneof(number, word, fc.boolean(), fc.constant(null));
const constraint: fc.Arbitrary<SignedConstraint> = fc.oneof(
  fc.record({ param, op: fc.constant('eq' as const), value: scalar }),
  fc.record({ param, op: fc.constant('in' as const), value: fc.array(scalar, { minLength: 1, maxLength: 4 }) }),
  fc.record({ param, op: fc.constant('lte' as const), value: number }),
  fc.record({ param, op: fc.constant('gte' as const), value: number }),
  fc.record({ param, op: fc.constant('prefix' as const), value: word }),
  fc.record({ param, op: fc.constant('regex' as const), value: fc.constantFrom('^x', '^xy', 'y$') }),
);
const constraints = fc.array(constraint, { maxLength: 4 });
const call = fc.record({ a: scalar, b: scalar });

/** The judgement of a verifier on a constraint, written independently: whether a call is allowed. */
function allows({ param: name, op, value }: SignedConstraint, parameters: Record<string, unknown>): boolean {
  const given = parameters[name];
  switch (op) {
    case 'eq':
      return given === value;
    case 'in':
      return value.some((item) => item === given);
    case 'lte':
      return typeof given === 'number' && given <= value;
    case 'gte':
      return typeof given === 'number' && given >= value;
    case 'prefix':
      return typeof given === 'string' && given.startsWith(value);
    case 'regex':
      return typeof given === 'string' && new RegExp(value, 'u').test(given);
  }
}
const allowsAll = (set: readonly SignedConstraint[], parameters: Record<string, unknown>): boolean =>
  set.every((one) => allows(one, parameters));

const names = ['code', 'chat', 'mail'];
const scopes = ['read', 'write', 'admin'];
const allowance: fc.Arbitrary<Allowance> = fc.record({
  service_id: fc.constantFrom('github', 'slack'),
  service_name: fc.constantFrom(...names),
  scopes: fc.subarray(scopes, { minLength: 1 }),
  credential_ref: fc.constant(null),
  connection_id: fc.constantFrom('con_1', 'con_2', 'con_3'),
  allow_data_from: fc.subarray(names),
  constraints,
});
const allowances = fc.uniqueArray(allowance, { selector: ({ connection_id: id }) => id, maxLength: 3 });
const requested: fc.Arbitrary<RequestedScope[]> = fc.uniqueArray(
  fc.record(
    {
      service_connection_id: fc.constantFrom('con_1', 'con_2', 'con_3', 'con_4'),
      scopes: fc.subarray([...scopes, '*'], { minLength: 1 }),
      constraints,
      allow_data_from: fc.subarray([...names, '*']),
    },
    { requiredKeys: ['service_connection_id', 'scopes'] },
  ),
  { selector: ({ service_connection_id: id }) => id, maxLength: 3 },
);

const runs = { numRuns: 2_000 };

describe('the calculus of passports', () => {
  it('a constraint that is as tight as another allows nothing that the other refuses', () => {
    fc.assert(
      fc.property(constraint, constraint, call, (child, parent, parameters) => {
        if (isAsTight(child, parent) && allows(child, parameters)) assert(allows(parent, parameters));
      }),
      { numRuns: 20_000 },
    );
  });

  it('being as tight is reflexive and transitive', () => {
    fc.assert(
      fc.property(constraint, constraint, constraint, (a, b, c) => {
        assert(isAsTight(a, a));
        if (isAsTight(a, b) && isAsTight(b, c)) assert(isAsTight(a, c));
      }),
      { numRuns: 20_000 },
    );
  });

  it('combining requires both sets, and nothing else', () => {
    fc.assert(
      fc.property(constraints, constraints, call, (parent, child, parameters) => {
        const both = combineConstraints(parent, child);
        assert.equal(allowsAll(both, parameters), allowsAll(parent, parameters) && allowsAll(child, parameters));
        assert(includesEveryLimit(both, parent));
        assert.deepEqual(combineConstraints(both, child), both);
      }),
      runs,
    );
  });

  it('a limit loosens a set exactly where one of the same param and op is tighter and is not repeated', () => {
    const one = (op: string, value: unknown): SignedConstraint => ({ param: 'a', op, value }) as SignedConstraint;
    const cases: [child: SignedConstraint, parents: SignedConstraint[], loosened: boolean][] = [
      [one('lte', 5), [one('lte', 4)], true],
      [one('lte', 4), [one('lte', 4)], false],
      [one('lte', 3.9), [one('lte', 4)], false],
      [one('lte', 5), [one('lte', 4), one('lte', 5)], false],
      [one('lte', 5), [one('lte', 4), one('lte', 6)], true],
      [one('gte', 3), [one('gte', 4)], true],
      [one('gte', 5), [one('gte', 4)], false],
      [one('in', [1, 2]), [one('in', [1])], true],
      [one('in', ['1']), [one('in', [1])], true],
      [one('in', [1]), [one('in', [2, 1])], false],
      [
        one('in', [{ claim: 'pc_1', target: 't', action: 'a' }]),
        [one('in', [{ action: 'a', target: 't', claim: 'pc_1' }])],
        false,
      ],
      [one('prefix', 'ad'), [one('prefix', 'ada')], true],
      [one('prefix', 'ada/x'), [one('prefix', 'ada')], false],
      [one('eq', 1), [one('eq', 2)], true],
      [one('eq', 1), [one('eq', 1)], false],
      [one('regex', '^ab'), [one('regex', '^a')], true],
      [one('regex', '^a'), [one('regex', '^a'), one('regex', 'b$')], false],
      [one('lte', 5), [one('gte', 9), one('eq', 1)], false],
      [one('lte', 5), [{ param: 'b', op: 'lte', value: 1 }], false],
    ];
    for (const [child, parents, loosened] of cases) {
      assert.equal(findLoosened(child, parents) !== undefined, loosened, JSON.stringify([child, parents]));
    }
  });

  it('narrowing gives exactly what was requested within what is allowed, or refuses with the code of the reason', () => {
    fc.assert(
      fc.property(
        allowances,
        requested,
        fc.constantFrom('SCOPE_NOT_GRANTED' as const, 'SCOPE_ESCALATION' as const),
        (allowed, items, beyond) => {
          const above = (id: string) => allowed.find(({ connection_id: known }) => known === id);
          const within = (list: readonly string[] | undefined, most: readonly string[] | undefined): boolean =>
            (list ?? []).every((name) => name === '*' || most?.includes(name) === true);
          // In the order of the calculus, item by item: scopes, then data, then limits.
          const wrong = items.flatMap((item) => {
            const parent = above(item.service_connection_id);
            if (parent === undefined || !within(item.scopes, parent.scopes)) return [beyond];
            const limits = (item.constraints ?? []).some(
              (limit) => findLoosened(limit, parent.constraints) !== undefined,
            );
            return within(item.allow_data_from, parent.allow_data_from) && !limits ? [] : ['SCOPE_ESCALATION'];
          });
          let made;
          try {
            made = narrowServices(allowed, items, beyond);
          } catch (error) {
            assert(error instanceof CarnetError);
            assert.equal(error.code, wrong[0]);
            return;
          }
          assert.deepEqual(wrong, []);
          assert.deepEqual(
            made.map(({ connection_id: id }) => id),
            items.map(({ service_connection_id: id }) => id),
          );
          for (const [index, service] of made.entries()) {
            const [parent, item] = [above(service.connection_id), items[index]];
            assert(parent !== undefined && item !== undefined);
            assert.deepEqual(
              service.scopes.toSorted(),
              (item.scopes.includes('*') ? parent.scopes : item.scopes).toSorted(),
            );
            const sources =
              item.allow_data_from === undefined || item.allow_data_from.includes('*')
                ? parent.allow_data_from
                : item.allow_data_from;
            assert.deepEqual(service.allow_data_from.toSorted(), sources.toSorted());
            assert(includesEveryLimit(service.constraints, [...parent.constraints, ...(item.constraints ?? [])]));
          }
        },
      ),
      { numRuns: 10_000 },
    );
  });
});
