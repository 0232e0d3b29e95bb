import type { JsonValue } from '../json/value.ts';
import type { SchemaFault } from './faults.ts';
import { structuralFaults } from './limits.ts';
import type { PlacedPattern } from './messages.ts';
import type { PoolLimits } from '../threads/pool.ts';
import type { Quota } from '../turns/quota.ts';
import { NEVER_SEEN, Pool, standardLimits } from './pool.ts';

export { standardLimits } from './pool.ts';
export type { SchemaFault } from './faults.ts';
export type { PlacedPattern } from './messages.ts';

/** One value against one published schema, both as JSON text. */
export interface SchemaCheck {
  schemaText: string;
  /** Any hash that stands for `schemaText`. */
  schemaHash: string;
  valueText: string;
  root: 'input' | 'output' | 'output_schema';
  /** For a reader who may not see the value: faults name the keyword's place in the schema, and nothing that stands in the value. */
  placesOfSchema?: boolean;
  /** The operator who sent the value, whose processor time it takes. */
  caller: string;
}

/**
 * Runs JSON Schemas of strangers (2020-12 and draft-07) outside of the event loop, with a second of processor time a job at most.
 * Callers take turns and have a quota each: see `Pool`.
 */
export interface SchemaChecker {
  /**
   * Why a schema may not be published; empty where it may. `at` is the name of the body's property that holds it.
   * @throws CarnetError `RATE_LIMITED`, `TEMPORARILY_UNAVAILABLE`
   */
  checkSchema(schema: JsonValue, at: string, caller: string): Promise<SchemaFault[]>;
  /**
   * Why a value does not match a published schema; empty where it matches. A check that had to be stopped is a fault, too.
   * @throws CarnetError `RATE_LIMITED`, `TEMPORARILY_UNAVAILABLE`
   */
  validate(check: SchemaCheck): Promise<SchemaFault[]>;
  /** Whether the caller's last check against the schema took next to nothing: less than looking first whether it is needed. */
  isLight(schemaHash: string, caller: string): boolean;
  /**
   * Why patterns are no regular expressions of RE2, each with its path. Each is a job, so that other callers have their turn between two; no
   * pattern begins once those before it have taken a second of processor time together.
   * @throws CarnetError `RATE_LIMITED`, `TEMPORARILY_UNAVAILABLE`
   */
  checkPatterns(patterns: readonly [PlacedPattern, ...PlacedPattern[]], caller: string): Promise<SchemaFault[]>;
  /** Ends the threads; jobs that still wait fail with `TEMPORARILY_UNAVAILABLE`. */
  close(): Promise<void>;
}

/**
 * @param time the milliseconds of processor time that each caller has
 * @param limits may be changed later: a job has the limits of the moment it begins.
 */
export function createSchemaChecker(time: Quota, limits: PoolLimits = standardLimits): SchemaChecker {
  const pool = new Pool(time, limits);
  return {
    async checkSchema(schema, at, caller) {
      const faults = structuralFaults(schema, at);
      if (faults.length > 0) return faults;
      const schemaText = JSON.stringify(schema);
      return pool.run({ schemaHash: NEVER_SEEN, schemaText, valueText: undefined, root: at, caller });
    },
    validate: (check) => pool.run(check),
    isLight: (schemaHash, caller) => pool.isLight(schemaHash, caller),
    checkPatterns: (patterns, caller) =>
      pool.runInTurns(
        patterns.map((placed) => ({
          schemaHash: NEVER_SEEN,
          schemaText: JSON.stringify(placed),
          valueText: undefined,
          root: patterns[0].path,
          ofPattern: true,
          caller,
        })),
      ),
    close: () => pool.close(),
  };
}
