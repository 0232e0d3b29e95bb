import assert from 'node:assert/strict';
import type { ErrorCode } from '../../../src/errors/codes.ts';
import { CarnetError } from '../../../src/errors/carnet-error.ts';
import type { ReviewStatus, Skill, SkillStatus } from '../../../src/skills/schema.ts';
import { nextState, type SkillState, type StatusAction } from '../../../src/skills/status.ts';
import {
  buildAgent,
  buildAgentKey,
  buildMemberKey,
  buildOperator,
  type TestOperator,
} from '../../support/factories.ts';
import { anonymous, assertProblem, assertStatus, platform, type Requester } from '../../support/service.ts';
import { publish, publishApproved, sealedSkill, type SkillList } from '../support.ts';

/** Every state that can be, and where each action leads from it: a state, or a refusal. */
type State = `${SkillStatus}/${ReviewStatus}`;
type Outcome = State | ErrorCode;
const actions = ['suspend', 'activate', 'unlist', 'approve', 'reject', 'takeDown'] as const;
const machine: Record<string, readonly [Outcome, Outcome, Outcome, Outcome, Outcome, Outcome]> = {
  //                          suspend                 activate                  unlist               approve            reject                takeDown
  'active/exempt': [
    'suspended/exempt',
    'active/exempt',
    'unlisted/exempt',
    'INVALID_STATE',
    'INVALID_STATE',
    'suspended/taken_down',
  ],
  'active/approved': [
    'suspended/approved',
    'active/approved',
    'unlisted/approved',
    'INVALID_STATE',
    'INVALID_STATE',
    'suspended/taken_down',
  ],
  'unlisted/exempt': [
    'suspended/exempt',
    'active/exempt',
    'unlisted/exempt',
    'INVALID_STATE',
    'INVALID_STATE',
    'suspended/taken_down',
  ],
  'unlisted/approved': [
    'suspended/approved',
    'active/approved',
    'unlisted/approved',
    'INVALID_STATE',
    'INVALID_STATE',
    'suspended/taken_down',
  ],
  'suspended/exempt': [
    'suspended/exempt',
    'active/exempt',
    'INVALID_STATE',
    'INVALID_STATE',
    'INVALID_STATE',
    'suspended/taken_down',
  ],
  'suspended/approved': [
    'suspended/approved',
    'active/approved',
    'INVALID_STATE',
    'INVALID_STATE',
    'INVALID_STATE',
    'suspended/taken_down',
  ],
  'suspended/pending': [
    'suspended/pending',
    'pending_review/pending',
    'INVALID_STATE',
    'INVALID_STATE',
    'INVALID_STATE',
    'suspended/taken_down',
  ],
  'suspended/rejected': [
    'suspended/rejected',
    'pending_review/pending',
    'INVALID_STATE',
    'INVALID_STATE',
    'INVALID_STATE',
    'suspended/taken_down',
  ],
  'suspended/taken_down': [
    'suspended/taken_down',
    'pending_review/pending',
    'INVALID_STATE',
    'INVALID_STATE',
    'INVALID_STATE',
    'suspended/taken_down',
  ],
  'pending_review/pending': [
    'suspended/pending',
    'INVALID_STATE',
    'INVALID_STATE',
    'active/approved',
    'suspended/rejected',
    'suspended/taken_down',
  ],
};

const outcomeOf = (state: SkillState, action: StatusAction): string => {
  try {
    const { status, review_status: review } = nextState(state, action);
    return `${status}/${review}`;
  } catch (error) {
    assert(error instanceof CarnetError);
    return error.code;
  }
};

const stateOf = (text: string): SkillState => {
  const [status, review] = text.split('/') as [SkillStatus, ReviewStatus];
  return { status, review_status: review, rejection_reason: null, execution_mode: 'open', executable: false };
};

const actionOf = (name: (typeof actions)[number]): StatusAction => {
  if (name === 'reject') return { reject: 'no' };
  return name === 'takeDown' ? { takeDown: 'no' } : name;
};

