import assert from 'node:assert/strict';
import type { ListedSkill } from '../../../src/skills/schema.ts';
import { fields, schemaOf } from '../../skill-requests/support.ts';
import { buildOperator, suspend, unique, type TestOperator } from '../../support/factories.ts';
import { anonymous, assertProblem, assertStatus, type Requester } from '../../support/service.ts';
import { publish, sealedSkill } from '../support.ts';

const similarTo = async (caller: Requester, id: string) =>
  assertStatus(
    await caller.get<{ skills: { skill: ListedSkill; score: number }[] }>(`/v1/skills/${id}/similar`),
    200,
  ).skills.map(({ skill, score }) => [skill.id, score]);

describe('GET /v1/skills/:id/similar', () => {
  let owner: TestOperator;
  let other: TestOperator;

  before(async () => {
    [owner, other] = await Promise.all([buildOperator(), buildOperator()]);
  });

  it('requires authentication', async () =>
    assertProblem(await anonymous().get(`/v1/skills/${(await publish(owner)).id}/similar`), 'UNAUTHENTICATED'));

  it('shows what needs what the skill takes and gives what it gives, best first, and not the skill', async () => {
    const [a, b, c, d] = fields('a', 'b', 'c', 'd');
    const skill = await publish(owner, { input_schema: schemaOf(a, b), output_schema: schemaOf(c, d) });
    const half = await publish(other, { input_schema: schemaOf(a, 'more'), output_schema: schemaOf(c) });
    const equal = await publish(other, { input_schema: schemaOf(a), output_schema: schemaOf(c, d, 'more') });
    const ownOne = await publish(owner, { input_schema: schemaOf('more'), output_schema: schemaOf(c, d) });
    const closed = await publish(other, {
      accepts_requests: false,
      input_schema: schemaOf(a, b),
      output_schema: schemaOf('more'),
    });
    for (const caller of [owner, other])
      assert.deepEqual(await similarTo(caller, skill.id), [
        [equal.id, 1],
        [closed.id, 0.5],
        [ownOne.id, 0.5],
        [half.id, 0.5],
      ]);
  });

  it('is not what is off the market', async () => {
    const [a] = fields('a');
    const schemas = { input_schema: schemaOf(a), output_schema: schemaOf(a) };
    const skill = await publish(owner, schemas);
    const banned = await buildOperator();
    await publish(banned, schemas);
    await suspend(banned.operatorId);
    await publish(other, { ...sealedSkill, ...schemas });
    const unlisted = await publish(other, schemas);
    assertStatus(await other.post(`/v1/skills/${unlisted.id}/unlist`), 200);
    const changed = await publish(other, schemas);
    assert.deepEqual(await similarTo(other, skill.id), [[changed.id, 1]]);
    assertStatus(
      await other.patch(`/v1/skills/${changed.id}`, {
        version: '2.0.0',
        input_schema: schemaOf('x'),
        output_schema: schemaOf('x'),
      }),
      200,
    );
    assert.deepEqual(await similarTo(other, skill.id), []);
  });

  it('shares words where the schemas name nothing', async () => {
    const word = unique('word').replace('-', '');
    const plain = { input_schema: {}, output_schema: {} };
    const skill = await publish(owner, { ...plain, name: `it-${word}` });
    const named = await publish(other, { ...plain, description: `It is ${word}` });
    assert.equal((await similarTo(other, skill.id))[0]?.[0], named.id);
  });

  it('is ten at most', async () => {
    const [a] = fields('a');
    const schemas = { input_schema: schemaOf(a), output_schema: schemaOf(a) };
    const { id } = await publish(owner, schemas);
    for (let at = 0; at < 11; at += 1) await publish(other, schemas);
    assert.equal((await similarTo(other, id)).length, 10);
  });

  it('hides a skill that the caller may not see', async () => {
    const { id } = await publish(owner, sealedSkill);
    assertProblem(await other.get(`/v1/skills/${id}/similar`), 'NOT_FOUND');
    assertProblem(await other.get('/v1/skills/skl_none/similar'), 'NOT_FOUND');
    assert.deepEqual((await owner.get(`/v1/skills/${id}/similar`)).status, 200);
  });
});
