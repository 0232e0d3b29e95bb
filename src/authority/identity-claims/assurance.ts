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
 * The number behind an assurance level, in words of eIDAS, NIST or our own, or as an integer; an unknown level counts 0
 * (decisions K21). Its twin is the SQL function `assurance_rank`, which invoking asks without leaving its statement.
 */
export function assuranceRank(level: string | number): 0 | 1 | 2 | 3 {
  const name = String(level).toLowerCase();
  return Object.hasOwn(RANKS, name) ? (RANKS[name] ?? 0) : 0;
}
