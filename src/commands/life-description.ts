/**
 * The text and the attributes that a person sees of a life in the Temporal UI from its start: ids, amounts and times, and nothing that no history
 * may hold (rules 3 and 8).
 */
export interface LifeDescription {
  /** Those that it concerns; the first is the one whose turn its tasks take. */
  operatorIds: string[];
  agentId: string | null;
  skillId: string | null;
  summary: string;
  /** Markdown. */
  details: string;
}

type Described = Pick<LifeDescription, 'operatorIds' | 'summary' | 'details'> & Partial<LifeDescription>;

/** The descriptions of the lives of these rows, by id. */
export const describeLives = <Row extends { id: string }>(
  rows: readonly Row[],
  describe: (row: Row) => Described,
): Map<string, LifeDescription> =>
  new Map(rows.map((row) => [row.id, { agentId: null, skillId: null, ...describe(row) }]));
