import type { SchemaFault } from './faults.ts';

export interface Job {
  /** SHA-256 that stands for the schema's text. */
  schemaHash: string;
  /** Undefined where the worker has had it; it asks again when it has forgotten. */
  schemaText: string | undefined;
  /** Undefined where the schema itself is checked for publication. */
  valueText: string | undefined;
  /** The caller's name of the value, or of the schema that is checked: every fault's path begins with it. */
  root: string;
}

/** `missing`: the job must be sent again with its schema's text. Every job has one answer, in the order of the jobs. */
export type Answer = 'ready' | 'missing' | SchemaFault[];
