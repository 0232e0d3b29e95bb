import { html, type Html } from '../http/pages/html.ts';
import type { JsonObject, JsonValue } from '../json/value.ts';
import { table } from './parts.ts';
import { excerptOf } from './readable.ts';

/*
 * JSON Schemas of others, as pages read them. Such a schema may be anything: without properties, with thousands, within itself. So no more of it
 * is read than a page shows.
 */

/** References that are followed from one place: two that name each other have no end. */
const MAX_HOPS = 8;
/** Rows of a table at most, and how deep it goes. */
const MAX_ROWS = 100;
const MAX_DEPTH = 4;

export const isObject = (value: JsonValue | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A member that the object has itself. */
export const own = (object: JsonObject, name: string): JsonValue | undefined =>
  Object.hasOwn(object, name) ? object[name] : undefined;

export const textsOf = (value: JsonValue | undefined): string[] =>
  Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [];

/** The places that a reference within the schema leads through, `#/$defs/address` say; undefined: nowhere, or out of it. */
function target(root: JsonObject, reference: string): JsonObject | undefined {
  if (reference === '#') return root;
  if (!reference.startsWith('#/')) return undefined;
  let place: JsonValue | undefined = root;
  for (const step of reference.slice(2).split('/')) {
    const name = step.replaceAll('~1', '/').replaceAll('~0', '~');
    if (Array.isArray(place)) place = place[Number(name)];
    else place = isObject(place) ? own(place, name) : undefined;
  }
  return isObject(place) ? place : undefined;
}

/** A schema as it is meant: that which it refers to, and of one that may be null the other kind. */
export function resolved(value: JsonValue | undefined, root: JsonObject): JsonObject {
  let schema = isObject(value) ? value : {};
  for (let hop = 0; hop < MAX_HOPS; hop += 1) {
    const { $ref: reference, ...rest } = schema;
    const branches = [own(schema, 'anyOf'), own(schema, 'oneOf')].find((one) => Array.isArray(one));
    const found = typeof reference === 'string' ? target(root, reference) : undefined;
    const kinds = Array.isArray(branches) ? branches.filter((one) => !isObject(one) || one['type'] !== 'null') : [];
    if (found !== undefined) schema = { ...found, ...rest };
    else if (kinds.length === 1 && isObject(kinds[0])) {
      const { anyOf: _any, oneOf: _one, ...others } = rest;
      schema = { ...others, ...kinds[0] };
    } else return schema;
  }
  return {};
}

/** The kinds of value that a schema allows, null aside. */
export const kindsOf = ({ type }: JsonObject): string[] =>
  textsOf(Array.isArray(type) ? type : [type ?? null]).filter((kind) => kind !== 'null');

/** A property as its reader needs it. */
interface Field {
  path: string;
  kind: string;
  isRequired: boolean;
  about: string;
}

const limits = [
  ['minimum', 'at least'],
  ['maximum', 'at most'],
  ['minLength', 'characters, at least'],
  ['maxLength', 'characters, at most'],
  ['minItems', 'items, at least'],
  ['maxItems', 'items, at most'],
  ['pattern', 'pattern'],
  ['format', 'format'],
  ['default', 'default'],
] as const;

const shortOf = (value: JsonValue): string => JSON.stringify(value).slice(0, 100).toWellFormed();

function aboutOf(schema: JsonObject): string {
  const { title, description } = schema;
  const choices = own(schema, 'enum');
  const all = [
    typeof title === 'string' ? title : '',
    typeof description === 'string' ? description : '',
    Array.isArray(choices)
      ? `one of ${choices.slice(0, 20).map(shortOf).join(', ')}${choices.length > 20 ? ' …' : ''}`
      : '',
    ...limits.flatMap(([name, words]) => {
      const limit = own(schema, name);
      return limit === undefined ? [] : [`${words} ${shortOf(limit)}`];
    }),
  ];
  return all.filter((text) => text !== '').join('; ');
}

function kindOf(schema: JsonObject, root: JsonObject): string {
  const kinds = kindsOf(schema);
  if (kinds.length === 0) return own(schema, 'enum') === undefined ? 'any' : 'choice';
  if (kinds[0] !== 'array' || kinds.length > 1) return kinds.join(' or ');
  const items = kindsOf(resolved(own(schema, 'items'), root));
  return items.length === 0 ? 'list' : `list of ${items.join(' or ')}`;
}

/** The properties of a schema, those within others by their path; as many as a table shows and one more. */
function fieldsOf(schema: JsonObject, root: JsonObject): Field[] {
  const found: Field[] = [];
  const open = new Set<JsonObject>();
  const walk = (object: JsonObject, above: readonly string[]): void => {
    const required = textsOf(own(object, 'required'));
    const properties = own(object, 'properties');
    // A schema within itself is shown once.
    if (!isObject(properties) || open.has(properties)) return;
    open.add(properties);
    for (const [name, value] of Object.entries(properties)) {
      if (found.length > MAX_ROWS) return;
      const property = resolved(value, root);
      const path = [...above, name];
      found.push({
        path: path.join('.'),
        kind: kindOf(property, root),
        isRequired: required.includes(name),
        about: aboutOf(property),
      });
      if (path.length < MAX_DEPTH) walk(property, path);
    }
    open.delete(properties);
  };
  walk(schema, []);
  return found;
}

/** A JSON Schema as a table of its properties, with the schema itself below. */
export function schemaTable(label: string, schema: JsonObject): Html {
  const fields = fieldsOf(resolved(schema, schema), schema);
  const shown = fields.slice(0, MAX_ROWS);
  return html`${
    shown.length === 0
      ? html`<p class="muted">It declares no properties.</p>\n`
      : table(
          label,
          [
            { title: 'Field', cell: ({ path }) => html`<code>${path}</code>` },
            { title: 'Kind', cell: ({ kind }) => kind },
            { title: 'Needed', cell: ({ isRequired }) => (isRequired ? 'yes' : 'no') },
            { title: 'About it', cell: ({ about }) => about },
          ],
          shown,
        )
  }${fields.length > MAX_ROWS ? html`<p class="muted">There are more; the schema has all.</p>\n` : html``}<details><summary>The schema</summary>
${excerptOf(schema, { whole: true }).text}</details>
`;
}
