import type { Import } from './imports.ts';

/** A way from a file back to itself; never empty. */
export type Cycle = [Import, ...Import[]];

/** The shortest cycle through each file that lies on one, every cycle once, begun at its alphabetically first file. */
export function cyclesOf(imports: Import[]): Cycle[] {
  const leaving = Map.groupBy(imports, ({ file }) => file);
  const cycles = new Map<string, Cycle>();
  for (const file of [...leaving.keys()].toSorted()) {
    const cycle = shortestWayBack(file, leaving);
    if (!cycle) continue;
    const key = cycle
      .map((step) => step.file)
      .toSorted()
      .join(' ');
    if (!cycles.has(key)) cycles.set(key, cycle);
  }
  return [...cycles.values()];
}

/** Breadth first; the files are tried in alphabetical order, so the first to find a cycle is its beginning. */
function shortestWayBack(start: string, leaving: Map<string, Import[]>): Cycle | undefined {
  const seen = new Set<string>();
  let ways: Cycle[] = (leaving.get(start) ?? []).map((step): Cycle => [step]);
  while (ways.length > 0) {
    const home = ways.find((way) => way.at(-1)?.target === start);
    if (home) return home;
    ways = ways.flatMap((way) => {
      const reached = way.at(-1)?.target ?? start;
      if (seen.has(reached)) return [];
      seen.add(reached);
      return (leaving.get(reached) ?? []).map((step): Cycle => [...way, step]);
    });
  }
  return undefined;
}
