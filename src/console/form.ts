import { z } from 'zod';
import { invalid, type FieldFault } from '../errors/carnet-error.ts';
import { centsTyped, NO_AMOUNT, typedDollars } from '../fields/dollars.ts';
import { html, type Html } from '../http/pages/html.ts';
import { MANY_VALUES } from '../http/route.ts';
import { shown } from '../json/shown.ts';
import { assertFewValues, parseStrictJson, StrictJsonFault } from '../json/strict.ts';
import type { JsonObject, JsonValue } from '../json/value.ts';
import type { Entered, Form } from './page.ts';
import { momentTyped, timeInput } from './moments.ts';
import { sentence } from './readable.ts';

/*
 * Forms that are made from a schema: of the body of a route, or of the input of a skill. A field is named by its path, `allowance.cents`; what a
 * form has no field for is written as JSON. A dot within a name is written `%2E`, so that no two properties share a field.
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
  /** Before the names of all fields, `input.` say: then no property is taken for a field that the page itself sends along. */
  prefix?: string;
  /** These properties alone, in this order; absent: all. */
  only?: readonly string[];
  /** By path: the words before a field, where its name is none. */
  labels?: Readonly<Record<string, string>>;
  hints?: Readonly<Record<string, string>>;
  /** By path: fields of several lines. */
  long?: readonly string[];
  /** By path: fields of one line, however long they may be, an address say. */
  short?: readonly string[];
  /** By path: fields that hide what is typed. No page has a secret in it, so one that was refused is typed again. */
  secret?: readonly string[];
  /** By path: numbers of cents, which people type and read in dollars. */
  money?: readonly string[];
  /** No field has to be filled in for the form to be sent. */
  optional?: true;
  /** By path: what may be chosen, where the schema takes any text. */
  choices?: Readonly<Record<string, readonly (readonly [value: string, text: string])[]>>;
}

/** A form as it was typed. */
export type Typed = Pick<Entered, 'form'> & Partial<Entered>;

interface Filled {
  /** The thing as it is, where the form changes one. */
  values?: JsonObject;
  /** The form with all that a person typed, and why it was refused where it was. */
  entered?: Typed | undefined;
}

/** Deeper than this a form shows JSON. */
export const MAX_DEPTH = 3;
/** Texts that may be longer have several lines. */
const LONG = 300;
/** Faults that are named at a field, of JSON that has many. */
const MAX_FAULTS = 5;
/** Values of JSON in a field, as `assertFewValues` counts them: as many as the body of any route. */
const MAX_VALUES = 2 * MANY_VALUES;

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

type Kind = 'choice' | 'flag' | 'number' | 'money' | 'time' | 'text' | 'long' | 'lines' | 'choices' | 'object' | 'json';

/** By path, and not by what every object inherits: a property may be called `constructor`. */
const at = <T>(all: Readonly<Record<string, T>> | undefined, path: string): T | undefined =>
  all !== undefined && Object.hasOwn(all, path) ? all[path] : undefined;

const constants = ({ enum: all, const: only }: Schema): JsonValue[] | undefined =>
  all ?? (only === undefined ? undefined : [only]);

function kindOf(schema: Schema, path: string, { long = [], short = [], money = [], choices }: FormOptions): Kind {
  const type = typeOf(schema);
  if (at(choices, path) !== undefined) return type === 'array' ? 'choices' : 'choice';
  const all = constants(schema);
  if (all !== undefined) return all.every((one) => typeof one !== 'object') ? 'choice' : 'json';
  if (type === 'boolean') return 'flag';
  if (type === 'integer' || type === 'number') return money.includes(path) ? 'money' : 'number';
  if (type === 'string' && schema.format === 'date-time') return 'time';
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
    const property = at(schema.properties, name);
    return property === undefined ? [] : [[name, meant(property)]];
  });

/** A name within a path. */
export const stepOf = (name: string): string => name.replaceAll('%', '%25').replaceAll('.', '%2E');
const nameOf = (step: string): string => step.replaceAll('%2E', '.').replaceAll('%25', '%');

const wordsOf = (name: string): string => {
  const words = name.replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
};

/** The fields of a schema, filled in with what there is or what was typed, and with the faults that the API named. */
export function fieldsOf(json: JsonObject, options: FormOptions = {}, filled: Filled = {}): Html {
  return html`${fields(json, { options, filled, above: '', isOptional: options.optional === true })}`;
}

interface Place {
  options: FormOptions;
  filled: Filled;
  above: string;
  /** Within an object that may be left out: nothing of it has to be typed. */
  isOptional: boolean;
}

