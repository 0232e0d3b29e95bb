import { Ajv, type ErrorObject, type Options, type ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { canonicalJson } from '../json/canonical.ts';
import type { JsonObject, JsonValue } from '../json/value.ts';
import { Draft, draftOf } from './drafts.ts';
import { regExpEngine } from './patterns.ts';

/**
 * How schemas of strangers are run.
 * - Not strict: the drafts allow unknown keywords (`x-…`, `examples`) and formats; Ajv's strict rules are about style.
 * - Own properties only: what every object inherits must not satisfy `required: ["constructor"]`.
 * - Formats are checked: authors who write `format: email` expect that.
 * - `multipleOf` with nine decimals: as doubles, 19.99 is no multiple of 0.01.
 * - No optimiser: it doubles the time to compile and saves at most a sixth of a validation, which takes microseconds.
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

const createAjv = (draft: Draft, options: Options): Ajv =>
  draft === Draft.draft07 ? new Ajv(options) : new Ajv2020(options);

const metaschemas = new Map<Draft, Ajv>();

/** The faults of a schema by the metaschema of its draft, which is compiled once (18 to 33 ms). */
export function metaschemaErrors(schema: JsonObject): ErrorObject[] {
  const draft = draftOf(schema) ?? Draft.draft2020;
  const ajv = metaschemas.get(draft) ?? createAjv(draft, { strict: false, logger: false, allErrors: true });
  metaschemas.set(draft, ajv);
  return ajv.validateSchema(withoutIdentity(schema)) === true ? [] : (ajv.errors ?? []);
}

/**
 * A validator of one schema. `everyFault` continues after the first fault, which callers want for ordinary values. For
 * large values it would let a stranger create as many error objects as the value has members.
 *
 * Each validator has an Ajv instance of its own, since an instance never frees the patterns and schemas it has compiled.
 * @throws Error where the schema cannot be compiled
 */
export function compileSchema(schema: JsonObject, { everyFault }: { everyFault: boolean }): ValidateFunction {
  const ajv = createAjv(draftOf(schema) ?? Draft.draft2020, { ...OPTIONS, allErrors: everyFault });
  formats.default(ajv);
  // Neither draft knows `id`, so it must be ignored; Ajv refuses it as a keyword of draft-04.
  ajv.removeKeyword('id').addKeyword('id');
  ajv.removeKeyword('uniqueItems').addKeyword({
    keyword: 'uniqueItems',
    type: 'array',
    schemaType: 'boolean',
    validate: (unique: boolean, items: JsonValue[]) => !unique || allDifferent(items),
    error: { message: 'must not hold the same item twice' },
  });
  return ajv.compile(withoutIdentity(schema));
}

/** In linear time. Ajv's own check compares every item with every other, which takes seconds for 10,000 objects. */
function allDifferent(items: JsonValue[]): boolean {
  const scalars = new Set<JsonValue>();
  const containers = new Set<string>();
  for (const item of items) {
    if (typeof item === 'object' && item !== null) containers.add(canonicalJson(item));
    else scalars.add(item);
  }
  return scalars.size + containers.size === items.length;
}

/** Ajv never returns from `{$id, $ref: "#"}`; since references are local, neither `$id` nor `$schema` is needed. */
function withoutIdentity(schema: JsonObject): JsonObject {
  const { $id: _id, $schema: _schema, ...rest } = schema;
  return rest;
}
