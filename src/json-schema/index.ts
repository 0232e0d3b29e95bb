import { sha256Hex } from '../json/canonical.ts';
import type { JsonValue } from '../json/value.ts';
import type { SchemaFault } from './faults.ts';
import { structuralFaults } from './limits.ts';
import type { PlacedPattern } from './messages.ts';
import { Pool, type CheckLimits } from './pool.ts';

export { standardLimits, type CheckLimits } from './pool.ts';
export type { SchemaFault } from './faults.ts';
export type { PlacedPattern } from './messages.ts';

/** Runs JSON Schemas of strangers (2020-12 and draft-07) outside of the event loop, one second a job at most. */
export interface SchemaChecker {
  /**
   * Why a schema may not be published; empty where it may. `at` is the name of the body's property that holds it.
   * @throws CarnetError `TEMPORARILY_UNAVAILABLE`
   */
  checkSchema(schema: JsonValue, at: string): Promise<SchemaFault[]>;
  /**
   * Why a value does not match a published schema, both as JSON text; empty where it matches. A check that had to be
   * stopped is a fault, too. `schemaHash` is any hash that stands for `schemaText`.
   * @throws CarnetError `TEMPORARILY_UNAVAILABLE`
   */
  validate(schemaText: string, schemaHash: string, valueText: string, root: 'input' | 'output'): Promise<SchemaFault[]>;
  /**
   * Why patterns are no regular expressions of RE2, each with its path; all of them have one second together.
   * @throws CarnetError `TEMPORARILY_UNAVAILABLE`
   */
  checkPatterns(patterns: readonly [PlacedPattern, ...PlacedPattern[]]): Promise<SchemaFault[]>;
  /** Ends the threads; jobs that still wait fail with `TEMPORARILY_UNAVAILABLE`. */
  close(): Promise<void>;
}

/** @param limits may be changed later: a job has the limits of the moment it begins. */
export function createSchemaChecker(limits?: CheckLimits): SchemaChecker {
  const pool = new Pool(limits);
  return {
    async checkSchema(schema, at) {
      const faults = structuralFaults(schema, at);
      if (faults.length > 0) return faults;
      const schemaText = JSON.stringify(schema);
      return pool.run({ schemaHash: sha256Hex(schemaText), schemaText, valueText: undefined, root: at });
    },
    validate: (schemaText, schemaHash, valueText, root) => pool.run({ schemaHash, schemaText, valueText, root }),
    async checkPatterns(patterns) {
      const schemaText = JSON.stringify(patterns);
      const root = patterns[0].path;
      return pool.run({ schemaHash: sha256Hex(schemaText), schemaText, valueText: undefined, root, ofPatterns: true });
    },
    close: () => pool.close(),
  };
}
