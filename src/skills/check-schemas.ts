import type { Context } from '../context.ts';
import { invalid, type FieldFault } from '../http/errors.ts';
import type { JsonObject } from '../http/json-value.ts';

const FIELDS = ['input_schema', 'output_schema'] as const;

/**
 * Refuses JSON Schemas that could not be trusted to check what strangers send.
 * @throws CarnetError VALIDATION_ERROR whose errors say where in which schema, why, and what to do.
 */
export async function checkSchemas(context: Context, body: { [field in (typeof FIELDS)[number]]?: Record<string, unknown> | undefined }): Promise<void> {
  const faults: FieldFault[] = [];
  for (const field of FIELDS) {
    const schema = body[field];
    if (schema !== undefined) faults.push(...(await context.schemas.checkSchema(schema as JsonObject, field)));
  }
  const [first, ...more] = faults;
  if (first !== undefined) throw invalid(first, ...more);
}
