import assert from 'node:assert/strict';
import canonicalize from 'canonicalize';
import { z } from 'zod';
import { findIntentClaims, issueClaim } from '../../src/claims/index.ts';
import type { PayloadOf } from '../../src/claims/schema/payloads.ts';
import { sql } from '../../src/database/pool.ts';
import type { OperatorId } from '../../src/ids/ids.ts';
import { buildOperator, type TestOperator } from '../support/factories.ts';
import { assertStatus, database } from '../support/service.ts';
import { digestOf, envelopeOf, intent, signal, submit } from './support.ts';

const Row = z.object({
  id: z.string(),
  digest: z.string(),
  envelope: z.string(),
  schema: z.string(),
  agent_id: z.string().nullable(),
  mission_ref: z.string().nullable(),
  operator_ids: z.array(z.string()),
  passport_jti: z.string().nullable(),
});

describe('a claim that the service issues', () => {
  const rowOf = async (id: string) =>
    (await database()).one(sql.type(Row)`
      select id, digest, envelope, schema, agent_id, mission_ref, operator_ids, passport_jti from claims where id = ${id}`);
  const approval: PayloadOf<'checkpoint_approval'> = {
    type: 'checkpoint_approval',
    checkpoint_id: 'chk_1',
    interval_seconds: 300,
    actions_count: 2,
    submitted_by: 'ag_1',
    submitted_at: 1_700_000_000,
  };
  const about = { agentId: 'ag_1', missionRef: 'ms_1', operatorIds: ['op_reader'] };

  it('has every default, and a hash that everybody can compute', async () => {
    const pool = await database();
    const subject = 'carnet://passport/psp_1';
    const id = await issueClaim(pool, {
      type: 'checkpoint_approval',
      subject,
      payload: approval,
      ...about,
      passportJti: 'psp_1',
    });
    const { envelope: text, digest, ...row } = await rowOf(id);
    const envelope = JSON.parse(text) as Record<string, unknown>;
    assert.deepEqual(envelope.payload, { ...approval, services_used: [], has_summary: false, delegated_to: [] });
    assert.deepEqual([envelope.issuer, envelope.subject, envelope.receipt], ['op_platform', subject, null]);
    assert.equal(text, canonicalize(envelope));
    assert.equal(digest, digestOf(envelope));
    assert.deepEqual(row, {
      id,
      schema: 'v1',
      agent_id: 'ag_1',
      mission_ref: 'ms_1',
      operator_ids: ['op_reader'],
      passport_jti: 'psp_1',
    });
  });

  it('of a type without a shape holds what it is given', async () => {
    const payload = { decision: 'allow', 'ключ "\u0007': [1e30, 0.1, -0, null] };
    const id = await issueClaim(await database(), {
      type: 'operator_review',
      subject: 'carnet://passport/psp_1',
      payload,
      ...about,
    });
    const row = await rowOf(id);
    const envelope = JSON.parse(row.envelope) as Record<string, unknown>;
    assert.deepEqual(envelope.payload, JSON.parse(JSON.stringify(payload)));
    assert.deepEqual([row.schema, row.passport_jti, row.digest], ['none', null, digestOf(envelope)]);
  });

  it('is refused as a fault of the service where its payload does not have the shape of its type', async () => {
    const wrong = { ...approval, actions_count: -1 };
    const issuing = issueClaim(await database(), {
      type: 'checkpoint_approval',
      subject: 'carnet://passport/psp_1',
      payload: wrong,
      ...about,
    });
    await assert.rejects(issuing, z.ZodError);
  });

  it('is read in full by those it names, and by nobody else', async () => {
    const [reader, other] = [await buildOperator(), await buildOperator()];
    const id = await issueClaim(await database(), {
      type: 'detector_signal',
      subject: 'carnet://agent/ag_1',
      payload: signal() as PayloadOf<'detector_signal'>,
      ...about,
      operatorIds: [reader.operatorId],
    });
    assert('envelope' in assertStatus(await reader.get(`/v1/claims/${id}`), 200));
    assert(!('envelope' in assertStatus(await other.get(`/v1/claims/${id}`), 200)));
  });
});

describe('findIntentClaims', () => {
  let operator: TestOperator;
  const find = async (of: TestOperator, ids: string[]) =>
    findIntentClaims(await database(), of.operatorId as OperatorId, ids);
  before(async () => {
    operator = await buildOperator();
  });

  it('returns the intents of agents of the operator, in the order they were recorded', async () => {
    const submitIntent = (overrides: Record<string, unknown>) =>
      submit(operator, { claim_type: 'intent_claim', payload: intent(overrides) });
    const mail = await submitIntent({});
    const call = await submitIntent({
      intent_type: 'mcp_tool',
      agent_id: 'ag_2',
      target: 'mcp://x "é"',
      action: 'call',
    });
    assert.deepEqual(await find(operator, [call.id, 'pc_nothing', mail.id]), [
      { id: mail.id, agentId: 'ag_1', target: 'mail', action: 'POST /messages' },
      { id: call.id, agentId: 'ag_2', target: 'mcp://x "é"', action: 'call' },
    ]);
    assert.deepEqual(await find(operator, []), []);
  });

  it('leaves out claims of another operator, other types and revoked ones', async () => {
    const foreign = await buildOperator();
    const submitted = await submit(foreign, { claim_type: 'intent_claim', payload: intent() });
    const other = await submit(operator, { claim_type: 'detector_signal', payload: signal() });
    const alike = await submit(operator, {
      claim_type: 'mission',
      payload: { agent_id: 'ag_1', target: 't', action: 'a' },
    });
    const envelope = envelopeOf(operator, { claim_type: 'intent_claim', payload: intent() });
    const revoked = assertStatus(await operator.post<{ id: string }>('/v1/claims', envelope), 201);
    assertStatus(await operator.post(`/v1/claims/${revoked.id}/revoke`), 200);
    assert.deepEqual(await find(operator, [submitted.id, other.id, alike.id, revoked.id]), []);
    assert.equal((await find(foreign, [submitted.id])).length, 1);
  });
});
