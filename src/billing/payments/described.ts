/** What a person sees of a life in the Temporal UI: ids, amounts and times, and nothing that opens a page or names an account. */
export interface Described {
  operatorIds: string[];
  agentId: null;
  skillId: null;
  summary: string;
  /** Markdown. */
  details: string;
}

/** The rows' lives by id. */
export const described = <Row extends { id: string; operator_id: string }>(
  rows: readonly Row[],
  words: (row: Row) => Pick<Described, 'summary' | 'details'>,
): Map<string, Described> =>
  new Map(rows.map((row) => [row.id, { operatorIds: [row.operator_id], agentId: null, skillId: null, ...words(row) }]));
