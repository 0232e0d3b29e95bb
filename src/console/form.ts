import { z } from 'zod';
import { invalid, type FieldFault } from '../errors/carnet-error.ts';
import { html, type Html } from '../http/pages/html.ts';
import { parseStrictJson, StrictJsonFault } from '../json/strict.ts';
import type { JsonObject, JsonValue } from '../json/value.ts';
import type { Entered, Form } from './page.ts';
import { sentence } from './readable.ts';

/*
 * Forms that are made from a schema: of the body of a route, or of the input of a skill. A field is named by its path, `allowance.cents`; what a
 * form has no field for is written as JSON.
 */

/** As much of a JSON Schema as a form reads. */
interface Schema {
  type?: string | string[];
  title?: string;
  description?: string;
  properties?: Record<string, Schema>;
  required?: string[];
  enum?: JsonValue[];
  const?: JsonValue;
  items?: Schema;
  anyOf?: Schema[];
  oneOf?: Schema[];
  default?: JsonValue;
  minimum?: number;
  maximum?: number;
  maxLength?: number;
  format?: string;
  examples?: JsonValue[];
}

/** How the form of a schema differs from what the schema says. */
export interface FormOptions {
  /** These properties alone, in this order; absent: all. */
  only?: readonly string[];
  /** By path: the words before a field, where its name is none. */
  labels?: Readonly<Record<string, string>>;
  hints?: Readonly<Record<string, string>>;
  /** By path: fields of several lines. */
  long?: readonly string[];
  /** By path: fields of one line, however long they may be, an address say. */
  short?: readonly string[];
  /** By path: fields that hide what is typed. */
  secret?: readonly string[];
  /** By path: what may be chosen, where the schema takes any text. */
  choices?: Readonly<Record<string, readonly (readonly [value: string, text: string])[]>>;
}

interface Filled {
  /** The thing as it is, where the form changes one. */
  values?: JsonObject;
  /** The form that was refused, with all that a person typed. */
  entered?: Entered | undefined;
}

/** Deeper than this a form shows JSON. */
const MAX_DEPTH = 3;
/** Texts that may be longer have several lines. */
const LONG = 300;

/** The schema of a body or a query, as forms read it: a schema that has an id stands where it is used. */
export function schemaOf(schema: z.ZodType): JsonObject {
  const whole = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as JsonObject;
  return inlined(whole, (whole['$defs'] ?? {}) as Record<string, JsonValue>, 0) as JsonObject;
}

/** A schema within itself ends at MAX_DEPTH, where forms show JSON anyway. */
function inlined(value: JsonValue, definitions: Record<string, JsonValue>, depth: number): JsonValue {
  if (Array.isArray(value)) return value.map((one) => inlined(one, definitions, depth));
  if (typeof value !== 'object' || value === null) return value;
  const { $ref: reference, $defs: _, ...rest } = value;
  const found = typeof reference === 'string' ? definitions[reference.replace('#/$defs/', '')] : undefined;
  const members = Object.entries(rest).map(([name, member]) => [name, inlined(member, definitions, depth)]);
  if (found === undefined || depth > MAX_DEPTH) return Object.fromEntries(members) as JsonObject;
  return { ...(inlined(found, definitions, depth + 1) as JsonObject), ...(Object.fromEntries(members) as JsonObject) };
}

/** The one kind that is meant where null, or another kind, is possible too. */
function meant(schema: Schema): Schema {
  const branches = schema.anyOf ?? schema.oneOf;
  if (branches === undefined) return schema;
  const kinds = branches.filter(({ type }) => type !== 'null');
  return kinds.length === 1 ? { ...schema, ...kinds[0] } : schema;
}

const typeOf = ({ type, enum: choices, const: only }: Schema): string | undefined => {
  const one = Array.isArray(type) ? type.filter((kind) => kind !== 'null') : [type];
  if (one.length === 1 && one[0] !== undefined) return one[0];
  return choices?.every((choice) => typeof choice === 'string') === true || typeof only === 'string'
    ? 'string'
    : undefined;
};

type Kind = 'choice' | 'flag' | 'number' | 'text' | 'long' | 'lines' | 'choices' | 'object' | 'json';

