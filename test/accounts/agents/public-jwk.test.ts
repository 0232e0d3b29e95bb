import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { PublicJwkSchema } from '../../../src/accounts/agents/public-jwk.ts';

const accepts = (x: string): boolean => PublicJwkSchema.safeParse({ kty: 'OKP', crv: 'Ed25519', x }).success;
const acceptsBytes = (hex: string): boolean => accepts(Buffer.from(hex, 'hex').toString('base64url'));

describe('the public key of an agent', () => {
  it('is any Ed25519 key that node:crypto makes', () => {
    for (let made = 0; made < 50; made += 1) {
      const { x } = generateKeyPairSync('ed25519').publicKey.export({ format: 'jwk' });
      assert(accepts(x ?? ''), x);
    }
  });

  // RFC 8032 §7.1, tests 1 to 3.
  for (const key of [
    'd75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a',
    '3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c',
    'fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025',
  ]) {
    it(`may be ${key} of RFC 8032`, () => assert(acceptsBytes(key)));
  }

  // The eight points whose order divides eight; with either sign bit where x is zero.
  for (const key of [
    `01${'00'.repeat(31)}`,
    `01${'00'.repeat(30)}80`,
    `ec${'ff'.repeat(30)}7f`,
    `ec${'ff'.repeat(31)}`,
    '00'.repeat(32),
    `${'00'.repeat(31)}80`,
    '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05',
    '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc85',
    'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a',
    'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa',
  ]) {
    it(`is not ${key}, of small order`, () => assert(!acceptsBytes(key)));
  }

  it('is a point of the curve: with a bit flipped about half of all keys are none', () => {
    const key = Buffer.from('d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a', 'hex');
    const refused = Array.from({ length: 200 }, (_, bit) => {
      const flipped = Buffer.from(key);
      flipped[bit >> 3] = (flipped[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      return !acceptsBytes(flipped.toString('hex'));
    }).filter(Boolean).length;
    assert(refused > 60 && refused < 140, `${refused} of 200`);
  });

  for (const [fault, x] of [
    // p + 3: the point whose y is 3 is on the curve, and must be written with that y.
    ['y beyond the field', Buffer.from(`f0${'ff'.repeat(30)}7f`, 'hex').toString('base64url')],
    ['padding', '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo='],
    ['plain base64', '11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo'],
    ['spare bits', '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURp'],
    ['a byte too few', '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHUQ'],
    ['nothing', ''],
  ] as const) {
    it(`is refused with ${fault}`, () => assert(!accepts(x)));
  }
});