function fields(schema: Schema, { options, filled, above, isOptional }: Place): Html[] {
  return properties(schema, above === '' ? options.only : undefined).map(([name, property]) =>
    field(property, `${above}${stepOf(name)}`, {
      options,
      filled,
      isRequired: !isOptional && schema.required?.includes(name) === true,
    }),
  );
}

function valueAt(values: JsonValue | undefined, path: string): JsonValue | undefined {
  let value = values;
  for (const step of path.split('.')) {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
    value = at(value, nameOf(step));
  }
  return value;
}

/** A value as a field has it: what reads the field finds the value again by this text. */
export const written = (value: JsonValue): string => (typeof value === 'string' ? value : JSON.stringify(value));

/** The texts that the field has, one a line or box: as it was typed, else as it is, else what holds where nothing is sent. */
function textsOf(
  schema: Schema,
  { path, name, kind }: { path: string; name: string; kind: Kind },
  { values, entered }: Filled,
): string[] {
  if (entered !== undefined) return [at(entered.form, name) ?? ''].flat();
  const value = valueAt(values, path) ?? (values === undefined ? schema.default : undefined);
  if (value === undefined || value === null) return [];
  if (kind === 'lines' && Array.isArray(value)) return value.map(written);
  if (kind === 'choices' && Array.isArray(value)) return value.map(written);
  if (kind === 'money' && typeof value === 'number') return [typedDollars(value)];
  return [kind === 'json' ? JSON.stringify(value, null, 2) : written(value)];
}

const hows: Readonly<Partial<Record<Kind, string>>> = {
  lines: 'One a line.',
  json: 'JSON.',
  money: 'US dollars, as 1.50.',
  time: 'UTC.',
};

/** The API counts in cents, and says so in its refusals of a field that is typed in dollars. */
const inUnit = (kind: Kind, fault: string): string =>
  kind === 'money' && fault !== NO_AMOUNT && /\d/.test(fault) ? `${fault} (in cents)` : fault;

function field(
  schema: Schema,
  path: string,
  { options, filled, isRequired }: Omit<Place, 'above' | 'isOptional'> & { isRequired: boolean },
): Html {
  const kind = kindOf(schema, path, options);
  const label = at(options.labels, path) ?? schema.title ?? wordsOf(nameOf(path.slice(path.lastIndexOf('.') + 1)));
  if (kind === 'object')
    return html`<fieldset><legend>${label}</legend>
${fields(schema, { options, filled, above: `${path}.`, isOptional: !isRequired })}</fieldset>
`;
  const name = `${options.prefix ?? ''}${path}`;
  const faults = faultsAt(filled.entered?.refusal?.errors ?? [], name);
  const hint = at(options.hints, path) ?? schema.description;
  const how = hows[kind] ?? '';
  const about = hint === undefined ? how : html`${how} ${sentence(hint)}`;
  const told = html`${about === '' ? html`` : html`<span class="hint">${about}</span>`}${faults.map((fault) => html`<span class="fault">${inUnit(kind, fault)}</span>`)}`;
  const state = html`${isRequired && kind !== 'flag' ? html` required` : html``}${faults.length === 0 ? html`` : html` aria-invalid="true"`}`;
  const isSecret = options.secret?.includes(path) === true;
  const texts = isSecret ? [] : textsOf(schema, { path, name, kind }, filled);
  const text = texts.join('\n');
  const named = html`name="${name}"`;
  switch (kind) {
    case 'choice': {
      const all =
        at(options.choices, path) ??
        (constants(schema) ?? []).map((one) => [written(one), wordsOf(written(one))] as const);
      // A value that came by a link, or was typed when there were too many to choose from, stays.
      const offered = text === '' || all.some(([value]) => value === text) ? all : [...all, [text, text] as const];
      return html`<label>${label}<select ${named}${state}>${isRequired ? html`` : html`<option value="">–</option>`}${offered.map(([value, words]) => html`<option value="${value}"${value === text ? html` selected` : html``}>${words}</option>`)}</select>${told}</label>\n`;
    }
    case 'choices': {
      const all =
        at(options.choices, path) ??
        (meant(schema.items ?? {}).enum ?? []).map((one) => [written(one), written(one)] as const);
      const others = texts.filter((one) => one !== '' && !all.some(([value]) => value === one));
      return html`<fieldset><legend>${label}</legend>${told}<div class="boxes">${[...all, ...others.map((one) => [one, one] as const)].map(([value, words]) => html`<label><input type="checkbox" ${named} value="${value}"${texts.includes(value) ? html` checked` : html``}>${words}</label>\n`)}</div></fieldset>\n`;
    }
    case 'flag':
      return html`<label><input type="checkbox" ${named} value="true"${text === 'true' ? html` checked` : html``}><span>${label}${told}</span></label>\n`;
    case 'number':
      return html`<label>${label}<input ${named} inputmode="decimal" pattern="-?[0-9]+([.][0-9]+)?" value="${text}"${state}>${told}</label>\n`;
    case 'money':
      return html`<label>${label}<input ${named} inputmode="decimal" pattern="-?[$]?[0-9]+([.][0-9]{1,2})?" maxlength="17" autocomplete="off" value="${text}"${state}>${told}</label>\n`;
    case 'time':
      return html`<label>${label}${timeInput(named, text)}${state}>${told}</label>\n`;
    case 'text':
      return html`<label>${label}<input ${named}${isSecret ? html` type="password" autocomplete="off"` : inputType(schema)} value="${text}"${schema.maxLength === undefined ? html`` : html` maxlength="${schema.maxLength}"`}${state}>${told}</label>\n`;
    case 'long':
    case 'lines':
    case 'json': {
      return html`<label>${label}<textarea ${named} rows="${rowsOf(schema, kind, text)}"${kind === 'json' ? html` class="code" spellcheck="false"` : html``}${state}>\n${text}</textarea>${told}</label>\n`;
    }
  }
}

