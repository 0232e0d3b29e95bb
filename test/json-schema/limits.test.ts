import assert from 'node:assert/strict';
import type { JsonValue } from '../../src/json/value.ts';
import { SchemaLimits, structuralFaults } from '../../src/json-schema/limits.ts';

const faultsOf = (schema: JsonValue): { path: string; code: string }[] =>
  structuralFaults(schema, 'input_schema').map(({ path, code }) => ({ path, code }));
const refuses = (schema: JsonValue, path: string, code: string): void =>
  assert.deepEqual(faultsOf(schema), [{ path, code }]);
const takes = (schema: JsonValue): void => assert.deepEqual(structuralFaults(schema, 'input_schema'), []);

const nested = (depth: number): JsonValue => (depth === 1 ? {} : { not: nested(depth - 1) });
const objectOf = (count: number): Record<string, JsonValue> =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`p${index}`, {}]));

describe('structuralFaults', () => {
  it('accepts an ordinary schema with annotations, unknown keywords and a root $id', () => {
    takes({
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      $id: 'https://example.com/skills/translate',
      title: 'Translate',
      examples: [{ text: 'hi', $ref: 'https://example.com/' }],
      'x-ui': { $id: 'form', $ref: 'https://example.com/form', order: ['text'] },
      type: 'object',
      properties: {
        text: { type: 'string', default: { $data: '1/text' } },
        next: { $ref: '#' },
        $ref: { type: 'string' },
        $id: { type: 'string' },
      },
      const: { $ref: 'https://example.com/' },
    });
  });

  it('refuses what is not an object', () => {
    for (const schema of [true, 'string', 7, null, [{}]]) refuses(schema, 'input_schema', 'type');
  });

  describe('size', () => {
    it('refuses depth past the limit, a bottomless value included', () => {
      takes(nested(SchemaLimits.depth));
      refuses(nested(SchemaLimits.depth + 1), `input_schema${'.not'.repeat(SchemaLimits.depth)}`, 'too_deep');
      let bottomless: JsonValue = {};
      for (let depth = 0; depth < 100_000; depth += 1) bottomless = { not: bottomless };
      assert.equal(faultsOf(bottomless)[0]?.code, 'too_deep');
    });

    it('refuses more than 64 KiB of JSON', () => {
      const room = SchemaLimits.bytes - Buffer.byteLength(JSON.stringify({ description: '' }));
      takes({ description: 'é'.repeat(room / 2) });
      refuses({ description: `${'é'.repeat(room / 2)}xx` }, 'input_schema', 'too_large');
    });

    it('refuses thousands of properties, long lists and too many values', () => {
      takes({ properties: objectOf(SchemaLimits.members) });
      refuses({ properties: objectOf(3_000) }, 'input_schema.properties', 'too_many_properties');
      takes({ enum: Array.from({ length: SchemaLimits.items }, (_, index) => index) });
      refuses(
        { properties: { a: { enum: Array.from({ length: SchemaLimits.items + 1 }, (_, index) => index) } } },
        'input_schema.properties.a.enum',
        'too_many_items',
      );
      refuses(
        { default: Array.from({ length: 11 }, () => Array.from({ length: SchemaLimits.items }, () => 0)) },
        'input_schema',
        'too_many_nodes',
      );
    });

    it('refuses long and many patterns', () => {
      takes({ pattern: 'x'.repeat(SchemaLimits.patternLength) });
      refuses({ items: { pattern: 'x'.repeat(200_000) } }, 'input_schema', 'too_large');
      refuses(
        { items: { pattern: 'x'.repeat(SchemaLimits.patternLength + 1) } },
        'input_schema.items.pattern',
        'pattern_too_long',
      );
      const [fault] = structuralFaults(
        { patternProperties: { ['y'.repeat(SchemaLimits.patternLength + 1)]: {} } },
        'input_schema',
      );
      assert.deepEqual(
        [fault?.code, fault?.path.slice(0, 35)],
        ['pattern_too_long', 'input_schema.patternProperties.yyyy'],
      );
      refuses(
        { allOf: Array.from({ length: SchemaLimits.patterns + 1 }, () => ({ pattern: 'a' })) },
        'input_schema',
        'too_many_patterns',
      );
    });
  });

  describe('drafts', () => {
    for (const uri of [
      'https://json-schema.org/draft/2020-12/schema',
      'http://json-schema.org/draft-07/schema#',
      'http://json-schema.org/draft-07/schema',
    ]) {
      it(`accepts ${uri}`, () => takes({ $schema: uri }));
    }
    for (const uri of [
      'http://json-schema.org/draft-04/schema#',
      'https://json-schema.org/draft/2019-09/schema',
      'constructor',
      '',
      7,
    ]) {
      it(`refuses ${uri || 'an empty one'}`, () =>
        refuses({ $schema: uri }, 'input_schema.$schema', 'unsupported_draft'));
    }
    it('refuses a subschema of the other draft', () => {
      refuses(
        { properties: { a: { $schema: 'http://json-schema.org/draft-07/schema#' } } },
        'input_schema.properties.a.$schema',
        'unsupported_draft',
      );
    });
  });

  describe('references', () => {
    it('accepts local pointers and anchors, escaped and in recursion', () => {
      takes({
        $defs: {
          'a/b~c %': { type: 'string' },
          node: { $anchor: 'node', properties: { children: { items: { $ref: '#node' } } } },
          list: { $dynamicAnchor: 'list' },
        },
        properties: {
          a: { $ref: '#/$defs/a~1b~0c%20%25' },
          b: { $ref: '#/$defs/node' },
          c: { $dynamicRef: '#list' },
          d: { $ref: '#' },
          e: { $ref: '#/properties/a' },
        },
      });
    });

    it('refuses every reference out of the document', () => {
      for (const uri of [
        'http://example.com/schema',
        'https://example.com/s#/a',
        'other.json',
        '/x',
        '//example.com',
        'file:///etc/passwd',
        'urn:x:y',
        '',
      ]) {
        refuses(
          { properties: { a: { anyOf: [{ $ref: uri }] } } },
          'input_schema.properties.a.anyOf.0.$ref',
          'remote_ref',
        );
        refuses({ items: { $dynamicRef: uri } }, 'input_schema.items.$dynamicRef', 'remote_ref');
      }
    });

    it('refuses references to nothing, to data and to what every object inherits', () => {
      for (const ref of [
        '#/$defs/b',
        '#/$defs/a/type',
        '#b',
        '#/constructor',
        '#/$defs/toString',
        '#/$defs/%E0%A4%A',
        '#/required/00',
      ]) {
        refuses(
          { $defs: { a: { type: 'string' } }, required: ['x'], not: { $ref: ref } },
          'input_schema.not.$ref',
          'unresolved_ref',
        );
      }
    });

    it('checks a part that is a schema only by a reference', () => {
      refuses(
        { 'x-parts': { a: { $ref: 'http://example.com/' } }, not: { $ref: '#/x-parts/a' } },
        'input_schema.x-parts.a.$ref',
        'remote_ref',
      );
    });

    it('refuses an inner $id, which would change what # means', () => {
      for (const id of ['https://example.com/a', 'a', '#a'])
        refuses({ items: { $id: id, $ref: '#' } }, 'input_schema.items.$id', 'nested_id');
    });

    it('refuses schemas that apply themselves to the same value again', () => {
      refuses({ $ref: '#' }, 'input_schema', 'endless_ref');
      refuses({ $id: 'https://example.com/a', $ref: '#' }, 'input_schema', 'endless_ref');
      refuses(
        { items: { anyOf: [{ type: 'string' }, { $ref: '#/items' }] } },
        'input_schema.items.anyOf.1',
        'endless_ref',
      );
      refuses(
        { $defs: { a: { not: { $ref: '#/$defs/b' } }, b: { if: { $ref: '#/$defs/a' } } } },
        'input_schema.$defs.b.if',
        'endless_ref',
      );
      refuses(
        { dependentSchemas: { a: { $dynamicRef: '#self' } }, $dynamicAnchor: 'self' },
        'input_schema.dependentSchemas.a',
        'endless_ref',
      );
      takes({
        allOf: [{ $ref: '#/$defs/a' }, { $ref: '#/$defs/a' }],
        $defs: { a: { type: 'object', additionalProperties: { $ref: '#' } } },
      });
    });
  });

  it('refuses $data, $async and members called __proto__', () => {
    refuses(
      { properties: { a: { maximum: { $data: '1/b' } } } },
      'input_schema.properties.a.maximum',
      'data_reference',
    );
    refuses({ $async: true }, 'input_schema.$async', 'async_schema');
    refuses(
      JSON.parse('{"properties":{"__proto__":{"type":"string"}}}') as JsonValue,
      'input_schema.properties',
      'forbidden_member',
    );
  });

  it('names every fault of a schema, twenty at most', () => {
    assert.equal(faultsOf({ properties: { a: { $ref: 'x' }, b: { $ref: 'y' } } }).length, 2);
    assert.equal(faultsOf({ allOf: Array.from({ length: 30 }, () => ({ $ref: 'x' })) }).length, 20);
  });
});