describe('the status of a skill', () => {
  for (const [from, outcomes] of Object.entries(machine)) {
    for (const [at, action] of actions.entries()) {
      const to = outcomes[at] ?? assert.fail();
      it(`${from}, ${action}: ${to}`, () => assert.equal(outcomeOf(stateOf(from), actionOf(action)), to));
    }
  }

  it('leads to no state that is not in the table', () => {
    const reached = Object.values(machine)
      .flat()
      .filter((outcome) => outcome.includes('/'));
    for (const state of reached) assert(state in machine, state);
  });

  for (const [mode, executable, outcome] of [
    ['sealed', false, 'NO_EXECUTABLE_CONTENT'],
    ['source', false, 'NO_EXECUTABLE_CONTENT'],
    ['open', false, 'active/approved'],
    ['sealed', true, 'active/approved'],
  ] as const) {
    it(`${mode} with${executable ? '' : 'out'} executable content, approve: ${outcome}`, () => {
      assert.equal(
        outcomeOf({ ...stateOf('pending_review/pending'), execution_mode: mode, executable }, 'approve'),
        outcome,
      );
    });
  }

  it('keeps the reason until the next decision', () => {
    const rejected = nextState(stateOf('pending_review/pending'), { reject: 'too slow' });
    assert.equal(rejected.rejection_reason, 'too slow');
    const again = nextState({ ...stateOf('suspended/rejected'), rejection_reason: 'too slow' }, 'activate');
    assert.equal(again.rejection_reason, null);
  });
});

for (const action of ['suspend', 'activate', 'unlist'] as const) {
  describe(`POST /v1/skills/:id/${action}`, () => {
    let owner: TestOperator;
    let other: TestOperator;
    const path = (id: string) => `/v1/skills/${id}/${action}`;

    before(async () => {
      [owner, other] = await Promise.all([buildOperator(), buildOperator()]);
    });

    it('requires authentication', async () =>
      assertProblem(await anonymous().post(path((await publish(owner)).id)), 'UNAUTHENTICATED'));
    it('is for the owner alone', async () => {
      const { id } = await publish(owner);
      assertProblem(await other.post(path(id)), 'NOT_OWNER');
      assertProblem(await platform().post(path(id)), 'NOT_OWNER');
    });
    it('hides from others what they may not see', async () => {
      assertProblem(await other.post(path((await publish(owner, sealedSkill)).id)), 'NOT_FOUND');
      assertProblem(await owner.post(path('skl_x')), 'NOT_FOUND');
    });
    it('takes no body', async () => {
      const { id } = await publish(owner);
      assertProblem(await owner.post(path(id), { reason: 'x' }), 'VALIDATION_ERROR', 'reason');
      assertStatus(await owner.post(path(id), {}), 200);
    });
    it('answers the skill, and the same again', async () => {
      const { id } = await publish(owner);
      const first = assertStatus(await owner.post<Skill>(path(id)), 200);
      assert.equal(first.status, { suspend: 'suspended', activate: 'active', unlist: 'unlisted' }[action]);
      assert.deepEqual(assertStatus(await owner.post<Skill>(path(id)), 200), first);
      assert.deepEqual(assertStatus(await owner.get<Skill>(`/v1/skills/${id}`), 200), first);
    });
    it('leaves all else of the skill as it was', async () => {
      const before = await publish(owner);
      if (action === 'activate') assertStatus(await owner.post(`/v1/skills/${before.id}/suspend`), 200);
      const {
        status: _status,
        updated_at: _updated,
        ...after
      } = assertStatus(await owner.post<Skill>(path(before.id)), 200);
      const { status: _was, updated_at: _then, ...all } = before;
      assert.deepEqual(after, all);
    });
    it('is for members and agents of the owner', async () => {
      const { id } = await publish(owner);
      assertStatus(await (await buildMemberKey(owner)).post(path(id)), 200);
      assertStatus(await (await buildAgentKey(owner, (await buildAgent(owner)).id)).post(path(id)), 200);
    });
  });
}

