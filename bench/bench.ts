import type { Lab } from './lab.ts';

/** One claim of the documents, measured. */
export interface Bench {
  title: string;
  /** @returns tables in Markdown, the goal of each ratio in its row. */
  run(lab: Lab): Promise<string[]>;
}
