import { sha256Hex } from '../json/canonical.ts';
import type { JsonValue } from '../json/value.ts';
import type { SchemaFault } from './faults.ts';
import { structuralFaults } from './limits.ts';
import { Pool, type CheckLimits } from './pool.ts';

export { standardLimits, type CheckLimits } from './pool.ts';
export type { SchemaFault } from './faults.ts';

/** Runs the JSON Schemas of strangers (2020-12 and draft-07) away from the event loop, one second a job at most. */
export interface SchemaChecker {
  /**
   * Whether a schema may be published; `at` is the name of the body's property that holds it. Empty where nothing is
   * wrong.
   * @throws CarnetError `TEMPORARILY_UNAVAILABLE`
   */
  checkSchema(schema: JsonValue, at: string): Promise<SchemaFault[]>;
  /**
   * Whether a value matches a published schema, both as JSON text; `schemaHash` is any hash that stands for
   * `schemaText`.
   * A check that has to be stopped is a fault too. Empty where the value matches.
   * @throws CarnetError `TEMPORARILY_UNAVAILABLE`
   */
  validate(schemaText: string, schemaHash: string, valueText: string, root: 'input' | 'output'): Promise<SchemaFault[]>;
  /** Ends the threads; whoever still waits is told to try again. */
  close(): Promise<void>;
}

/** @param limits may change while it works: a job has what holds when it begins */
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
    close: () => pool.close(),
  };
}
