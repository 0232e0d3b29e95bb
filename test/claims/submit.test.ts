import assert from 'node:assert/strict';
import { z } from 'zod';
import type { Claim } from '../../src/claims/schema/claim.ts';
import { CLAIM_TYPES, SHAPELESS_TYPES } from '../../src/claims/schema/payloads.ts';
import { sql } from '../../src/database/pool.ts';
import { buildAgent, buildAgentKey, buildMemberKey, buildOperator, type TestOperator } from '../support/factories.ts';
import { anonymous, assertProblem, assertStatus, database, platform } from '../support/service.ts';
import { digestOf, envelopeOf, intent, placed, signal, submit } from './support.ts';

const Count = z.object({ count: z.number() });

describe('POST /v1/claims', () => {
  let operator: TestOperator;
  before(async () => {
    operator = await buildOperator();
  });

  const post = (overrides: Record<string, unknown>) =>
    operator.post<Claim>('/v1/claims', envelopeOf(operator, overrides));
  const auditsOf = async (id: string): Promise<number> =>
    (await database()).oneFirst(sql.type(Count)`
      select count(*) from audit_events
      where target = ${id} and action = 'claim.submitted' and operator_id = ${operator.operatorId}`);

  it('requires authentication', async () => {
    assertProblem(await anonymous().post('/v1/claims', envelopeOf(operator)), 'UNAUTHENTICATED');
  });

  it('answers 201 with the claim as it was sent, its digest and what was left out of its payload', async () => {
    const envelope = envelopeOf(operator, { claim_type: 'detector_signal', payload: signal() });
    const reply = await operator.post<Claim>('/v1/claims', envelope);
    const { id, created_at: createdAt, ...claim } = assertStatus(reply, 201);
    assert.match(id, /^pc_[0-9A-HJKMNP-TV-Z]{26}$/);
    assert.equal(reply.headers.get('location'), `/v1/claims/${id}`);
    assert.equal(reply.headers.get('x-log-index'), null);
    assert(Math.abs(Date.parse(createdAt) - Date.now()) < 60_000, createdAt);
    assert.deepEqual(claim, {
      digest: digestOf(envelope),
      log_index: null,
      receipt: null,
      envelope,
      payload_effective: { ...signal(), metadata: {} },
      co_signatures: [],
      external_receipt_verified: null,
      schema: 'v1',
      unresolved_refs: [],
      warnings: [],
      revoked_at: null,
      revoke_reason: null,
      erased_at: null,
      tombstone_id: null,
      submitter: 'operator_key',
    });
    const read = await placed(operator, id);
    assert.deepEqual({ ...read, log_index: null, receipt: null }, { id, created_at: createdAt, ...claim });
    assert.equal(await auditsOf(id), 1);
  });

  it('hashes neither receipt nor co-signatures, and keeps both as they were sent', async () => {
    const receipt = {
      registry: 'https://log.example.com',
      registered_at: 1_700_000_000,
      registry_entry_uri: null,
      proof: { format: 'rekor-v2-tle', bytes: '', log_index: 0, tree_size: null, root_hash: null },
      witnesses: [{ registry: 'w', registry_entry_uri: 'https://w.example.com/1', proof_bytes: null }],
    };
    const coSignatures = [{ signer_kid: 'k', signer_role: 'witness', cose_sign1: 'c' }];
    const bare = envelopeOf(operator, { payload: { any: 'thing' } });
    const envelope = { ...bare, receipt, co_signatures: coSignatures };
    const claim = assertStatus(await operator.post<Claim>('/v1/claims', envelope), 201);
    assert.deepEqual(claim.envelope, envelope);
    assert.equal(claim.digest, digestOf(bare));
    assert.equal(claim.receipt, null, 'its own receipt is not the one that came along');
    assertStatus(await operator.post('/v1/claims', bare), 200);
  });

  it('keeps the order of members, and hashes their canonical form', async () => {
    const [a, b] = ['{"z":1E2,"a":"\\u00e9","1":0.10}', '{"1":0.1,"a":"é","z":100}'];
    const text = (payload: string): string =>
      JSON.stringify(envelopeOf(operator, { issued_at: 7, payload: 0 })).replace('"payload":0', `"payload":${payload}`);
    const first = assertStatus(await operator.post<Claim>('/v1/claims', text(a)), 201);
    const again = assertStatus(await operator.post<Claim>('/v1/claims', text(b)), 200);
    assert.equal(again.id, first.id);
    assert.equal(first.digest, digestOf(JSON.parse(text(b)) as Record<string, unknown>));
  });

  it('answers 200 with the claim that exists for the same digest', async () => {
    const envelope = envelopeOf(operator, { payload: { same: true } });
    const { id } = assertStatus(await operator.post<Claim>('/v1/claims', envelope), 201);
    const first = await placed(operator, id);
    const reply = await operator.post<Claim>('/v1/claims', { ...envelope, co_signatures: [] });
    assert.deepEqual(assertStatus(reply, 200), first);
    assert.equal(reply.headers.get('location'), null);
    assert.equal(reply.headers.get('x-log-index'), String(first.log_index));
    assert.equal(await auditsOf(first.id), 1);
  });

  it('makes one claim of fifty that arrive together', async () => {
    const envelope = envelopeOf(operator, { payload: { rivals: 50 } });
    const replies = await Promise.all(Array.from({ length: 50 }, () => operator.post<Claim>('/v1/claims', envelope)));
    assert.deepEqual(
      [200, 201].map((code) => replies.filter(({ status }) => status === code).length),
      [49, 1],
    );
    assert.equal(new Set(replies.map(({ body }) => body.id)).size, 1);
    const count = await (
      await database()
    ).oneFirst(sql.type(Count)`
      select count(*) from claims where digest = ${digestOf(envelope)}`);
    assert.equal(count, 1);
  });

  it('answers a repeated Idempotency-Key as it did first, and refuses it for another claim', async () => {
    const headers = { 'idempotency-key': `claim-${operator.operatorId}` };
    const envelope = envelopeOf(operator);
    const first = await operator.post<Claim>('/v1/claims', envelope, headers);
    const again = await operator.post<Claim>('/v1/claims', envelope, headers);
    assert.deepEqual(assertStatus(again, 201), assertStatus(first, 201));
    assert.equal(again.headers.get('idempotency-replayed'), 'true');
    assert.equal(again.headers.get('location'), `/v1/claims/${first.body.id}`);
    assertProblem(await operator.post('/v1/claims', envelopeOf(operator), headers), 'IDEMPOTENCY_KEY_REUSED');
  });

  it('is for every key of the operator, an agent’s too', async () => {
    const { id } = await buildAgent(operator);
    const own = { claim_type: 'authority_use', subject: `carnet://agent/${id}` };
    for (const key of [await buildMemberKey(operator), await buildAgentKey(operator, id)]) {
      const claim = assertStatus(await key.post<Claim>('/v1/claims', envelopeOf(operator, own)), 201);
      assert.equal((await operator.get(`/v1/claims/${claim.id}`)).body.digest, claim.digest);
    }
  });

  it('accepts claims of the platform from the platform key', async () => {
    assertStatus(await platform().post('/v1/claims', envelopeOf(operator, { issuer: 'op_platform' })), 201);
  });

  it('refuses another issuer, but faults in the envelope first', async () => {
    const other = { issuer: 'op_platform' };
    assertProblem(await post(other), 'ISSUER_MISMATCH');
    assertProblem(await post({ ...other, claim_version: 0 }), 'VALIDATION_ERROR', 'claim_version');
    assertProblem(await post({ ...other, payload: 'x'.repeat(65_535) }), 'VALIDATION_ERROR', 'payload');
    assertProblem(await platform().post('/v1/claims', envelopeOf(operator)), 'ISSUER_MISMATCH');
  });

  describe('of a type without a shape', () => {
    for (const type of SHAPELESS_TYPES) {
      it(`${type} takes any payload, or none`, async () => {
        for (const payload of [undefined, null, 0, 'text', [1], {}, { type }, { type, any: { thing: [null] } }]) {
          const envelope = envelopeOf(operator, { claim_type: type, payload });
          const claim = assertStatus(await operator.post<Claim>('/v1/claims', envelope), 201);
          assert.equal(claim.schema, 'none');
          assert.deepEqual(claim.payload_effective, payload ?? null);
          assert.equal('payload' in claim.envelope, payload !== undefined);
          assert.equal(claim.digest, digestOf(JSON.parse(JSON.stringify(envelope)) as Record<string, unknown>));
        }
        assertProblem(await post({ claim_type: type, payload: { type: 'other' } }), 'VALIDATION_ERROR', 'payload.type');
        assertProblem(await post({ claim_type: type, payload: { type: null } }), 'VALIDATION_ERROR', 'payload.type');
      });
    }

    it('is one of sixteen of thirty', () => {
      assert.deepEqual([SHAPELESS_TYPES.length, new Set(CLAIM_TYPES).size], [16, 30]);
    });
  });

  it('takes 64 KiB of a payload without a shape and 256 KiB of one with a shape, counted in bytes of JSON', async () => {
    assertStatus(await post({ payload: 'é'.repeat(32_767) }), 201);
    assertProblem(await post({ payload: `${'é'.repeat(32_767)}x` }), 'VALIDATION_ERROR', 'payload');
    const shaped = (bytes: number) => {
      const rest = Buffer.byteLength(JSON.stringify(signal({ metadata: { text: '' } })));
      return { claim_type: 'detector_signal', payload: signal({ metadata: { text: 'x'.repeat(bytes - rest) } }) };
    };
    assertStatus(await post(shaped(256 * 1024)), 201);
    assertProblem(await post(shaped(256 * 1024 + 1)), 'VALIDATION_ERROR', 'payload');
  });

  it('takes a thousand items of a list and members of a map, where nothing else is said', async () => {
    const payload = intent({ requires: Array.from({ length: 1_001 }, (_none, at) => `pc_${at}`) });
    const list = await operator.post('/v1/claims', envelopeOf(operator, { claim_type: 'intent_claim', payload }));
    assertProblem(list, 'VALIDATION_ERROR');
    assert.equal((list.body.errors as { path: string }[])[0]?.path, 'payload.requires');
    const measured = (count: number, value: unknown) => ({
      type: 'rats_evidence',
      evidence_format: 'cpu-tdx',
      measurements: Object.fromEntries(Array.from({ length: count }, (_none, at) => [`m${at}`, value])),
      attested_at: 1,
    });
    const submitted = (evidence: unknown) =>
      operator.post('/v1/claims', envelopeOf(operator, { claim_type: 'rats_evidence', payload: evidence }));
    assertStatus(await submitted(measured(1_000, 'x')), 201);
    const map = await submitted(measured(1_001, 'x'));
    assertProblem(map, 'VALIDATION_ERROR');
    assert.equal((map.body.errors as { path: string }[])[0]?.path, 'payload.measurements');
    assert.equal(((await submitted(measured(2_000, 0))).body.errors as unknown[]).length, 100);
  });

  it('names the claims that a payload refers to and that do not exist, until they do', async () => {
    const existing = await submit(operator);
    const foreign = await submit(await buildOperator());
    const attempted = intent({ requires: [existing.id, 'pc_missing-1'] });
    const denial = await submit(operator, {
      claim_type: 'intent_denial',
      payload: {
        type: 'intent_denial',
        attempted_intent: attempted,
        denial_reason: 'tier_limit',
        message: '',
        parameters_hash: 'a0'.repeat(32),
        denied_at: 1,
      },
    });
    assert.deepEqual(denial.unresolved_refs, ['pc_missing-1']);
    const requires = ['pc_missing-2', existing.id, 'pc_missing-2', foreign.id];
    const claim = await submit(operator, { claim_type: 'intent_claim', payload: intent({ requires }) });
    assert.deepEqual(claim.unresolved_refs, ['pc_missing-2']);
    const refs = [
      ['detector_signal', { intent_claim_ref: 'pc_missing-3' }, ['pc_missing-3']],
      ['detector_signal', { intent_claim_ref: existing.id }, []],
    ] as const;
    for (const [type, ref, unresolved] of refs) {
      const { id, unresolved_refs: found } = await submit(operator, { claim_type: type, payload: signal(ref) });
      assert.deepEqual(found, unresolved);
      assert.deepEqual((await operator.get<Claim>(`/v1/claims/${id}`)).body.unresolved_refs, unresolved);
    }
    const shapeless = await submit(operator, { payload: { intent_claim_ref: 'pc_missing-4' } });
    assert.deepEqual(shapeless.unresolved_refs, [], 'what a payload without a shape means is not known');
  });

  it('keeps nothing of a claim that it refuses', async () => {
    const envelope = envelopeOf(operator, { issuer: 'op_platform' });
    assertProblem(await operator.post('/v1/claims', envelope), 'ISSUER_MISMATCH');
    const count = sql.type(Count)`select count(*) from claims where digest = ${digestOf(envelope)}`;
    assert.equal(await (await database()).oneFirst(count), 0);
  });

  it('records a name longer than any index takes', async () => {
    const payload = signal({ agent_id: `ag_${'a'.repeat(50_000)}`, mission_ref: `ms_${'m'.repeat(50_000)}` });
    await submit(operator, { claim_type: 'detector_signal', payload });
  });
});
