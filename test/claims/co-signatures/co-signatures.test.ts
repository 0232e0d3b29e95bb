import assert from 'node:assert/strict';
import { createHash, generateKeyPairSync, type KeyObject } from 'node:crypto';
import canonicalize from 'canonicalize';
import { addCoSignature } from '../../../src/claims/co-signatures/add-co-signature.ts';
import { verifyBundle } from '../../../scripts/verify/checks.ts';
import { parseJson } from '../../../scripts/verify/json.ts';
import { parseVerifierKey } from '../../../scripts/verify/keys.ts';
import type { Bundle } from '../../../src/claims/log/schema.ts';
import type { Claim, Verification } from '../../../src/claims/schema/claim.ts';
import { sql } from '../../../src/database/pool.ts';
import { serviceCaller } from '../../../src/commands/caller.ts';
import { z } from 'zod';
import {
  buildAgent,
  buildAgentKey,
  buildInvocation,
  buildOperator,
  buildSkill,
  type TestOperator,
} from '../../support/factories.ts';
import { anonymous, assertProblem, assertStatus, database, platform, type Requester } from '../../support/service.ts';
import { callOf, ownContext } from '../../invocations/own-context.ts';
import { recordClaims } from '../log/support.ts';
import { WITNESS } from '../../support/witnesses.ts';
import { envelopeOf, placed, signal } from '../support.ts';
import { coSign, jwkOf, kidOf, raw, type Members } from './support.ts';

type Kept = {
  signer_kid: string;
  verified: boolean;
  public_jwk: unknown;
  verified_at: string | null;
  warnings: string[];
  created_at: string;
};

const truncated = (text: string): string => Buffer.from(text, 'base64url').subarray(0, -4).toString('base64url');

const newKey = (): KeyObject => generateKeyPairSync('ed25519').privateKey;

