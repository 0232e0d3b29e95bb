import assert from 'node:assert/strict';
import { sha256Hex } from '../../../src/http/canonical-json.ts';
import type { JsonObject, JsonValue } from '../../../src/http/json-value.ts';
import { createSchemaChecker, type SchemaChecker, type SchemaFault } from '../../../src/skills/json-schema/index.ts';

/** Where and why, without the words. */
export const places = (faults: SchemaFault[]): string[] => faults.map(({ path, code }) => `${path} ${code}`);

/** One checker for the tests of the `describe` it is called in, and short ways of asking it. */
export function checkerUnderTest() {
  let current: SchemaChecker;
  before(() => {
    current = createSchemaChecker();
  });
  after(() => current.close());

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
  return { checker: () => current, validate, validateText, accepts, rejects };
}
