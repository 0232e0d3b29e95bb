import { LRUCache } from 'lru-cache';
import { defineCache } from '../../context/caches.ts';
import type { Context } from '../../context/context.ts';
import { boundOfRun, maxCostOfModelStep } from './cost.ts';
import { findSteps, type RunStep } from './run-plan.ts';

/** Characters of the code that is kept, of all skills together. */
const CAPACITY_CHARACTERS = 16 * 1024 * 1024;

const charactersOf = (steps: readonly RunStep[]): number =>
  steps.reduce((sum, step) => sum + (step.kind === 'script' ? step.script : step.system).length, 1_000);

/** The steps of skills that were executed lately. Code never changes, so none is outdated. */
const plans = defineCache(
  () => new LRUCache<string, readonly RunStep[]>({ maxSize: CAPACITY_CHARACTERS, sizeCalculation: charactersOf }),
);

/** The steps that the service executes for this skill, in order. */
export async function stepsOfSkill(
  context: Pick<Context, 'caches' | 'pool'>,
  skillId: string,
): Promise<readonly RunStep[]> {
  const cache = context.caches.get(plans);
  const known = cache.get(skillId);
  if (known !== undefined) return known;
  const steps = await findSteps(context.pool, skillId);
  cache.set(skillId, steps);
  return steps;
}

/** The member that GET of a skill shows; null where its provider does the work. */
export const maxComputeCents = async (
  context: Context,
  { id, execution_mode }: { id: string; execution_mode: 'open' | 'sealed' | 'source' },
): Promise<number | null> => (execution_mode === 'open' ? null : boundOfSkill(context, id));

/** A model that a skill asks, and the most that the call can cost, in microcents. */
export interface PlannedCall {
  provider: string;
  most_microcents: number;
}

/** The model calls of a skill, in order. */
export const modelCallsOfSkill = async (context: Context, skillId: string): Promise<PlannedCall[]> =>
  (await stepsOfSkill(context, skillId)).flatMap((step) =>
    step.kind === 'script'
      ? []
      : [{ provider: step.provider, most_microcents: maxCostOfModelStep(context.config, step) ?? 0 }],
  );

/** The most that executing this skill can cost, in cents; null where it cannot be executed with the settings as they are. */
export async function boundOfSkill(context: Context, skillId: string): Promise<number | null> {
  const steps = await stepsOfSkill(context, skillId);
  return steps.length === 0 ? null : boundOfRun(context.config, steps);
}
