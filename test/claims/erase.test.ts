import assert from 'node:assert/strict';
import { z } from 'zod';
import { findIntentClaims } from '../../src/claims/index.ts';
import type { Bundle } from '../../src/claims/log/schema.ts';
import type { Claim } from '../../src/claims/schema/claim.ts';
import { sql } from '../../src/database/pool.ts';
import type { OperatorId } from '../../src/ids/ids.ts';
import {
  buildAgent,
  buildAgentKey,
  buildInvocation,
  buildOperator,
  buildSkill,
  type TestOperator,
} from '../support/factories.ts';
import { buildPerson, signIn } from '../support/people.ts';
import { anonymous, assertProblem, assertStatus, database, platform, type Requester } from '../support/service.ts';
import { approve, refusedWith, withApproval } from '../governance/support.ts';
import { leafOf } from './log/support.ts';
import { digestOf, envelopeOf, intent, placed, signal, submit, submitAndPlace } from './support.ts';

const Row = z.object({ row: z.string() });

describe('POST /v1/claims/:id/erase', () => {
  let operator: TestOperator;
  let person: Requester;
  before(async () => {
    operator = await buildOperator();
    person = await signIn(operator.email);
  });
  const erase = (
    id: string,
    { body, as = person, headers }: { body?: unknown; as?: Requester; headers?: Record<string, string> } = {},
  ) => as.post<Claim>(`/v1/claims/${id}/erase`, body, headers);
  /** All that the database has of a claim, and of what it names. */
  const keptOf = async (id: string): Promise<string> =>
    (await database()).oneFirst(sql.type(Row)`
      select concat(c::text, (select string_agg(ref, ' ') from claim_refs where seq = c.seq)) as row from claims c where id = ${id}`);

  it('requires authentication', async () => {
    assertProblem(await anonymous().post('/v1/claims/pc_1/erase'), 'UNAUTHENTICATED');
  });

  it('takes the payload and what was read from it, and leaves digest and envelope', async () => {
    const payload = signal({
      agent_id: 'ag_private',
      mission_ref: 'ms_private',
      intent_claim_ref: 'pc_private',
      metadata: { name: 'Ada' },
    });
    const claim = await submitAndPlace(operator, { claim_type: 'detector_signal', payload });
    assert.match(await keptOf(claim.id), /Ada/);
    const erased = assertStatus(await erase(claim.id, { body: { reason: 'on request' } }), 200);
    const { payload: _payload, ...envelope } = claim.envelope;
    assert(Math.abs(Date.parse(erased.erased_at ?? '') - Date.now()) < 60_000);
    assert.deepEqual(erased, {
      ...claim,
      envelope,
      payload_effective: null,
      unresolved_refs: [],
      erased_at: erased.erased_at,
      tombstone_id: erased.tombstone_id,
    });
    assert.deepEqual((await operator.get(`/v1/claims/${claim.id}`)).body, erased);
    assert.doesNotMatch(await keptOf(claim.id), /Ada|private|prompt_injection/);
    for (const query of ['agent_id=ag_private', 'mission_ref=ms_private', 'ref=pc_private']) {
      assert.deepEqual((await operator.get<{ claims: Claim[] }>(`/v1/claims?${query}`)).body.claims, []);
    }
  });

  it('is recorded by a claim of the service, which the issuer reads in full', async () => {
    const claim = await submit(operator, { payload: { secret: 1 } });
    const { tombstone_id: tombstoneId } = assertStatus(await erase(claim.id, { body: { reason: 'on request' } }), 200);
    const tombstone = await placed(operator, tombstoneId ?? '');
    assert.equal(tombstone.digest, digestOf(tombstone.envelope));
    const { issuer, subject, claim_type: type, payload } = tombstone.envelope;
    assert.deepEqual(
      [issuer, subject, type],
      ['op_platform', `carnet://claim/${claim.id}`, 'authority_erasure_tombstone'],
    );
    assert.deepEqual(payload, {
      type: 'authority_erasure_tombstone',
      claim_id: claim.id,
      digest: claim.digest,
      reason: 'on request',
    });
    const naming = await operator.get<{ claims: Claim[] }>(`/v1/claims?ref=${claim.id}`);
    assert.deepEqual(naming.body.claims, [tombstone]);
    const stranger = await (await buildOperator()).get(`/v1/claims/${tombstoneId}`);
    assert(!('envelope' in stranger.body));
  });

  it('leaves the receipt and every proof as they were', async () => {
    const claim = await submitAndPlace(operator, { payload: { secret: 1 } });
    const bundle = async (): Promise<Bundle> =>
      assertStatus(await operator.get<Bundle>(`/v1/claims/${claim.id}/bundle`), 200);
    const before = await bundle();
    const { tombstone_id: tombstoneId } = assertStatus(await erase(claim.id), 200);
    await placed(operator, tombstoneId ?? assert.fail());
    const after = await bundle();
    for (const member of ['digest', 'receipt', 'cose_receipt', 'checkpoint'] as const) {
      assert.deepEqual(after[member], before[member], member);
    }
    const leaf = leafOf(claim.envelope).toString('hex');
    assert.deepEqual([after.erased, after.leaf_hash, 'payload' in after.envelope], [true, leaf, false]);
  });

  it('is done once, no matter who repeats it', async () => {
    const claim = await submitAndPlace(operator, { payload: 1 });
    const first = assertStatus(await erase(claim.id), 200);
    assert.deepEqual(assertStatus(await erase(claim.id, { body: { reason: 'another' } }), 200), first);
    const other = await submit(operator, { payload: 1 });
    const rivals = await Promise.all(Array.from({ length: 8 }, () => erase(other.id)));
    assert.equal(new Set(rivals.map((reply) => assertStatus(reply, 200).tombstone_id)).size, 1);
    const naming = await operator.get<{ claims: Claim[] }>(`/v1/claims?ref=${other.id}`);
    assert.equal(naming.body.claims.length, 1);
  });

  it('is undone by nobody: the same claim again is 200, and has no payload', async () => {
    const envelope = envelopeOf(operator, {
      claim_type: 'detector_signal',
      payload: signal({ intent_claim_ref: 'pc_private', metadata: { secret: 'plan' } }),
      co_signatures: [{ signer_kid: 'k', signer_role: 'witness', cose_sign1: 'c' }],
    });
    const headers = { 'idempotency-key': `erased-${operator.operatorId}` };
    const claim = assertStatus(await operator.post<Claim>('/v1/claims', envelope, headers), 201);
    assert.deepEqual(claim.unresolved_refs, ['pc_private']);
    await placed(operator, claim.id);
    const erased = assertStatus(await erase(claim.id), 200);
    const again = await operator.post('/v1/claims', envelope);
    assert.deepEqual(assertStatus(again, 200), erased);
    const replayed = await operator.post('/v1/claims', envelope, headers);
    assert.equal(replayed.headers.get('idempotency-replayed'), 'true');
    assert.deepEqual(assertStatus(replayed, 201), erased);
    const { rows } = await (
      await database()
    ).query(sql.type(z.object({ answer: z.string() }))`
      select answer from idempotency_keys where operator_id = ${operator.operatorId} and key = ${headers['idempotency-key']}`);
    assert.equal(rows.length, 1);
    assert.doesNotMatch(rows[0]?.answer ?? '', /plan|private/);
  });

  it('takes a payload that is null, and none, and leaves receipt and co-signatures', async () => {
    for (const overrides of [{ payload: null }, {}, { payload: { payload: 1 } }]) {
      const coSignatures = [{ signer_kid: 'k', signer_role: 'witness', cose_sign1: 'c' }];
      const claim = await submit(operator, { ...overrides, co_signatures: coSignatures });
      const erased = assertStatus(await erase(claim.id), 200);
      const { payload: _payload, ...envelope } = claim.envelope;
      assert.deepEqual(erased.envelope, envelope);
      assert.deepEqual(erased.co_signatures, claim.co_signatures);
      assert.notEqual(erased.erased_at, null);
    }
  });

  it('needs a person: a key is given nothing to erase by, and what it requests a person approves', async () => {
    const claim = await submitAndPlace(operator, { payload: { evidence: 1 } });
    const asked = await erase(claim.id, { body: { reason: 'on request' }, as: operator });
    assertProblem(asked, 'GOVERNANCE_APPROVAL_REQUIRED');
    const { approval_id: approval } = refusedWith(asked);
    assert.deepEqual((await operator.get(`/v1/claims/${claim.id}`)).body, claim);
    const shown = assertStatus(await person.get<{ subject: unknown }>(`/v1/governance/approvals/${approval}`), 200);
    assert.deepEqual(shown.subject, {
      id: claim.id,
      digest: claim.digest,
      claim_type: 'mission',
      subject: 'carnet://agent/ag_1',
    });
    assertStatus(await approve(person, approval), 200);
    const erased = assertStatus(
      await erase(claim.id, { body: { reason: 'on request' }, as: operator, headers: withApproval(approval) }),
      200,
    );
    assert.notEqual(erased.erased_at, null);
    assertStatus(await erase(claim.id, { body: undefined, as: operator }), 200);
  });

  it('is for the issuer and an administrator', async () => {
    const claim = await submit(operator);
    assertProblem(await (await buildOperator()).post(`/v1/claims/${claim.id}/erase`), 'NOT_OWNER');
    const agent = await buildAgent(operator);
    assertProblem(
      await (await buildAgentKey(operator, agent.id)).post(`/v1/claims/${claim.id}/erase`),
      'AGENT_CREDENTIAL_FORBIDDEN',
    );
    assertProblem(await erase('pc_nothing'), 'NOT_FOUND');
    assertProblem(await erase(claim.id, { body: { reason: '' } }), 'VALIDATION_ERROR', 'reason');
    assert.equal((await operator.get<Claim>(`/v1/claims/${claim.id}`)).body.erased_at, null);
  });

  it('of a claim of the service is for a person of the platform, and its readers read the tombstone', async () => {
    const { id } = await buildInvocation(operator, (await buildSkill(operator)).id);
    const [claim] = (await operator.get<{ claims: Claim[] }>(`/v1/claims?subject=carnet://invocation/${id}`)).body
      .claims;
    assert(claim !== undefined);
    assertProblem(await erase(claim.id), 'NOT_OWNER');
    assertProblem(await erase(claim.id, { body: undefined, as: platform() }), 'GOVERNANCE_APPROVAL_REQUIRED');
    const erased = assertStatus(
      await erase(claim.id, { body: undefined, as: await buildPerson({ operatorId: 'op_platform' }) }),
      200,
    );
    const tombstone = assertStatus(await operator.get<Claim>(`/v1/claims/${erased.tombstone_id}`), 200);
    assert.equal((tombstone.envelope.payload as { claim_id: string }).claim_id, claim.id);
  });

  it('and revoking go together, and an erased intent is no intent', async () => {
    const claim = await submit(operator, { claim_type: 'intent_claim', payload: intent() });
    assertStatus(await operator.post(`/v1/claims/${claim.id}/revoke`, { reason: 'mistaken' }), 200);
    const both = assertStatus(await erase(claim.id), 200);
    assert.equal(both.revoke_reason, 'mistaken');
    const other = await submit(operator, { claim_type: 'intent_claim', payload: intent() });
    assertStatus(await erase(other.id), 200);
    assert.deepEqual(await findIntentClaims(await database(), operator.operatorId as OperatorId, [other.id]), []);
    const revoked = assertStatus(await operator.post<Claim>(`/v1/claims/${other.id}/revoke`), 200);
    assert.notEqual(revoked.revoked_at, null);
  });
});
