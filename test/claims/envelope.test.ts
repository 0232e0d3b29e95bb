import assert from 'node:assert/strict';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import type { Claim } from '../../src/claims/schema/claim.ts';
import { buildOperator, type TestOperator } from '../support/factories.ts';
import { assertProblem, assertStatus } from '../support/service.ts';
import { digestOf, envelopeOf } from './support.ts';

describe('POST /v1/claims, the envelope', () => {
  let operator: TestOperator;
  let published: ValidateFunction;
  const ajv = new Ajv2020({ strict: false });
  before(async () => {
    operator = await buildOperator();
    published = ajv.compile((await operator.get('/v1/claims/schemas/envelope')).body);
  });

  const receipt = { registry: 'r', registered_at: 1, registry_entry_uri: null, proof: null, witnesses: null };
  const proof = { format: 'svc-merkle-v1', bytes: 'b', log_index: null, tree_size: 1, root_hash: 'h' };
  const witness = { registry: 'r', registry_entry_uri: 'u', proof_bytes: 'p' };
  const coSignature = { signer_kid: 'k', signer_role: 'agent_self', cose_sign1: 'c' };

  const refused: [string, unknown[]][] = [
    ['envelope_version', [undefined, null, 0, 2, '1']],
    ['issuer', [undefined, null, 1, '', 'op_', 'operator_1', 'op_ä', 'op_1 ']],
    [
      'subject',
      [undefined, null, 1, '', 'agent/ag_1', 'carnet:/agent/ag_1', 'Carnet://agent/ag_1', 'carnet://Agent/ag_1'],
    ],
    [
      'subject',
      ['carnet://agent/', 'carnet://agent', 'carnet://agent/a.b', 'carnet://agent/a/b', 'carnet://agent/a/b/c/d'],
    ],
    ['subject', ['carnet://agent/a/b/', '://agent/a', '1x://agent/a', `carnet://agent/${'a'.repeat(1_986)}`]],
    ['issued_at', [undefined, null, 1.5, '1', 2 ** 53]],
    ['claim_type', [undefined, null, 1, '', 'mission ', 'Mission', 'toString', '__proto__']],
    ['claim_version', [undefined, null, 0, -1, 1.5, '1']],
    ['receipt', [undefined, [], 'r']],
    ['co_signatures', [null, {}, 'c']],
    ['surprise', [1]],
    [
      'receipt.registry',
      [
        { ...receipt, registry: undefined },
        { ...receipt, registry: null },
      ],
    ],
    [
      'receipt.registered_at',
      [
        { ...receipt, registered_at: undefined },
        { ...receipt, registered_at: 1.5 },
      ],
    ],
    [
      'receipt.registry_entry_uri',
      [
        { ...receipt, registry_entry_uri: undefined },
        { ...receipt, registry_entry_uri: 1 },
      ],
    ],
    [
      'receipt.proof',
      [
        { ...receipt, proof: undefined },
        { ...receipt, proof: [] },
      ],
    ],
    [
      'receipt.witnesses',
      [
        { ...receipt, witnesses: undefined },
        { ...receipt, witnesses: {} },
      ],
    ],
    ['receipt.surprise', [{ ...receipt, surprise: 1 }]],
    ['receipt.proof.format', [{ ...receipt, proof: { ...proof, format: 'c2sp' } }]],
    ['receipt.proof.bytes', [{ ...receipt, proof: { ...proof, bytes: null } }]],
    ['receipt.proof.log_index', [{ ...receipt, proof: { ...proof, log_index: undefined } }]],
    ['receipt.proof.tree_size', [{ ...receipt, proof: { ...proof, tree_size: 0.5 } }]],
    ['receipt.proof.root_hash', [{ ...receipt, proof: { ...proof, root_hash: undefined } }]],
    ['receipt.proof.surprise', [{ ...receipt, proof: { ...proof, surprise: 1 } }]],
    ['receipt.witnesses.0.registry', [{ ...receipt, witnesses: [{ ...witness, registry: undefined }] }]],
    [
      'receipt.witnesses.0.registry_entry_uri',
      [
        { ...receipt, witnesses: [{ ...witness, registry_entry_uri: null }] },
        { ...receipt, witnesses: [{ ...witness, registry_entry_uri: undefined }] },
      ],
    ],
    ['receipt.witnesses.0.proof_bytes', [{ ...receipt, witnesses: [{ ...witness, proof_bytes: undefined }] }]],
    ['receipt.witnesses.0.surprise', [{ ...receipt, witnesses: [{ ...witness, surprise: 1 }] }]],
    ['co_signatures.0.signer_kid', [[{ ...coSignature, signer_kid: '' }], [{ ...coSignature, signer_kid: undefined }]]],
    ['co_signatures.0.signer_role', [[{ ...coSignature, signer_role: 'notary' }]]],
    ['co_signatures.0.cose_sign1', [[{ ...coSignature, cose_sign1: '' }]]],
    ['co_signatures.1.surprise', [[coSignature, { ...coSignature, surprise: 1 }]]],
  ];
  for (const [path, values] of refused) {
    it(`is refused for a fault at ${path}`, async () => {
      const [member = ''] = path.split('.');
      for (const value of values) {
        const envelope = envelopeOf(operator, { [member]: value });
        assertProblem(await operator.post('/v1/claims', envelope), 'VALIDATION_ERROR', path);
        const sent = JSON.parse(JSON.stringify(envelope)) as unknown;
        assert(!published(sent), `the published schema takes ${JSON.stringify(sent)}`);
      }
    });
  }

  it('is accepted in every allowed form', async () => {
    const taken: Record<string, unknown>[] = [
      { subject: 'urn+x.1-y://a/_-0/b/c' },
      { subject: `carnet://agent/${'a'.repeat(1_985)}` },
      { issued_at: 0 },
      { issued_at: -1 },
      { issued_at: Number.MAX_SAFE_INTEGER },
      { issued_at: Number.MIN_SAFE_INTEGER },
      { claim_version: 2 },
      { claim_version: Number.MAX_SAFE_INTEGER },
      { receipt },
      { receipt: { ...receipt, proof, witnesses: [witness, { ...witness, proof_bytes: null }] } },
      { receipt: { ...receipt, witnesses: [] } },
      { co_signatures: [] },
      { co_signatures: [coSignature, { ...coSignature, signer_role: 'operator_attestation' }] },
    ];
    for (const [index, overrides] of taken.entries()) {
      const envelope = envelopeOf(operator, { payload: { index }, ...overrides });
      const claim = assertStatus(await operator.post<Claim>('/v1/claims', envelope), 201);
      assert.deepEqual(claim.envelope, envelope);
      assert.equal(claim.digest, digestOf(envelope));
      assert(published(envelope), ajv.errorsText(published.errors));
    }
  });

  it('names every fault in one answer', async () => {
    const reply = await operator.post(
      '/v1/claims',
      envelopeOf(operator, {
        claim_type: 'detector_signal',
        payload: { type: 'detector_signal', extra: 1 },
        issued_at: 'now',
      }),
    );
    for (const path of ['issued_at', 'payload.severity', 'payload.detected_at', 'payload.extra']) {
      assertProblem(reply, 'VALIDATION_ERROR', path);
    }
  });
});
