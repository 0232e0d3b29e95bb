import assert from 'node:assert/strict';
import { sha256Hex } from '../../src/json/canonical.ts';
import type { JsonObject, JsonValue } from '../../src/json/value.ts';
import {
  createSchemaChecker,
  standardLimits,
  type CheckLimits,
  type SchemaChecker,
  type SchemaFault,
} from '../../src/json-schema/index.ts';

/** Where and why, without the words. */
export const places = (faults: SchemaFault[]): string[] => faults.map(({ path, code }) => `${path} ${code}`);

/** What is right is not stopped because the machine is slow: longer than any test. */
const patience: CheckLimits = { jobMs: 120_000, waitMs: 120_000 };

/** One checker for the tests of the `describe` it is called in, and short ways of asking it. */
export function checkerUnderTest() {
  let current: SchemaChecker;
  const limits = { ...patience };
  before(() => {
    current = createSchemaChecker(limits);
  });
  after(() => current.close());

  /** What `begin` begins has its second; for a thread it waits as long as the machine needs to start one. */
  const withinItsSecond = async <T>(begin: () => Promise<T>): Promise<T> => {
    limits.jobMs = standardLimits.jobMs;
    try {
      return await begin();
    } finally {
      limits.jobMs = patience.jobMs;
    }
  };

  const validateText = (
    schema: JsonObject,
    valueText: string,
    root: 'input' | 'output' = 'input',
  ): Promise<SchemaFault[]> => {
    const schemaText = JSON.stringify(schema);
    return current.validate(schemaText, sha256Hex(schemaText), valueText, root);
  };
  const validate = (schema: JsonObject, value: JsonValue): Promise<SchemaFault[]> =>
    validateText(schema, JSON.stringify(value));
  const rejects = async (schema: JsonObject, value: JsonValue, ...expected: string[]): Promise<void> =>
    assert.deepEqual(places(await validate(schema, value)), expected);
  const accepts = (schema: JsonObject, value: JsonValue): Promise<void> => rejects(schema, value);
  return { checker: () => current, validate, validateText, accepts, rejects, withinItsSecond };
}
