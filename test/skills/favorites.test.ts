import assert from 'node:assert/strict';
import { buildAgent, buildAgentKey, buildOperator, type TestOperator } from '../support/factories.ts';
import { anonymous, assertProblem, assertStatus, platform, type Requester } from '../support/service.ts';
import { publish, sealedSkill } from './support.ts';

interface Favorites {
  skills: { id: string }[];
  next_cursor: string | null;
  has_more: boolean;
}

const favoritesOf = async (caller: Requester): Promise<string[]> =>
  assertStatus(await caller.get<Favorites>('/v1/skills/favorites'), 200).skills.map(({ id }) => id);

describe('favourites', () => {
  let owner: TestOperator;
  let caller: TestOperator;

  before(async () => {
    owner = await buildOperator();
  });
  beforeEach(async () => {
    caller = await buildOperator();
  });

  for (const method of ['post', 'delete'] as const) {
    describe(`${method.toUpperCase()} /v1/skills/:id/favorite`, () => {
      const favorited = method === 'post';
      it('requires authentication', async () =>
        assertProblem(
          await anonymous()[method](`/v1/skills/${(await publish(owner)).id}/favorite`),
          'UNAUTHENTICATED',
        ));
      it('answers 404 for a skill that the caller may not see', async () => {
        assertProblem(await caller[method]('/v1/skills/skl_x/favorite'), 'NOT_FOUND');
        assertProblem(
          await caller[method](`/v1/skills/${(await publish(owner, sealedSkill)).id}/favorite`),
          'NOT_FOUND',
        );
      });
      it('answers the same however often', async () => {
        const { id } = await publish(owner);
        for (let time = 0; time < 3; time += 1) {
          assert.deepEqual(assertStatus(await caller[method](`/v1/skills/${id}/favorite`), 200), { favorited });
          assert.deepEqual(await favoritesOf(caller), favorited ? [id] : []);
        }
      });
    });
  }

  describe('GET /v1/skills/favorites', () => {
    it('requires authentication', async () =>
      assertProblem(await anonymous().get('/v1/skills/favorites'), 'UNAUTHENTICATED'));

    it('says of one skill whether it is among them, by skill_id', async () => {
      const [one, other] = [await publish(owner), await publish(owner)];
      assertStatus(await caller.post(`/v1/skills/${one.id}/favorite`), 200);
      const found = async (id: string): Promise<string[]> => {
        const reply = await caller.get<Favorites>(`/v1/skills/favorites?skill_id=${id}`);
        return assertStatus(reply, 200).skills.map((skill) => skill.id);
      };
      assert.deepEqual([await found(one.id), await found(other.id)], [[one.id], []]);
    });

    it('lists the operator’s own, last added first, for all of its keys', async () => {
      const ids = [(await publish(owner)).id, (await publish(owner)).id, (await publish(owner)).id];
      const agent = await buildAgentKey(caller, (await buildAgent(caller)).id);
      for (const id of ids) assertStatus(await agent.post(`/v1/skills/${id}/favorite`), 200);
      assert.deepEqual(await favoritesOf(caller), ids.toReversed());
      assert.deepEqual(await favoritesOf(await buildOperator()), []);
      assertStatus(await caller.delete(`/v1/skills/${ids[1]}/favorite`), 200);
      assert.deepEqual(await favoritesOf(agent), [ids[2], ids[0]]);
    });

    it('continues by cursor', async () => {
      const ids = [(await publish(owner)).id, (await publish(owner)).id, (await publish(owner)).id];
      for (const id of ids) assertStatus(await caller.post(`/v1/skills/${id}/favorite`), 200);
      const first = assertStatus(await caller.get<Favorites>('/v1/skills/favorites?limit=2'), 200);
      const second = assertStatus(
        await caller.get<Favorites>(`/v1/skills/favorites?limit=2&cursor=${first.next_cursor ?? ''}`),
        200,
      );
      assert.deepEqual(
        [...first.skills, ...second.skills].map(({ id }) => id),
        ids.toReversed(),
      );
      assert.deepEqual([second.has_more, second.next_cursor], [false, null]);
    });

    it('keeps a suspended skill, and hides one that went back to review', async () => {
      const { id } = await publish(owner);
      assertStatus(await caller.post(`/v1/skills/${id}/favorite`), 200);
      assertStatus(await owner.post(`/v1/skills/${id}/suspend`), 200);
      assert.deepEqual(await favoritesOf(caller), [id]);
      assertStatus(await platform().post(`/v1/admin/skills/${id}/suspend`, { reason: 'fraud' }), 200);
      assertStatus(await owner.post(`/v1/skills/${id}/activate`), 200);
      assert.deepEqual(await favoritesOf(caller), []);
    });

    it('lets one be removed that the caller may not see by now, once', async () => {
      const { id } = await publish(owner);
      assertStatus(await caller.post(`/v1/skills/${id}/favorite`), 200);
      assertStatus(await platform().post(`/v1/admin/skills/${id}/suspend`, { reason: 'fraud' }), 200);
      assertStatus(await owner.post(`/v1/skills/${id}/activate`), 200);
      assert.deepEqual(assertStatus(await caller.delete(`/v1/skills/${id}/favorite`), 200), { favorited: false });
      assertProblem(await caller.delete(`/v1/skills/${id}/favorite`), 'NOT_FOUND');
      assertStatus(await platform().post(`/v1/skills/${id}/approve`), 200);
      assert.deepEqual(await favoritesOf(caller), []);
    });
  });
});

describe('GET /v1/skills/mine', () => {
  it('requires authentication', async () => assertProblem(await anonymous().get('/v1/skills/mine'), 'UNAUTHENTICATED'));

  it('lists the operator’s own in every status, newest first, without code', async () => {
    const owner = await buildOperator();
    await publish(await buildOperator());
    const ids = [(await publish(owner, sealedSkill)).id, (await publish(owner)).id, (await publish(owner)).id];
    assertStatus(await owner.post(`/v1/skills/${ids[1]}/suspend`), 200);
    const {
      skills,
      has_more: more,
      next_cursor: cursor,
    } = assertStatus(await owner.get<Favorites>('/v1/skills/mine'), 200);
    assert.deepEqual(
      skills.map(({ id }) => id),
      ids.toReversed(),
    );
    assert.deepEqual([more, cursor], [false, null]);
    assert(skills.every((skill) => !('execution_steps' in skill)));
  });

  it('continues by a cursor that holds for its operator alone', async () => {
    const owner = await buildOperator();
    const ids = [(await publish(owner)).id, (await publish(owner)).id];
    const first = assertStatus(await owner.get<Favorites>('/v1/skills/mine?limit=1'), 200);
    const path = `/v1/skills/mine?limit=1&cursor=${first.next_cursor ?? ''}`;
    assert.deepEqual(
      [first.skills[0]?.id, assertStatus(await owner.get<Favorites>(path), 200).skills[0]?.id],
      ids.toReversed(),
    );
    assertProblem(await (await buildOperator()).get(path), 'INVALID_CURSOR');
  });
});
