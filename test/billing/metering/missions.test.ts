import assert from 'node:assert/strict';
import type { Invocation } from '../../../src/invocations/schema.ts';
import { issue, openHolder, type Holder } from '../../passports/holders.ts';
import { buildAgent, buildAgentKey, buildOperator, buildSkill, type TestOperator } from '../../support/factories.ts';
import { assertProblem, assertStatus, type Reply, type Requester } from '../../support/service.ts';

interface ClaimSeen {
  envelope: { payload: Record<string, unknown> };
}

describe('the mission of an invocation', () => {
  let holder: Holder;
  let as: TestOperator;
  let provider: TestOperator;
  let skillId: string;
  before(async () => {
    holder = await openHolder();
    as = holder.as;
    provider = await buildOperator();
    skillId = (await buildSkill(provider)).id;
  });

  const mission = async (owner: TestOperator = as, body: Record<string, unknown> = {}): Promise<string> =>
    assertStatus(
      await owner.post<{ id: string }>('/v1/missions', { declared_intent: 'Sort the open issues', ...body }),
      201,
    ).id;
  const invoked = async (body: Record<string, unknown>, by: Requester = as): Promise<Invocation> =>
    assertStatus(await by.post<Invocation>(`/v1/skills/${skillId}/invoke`, { input: { text: 'hello' }, ...body }), 201);

  it('is the named one, shown to both sides and in lists', async () => {
    const missionId = await mission();
    const { id, mission_id } = await invoked({ mission_id: missionId });
    assert.equal(mission_id, missionId);
    for (const reader of [as, provider]) {
      assert.equal(
        assertStatus(await reader.get<Invocation>(`/v1/skills/invocations/${id}`), 200).mission_id,
        missionId,
      );
    }
    const { invocations } = assertStatus(
      await as.get<{ invocations: Invocation[] }>('/v1/skills/invocations/mine?limit=1'),
      200,
    );
    assert.deepEqual(
      invocations.map(({ id: one, mission_id: of }) => [one, of]),
      [[id, missionId]],
    );
  });

  it('is null where none is named and no passport gives one', async () => {
    assert.equal((await invoked({})).mission_id, null);
    assert.equal((await invoked({ passport_id: (await issue(holder)).jti })).mission_id, null);
  });

  it('is the only mission of the passport, also after a refresh; of several missions none is taken', async () => {
    const [one, other] = [await mission(), await mission()];
    const first = await issue(holder, { mission_ids: [one] });
    assert.equal((await invoked({ passport_id: first.jti })).mission_id, one);
    const refreshed = assertStatus(
      await as.post<{ jti: string }>('/v1/passports/refresh', { token: first.token }),
      201,
    );
    assert.equal((await invoked({ passport_id: refreshed.jti })).mission_id, one);
    const several = await issue(holder, { mission_ids: [one, other] });
    assert.equal((await invoked({ passport_id: several.jti })).mission_id, null);
    assert.equal((await invoked({ passport_id: several.jti, mission_id: other })).mission_id, other);
  });

  it('is the named one rather than that of the passport', async () => {
    const [passports, named] = [await mission(), await mission()];
    const { jti } = await issue(holder, { mission_ids: [passports] });
    assert.equal((await invoked({ passport_id: jti, mission_id: named })).mission_id, named);
  });

  it('must be open and belong to the caller', async () => {
    const completed = await mission();
    assertStatus(await as.post(`/v1/missions/${completed}/complete`), 200);
    for (const id of [completed, await mission(provider), 'ms_nothing']) {
      const refusal: Reply = await as.post(`/v1/skills/${skillId}/invoke`, {
        input: { text: 'hello' },
        mission_id: id,
      });
      assertProblem(refusal, 'VALIDATION_ERROR', 'mission_id');
      assert.match(JSON.stringify(refusal.body.errors), /"code":"invalid_reference"/);
    }
  });

  it('of one agent cannot be used by another', async () => {
    const agent = await buildAgent(as);
    const theirs = await mission(as, { agent_id: agent.id });
    const another = { input: { text: 'hello' }, mission_id: theirs, agent_id: holder.agentId };
    assertProblem(await as.post(`/v1/skills/${skillId}/invoke`, another), 'VALIDATION_ERROR', 'mission_id');
    assert.equal((await invoked({ mission_id: theirs, agent_id: agent.id })).mission_id, theirs);
    assert.equal((await invoked({ mission_id: theirs }, await buildAgentKey(as, agent.id))).mission_id, theirs);
    assert.equal(
      (await invoked({ mission_id: theirs })).mission_id,
      theirs,
      'of the operator itself, without an agent',
    );
  });

  it('is in the claims that the service issues about it, and is a filter for them', async () => {
    const missionId = await mission();
    const { id } = await invoked({ mission_id: missionId });
    assertStatus(await provider.post(`/v1/skills/invocations/${id}/claim`), 200);
    assertStatus(await provider.post(`/v1/skills/invocations/${id}/complete`, { output: { text: 'HELLO' } }), 200);
    const { claims } = assertStatus(
      await as.get<{ claims: ClaimSeen[] }>(`/v1/claims?mission_ref=${missionId}&claim_type=skill_invocation`),
      200,
    );
    assert.deepEqual(
      claims.map(({ envelope: { payload } }) => [payload.invocation_id, payload.status, payload.mission_ref]),
      [
        [id, 'completed', missionId],
        [id, 'submitted', missionId],
      ],
    );
  });
});
