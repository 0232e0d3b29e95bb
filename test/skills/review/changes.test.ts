import assert from 'node:assert/strict';
import type { Skill } from '../../../src/skills/schema.ts';
import { buildOperator, type TestOperator } from '../../support/factories.ts';
import { assertProblem, assertStatus, platform } from '../../support/service.ts';
import { publish, publishApproved, sealedSkill, type SkillList } from '../support.ts';

describe('a change of what an approved skill with code promises', () => {
  let owner: TestOperator;
  let stranger: TestOperator;
  before(async () => {
    [owner, stranger] = [await buildOperator(), await buildOperator()];
  });

  const show = async (reader: TestOperator, id: string): Promise<Skill> =>
    assertStatus(await reader.get<Skill>(`/v1/skills/${id}`), 200);
  const patch = (id: string, body: object) => owner.patch<Skill>(`/v1/skills/${id}`, body);
  const decide = (id: string, how: 'approve' | 'reject', body: object) =>
    platform().post<Skill>(`/v1/skills/${id}/${how}`, body);

  it('waits for an administrator, and what was approved stays', async () => {
    const { id } = await publishApproved(owner, sealedSkill);
    const before = await show(stranger, id);
    const proposed = assertStatus(
      await patch(id, { description: 'Does something else.', price_per_invocation: 9 }),
      200,
    );
    assert.deepEqual(proposed.pending_change?.fields, { description: 'Does something else.', price_per_invocation: 9 });
    assert.deepEqual([proposed.status, proposed.revision, proposed.description], ['active', 1, before.description]);
    const seen = await show(stranger, id);
    assert.deepEqual(seen, before);
    assert.equal(Object.hasOwn(seen, 'pending_change'), false);
    const { skills } = assertStatus(await platform().get<SkillList>('/v1/skills/pending-reviews'), 200);
    assert(skills.some((skill) => skill.id === id));
  });

  it('is one more revision once it is approved', async () => {
    const { id } = await publishApproved(owner, sealedSkill);
    const { pending_change } = assertStatus(await patch(id, { input_schema: { type: 'object', title: 'new' } }), 200);
    const approved = assertStatus(await decide(id, 'approve', { change_id: pending_change?.id }), 200);
    assert.deepEqual([approved.revision, approved.pending_change], [2, null]);
    assert.deepEqual((await show(stranger, id)).input_schema, { type: 'object', title: 'new' });
    assertProblem(await decide(id, 'approve', { change_id: pending_change?.id }), 'INVALID_STATE');
  });

  it('is gone once it is rejected, and its owner reads why', async () => {
    const { id } = await publishApproved(owner, sealedSkill);
    const { pending_change } = assertStatus(await patch(id, { description: 'Does harm.' }), 200);
    assertStatus(await decide(id, 'reject', { change_id: pending_change?.id, reason: 'It does harm.' }), 200);
    const { revision, pending_change: left, review, status } = await show(owner, id);
    assert.deepEqual([revision, left, review.rejection_reason, status], [1, null, 'It does harm.', 'active']);
  });

  it('is not approved by who looked at another one', async () => {
    const { id } = await publishApproved(owner, sealedSkill);
    const first = assertStatus(await patch(id, { description: 'One.' }), 200).pending_change;
    const second = assertStatus(await patch(id, { output_schema: { type: 'object' } }), 200).pending_change;
    assert.deepEqual(Object.keys(second?.fields ?? {}), ['description', 'output_schema']);
    assertProblem(await decide(id, 'approve', { change_id: first?.id }), 'INVALID_STATE');
    assertProblem(await decide(id, 'approve', {}), 'INVALID_STATE');
    assertStatus(await decide(id, 'approve', { change_id: second?.id }), 200);
  });

  it('is none where the promise stays, where nobody reviewed it, and where there is no code', async () => {
    const { id } = await publishApproved(owner, sealedSkill);
    const priced = assertStatus(await patch(id, { price_per_invocation: 12, tags: ['new'] }), 200);
    assert.deepEqual([priced.revision, priced.price_per_invocation, priced.pending_change], [2, 12, null]);
    const waiting = await publish(owner, sealedSkill);
    assert.equal(assertStatus(await patch(waiting.id, { description: 'Other.' }), 200).description, 'Other.');
    const open = await publish(owner);
    assert.equal(assertStatus(await patch(open.id, { description: 'Other.' }), 200).revision, 2);
  });

  it('is decided by the platform alone', async () => {
    const { id } = await publishApproved(owner, sealedSkill);
    const { pending_change } = assertStatus(await patch(id, { description: 'Other.' }), 200);
    assertProblem(await owner.post(`/v1/skills/${id}/approve`, { change_id: pending_change?.id }), 'ADMIN_REQUIRED');
  });
});