describe('GET /v1/skills/pending-reviews', () => {
  it('requires authentication', async () =>
    assertProblem(await anonymous().get('/v1/skills/pending-reviews'), 'UNAUTHENTICATED'));
  it('is for the platform', async () =>
    assertProblem(await (await buildOperator()).get('/v1/skills/pending-reviews'), 'ADMIN_REQUIRED'));

  it('lists what waits, longest waiting first, without code', async () => {
    const owner = await buildOperator();
    const ids = [(await publish(owner, sealedSkill)).id, (await publish(owner, sealedSkill)).id];
    const decided = (await publishApproved(owner, sealedSkill)).id;
    const { skills } = assertStatus(await platform().get<SkillList>('/v1/skills/pending-reviews'), 200);
    const own = skills.filter(({ id }) => [...ids, decided].includes(id));
    assert.deepEqual(
      own.map(({ id, status }) => [id, status]),
      ids.map((id) => [id, 'pending_review']),
    );
    assert(skills.every((skill) => !('execution_steps' in skill)));
  });
});

for (const action of ['approve', 'reject'] as const) {
  describe(`POST /v1/skills/:id/${action}`, () => {
    let owner: TestOperator;
    const path = (id: string) => `/v1/skills/${id}/${action}`;

    before(async () => {
      owner = await buildOperator();
    });

    it('requires authentication', async () => assertProblem(await anonymous().post(path('skl_x')), 'UNAUTHENTICATED'));
    it('is for the platform', async () => {
      const { id } = await publish(owner, sealedSkill);
      for (const caller of [owner, await buildMemberKey(owner)])
        assertProblem(await caller.post(path(id)), 'ADMIN_REQUIRED');
    });
    it('answers 404 for an unknown skill', async () =>
      assertProblem(await platform().post(path('skl_x')), 'NOT_FOUND'));
    it('refuses a skill that does not wait for review', async () => {
      const reply = await platform().post(path((await publish(owner)).id));
      assertProblem(reply, 'INVALID_STATE');
      assert.equal(reply.body.current_status, 'active');
    });
    it('decides once, by the first caller', async () => {
      const { id } = await publish(owner, sealedSkill);
      const replies = await Promise.all(Array.from({ length: 6 }, () => platform().post(path(id))));
      assert.deepEqual(replies.map(({ status }) => String(status)).toSorted(), [
        '200',
        '409',
        '409',
        '409',
        '409',
        '409',
      ]);
    });
  });
}

describe('the review of a skill', () => {
  let owner: TestOperator;
  let other: TestOperator;

  before(async () => {
    [owner, other] = await Promise.all([buildOperator(), buildOperator()]);
  });

  it('makes it public when approved', async () => {
    const skill = await publishApproved(owner, sealedSkill);
    assert.deepEqual([skill.status, skill.review.status], ['active', 'approved']);
    assert(skill.review.reviewed_at !== null);
    assertStatus(await other.get(`/v1/skills/${skill.id}`), 200);
  });

  it('suspends it with the reason when rejected, and takes it again', async () => {
    const { id } = await publish(owner, sealedSkill);
    const rejected = assertStatus(
      await platform().post<Skill>(`/v1/skills/${id}/reject`, { reason: 'It phones home' }),
      200,
    );
    assert.deepEqual(
      [rejected.status, rejected.review.status, rejected.review.rejection_reason],
      ['suspended', 'rejected', 'It phones home'],
    );
    const again = assertStatus(await owner.post<Skill>(`/v1/skills/${id}/activate`), 200);
    assert.deepEqual([again.status, again.review.rejection_reason], ['pending_review', null]);
    assertProblem(await owner.post(`/v1/skills/${id}/activate`), 'INVALID_STATE');
  });

  it('has a default reason where none is given', async () => {
    for (const body of [undefined, {}]) {
      const { id } = await publish(owner, sealedSkill);
      assert.equal(
        assertStatus(await platform().post<Skill>(`/v1/skills/${id}/reject`, body), 200).review.rejection_reason,
        'Rejected by admin',
      );
    }
  });

  it('approves what was read: a skill that its owner changed while it waited is named by its revision', async () => {
    const { id } = await publish(owner, sealedSkill);
    assertStatus(await owner.patch(`/v1/skills/${id}`, { description: 'Something else.' }), 200);
    const approve = (body?: object) => platform().post<Skill>(`/v1/skills/${id}/approve`, body);
    for (const body of [undefined, { revision: 1 }, { revision: 3 }])
      assertProblem(await approve(body), 'INVALID_STATE');
    assert.equal(assertStatus(await approve({ revision: 2 }), 200).status, 'active');
  });

  it('refuses to approve a sealed skill that has nothing to execute', async () => {
    const { id } = await publish(owner, { execution_mode: 'sealed', execution_script: 'x', execution_runtime: 'none' });
    assertProblem(await platform().post(`/v1/skills/${id}/approve`), 'NO_EXECUTABLE_CONTENT');
  });
});

