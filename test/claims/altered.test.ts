import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { z } from 'zod';
import { presentClaims } from '../../src/claims/present-claims.ts';
import { findClaim } from '../../src/claims/queries.ts';
import type { Claim, Verification } from '../../src/claims/schema/claim.ts';
import { digestOfSigned, signedBytesOf } from '../../src/claims/signed-bytes.ts';
import { sql } from '../../src/database/pool.ts';
import { metricsText } from '../../src/metrics/metrics.ts';
import { buildOperator, type TestOperator } from '../support/factories.ts';
import { assertProblem, assertStatus, database } from '../support/service.ts';
import { coSign, jwkOf } from './co-signatures/support.ts';
import { intent, placed, signal, submit } from './support.ts';

const counted = async (): Promise<number> =>
  Number(/^carnet_claims_altered_total(?:\{[^}]*\})? (\d+)/m.exec(await metricsText())?.[1] ?? 0);

const Kept = z.object({
  envelope: z.string(),
  payload_effective: z.string().nullable(),
  issuer: z.string(),
  digest: z.string(),
});

describe('a claim that was changed in the database', () => {
  let operator: TestOperator;
  before(async () => {
    operator = await buildOperator();
  });

  const undoing: (() => Promise<void>)[] = [];
  /** Other tests count on what stands in the table. */
  afterEach(async () => {
    for (const undo of undoing.splice(0)) await undo();
  });

  /** As a person who holds the database can, past the triggers. */
  const change = async (id: string, set: ReturnType<typeof sql.fragment>): Promise<void> => {
    const pool = await database();
    const update = (assignments: typeof set): Promise<void> =>
      pool.transaction(async (connection) => {
        await connection.query(sql.unsafe`set local session_replication_role = replica`);
        await connection.query(sql.unsafe`update claims set ${assignments} where id = ${id}`);
      });
    const was = await pool.one(sql.type(Kept)`
      select envelope, payload_effective, issuer, digest from claims where id = ${id}`);
    undoing.push(() =>
      update(sql.fragment`envelope = ${was.envelope}, payload_effective = ${was.payload_effective}, issuer = ${was.issuer}, digest = ${was.digest},
        erased_at = null, tombstone_id = null`),
    );
    await update(set);
  };
  const read = async (id: string): Promise<Claim> => (await operator.get<Claim>(`/v1/claims/${id}`)).body;
  const forged = sql.fragment`envelope = replace(envelope, '"high"', '"low"')`;

  it('is not shown by its id, in lists, in exports, or when it is sent again', async () => {
    const claim = await submit(operator, { claim_type: 'detector_signal', payload: signal() });
    const other = await submit(operator);
    await change(claim.id, forged);
    const listed = (await operator.get<{ claims: Claim[] }>('/v1/claims?limit=2')).body.claims;
    const exported = (await operator.get('/v1/claims?limit=2', { accept: 'application/x-ndjson' })).text;
    const lines = exported.trimEnd().split('\n');
    const sent = assertStatus(await operator.post<Claim>('/v1/claims', claim.envelope), 200);
    for (const shown of [await read(claim.id), listed[1], JSON.parse(lines[1] ?? '') as Claim, sent]) {
      assert.deepEqual([shown?.id, shown?.digest], [claim.id, claim.digest]);
      assert.deepEqual([shown?.envelope, shown?.payload_effective], [{}, null]);
      assert.match(shown?.warnings.join() ?? '', /changed in the database: .* The platform restores it/);
    }
    assert.deepEqual(listed[0]?.envelope, other.envelope, 'the others are');
  });

  it('is not shown where its digest was changed with it, and has no receipt of the claim that stands in the log', async () => {
    const claim = await submit(operator, { claim_type: 'detector_signal', payload: signal() });
    await placed(operator, claim.id);
    const other = structuredClone(claim.envelope);
    (other.payload as Record<string, unknown>)['severity'] = 'low';
    const digest = digestOfSigned(signedBytesOf(other));
    await change(claim.id, sql.fragment`envelope = replace(envelope, '"high"', '"low"'), digest = ${digest}`);
    const shown = await read(claim.id);
    assert.deepEqual([shown.envelope, shown.payload_effective, shown.receipt], [{}, null, null]);
    assert.match(shown.warnings.join(), /changed in the database/);
    const stranger = await buildOperator();
    assert.equal((await stranger.get<Claim>(`/v1/claims/${claim.id}`)).body.receipt, null);
  });

  it('is counted when it is read', async () => {
    const claim = await submit(operator, { claim_type: 'detector_signal', payload: signal() });
    await change(claim.id, forged);
    const pool = await database();
    const row = (await findClaim(pool, claim.id)) ?? assert.fail();
    const before = await counted();
    await presentClaims(pool, [row, row]);
    assert.equal((await counted()) - before, 2);
  });

  it('is not valid, and is co-signed by nobody', async () => {
    const claim = await submit(operator, { claim_type: 'detector_signal', payload: signal() });
    const key = generateKeyPairSync('ed25519').privateKey;
    assertStatus(await operator.patch('/v1/operators/me', { public_jwks: [jwkOf(key)] }), 200);
    assertStatus(await operator.post(`/v1/claims/${claim.id}/co-signatures`, coSign(claim.envelope, key)), 201);
    await placed(operator, claim.id);
    await change(claim.id, forged);
    const { body } = await operator.post<Verification>('/v1/claims/verify', { claim_id: claim.id });
    assert.deepEqual([body.valid, body.checks.digest], [false, false]);
    assert.match(
      body.checks.co_signatures[0]?.warnings.join() ?? '',
      /does not hold any more: it has a signature that/,
    );
    const later = coSign(claim.envelope, generateKeyPairSync('ed25519').privateKey);
    const reply = await operator.post(`/v1/claims/${claim.id}/co-signatures`, later);
    assertProblem(reply, 'INVALID_STATE');
    assert.match(reply.text, /changed in the database/);
  });

  it('is shown with the defaults of its own payload, no matter what stands beside it', async () => {
    const { target: _target, ...payload } = intent();
    const claim = await submit(operator, {
      claim_type: 'intent_claim',
      payload: { ...payload, target: 'mail' },
    });
    assert.notDeepEqual(claim.payload_effective, claim.envelope.payload, 'it has defaults');
    await change(claim.id, sql.fragment`payload_effective = replace(payload_effective, 'mail', 'bank')`);
    const { payload_effective: shown, warnings } = await read(claim.id);
    assert.deepEqual([shown, warnings], [claim.payload_effective, []]);
  });

  it('is found where it was given to another operator, and where an erased one has a payload again', async () => {
    const thief = await buildOperator();
    const given = await submit(operator, { payload: { secret: 'plan' } });
    await change(given.id, sql.fragment`issuer = ${thief.operatorId}`);
    const { body } = await thief.get<Claim>(`/v1/claims/${given.id}`);
    assert.deepEqual(body.envelope, {});
    const erased = await submit(operator, { payload: { secret: 'plan' } });
    await change(erased.id, sql.fragment`erased_at = now(), tombstone_id = 'pc_1'`);
    assert.deepEqual((await read(erased.id)).envelope, {});
  });
});
