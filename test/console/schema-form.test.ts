import assert from 'node:assert/strict';
import { fieldsOf, valueOf } from '../../src/console/form.ts';
import { formable, schemaValue } from '../../src/console/schema-form.ts';
import type { Form } from '../../src/console/page.ts';
import { schemaTable } from '../../src/console/json-schema.ts';
import { CarnetError } from '../../src/errors/carnet-error.ts';
import type { JsonObject } from '../../src/json/value.ts';

const object = (properties: JsonObject, required: string[] = []): JsonObject => ({
  type: 'object',
  properties,
  required,
});

const made = (schema: JsonObject) => {
  const form = formable('input', schema);
  assert(form !== null, 'it has a form');
  return form;
};

const inputOf = (schema: JsonObject, form: Form) => schemaValue(form, { root: 'input', schema });

const pageOf = (schema: JsonObject): string => fieldsOf(made(schema).schema, made(schema).options).text;

const namesIn = (text: string): string[] => [...text.matchAll(/ name="([^"]+)"/g)].map(([, name = '']) => name);

/** A schema whose properties are called as the fields of the page, or as what every object inherits. */
const confusing = object({
  act: { type: 'string' },
  key: { type: 'integer' },
  input: { type: 'string' },
  constructor: { type: 'string' },
  'a.b': { type: 'string' },
  a: object({ b: { type: 'string' }, 'c%2Ed': { type: 'string' } }),
});

