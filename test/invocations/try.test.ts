import assert from 'node:assert/strict';
import type { Invocation } from '../../src/invocations/schema.ts';
import { buildOperator, buildSkill, type TestOperator } from '../support/factories.ts';
import { anonymous, assertProblem, assertStatus, platform } from '../support/service.ts';

const input = { text: 'hello' };
const sealed = {
  execution_mode: 'sealed',
  execution_script: 'function main(input) { return input; }',
  execution_runtime: 'javascript',
  price_per_invocation: 25,
};

describe('POST /v1/skills/:id/try', () => {
  let owner: TestOperator;
  let stranger: TestOperator;
  before(async () => {
    owner = await buildOperator({ cents: 100 });
    stranger = await buildOperator({ cents: 100 });
  });

  const attempt = (of: TestOperator, id: string) => of.post<Invocation>(`/v1/skills/${id}/try`, { input });

  it('requires authentication', async () => {
    const { id } = await buildSkill(owner, sealed);
    assertProblem(await anonymous().post(`/v1/skills/${id}/try`, { input }), 'UNAUTHENTICATED');
  });

  it('makes an invocation that is marked as a trial and costs no price, before the review and after it', async () => {
    const { id } = await buildSkill(owner, sealed);
    const trial = assertStatus(await attempt(owner, id), 201);
    assert.deepEqual(
      [trial.trial, trial.self_invocation, trial.price_cents, trial.compute_bound_cents],
      [true, true, 0, 1],
    );
    assertStatus(await platform().post(`/v1/skills/${id}/approve`), 200);
    assert.equal(assertStatus(await attempt(owner, id), 201).trial, true);
    const invoked = assertStatus(await owner.post<Invocation>(`/v1/skills/${id}/invoke`, { input }), 201);
    assert.equal(invoked.trial, false);
  });

  it('refuses others: a skill that they may not see is 404, one that they may see is 403', async () => {
    const { id } = await buildSkill(owner, sealed);
    assertProblem(await attempt(stranger, id), 'NOT_FOUND');
    assertStatus(await platform().post(`/v1/skills/${id}/approve`), 200);
    assertProblem(await attempt(stranger, id), 'NOT_OWNER');
  });

  it('refuses a skill that has nothing for the service to execute', async () => {
    for (const overrides of [{}, { execution_mode: 'sealed' }, { execution_script: 'x' }])
      assertProblem(await attempt(owner, (await buildSkill(owner, overrides)).id), 'NO_EXECUTABLE_CONTENT');
  });

  it('takes a skill that was rejected or suspended by its owner: what is wrong with it is to be found out', async () => {
    const { id } = await buildSkill(owner, sealed);
    assertStatus(await platform().post(`/v1/skills/${id}/reject`, { reason: 'It fails.' }), 200);
    assertStatus(await attempt(owner, id), 201);
    const own = await buildSkill(owner, sealed);
    assertStatus(await platform().post(`/v1/skills/${own.id}/approve`), 200);
    assertStatus(await owner.post(`/v1/skills/${own.id}/suspend`), 200);
    assertStatus(await attempt(owner, own.id), 201);
  });

  it('refuses a skill that the platform took down, until its owner asks for a review', async () => {
    const { id } = await buildSkill(owner, sealed);
    assertStatus(await platform().post(`/v1/admin/skills/${id}/suspend`, { reason: 'It does harm.' }), 200);
    assertProblem(await attempt(owner, id), 'SKILL_NOT_ACTIVE');
    assertStatus(await owner.post(`/v1/skills/${id}/activate`), 200);
    assertStatus(await attempt(owner, id), 201);
  });
});
