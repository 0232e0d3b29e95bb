import type { Caller } from '../../commands/caller.ts';
import type { Context } from '../../context/context.ts';
import { invalid, type FieldFault } from '../../errors/carnet-error.ts';
import type { JsonObject } from '../../json/value.ts';

/**
 * Refuses JSON Schemas that cannot be run on what strangers send. Compiling takes too long for the transaction of the
 * call, so it happens before.
 * @param schemas by the name of the body's property; undefined ones were not sent.
 * @throws CarnetError VALIDATION_ERROR with the place in the schema, the reason and what to do; RATE_LIMITED.
 */
export async function checkSchemas(
  context: Context,
  caller: Caller,
  schemas: Record<string, Record<string, unknown> | undefined>,
): Promise<void> {
  const faults: FieldFault[] = [];
  for (const [field, schema] of Object.entries(schemas)) {
    if (schema !== undefined)
      faults.push(...(await context.schemas.checkSchema(schema as JsonObject, field, caller.operatorId)));
  }
  const [first, ...more] = faults;
  if (first === undefined) return;
  throw invalid(first, ...more);
}
