/** One import: of a file by a file, or of a folder by a folder. */
interface Edge {
  file: string;
  target: string;
}

/** A way from a file back to itself; never empty. */
type Cycle<Step> = [Step, ...Step[]];

/** The shortest cycle through each file, each cycle once, beginning with its alphabetically first file. */
export function cyclesOf<Step extends Edge>(imports: Step[]): Cycle<Step>[] {
  const leaving = Map.groupBy(imports, ({ file }) => file);
  const cycles = new Map<string, Cycle<Step>>();
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

/** Breadth-first. Files are tried in alphabetical order, so that a cycle is found from its first file. */
function shortestWayBack<Step extends Edge>(start: string, leaving: Map<string, Step[]>): Cycle<Step> | undefined {
  const seen = new Set<string>();
  let ways: Cycle<Step>[] = (leaving.get(start) ?? []).map((step): Cycle<Step> => [step]);
  while (ways.length > 0) {
    const home = ways.find((way) => way.at(-1)?.target === start);
    if (home) return home;
    ways = ways.flatMap((way) => {
      const reached = way.at(-1)?.target ?? start;
      if (seen.has(reached)) return [];
      seen.add(reached);
      return (leaving.get(reached) ?? []).map((step): Cycle<Step> => [...way, step]);
    });
  }
  return undefined;
}
