import type { Part } from '../skills/index.ts';

/** Chains of at most this many skills (decisions K41). */
export const MOST_STEPS = 3;
/** Unfinished chains taken a step further, the cheapest first. */
const PATHS = 100;
/** Fields looked at in all: some 50 ms, whatever strangers published. */
const WORK = 1_000_000;
/** Skills that take and give the same are interchangeable; the cheapest are enough. */
const ALIKE = 3;

export interface Goal {
  /** Fields that the request provides; null: it says nothing, so anything is there. */
  available: readonly string[] | null;
  /** Fields that are asked for, at least one. */
  outputs: readonly string[];
  maxTotalCents: number | null;
}

export interface Chain {
  steps: Part[];
  totalCents: number;
  /** Share of the outputs asked for, above 0. */
  coverage: number;
}

interface Path extends Chain {
  given: ReadonlySet<string>;
}

/**
 * Breadth-first from what the request provides: what a step requires is provided or given by a step before it, and no step can be
 * left out. Chains that give everything come alone where there are any, else those that give the most; cheapest first.
 */
export function composeChains(goal: Goal, parts: readonly Part[], limit: number): Chain[] {
  const available = goal.available === null ? null : new Set(goal.available);
  const outputs = new Set(goal.outputs);
  const pool = cheapestOfEachKind(parts);
  const waitingFor = partsByMissingField(available, pool);
  const found: Chain[] = [];
  let paths: Path[] = [{ steps: [], totalCents: 0, coverage: 0, given: new Set() }];
  let work = WORK;
  for (let length = 1; length <= MOST_STEPS; length += 1) {
    // The last step must give something asked for; one before it may also give what another waits for.
    const isUseful = (field: string) => outputs.has(field) || (length < MOST_STEPS && waitingFor.has(field));
    const useful = new Map(
      pool
        .map((part) => [part, part.output_declared.filter(isUseful)] as const)
        .filter(([, fields]) => fields.length > 0),
    );
    const starting = [...useful.keys()].filter((part) => runs(available, [part]));
    const longer: Path[] = [];
    for (const path of paths.toSorted(cheapestFirst).slice(0, PATHS)) {
      const waiting = [...path.given].flatMap((field) => waitingFor.get(field) ?? []);
      for (const part of new Set([...waiting, ...starting])) {
        const gives = useful.get(part) ?? [];
        work -= gives.length;
        if (work < 0) break;
        if (!gives.some((field) => !path.given.has(field))) continue;
        work -= path.given.size + part.input_required.length + part.output_declared.length + goal.outputs.length;
        const extended = extend(goal, available, path, part);
        if (extended === undefined) continue;
        if (extended.coverage > path.coverage && nothingIdle(goal, available, extended.steps)) found.push(extended);
        if (extended.coverage < 1) longer.push(extended);
      }
    }
    paths = longer;
  }
  const best = found.reduce((most, { coverage }) => Math.max(most, coverage), 0);
  return withoutReorderings(found.filter(({ coverage }) => coverage === best).toSorted(cheapestFirst))
    .slice(0, limit)
    .map(({ steps, totalCents, coverage }) => ({ steps, totalCents, coverage }));
}

const cheapestFirst = (a: Chain, b: Chain): number => a.totalCents - b.totalCents || a.steps.length - b.steps.length;

function partsByMissingField(available: ReadonlySet<string> | null, pool: readonly Part[]): Map<string, Part[]> {
  const waitingFor = new Map<string, Part[]>();
  for (const part of available === null ? [] : pool) {
    for (const field of part.input_required) {
      if (available?.has(field) === true) continue;
      const waiting = waitingFor.get(field);
      if (waiting === undefined) waitingFor.set(field, [part]);
      else waiting.push(part);
    }
  }
  return waitingFor;
}

function extend(
  { outputs, maxTotalCents }: Goal,
  available: ReadonlySet<string> | null,
  path: Path,
  part: Part,
): Path | undefined {
  const totalCents = path.totalCents + part.price_per_invocation;
  if (maxTotalCents !== null && totalCents > maxTotalCents) return undefined;
  if (available !== null && !part.input_required.every((field) => available.has(field) || path.given.has(field)))
    return undefined;
  const given = new Set([...path.given, ...part.output_declared]);
  return { steps: [...path.steps, part], totalCents, given, coverage: coverageOf(outputs, given) };
}

const coverageOf = (outputs: readonly string[], given: ReadonlySet<string>): number =>
  outputs.filter((field) => given.has(field)).length / outputs.length;

/** Whether every step is needed: without any one of them the rest cannot run, or gives less. */
function nothingIdle({ outputs }: Goal, available: ReadonlySet<string> | null, steps: readonly Part[]): boolean {
  const whole = coverageOf(outputs, new Set(steps.flatMap((step) => step.output_declared)));
  return steps.every((left) => {
    const rest = steps.filter((step) => step !== left);
    return !runs(available, rest) || coverageOf(outputs, new Set(rest.flatMap((step) => step.output_declared))) < whole;
  });
}

/** Whether each step has what it requires from the request or from the steps before it. */
export function runs(available: ReadonlySet<string> | null, steps: readonly Part[]): boolean {
  const given = new Set<string>();
  return steps.every((step) => {
    const ready = available === null || step.input_required.every((field) => available.has(field) || given.has(field));
    for (const field of step.output_declared) given.add(field);
    return ready;
  });
}

function cheapestOfEachKind(parts: readonly Part[]): Part[] {
  const kinds = new Map<string, number>();
  const unique = new Map(parts.map((part) => [part.id, part]));
  return [...unique.values()]
    .toSorted((a, b) => a.price_per_invocation - b.price_per_invocation || (a.id < b.id ? -1 : 1))
    .filter((part) => {
      const kind = JSON.stringify([part.input_required.toSorted(), part.output_declared.toSorted()]);
      const seen = (kinds.get(kind) ?? 0) + 1;
      kinds.set(kind, seen);
      return seen <= ALIKE;
    });
}

/** Steps that need nothing of each other may stand in any order; one is enough. */
function withoutReorderings(chains: readonly Chain[]): Chain[] {
  const seen = new Set<string>();
  return chains.filter(({ steps }) => {
    const skills = steps
      .map(({ id }) => id)
      .toSorted()
      .join(' ');
    if (seen.has(skills)) return false;
    seen.add(skills);
    return true;
  });
}
