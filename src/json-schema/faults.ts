import type { ErrorObject } from 'ajv';
import type { FieldFault } from '../errors/carnet-error.ts';
import { cut, shownPath } from '../json/shown.ts';

/** One reason why a schema is refused or a value does not match; `code` is a JSON Schema keyword or a name of ours. */
export type SchemaFault = FieldFault;

/** More faults would only repeat the first ones. */
export const MAX_FAULTS = 20;
/** Patterns and enums come from strangers, so their part of an answer is cut to this length. */
const MESSAGE_LENGTH = 300;

/** A path from the root's name to the property or index at fault, its steps separated by dots. */
export const dotted = (...steps: (string | number)[]): string => shownPath(steps);

/** The steps of a JSON pointer (RFC 6901), unescaped. */
export const pointerSteps = (pointer: string): string[] =>
  pointer
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));

export const fault = (path: string, code: string, message: string): SchemaFault => ({
  path,
  message: cut(message, MESSAGE_LENGTH),
  code,
});

/** Ajv's errors as faults; `root` is the caller's name of the value (`input`, `output_schema` …). */
export const faultsFrom = (errors: ErrorObject[], root: string): SchemaFault[] =>
  errors.slice(0, MAX_FAULTS).map((error) => {
    const property = propertyAtFault(error);
    const steps = [root, ...pointerSteps(error.instancePath), ...(property === undefined ? [] : [property])];
    return fault(dotted(...steps), error.keyword, messageOf(error));
  });

/**
 * Ajv's errors as faults whose path is that of the keyword in the schema, behind a `$ref` in what it refers to: names and values of the value are in none of them, since
 * Ajv's messages are made of the schema alone.
 */
export const faultsOfSchemaFrom = (errors: ErrorObject[], root: string): SchemaFault[] =>
  errors.slice(0, MAX_FAULTS).map((error) => {
    const missing = error.params['missingProperty'] as string | undefined;
    const steps = pointerSteps(error.schemaPath);
    return fault(dotted(root, ...steps, ...(missing === undefined ? [] : [missing])), error.keyword, messageOf(error));
  });

/** Ajv reports the object that lacks or holds a property; people look for the property. */
function propertyAtFault({ keyword, params, propertyName }: ErrorObject): string | undefined {
  switch (keyword) {
    case 'required':
    case 'dependentRequired':
    case 'dependencies':
      return params['missingProperty'] as string;
    case 'additionalProperties':
      return params['additionalProperty'] as string;
    case 'unevaluatedProperties':
      return params['unevaluatedProperty'] as string;
    case 'propertyNames':
      return params['propertyName'] as string;
    default:
      // Set where the name itself was checked, not its value.
      return propertyName;
  }
}

function messageOf({ keyword, params, message }: ErrorObject): string {
  switch (keyword) {
    case 'required':
      return 'is required';
    case 'additionalProperties':
    case 'unevaluatedProperties':
      return 'is not a property that the schema allows';
    case 'propertyNames':
      return 'is not a property name that the schema allows';
    case 'enum':
      return `must be one of ${JSON.stringify(params['allowedValues']).slice(1, -1)}`;
    case 'const':
      return `must be ${JSON.stringify(params['allowedValue'])}`;
    case 'false schema':
      return 'must not be given';
    default:
      return message ?? 'does not match the schema';
  }
}