function kindOf(schema: Schema, path: string, { long = [], short = [], choices = {} }: FormOptions): Kind {
  const type = typeOf(schema);
  if (choices[path] !== undefined) return type === 'array' ? 'choices' : 'choice';
  if (schema.enum !== undefined || schema.const !== undefined) return type === 'string' ? 'choice' : 'json';
  if (type === 'boolean') return 'flag';
  if (type === 'integer' || type === 'number') return 'number';
  if (type === 'string')
    return !short.includes(path) && (long.includes(path) || (schema.maxLength ?? 0) > LONG) ? 'long' : 'text';
  if (type === 'array') {
    const items = meant(schema.items ?? {});
    if (typeOf(items) !== 'string') return 'json';
    return items.enum === undefined ? 'lines' : 'choices';
  }
  return type === 'object' && schema.properties !== undefined && path.split('.').length < MAX_DEPTH ? 'object' : 'json';
}

const properties = (schema: Schema, only?: readonly string[]): [name: string, schema: Schema][] =>
  (only ?? Object.keys(schema.properties ?? {})).flatMap((name) => {
    const property = schema.properties?.[name];
    return property === undefined ? [] : [[name, meant(property)]];
  });

const wordsOf = (path: string): string => {
  const name = path.slice(path.lastIndexOf('.') + 1).replaceAll('_', ' ');
  return name.charAt(0).toUpperCase() + name.slice(1);
};

/** The fields of a schema, filled in with what there is or what was typed, and with the faults that the API named. */
export function fieldsOf(json: JsonObject, options: FormOptions = {}, filled: Filled = {}): Html {
  return html`${fields(json, { options, filled, above: '', isRequired: true })}`;
}

interface Place {
  options: FormOptions;
  filled: Filled;
  above: string;
  /** Nothing is required within what may be left out. */
  isRequired: boolean;
}

function fields(schema: Schema, { options, filled, above, isRequired }: Place): Html[] {
  return properties(schema, above === '' ? options.only : undefined).map(([name, property]) =>
    field(property, `${above}${name}`, {
      options,
      filled,
      isRequired: isRequired && schema.required?.includes(name) === true,
    }),
  );
}

function valueAt(values: JsonValue | undefined, path: string): JsonValue | undefined {
  let value = values;
  for (const name of path.split('.')) {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
    value = value[name];
  }
  return value;
}

const written = (value: JsonValue): string => (typeof value === 'string' ? value : JSON.stringify(value));

/** The texts that the field has, one a line or box: as it was typed, else as it is, else what holds where nothing is sent. */
function textsOf(schema: Schema, { path, kind }: { path: string; kind: Kind }, { values, entered }: Filled): string[] {
  if (entered !== undefined) return [entered.form[path] ?? ''].flat();
  const value = valueAt(values, path) ?? (values === undefined ? schema.default : undefined);
  if (value === undefined || value === null) return [];
  if (kind === 'lines' && Array.isArray(value)) return value.map(written);
  if (kind === 'choices' && Array.isArray(value)) return value.map(written);
  return [kind === 'json' ? JSON.stringify(value, null, 2) : written(value)];
}