describe('POST /v1/admin/skills/:id/suspend', () => {
  let owner: TestOperator;
  const path = (id: string) => `/v1/admin/skills/${id}/suspend`;

  before(async () => {
    owner = await buildOperator();
  });

  it('requires authentication', async () =>
    assertProblem(await anonymous().post(path('skl_x'), { reason: 'x' }), 'UNAUTHENTICATED'));
  it('is for the platform', async () =>
    assertProblem(await owner.post(path((await publish(owner)).id), { reason: 'x' }), 'ADMIN_REQUIRED'));
  it('needs a reason', async () =>
    assertProblem(await platform().post(path((await publish(owner)).id)), 'VALIDATION_ERROR', 'reason'));
  it('answers 404 for an unknown skill', async () =>
    assertProblem(await platform().post(path('skl_x'), { reason: 'x' }), 'NOT_FOUND'));

  it('hides it from all others with its versions and ratings, also while a review rejects it again', async () => {
    const stranger = await buildOperator();
    const { id } = await publish(owner);
    const seen = async (caller: Requester) =>
      (
        await Promise.all(
          ['', '/versions', '/ratings'].map((part) => caller.get<{ code?: string }>(`/v1/skills/${id}${part}`)),
        )
      ).map(({ body }) => body.code ?? 'shown');
    const none = ['NOT_FOUND', 'NOT_FOUND', 'NOT_FOUND'];
    const all = ['shown', 'shown', 'shown'];
    assert.deepEqual(await seen(stranger), all);
    assertStatus(await platform().post(path(id), { reason: 'Reported for fraud' }), 200);
    assert.deepEqual([await seen(stranger), await seen(owner), await seen(platform())], [none, all, all]);
    assertStatus(await owner.post(`/v1/skills/${id}/activate`), 200);
    assertStatus(await platform().post(`/v1/skills/${id}/reject`, { reason: 'Still fraud' }), 200);
    assert.deepEqual([await seen(stranger), await seen(owner)], [none, all]);
  });

  it('takes a public skill offline, and its owner brings it back only through a review', async () => {
    const { id } = await publish(owner);
    const taken = assertStatus(await platform().post<Skill>(path(id), { reason: 'Reported for fraud' }), 200);
    assert.deepEqual(
      [taken.status, taken.review.status, taken.review.rejection_reason],
      ['suspended', 'taken_down', 'Reported for fraud'],
    );
    const agent = await buildAgentKey(owner, (await buildAgent(owner)).id);
    for (const bearer of [owner, await buildMemberKey(owner), agent]) {
      assertProblem(await bearer.post(`/v1/skills/${id}/unlist`), 'INVALID_STATE');
      assert.equal(assertStatus(await bearer.post<Skill>(`/v1/skills/${id}/activate`), 200).status, 'pending_review');
      assertProblem(await bearer.post(`/v1/skills/${id}/activate`), 'INVALID_STATE');
      assertStatus(await bearer.post(`/v1/skills/${id}/suspend`), 200);
      assertProblem(await bearer.post(`/v1/skills/${id}/approve`), 'ADMIN_REQUIRED');
    }
    assert.equal(assertStatus(await owner.post<Skill>(`/v1/skills/${id}/activate`), 200).status, 'pending_review');
    assert.equal(assertStatus(await platform().post<Skill>(`/v1/skills/${id}/approve`), 200).status, 'active');
  });
});