describe('co-signatures', () => {
  let operator: TestOperator;
  let key: KeyObject;
  before(async () => {
    operator = await buildOperator();
    key = newKey();
    assertStatus(await operator.patch('/v1/operators/me', { public_jwks: [jwkOf(key)] }), 200);
  });

  const submitWith = (envelope: Members, ...coSignatures: unknown[]) =>
    operator.post<Claim>('/v1/claims', { ...envelope, co_signatures: coSignatures });
  const add = (id: string, coSignature: unknown, as: Requester = operator) =>
    as.post<Kept>(`/v1/claims/${id}/co-signatures`, coSignature);
  const recorded = async (overrides: Members = {}): Promise<{ id: string; envelope: Members }> => {
    const envelope = envelopeOf(operator, overrides);
    return { id: assertStatus(await operator.post<Claim>('/v1/claims', envelope), 201).id, envelope };
  };
  const exists = async (envelope: Members): Promise<boolean> =>
    (await database()).exists(sql.type(z.object({}))`
      select 1 from claims where issuer = ${operator.operatorId} and issued_at_ms = ${Number(envelope.issued_at) * 1_000}`);

  describe('POST /v1/claims', () => {
    it('verifies what a known key signed, keeps what an unknown one signed, and reads both back', async () => {
      const envelope = envelopeOf(operator);
      const stranger = newKey();
      const claim = assertStatus(await submitWith(envelope, coSign(envelope, key), coSign(envelope, stranger)), 201);
      assert.deepEqual(
        claim.co_signatures.map(({ created_at: at, verified_at: verifiedAt, ...kept }) => ({
          ...kept,
          verified_at: verifiedAt === at ? 'created_at' : verifiedAt,
        })),
        [
          { ...coSign(envelope, key), verified: true, public_jwk: jwkOf(key), verified_at: 'created_at', warnings: [] },
          {
            ...coSign(envelope, stranger),
            verified: false,
            public_jwk: null,
            verified_at: null,
            warnings: [
              'No operator has a key with this thumbprint. Register the key, then send the same co-signature again.',
            ],
          },
        ],
      );
      assert.deepEqual((await operator.get<Claim>(`/v1/claims/${claim.id}`)).body.co_signatures, claim.co_signatures);
      const { claims } = (await operator.get<{ claims: Claim[] }>('/v1/claims?limit=1')).body;
      assert.deepEqual(claims[0]?.co_signatures, claim.co_signatures);
    });

    it('takes base64 with padding as well, and the algorithm named Ed25519', async () => {
      const envelope = envelopeOf(operator);
      const url = coSign(envelope, key, { alg: -19 });
      const padded = Buffer.from(url.cose_sign1, 'base64url').toString('base64');
      const claim = assertStatus(await submitWith(envelope, { ...url, cose_sign1: padded }), 201);
      assert.deepEqual(
        claim.co_signatures.map(({ verified, cose_sign1: kept }) => [verified, kept]),
        [[true, padded]],
      );
    });

    it('refuses what a known key did not sign so, names its place, and records nothing', async () => {
      const wrong: [string, (envelope: Members) => unknown, RegExp][] = [
        ['other bytes', () => coSign(envelopeOf(operator), key), /does not verify/],
        [
          'bytes with the receipt',
          (envelope) => coSign(envelope, key, { payload: Buffer.from(JSON.stringify(envelope)) }),
          /does not verify/,
        ],
        ['another algorithm', (envelope) => coSign(envelope, key, { alg: -7 }), /alg -8/],
        ['an algorithm that is a text', (envelope) => coSign(envelope, key, { alg: 'EdDSA' }), /alg -8/],
        ['crit', (envelope) => coSign(envelope, key, { crit: true }), /crit/],
        ['another kid', (envelope) => coSign(envelope, key, { kid: kidOf(newKey()) }), /another kid/],
        [
          'the key of somebody else',
          (envelope) => ({ ...coSign(envelope, newKey(), { kid: kidOf(key) }), signer_kid: kidOf(key) }),
          /does not verify/,
        ],
        [
          'truncated CBOR',
          (envelope) => ({ ...coSign(envelope, key), cose_sign1: truncated(coSign(envelope, key).cose_sign1) }),
          /is not CBOR that is read here .*: write definite lengths/,
        ],
        ['no CBOR', (envelope) => ({ ...coSign(envelope, key), cose_sign1: 'AAAA' }), /CBOR|COSE_Sign1/],
        ['no base64', (envelope) => ({ ...coSign(envelope, key), cose_sign1: '***' }), /base64url/],
      ];
      for (const [name, make, why] of wrong) {
        const envelope = envelopeOf(operator);
        const reply = await submitWith(envelope, coSign(envelope, key), make(envelope));
        assertProblem(reply, 'INVALID_CO_SIGNATURE', 'co_signatures.1.cose_sign1');
        assert.match(reply.text, why, name);
        assert.equal(await exists(envelope), false, name);
      }
    });

    it('says what is signed too much, where the envelope was signed as it is submitted', async () => {
      for (const more of [{}, { co_signatures: [] }]) {
        const envelope = { ...envelopeOf(operator), ...more };
        const whole = Buffer.from(canonicalize(envelope) ?? '');
        const reply = await submitWith(envelope, coSign(envelope, key, { payload: whole }));
        assertProblem(reply, 'INVALID_CO_SIGNATURE', 'co_signatures.0.cose_sign1');
        assert.match(
          reply.text,
          /does not verify: it is over the envelope with `receipt` or `co_signatures`, which are/,
        );
      }
    });

    it('refuses an attached payload of an unknown key too, and keeps bytes where no key can be named', async () => {
      const envelope = envelopeOf(operator, { payload: { secret: 'plan' } });
      const attached = coSign(envelope, newKey(), { attached: true });
      const padded = Buffer.from(attached.cose_sign1, 'base64url').toString('base64');
      for (const one of [attached, { ...attached, cose_sign1: padded }, { ...attached, signer_kid: 'any' }]) {
        const reply = await submitWith(envelope, one);
        assertProblem(reply, 'INVALID_CO_SIGNATURE', 'co_signatures.0.cose_sign1');
        assert.match(reply.text, /must be detached/);
      }
      assert.equal(await exists(envelope), false);
      const unreadable = ['AAAA', '***'].map((message) => ({ ...attached, signer_kid: 'any', cose_sign1: message }));
      const { id } = assertStatus(await submitWith(envelope, ...unreadable), 201);
      assertProblem(await add(id, attached), 'INVALID_CO_SIGNATURE', 'cose_sign1');
    });

    it('holds one whose key may come later to the profile, and says what to write', async () => {
      const envelope = envelopeOf(operator);
      const kid = kidOf(newKey());
      const broken: [string, RegExp][] = [
        ['***', /is not base64url without padding, nor base64 with it/],
        ['AAAA', /not CBOR that is read here|not a COSE_Sign1/],
        [coSign(envelope, newKey()).cose_sign1, /has another kid than .*; write that one, or none/],
        [raw(envelope, key, { protectedHex: 'a2012706fb3ff8000000000000' }), /floating point .*no floats/],
        [raw(envelope, key, { protectedHex: 'a10127', unprotectedHex: 'a10127' }), /header parameter 1 twice/],
        [raw(envelope, key, { protectedHex: 'a20127020a' }), /crit, .*leave it out/],
      ];
      for (const [message, why] of broken) {
        const one = { signer_kid: kid, signer_role: 'operator_attestation', cose_sign1: message };
        const reply = await submitWith(envelope, one);
        assertProblem(reply, 'INVALID_CO_SIGNATURE', 'co_signatures.0.cose_sign1');
        assert.match(reply.text, why);
      }
      assert.equal(await exists(envelope), false);
    });

    it('takes what honest signers write: no kid, tagged dates, keys in any order', async () => {
      const kid = `582b${Buffer.from(kidOf(key)).toString('hex')}`;
      for (const protectedHex of [
        'a10127',
        `a204${kid}0127`,
        'a201270fa106c11a6553f100',
        'a20127195000c249010000000000000000',
      ]) {
        const envelope = envelopeOf(operator);
        const message = raw(envelope, key, { protectedHex });
        const one = { signer_kid: kidOf(key), signer_role: 'operator_attestation', cose_sign1: message };
        const claim = assertStatus(await submitWith(envelope, one), 201);
        assert.deepEqual(
          claim.co_signatures.map(({ verified }) => verified),
          [true],
          protectedHex,
        );
      }
    });

    it('takes 64 of them and 8 KiB each, and no more', async () => {
      const envelope = envelopeOf(operator);
      const frame = Buffer.from(coSign(envelope, key, { padding: 1_000 }).cose_sign1, 'base64url').length - 1_000;
      const largest = coSign(envelope, key, { padding: 8 * 1_024 - frame });
      assert.equal(Buffer.from(largest.cose_sign1, 'base64url').length, 8_192);
      const tooLarge = coSign(envelope, key, { padding: 8 * 1_024 - frame + 1 });
      assertProblem(await submitWith(envelope, tooLarge), 'VALIDATION_ERROR', 'co_signatures.0.cose_sign1');
      assertProblem(
        await submitWith(envelope, { ...largest, signer_kid: 'k'.repeat(8_193) }),
        'VALIDATION_ERROR',
        'co_signatures.0.signer_kid',
      );
      const unknown = Array.from({ length: 64 }, (_, at) => ({
        ...coSign(envelope, key),
        signer_kid: `unknown-${at}`,
      }));
      assertProblem(await submitWith(envelope, ...unknown, largest), 'VALIDATION_ERROR', 'co_signatures');
      const claim = assertStatus(await submitWith(envelope, largest, ...unknown.slice(1)), 201);
      assert.equal(claim.co_signatures.length, 64);
      assert.equal(claim.co_signatures[0]?.verified, true);
      assertProblem(await add(claim.id, coSign(envelope, newKey())), 'INVALID_STATE');
      assert.equal(assertStatus(await add(claim.id, largest), 200).verified, true, 'one that it has is no 65th');
    });

    it('keeps a repeated one once', async () => {
      const envelope = envelopeOf(operator);
      const claim = assertStatus(await submitWith(envelope, coSign(envelope, key), coSign(envelope, key)), 201);
      assert.equal(claim.co_signatures.length, 1);
    });

    describe('of a claim that is recorded already', () => {
      it('adds those that it lacks, and answers with all', async () => {
        const envelope = envelopeOf(operator);
        const [early, stranger] = [newKey(), newKey()];
        const { id } = assertStatus(await submitWith(envelope, coSign(envelope, early)), 201);
        const sent = [coSign(envelope, early), coSign(envelope, key), coSign(envelope, stranger)];
        const again = assertStatus(await submitWith(envelope, ...sent), 200);
        assert.deepEqual(
          [again.id, again.co_signatures.map(({ signer_kid: kid, verified }) => [kid, verified])],
          [
            id,
            [
              [kidOf(early), false],
              [kidOf(key), true],
              [kidOf(stranger), false],
            ],
          ],
        );
        const { co_signatures: kept } = assertStatus(await submitWith(envelope, ...sent), 200);
        assert.deepEqual(kept, again.co_signatures, 'once more adds nothing');
        assert.deepEqual((await operator.get<Claim>(`/v1/claims/${id}`)).body.co_signatures, again.co_signatures);
      });

      it('verifies one whose key is known by now', async () => {
        const [signer, late] = [await buildOperator(), newKey()];
        const envelope = envelopeOf(operator);
        assertStatus(await submitWith(envelope, coSign(envelope, late)), 201);
        assertStatus(await signer.patch('/v1/operators/me', { public_jwks: [jwkOf(late)] }), 200);
        const again = assertStatus(await submitWith(envelope, coSign(envelope, late)), 200);
        assert.deepEqual(
          again.co_signatures.map(({ verified }) => verified),
          [true],
        );
      });

      it('takes all or none: what is wrong with one is refused with its place', async () => {
        const { id, envelope } = await recorded();
        const reply = await submitWith(envelope, coSign(envelope, key), coSign(envelopeOf(operator), key));
        assertProblem(reply, 'INVALID_CO_SIGNATURE', 'co_signatures.1.cose_sign1');
        assert.deepEqual((await operator.get<Claim>(`/v1/claims/${id}`)).body.co_signatures, []);
      });

      it('refuses what it has no place for', async () => {
        const envelope = envelopeOf(operator);
        const unknown = Array.from({ length: 64 }, (_, at) => ({ ...coSign(envelope, key), signer_kid: `k-${at}` }));
        assertStatus(await submitWith(envelope, ...unknown), 201);
        assert.equal(assertStatus(await submitWith(envelope, ...unknown), 200).co_signatures.length, 64);
        assertProblem(await submitWith(envelope, coSign(envelope, key)), 'INVALID_STATE');
      });

      it('answers a repeated Idempotency-Key with what it was', async () => {
        const { envelope } = await recorded();
        const body = { ...envelope, co_signatures: [coSign(envelope, key)] };
        const headers = { 'idempotency-key': `again-${String(envelope.issued_at)}` };
        const first = assertStatus(await operator.post<Claim>('/v1/claims', body, headers), 200);
        assert.deepEqual(assertStatus(await operator.post<Claim>('/v1/claims', body, headers), 200), first);
        assert.equal(first.co_signatures.length, 1);
      });
    });

    it('answers a repeated Idempotency-Key with those that it had then', async () => {
      const envelope = envelopeOf(operator);
      const body = { ...envelope, co_signatures: [coSign(envelope, key)] };
      const headers = { 'idempotency-key': `co-signed-${operator.operatorId}` };
      const first = assertStatus(await operator.post<Claim>('/v1/claims', body, headers), 201);
      assertStatus(await add(first.id, coSign(envelope, newKey())), 201);
      assert.deepEqual(assertStatus(await operator.post<Claim>('/v1/claims', body, headers), 201), first);
    });
  });

  describe('by role', () => {
    it('agent_self is the agent that the claim names, and no other agent', async () => {
      const [own, other] = [newKey(), newKey()];
      const agent = await buildAgent(operator, { public_jwk: jwkOf(own) });
      await buildAgent(operator, { public_jwk: jwkOf(other) });
      const envelope = envelopeOf(operator, { claim_type: 'detector_signal', payload: signal({ agent_id: agent.id }) });
      const role = { role: 'agent_self' };
      const claim = assertStatus(
        await submitWith(envelope, coSign(envelope, own, role), coSign(envelope, other, role), coSign(envelope, own)),
        201,
      );
      assert.deepEqual(
        claim.co_signatures.map(({ verified }) => verified),
        [true, false, false],
      );
    });

    it('agent_self of a claim that names no agent is any active agent of its issuer', async () => {
      const [own, retired, foreign] = [newKey(), newKey(), newKey()];
      await buildAgent(operator, { public_jwk: jwkOf(own) });
      const gone = await buildAgent(operator, { public_jwk: jwkOf(retired) });
      assertStatus(await operator.patch(`/v1/agents/${gone.id}`, { status: 'disabled' }), 200);
      await buildAgent(await buildOperator(), { public_jwk: jwkOf(foreign) });
      const envelope = envelopeOf(operator);
      const claim = assertStatus(
        await submitWith(
          envelope,
          ...[own, retired, foreign].map((one) => coSign(envelope, one, { role: 'agent_self' })),
        ),
        201,
      );
      assert.deepEqual(
        claim.co_signatures.map(({ verified }) => verified),
        [true, false, false],
      );
    });

    it('operator_attestation is any operator that is not suspended', async () => {
      const [partner, suspended] = [await buildOperator(), await buildOperator()];
      const [theirs, gone] = [newKey(), newKey()];
      assertStatus(await partner.patch('/v1/operators/me', { public_jwks: [jwkOf(theirs)] }), 200);
      assertStatus(await suspended.patch('/v1/operators/me', { public_jwks: [jwkOf(gone)] }), 200);
      assertStatus(await platform().patch(`/v1/admin/operators/${suspended.operatorId}`, { status: 'suspended' }), 200);
      const envelope = envelopeOf(operator);
      const claim = assertStatus(await submitWith(envelope, coSign(envelope, theirs), coSign(envelope, gone)), 201);
      assert.deepEqual(
        claim.co_signatures.map(({ verified }) => verified),
        [true, false],
      );
    });

    it('witness is a key of WITNESS_KEYS', async () => {
      const envelope = envelopeOf(operator);
      const role = { role: 'witness' };
      const claim = assertStatus(
        await submitWith(envelope, coSign(envelope, WITNESS.ed25519, role), coSign(envelope, key, role)),
        201,
      );
      assert.deepEqual(
        claim.co_signatures.map(({ verified }) => verified),
        [true, false],
      );
      const other = envelopeOf(operator);
      assertProblem(await submitWith(other, coSign(envelope, WITNESS.ed25519, role)), 'INVALID_CO_SIGNATURE');
    });
  });

  describe('of a key that is not known says why', () => {
    const why = async (envelope: Members, coSignature: unknown): Promise<string[]> =>
      assertStatus(await submitWith(envelope, coSignature), 201).co_signatures.flatMap(({ warnings }) => warnings);

    it('for each role, and names the role in which the key is known', async () => {
      const [own, stranger] = [newKey(), newKey()];
      const agent = await buildAgent(operator, { public_jwk: jwkOf(own) });
      const named = () =>
        envelopeOf(operator, { claim_type: 'detector_signal', payload: signal({ agent_id: agent.id }) });
      const cases: [Members, KeyObject, string, RegExp][] = [
        [
          envelopeOf(operator),
          own,
          'operator_attestation',
          /^No operator .* It is one of the role agent_self; send it/,
        ],
        [named(), own, 'witness', /^No witness .* It is one of the role agent_self;/],
        [named(), key, 'agent_self', /^The agent that the claim names .* It is one of the role operator_attestation;/],
        [envelopeOf(operator), stranger, 'agent_self', /^No active agent of the issuer .* Register the key, then send/],
        [envelopeOf(operator), stranger, 'witness', /^No witness .* thumbprint\.$/],
      ];
      for (const [envelope, signer, role, expected] of cases) {
        const [warning = '', ...others] = await why(envelope, coSign(envelope, signer, { role }));
        assert.match(warning, expected);
        assert.deepEqual(others, []);
      }
      const envelope = envelopeOf(operator);
      assert.match(
        (await why(envelope, { ...coSign(envelope, stranger), signer_kid: 'key-1' })).join(''),
        /^signer_kid is not the RFC 7638 thumbprint/,
      );
    });

    it('in the answer of one that is added later, too', async () => {
      const { id, envelope } = await recorded();
      const { warnings } = assertStatus(await add(id, coSign(envelope, newKey())), 201);
      assert.match(warnings.join(), /^No operator has a key with this thumbprint\./);
    });
  });

  describe('sent again when its key is known', () => {
    let signer: TestOperator;
    let late: KeyObject;
    beforeEach(async () => {
      signer = await buildOperator();
      late = newKey();
    });
    const register = async (): Promise<void> =>
      void assertStatus(await signer.patch('/v1/operators/me', { public_jwks: [jwkOf(late)] }), 200);

    it('is verified, once and for ever', async () => {
      const { id, envelope } = await recorded();
      const before = assertStatus(await add(id, coSign(envelope, late)), 201);
      assert.deepEqual(assertStatus(await add(id, coSign(envelope, late)), 200), before, 'its key is not known yet');
      await register();
      const after = assertStatus(await add(id, coSign(envelope, late)), 200);
      assert.deepEqual([after.verified, after.public_jwk, after.warnings], [true, jwkOf(late), []]);
      assert.equal(after.created_at, before.created_at);
      assert.ok((after.verified_at ?? '') > before.created_at, 'the time says when it was verified');
      assert.deepEqual((await operator.get<Claim>(`/v1/claims/${id}`)).body.co_signatures, [after]);
      assertStatus(await signer.patch('/v1/operators/me', { public_jwks: [] }), 200);
      assert.deepEqual(assertStatus(await add(id, coSign(envelope, late)), 200), after);
    });

    it('is refused where that key did not sign it, and stays as it was', async () => {
      const { id } = await recorded();
      const wrong = coSign(envelopeOf(operator), late);
      const before = assertStatus(await add(id, wrong), 201);
      await register();
      assertProblem(await add(id, wrong), 'INVALID_CO_SIGNATURE', 'cose_sign1');
      assert.deepEqual((await operator.get<Claim>(`/v1/claims/${id}`)).body.co_signatures, [before]);
    });

    it('is the only change that the database lets through', async () => {
      const { id, envelope } = await recorded();
      assertStatus(await add(id, coSign(envelope, key)), 201);
      assertStatus(await add(id, coSign(envelope, late)), 201);
      const pool = await database();
      const verifying = sql.fragment`public_jwk = '{}', verified_at = now(), unverified_reason = null`;
      for (const [change, of] of [
        [sql.fragment`public_jwk = null, verified_at = null, unverified_reason = 'x'`, kidOf(key)],
        [sql.fragment`public_jwk = '{}'`, kidOf(key)],
        [sql.fragment`unverified_reason = 'x'`, kidOf(late)],
        [sql.fragment`cose_sign1 = 'x', ${verifying}`, kidOf(late)],
      ] as const) {
        await assert.rejects(
          pool.query(
            sql.unsafe`update claim_co_signatures set ${change} where claim_id = ${id} and signer_kid = ${of}`,
          ),
          /append-only/,
        );
      }
      await assert.rejects(
        pool.query(sql.unsafe`delete from claim_co_signatures where claim_id = ${id}`),
        /append-only/,
      );
    });
  });

  describe('POST /v1/claims/:id/co-signatures', () => {
    it('requires authentication', async () => {
      const { id, envelope } = await recorded();
      assertProblem(await anonymous().post(`/v1/claims/${id}/co-signatures`, coSign(envelope, key)), 'UNAUTHENTICATED');
    });

    it('answers 201 with what is kept, and changes neither digest nor envelope of the claim', async () => {
      const { id, envelope } = await recorded();
      const before = (await operator.get<Claim>(`/v1/claims/${id}`)).body;
      const reply = await add(id, coSign(envelope, key));
      const kept = assertStatus(reply, 201);
      assert.equal(reply.headers.get('location'), `/v1/claims/${id}`);
      assert.deepEqual([kept.verified, kept.public_jwk], [true, jwkOf(key)]);
      const after = (await operator.get<Claim>(`/v1/claims/${id}`)).body;
      assert.deepEqual(after.co_signatures, [kept]);
      assert.deepEqual([after.digest, after.envelope], [before.digest, before.envelope]);
    });

    it('answers 200 for one that is there already', async () => {
      const { id, envelope } = await recorded();
      const first = assertStatus(await add(id, coSign(envelope, key)), 201);
      assert.deepEqual(assertStatus(await add(id, coSign(envelope, key)), 200), first);
    });

    it('covers the envelope as it was submitted, with its co-signatures and its receipt left out', async () => {
      const envelope = envelopeOf(operator);
      const claim = assertStatus(await submitWith(envelope, coSign(envelope, newKey())), 201);
      assert.equal(assertStatus(await add(claim.id, coSign(envelope, key)), 201).verified, true);
    });

    it('refuses what a known key did not sign, what is too large, and unknown claims', async () => {
      const { id, envelope } = await recorded();
      assertProblem(await add(id, coSign(envelopeOf(operator), key)), 'INVALID_CO_SIGNATURE', 'cose_sign1');
      assertProblem(await add(id, coSign(envelope, key, { padding: 8_192 })), 'VALIDATION_ERROR', 'cose_sign1');
      assertProblem(await add(id, { ...coSign(envelope, key), more: 1 }), 'VALIDATION_ERROR', 'more');
      assertProblem(
        await add(id, { ...coSign(envelope, key), signer_role: 'friend' }),
        'VALIDATION_ERROR',
        'signer_role',
      );
      assertProblem(await add('pc_00000000000000000000000000', coSign(envelope, key)), 'NOT_FOUND');
    });

    it('is for those who read the claim in full: an agent of the issuer, not another operator', async () => {
      const { id, envelope } = await recorded();
      const stranger = await buildOperator();
      assertProblem(await add(id, coSign(envelope, key), stranger), 'NOT_OWNER');
      const agent = await buildAgent(operator);
      const asAgent = await buildAgentKey(operator, agent.id);
      assertStatus(await asAgent.post(`/v1/claims/${id}/co-signatures`, coSign(envelope, key)), 201);
    });

    it('takes none of an unknown key from an agent of the issuer, whose key would fill the places', async () => {
      const { id } = await recorded();
      const agent = await buildAgentKey(operator, (await buildAgent(operator)).id);
      const unknown = { signer_kid: 'nobody', signer_role: 'operator_attestation', cose_sign1: 'x' };
      assertProblem(await add(id, unknown, agent), 'INVALID_CO_SIGNATURE');
      assertStatus(await add(id, unknown), 201);
    });

    it('takes those of unknown keys from the issuer alone, and one of a known key and role from other readers', async () => {
      const { id } = await buildInvocation(operator, (await buildSkill(operator)).id);
      const { claims } = (await operator.get<{ claims: Claim[] }>(`/v1/claims?subject=carnet://invocation/${id}`)).body;
      const claim = claims[0] ?? assert.fail('the invocation has a claim');
      const { envelope } = claim;
      assertProblem(await add(claim.id, coSign(envelope, newKey())), 'INVALID_CO_SIGNATURE', 'cose_sign1');
      assertProblem(
        await add(claim.id, { signer_kid: 'k', signer_role: 'witness', cose_sign1: 'c' }),
        'INVALID_CO_SIGNATURE',
        'cose_sign1',
      );
      const first = assertStatus(await add(claim.id, coSign(envelope, key)), 201);
      assert.deepEqual(assertStatus(await add(claim.id, coSign(envelope, key, { padding: 9 })), 200), first);
      const asPlatform = (coSignature: unknown, to = claim.id) =>
        platform().post<Kept>(`/v1/claims/${to}/co-signatures`, coSignature);
      assert.equal(assertStatus(await asPlatform(coSign(envelope, newKey())), 201).verified, false);
      const { id: own, envelope: theirs } = await recorded();
      assertProblem(await asPlatform(coSign(theirs, newKey()), own), 'INVALID_CO_SIGNATURE', 'cose_sign1');
      assertStatus(await asPlatform(coSign(theirs, key), own), 201);
    });

    it('gives a reader who is not the issuer 16 places, no matter which keys their operator names one after the other', async () => {
      const provider = await buildOperator();
      const { id } = await buildInvocation(operator, (await buildSkill(provider)).id);
      const { claims } = (await operator.get<{ claims: Claim[] }>(`/v1/claims?subject=carnet://invocation/${id}`)).body;
      const claim = claims[0] ?? assert.fail('the invocation has a claim');
      const greedy = await buildAgentKey(provider, (await buildAgent(provider)).id);
      const replies: number[] = [];
      for (const keys of [0, 1].map(() => Array.from({ length: 10 }, newKey))) {
        assertStatus(await provider.patch('/v1/operators/me', { public_jwks: keys.map(jwkOf) }), 200);
        for (const [at, one] of keys.entries()) {
          const reply = await add(claim.id, coSign(claim.envelope, one), at % 2 === 0 ? provider : greedy);
          replies.push(reply.status);
          if (reply.status === 409) assert.match(reply.text, /has added 16 co-signatures .* its share of 64/);
        }
      }
      assert.deepEqual(replies, [...Array.from({ length: 16 }, () => 201), 409, 409, 409, 409]);
      assertStatus(await add(claim.id, coSign(claim.envelope, key)), 201);
      assertStatus(await add(claim.id, coSign(claim.envelope, newKey()), platform()), 201);
    });

    it('keeps 64 of a hundred that arrive together', async () => {
      const { id, envelope } = await recorded();
      const replies = await Promise.all(
        Array.from({ length: 100 }, (_, at) => add(id, { ...coSign(envelope, key), signer_kid: `unknown-${at}` })),
      );
      assert.deepEqual(
        [201, 409].map((code) => replies.filter(({ status }) => status === code).length),
        [64, 36],
      );
      assert.equal((await operator.get<Claim>(`/v1/claims/${id}`)).body.co_signatures.length, 64);
    });
  });

  it('are not taken for a claim whose payload was erased: nobody has the signed bytes any more', async () => {
    const own = await ownContext();
    try {
      const { context } = own;
      const [id = ''] = await recordClaims(context, 1);
      const call = { ...callOf('op_platform', 'addClaimCoSignature'), caller: serviceCaller };
      const coSignature = { signer_kid: 'k', signer_role: 'witness', cose_sign1: 'c' } as const;
      const addTo = (claimId: string) => addCoSignature(context, call, { claimId, coSignature });
      await context.pool.transaction(async (connection) => {
        await connection.query(sql.unsafe`set local session_replication_role = replica`);
        await connection.query(
          sql.unsafe`update claims set envelope = (envelope::jsonb - 'payload')::text where id = ${id}`,
        );
      });
      await assert.rejects(addTo(id), { code: 'INVALID_STATE' });
      const [other = ''] = await recordClaims(context, 1);
      assert.equal((await addTo(other)).status, 201);
    } finally {
      await own.close();
    }
  });

  /** By which the same one is known when it is sent again. */
  const rowDigestOf = (kid: string, message: string): string =>
    createHash('sha256')
      .update(JSON.stringify(['operator_attestation', kid, message]))
      .digest('hex');

  describe('that was changed in the database', () => {
    for (const [what, change] of [
      ['its message, which nobody can read any more', sql.fragment`cose_sign1 = 'AAAA'`],
      [
        'its message, which can be read',
        sql.fragment`cose_sign1 = overlay(cose_sign1 placing 'AAAA' from length(cose_sign1) - 10)`,
      ],
      ['its role', sql.fragment`signer_role = 'witness'`],
      ['its key', sql.fragment`public_jwk = ${JSON.stringify(jwkOf(newKey()))}::jsonb`],
    ] as const)
      it(`is told as changed, and not as of an older release: ${what}`, async () => {
        const { id, envelope } = await recorded();
        const coSignature = coSign(envelope, key);
        assertStatus(await add(id, coSignature), 201);
        await placed(operator, id);
        await (
          await database()
        ).transaction(async (connection) => {
          await connection.query(sql.unsafe`set local session_replication_role = replica`);
          await connection.query(sql.unsafe`update claim_co_signatures set ${change} where claim_id = ${id}`);
        });
        const CHANGED = /^This co-signature was changed in the database: .* The platform restores it/;
        const [shown] = (await operator.get<Claim>(`/v1/claims/${id}`)).body.co_signatures;
        assert.deepEqual([shown?.verified, shown?.public_jwk, shown?.verified_at], [false, null, null]);
        assert.match(shown?.warnings.join() ?? '', CHANGED);
        const { body: verdict } = await operator.post<Verification>('/v1/claims/verify', { claim_id: id });
        const [judged] = verdict.checks.co_signatures;
        assert.deepEqual([verdict.valid, judged?.verified], [true, false]);
        assert.match(judged?.warnings.join() ?? '', CHANGED);
        const again = assertStatus(await add(id, coSignature), 200);
        assert.match(again.warnings.join(), CHANGED, 'sent again it is what stands there');
      });
  });

  describe('that a row says was verified', () => {
    const byHand = async (statement: ReturnType<typeof sql.unsafe>): Promise<void> => {
      await (
        await database()
      ).transaction(async (connection) => {
        await connection.query(sql.unsafe`set local session_replication_role = replica`);
        await connection.query(statement);
      });
    };
    const assertNotVerified = async (id: string, why: RegExp): Promise<void> => {
      await placed(operator, id);
      const { body: claim } = await operator.get<Claim>(`/v1/claims/${id}`);
      const { body: bundle } = await operator.get<Bundle>(`/v1/claims/${id}/bundle`);
      const { body: verdict } = await operator.post<Verification>('/v1/claims/verify', { claim_id: id });
      for (const list of [claim.co_signatures, bundle.co_signatures, verdict.checks.co_signatures])
        assert.equal(list[0]?.verified, false);
      assert.match(claim.co_signatures[0]?.warnings.join() ?? '', why);
    };

    it('is not called so where it is over another claim', async () => {
      const [one, other] = [await recorded(), await recorded()];
      assertStatus(await add(one.id, coSign(one.envelope, key)), 201);
      await byHand(sql.unsafe`
        insert into claim_co_signatures (claim_id, digest, signer_kid, signer_role, cose_sign1, public_jwk, verified_at, added_by)
        select ${other.id}, digest, signer_kid, signer_role, cose_sign1, public_jwk, verified_at, added_by
        from claim_co_signatures where claim_id = ${one.id}`);
      await assertNotVerified(other.id, /does not hold any more: it .*verif/);
      assertStatus(await add(other.id, coSign(other.envelope, key)), 201);
    });

    it('is not called so where a key was put beside one that nobody verified', async () => {
      const stranger = newKey();
      const { id, envelope } = await recorded();
      assertStatus(await add(id, coSign({ ...envelope, issuer: 'op_another' }, stranger)), 201);
      await byHand(sql.unsafe`
        update claim_co_signatures set public_jwk = ${JSON.stringify(jwkOf(stranger))}::jsonb, verified_at = clock_timestamp(), unverified_reason = null
        where claim_id = ${id}`);
      await assertNotVerified(id, /does not hold any more: it .*verif/);
    });

    it('is not called so where its key is said to be of another kind', async () => {
      for (const [member, value] of [
        ['kty', 'RSA'],
        ['crv', 'X25519'],
      ] as const) {
        const { id, envelope } = await recorded();
        assertStatus(await add(id, coSign(envelope, key)), 201);
        await byHand(sql.unsafe`
          update claim_co_signatures set public_jwk = public_jwk || jsonb_build_object(${member}::text, ${value}::text) where claim_id = ${id}`);
        await assertNotVerified(id, /^This co-signature was changed in the database/);
      }
    });
  });

  describe('that an older release verified and nobody can read', () => {
    /** As it stands in a database of that release. */
    const insertOld = async (id: string, message: string): Promise<void> => {
      await (
        await database()
      ).query(sql.unsafe`
        insert into claim_co_signatures (claim_id, digest, signer_kid, signer_role, cose_sign1, public_jwk, verified_at, added_by)
        values (${id}, ${rowDigestOf(kidOf(key), message)}, ${kidOf(key)}, 'operator_attestation', ${message},
          ${JSON.stringify(jwkOf(key))}::jsonb, clock_timestamp(), ${operator.operatorId})`);
    };

    it('is shown as not readable, spoils no bundle, and leaves its place to one that can be read', async () => {
      const { id, envelope } = await recorded();
      await insertOld(id, raw(envelope, key, { protectedHex: 'a2012706fb3ff8000000000000' }));
      await placed(operator, id);
      const [old] = (await operator.get<Claim>(`/v1/claims/${id}`)).body.co_signatures;
      assert.deepEqual([old?.verified, old?.public_jwk], [false, null]);
      assert.match(old?.warnings.join() ?? '', /taken by an older release and cannot be read: .*floating point/);
      const { body: verdict } = await operator.post<Verification>('/v1/claims/verify', { claim_id: id });
      assert.deepEqual([verdict.valid, verdict.checks.co_signatures.map(({ verified }) => verified)], [true, [false]]);
      const bundle = assertStatus(await operator.get(`/v1/claims/${id}/bundle`), 200);
      const vkey = (await anonymous().get('/log/vkey')).text.trim();
      const trust = { logs: [parseVerifierKey(vkey)], policy: null, older: null, consistency: null };
      assert.equal(verifyBundle(parseJson(JSON.stringify(bundle)), trust).status, 'verified');
      assert.equal(assertStatus(await add(id, coSign(envelope, key)), 201).verified, true);
      const after = (await operator.get<Claim>(`/v1/claims/${id}`)).body.co_signatures;
      assert.deepEqual(
        after.map(({ verified }) => verified),
        [false, true],
      );
    });
  });

  it('stay verified when the key is removed later', async () => {
    const signer = await buildOperator();
    const [old, next] = [newKey(), newKey()];
    assertStatus(await signer.patch('/v1/operators/me', { public_jwks: [jwkOf(old)] }), 200);
    const { id, envelope } = await recorded();
    assertStatus(await add(id, coSign(envelope, old)), 201);
    assertStatus(await signer.patch('/v1/operators/me', { public_jwks: [jwkOf(next)] }), 200);
    const [kept] = (await operator.get<Claim>(`/v1/claims/${id}`)).body.co_signatures;
    assert.deepEqual([kept?.verified, kept?.public_jwk], [true, jwkOf(old)]);
    const { id: later, envelope: other } = await recorded();
    assert.equal(assertStatus(await add(later, coSign(other, old)), 201).verified, false, 'a removed key is unknown');
  });
});

