import assert from 'node:assert/strict';
import { createPublicKey } from 'node:crypto';
import { base64url, importJWK, SignJWT, UnsecuredJWT, type JWTPayload } from 'jose';
import { z } from 'zod';
import { sql } from '../../../src/database/pool.ts';
import type { OperatorId } from '../../../src/ids/ids.ts';
import { insertOperator, newAdmin, openShell, type Shell } from '../support/shell.ts';
import { things } from '../support/things.ts';
import { eventually } from '../../support/eventually.ts';
import { assertProblem, assertStatus, type Reply } from '../../support/service.ts';
import { AUDIENCE, newKey, openIssuer, openShellFor, type Claims, type Issuer } from './support/issuer.ts';

const Nothing = z.object({});

describe('OAuth access tokens', () => {
  let issuer: Issuer;
  let shell: Shell;
  let operatorId: OperatorId;

  before(async () => {
    issuer = await openIssuer();
    shell = await openShellFor(issuer);
    operatorId = await insertOperator(shell.context);
  });
  after(async () => {
    await shell.close();
    await issuer.close();
  });

  const read = (token: string, at = shell): Promise<Reply> => at.as(token).get('/v1/things/thg_1');
  const rename = (token: string): Promise<Reply> => shell.as(token).patch('/v1/things/thg_1', { name: 'x' });
  const admin = (claims: Claims = {}): Claims => ({ operator_id: operatorId, scope: 'admin', ...claims });

  describe('that hold', () => {
    it('act for the operator they name, as administrator', async () => {
      assertStatus(await rename(await issuer.token(admin())), 200);
    });

    it('act as member with the scope member', async () => {
      const token = await issuer.token(admin({ scope: 'openid member' }));
      assertStatus(await read(token), 200);
      assertProblem(await rename(token), 'ADMIN_REQUIRED');
    });

    it('act as administrator with both scopes', async () => {
      assertStatus(await rename(await issuer.token(admin({ scope: 'member admin' }))), 200);
    });

    it('are never the platform key', async () => {
      assertProblem(await shell.as(await issuer.token(admin())).delete('/v1/things/thg_1'), 'ADMIN_REQUIRED');
    });

    it('may name several audiences, and have any of the types of access tokens', async () => {
      for (const typ of ['at+jwt', 'application/at+jwt', 'JWT', undefined])
        assertStatus(await read(await issuer.token(admin({ aud: ['other', AUDIENCE] }), { typ })), 200);
    });

    it('may last until the last moment that there is, and are refused past it', async () => {
      assertStatus(await read(await issuer.token(admin({ exp: 8.64e12 }))), 200);
      for (const exp of [8.64e12 + 1, 1e15, Number.MAX_VALUE])
        assertProblem(await read(await issuer.token(admin({ exp }))), 'UNAUTHENTICATED');
      for (const far of [{ iat: -1e300 }, { nbf: -1e300 }])
        assertStatus(await read(await issuer.token(admin(far))), 200);
      assertProblem(await read(await issuer.token(admin({ nbf: 1e300 }))), 'UNAUTHENTICATED');
    });

    it('may be issued by a clock that is a little ahead, and need no iat', async () => {
      const now = Math.floor(Date.now() / 1_000);
      for (const iat of [now, now + 30, undefined]) assertStatus(await read(await issuer.token(admin({ iat }))), 200);
    });

    it('are 403 OPERATOR_SUSPENDED for a suspended operator', async () => {
      const suspended = await insertOperator(shell.context, 'suspended');
      assertProblem(await read(await issuer.token(admin({ operator_id: suspended }))), 'OPERATOR_SUSPENDED');
    });

    it('are refused immediately when their operator is suspended', async () => {
      const named = await newAdmin(shell);
      const token = await issuer.token(admin({ operator_id: named.operatorId }));
      assertStatus(await read(token), 200);
      await shell.context.pool.query(
        sql.type(Nothing)`update operators set status = 'suspended' where id = ${named.operatorId}`,
      );
      shell.context.rowEvents.changed(named.operatorId);
      assertProblem(await read(token), 'OPERATOR_SUSPENDED');
    });

    it('are refused when their time is over, remembered or not', async () => {
      const inUse = async (seconds: number): Promise<{ token: string; exp: number }> => {
        const exp = Math.floor(Date.now() / 1_000) + seconds;
        const token = await issuer.token(admin({ exp }));
        const used = await read(token);
        // An answer that came when its time was over, as on a machine that is busy, says nothing of the time before.
        if (Date.now() >= exp * 1_000) return inUse(seconds * 4);
        assertStatus(used, 200);
        return { token, exp };
      };
      const { token, exp } = await inUse(2);
      await eventually('its time to be over', async () => {
        await read(token);
        return Date.now() >= exp * 1_000;
      });
      assertProblem(await read(token), 'UNAUTHENTICATED');
    });
  });

  describe('that do not hold are 401', () => {
    const refusedClaims: [what: string, claims: Claims, sentence: RegExp][] = [
      ['another audience', { aud: 'https://elsewhere.example.test' }, /another audience/],
      ['no audience', { aud: undefined }, /another audience/],
      ['another issuer', { iss: 'https://elsewhere.example.test' }, /unknown/],
      ['no issuer', { iss: undefined }, /unknown/],
      ['an expiry in the past', { exp: 1 }, /expired/],
      ['no expiry', { exp: undefined }, /exp/],
      ['a beginning in the future', { nbf: 9_999_999_999 }, /nbf/],
      ['an issue in the future', { iat: 9_999_999_999 }, /iat/],
      ['an issue past every moment', { iat: 1e300 }, /iat/],
      ['an issue that is no number', { iat: '1' }, /iat/],
      ['no subject', { sub: undefined }, /sub/],
      ['a subject that is no text for a log', { sub: 'a\u0000b' }, /sub/],
      ['no operator', { operator_id: undefined }, /operator_id/],
      ['an operator that is no text', { operator_id: ['op_x'] }, /operator_id/],
      ['an unknown operator', { operator_id: 'op_unknown' }, /names no operator/],
      ['the operator of the platform', { operator_id: 'op_platform' }, /names no operator/],
      ['no scope', { scope: undefined }, /scope/],
      ['a scope that gives nothing here', { scope: 'openid administrator' }, /scope/],
      ['a scope that is a list', { scope: ['admin'] }, /scope/],
    ];
    for (const [what, claims, sentence] of refusedClaims) {
      it(`with ${what}`, async () => {
        const reply = await read(await issuer.token(admin(claims)));
        assertProblem(reply, 'UNAUTHENTICATED');
        assert.match(String(reply.body.detail), sentence);
        assert.equal(reply.headers.get('www-authenticate'), 'Bearer realm="carnet", error="invalid_token"');
      });
    }

    it('with a type of another kind of token', async () => {
      for (const typ of ['statuslist+jwt', 'dpop+jwt', 'logout+jwt'])
        assertProblem(await read(await issuer.token(admin(), { typ })), 'UNAUTHENTICATED');
    });

    it('with a key the issuer does not publish', async () => {
      assertProblem(await read(await issuer.token(admin(), { kid: 'unknown' })), 'UNAUTHENTICATED');
    });

    it("signed by a stranger under the kid of the issuer's key", async () => {
      const stranger = await newKey(issuer.key.alg);
      const forged = await new SignJWT(tokenClaims())
        .setProtectedHeader({ alg: issuer.key.alg, kid: issuer.key.kid })
        .sign(stranger.privateKey);
      assertProblem(await read(forged), 'UNAUTHENTICATED');
    });

    it('without a signature, in all casings of none', async () => {
      const [, payload] = UnsecuredJWT.prototype.encode.call(new UnsecuredJWT(tokenClaims())).split('.');
      for (const alg of ['none', 'None', 'NONE', 'nOnE']) {
        const header = base64url.encode(JSON.stringify({ alg, kid: issuer.key.kid }));
        assertProblem(await read(`${header}.${payload}.`), 'UNAUTHENTICATED');
      }
    });

    it('signed by HS256 with the public key as the secret, in any of its spellings', async () => {
      const { jwk } = issuer.key;
      const key = createPublicKey({ key: jwk, format: 'jwk' });
      const spellings = [
        JSON.stringify(jwk),
        key.export({ type: 'spki', format: 'pem' }),
        key.export({ type: 'spki', format: 'der' }),
      ];
      for (const secret of spellings) {
        const forged = await new SignJWT(tokenClaims())
          .setProtectedHeader({ alg: 'HS256', kid: issuer.key.kid })
          .sign(await importJWK({ kty: 'oct', k: base64url.encode(secret) }, 'HS256'));
        assertProblem(await read(forged), 'UNAUTHENTICATED');
      }
    });

    it('with a key of their own in the header', async () => {
      const stranger = await newKey(issuer.key.alg);
      const forged = await new SignJWT(tokenClaims())
        .setProtectedHeader({ alg: stranger.alg, kid: issuer.key.kid, jwk: stranger.jwk, jku: `${issuer.url}/other` })
        .sign(stranger.privateKey);
      assertProblem(await read(forged), 'UNAUTHENTICATED');
      assert.equal(issuer.served['/other'], undefined);
    });

    it('cut off, prolonged or with another payload', async () => {
      const token = await issuer.token(admin({ scope: 'member' }));
      const [header, , signature] = token.split('.');
      const widened = base64url.encode(JSON.stringify(tokenClaims()));
      const forgeries = [`${header}.${widened}.${signature}`, token.slice(0, -3), `${token}A`, `${token}.${signature}`];
      for (const forged of forgeries) assertProblem(await read(forged), 'UNAUTHENTICATED');
    });

    const tokenClaims = (): JWTPayload => ({
      ...admin(),
      iss: issuer.url,
      aud: AUDIENCE,
      sub: 'robot-7',
      exp: Math.floor(Date.now() / 1_000) + 300,
    });
  });

  it('are 401 where no issuer is configured', async () => {
    const without = await openShell({ routes: things });
    try {
      assertProblem(await read(await issuer.token(admin()), without), 'UNAUTHENTICATED');
    } finally {
      await without.close();
    }
  });
});
