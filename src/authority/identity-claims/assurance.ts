const RANKS: Readonly<Record<string, 1 | 2 | 3>> = {
  l1: 1,
  low: 1,
  basic: 1,
  ial1: 1,
  1: 1,
  l2: 2,
  substantial: 2,
  medium: 2,
  ial2: 2,
  2: 2,
  l3: 3,
  high: 3,
  ial3: 3,
  3: 3,
};

/**
 * The rank of an assurance level, which is a word of eIDAS, of NIST or our own, or an integer; an unknown level counts
 * 0. The SQL function `assurance_rank` ranks alike, so that invoking a skill stays one statement; a test compares both.
 */
export function assuranceRank(level: string | number): 0 | 1 | 2 | 3 {
  const name = String(level).toLowerCase();
  return Object.hasOwn(RANKS, name) ? (RANKS[name] ?? 0) : 0;
}
