import assert from 'node:assert/strict';
import { z } from 'zod';
import { sql } from '../../../src/database/pool.ts';
import { inSeconds, made, otherJwk, publicJwk } from '../../authority/support.ts';
import { anonymous, assertProblem, assertStatus, service } from '../../support/service.ts';
import { issue, openHolder } from '../holders.ts';
import { newPassport, ownServices, revoke, type OwnService, type OwnServices } from '../own-service.ts';
import { SCOPE } from '../tokens.ts';

const PATH = '/v1/passports/verify';

interface Verdict {
  valid: boolean;
  reason?: string;
  jti?: string;
  agent_id?: string;
  expires_at?: string;
  audience?: string[] | null;
  claims?: Record<string, unknown>;
  authority_refs?: unknown[];
}

describe(`POST ${PATH}`, () => {
  let services: OwnServices;
  let own: OwnService;

  before(async () => {
    services = await ownServices();
    own = await services.open();
  });
  after(() => services.close());

  const verify = async (token: unknown, more: Record<string, unknown> = {}): Promise<Verdict> =>
    assertStatus(await own.anonymous.post<Verdict>(PATH, { token, ...more }), 200);
  const refusal = async (token: unknown, more: Record<string, unknown> = {}): Promise<string | undefined> => {
    const verdict = await verify(token, more);
    assert.equal(verdict.valid, false);
    assert.deepEqual(
      Object.keys(verdict),
      ['valid', 'reason'],
      'a refusal shows its reason and nothing of the passport',
    );
    return verdict.reason;
  };

  it('shows the claims of a passport that counts', async () => {
    const { token, payload } = await newPassport(own);
    assert.deepEqual(await verify(token), {
      valid: true,
      jti: payload.jti,
      agent_id: payload.sub,
      expires_at: new Date(payload.exp * 1_000).toISOString(),
      audience: null,
      claims: payload.svcns,
      authority_refs: [],
      budget: null,
    });
  });

  it('needs no credential, and ignores one that is sent', async () => {
    const { token } = await newPassport(own);
    const answer = await own.as('svc_live_nobody_has_this_key_at_all').post<Verdict>(PATH, { token });
    assert.equal(assertStatus(answer, 200).valid, true);
  });

  it('refuses a body without a token, with one that is no text, and with unknown members', async () => {
    assertProblem(await own.anonymous.post(PATH), 'VALIDATION_ERROR', 'token');
    for (const token of [null, 1, [], {}, ['a.b.c']]) {
      assertProblem(await own.anonymous.post(PATH, { token }), 'VALIDATION_ERROR', 'token');
    }
    assertProblem(await own.anonymous.post(PATH, { token: '', leeway: 60 }), 'VALIDATION_ERROR', 'leeway');
    assertProblem(await own.anonymous.post(PATH, { token: '', service_id: 7 }), 'VALIDATION_ERROR', 'service_id');
  });

  it('parses no body of many values, which anybody could send', async () => {
    const members = Object.fromEntries(Array.from({ length: 24_900 }, (_none, at) => [`k${at}`, at]));
    for (const token of [members, Array.from({ length: 20 }, () => [])]) {
      const refused = await own.anonymous.post<{ errors: { code: string }[] }>(PATH, { token });
      assert.deepEqual([refused.status, refused.body.errors[0]?.code], [400, 'too_many_values']);
    }
  });

  it('answers little to a body of one long name, which anybody could send', async () => {
    const refused = await own.anonymous.post<{ errors: { path: string }[] }>(PATH, { ['a'.repeat(2_096_000)]: 1 });
    assertProblem(refused, 'VALIDATION_ERROR', `${'a'.repeat(64)}…`);
    assert(refused.text.length < 2_000, `${refused.text.length} characters`);
  });

  it('ignores an Idempotency-Key, even one that is not well formed', async () => {
    assert.equal(
      assertStatus(await own.anonymous.post<Verdict>(PATH, { token: '' }, { 'idempotency-key': 'é'.repeat(300) }), 200)
        .valid,
      false,
    );
  });

  it('answers malformed to an empty token, to 270 KB and to 1 MiB of one, and 413 to a body over 2 MiB', async () => {
    assert.equal(await refusal(''), 'malformed');
    assert.equal(await refusal('x'.repeat(270_000)), 'malformed');
    assert.equal(await refusal('.'.repeat(1_048_576)), 'malformed');
    assertProblem(await own.anonymous.post(PATH, { token: 'x'.repeat(2_097_152) }), 'BODY_TOO_LARGE');
  });

  it('accepts a token of exactly 16 KiB, and none that is longer', async () => {
    const { token } = await newPassport(own, { svcns: { intent_summary: '' } });
    const room = 16_384 - token.length;
    const filled = await newPassport(own, { svcns: { intent_summary: 'x'.repeat(Math.floor((room * 3) / 4)) } });
    assert(filled.token.length > 16_380 && filled.token.length <= 16_384, `it has ${filled.token.length} characters`);
    assert.equal((await verify(filled.token)).valid, true);
    assert.equal(await refusal(`${filled.token}${'A'.repeat(5)}`), 'malformed');
  });

  it('answers revoked, ancestor_revoked or expired by the row and Postgres’ clock, in this order', async () => {
    assert.equal(await refusal((await newPassport(own, { revoked: 'itself' })).token), 'revoked');
    assert.equal(await refusal((await newPassport(own, { revoked: 'by an ancestor' })).token), 'ancestor_revoked');
    assert.equal(await refusal((await newPassport(own, { ttl: 0 })).token), 'expired');
    assert.equal(await refusal((await newPassport(own, { ttl: -1, revoked: 'itself' })).token), 'revoked');
    assert.equal(
      await refusal((await newPassport(own, { ttl: -1, revoked: 'by an ancestor' })).token),
      'ancestor_revoked',
    );
  });

  it('accepts a payload with any text in it, whose digest is that of its bytes', async () => {
    for (const name of ['\\x41', 'back\\slash "quoted"', 'line\nbreak\ttab', 'é 你好 \u{1f600}', '\\\\', '\\012'])
      assert.equal((await verify((await newPassport(own, { svcns: { agent_name: name } })).token)).valid, true, name);
  });

  it('answers revoked for a good signature without a row', async () => {
    const { token, payload } = await newPassport(own);
    await own.context.pool.query(sql.type(z.object({}))`delete from passports where jti = ${payload.jti}`);
    assert.equal(await refusal(token), 'revoked');
  });

  it('checks that there are scopes for a service, after everything else', async () => {
    const scoped = [SCOPE, { ...SCOPE, service_id: 'empty', scopes: [] }];
    const { token, payload } = await newPassport(own, { svcns: { services: scoped } });
    assert.equal((await verify(token, { service_id: 'github' })).valid, true);
    assert.equal(
      await refusal(token, { service_id: 'GitHub' }),
      'service_not_in_scope',
      'a service is named by its id',
    );
    assert.equal(await refusal(token, { service_id: 'empty' }), 'service_not_in_scope', 'no scopes are none');
    await revoke(own, payload.jti);
    assert.equal(await refusal(token, { service_id: 'nowhere' }), 'revoked');
  });

  it('checks that the audience, where there is one, has the service, after everything else', async () => {
    const scoped = [SCOPE, { ...SCOPE, service_id: 'gitlab' }];
    const { token, payload } = await newPassport(own, { svcns: { services: scoped }, aud: ['github', 'slack'] });
    assert.equal((await verify(token, { service_id: 'github' })).valid, true);
    for (const [door, reason, why] of [
      ['gitlab', 'wrong_audience', 'scopes without being in the audience are not enough'],
      ['slack', 'service_not_in_scope', 'being in the audience without scopes is not enough'],
      ['GitHub', 'wrong_audience', 'a service is named by its id'],
    ] as const)
      assert.equal(await refusal(token, { service_id: door }), reason, why);
    assert.deepEqual((await verify(token)).audience, ['github', 'slack'], 'whoever names no service reads it');
    const nobody = await newPassport(own, { aud: [] });
    assert.equal(await refusal(nobody.token, { service_id: 'github' }), 'wrong_audience');
    await revoke(own, payload.jti);
    assert.equal(await refusal(token, { service_id: 'gitlab' }), 'revoked');
  });

  it('accepts identity claims that an earlier release signed, which name no holder', async () => {
    const claim = {
      claim_id: 'idc_01K0000000000000000000000A',
      provider: 'eid',
      layer: 'person',
      claim_type: 'name',
      assurance_level: 'L2',
      verified_at: 1_700_000_000,
      expires_at: null,
      humanity_verified: false,
    };
    const { token } = await newPassport(own, { svcns: { identity_claims: [claim] } });
    assert.deepEqual((await verify(token)).claims?.identity_claims, [claim]);
  });

  it('shows for each authority binding whether it is active, and stays valid', async () => {
    const ref = {
      binding_id: 'bnd_01K0000000000000000000000A',
      binding_version: 1,
      binding_claim_id: 'pc_01K0000000000000000000000A',
      binding_digest: `sha256:${'0'.repeat(64)}`,
      receiver_id: 'receiver',
      receiver_profile_version_id: 'v1',
      expires_at: 4_000_000_000,
    };
    const { token } = await newPassport(own, { svcns: { authority_refs: [ref] } });
    const verdict = await verify(token);
    assert.equal(verdict.valid, true);
    assert.deepEqual(verdict.authority_refs, [{ ...ref, active: false }], 'a binding nobody has is not active');
  });

  it('applies every revocation that was acknowledged before the call, in many parallel calls too', async () => {
    const passports = await Promise.all(Array.from({ length: 24 }, () => newPassport(own)));
    const outcomes = await Promise.all(
      passports.map(async ({ token, payload }, at) => {
        const early = verify(token);
        if (at % 2 === 0) await revoke(own, payload.jti);
        const late = await verify(token);
        await early;
        return late.valid;
      }),
    );
    assert.deepEqual(
      outcomes,
      passports.map((_, at) => at % 2 === 1),
    );
  });

  it('gathers parallel calls into few queries, and gives each its own answer', async () => {
    const passports = await Promise.all(
      Array.from({ length: 40 }, (_, at) => newPassport(own, at % 3 === 0 ? { revoked: 'itself' } : {})),
    );
    const verdicts = await Promise.all(passports.map(({ token }) => verify(token)));
    for (const [at, { payload }] of passports.entries()) {
      const verdict = verdicts[at];
      assert.equal(verdict?.valid ? verdict.jti : verdict?.reason, at % 3 === 0 ? 'revoked' : payload.jti);
    }
  });

  it('may be called by a page of any origin', async () => {
    const preflightHeaders = {
      origin: 'https://elsewhere.example',
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'content-type',
    };
    const preflight = await fetch(`${service().baseUrl}${PATH}`, { method: 'OPTIONS', headers: preflightHeaders });
    assert.equal(preflight.headers.get('access-control-allow-origin'), '*');
    assert.match(preflight.headers.get('access-control-allow-methods') ?? '', /POST/);
    assert.match(preflight.headers.get('access-control-allow-headers') ?? '', /content-type/);
    const refused = await anonymous().post(PATH, {}, { origin: 'https://elsewhere.example' });
    assertProblem(refused, 'VALIDATION_ERROR', 'token');
    assert.equal(refused.headers.get('access-control-allow-origin'), '*', 'a page may read why it was refused');
  });

  it('logs no token', async () => {
    const { token } = await newPassport(own);
    await verify(token);
    await own.anonymous.post(PATH, { token, wrong: token });
    for (const part of token.split('.').slice(1)) assert(!own.logged().includes(part));
  });
});

