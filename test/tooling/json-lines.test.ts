import assert from 'node:assert/strict';
import { jsonLines } from '../../scripts/json-lines.ts';

describe('The text of generated JSON', () => {
  it('has a line for each entry down to the depth, in the order of the keys, and leaves out what is undefined', () => {
    const value = { b: { y: { deep: [1, 2] }, x: [] }, a: ['text', { deep: true }], none: undefined };
    assert.equal(
      jsonLines(value, 2),
      '{\n "b": {\n  "y": {"deep":[1,2]},\n  "x": []\n },\n "a": [\n  "text",\n  {"deep":true}\n ]\n}\n',
    );
    assert.equal(jsonLines(value, 0), `${JSON.stringify(value)}\n`);
  });
});
