import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { decode, encode } from 'cbor2';
import { parseJson } from '../../scripts/verify/json.ts';
import { parseVerifierKey } from '../../scripts/verify/keys.ts';
import { verifyBundle } from '../../scripts/verify/checks.ts';
import { appendBatch, publishLog } from '../../src/claims/log/append.ts';
import { bundleOf } from '../../src/claims/log/bundle.ts';
import { readLoggedClaim } from '../../src/claims/log/read-receipt.ts';
import { receiptOf } from '../../src/claims/log/receipts.ts';
import type { Bundle } from '../../src/claims/log/schema.ts';
import { findClaim } from '../../src/claims/queries.ts';
import type { Claim, Verification } from '../../src/claims/schema/claim.ts';
import { verifyClaim } from '../../src/claims/verify-claim.ts';
import { serviceCaller } from '../../src/commands/caller.ts';
import { sql } from '../../src/database/pool.ts';
import { buildOperator, type TestOperator } from '../support/factories.ts';
import { signIn } from '../support/people.ts';
import { anonymous, assertProblem, assertStatus } from '../support/service.ts';
import { coSign, jwkOf } from './co-signatures/support.ts';
import { rootOf as treeRootOf } from './log/rfc9162.ts';
import { leafOf, ownLog, recordClaims } from './log/support.ts';
import { digestOf, envelopeOf, signal, submitAndPlace } from './support.ts';

interface Receipt {
  registry: string;
  registered_at: number;
  registry_entry_uri: string | null;
  proof: {
    format: string;
    bytes: string;
    log_index: number | null;
    tree_size: number | null;
    root_hash: string | null;
  };
  witnesses: null;
}

const fine = { schema: true, digest: true, receipt: true, inclusion: true, co_signatures: [], revocation: true };

