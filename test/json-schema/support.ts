import assert from 'node:assert/strict';
import { sha256Hex } from '../../src/json/canonical.ts';
import type { JsonObject, JsonValue } from '../../src/json/value.ts';
import {
  createSchemaChecker,
  standardLimits,
  type SchemaCheck,
  type SchemaChecker,
  type SchemaFault,
} from '../../src/json-schema/index.ts';
import type { PoolLimits } from '../../src/threads/pool.ts';
import { ampleTime } from '../support/ample-time.ts';

/** Place and code of each fault, without its message. */
export const places = (faults: SchemaFault[]): string[] => faults.map(({ path, code }) => `${path} ${code}`);

/** Longer than any test: jobs must not be stopped because the machine is slow. */
export const generousLimits: PoolLimits = {
  jobMs: 120_000,
  clockMs: 120_000,
  waitMs: 120_000,
};

/** As `SchemaChecker.validate`, for a schema and a value as they are. */
export const checkOf = (
  schema: JsonObject,
  value: JsonValue,
  { caller = 'op_test', root = 'input' }: { caller?: string; root?: 'input' | 'output' } = {},
): SchemaCheck => textCheckOf(schema, JSON.stringify(value), { caller, root });

const textCheckOf = (
  schema: JsonObject,
  valueText: string,
  { caller, root }: { caller: string; root: 'input' | 'output' },
): SchemaCheck => {
  const schemaText = JSON.stringify(schema);
  return { schemaText, schemaHash: sha256Hex(schemaText), valueText, root, caller };
};

/** One checker for the tests of the `describe` it is called in, and short functions to use it. */
export function checkerUnderTest() {
  let current: SchemaChecker;
  const limits = { ...generousLimits };
  before(() => {
    current = createSchemaChecker(ampleTime, limits);
  });
  after(() => current.close());

  /** Jobs that `begin` starts have the standard second of processor time; they get it, and a thread, as late as the machine gives them. */
  const withinItsSecond = async <T>(begin: () => Promise<T>): Promise<T> => {
    limits.jobMs = standardLimits.jobMs;
    try {
      return await begin();
    } finally {
      limits.jobMs = generousLimits.jobMs;
    }
  };

  const validateText = (
    schema: JsonObject,
    valueText: string,
    root: 'input' | 'output' = 'input',
  ): Promise<SchemaFault[]> => current.validate(textCheckOf(schema, valueText, { caller: 'op_test', root }));
  const validate = (schema: JsonObject, value: JsonValue): Promise<SchemaFault[]> =>
    validateText(schema, JSON.stringify(value));
  const rejects = async (schema: JsonObject, value: JsonValue, ...expected: string[]): Promise<void> =>
    assert.deepEqual(places(await validate(schema, value)), expected);
  const accepts = (schema: JsonObject, value: JsonValue): Promise<void> => rejects(schema, value);
  return { checker: () => current, limits, validate, validateText, accepts, rejects, withinItsSecond };
}