/** JSON is shown whole, unless it is long. */
const rowsOf = ({ maxLength }: Schema, kind: 'long' | 'lines' | 'json', text: string): number => {
  if (kind === 'json') return Math.min(Math.max(6, text.split('\n').length), 20);
  return kind === 'lines' || maxLength === undefined ? 3 : 6;
};

const inputType = ({ format }: Schema): Html => {
  if (format === 'email') return html` type="email"`;
  return format === 'uri' ? html` type="url"` : html``;
};

/** The faults at a field, those within its JSON with their place there. */
function faultsAt(faults: readonly FieldFault[], name: string): string[] {
  const path = name
    .split('.')
    .map((step) => shown(nameOf(step)))
    .join('.');
  const here = faults.filter((fault) => fault.path === path || fault.path.startsWith(`${path}.`));
  return here
    .slice(0, MAX_FAULTS)
    .map((fault) => (fault.path === path ? fault.message : `${fault.path.slice(path.length + 1)}: ${fault.message}`));
}

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
  // A property may be called `__proto__`, which an assignment would not make a member.
  const members: [name: string, value: JsonValue][] = [];
  for (const [name, property] of properties(schema, above === '' ? options.only : undefined)) {
    const path = `${above}${stepOf(name)}`;
    const isRequired = schema.required?.includes(name) === true;
    const value =
      kindOf(property, path, options) === 'object'
        ? objectOf(property, { form, options, above: `${path}.`, faults })
        : read(property, { form, options, path, faults });
    // An object that nothing was typed into is meant where it has to be there.
    if (value === undefined || (isEmpty(value) && !isRequired)) continue;
    members.push([name, value]);
  }
  return Object.fromEntries(members);
}

/** A box that is not ticked is nothing that was typed. */
const isEmpty = (value: JsonValue): boolean =>
  typeof value === 'object' &&
  value !== null &&
  !Array.isArray(value) &&
  Object.values(value).every((one) => one === false);

/** The value of a field; undefined: nothing was typed. */
function read(
  property: Schema,
  { form, options, path, faults }: Omit<Reading, 'above'> & { path: string },
): JsonValue | undefined {
  const name = `${options.prefix ?? ''}${path}`;
  const kind = kindOf(property, path, options);
  const sent = [at(form, name) ?? []].flat();
  const text = sent.join('\n').replaceAll('\r\n', '\n');
  const refuse = (code: string, message: string): undefined => void faults.push({ path: name, code, message });
  if (kind === 'flag') return text === 'true';
  if (text.trim() === '') return undefined;
  switch (kind) {
    case 'choices':
      return sent;
    case 'lines':
      return text
        .split('\n')
        .map((line) => line.trim())
        .filter((line) => line !== '');
    case 'number': {
      const number = Number(text);
      if (!Number.isFinite(number)) return refuse('invalid_type', 'is a number');
      if (Number.isInteger(number) && !Number.isSafeInteger(number))
        return refuse('unsafe_integer', 'has more digits than a number of JSON holds');
      return number;
    }
    case 'money':
      return centsTyped(text) ?? refuse('invalid_format', NO_AMOUNT);
    case 'time':
      return momentTyped(text.trim());
    case 'json':
      try {
        assertFewValues(Buffer.from(text), MAX_VALUES);
        return parseStrictJson(text);
      } catch (error) {
        if (!(error instanceof StrictJsonFault)) throw error;
        return refuse(error.code, error.message);
      }
    case 'choice':
      return (constants(property) ?? []).find((one) => written(one) === text) ?? text;
    case 'long':
      return text;
    case 'text':
    case 'object':
      return text.trim();
  }
}
