import { dollars } from '../fields/dollars.ts';
import { html, type Html } from '../http/pages/html.ts';
import type { JsonObject, JsonValue } from '../json/value.ts';
import { fieldsOf, MAX_DEPTH, stepOf, valueOf, written, type FormOptions } from './form.ts';
import { isObject, kindsOf, own, resolved, textsOf } from './json-schema.ts';
import { actForm, type Entered, type Form } from './page.ts';
import { HOME } from './places.ts';
import { oneOf, type PersonsVisit } from './visits.ts';

/*
 * Forms for the input of a skill, made from the JSON Schema that its publisher wrote. What no form can show is written as JSON.
 */

/** Fields of a form at most: a longer one is harder to fill in than JSON is to write. */
const MAX_FIELDS = 60;
/** Choices of a select at most. */
const MAX_CHOICES = 200;

/** The field of the whole input as JSON; those of single properties begin with `input.`. */
const WHOLE = 'input';
const wholeForm: JsonObject = {
  type: 'object',
  properties: { [WHOLE]: { title: 'Input', description: 'It must match the input schema.' } },
  required: [WHOLE],
};

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
export function formable(schema: JsonObject): Formable | null {
  const whole = resolved(schema, schema);
  const reader = new Reader(schema);
  const read = reader.object(whole, []);
  if (reader.fields === 0 || reader.isTooLong) return null;
  return {
    schema: read,
    options: { prefix: `${WHOLE}.`, long: reader.long, choices: Object.fromEntries(reader.choices) },
  };
}

/** A run that a person may begin. */
interface Run {
  skillId: string;
  schema: JsonObject;
  /** The price of the skill, in cents; 0 where it is their own. A dearer run is refused. */
  priceCents: number;
  /** The most that executing it costs beside, in cents; null: its provider does the work. */
  computeCents: number | null;
  /** Fields behind those of the input. */
  more?: Html;
  entered?: Entered | undefined;
}

/** Where runs are begun: the form may stand on other pages too. */
export const TRY_PATH = `${HOME}/try`;
const tryPath = (skillId: string): string => `${TRY_PATH}/${encodeURIComponent(skillId)}`;

function costOf({ priceCents, computeCents }: Run): Html {
  const price =
    priceCents === 0
      ? html`You pay no price for it.`
      : html`A run costs <strong>${dollars(priceCents)}</strong>, paid when it completes.`;
  const computing =
    computeCents === null ? html`` : html` Executing it costs at most <strong>${dollars(computeCents)}</strong>.`;
  const held = priceCents + (computeCents ?? 0);
  return html`<p>${price}${computing}${held === 0 ? html`` : html` ${dollars(held)} is held when you press; what is not used is given back.`}</p>\n`;
}

/** The form of a run, with what it costs. Its fields are those of the input; `?as=json` shows one for the whole. */
export function runForm({ visit }: PersonsVisit, run: Run): Html {
  const { skillId, schema, priceCents, more, entered } = run;
  const form = formable(schema);
  const asJson = form === null || oneOf(visit.query, 'as') === 'json' || entered?.form[WHOLE] !== undefined;
  const fields = asJson
    ? fieldsOf(wholeForm, {}, { entered, values: { [WHOLE]: {} } })
    : fieldsOf(form.schema, form.options, { entered });
  const other =
    form === null
      ? html``
      : html`<a href="${tryPath(skillId)}${asJson ? '' : '?as=json'}">${asJson ? 'Fill in a form' : 'Write JSON instead'}</a>`;
  return html`${costOf(run)}${actForm({
    act: 'run',
    action: `${tryPath(skillId)}${asJson && form !== null ? '?as=json' : ''}`,
    fields: html`${fields}${more ?? html``}`,
    hidden: { max_price_cents: String(priceCents) },
    label: priceCents === 0 ? 'Run it' : `Run it for ${dollars(priceCents)}`,
    tone: 'primary',
    beside: other,
  })}`;
}

/** The input that the form of a run stands for. @throws CarnetError VALIDATION_ERROR */
export function inputOf(schema: JsonObject, form: Form): JsonValue {
  const made = formable(schema);
  if (made === null || form[WHOLE] !== undefined) return valueOf(wholeForm, form)[WHOLE] ?? {};
  return valueOf(made.schema, form, made.options);
}
