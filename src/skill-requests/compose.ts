import type { ComposableSkill } from '../skills/index.ts';

/** Skills in a chain at most. */
export const MAX_STEPS = 3;
/** Unfinished chains that are extended by another step, the cheapest first. */
const MAX_PATHS = 100;
/** Properties compared in all: about a tenth of a second, no matter what strangers have published. */
const MAX_WORK = 2_000_000;
/** Properties compared before others have their turn: a few milliseconds. In a thread, copying what is compared would cost as much as comparing. */
const SLICE = 50_000;
/** The cost of looking at one more chain, however few properties it has. */
const WORK_OF_PATH = 20;
/** Skills with equal inputs and outputs can replace each other; of each kind the cheapest are enough. */
const MAX_ALIKE = 3;

/** The needs that a chain must meet. Properties are entries of `comparableProperties`. */
export interface Goal {
  /** Properties that the request provides; null: it leaves them open, so every input is taken as provided. */
  available: readonly string[] | null;
  /** Properties that the request wants, at least one. */
  outputs: readonly string[];
  maxTotalCents: number | null;
}

export interface Chain {
  steps: ComposableSkill[];
  totalCents: number;
  /** Share of the wanted outputs, above 0. */
  coverage: number;
}

interface Path extends Chain {
  given: ReadonlySet<string>;
}

/**
 * Searches breadth-first from what the request provides. Every input of a step is provided by the request or is an output
 * of an earlier step, and every step is needed. Yields where others should have their turn. Returns the chains that give the
 * largest share of the wanted outputs, cheapest first.
 */
export function* composeChains(
  goal: Goal,
  skills: readonly ComposableSkill[],
  limit: number,
): Generator<void, Chain[], void> {
  const available = goal.available === null ? null : new Set(goal.available);
  const outputs = new Set(goal.outputs);
  const candidates = cheapestOfEachKind(skills);
  yield;
  const waitingFor = skillsByMissingProperty(available, candidates);
  const complete: Chain[] = [];
  let paths: Path[] = [{ steps: [], totalCents: 0, coverage: 0, given: new Set() }];
  let work = 0;
  let rested = 0;
  for (let length = 1; length <= MAX_STEPS; length += 1) {
    // The last step must give a wanted output; an earlier one may also give what another step needs.
    const isUseful = (property: string) => outputs.has(property) || (length < MAX_STEPS && waitingFor.has(property));
    const useful = new Map(
      candidates
        .map((skill) => [skill, skill.output_declared.filter(isUseful)] as const)
        .filter(([, properties]) => properties.length > 0),
    );
    const starting = [...useful.keys()].filter((skill) => canRun(available, [skill]));
    const longer: Path[] = [];
    for (const path of paths.toSorted(cheapestFirst).slice(0, MAX_PATHS)) {
      const waiting = [...path.given].flatMap((property) => waitingFor.get(property) ?? []);
      for (const skill of new Set([...waiting, ...starting])) {
        const gives = useful.get(skill) ?? [];
        work += gives.length + WORK_OF_PATH;
        if (work > MAX_WORK) break;
        if (work - rested > SLICE) {
          rested = work;
          yield;
        }
        if (!gives.some((property) => !path.given.has(property))) continue;
        const size = path.given.size + skill.input_required.length + skill.output_declared.length + goal.outputs.length;
        work += size;
        const extended = extend(goal, available, { path, skill });
        if (extended === undefined) continue;
        if (extended.coverage > path.coverage) {
          // Each step is left out once, and the rest is compared with the whole.
          work += size * (extended.steps.length + 1);
          if (everyStepIsNeeded(goal, available, extended.steps)) complete.push(extended);
        }
        if (extended.coverage < 1) longer.push(extended);
      }
    }
    paths = longer;
  }
  const best = complete.reduce((most, { coverage }) => Math.max(most, coverage), 0);
  const chains = complete.filter(({ coverage }) => coverage === best).toSorted(cheapestFirst);
  return withoutReorderings(chains, limit).map(({ steps, totalCents, coverage }) => ({ steps, totalCents, coverage }));
}

const cheapestFirst = (a: Chain, b: Chain): number => a.totalCents - b.totalCents || a.steps.length - b.steps.length;

function skillsByMissingProperty(
  available: ReadonlySet<string> | null,
  candidates: readonly ComposableSkill[],
): Map<string, ComposableSkill[]> {
  const waitingFor = new Map<string, ComposableSkill[]>();
  for (const skill of available === null ? [] : candidates) {
    for (const property of skill.input_required) {
      if (available?.has(property) === true) continue;
      const waiting = waitingFor.get(property);
      if (waiting === undefined) waitingFor.set(property, [skill]);
      else waiting.push(skill);
    }
  }
  return waitingFor;
}

function extend(
  { outputs, maxTotalCents }: Goal,
  available: ReadonlySet<string> | null,
  { path, skill }: { path: Path; skill: ComposableSkill },
): Path | undefined {
  const totalCents = path.totalCents + skill.price_per_invocation;
  if (maxTotalCents !== null && totalCents > maxTotalCents) return undefined;
  if (
    available !== null &&
    !skill.input_required.every((property) => available.has(property) || path.given.has(property))
  )
    return undefined;
  const given = new Set([...path.given, ...skill.output_declared]);
  return { steps: [...path.steps, skill], totalCents, given, coverage: coverageOf(outputs, given) };
}

const coverageOf = (outputs: readonly string[], given: ReadonlySet<string>): number =>
  outputs.filter((property) => given.has(property)).length / outputs.length;

/** Without any one of the steps the rest cannot run, or gives less. */
function everyStepIsNeeded(
  { outputs }: Goal,
  available: ReadonlySet<string> | null,
  steps: readonly ComposableSkill[],
): boolean {
  const whole = coverageOf(outputs, new Set(steps.flatMap((step) => step.output_declared)));
  return steps.every((left) => {
    const rest = steps.filter((step) => step !== left);
    return (
      !canRun(available, rest) || coverageOf(outputs, new Set(rest.flatMap((step) => step.output_declared))) < whole
    );
  });
}

/** Whether each step has its inputs from the request or from earlier steps. */
function canRun(available: ReadonlySet<string> | null, steps: readonly ComposableSkill[]): boolean {
  const given = new Set<string>();
  return steps.every((step) => {
    const ready =
      available === null || step.input_required.every((property) => available.has(property) || given.has(property));
    for (const property of step.output_declared) given.add(property);
    return ready;
  });
}

function cheapestOfEachKind(skills: readonly ComposableSkill[]): ComposableSkill[] {
  const kinds = new Map<string, number>();
  const unique = new Map(skills.map((skill) => [skill.id, skill]));
  return [...unique.values()]
    .toSorted((a, b) => a.price_per_invocation - b.price_per_invocation || (a.id < b.id ? -1 : 1))
    .filter((skill) => {
      const kind = JSON.stringify([skill.input_required.toSorted(), skill.output_declared.toSorted()]);
      const seen = (kinds.get(kind) ?? 0) + 1;
      kinds.set(kind, seen);
      return seen <= MAX_ALIKE;
    });
}

/** The first chains; those of the same skills in another order are left out. */
function withoutReorderings(chains: readonly Chain[], limit: number): Chain[] {
  const bySkills = new Map<string, Chain>();
  for (const chain of chains) {
    const ids = chain.steps
      .map(({ id }) => id)
      .toSorted()
      .join(' ');
    if (!bySkills.has(ids)) bySkills.set(ids, chain);
    if (bySkills.size === limit) break;
  }
  return [...bySkills.values()];
}
