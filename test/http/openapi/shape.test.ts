import assert from 'node:assert/strict';
import { shapeForClients, type Schema, type ShapedDocument } from '../../../src/http/openapi/shape.ts';

const object = (properties: Record<string, Schema>): Schema => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
});
const ref = (name: string): Schema => ({ $ref: `#/components/schemas/${name}` });

/** Shows what becomes of schemas, beside the schemas that they are named into. */
function shaped(schemas: Record<string, Schema>, paths: ShapedDocument['paths'] = {}): ShapedDocument {
  const document = { paths, components: { schemas } };
  shapeForClients(document);
  return document;
}

const shapedProperty = (schema: Schema): Schema | undefined =>
  shaped({ Thing: object({ value: schema }) }).components.schemas['Thing']?.properties?.['value'];

describe('the shape of the document for generators of clients', () => {
  it('names objects by where they stand, those of a list in the singular', () => {
    const { schemas } = shaped({
      Order: object({
        address: object({ city: { type: 'string' } }),
        entries: { type: 'array', items: object({ x: {} }) },
      }),
    }).components;
    assert.deepEqual(Object.keys(schemas), ['Order', 'OrderAddress', 'OrderEntry']);
    assert.deepEqual(schemas['Order']?.properties, {
      address: ref('OrderAddress'),
      entries: { type: 'array', items: ref('OrderEntry') },
    });
  });

  it('names the members of a choice by the text that tells them apart, and says which property has it', () => {
    const kind = (text: string): Schema => object({ kind: { type: 'string', const: text } });
    const several = object({ kind: { type: 'string', enum: ['moon', 'sun'] } });
    const { schemas } = shaped({ Shape: { oneOf: [kind('round_one'), kind('flat'), several] } }).components;
    assert.deepEqual(schemas['Shape'], {
      oneOf: [ref('ShapeRoundOne'), ref('ShapeFlat'), ref('ShapeOther')],
      discriminator: {
        propertyName: 'kind',
        mapping: {
          round_one: '#/components/schemas/ShapeRoundOne',
          flat: '#/components/schemas/ShapeFlat',
          moon: '#/components/schemas/ShapeOther',
          sun: '#/components/schemas/ShapeOther',
        },
      },
    });
  });

  it('refuses a choice whose members have no name, and two schemas of one name', () => {
    const choice = { anyOf: [object({ a: { type: 'string' } }), object({ b: { type: 'string' } })] };
    assert.throws(() => shaped({ Choice: choice }), /without a name/);
    const twice = { Order: object({ item: object({ x: {} }) }), OrderItem: object({ y: {} }) };
    assert.throws(() => shaped(twice), /would be OrderItem/);
  });

  it('has null as a second type of plain values, and beside the name of an object or a choice of texts', () => {
    const none = { type: 'null' };
    assert.deepEqual(shapedProperty({ anyOf: [{ type: 'string', pattern: '^a' }, none], description: 'A.' }), {
      type: ['string', 'null'],
      pattern: '^a',
      description: 'A.',
    });
    assert.deepEqual(shapedProperty({ anyOf: [object({ x: {} }), none] }), { anyOf: [ref('ThingValue'), none] });
    assert.deepEqual(shapedProperty({ type: ['string', 'null'], enum: ['a', 'b', null], description: 'A.' }), {
      description: 'A.',
      anyOf: [ref('ThingValue'), none],
    });
    assert.deepEqual(shapedProperty({ type: 'null' }), { description: 'Always `null`.' });
  });

  it('puts into words what would change types: a default, a schema that must not fit', () => {
    assert.deepEqual(shapedProperty({ type: 'integer', maximum: 9, default: 3, description: 'How many' }), {
      type: 'integer',
      maximum: 9,
      description: 'How many. Default: `3`.',
    });
    assert.deepEqual(shapedProperty({ type: 'string', not: { pattern: '://' } }), {
      type: 'string',
      description: 'Refused where it fits `{"pattern":"://"}`.',
    });
  });

  it('has integers where values are whole, of 64 bits where they may be large', () => {
    assert.deepEqual(shapedProperty({ type: 'number', const: 1 }), { type: 'integer', const: 1 });
    assert.deepEqual(shapedProperty({ type: 'integer', maximum: 3_000_000_000 }), {
      type: 'integer',
      maximum: 3_000_000_000,
      format: 'int64',
    });
    assert.deepEqual(shapedProperty({ type: 'integer', maximum: 100 }), { type: 'integer', maximum: 100 });
  });

  it('has one type for a moment of several forms, and for what is a list with or without brackets', () => {
    assert.deepEqual(shapedProperty({ anyOf: [{ format: 'date-time' }, { format: 'date' }] }), {
      type: 'string',
      description: 'In the form date-time or date.',
    });
    const list = { type: 'array', items: { type: 'string' } };
    assert.deepEqual(shapedProperty({ anyOf: [{ type: 'string' }, list], ...list }), list);
  });

  it('names bodies and answers after their operation, and parameters with more than a letter', () => {
    const json = (schema: Schema) => ({ 'application/json': { schema } });
    const { paths, components } = shaped(
      {},
      {
        '/things/{c}': {
          post: {
            operationId: 'makeThing',
            parameters: [{ in: 'path', name: 'c', schema: { type: 'string' } }],
            requestBody: { content: json(object({ x: {} })) },
            responses: { 201: { content: json(object({ id: {} })) }, 400: { content: json(ref('Problem')) } },
          },
        },
      },
    );
    assert.deepEqual(Object.keys(components.schemas), ['MakeThing', 'MakeThingAnswer']);
    assert.equal(paths['/things/{element_c}']?.['post']?.parameters?.[0]?.name, 'element_c');
  });
});
