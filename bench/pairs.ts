/** Runs the contenders in turns, A B A B, so that other work of the machine slows both. @returns the results in order, by contender. */
export async function inTurns<Name extends string, Result>(
  rounds: number,
  contenders: Record<Name, () => Promise<Result>>,
  report: (line: string) => void,
): Promise<Record<Name, Result[]>> {
  const names = Object.keys(contenders) as Name[];
  const results = Object.fromEntries(names.map((name) => [name, []])) as unknown as Record<Name, Result[]>;
  for (let round = 1; round <= rounds; round += 1) {
    for (const name of names) {
      const result = await contenders[name]();
      results[name].push(result);
      report(
        `${name}, round ${round} of ${rounds}: ${typeof result === 'number' ? rate(result) : JSON.stringify(result)}`,
      );
    }
  }
  return results;
}

export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((one, other) => one - other);
  const at = (sorted.length - 1) * share;
  const [below, above] = [sorted[Math.floor(at)], sorted[Math.ceil(at)]];
  if (below === undefined || above === undefined) throw new Error('There is nothing to take a quantile of.');
  return below + (above - below) * (at - Math.floor(at));
}

export const median = (values: readonly number[]): number => quantile(values, 0.5);

/** The ratio of each pair, whose two runs followed each other. */
export const ratiosOf = (ours: readonly number[], theirs: readonly number[]): number[] =>
  ours.map((value, at) => value / (theirs[at] ?? Number.NaN));

export const rate = (perSecond: number): string => Math.round(perSecond).toLocaleString('en-US');

export const rates = (perSecond: readonly number[]): string => rate(median(perSecond));

/** `0.71 (0.69–0.74)`: median and spread. */
export const spread = (values: readonly number[], digits = 2): string =>
  `${median(values).toFixed(digits)} (${Math.min(...values).toFixed(digits)}–${Math.max(...values).toFixed(digits)})`;

/** Median and spread of the ratios, and whether the median reaches the goal. */
export const ratioCells = (ours: readonly number[], theirs: readonly number[], goal: number): [string, string] => {
  const ratios = ratiosOf(ours, theirs);
  return [spread(ratios), `${goal.toFixed(2)} ${median(ratios) >= goal ? 'reached' : 'missed'}`];
};

const row = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;

export const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [row(head), `|${head.map((_, at) => (at === 0 ? '---' : '---:')).join('|')}|`, ...rows.map(row)].join('\n');
