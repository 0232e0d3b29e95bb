import assert from 'node:assert/strict';
import { createPrivateKey } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import fc from 'fast-check';
import { z } from 'zod';
import { sql } from '../../../src/database/pool.ts';
import { activeKey } from '../../../src/passports/keys/signing-keys.ts';
import { verifyPassport } from '../../../src/passports/verifying/verify.ts';
import { assertStatus } from '../../support/service.ts';
import { attacks, type Target } from './corpus/index.ts';
import { newPassport, ownServices, type OwnService, type OwnServices } from '../own-service.ts';
import { jws } from '../tokens.ts';

const PATH = '/v1/passports/verify';
const KeyRow = z.object({ kid: z.string(), x: z.string(), private_key: z.string(), status: z.string() });

describe(`POST ${PATH} of hostile tokens`, () => {
  let services: OwnServices;
  let own: OwnService;
  let target: Target;
  let good: string;
  let keyFetches = 0;
  const trap = createServer((_request, response) => {
    keyFetches += 1;
    response.end('{"keys":[]}');
  });

  before(async () => {
    services = await ownServices();
    own = await services.open();
    trap.listen(0, '127.0.0.1');
    await once(trap, 'listening');
    const passport = await newPassport(own, { svcns: { agent_name: 'researcher' } });
    good = passport.token;
    const rows = await own.context.pool.any(sql.type(KeyRow)`select kid, x, private_key, status from signing_keys`);
    const row = (status: string) => rows.find((one) => one.status === status) ?? assert.fail(`no ${status} key`);
    const { kid, x, private_key: sealed } = row('active');
    const d = own.context.encryption.decrypt(sealed, `signing_keys:${kid}`);
    target = {
      kid,
      nextKid: row('next').kid,
      key: createPrivateKey({ key: { kty: 'OKP', crv: 'Ed25519', x, d }, format: 'jwk' }),
      payload: passport.payload,
      trap: `http://127.0.0.1:${(trap.address() as AddressInfo).port}`,
    };
  });
  after(async () => {
    trap.close();
    await services.close();
  });

  const verify = async (token: string) => assertStatus(await own.anonymous.post(PATH, { token }), 200);

  it('accepts the token that the attacks are made from, and signs as the service does', async () => {
    const header = JSON.stringify({ alg: 'EdDSA', kid: target.kid, typ: 'JWT' });
    assert.equal(jws(header, JSON.stringify(target.payload), target.key), good);
    assert.equal((await verify(good)).valid, true);
  });

  for (const [family, attacksOn] of Object.entries(attacks)) {
    it(`refuses every attack on ${family}, each with its one reason, and shows nothing else`, async () => {
      const hostile = attacksOn(target);
      assert(hostile.length >= 10, `${hostile.length} attacks`);
      const answers = await Promise.all(hostile.map(async ({ name, token }) => [name, await verify(token)]));
      const expected = hostile.map(({ name, reason }) => [name, { valid: false, reason }]);
      assert.deepEqual(answers, expected);
    });
  }

  it('fetched no keys from anywhere', () => assert.equal(keyFetches, 0));

  it('refuses any token with one character changed, left out or put in', async () => {
    const character = fc.constantFrom(...'ABCXYZabcxyz0189-_.=+/ \n\u00e9{}"'.split(''));
    const edit = fc.record({
      at: fc.nat(good.length - 1),
      by: fc.option(character, { nil: '' }),
      skip: fc.constantFrom(0, 1),
    });
    await fc.assert(
      fc.asyncProperty(edit, async ({ at, by, skip }) => {
        const changed = good.slice(0, at) + by + good.slice(at + skip);
        fc.pre(changed !== good);
        const verdict = await verifyPassport(own.context, changed);
        assert(
          !verdict.valid && ['malformed', 'unknown_key', 'bad_signature'].includes(verdict.reason),
          JSON.stringify(verdict),
        );
      }),
      { numRuns: 1_000 },
    );
  });

  it('answers to any text, and accepts none', async () => {
    const segment = fc.oneof(
      fc.base64String(),
      fc.json().map((text) => Buffer.from(text).toString('base64url')),
      fc.string({ unit: 'binary' }),
    );
    const tokens = fc.oneof(
      fc.string({ unit: 'grapheme' }),
      fc.array(segment, { maxLength: 6 }).map((segments) => segments.join('.')),
    );
    await fc.assert(
      fc.asyncProperty(tokens, async (token) => {
        assert.deepEqual(await verifyPassport(own.context, token), { valid: false, reason: 'malformed' });
      }),
      { numRuns: 500 },
    );
  });

  it('accepts what a retired key has signed, and refuses what a withdrawn one has', async () => {
    const [first, second] = [await newPassport(own), await newPassport(own)];
    assertStatus(await own.platform.post('/v1/admin/signing-keys/rotate'), 200);
    const third = await newPassport(own);
    assert.notEqual((await activeKey(own.context)).kid, target.kid);
    for (const { token } of [first, second, third]) assert.equal((await verify(token)).valid, true);
    assertStatus(await own.platform.post('/v1/admin/signing-keys/rotate', { immediate: true }), 200);
    assert.equal((await verify(first.token)).valid, true, 'a key that has retired is not the one that was withdrawn');
    assert.deepEqual(await verify(third.token), { valid: false, reason: 'unknown_key' });
  });

  it('refuses what was delegated from a passport that is revoked', async () => {
    const { token } = await newPassport(own, { revoked: 'by an ancestor' });
    assert.deepEqual(await verify(token), { valid: false, reason: 'ancestor_revoked' });
  });

  it('has logged no internal error', () => assert.doesNotMatch(own.logged(), /"level":50|fault of ours/));
});
