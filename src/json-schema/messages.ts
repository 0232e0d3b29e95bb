import type { SchemaFault } from './faults.ts';

export interface Job {
  /** SHA-256 that stands for the schema's text; one text for all whose value is undefined. */
  schemaHash: string;
  /** Undefined where the worker received it before; the worker answers `missing` where it has dropped it since. */
  schemaText: string | undefined;
  /** Undefined where the schema itself is to be checked. */
  valueText: string | undefined;
  /** The caller's name of the value, or of the schema that is checked: every fault's path begins with it. */
  root: string;
  /** Faults name the place in the schema instead of the place in the value. */
  placesOfSchema?: boolean;
  /** The text is a `PlacedPattern` as JSON instead of a schema: a regular expression of RE2 that is to be compiled. */
  ofPattern?: true;
}

/** A regular expression, and where it stands in the caller's body. */
export interface PlacedPattern {
  path: string;
  pattern: string;
}

/** `missing`: the job must be sent again with its schemaText. */
export type Answer = 'missing' | SchemaFault[];
