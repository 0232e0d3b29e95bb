import assert from 'node:assert/strict';
import type { Skill } from '../../../src/skills/schema.ts';
import { buildOperator, type TestOperator } from '../../support/factories.ts';
import { assertProblem, assertStatus, platform, type Requester } from '../../support/service.ts';
import { publish, publishApproved, sealedSkill, type SkillList } from '../support.ts';

describe('a change of what an approved skill with code promises', () => {
  let owner: TestOperator;
  let stranger: TestOperator;
  before(async () => {
    [owner, stranger] = [await buildOperator(), await buildOperator()];
  });

  const show = async (reader: Requester, id: string): Promise<Skill> =>
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
    assert.deepEqual(proposed.pending_change?.fields, { description: 'Does something else.' });
    assert.deepEqual([proposed.status, proposed.revision, proposed.description], ['active', 2, before.description]);
    const seen = await show(stranger, id);
    assert.deepEqual(seen, { ...before, price_per_invocation: 9, revision: 2, updated_at: seen.updated_at });
    assert.equal(Object.hasOwn(seen, 'pending_change'), false);
    const { skills } = assertStatus(await platform().get<SkillList>('/v1/skills/pending-reviews'), 200);
    const listed = skills.find((skill) => skill.id === id) as Skill | undefined;
    assert.deepEqual(listed?.pending_change, proposed.pending_change);
    const reviewed = await show(platform(), id);
    assert.deepEqual([reviewed.description, reviewed.pending_change], [before.description, proposed.pending_change]);
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

  it('leaves price and tags to the newest PATCH, and keeps its id while it stays the same', async () => {
    const { id } = await publishApproved(owner, sealedSkill);
    const first = assertStatus(await patch(id, { description: 'One.', price_per_invocation: 99, tags: ['a'] }), 200);
    const later = assertStatus(await patch(id, { description: 'One.', price_per_invocation: 3 }), 200);
    assert.deepEqual(later.pending_change, first.pending_change);
    const approved = assertStatus(await decide(id, 'approve', { change_id: first.pending_change?.id }), 200);
    assert.deepEqual([approved.description, approved.price_per_invocation, approved.tags], ['One.', 3, ['a']]);
  });

  it('is shown to its owner and the platform alone, also where everybody reads the code', async () => {
    const { id } = await publishApproved(owner, { ...sealedSkill, execution_mode: 'source' });
    const { pending_change } = assertStatus(await patch(id, { description: 'One.' }), 200);
    assert.deepEqual((await show(platform(), id)).pending_change, pending_change);
    const seen = await show(stranger, id);
    assert.deepEqual([Object.hasOwn(seen, 'execution_steps'), Object.hasOwn(seen, 'pending_change')], [true, false]);
  });

  it('is withdrawn by a PATCH back to what was approved', async () => {
    const { id, description, output_schema } = await publishApproved(owner, sealedSkill);
    assertStatus(await patch(id, { description: 'One.', output_schema: { type: 'object' }, version: '2.0.0' }), 200);
    const half = assertStatus(await patch(id, { description }), 200);
    assert.deepEqual(half.pending_change?.fields, { output_schema: { type: 'object' }, version: '2.0.0' });
    const none = assertStatus(await patch(id, { output_schema }), 200);
    assert.deepEqual([none.pending_change, none.version, none.revision], [null, '1.0.0', 1]);
    assertProblem(await decide(id, 'approve', { change_id: half.pending_change?.id }), 'INVALID_STATE');
    const { skills } = assertStatus(await platform().get<SkillList>('/v1/skills/pending-reviews'), 200);
    assert(!skills.some((skill) => skill.id === id));
  });

  it('takes the version with it that names it, and a version alone changes immediately', async () => {
    const { id } = await publishApproved(owner, sealedSkill);
    assert.equal(assertStatus(await patch(id, { version: '1.1.0' }), 200).version, '1.1.0');
    const waiting = assertStatus(await patch(id, { output_schema: { type: 'object' }, version: '2.0.0' }), 200);
    assert.deepEqual([waiting.version, waiting.pending_change?.fields.version], ['1.1.0', '2.0.0']);
    const named = assertStatus(await patch(id, { version: '2.0.1' }), 200).pending_change;
    const approved = assertStatus(await decide(id, 'approve', { change_id: named?.id }), 200);
    assert.deepEqual([approved.version, approved.output_schema], ['2.0.1', { type: 'object' }]);
  });

  it('does not overwrite what was changed since the platform took the skill down', async () => {
    const { id } = await publishApproved(owner, sealedSkill);
    const { pending_change } = assertStatus(await patch(id, { description: 'One.' }), 200);
    assertStatus(await platform().post(`/v1/admin/skills/${id}/suspend`, { reason: 'It does harm.' }), 200);
    const newer = assertStatus(await patch(id, { description: 'Two.' }), 200);
    assert.deepEqual([newer.description, newer.pending_change], ['Two.', null]);
    assertProblem(await decide(id, 'approve', { change_id: pending_change?.id }), 'INVALID_STATE');
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
