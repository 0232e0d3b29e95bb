import assert from 'node:assert/strict';
import { z } from 'zod';
import { sql } from '../../src/database/pool.ts';
import { newId } from '../../src/ids/ids.ts';
import type { Claim } from '../../src/claims/schema/claim.ts';
import { CLAIM_TYPES, type ClaimType } from '../../src/claims/schema/payloads.ts';
import {
  buildAgent,
  buildAgentKey,
  buildInvocation,
  buildMemberKey,
  buildOperator,
  buildSkill,
  type TestOperator,
} from '../support/factories.ts';
import { eventually } from '../support/eventually.ts';
import { buildPerson } from '../support/people.ts';
import { assertProblem, assertStatus, database, platform, type Reply, type Requester } from '../support/service.ts';
import { attestations } from './shapes/attestations.ts';
import { intents } from './shapes/intents.ts';
import { observations } from './shapes/observations.ts';
import { outcomes } from './shapes/outcomes.ts';
import type { Members } from './shapes/shape.ts';
import { digestOf, envelopeOf } from './support.ts';

/** The types that an agent may state of itself, written from the decision and not from the code. */
const OF_AGENTS = new Set<ClaimType>([
  'svid_attestation',
  'workload_attestation',
  'rats_evidence',
  'c2pa_assertion',
  'intent_claim',
  'intent_outcome',
  'entity_observation',
  'authority_use',
]);

const shapes = Object.values({ ...attestations, ...intents, ...outcomes, ...observations });
const payloadOf = (type: ClaimType, agentId: string): Members => {
  const { required } = shapes.find((shape) => shape.type === type) ?? { required: {} };
  return { type, ...required, ...('agent_id' in required && { agent_id: agentId }) };
};

