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

  it('is the named one, shown to the consumer, also in lists', async () => {
    const missionId = await mission();
    const { id, mission_id } = await invoked({ mission_id: missionId });
    assert.equal(mission_id, missionId);
    assert.equal(assertStatus(await as.get<Invocation>(`/v1/skills/invocations/${id}`), 200).mission_id, missionId);
    const { invocations } = assertStatus(
      await as.get<{ invocations: Invocation[] }>('/v1/skills/invocations/mine?limit=1'),
      200,
    );
    assert.deepEqual(
      invocations.map(({ id: one, mission_id: of }) => [one, of]),
      [[id, missionId]],
    );
  });

  it('is between the consumer and the service, as its passport is: no answer, list or claim shows the provider either', async () => {
    const missionId = await mission();
    const { jti } = await issue(holder, { mission_ids: [missionId] });
    const of = (invocation: Invocation) => [invocation.passport_id, invocation.mission_id];
    const made = async (): Promise<string> => {
      const invocation = await invoked({ passport_id: jti });
      assert.deepEqual(of(invocation), [jti, missionId]);
      return invocation.id;
    };
    const act = async (id: string, name: string, body: unknown = {}): Promise<Invocation> => {
      const headers = { 'idempotency-key': `${name} ${id}` };
      const first = assertStatus(
        await provider.post<Invocation>(`/v1/skills/invocations/${id}/${name}`, body, headers),
        200,
      );
      const again = assertStatus(
        await provider.post<Invocation>(`/v1/skills/invocations/${id}/${name}`, body, headers),
        200,
      );
      assert.deepEqual(again, first);
      return first;
    };
    const [completed, failed] = [await made(), await made()];
    const list = async (name: string, reader: TestOperator) =>
      assertStatus(
        await reader.get<{ invocations: Invocation[] }>(`/v1/skills/invocations/${name}?skill_id=${skillId}`),
        200,
      ).invocations.filter(({ id }) => id === completed || id === failed);
    const shown = [...(await list('pending', provider))];
    for (const id of [completed, failed]) shown.push(await act(id, 'claim', { lease_seconds: 600 }));
    shown.push(await act(completed, 'heartbeat'));
    shown.push(await act(completed, 'complete', { output: { text: 'HELLO' } }));
    shown.push(await act(failed, 'fail', { error: { code: 'NO', message: 'no' } }));
    shown.push(assertStatus(await provider.get<Invocation>(`/v1/skills/invocations/${completed}`), 200));
    shown.push(...(await list('provided', provider)));
    assert.deepEqual(
      shown.map(of),
      Array.from({ length: 10 }, () => [null, null]),
    );
    assert.deepEqual((await list('mine', as)).map(of), [
      [jti, missionId],
      [jti, missionId],
    ]);
    const withdrawn = await made();
    assert.deepEqual(of(assertStatus(await as.post<Invocation>(`/v1/skills/invocations/${withdrawn}/cancel`), 200)), [
      jti,
      missionId,
    ]);
    const claims = assertStatus(
      await provider.get<{ claims: unknown[] }>(`/v1/claims?subject=carnet://invocation/${completed}`),
      200,
    );
    assert.equal(claims.claims.length, 2);
    const text = JSON.stringify(claims);
    assert.deepEqual([text.includes(missionId), text.includes(jti)], [false, false]);
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

  it('is a filter for the claims that the service issues about it', async () => {
    const missionId = await mission();
    const { id } = await invoked({ mission_id: missionId });
    assertStatus(await provider.post(`/v1/skills/invocations/${id}/claim`), 200);
    assertStatus(await provider.post(`/v1/skills/invocations/${id}/complete`, { output: { text: 'HELLO' } }), 200);
    const { claims } = assertStatus(
      await as.get<{ claims: ClaimSeen[] }>(`/v1/claims?mission_ref=${missionId}&claim_type=skill_invocation`),
      200,
    );
    assert.deepEqual(
      claims.map(({ envelope: { payload } }) => [payload.invocation_id, payload.status]),
      [
        [id, 'completed'],
        [id, 'submitted'],
      ],
    );
  });
});
