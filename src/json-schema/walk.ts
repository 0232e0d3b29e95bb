import { isJsonObject, type JsonObject, type JsonValue } from '../json/value.ts';
import { pointerSteps } from './faults.ts';

/** A schema inside the document, and how to get there. */
export interface Subschema {
  schema: JsonObject;
  steps: string[];
  /** Schemas that are applied to the same value as this one: `allOf`, `if`, the target of a `$ref` … */
  inPlace: JsonObject[];
  references: Reference[];
}

interface Reference {
  keyword: string;
  text: string;
  /** Undefined where the document holds no schema under that reference. */
  target: JsonValue | undefined;
}

const SINGLE = [
  'additionalItems',
  'additionalProperties',
  'contains',
  'contentSchema',
  'else',
  'if',
  'items',
  'not',
  'propertyNames',
  'then',
  'unevaluatedItems',
  'unevaluatedProperties',
];
const LISTS = ['allOf', 'anyOf', 'items', 'oneOf', 'prefixItems'];
const MAPS = ['$defs', 'definitions', 'dependencies', 'dependentSchemas', 'patternProperties', 'properties'];
const SAME_VALUE = new Set([
  'allOf',
  'anyOf',
  'dependencies',
  'dependentSchemas',
  'else',
  'if',
  'not',
  'oneOf',
  'then',
]);
const REFERENCES = ['$ref', '$dynamicRef', '$recursiveRef'];
const ANCHORS = ['$anchor', '$dynamicAnchor'];

/**
 * Every schema in a document of either draft, each once: those under the keywords of the two drafts, and those that a
 * local reference names elsewhere. Data (`const`, `enum`, `default`, `examples`, unknown keywords) are not searched, so
 * that a property or an example may be called `$ref`. The caller must have limited the depth of the document.
 */
export function subschemas(root: JsonObject): Subschema[] {
  const found = new Map<JsonObject, Subschema>();
  const visit = (schema: JsonValue | undefined, steps: string[]): void => {
    if (!isJsonObject(schema) || found.has(schema)) return;
    const entry: Subschema = { schema, steps, inPlace: [], references: [] };
    found.set(schema, entry);
    for (const child of children(schema)) {
      if (child.sameValue && isJsonObject(child.schema)) entry.inPlace.push(child.schema);
      visit(child.schema, [...steps, ...child.steps]);
    }
  };
  visit(root, []);

  const anchors = anchorsOf(found.values());
  // The iteration also reaches what `visit` adds meanwhile: targets of references outside of the known keywords.
  for (const entry of found.values()) {
    for (const keyword of REFERENCES) {
      const text = own(entry.schema, keyword);
      if (typeof text !== 'string') continue;
      const target = text.startsWith('#') ? resolve(root, anchors, text.slice(1)) : undefined;
      entry.references.push({ keyword, text, target });
      if (!isJsonObject(target)) continue;
      entry.inPlace.push(target);
      visit(target, pointerSteps(decoded(text.slice(1)) ?? ''));
    }
  }
  return [...found.values()];
}

/** A member of the document itself, never an inherited one such as `constructor`. */
export const own = (value: JsonObject, name: string): JsonValue | undefined =>
  Object.hasOwn(value, name) ? value[name] : undefined;

function* children(
  schema: JsonObject,
): Generator<{ schema: JsonValue | undefined; steps: string[]; sameValue: boolean }> {
  for (const keyword of SINGLE)
    yield { schema: own(schema, keyword), steps: [keyword], sameValue: SAME_VALUE.has(keyword) };
  for (const keyword of LISTS) {
    const list = own(schema, keyword);
    if (!Array.isArray(list)) continue;
    for (const [index, item] of list.entries())
      yield { schema: item, steps: [keyword, String(index)], sameValue: SAME_VALUE.has(keyword) };
  }
  for (const keyword of MAPS) {
    const map = own(schema, keyword);
    if (!isJsonObject(map)) continue;
    for (const [name, item] of Object.entries(map))
      yield { schema: item, steps: [keyword, name], sameValue: SAME_VALUE.has(keyword) };
  }
}

function anchorsOf(entries: Iterable<Subschema>): Map<string, JsonObject> {
  const anchors = new Map<string, JsonObject>();
  for (const { schema } of entries) {
    for (const keyword of ANCHORS) {
      const name = own(schema, keyword);
      if (typeof name === 'string') anchors.set(name, schema);
    }
  }
  return anchors;
}

/** The target of a fragment: the root, an anchor, or the value under a JSON pointer if it can be a schema. */
function resolve(root: JsonObject, anchors: Map<string, JsonObject>, fragment: string): JsonValue | undefined {
  const pointer = decoded(fragment);
  if (pointer === undefined) return undefined;
  if (pointer === '' || pointer === '/') return root;
  if (!pointer.startsWith('/')) return anchors.get(pointer);
  let value: JsonValue | undefined = root;
  for (const step of pointerSteps(pointer)) {
    if (Array.isArray(value)) value = /^(0|[1-9]\d{0,8})$/.test(step) ? value[Number(step)] : undefined;
    else value = isJsonObject(value) ? own(value, step) : undefined;
  }
  return isJsonObject(value) || typeof value === 'boolean' ? value : undefined;
}

function decoded(fragment: string): string | undefined {
  try {
    return decodeURIComponent(fragment);
  } catch {
    return undefined;
  }
}
