import assert from 'node:assert/strict';
import fc from 'fast-check';
import { composeChains, MAX_STEPS, type Chain, type Goal } from '../../src/skill-requests/compose.ts';
import type { ComposableSkill } from '../../src/skills/index.ts';

const field = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f');
const some = (minimum: number, maximum: number) => fc.uniqueArray(field, { minLength: minimum, maxLength: maximum });

const skills: fc.Arbitrary<ComposableSkill[]> = fc
  .array(
    fc.record({
      price_per_invocation: fc.integer({ min: 0, max: 9 }),
      input_required: some(0, 2),
      output_declared: some(0, 3),
    }),
    { maxLength: 9 },
  )
  .map((made) => made.map((skill, at) => ({ id: `skl_${at}`, ...skill })));
const goal: fc.Arbitrary<Goal> = fc.record({
  available: fc.option(some(0, 3), { freq: 5 }),
  outputs: some(1, 3),
  maxTotalCents: fc.option(fc.integer({ min: 0, max: 20 })),
});

const composable = ({ available }: Goal, steps: readonly ComposableSkill[]): boolean => {
  const there = new Set(available ?? 'abcdef');
  return steps.every(({ input_required: needs, output_declared: gives }) => {
    const ready = needs.every((name) => there.has(name));
    for (const name of gives) there.add(name);
    return ready;
  });
};
const coverage = ({ outputs }: Goal, steps: readonly ComposableSkill[]): number =>
  outputs.filter((name) => steps.some((step) => step.output_declared.includes(name))).length / outputs.length;

/** Every sequence of one to three of the skills. */
function* sequences(all: readonly ComposableSkill[], taken: ComposableSkill[] = []): Generator<ComposableSkill[]> {
  if (taken.length > 0) yield taken;
  if (taken.length === MAX_STEPS) return;
  for (const skill of all) if (!taken.includes(skill)) yield* sequences(all, [...taken, skill]);
}

/** All of the search, and how often others had their turn meanwhile. */
function composed(wanted: Goal, offered: readonly ComposableSkill[]): { chains: Chain[]; turns: number } {
  const search = composeChains(wanted, offered, 10);
  for (let turns = 0; ; turns += 1) {
    const next = search.next();
    if (next.done === true) return { chains: next.value, turns };
  }
}

const check = (property: (wanted: Goal, offered: ComposableSkill[], chains: Chain[]) => void): void =>
  fc.assert(
    fc.property(goal, skills, (wanted, offered) => property(wanted, offered, composed(wanted, offered).chains)),
    { numRuns: 300 },
  );

describe('a composition', () => {
  it('can run: what a step needs is provided or given before it', () =>
    check((wanted, _, chains) => {
      for (const { steps } of chains) assert(composable(wanted, steps));
    }));

  it('has one to three different steps, none of which can be left out', () =>
    check((wanted, _, chains) => {
      for (const { steps } of chains) {
        assert(steps.length >= 1 && steps.length <= MAX_STEPS && new Set(steps).size === steps.length);
        for (const left of steps) {
          const rest = steps.filter((step) => step !== left);
          assert(!composable(wanted, rest) || coverage(wanted, rest) < coverage(wanted, steps));
        }
      }
    }));

  it('costs what its steps cost, within the limit, and gives what it says', () =>
    check((wanted, _, chains) => {
      for (const chain of chains) {
        assert.equal(
          chain.totalCents,
          chain.steps.reduce((sum, step) => sum + step.price_per_invocation, 0),
        );
        assert(chain.totalCents <= (wanted.maxTotalCents ?? Infinity));
        assert.equal(chain.coverage, coverage(wanted, chain.steps));
      }
    }));

  it('is the cheapest that gives the most, of all there could be', () =>
    check((wanted, offered, chains) => {
      const price = (steps: ComposableSkill[]) => steps.reduce((sum, step) => sum + step.price_per_invocation, 0);
      const possible = [...sequences(offered)]
        .filter(
          (steps) =>
            composable(wanted, steps) &&
            price(steps) <= (wanted.maxTotalCents ?? Infinity) &&
            coverage(wanted, steps) > 0,
        )
        .map((steps) => ({ coverage: coverage(wanted, steps), price: price(steps) }))
        .toSorted((a, b) => b.coverage - a.coverage || a.price - b.price);
      assert.deepEqual(chains[0] && { coverage: chains[0].coverage, price: chains[0].totalCents }, possible[0]);
    }));

  it('comes cheapest first, each set of skills once', () =>
    check((_, __, chains) => {
      const totals = chains.map(({ totalCents }) => totalCents);
      assert.deepEqual(
        totals,
        totals.toSorted((a, b) => a - b),
      );
      const sets = chains.map(({ steps }) =>
        steps
          .map(({ id }) => id)
          .toSorted()
          .join(),
      );
      assert.equal(new Set(sets).size, sets.length);
    }));

  it('is found quickly among hundreds of skills that form circles', () => {
    const names = Array.from({ length: 40 }, (_, at) => `f${at}`);
    const offered = Array.from({ length: 600 }, (_, at) => ({
      id: `skl_${at}`,
      price_per_invocation: at,
      input_required: [names[at % 40] ?? '', names[(at * 7) % 40] ?? ''],
      output_declared: [names[(at * 3) % 40] ?? '', names[(at * 11) % 40] ?? ''],
    }));
    const wanted = { available: names.slice(0, 20), outputs: ['f30', 'f31', 'nowhere'], maxTotalCents: null };
    for (const { steps } of composed(wanted, offered).chains) assert(composable(wanted, steps));
  });

  it('stops after so much work, and gives others their turn meanwhile, no matter what hundreds of large skills declare', () => {
    const mid = (at: number): string => `mid${at % 300}`;
    const outputs = Array.from({ length: 100 }, (_, at) => `out${at}`);
    const offered = Array.from({ length: 300 }, (_, skill) => ({
      id: `skl_${skill}`,
      price_per_invocation: skill,
      input_required: skill % 3 === 0 ? ['in'] : Array.from({ length: 30 }, (_input, at) => mid(skill * 7 + at)),
      output_declared: [
        ...Array.from({ length: 99 }, (_output, at) => mid(skill * 13 + at)),
        outputs[skill % 100] ?? '',
      ],
    }));
    for (const available of [['in'], null]) {
      const { chains, turns } = composed({ available, outputs, maxTotalCents: null }, offered);
      assert.equal(chains.length, 10);
      // Two million comparisons, in slices of fifty thousand and of what the last look at a chain took beyond.
      assert(turns >= 30 && turns <= 42, `${turns} turns`);
    }
  });
});
