import { Ajv, type ErrorObject, type Options, type ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { canonicalJson } from '../json/canonical.ts';
import type { JsonObject, JsonValue } from '../json/value.ts';
import { Draft, draftOf } from './drafts.ts';
import { regExpEngine } from './patterns.ts';

/**
 * How schemas of strangers are run.
 * - Not strict: the drafts allow unknown keywords (`x-…`, `examples`) and formats, and Ajv's strict rules are about
 * style.
 * - Own properties only: `constructor` in `required` must not be met by what every object inherits.
 * - Formats assert: whoever writes `format: email` expects a check.
 * - `multipleOf` with nine decimals, since 19.99 is a multiple of 0.01 to everybody but a double.
 * - No optimiser: it doubles the time to compile and saves a sixth of the microseconds of a validation at most.
 * - References become functions; inlining would let a small text grow to megabytes of code.
 */
const OPTIONS: Options = {
  strict: false,
  logger: false,
  validateSchema: false,
  meta: false,
  ownProperties: true,
  inlineRefs: false,
  multipleOfPrecision: 9,
  code: { regExp: regExpEngine, optimize: false },
};

const make = (draft: Draft, options: Options): Ajv =>
  draft === Draft.draft07 ? new Ajv(options) : new Ajv2020(options);

const metaschemas = new Map<Draft, Ajv>();

/** What the metaschema of the schema's draft says about it; compiled once a draft, 18 to 33 ms. */
export function metaschemaErrors(schema: JsonObject): ErrorObject[] {
  const draft = draftOf(schema) ?? Draft.draft2020;
  const ajv = metaschemas.get(draft) ?? make(draft, { strict: false, logger: false, allErrors: true });
  metaschemas.set(draft, ajv);
  return ajv.validateSchema(withoutIdentity(schema)) === true ? [] : (ajv.errors ?? []);
}

/**
 * A validator of one schema. `everyFault` goes on after the first fault, which a caller wants for an ordinary value;
 * for
 * large values it would let a stranger make as many error objects as the value has places.
 *
 * Each has an instance of its own: an instance keeps every pattern and schema it has compiled for ever.
 * @throws Error where the schema cannot be compiled
 */
export function compileSchema(schema: JsonObject, { everyFault }: { everyFault: boolean }): ValidateFunction {
  const ajv = make(draftOf(schema) ?? Draft.draft2020, { ...OPTIONS, allErrors: everyFault });
  formats.default(ajv);
  // `id` is unknown to both drafts and so ignored; Ajv would refuse it as a leftover of draft-04.
  ajv.removeKeyword('id').addKeyword('id');
  ajv.removeKeyword('uniqueItems').addKeyword({
    keyword: 'uniqueItems',
    type: 'array',
    schemaType: 'boolean',
    validate: (wanted: boolean, items: JsonValue[]) => !wanted || allDifferent(items),
    error: { message: 'must not hold the same item twice' },
  });
  return ajv.compile(withoutIdentity(schema));
}

/** Ajv compares every item with every other: 10,000 objects would take seconds. */
function allDifferent(items: JsonValue[]): boolean {
  const scalars = new Set<JsonValue>();
  const containers = new Set<string>();
  for (const item of items) {
    if (typeof item === 'object' && item !== null) containers.add(canonicalJson(item));
    else scalars.add(item);
  }
  return scalars.size + containers.size === items.length;
}

/** `{$id, $ref: "#"}` sends Ajv round in circles, and with local references alone neither name has a use here. */
function withoutIdentity(schema: JsonObject): JsonObject {
  const { $id: _id, $schema: _schema, ...rest } = schema;
  return rest;
}
