import assert from 'node:assert/strict';
import fc from 'fast-check';
import { canonicalJson, sha256Hex } from '../../src/json/canonical.ts';
import type { JsonValue } from '../../src/json/value.ts';

describe('canonicalJson', () => {
  it('writes members in the order of their UTF-16 units and numbers as RFC 8785 says', () => {
    const value = { '\u20ac': 1, b: [1e30, 4.5, 2e-3, 1e-27, -0], '😀': true, a: null, '1': 'é"\n' };
    assert.equal(canonicalJson(value), '{"1":"é\\"\\n","a":null,"b":[1e+30,4.5,0.002,1e-27,0],"€":1,"😀":true}');
  });

  it('is the same however the members are ordered', () => {
    const members = fc.uniqueArray(fc.tuple(fc.string(), fc.jsonValue()), { selector: ([name]) => name, minLength: 2 });
    fc.assert(
      fc.property(members, (pairs) => {
        const value = Object.fromEntries(pairs) as JsonValue;
        const reversed = Object.fromEntries(pairs.toReversed()) as JsonValue;
        return canonicalJson(value) === canonicalJson(reversed);
      }),
    );
  });

  it('refuses half of a surrogate pair', () => {
    assert.throws(() => canonicalJson({ a: '\ud800' }), /surrogate/);
  });
});

describe('sha256Hex', () => {
  it('hashes the UTF-8 bytes', () => {
    assert.equal(sha256Hex('abc'), 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
    assert.equal(sha256Hex('é'), '4a99557e4033c3539de2eb65472017cad5f9557f7a0625a09f1c3f6e2ba69c4c');
  });
});
