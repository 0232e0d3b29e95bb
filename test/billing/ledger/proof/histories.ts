import fc from 'fast-check';
import { roundsOf } from '../../../support/cases.ts';

/** Settings of a run: the same seed gives the same histories. */
export const SEED = Number(process.env.PROOF_SEED ?? Date.now() % 1_000_000_000);
const PATH = process.env.PROOF_PATH;
/** How many histories each property plays; set it to thousands for a long run. */
export const HISTORIES = Number(process.env.PROOF_HISTORIES ?? roundsOf(50, 10));

/** A history of rivals that failed may pass the next time, so it is played again this often. */
export const REPEATS = Number(process.env.PROOF_REPEATS ?? 1);

/** Time for making a failing history smaller, counted from the first failure. */
const SMALLER_MS = 120_000;

/**
 * Plays many histories. The first one that fails is reduced to the smallest that still fails.
 * @throws Error with the smallest history, one step a line, why it failed, and the command that plays it again
 */
export async function playHistories<T>(
  arbitrary: fc.Arbitrary<T>,
  { file, histories, show }: { file: string; histories: number; show(history: T): string[] },
  play: (history: T) => Promise<void>,
): Promise<void> {
  let failedAt: number | undefined;
  const playInTime = async (history: T): Promise<void> => {
    if (failedAt !== undefined && performance.now() - failedAt > SMALLER_MS) return;
    try {
      await play(history);
    } catch (error) {
      failedAt ??= performance.now();
      throw error;
    }
  };
  const result = await fc.check(fc.asyncProperty(arbitrary, playInTime), {
    seed: SEED,
    numRuns: histories,
    ...(PATH !== undefined && { path: PATH }),
  });
  if (!result.failed) return;
  const { counterexample, counterexamplePath, errorInstance } = result;
  const [smallest] = (counterexample ?? []) as [T?];
  const steps = smallest === undefined ? [] : show(smallest);
  const again = `PROOF_SEED=${SEED} PROOF_PATH=${counterexamplePath ?? ''} npx mocha ${file}`;
  const why = errorInstance instanceof Error ? errorInstance.message : String(errorInstance);
  throw new Error(
    `This history breaks the ledger:\n${steps.map((line) => `  ${line}`).join('\n')}\n${why}\nPlay it again: ${again}`,
    { cause: errorInstance },
  );
}