describe('PATCH /v1/operators/me {public_jwks}', () => {
  let operator: TestOperator;
  before(async () => {
    operator = await buildOperator();
  });
  const patch = (jwks: unknown) =>
    operator.patch<{ public_jwks: { x: string }[] }>('/v1/operators/me', { public_jwks: jwks });

  it('replaces all keys, repeated ones once, and leaves them where they are not named', async () => {
    const [a, b] = [jwkOf(newKey()), { ...jwkOf(newKey()), alg: 'EdDSA', use: 'sig' }];
    const byX = (jwks: { x: string }[]) => jwks.toSorted((left, right) => (left.x < right.x ? -1 : 1));
    assert.deepEqual(byX(assertStatus(await patch([a, b]), 200).public_jwks), byX([a, b]));
    assert.equal(
      assertStatus(await operator.patch<{ public_jwks: unknown[] }>('/v1/operators/me', { name: 'Other' }), 200)
        .public_jwks.length,
      2,
    );
    assert.deepEqual(assertStatus(await patch([b, b]), 200).public_jwks, [b]);
    assert.deepEqual((await operator.get('/v1/operators/me')).body.public_jwks, [b]);
    assert.deepEqual(assertStatus(await patch([]), 200).public_jwks, []);
  });

  it('refuses private keys, other curves, points of small order and more than ten', async () => {
    const { x } = jwkOf(newKey());
    assertProblem(await patch([newKey().export({ format: 'jwk' })]), 'VALIDATION_ERROR', 'public_jwks.0.d');
    assertProblem(await patch([{ kty: 'EC', crv: 'P-256', x }]), 'VALIDATION_ERROR');
    const one = Buffer.alloc(32);
    one[0] = 1;
    assertProblem(
      await patch([{ kty: 'OKP', crv: 'Ed25519', x: one.toString('base64url') }]),
      'VALIDATION_ERROR',
      'public_jwks.0.x',
    );
    assertProblem(await patch(Array.from({ length: 11 }, () => jwkOf(newKey()))), 'VALIDATION_ERROR', 'public_jwks');
  });
});
