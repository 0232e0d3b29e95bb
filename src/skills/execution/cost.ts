import type { Config } from '../../context/config.ts';
import { maxCostOfCall } from '../../models/cost.ts';
import { pricesOfModel } from '../../models/settings.ts';
import { MAX_SCRIPT_MS } from '../../sandbox/script-runner.ts';
import type { Code } from '../skill-code.ts';
import { stepsOf, type LlmStep, type RunStep } from './run-plan.ts';

/** Bytes of JSON that a model is given at most, so that what a step can cost is known before it runs. */
export const MAX_MODEL_INPUT_BYTES = 65_536;
const MAX_INPUT = 'x'.repeat(MAX_MODEL_INPUT_BYTES);
const MICROCENTS_OF_CENT = 1_000_000n;

type Prices = Pick<Config, 'computeMicrocentsPerSecond' | 'modelProviders'>;

/** Returns what a script costs the platform, in microcents, rounded up. @param computeMs milliseconds, whole */
export const costOfScript = ({ computeMicrocentsPerSecond }: Prices, computeMs: number): number =>
  Math.ceil((computeMs * computeMicrocentsPerSecond) / 1_000);

/** As the SQL function cost_with_fee(). */
const withFee = (microcents: number): bigint => (BigInt(microcents) * 115n + 99n) / 100n;

/** The most that a model step can cost by the price list, in microcents; null: the settings have no such model. */
export function maxCostOfModelStep({ modelProviders }: Pick<Prices, 'modelProviders'>, step: LlmStep): number | null {
  const price = pricesOfModel(modelProviders, step);
  return price === undefined ? null : maxCostOfCall({ ...step, user: MAX_INPUT }, price);
}

/**
 * The most that executing these steps can cost who invokes them, in whole cents.
 * @returns null where they ask a model that the settings have not
 */
export function boundOfRun(prices: Prices, steps: readonly RunStep[]): number | null {
  let sum = 0n;
  for (const step of steps) {
    if (step.kind === 'script') sum += withFee(costOfScript(prices, MAX_SCRIPT_MS));
    else {
      const most = maxCostOfModelStep(prices, step);
      if (most === null) return null;
      sum += withFee(most);
    }
  }
  return Number((sum + MICROCENTS_OF_CENT - 1n) / MICROCENTS_OF_CENT);
}

/** The same of code as it is stored; null too where there is nothing to execute. */
export function boundOfCode(prices: Prices, code: Code): number | null {
  const steps = stepsOf(code);
  return steps.length === 0 ? null : boundOfRun(prices, steps);
}
