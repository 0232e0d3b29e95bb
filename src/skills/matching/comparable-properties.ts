import { createHash } from 'node:crypto';

/** Longer entries are hashed: an index entry of Postgres may have 2,704 bytes, and a property name may have thousands. */
const MAX_ENTRY_LENGTH = 200;

/** More are left out: a schema of hundreds would make comparing thousands of skills slow. Skills have a handful. */
const MAX_PROPERTIES = 100;

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

const entryOf = (name: string, type: string): string => {
  const text = `${name}:${type}`;
  return text.length <= MAX_ENTRY_LENGTH
    ? text
    : `${createHash('sha256').update(text).digest('hex')}:${type.slice(0, 40)}`;
};

/**
 * The properties of a JSON Schema as the request board compares them: one entry `name:type` for each, in order. Two
 * properties fit when their entries are equal. A list of types is compared as a set; a missing type equals a missing one
 * alone.
 */
interface ComparableProperties {
  declared: string[];
  required: string[];
}

export function comparableProperties(schema: Record<string, unknown>): ComparableProperties {
  const properties = isObject(schema.properties) ? schema.properties : {};
  const declared = Object.entries(properties).map(([name, property]) => entryOf(name, typeOf(property)));
  const names = Array.isArray(schema.required) ? schema.required.filter((name) => typeof name === 'string') : [];
  const required = names.map((name) =>
    entryOf(name, typeOf(Object.hasOwn(properties, name) ? properties[name] : undefined)),
  );
  return { declared: sortedSet(declared), required: sortedSet(required) };
}

const sortedSet = (entries: string[]): string[] => [...new Set(entries)].slice(0, MAX_PROPERTIES).toSorted();

/** The name in an entry, for people. */
export const propertyName = (entry: string): string => entry.slice(0, entry.lastIndexOf(':'));