function field(schema: Schema, path: string, { options, filled, isRequired }: Omit<Place, 'above'>): Html {
  const kind = kindOf(schema, path, options);
  const label = options.labels?.[path] ?? schema.title ?? wordsOf(path);
  if (kind === 'object')
    return html`<fieldset><legend>${label}</legend>
${fields(schema, { options, filled, above: `${path}.`, isRequired })}</fieldset>
`;
  const fault = faultAt(filled.entered?.refusal.errors ?? [], path);
  const hint = options.hints?.[path] ?? schema.description;
  const told = html`${hint === undefined ? html`` : html`<span class="hint">${sentence(hint)}</span>`}${fault === undefined ? html`` : html`<span class="fault">${fault.message}</span>`}`;
  const state = html`${isRequired && kind !== 'flag' ? html` required` : html``}${fault === undefined ? html`` : html` aria-invalid="true"`}`;
  const texts = textsOf(schema, { path, kind }, filled);
  const text = texts.join('\n');
  const named = html`name="${path}"`;
  switch (kind) {
    case 'choice': {
      const all =
        options.choices?.[path] ??
        (schema.enum ?? [schema.const ?? '']).map((one) => [written(one), wordsOf(written(one))] as const);
      return html`<label>${label}<select ${named}${state}>${isRequired ? html`` : html`<option value="">–</option>`}${all.map(([value, words]) => html`<option value="${value}"${value === text ? html` selected` : html``}>${words}</option>`)}</select>${told}</label>\n`;
    }
    case 'choices': {
      const all =
        options.choices?.[path] ??
        (meant(schema.items ?? {}).enum ?? []).map((one) => [written(one), written(one)] as const);
      return html`<fieldset><legend>${label}</legend>${told}<div class="boxes">${all.map(([value, words]) => html`<label><input type="checkbox" ${named} value="${value}"${texts.includes(value) ? html` checked` : html``}>${words}</label>\n`)}</div></fieldset>\n`;
    }
    case 'flag':
      return html`<label><input type="checkbox" ${named} value="true"${text === 'true' ? html` checked` : html``}><span>${label}${told}</span></label>\n`;
    case 'number':
      return html`<label>${label}<input ${named} inputmode="decimal" pattern="-?[0-9]+([.][0-9]+)?" value="${text}"${state}>${told}</label>\n`;
    case 'text':
      return html`<label>${label}<input ${named}${options.secret?.includes(path) === true ? html` type="password" autocomplete="off"` : inputType(schema)} value="${text}"${schema.maxLength === undefined ? html`` : html` maxlength="${schema.maxLength}"`}${state}>${told}</label>\n`;
    case 'long':
    case 'lines':
    case 'json': {
      const how = { long: '', lines: 'One a line. ', json: 'JSON. ' }[kind];
      return html`<label>${label}<textarea ${named} rows="${kind === 'lines' ? 3 : 6}"${kind === 'json' ? html` class="code" spellcheck="false"` : html``}${state}>\n${text}</textarea>${how === '' ? html`` : html`<span class="hint">${how}</span>`}${told}</label>\n`;
    }
  }
}

const inputType = ({ format }: Schema): Html => {
  if (format === 'email') return html` type="email"`;
  return format === 'uri' ? html` type="url"` : html``;
};

const faultAt = (faults: readonly FieldFault[], path: string): FieldFault | undefined =>
  faults.find((fault) => fault.path === path || fault.path.startsWith(`${path}.`) || fault.path.startsWith(`${path}[`));

/**
 * The value that a form of this schema stands for: a property that nothing was typed for is left out.
 * @throws CarnetError VALIDATION_ERROR for a field that is no JSON, or no number
 */
export function valueOf(json: JsonObject, form: Form, options: FormOptions = {}): JsonObject {
  const faults: FieldFault[] = [];
  const value = objectOf(json, { form, options, above: '', faults });
  const [first, ...others] = faults;
  if (first !== undefined) throw invalid(first, ...others);
  return value;
}

interface Reading {
  form: Form;
  options: FormOptions;
  above: string;
  faults: FieldFault[];
}

function objectOf(schema: Schema, { form, options, above, faults }: Reading): JsonObject {
  const object: JsonObject = {};
  for (const [name, property] of properties(schema, above === '' ? options.only : undefined)) {
    const path = `${above}${name}`;
    const kind = kindOf(property, path, options);
    if (kind === 'object') {
      const inner = objectOf(property, { form, options, above: `${path}.`, faults });
      // A box that is not ticked is nothing that was typed.
      const isTyped = Object.values(inner).some((one) => one !== false);
      if (isTyped || schema.required?.includes(name) === true) object[name] = inner;
      continue;
    }
    const sent = form[path];
    const text = [sent ?? ''].flat().join('\n').replaceAll('\r\n', '\n');
    if (kind === 'flag') object[name] = text === 'true';
    else if (text.trim() === '') continue;
    else if (kind === 'choices') object[name] = [sent ?? []].flat();
    else if (kind === 'lines')
      object[name] = text
        .split('\n')
        .map((line) => line.trim())
        .filter((line) => line !== '');
    else if (kind === 'number') {
      const number = Number(text);
      if (Number.isFinite(number)) object[name] = number;
      else faults.push({ path, code: 'invalid_type', message: 'is a number' });
    } else if (kind === 'json') {
      try {
        object[name] = parseStrictJson(text);
      } catch (error) {
        if (!(error instanceof StrictJsonFault)) throw error;
        faults.push({ path, code: error.code, message: error.message });
      }
    } else object[name] = kind === 'long' ? text : text.trim();
  }
  return object;
}
