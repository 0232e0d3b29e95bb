import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { signCoseReceipt } from '../../src/claims/log/cose-receipt.ts';
import type { Claim } from '../../src/claims/schema/claim.ts';
import { buildOperator, type TestOperator } from '../support/factories.ts';
import { assertProblem, assertStatus } from '../support/service.ts';
import { REGISTRY } from '../support/witnesses.ts';
import { signedBytesOf, type Members } from './co-signatures/support.ts';
import { leafHash, pathOf, rootOf } from './log/rfc9162.ts';
import { envelopeOf } from './support.ts';

/** The receipt of a registry whose log has this claim at place 2 of 5. */
function receiptFor(
  envelope: Members,
  {
    privateKey = REGISTRY.privateKey,
    proof = {},
    ...change
  }: Members & { proof?: Members | null; privateKey?: typeof REGISTRY.privateKey } = {},
): Members {
  const leaves = ['a', 'b', signedBytesOf(envelope), 'd', 'e'].map((entry) => leafHash(Buffer.from(entry)));
  const rootHash = rootOf(leaves);
  const bytes = signCoseReceipt({
    issuer: REGISTRY.name,
    subject: String(envelope.subject),
    kid: 'registry-1',
    privateKey,
    rootHash,
    inclusion: { treeSize: 5, logIndex: 2, hashes: pathOf(2, leaves) },
  });
  return {
    registry: REGISTRY.name,
    registered_at: 1_700_000_000,
    registry_entry_uri: null,
    proof: proof && {
      format: 'scitt-cose-receipt',
      bytes: bytes.toString('base64url'),
      log_index: 2,
      tree_size: 5,
      root_hash: rootHash.toString('hex'),
      ...proof,
    },
    witnesses: null,
    ...change,
  };
}

describe('the receipt of another registry', () => {
  let operator: TestOperator;
  before(async () => {
    operator = await buildOperator();
  });
  const submit = (make: (envelope: Members) => unknown) => {
    const envelope = envelopeOf(operator);
    return operator.post<Claim>('/v1/claims', { ...envelope, receipt: make(envelope) });
  };
  const outcome = async (make: (envelope: Members) => unknown): Promise<boolean | null> => {
    const { id, external_receipt_verified: verified } = assertStatus(await submit(make), 201);
    const read = assertStatus(await operator.get<Claim>(`/v1/claims/${id}`), 200);
    assert.equal(read.external_receipt_verified, verified);
    return verified;
  };

  it('verifies under the key that is configured for it', async () => {
    assert.equal(await outcome((envelope) => receiptFor(envelope)), true);
    const unsaid = { log_index: null, tree_size: null, root_hash: null };
    assert.equal(await outcome((envelope) => receiptFor(envelope, { proof: unsaid })), true);
    assert.equal(await outcome(() => null), null);
  });

  it('is kept unverified where no key is configured, or nothing in it is signed', async () => {
    assert.equal(await outcome((envelope) => receiptFor(envelope, { registry: 'https://other.example.com' })), false);
    assert.equal(await outcome((envelope) => receiptFor(envelope, { proof: { format: 'svc-merkle-v1' } })), false);
    assert.equal(
      await outcome((envelope) => receiptFor(envelope, { proof: { format: 'rekor-v2-tle', bytes: '' } })),
      false,
    );
    assert.equal(await outcome((envelope) => receiptFor(envelope, { proof: null })), false);
  });

  it('is refused where the key is configured and it does not verify', async () => {
    const { privateKey } = generateKeyPairSync('ed25519');
    const wrong: [(envelope: Members) => unknown, RegExp][] = [
      [(envelope) => receiptFor(envelope, { privateKey }), /does not verify/],
      [() => receiptFor(envelopeOf(operator)), /does not verify/],
      [(envelope) => receiptFor(envelope, { proof: { bytes: 'AAAA' } }), /CBOR|COSE_Sign1/],
      [
        (envelope) => {
          const { proof } = receiptFor(envelope) as { proof: { bytes: string } };
          return receiptFor(envelope, { proof: { bytes: `${proof.bytes}=` } });
        },
        /not base64url without padding/,
      ],
      [(envelope) => receiptFor(envelope, { proof: { log_index: 3 } }), /another log_index/],
      [(envelope) => receiptFor(envelope, { proof: { tree_size: 6 } }), /another log_index/],
      [(envelope) => receiptFor(envelope, { proof: { root_hash: '0'.repeat(64) } }), /another log_index/],
    ];
    for (const [make, why] of wrong) {
      const reply = await submit(make);
      assertProblem(reply, 'VALIDATION_ERROR', 'receipt.proof.bytes');
      assert.match(reply.text, why);
    }
    assert.doesNotMatch((await submit(() => receiptFor({}, { registry: 'unknown' }))).text, /invalid_receipt/);
  });
});