describe('The form of an input', () => {
  it('has a name of its own for every property, and none that a page sends along', () => {
    const names = namesIn(pageOf(confusing));
    assert.deepEqual(names, [
      'input.act',
      'input.key',
      'input.input',
      'input.constructor',
      'input.a%2Eb',
      'input.a.b',
      'input.a.c%252Ed',
    ]);
    const form = Object.fromEntries(names.map((name, at) => [name, String(at)]));
    assert.deepEqual(inputOf(confusing, { act: 'run', key: 'a'.repeat(22), ...form }), {
      act: '0',
      key: 1,
      input: '2',
      constructor: '3',
      'a.b': '4',
      a: { b: '5', 'c%2Ed': '6' },
    });
  });

  it('makes a member of what is called __proto__, and changes no object', () => {
    const schema = JSON.parse(
      '{"type":"object","properties":{"__proto__":{"type":"string"},"x":{"type":"string"}}}',
    ) as JsonObject;
    const value = inputOf(schema, JSON.parse('{"input.__proto__":"polluted","input.x":"1"}') as Record<string, string>);
    assert.deepEqual(Object.entries(value as JsonObject), [
      ['__proto__', 'polluted'],
      ['x', '1'],
    ]);
    assert.equal(({} as Record<string, unknown>)['polluted'], undefined);
  });

  it('gives what was chosen as the schema has it, and leaves out what was not', () => {
    const schema = object(
      {
        level: { enum: [1, 2] },
        deep: { type: 'boolean' },
        sure: { type: 'boolean' },
        only: { const: 'x' },
        tags: { type: 'array', items: { enum: ['a', 'b'], type: 'string' } },
        any: {},
      },
      ['sure'],
    );
    const typed = {
      'input.level': '2',
      'input.deep': 'false',
      'input.only': 'x',
      'input.tags': 'b',
      'input.any': '{"a":[1]}',
    };
    assert.deepEqual(inputOf(schema, typed), {
      level: 2,
      deep: false,
      sure: false,
      only: 'x',
      tags: ['b'],
      any: { a: [1] },
    });
    assert.deepEqual(inputOf(schema, {}), { sure: false });
  });

  it('demands nothing of an object that may be left out', () => {
    const inner = object({ name: { type: 'string', maxLength: 20 } }, ['name']);
    assert.doesNotMatch(pageOf(object({ address: inner })), / required/);
    assert.match(pageOf(object({ address: inner }, ['address'])), / required/);
  });

  it('resolves references, and ends at a schema within itself with JSON', () => {
    const schema: JsonObject = {
      ...object({
        next: { $ref: '#' },
        home: { anyOf: [{ $ref: '#/$defs/a~1b' }, { type: 'null' }] },
        loop: { $ref: '#/$defs/loop' },
      }),
      $defs: { 'a/b': object({ street: { type: 'string', maxLength: 9 } }), loop: { $ref: '#/$defs/loop' } },
    };
    const text = pageOf(schema);
    assert.deepEqual(namesIn(text), ['input.next', 'input.home.street', 'input.loop']);
    assert.match(text, /<textarea name="input.next"[^>]* class="code"/);
    assert.match(schemaTable('Input', schema).text, /<code>home\.street<\/code>/);
  });

  const many = (count: number): JsonObject =>
    object(Object.fromEntries(Array.from({ length: count }, (_, at) => [`p${at}`, { type: 'string' }])));

  for (const [name, schema] of [
    ['300 properties', many(300)],
    ['no properties', { type: 'object' }],
    [
      'properties that branch without end',
      {
        ...object({ a: { $ref: '#/$defs/x' } }),
        $defs: { x: object({ ...(many(50)['properties'] as JsonObject), b: { $ref: '#/$defs/y' } }), y: many(50) },
      },
    ],
  ] as [string, JsonObject][])
    it(`is one of JSON where the schema has ${name}`, () => {
      assert.equal(formable('input', schema), null);
      assert.deepEqual(inputOf(schema, { input: '{"p0":"x"}' }), { p0: 'x' });
      assert.match(schemaTable('Input', schema).text, /The schema/);
    });

  for (const [name, text] of [
    ['is not JSON', '{'],
    ['names a member twice', '{"a":1,"a":2}'],
    ['has a member __proto__', '{"__proto__":{}}'],
    ['holds too many values', `[${'1,'.repeat(60_000)}1]`],
  ] as const)
    it(`refuses JSON that ${name} at its field`, () =>
      assert.throws(
        () => inputOf({ type: 'object' }, { input: text }),
        (error) => error instanceof CarnetError && error.errors?.[0]?.path === 'input',
      ));

  for (const text of ['many', '12345678901234567890', '1e999'])
    it(`refuses ${text} as a number, at its field`, () =>
      assert.throws(
        () => inputOf(object({ n: { type: 'integer' } }), { 'input.n': text }),
        (error) => error instanceof CarnetError && error.errors?.[0]?.path === 'input.n',
      ));

  it('escapes all that its publisher wrote', () => {
    const hostile = `"><script>alert(1)</script>`;
    const schema = object({
      [hostile]: { type: 'string', title: hostile, description: hostile, default: hostile },
      choice: { enum: [hostile] },
      boxes: { type: 'array', items: { type: 'string', enum: [hostile] } },
      inner: { ...object({ [hostile]: { type: 'integer' } }), title: hostile },
    });
    const text = `${pageOf(schema)}${schemaTable(hostile, schema).text}`;
    assert.doesNotMatch(text, /<script/);
    assert.match(text, /&lt;script&gt;/);
  });

  it('names a fault at the field, and one within JSON with its place', () => {
    const schema = object({ 'a.b': { type: 'string' }, list: { type: 'array', items: {} } });
    const refusal = new CarnetError('INPUT_SCHEMA_MISMATCH', 'It does not fit.', {
      errors: [
        { path: 'input.a.b', code: 'x', message: 'is too short' },
        { path: 'input.list.3', code: 'x', message: 'is no number' },
      ],
    });
    const entered = { act: 'run', form: { 'input.a%2Eb': 'typed', 'input.list': '[1]' }, refusal };
    const { text } = fieldsOf(made(schema).schema, made(schema).options, { entered });
    assert.match(text, /typed.*is too short.*3: is no number/s);
  });
});

describe('The form of a body', () => {
  it('has no prefix, and gives a choice its own kind', () =>
    assert.deepEqual(valueOf(object({ rating: { enum: [1, 2] } }), { rating: '2' }), { rating: 2 }));
});