describe('POST /v1/claims/verify', () => {
  let operator: TestOperator;
  let claim: Claim;
  let receipt: Receipt;
  before(async () => {
    operator = await buildOperator();
    // So that its proof has hashes.
    await submitAndPlace(operator);
    claim = await submitAndPlace(operator, {
      claim_type: 'detector_signal',
      payload: signal({ metadata: { any: [1] } }),
    });
    // So that the tree of its receipt is not the only one.
    await submitAndPlace(operator);
    receipt = claim.receipt as unknown as Receipt;
  });

  const verify = async (body: unknown, reader = operator): Promise<Verification> =>
    assertStatus(await reader.post<Verification>('/v1/claims/verify', body), 200);
  const codesOf = ({ errors }: Verification): string[] => errors.map(({ code }) => code);

  it('requires authentication', async () => {
    assertProblem(await anonymous().post('/v1/claims/verify', { claim_id: 'pc_1' }), 'UNAUTHENTICATED');
  });

  it('takes an envelope or an id, and not both', async () => {
    for (const body of [{}, { envelope: {}, claim_id: 'pc_1' }, { envelope: null, claim_id: 'pc_1' }]) {
      assertProblem(await operator.post('/v1/claims/verify', body), 'VALIDATION_ERROR', 'body');
    }
    assertProblem(await operator.post('/v1/claims/verify', { claim_id: '' }), 'VALIDATION_ERROR', 'claim_id');
    assertProblem(await operator.post('/v1/claims/verify', { claim: 'pc_1' }), 'VALIDATION_ERROR', 'claim');
  });

  it('finds a logged claim valid: by id, as it was submitted, and with its receipt', async () => {
    const valid = {
      status: 'valid',
      valid: true,
      claim_id: claim.id,
      digest: claim.digest,
      checks: fine,
      erased_at: null,
      errors: [],
    };
    assert.deepEqual(await verify({ claim_id: claim.id }), valid);
    assert.deepEqual(await verify({ envelope: claim.envelope }), valid);
    assert.deepEqual(await verify({ envelope: { ...claim.envelope, receipt } }), valid);
    assert.deepEqual(await verify({ envelope: claim.envelope }, await buildOperator()), valid);
  });

  it('takes its COSE receipt, and a proof in a later tree', async () => {
    const { cose_receipt: bytes } = assertStatus(
      await operator.get<{ cose_receipt: string }>(`/v1/claims/${claim.id}/bundle`),
      200,
    );
    const cose = { ...receipt, proof: { ...receipt.proof, format: 'scitt-cose-receipt', bytes } };
    assert.deepEqual((await verify({ envelope: { ...claim.envelope, receipt: cose } })).checks, fine);
    const later = assertStatus(
      await operator.get<{ log_index: number; tree_size: number; root_hash: string; hashes: string[] }>(
        `/v1/log/proofs/inclusion?claim_id=${claim.id}`,
      ),
      200,
    );
    assert.notEqual(later.tree_size, receipt.proof.tree_size);
    const hashes = later.hashes.map((hash) => new Uint8Array(Buffer.from(hash, 'hex')));
    const proof = {
      format: 'svc-merkle-v1',
      bytes: Buffer.from(encode([later.tree_size, later.log_index, hashes], { cde: true })).toString('base64url'),
      log_index: later.log_index,
      tree_size: later.tree_size,
      root_hash: later.root_hash,
    };
    const envelope = { ...claim.envelope, receipt: { ...receipt, proof } };
    assert.deepEqual((await verify({ envelope })).checks, fine);
  });

  it('knows what was recorded and has no place yet from what never was', async () => {
    const own = await ownLog();
    try {
      const [id = ''] = await recordClaims(own.context, 1);
      const row = (await findClaim(own.context.pool, id)) ?? assert.fail();
      for (const body of [{ claim_id: id }, { envelope: row.envelope }]) {
        const { valid, checks, errors } = await verifyClaim(own.context, serviceCaller, body);
        assert.equal(valid, false);
        assert.deepEqual([checks.schema, checks.digest, checks.receipt, checks.inclusion], [true, true, null, null]);
        assert.equal(errors[0]?.code, 'NOT_LOGGED');
      }
    } finally {
      await own.close();
    }
    const never = envelopeOf(operator, { payload: { never: 'submitted' } });
    assert.deepEqual(await verify({ envelope: never }), {
      status: 'invalid',
      valid: false,
      claim_id: null,
      digest: digestOf(never),
      checks: { schema: true, digest: false, receipt: null, inclusion: null, co_signatures: [], revocation: null },
      erased_at: null,
      errors: [{ code: 'NOT_LOGGED', path: null, message: 'No claim with these signed bytes is recorded here.' }],
    });
    const unknown = await verify({ claim_id: 'pc_01K9ZC4T0M3Q8V6W2X5Y7ZABCD' });
    assert.deepEqual([unknown.valid, unknown.claim_id, codesOf(unknown)], [false, null, ['NOT_LOGGED']]);
  });

  it('computes the inclusion against the root that was signed, no matter what the rows of the tree are now', async () => {
    const own = await ownLog();
    try {
      const { context } = own;
      const [id = ''] = await recordClaims(context, 1);
      assert.equal(await appendBatch(context), 1);
      await publishLog(context);
      assert.equal((await verifyClaim(context, serviceCaller, { claim_id: id })).valid, true);
      const row = (await findClaim(context.pool, id)) ?? assert.fail();
      const forged = { ...row.envelope, subject: 'carnet://agent/ag_forged' };
      // The only leaf is the root: claim and tree agree after this, and the checkpoint has the root of before.
      await context.pool.transaction(async (connection) => {
        await connection.query(sql.unsafe`set local session_replication_role = replica`);
        await connection.query(sql.unsafe`
          update claims set envelope = ${JSON.stringify(forged)}, digest = ${digestOf(forged)} where id = ${id}`);
        await connection.query(sql.unsafe`update log_nodes set hash = ${sql.binary(leafOf(forged))} where level = 0`);
      });
      const { valid, checks, errors } = await verifyClaim(context, serviceCaller, { claim_id: id });
      assert.deepEqual([valid, checks.digest, checks.inclusion], [false, true, false]);
      assert(errors.some(({ code }) => code === 'NOT_INCLUDED'));
    } finally {
      await own.close();
    }
  });

  it('takes no receipt of a root that was not signed, and the service gives out no proof of one', async () => {
    const own = await ownLog();
    try {
      const { context } = own;
      const [id = '', other = ''] = await recordClaims(context, 2);
      assert.equal(await appendBatch(context), 2);
      await publishLog(context);
      const { logged: before } = await readLoggedClaim(context, other);
      const row = (await findClaim(context.pool, id)) ?? assert.fail();
      const forged = { ...row.envelope, subject: 'carnet://agent/ag_forged' };
      const leaves = [leafOf(forged), before?.inclusion.leafHash ?? assert.fail()];
      await context.pool.transaction(async (connection) => {
        await connection.query(sql.unsafe`set local session_replication_role = replica`);
        await connection.query(sql.unsafe`
          update claims set envelope = ${JSON.stringify(forged)}, digest = ${digestOf(forged)} where id = ${id}`);
        for (const [level, hash] of [leaves[0], treeRootOf(leaves)].entries()) {
          await connection.query(sql.unsafe`
            update log_nodes set hash = ${sql.binary(hash ?? assert.fail())} where level = ${level} and index = 0`);
        }
        await connection.query(sql.unsafe`update claim_log set root_hash = ${sql.binary(treeRootOf(leaves))}`);
      });
      const { receipt: presented } = (await receiptOf(context.pool, id)) ?? assert.fail();
      for (const envelope of [forged, { ...forged, receipt: presented }]) {
        const { valid, checks } = await verifyClaim(context, serviceCaller, { envelope });
        assert.deepEqual([valid, checks.receipt, checks.inclusion], [false, false, false]);
      }
      // The log would sign the forged root.
      for (const named of [id, other]) {
        await assert.rejects(readLoggedClaim(context, named), /does not lead to the root that was signed/);
        await assert.rejects(bundleOf(context, serviceCaller, named), /does not lead to the root that was signed/);
      }
    } finally {
      await own.close();
    }
  });

  it('gives out no bundle of an envelope that was changed in the database, as if its payload had been erased', async () => {
    const own = await ownLog();
    try {
      const { context } = own;
      const [id = ''] = await recordClaims(context, 1);
      assert.equal(await appendBatch(context), 1);
      await publishLog(context);
      assert.notEqual(await bundleOf(context, serviceCaller, id), null);
      await context.pool.transaction(async (connection) => {
        await connection.query(sql.unsafe`set local session_replication_role = replica`);
        await connection.query(
          sql.unsafe`update claims set envelope = replace(envelope, 'ag_1', 'ag_2') where id = ${id}`,
        );
      });
      await assert.rejects(bundleOf(context, serviceCaller, id), /is not the one that stands in the log/);
    } finally {
      await own.close();
    }
  });

  it('takes what could be submitted, however deep it is', async () => {
    const nested = (levels: number): unknown => JSON.parse(`${'['.repeat(levels)}${']'.repeat(levels)}`);
    const deepest = await submitAndPlace(operator, { payload: nested(63) });
    assertProblem(await operator.post('/v1/claims', envelopeOf(operator, { payload: nested(64) })), 'VALIDATION_ERROR');
    assert.equal((await verify({ envelope: deepest.envelope })).valid, true);
    const bundle = assertStatus(await operator.get<Bundle>(`/v1/claims/${deepest.id}/bundle`), 200);
    const trust = { logs: [parseVerifierKey(bundle.log.vkey)], policy: null, older: null, consistency: null };
    assert.equal(verifyBundle(parseJson(JSON.stringify(bundle)), trust).status, 'verified');
    assertProblem(await operator.post('/v1/claims/verify', { envelope: nested(65) }), 'VALIDATION_ERROR');
  });

  it('answers 200 for anything that is no claim, and names its faults', async () => {
    for (const [envelope, path] of [
      [null, 'envelope'],
      ['text', 'envelope'],
      [[], 'envelope'],
      [{}, 'envelope.claim_type'],
      [{ ...claim.envelope, surprise: 1 }, 'envelope.surprise'],
      [{ ...claim.envelope, payload: { ...signal(), severity: 'fatal' } }, 'envelope.payload.severity'],
      [envelopeOf(operator, { payload: 'x'.repeat(65_535) }), 'envelope.payload'],
      [
        { ...claim.envelope, receipt: { ...receipt, proof: { ...receipt.proof, bytes: 1 } } },
        'envelope.receipt.proof.bytes',
      ],
    ] as const) {
      const { valid, checks, errors } = await verify({ envelope });
      assert.deepEqual([valid, checks.schema], [false, false], path);
      assert(
        errors.some((error) => error.code === 'INVALID_SCHEMA' && error.path === path),
        JSON.stringify(errors),
      );
    }
  });

  it('finds each changed byte of what was signed', async () => {
    const changes: Record<string, unknown>[] = [
      { issued_at: Number(claim.envelope.issued_at) + 1 },
      { subject: 'carnet://agent/ag_2' },
      { claim_version: 2 },
      { issuer: 'op_platform' },
      { payload: { ...(claim.envelope.payload as object), severity: 'low' } },
    ];
    for (const change of changes) {
      const found = await verify({ envelope: { ...claim.envelope, ...change, receipt } });
      assert.deepEqual([found.valid, found.checks.digest, codesOf(found)], [false, false, ['NOT_LOGGED']]);
    }
  });

  describe('a forged receipt', () => {
    const parts = (): [number, number, Uint8Array[]] => decode(new Uint8Array(raw())) as [number, number, Uint8Array[]];
    const asBytes = (value: unknown): string => Buffer.from(encode(value, { cde: true })).toString('base64url');
    const proofOf = (overrides: object): Receipt => ({ ...receipt, proof: { ...receipt.proof, ...overrides } });
    const raw = (): Buffer => Buffer.from(receipt.proof.bytes, 'base64url');

    const beside = /^It shows another log_index, tree_size or root_hash than stand beside it\.$/;
    const noProof = /^An inclusion proof is CBOR of \[tree_size, leaf_index, \[hashes of 32 bytes\]\]\.$/;
    const noCbor = /^An inclusion proof is deterministic CBOR/;
    const noBase64url = /^It has bytes that are not base64url without padding\.$/;
    const bare = { log_index: null, tree_size: null, root_hash: null };
    const zeros = (count: number): Uint8Array[] => Array.from({ length: count }, () => new Uint8Array(32));

    const forged: [string, () => unknown, RegExp][] = [
      [
        'a time that is another',
        () => ({ ...receipt, registered_at: receipt.registered_at - 1 }),
        /^registered_at is not what this log says\.$/,
      ],
      [
        'an address that is another',
        () => ({ ...receipt, registry_entry_uri: 'https://example.com/v1/claims/pc_1' }),
        /^registry_entry_uri is not what this log says\.$/,
      ],
      [
        'no address',
        () => ({ ...receipt, registry_entry_uri: null }),
        /^registry_entry_uri is not what this log says\.$/,
      ],
      ['no proof', () => ({ ...receipt, proof: null }), /^A receipt of this log has a proof\.$/],
      ['no witnesses in a list', () => ({ ...receipt, witnesses: [] }), /^A receipt of this log names no witnesses\.$/],
      [
        'a witness',
        () => ({
          ...receipt,
          witnesses: [{ registry: 'rekor.example', registry_entry_uri: 'https://rekor.example/1', proof_bytes: null }],
        }),
        /^A receipt of this log names no witnesses\.$/,
      ],
      ['another index beside it', () => proofOf({ log_index: Number(receipt.proof.log_index) + 1 }), beside],
      ['another size beside it', () => proofOf({ tree_size: Number(receipt.proof.tree_size) + 1 }), beside],
      ['another root beside it', () => proofOf({ root_hash: 'a0'.repeat(32) }), beside],
      [
        'another index within',
        () => proofOf({ ...bare, bytes: asBytes([parts()[0], parts()[1] - 1, parts()[2]]) }),
        /^It is of another place in the log\.$|hashes than the tree is high/,
      ],
      [
        'a size that is not there',
        () => proofOf({ ...bare, bytes: asBytes([2 ** 40, parts()[1], zeros(40)]) }),
        /^It is of a tree that this log has not published/,
      ],
      [
        'a hash changed',
        () =>
          proofOf({
            ...bare,
            bytes: asBytes([parts()[0], parts()[1], parts()[2].map((hash) => hash.map((byte) => byte ^ 1))]),
          }),
        /^Its proof does not lead from this claim to the root/,
      ],
      [
        'a hash too many',
        () => proofOf({ bytes: asBytes([parts()[0], parts()[1], [...parts()[2], ...zeros(1)]]) }),
        /^The inclusion proof has more hashes than the tree is high\.$/,
      ],
      [
        'a hash too few',
        () => proofOf({ bytes: asBytes([parts()[0], parts()[1], parts()[2].slice(1)]) }),
        /^The inclusion proof has fewer hashes than the tree is high\.$/,
      ],
      ['a short hash', () => proofOf({ bytes: asBytes([parts()[0], parts()[1], [new Uint8Array(31)]]) }), noProof],
      ['a list of other things', () => proofOf({ bytes: asBytes([1, 2, 3, 4]) }), noProof],
      ['a text for the size', () => proofOf({ bytes: asBytes([String(parts()[0]), parts()[1], parts()[2]]) }), noProof],
      ['no CBOR', () => proofOf({ bytes: 'AAAA' }), noCbor],
      ['nothing', () => proofOf({ bytes: '' }), noCbor],
      ['truncated CBOR', () => proofOf({ bytes: raw().subarray(0, -1).toString('base64url') }), noCbor],
      [
        'more behind its CBOR',
        () => proofOf({ bytes: Buffer.concat([raw(), Buffer.of(0)]).toString('base64url') }),
        noCbor,
      ],
      ['padding', () => proofOf({ bytes: `${receipt.proof.bytes}==` }), noBase64url],
      ['no base64url', () => proofOf({ bytes: '!' }), noBase64url],
      [
        'the format of another log',
        () => proofOf({ format: 'rekor-v2-tle' }),
        /^A proof of the format rekor-v2-tle is not read here\.$/,
      ],
      ['the bytes of the other format', () => proofOf({ format: 'scitt-cose-receipt' }), /^It .*COSE_Sign1/],
    ];
    for (const [name, make, message] of forged) {
      it(`with ${name} is found out`, async () => {
        const { valid, checks, errors } = await verify({ envelope: { ...claim.envelope, receipt: make() } });
        assert.deepEqual([valid, checks.receipt, checks.inclusion], [false, false, true]);
        assert.deepEqual(
          errors.map(({ code, path }) => [code, path]),
          [['INVALID_RECEIPT', 'envelope.receipt']],
        );
        assert.match(errors[0]?.message ?? '', message);
      });
    }

    it('is not decoded where it is longer than any proof', async () => {
      const maps = Buffer.concat([Buffer.from('9a0007a120', 'hex'), Buffer.alloc(500_000, 0xa0)]).toString('base64url');
      const { valid, errors } = await verify({ envelope: { ...claim.envelope, receipt: proofOf({ bytes: maps }) } });
      assert.deepEqual([valid, errors[0]?.message], [false, 'An inclusion proof has at most 2 KiB.']);
    });

    it('that is rebuilt from its parts is the receipt itself, so that each forgery above is one change', async () => {
      const proof = proofOf({ bytes: asBytes(parts()) });
      assert.deepEqual(proof, receipt);
      assert(parts()[2].length > 0, 'the proof has hashes');
    });

    it('that is of another claim is found out, in both formats', async () => {
      const other = await submitAndPlace(operator);
      assert.notEqual(other.receipt, null);
      const { cose_receipt: bytes } = assertStatus(
        await operator.get<{ cose_receipt: string }>(`/v1/claims/${other.id}/bundle`),
        200,
      );
      const proofs = [
        (other.receipt as unknown as Receipt).proof,
        { format: 'scitt-cose-receipt', bytes, log_index: null, tree_size: null, root_hash: null },
      ];
      for (const proof of proofs) {
        const { valid, checks } = await verify({ envelope: { ...claim.envelope, receipt: { ...receipt, proof } } });
        assert.deepEqual([valid, checks.receipt], [false, false]);
      }
    });

    it('of a registry whose key is not known here is left open', async () => {
      const foreign = { ...receipt, registry: 'https://log.example.com' };
      const { valid, checks } = await verify({ envelope: { ...claim.envelope, receipt: foreign } });
      assert.deepEqual([valid, checks.receipt, checks.inclusion], [true, null, true]);
    });
  });

  it('finds a revoked claim invalid, and an erased one neither valid nor invalid', async () => {
    const revoked = await submitAndPlace(operator);
    assertStatus(await operator.post(`/v1/claims/${revoked.id}/revoke`), 200);
    const found = await verify({ claim_id: revoked.id });
    assert.deepEqual([found.valid, found.checks.revocation, codesOf(found)], [false, false, ['REVOKED']]);

    const { id, envelope } = await submitAndPlace(operator, { payload: { secret: 1 } });
    assertStatus(await (await signIn(operator.email)).post(`/v1/claims/${id}/erase`), 200);
    const erased = await verify({ claim_id: id });
    assert.deepEqual([erased.status, erased.valid, erased.errors], ['erased', false, []]);
    assert.deepEqual(erased.checks, { ...fine, schema: null, digest: null });
    assert.notEqual(erased.erased_at, null);
    const held = await verify({ envelope });
    assert.deepEqual(
      [held.status, held.valid, held.checks],
      ['valid', true, fine],
      'who holds the claim can still show it',
    );
    const { payload: _payload, ...rest } = envelope;
    assert.deepEqual(codesOf(await verify({ envelope: rest })), ['NOT_LOGGED']);
    assertStatus(await operator.post(`/v1/claims/${id}/revoke`), 200);
    assert.equal((await verify({ claim_id: id })).status, 'invalid');
  });

  describe('co-signatures that come with an envelope', () => {
    const key = generateKeyPairSync('ed25519').privateKey;
    let signer: TestOperator;
    let signed: Claim;
    before(async () => {
      signer = await buildOperator();
      assertStatus(await signer.patch('/v1/operators/me', { public_jwks: [jwkOf(key)] }), 200);
      signed = await submitAndPlace(signer);
    });
    const withSigner = (coSignature: object) =>
      verify({ envelope: { ...signed.envelope, co_signatures: [coSignature] } }, signer);

    it('are verified by the keys that are known', async () => {
      const coSignature = coSign(signed.envelope, key);
      const { valid, checks } = await withSigner(coSignature);
      const { cose_sign1: _message, ...shown } = coSignature;
      assert.deepEqual([valid, checks.co_signatures], [true, [{ ...shown, verified: true, warnings: [] }]]);
    });

    it('of an unknown key leave it valid', async () => {
      const unknown = coSign(signed.envelope, generateKeyPairSync('ed25519').privateKey);
      const { valid, checks } = await withSigner(unknown);
      assert.deepEqual([valid, checks.co_signatures.map(({ verified }) => verified)], [true, [false]]);
    });

    const forged: [string, Parameters<typeof coSign>[2], RegExp][] = [
      ['of other bytes', { payload: Buffer.from('{}') }, /does not verify/],
      ['with another algorithm', { alg: -7 }, /alg -8/],
      ['without an algorithm that is a number', { alg: 'none' }, /alg -8/],
      ['with crit', { crit: true }, /crit/],
      ['with another kid inside', { kid: 'somebody' }, /another kid/],
      ['of more than 8 KiB', { padding: 8_192 }, /at most 8 KiB/],
    ];
    for (const [name, change, why] of forged) {
      it(`${name} are found out, and do not decide the claim`, async () => {
        const { valid, checks, errors } = await withSigner(coSign(signed.envelope, key, change));
        assert.deepEqual([valid, errors], [true, []]);
        const [one = assert.fail('it is shown')] = checks.co_signatures;
        assert.equal(one.verified, false);
        assert.match(one.warnings.join(), why);
      });
    }

    it('are not added to an erased claim', async () => {
      const { id, envelope } = await submitAndPlace(signer, { payload: 1 });
      assertStatus(await (await signIn(signer.email)).post(`/v1/claims/${id}/erase`), 200);
      assertProblem(await signer.post(`/v1/claims/${id}/co-signatures`, coSign(envelope, key)), 'INVALID_STATE');
    });
  });

  it('shows the co-signers by id to its readers alone', async () => {
    const coSignatures = [{ signer_kid: 'unknown', signer_role: 'witness', cose_sign1: 'c2ln' }];
    const { id, envelope } = await submitAndPlace(operator, { co_signatures: coSignatures });
    const warnings = ['signer_kid is not the RFC 7638 thumbprint of a key: 43 characters of base64url.'];
    const shown = [{ signer_kid: 'unknown', signer_role: 'witness', verified: false, warnings }];
    for (const body of [{ claim_id: id }, { envelope }]) {
      const { valid, checks } = await verify(body);
      assert.deepEqual([valid, checks.co_signatures], [true, shown]);
    }
    assert.deepEqual((await verify({ claim_id: id }, await buildOperator())).checks.co_signatures, []);
  });
});
