import assert from 'node:assert/strict';
import { calculateJwkThumbprint, createRemoteJWKSet, jwtVerify, type JWK } from 'jose';
import { PublicJwkSchema } from '../../../src/accounts/agents/public-jwk.ts';
import { anonymous, assertProblem, assertStatus, service } from '../../support/service.ts';
import { newPassport, ownServices, type OwnServices } from '../own-service.ts';

const PATHS = ['/v1/.well-known/jwks.json', '/.well-known/jwks.json'];

for (const path of PATHS) {
  describe(`GET ${path}`, () => {
    it('shows an active and a next key, each under its thumbprint, and no private member', async () => {
      const { keys } = assertStatus(await anonymous().get<{ keys: JWK[] }>(path), 200);
      assert(keys.length >= 2, 'the next key is shown before it signs');
      for (const key of keys) {
        assert.deepEqual(Object.keys(key).toSorted(), ['alg', 'crv', 'kid', 'kty', 'use', 'x']);
        assert.deepEqual(
          { ...key, kid: '', x: '' },
          { kty: 'OKP', crv: 'Ed25519', alg: 'EdDSA', use: 'sig', kid: '', x: '' },
        );
        assert.equal(key.kid, await calculateJwkThumbprint(key));
        PublicJwkSchema.parse(key);
      }
    });

    it('may be cached for five minutes, and answers 304 to its ETag', async () => {
      const answer = await anonymous().get(path);
      assert.equal(answer.headers.get('cache-control'), 'public, max-age=300');
      const etag = answer.headers.get('etag') ?? '';
      assert.match(etag, /^"[\w-]{22}"$/);
      assert.equal((await anonymous().get(path, { 'if-none-match': etag })).status, 304);
    });

    it('may be read by a page of any origin, with or without a preflight request', async () => {
      const answer = await anonymous().get(path, { origin: 'https://elsewhere.example' });
      assert.equal(answer.headers.get('access-control-allow-origin'), '*');
      const preflightHeaders = { origin: 'https://elsewhere.example', 'access-control-request-method': 'GET' };
      const preflight = await fetch(`${service().baseUrl}${path}`, { method: 'OPTIONS', headers: preflightHeaders });
      assert.equal(preflight.status, 204);
      assert.equal(preflight.headers.get('access-control-allow-origin'), '*');
      assert.equal(preflight.headers.get('access-control-allow-methods'), 'GET, HEAD, OPTIONS');
    });

    it('takes only GET', async () => {
      assertProblem(await anonymous().post(path), 'METHOD_NOT_ALLOWED');
    });
  });
}

describe('JWKS', () => {
  let services: OwnServices;
  before(async () => void (services = await ownServices()));
  after(() => services.close());

  it('lets another library verify our passports', async () => {
    const own = await services.open();
    const { token, payload } = await newPassport(own);
    const url = new URL(PATHS[0] ?? '', own.baseUrl);
    const verified = await jwtVerify(token, createRemoteJWKSet(url, { timeoutDuration: 60_000 }), {
      algorithms: ['EdDSA'],
      issuer: payload.iss,
      typ: 'JWT',
    });
    assert.deepEqual(verified.payload, payload);
  });

  it('is not open to other origins where a route is not', async () => {
    const preflightHeaders = { origin: 'https://elsewhere.example', 'access-control-request-method': 'POST' };
    const preflight = await fetch(`${service().baseUrl}/v1/passports/introspect`, {
      method: 'OPTIONS',
      headers: preflightHeaders,
    });
    assert.equal(preflight.status, 204);
    assert.equal(preflight.headers.get('access-control-allow-origin'), null);
  });
});
