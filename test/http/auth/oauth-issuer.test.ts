import assert from 'node:assert/strict';
import { readSettings } from '../../../src/context/config.ts';
import type { OperatorId } from '../../../src/ids/ids.ts';
import { insertOperator, newAdmin, type Shell } from '../support/shell.ts';
import { eventually } from '../../support/eventually.ts';
import { assertProblem, assertStatus, type Reply } from '../../support/service.ts';
import { JWKS, newKey, openIssuer, openShellFor, sendJson, type Claims, type Issuer } from './support/issuer.ts';

describe('The issuer of OAuth access tokens', () => {
  let operatorId: OperatorId;
  let own: Issuer;
  let ownShell: Shell;
  beforeEach(async () => {
    own = await openIssuer();
    ownShell = await openShellFor(own);
    operatorId = await insertOperator(ownShell.context);
  });
  afterEach(async () => {
    await ownShell.close();
    await own.close();
  });

  const read = (token: string, at = ownShell): Promise<Reply> => at.as(token).get('/v1/things/thg_1');
  const admin = (claims: Claims = {}): Claims => ({ operator_id: operatorId, scope: 'admin', ...claims });

  it('serves its keys once, however many tokens come', async () => {
    const tokens = await Promise.all(Array.from({ length: 20 }, (_, at) => own.token(admin({ sub: `robot-${at}` }))));
    for (const reply of await Promise.all(tokens.map((token) => read(token)))) assertStatus(reply, 200);
    assert.equal(own.served[JWKS], 1);
  });

  it('may sign by any asymmetric algorithm', async () => {
    const keys = await Promise.all(['RS256', 'PS256', 'ES256', 'ES384', 'EdDSA'].map((alg) => newKey(alg)));
    own.keys = keys.map(({ jwk }) => jwk);
    for (const key of keys) {
      own.key = key;
      assertStatus(await read(await own.token(admin())), 200);
    }
  });

  it('may rotate its keys: the new one is fetched, the old one is refused', async () => {
    const old = await own.token(admin());
    assertStatus(await read(old), 200);
    await own.rotate();
    const fresh = await own.token(admin());
    await eventually('the new key to be fetched', async () => (await read(fresh)).status === 200);
    await eventually('the old key to be refused', async () => (await read(old)).status === 401);
  });

  it('is not called again within a second for keys that it does not have', async () => {
    assertStatus(await read(await own.token(admin())), 200);
    const began = performance.now();
    for (let at = 0; at < 50; at += 1)
      assertProblem(await read(await own.token(admin(), { kid: `made-up-${at}` })), 'UNAUTHENTICATED');
    const seconds = (performance.now() - began) / 1_000;
    assert((own.served[JWKS] ?? 0) <= 1 + Math.ceil(seconds), `served ${own.served[JWKS]} times in ${seconds} s`);
  });

  it('that does not answer makes tokens 503, until it answers', async () => {
    await own.close();
    const token = await own.token(admin());
    const reply = await read(token);
    assertProblem(reply, 'TEMPORARILY_UNAVAILABLE');
    assert.match(String(reply.body.detail), /issuer http:\/\/127\.0\.0\.1:\d+ gave no usable answer/);
    assert.equal(reply.headers.get('retry-after'), '2');
    const warned = ownShell.logged().filter(({ issuer: about }) => about === own.url);
    assert.match(JSON.stringify(warned), /ECONNREFUSED/);
    await own.reopen();
    await eventually('the issuer to be called again', async () => (await read(token)).status === 200);
  });

  it('that takes longer than five seconds makes tokens 503', async () => {
    own.instead.set(JWKS, () => {});
    assertProblem(await read(await own.token(admin())), 'TEMPORARILY_UNAVAILABLE');
    own.instead.clear();
    const token = await own.token(admin());
    await eventually('the issuer to be called again', async () => (await read(token)).status === 200);
  });

  it('that does not answer leaves other credentials alone', async () => {
    await own.close();
    assertStatus(await read((await newAdmin(ownShell)).key ?? ''), 200);
  });

  it('may be away while its keys are known', async () => {
    assertStatus(await read(await own.token(admin())), 200);
    await own.close();
    assertStatus(await read(await own.token(admin({ sub: 'robot-8' }))), 200);
  });

  it('is left alone for a second after it failed', async () => {
    own.instead.set(JWKS, (_request, response) => void response.writeHead(500).end());
    const began = performance.now();
    for (let at = 0; at < 20; at += 1) assertProblem(await read(await own.token(admin())), 'TEMPORARILY_UNAVAILABLE');
    const seconds = (performance.now() - began) / 1_000;
    assert((own.served[JWKS] ?? 0) <= 1 + Math.ceil(seconds), `served ${own.served[JWKS]} times in ${seconds} s`);
  });

  it('may have a path, and have its metadata where OpenID Connect has it', async () => {
    const addresses = [
      { path: '/tenant/', metadataPath: '/.well-known/oauth-authorization-server/tenant' },
      { path: '/tenant', metadataPath: '/tenant/.well-known/openid-configuration' },
      { path: '/', metadataPath: '/.well-known/openid-configuration' },
    ];
    for (const options of addresses) {
      const other = await openIssuer(options);
      const otherShell = await openShellFor(other);
      try {
        assertStatus(await read(await other.token(admin()), otherShell), 200);
      } finally {
        await otherShell.close();
        await other.close();
      }
    }
  });

  const METADATA = '/.well-known/oauth-authorization-server';
  const unusable: [what: string, path: string, answer: (own: Issuer) => unknown, logged: RegExp][] = [
    [
      'names another issuer',
      METADATA,
      ({ url }) => ({ issuer: `${url}/other`, jwks_uri: `${url}${JWKS}` }),
      /of another issuer/,
    ],
    [
      'keeps its keys elsewhere over http',
      METADATA,
      ({ url }) => ({ issuer: url, jwks_uri: 'http://192.0.2.1/keys' }),
      /192\.0\.2\.1\/keys is not https/,
    ],
    [
      'keeps its keys in a file',
      METADATA,
      ({ url }) => ({ issuer: url, jwks_uri: 'file:///etc/passwd' }),
      /passwd is not https/,
    ],
    ['does not say where its keys are', METADATA, ({ url }) => ({ issuer: url }), /jwks_uri/],
    ['has no list of keys', JWKS, () => ({ keys: 'none' }), /Key Set malformed/],
    ['has a very long list of keys', JWKS, () => ({ keys: [], padding: 'x'.repeat(300_000) }), /262144 bytes/],
    ['publishes a secret as a key', JWKS, ({ key }) => ({ keys: [{ ...key.jwk, d: 'AAAA' }] }), /gave no usable/],
  ];
  for (const [what, path, answer, logged] of unusable) {
    it(`that ${what} makes tokens 503`, async () => {
      own.instead.set(path, (_request, response) => sendJson(response, answer(own)));
      assertProblem(await read(await own.token(admin())), 'TEMPORARILY_UNAVAILABLE');
      const warned = ownShell.logged().filter(({ issuer: about }) => about === own.url);
      assert.match(JSON.stringify(warned), logged);
    });
  }

  it('must be spelled so that its keys cannot be swapped on the way', () => {
    for (const url of ['https://id.example.test/tenant', 'http://127.0.0.1:4700', 'http://localhost:4700/'])
      assert.equal(readSettings({ OAUTH_ISSUER: url }).OAUTH_ISSUER, url);
    for (const url of ['http://id.example.test', 'https://id.example.test/?a', 'https://id/#a', 'https://u@id', 'id'])
      assert.throws(() => readSettings({ OAUTH_ISSUER: url }), /OAUTH_ISSUER must/, url);
  });

  it('that leads elsewhere is not followed', async () => {
    const other = await openIssuer();
    try {
      const location = `${other.url}${JWKS}`;
      own.instead.set(JWKS, (_request, response) => void response.writeHead(302, { location }).end());
      assertProblem(await read(await own.token(admin())), 'TEMPORARILY_UNAVAILABLE');
      assert.deepEqual(other.served, {});
    } finally {
      await other.close();
    }
  });
});
