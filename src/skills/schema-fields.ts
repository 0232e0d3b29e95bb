import { createHash } from 'node:crypto';

/** Longest entry kept as it is: an index entry of Postgres may have 2,704 bytes, and a property name may have thousands. */
const LONGEST_ENTRY = 200;

/** Properties compared at most, so that no schema of hundreds makes comparing thousands of skills dear; skills have a handful. */
const MOST_FIELDS = 100;

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const typeOf = (schema: unknown): string => {
  const type = isObject(schema) ? schema.type : undefined;
  if (typeof type === 'string') return type;
  if (Array.isArray(type))
    return type
      .filter((one) => typeof one === 'string')
      .toSorted()
      .join('|');
  return '';
};

const entry = (name: string, type: string): string => {
  const text = `${name}:${type}`;
  return text.length <= LONGEST_ENTRY
    ? text
    : `${createHash('sha256').update(text).digest('hex')}:${type.slice(0, 40)}`;
};

/**
 * A schema as the request board compares it: one entry `name:type` a property, and nothing else of it (decisions K40, K41). Two
 * properties fit when their entries are equal; a type that is a list is compared as a set, a missing type only equals a missing one.
 */
export interface SchemaFields {
  declared: string[];
  required: string[];
}

export function fieldsOf(schema: Record<string, unknown>): SchemaFields {
  const properties = isObject(schema.properties) ? schema.properties : {};
  const declared = Object.entries(properties).map(([name, property]) => entry(name, typeOf(property)));
  const names = Array.isArray(schema.required) ? schema.required.filter((name) => typeof name === 'string') : [];
  const required = names.map((name) =>
    entry(name, typeOf(Object.hasOwn(properties, name) ? properties[name] : undefined)),
  );
  return { declared: compared(declared), required: compared(required) };
}

const compared = (entries: string[]): string[] => [...new Set(entries)].slice(0, MOST_FIELDS).toSorted();

/** The property of an entry, for people. */
export const nameOfField = (field: string): string => field.slice(0, field.lastIndexOf(':'));