describe(`POST ${PATH} of a passport with an authority binding`, () => {
  it('shows whether the binding still counts, and is valid either way', async () => {
    const holder = await openHolder();
    const keyed = (jwk: object) => holder.as.patch(`/v1/agents/${holder.agentId}`, { public_jwk: jwk });
    assertStatus(await keyed(publicJwk), 200);
    const terms = {
      agent_id: holder.agentId,
      receiver_id: 'bank.example',
      receiver_profile_version_id: 'v1',
      expires_at: inSeconds(3_600),
    };
    const { id } = await made(holder.as.post('/v1/authority-bindings', terms));
    const { token } = await issue(holder, { authority_binding_ids: [id] });
    const states: [boolean, boolean][] = [];
    const look = async (): Promise<void> => {
      const verdict = assertStatus(
        await anonymous().post<{ valid: boolean; authority_refs: { binding_id: string; active: boolean }[] }>(PATH, {
          token,
        }),
        200,
      );
      assert.deepEqual(
        verdict.authority_refs.map(({ binding_id }) => binding_id),
        [id],
      );
      states.push([verdict.valid, verdict.authority_refs[0]?.active === true]);
    };
    await look();
    assertStatus(await keyed(otherJwk), 200);
    await look();
    assertStatus(await keyed(publicJwk), 200);
    await look();
    assertStatus(await holder.as.post(`/v1/authority-bindings/${id}/revoke`), 200);
    await look();
    assert.deepEqual(states, [
      [true, true],
      [true, false],
      [true, true],
      [true, false],
    ]);
  });
});
