import { html, type Html } from '../http/pages/html.ts';
import type { JsonObject, JsonValue } from '../json/value.ts';
import { fieldsOf, MAX_DEPTH, stepOf, valueOf, written, type FormOptions, type Typed } from './form.ts';
import { isObject, kindsOf, own, resolved, textsOf } from './json-schema.ts';
import type { Form } from './page.ts';
import { oneOf, type PersonsVisit } from './visits.ts';

/*
 * Forms for a value whose JSON Schema somebody else wrote: input and output of a skill. What no form can show is written as JSON.
 */

/** Fields of a form at most: a longer one is harder to fill in than JSON is to write. */
const MAX_FIELDS = 60;
/** Choices of a select at most. */
const MAX_CHOICES = 200;

/** Where the value stands in the body that is sent: `input`, so that the fields of single properties begin with `input.`. */
type Root = 'input' | 'output';

/** The form of the whole value as one field of JSON. */
const wholeForm = (root: Root): JsonObject => ({
  type: 'object',
  properties: { [root]: { description: `It must match the ${root} schema.` } },
  required: [root],
});

/** A schema whose references are resolved where a form looks, with the members that a form reads. */
interface Formable {
  schema: JsonObject;
  options: FormOptions;
}

const isPlain = (value: JsonValue): boolean => typeof value !== 'object' || value === null;

/** The schema of one field, or undefined where the form would have too many. */
class Reader {
  fields = 0;
  readonly long: string[] = [];
  readonly choices: [path: string, all: [value: string, text: string][]][] = [];
  readonly #root: JsonObject;
  /** The objects that the reader is within. */
  readonly #open = new Set<JsonObject>();

  constructor(root: JsonObject) {
    this.#root = root;
  }

  get isTooLong(): boolean {
    return this.fields > MAX_FIELDS;
  }

  object(schema: JsonObject, above: readonly string[]): JsonObject {
    const required = textsOf(schema['required']);
    const declared = schema['properties'];
    const properties: [string, JsonObject][] = [];
    const all = isObject(declared) ? declared : {};
    this.#open.add(all);
    for (const [name, property] of Object.entries(all)) {
      this.fields += 1;
      if (this.isTooLong) break;
      properties.push([name, this.#field(property, [...above, stepOf(name)], required.includes(name))]);
    }
    this.#open.delete(all);
    return {
      ...this.#words(schema),
      type: 'object',
      properties: Object.fromEntries(properties),
      required: required.filter((name) => Object.hasOwn(all, name)),
    };
  }

  #field(value: JsonValue, path: readonly string[], isRequired: boolean): JsonObject {
    const schema = resolved(value, this.#root);
    const type = this.#typeOf(schema);
    const words = this.#words(schema);
    const all = own(schema, 'enum') ?? (own(schema, 'const') === undefined ? undefined : [schema['const'] ?? null]);
    if (Array.isArray(all) && all.every(isPlain) && all.length <= MAX_CHOICES)
      return { ...words, enum: this.#choice(path, all) };
    // A box says yes or no; one that may be left out has a third state.
    if (type === 'boolean' && !isRequired) return { ...words, enum: this.#choice(path, [true, false]) };
    const inner = schema['properties'];
    if (type === 'object' && isObject(inner) && path.length < MAX_DEPTH && !this.#open.has(inner))
      return this.object(schema, path);
    if (type === 'array') {
      const items = resolved(schema['items'], this.#root);
      const choices = own(items, 'enum');
      const kind = this.#typeOf(items) === 'string' ? 'string' : 'object';
      const chosen = textsOf(choices);
      return {
        ...words,
        type,
        items: {
          type: kind,
          ...(kind === 'string' && chosen.length > 0 && chosen.length <= MAX_CHOICES && { enum: chosen }),
        },
      };
    }
    if (type === 'string') {
      const { format, maxLength } = schema;
      if (maxLength === undefined && format === undefined) this.long.push(path.join('.'));
      return {
        ...words,
        type,
        ...(typeof format === 'string' && { format }),
        ...(typeof maxLength === 'number' && { maxLength }),
      };
    }
    return type === 'integer' || type === 'number' || type === 'boolean' ? { ...words, type } : words;
  }

  /** The choices of a field, each shown as it is sent. */
  #choice(path: readonly string[], all: readonly JsonValue[]): JsonValue[] {
    const plain = all.filter((one) => one !== null);
    this.choices.push([path.join('.'), plain.map((one) => [written(one), written(one)])]);
    return plain;
  }

  #typeOf(schema: JsonObject): string | undefined {
    const kinds = kindsOf(schema);
    return kinds.length === 1 ? kinds[0] : undefined;
  }

  /** The words beside a field, and what it has at first. */
  #words({ title, description, default: first }: JsonObject): JsonObject {
    return {
      ...(typeof title === 'string' && title.trim() !== '' && { title }),
      ...(typeof description === 'string' && { description }),
      ...(first !== undefined && { default: first }),
    };
  }
}

/** As much of the schema as a form shows; null: it is written as JSON. */
export function formable(root: Root, schema: JsonObject): Formable | null {
  const whole = resolved(schema, schema);
  const reader = new Reader(schema);
  const read = reader.object(whole, []);
  if (reader.fields === 0 || reader.isTooLong) return null;
  return {
    schema: read,
    options: { prefix: `${root}.`, long: reader.long, choices: Object.fromEntries(reader.choices) },
  };
}

interface SchemaForm {
  root: Root;
  schema: JsonObject;
  /** Where the form is sent. */
  path: string;
  entered?: Typed | undefined;
  /** The form has another button, which needs none of the fields. */
  optional?: true;
}

/** The parts of a form for a value of the schema, as `actForm` takes them. */
interface SchemaParts {
  fields: Html;
  action: string;
  /** A link to the other way to write it; nothing where there is one way. */
  beside: Html;
}

/** The fields are those of the value; `?as=json` shows one for the whole. */
export function schemaForm(
  { visit }: PersonsVisit,
  { root, schema, path, entered, optional }: SchemaForm,
): SchemaParts {
  const form = formable(root, schema);
  const whole = (): Html =>
    fieldsOf(wholeForm(root), { ...(optional && { optional }) }, { entered, values: { [root]: {} } });
  if (form === null) return { fields: whole(), action: path, beside: html`` };
  const asJson = oneOf(visit.query, 'as') === 'json' || entered?.form[root] !== undefined;
  return {
    fields: asJson ? whole() : fieldsOf(form.schema, { ...form.options, ...(optional && { optional }) }, { entered }),
    action: asJson ? `${path}?as=json` : path,
    beside: html`<a href="${asJson ? path : `${path}?as=json`}">${asJson ? 'Fill in a form' : 'Write JSON instead'}</a>`,
  };
}

/** The value that the fields of `schemaForm` stand for. @throws CarnetError VALIDATION_ERROR */
export function schemaValue(form: Form, { root, schema }: Pick<SchemaForm, 'root' | 'schema'>): JsonValue {
  const made = formable(root, schema);
  if (made === null || form[root] !== undefined) return valueOf(wholeForm(root), form)[root] ?? {};
  return valueOf(made.schema, form, made.options);
}