describe('Who submits a claim', () => {
  let operator: TestOperator;
  let agentId: string;
  let other: string;
  let key: Requester;
  before(async () => {
    operator = await buildOperator();
    [agentId, other] = [(await buildAgent(operator)).id, (await buildAgent(operator)).id];
    key = await buildAgentKey(operator, agentId);
  });

  const envelope = (type: ClaimType, about: string, payload: Members = {}): Members =>
    envelopeOf(operator, {
      claim_type: type,
      subject: `carnet://agent/${about}`,
      payload: { ...payloadOf(type, about), ...payload },
    });
  const submit = (by: Requester, body: Members): Promise<Reply<Claim>> => by.post<Claim>('/v1/claims', body);

  for (const type of CLAIM_TYPES) {
    const may = OF_AGENTS.has(type);
    it(`${may ? 'may' : 'may not'} be an agent, of a ${type} about itself`, async () => {
      const body = envelope(type, agentId);
      const reply = await submit(key, body);
      if (may) assert.equal(assertStatus(reply, 201).submitter, 'agent_key');
      else {
        assertProblem(reply, 'AGENT_CLAIM_FORBIDDEN');
        assert.match(reply.text, /key of the operator/);
        assert.equal(assertStatus(await submit(operator, body), 201).submitter, 'operator_key');
      }
    });
  }

  it('is an agent about itself alone, by subject and payload', async () => {
    for (const about of [other, agentId.toLowerCase(), `${agentId}/session/x`, 'ag_1'])
      assertProblem(
        await submit(key, { ...envelope('authority_use', agentId), subject: `carnet://agent/${about}` }),
        'AGENT_CLAIM_FORBIDDEN',
      );
    for (const subject of [`carnet://passport/${agentId}`, `other://agent/${agentId}`])
      assertProblem(await submit(key, { ...envelope('authority_use', agentId), subject }), 'AGENT_CLAIM_FORBIDDEN');
    for (const named of [other, 7, null])
      assertProblem(
        await submit(key, envelope('authority_use', agentId, { agent_id: named })),
        'AGENT_CLAIM_FORBIDDEN',
      );
    assertProblem(await submit(key, envelope('intent_claim', agentId, { agent_id: other })), 'AGENT_CLAIM_FORBIDDEN');
    assertStatus(await submit(key, envelope('authority_use', agentId, { agent_id: agentId })), 201);
  });

  it('is an agent about what came of its own intents, and requires those of others', async () => {
    const [own, theirs] = [
      assertStatus(await submit(key, envelope('intent_claim', agentId)), 201).id,
      assertStatus(await submit(operator, envelope('intent_claim', other)), 201).id,
    ];
    const outcome = (ref: string): Members => envelope('intent_outcome', agentId, { intent_claim_ref: ref });
    assertProblem(await submit(key, outcome(theirs)), 'AGENT_CLAIM_FORBIDDEN');
    const ended = assertStatus(await submit(key, outcome(own)), 201);
    assert.deepEqual(ended.warnings, []);
    const seen = (ref: string): Members => envelope('entity_observation', agentId, { intent_outcome_ref: ref });
    assertStatus(await submit(key, seen(ended.id)), 201);
    const theirEnd = await submit(operator, envelope('intent_outcome', other, { intent_claim_ref: theirs }));
    assertProblem(await submit(key, seen(assertStatus(theirEnd, 201).id)), 'AGENT_CLAIM_FORBIDDEN');
    assertStatus(await submit(key, envelope('intent_claim', agentId, { requires: [theirs] })), 201);
    const stranger = await buildOperator();
    const foreign = envelopeOf(stranger, { subject: `carnet://agent/${agentId}` });
    const { id } = assertStatus(await submit(stranger, foreign), 201);
    assertProblem(await submit(key, outcome(id)), 'AGENT_CLAIM_FORBIDDEN');
  });

  it('is named by kind in answers, lists and bundles', async () => {
    const person = await buildPerson(operator, 'member');
    const submitters: [by: Requester, named: string, issuer: string][] = [
      [operator, 'operator_key', operator.operatorId],
      [await buildMemberKey(operator), 'operator_key', operator.operatorId],
      [person, 'member_session', operator.operatorId],
      [key, 'agent_key', operator.operatorId],
      [platform(), 'platform_key', 'op_platform'],
      [await buildPerson({ operatorId: 'op_platform' }, 'owner'), 'member_session', 'op_platform'],
    ];
    for (const [by, named, issuer] of submitters) {
      const claim = assertStatus(await submit(by, { ...envelope('authority_use', agentId), issuer }), 201);
      assert.equal(claim.submitter, named);
      const read = assertStatus(await by.get<Claim>(`/v1/claims/${claim.id}`), 200);
      assert.equal(read.submitter, named);
      const list = `/v1/claims?subject=carnet://agent/${agentId}&issuer=${issuer}`;
      const { claims } = (await by.get<{ claims: Claim[] }>(list)).body;
      assert.equal(claims.find(({ id }) => id === claim.id)?.submitter, named);
      const bundle = await eventually(`the bundle of ${claim.id}`, async () => {
        const { body } = await by.get(`/v1/claims/${claim.id}/bundle`);
        return 'bundle_version' in body && body;
      });
      assert.equal(bundle['submitter'], named);
    }
  });

  it('is the service, of what it states itself', async () => {
    const { id } = await buildInvocation(operator, (await buildSkill(operator)).id);
    const { claims } = (await operator.get<{ claims: Claim[] }>(`/v1/claims?subject=carnet://invocation/${id}`)).body;
    assert(claims.length > 0);
    for (const { submitter } of claims) assert.equal(submitter, 'service');
  });

  it('stays who was first, when the same claim is sent again', async () => {
    const body = envelope('authority_use', agentId);
    const first = assertStatus(await submit(key, body), 201);
    assert.equal(assertStatus(await submit(operator, body), 200).submitter, 'agent_key');
    assert.equal(first.submitter, 'agent_key');
  });

  it('cannot be changed, and is null for a claim of a release before', async () => {
    const { id } = assertStatus(await submit(operator, envelope('mission', agentId)), 201);
    const pool = await database();
    const changed = pool.query(sql.type(z.object({}))`update claims set submitter = 'agent_key' where id = ${id}`);
    await assert.rejects(changed, /append-only/);
    const subject = `carnet://agent/${agentId}/session/before`;
    const body = envelopeOf(operator, { subject });
    await pool.query(sql.type(z.object({}))`
      insert into claims (id, digest, issuer, subject, claim_type, claim_version, envelope, schema, issued_at_ms)
      values (${newId('pc')}, ${digestOf(body)}, ${operator.operatorId}, ${subject}, 'mission', 1, ${JSON.stringify(body)}, 'none', 0)`);
    const { claims } = (await operator.get<{ claims: Claim[] }>(`/v1/claims?subject=${subject}`)).body;
    assert.equal(claims[0]?.submitter, null);
  });
});
