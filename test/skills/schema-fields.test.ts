import assert from 'node:assert/strict';
import { fieldsOf, nameOfField } from '../../src/skills/schema-fields.ts';

describe('a schema as the request board compares it', () => {
  it('is its properties with their types, and those required', () => {
    const schema = {
      properties: { text: { type: 'string' }, size: { type: 'integer', minimum: 1 }, any: {} },
      required: ['text', 'other'],
    };
    assert.deepEqual(fieldsOf(schema), {
      declared: ['any:', 'size:integer', 'text:string'],
      required: ['other:', 'text:string'],
    });
  });

  it('compares a list of types as a set', () => {
    const field = (type: string[]) => fieldsOf({ properties: { a: { type } } }).declared[0];
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
      assert.deepEqual(fieldsOf(schema), { declared: [], required: [] }, JSON.stringify(schema));
    }
    assert.deepEqual(fieldsOf({ properties: { a: true, b: null, c: { type: 5 } } }).declared, ['a:', 'b:', 'c:']);
  });

  it('tells long names apart in a size that an index takes', () => {
    const [one, two] = fieldsOf({ properties: { ['x'.repeat(5_000)]: {}, ['x'.repeat(5_001)]: {} } }).declared;
    assert(one !== undefined && two !== undefined && one !== two);
    assert(Buffer.byteLength(one) < 2_000);
  });

  it('is a hundred of them at most', () => {
    const properties = Object.fromEntries(Array.from({ length: 500 }, (_, at) => [`p${at}`, {}]));
    assert.equal(fieldsOf({ properties, required: Object.keys(properties) }).declared.length, 100);
    assert.equal(fieldsOf({ properties, required: Object.keys(properties) }).required.length, 100);
  });

  it('gives the name back', () => assert.equal(nameOfField('a:b:string'), 'a:b'));
});
