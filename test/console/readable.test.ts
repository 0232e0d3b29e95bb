import assert from 'node:assert/strict';
import { readable } from '../../src/console/readable.ts';

describe('JSON that a person decides about', () => {
  for (const name of ['secret', 'client_secret', 'webhook_signing_secret'])
    it(`has of a ${name} its length alone`, () =>
      assert.equal(readable({ [name]: 'abcdef' }), `{\n  "${name}": "(set; 6 characters, not shown)"\n}`));

  it('has of a secret deep inside its length alone', () =>
    assert.doesNotMatch(readable({ a: [{ b_secret: 'hidden away' }] }), /hidden away/));

  for (const name of ['secrets', 'secret_name', 'notsecret'])
    it(`has ${name} as it is`, () => assert.equal(readable({ [name]: 'abc' }), `{\n  "${name}": "abc"\n}`));

  it('has what is not seen as its code, joiners too, since it is read as it will be run', () =>
    assert.equal(
      readable('pay\u202e\u200f\u061c\u200b می\u200cخ \u{e0041}'),
      String.raw`"pay\u202e\u200f\u061c\u200b می\u200cخ \udb40\udc41"`,
    ));
});
