import assert from 'node:assert/strict';
import { comparableProperties, propertyName } from '../../../src/skills/matching/comparable-properties.ts';

describe('a schema as the request board compares it', () => {
  it('is its properties with their types, and those required', () => {
    const schema = {
      properties: { text: { type: 'string' }, size: { type: 'integer', minimum: 1 }, any: {} },
      required: ['text', 'other'],
    };
    assert.deepEqual(comparableProperties(schema), {
      declared: ['any:', 'size:integer', 'text:string'],
      required: ['other:', 'text:string'],
    });
  });

  it('compares a list of types as a set', () => {
    const field = (type: string[]) => comparableProperties({ properties: { a: { type } } }).declared[0];
    assert.equal(field(['null', 'string']), field(['string', 'null']));
    assert.notEqual(field(['null', 'string']), field(['string']));
  });

  it('takes nothing from schemas of another shape', () => {
    for (const schema of [
      {},
      { properties: [] },
      { properties: null, required: 'a' },
      { required: [1, null] },
      { properties: 'x' },
    ]) {
      assert.deepEqual(comparableProperties(schema), { declared: [], required: [] }, JSON.stringify(schema));
    }
    assert.deepEqual(comparableProperties({ properties: { a: true, b: null, c: { type: 5 } } }).declared, [
      'a:',
      'b:',
      'c:',
    ]);
  });

  it('distinguishes long names within the size of an index entry', () => {
    const [one, two] = comparableProperties({
      properties: { ['x'.repeat(5_000)]: {}, ['x'.repeat(5_001)]: {} },
    }).declared;
    assert(one !== undefined && two !== undefined && one !== two);
    assert(Buffer.byteLength(one) < 2_000);
  });

  it('keeps a hundred properties at most', () => {
    const properties = Object.fromEntries(Array.from({ length: 500 }, (_, at) => [`p${at}`, {}]));
    assert.equal(comparableProperties({ properties, required: Object.keys(properties) }).declared.length, 100);
    assert.equal(comparableProperties({ properties, required: Object.keys(properties) }).required.length, 100);
  });

  it('returns the name in an entry', () => assert.equal(propertyName('a:b:string'), 'a:b'));
});
