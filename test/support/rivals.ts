/**
 * Twice as many as there are connections: some always wait for one, and on a slow machine none waits until it is
 * refused.
 */
const AT_ONCE = 16;

/** Runs this many rivals, sixteen at a time. @returns their results, in no particular order */
export async function rivals<T>(count: number, act: () => Promise<T>): Promise<T[]> {
  const results: T[] = [];
  let left = count;
  const takeTurns = async (): Promise<void> => {
    while (left > 0) {
      left -= 1;
      results.push(await act());
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, takeTurns));
  return results;
}
