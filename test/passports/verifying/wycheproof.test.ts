import assert from 'node:assert/strict';
import { createPublicKey, randomBytes } from 'node:crypto';
import { PublicJwkSchema } from '../../../src/accounts/agents/public-jwk.ts';
import { createEncryption } from '../../../src/context/encryption.ts';
import { newSigningKey, SigningKey } from '../../../src/passports/keys/signing-key.ts';
import { KeyRing } from '../../../src/passports/keys/signing-keys.ts';
import { isSigned, verifyToken } from '../../../src/passports/verifying/verify-token.ts';
import { vectorsOf, wycheproof, type Group } from './wycheproof.ts';

const found = await wycheproof();
if ('missing' in found)
  process.stderr.write(`LEFT OUT: Wycheproof's vectors for Ed25519, JWS and JWK; ${found.missing}.\n`);
else describe('Wycheproof', () => checks(found.folder));

function checks(folder: string): void {
  const encryption = createEncryption([randomBytes(32)]);
  const made = newSigningKey(encryption);
  const ours = { x: made.x, private_key: made.privateKey, status: 'active', counts: true } as const;

  it('ed25519_test.json: our signature check accepts the valid signatures and no other', async () => {
    const { numberOfTests, testGroups } = vectorsOf(folder, 'ed25519_test.json');
    const outcomes: { tcId: number; result: string }[] = [];
    const expected: typeof outcomes = [];
    for (const { publicKeyJwk, tests } of testGroups) {
      const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: publicKeyJwk?.x ?? '' }, format: 'jwk' });
      for (const { tcId, msg = '', sig = '', result } of tests) {
        const taken = await isSigned({ input: Buffer.from(msg, 'hex'), signature: Buffer.from(sig, 'hex'), key });
        outcomes.push({ tcId, result: taken ? 'valid' : 'invalid' });
        expected.push({ tcId, result });
      }
    }
    assert.equal(outcomes.length, numberOfTests);
    assert(expected.some(({ result }) => result === 'valid') && expected.some(({ result }) => result === 'invalid'));
    assert.deepEqual(outcomes, expected);
  });

  it('ed25519_test.json: every public key is one that an agent may have', () => {
    const { testGroups } = vectorsOf(folder, 'ed25519_test.json');
    for (const { publicKeyJwk } of testGroups) assert.equal(PublicJwkSchema.safeParse(publicKeyJwk).success, true);
  });

  /**
   * Tokens of a file, against our key under each kid that they name: a valid one of another algorithm is not valid
   * here.
   */
  const takesNone = async (file: string): Promise<void> => {
    const { numberOfTests, testGroups } = vectorsOf(folder, file);
    let tried = 0;
    for (const { tests } of testGroups) {
      for (const { tcId, jws } of tests) {
        const token = typeof jws === 'string' ? jws : JSON.stringify(jws);
        const ring = new KeyRing(kidsOf(token).map((kid) => new SigningKey({ ...ours, kid }, encryption)));
        const verdict = await verifyToken(token, { keys: ring, issuer: 'https://carnet.example.test' });
        assert.deepEqual(verdict, { reason: 'malformed' }, `test ${tcId}`);
        tried += 1;
      }
    }
    assert.equal(tried, numberOfTests);
  };

  it('json_web_signature_test.json: none is a passport, though our key stands under its kid', () =>
    takesNone('json_web_signature_test.json'));

  it('json_web_key_test.json: none is a passport, no matter which keys come with it', () =>
    takesNone('json_web_key_test.json'));

  it('json_web_key_test.json: none of the keys is one that an agent may have', () => {
    const keys = vectorsOf(folder, 'json_web_key_test.json').testGroups.flatMap(keysOf);
    assert(keys.length >= 25, `${keys.length} keys`);
    for (const key of keys) assert.equal(PublicJwkSchema.safeParse(key).success, false);
  });
}

function kidsOf(token: string): string[] {
  try {
    const { kid } = JSON.parse(Buffer.from(token.split('.')[0] ?? '', 'base64url').toString()) as { kid?: unknown };
    return typeof kid === 'string' ? [kid] : ['none'];
  } catch {
    return ['none'];
  }
}

const keysOf = (group: Group): unknown[] =>
  [group.public, group.private].flatMap((set) =>
    typeof set === 'object' && set !== null && 'keys' in set && Array.isArray(set.keys) ? (set.keys as unknown[]) : [],
  );
