/**
 * Describes a life as a person sees it in the Temporal UI: ids, amounts and times, and nothing that opens a page or names an
 * account.
 */
export interface LifeDescription {
  operatorIds: string[];
  agentId: null;
  skillId: null;
  summary: string;
  /** Markdown. */
  details: string;
}

/** The descriptions of the lives of these rows, by id. */
export const describeLives = <Row extends { id: string; operator_id: string }>(
  rows: readonly Row[],
  describe: (row: Row) => Pick<LifeDescription, 'summary' | 'details'>,
): Map<string, LifeDescription> =>
  new Map(
    rows.map((row) => [row.id, { operatorIds: [row.operator_id], agentId: null, skillId: null, ...describe(row) }]),
  );
