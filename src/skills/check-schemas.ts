import type { Context } from '../context.ts';
import { invalid, type FieldFault } from '../http/errors.ts';
import type { JsonObject } from '../http/json-value.ts';

/**
 * Refuses JSON Schemas that could not be trusted to check what strangers send.
 * @param schemas by the name of the body's property; undefined ones were not sent.
 * @throws CarnetError VALIDATION_ERROR whose errors say where in which schema, why, and what to do.
 */
export async function checkSchemas(
  context: Context,
  schemas: Record<string, Record<string, unknown> | undefined>,
): Promise<void> {
  const faults: FieldFault[] = [];
  for (const [field, schema] of Object.entries(schemas)) {
    if (schema !== undefined) faults.push(...(await context.schemas.checkSchema(schema as JsonObject, field)));
  }
  const [first, ...more] = faults;
  if (first !== undefined) throw invalid(first, ...more);
}
