import { z } from 'zod';
import { cursorList } from '../../http/lists/pagination.ts';
import { route } from '../../http/route.ts';
import { changeStatus } from './change-status.ts';
import { presentSkills } from '../presenter.ts';
import { findPendingChanges } from '../publishing/pending-change.ts';
import { listPendingReviews } from '../queries.ts';
import { decideChange } from './decide-change.ts';
import {
  ApproveSkillSchema,
  RejectSkillSchema,
  SkillSchema,
  SkillToReviewSchema,
  TakeDownSkillSchema,
} from '../schema.ts';

const tag = 'platform';
const params = z.object({ id: z.string() });

const waiting = cursorList({
  name: 'skills',
  item: SkillToReviewSchema,
  position: z.object({ id: z.string() }),
  maximum: 1_000,
  standard: 1_000,
});

export const pendingReviews = route({
  method: 'get',
  path: '/v1/skills/pending-reviews',
  operation: 'listPendingSkillReviews',
  tag,
  summary: 'List the skills that wait for review, and those with a change that does, longest waiting first',
  description:
    'For administrators of the platform. A change is in `pending_change` of the skill; read the skill for its code before you decide.',
  audience: 'platform',
  query: z.object(waiting.query),
  status: 200,
  reply: waiting.reply,
  refusals: ['INVALID_CURSOR'],
  handler: async (request) => {
    const { context, caller, query } = request;
    const rows = await listPendingReviews(context.pool, waiting.after(request)?.id ?? null, query.limit + 1);
    const changes = await findPendingChanges(
      context.pool,
      rows.map(({ id }) => id),
    );
    const skills = presentSkills(rows, caller).map((skill) => ({
      ...skill,
      pending_change: changes.get(skill.id) ?? null,
    }));
    return waiting.answer(request, skills, ({ id }) => ({ id }));
  },
});

export const approve = route({
  method: 'post',
  path: '/v1/skills/:id/approve',
  operation: 'approveSkill',
  tag,
  summary: 'Approve a skill that waits for review, or a change of one',
  description:
    'It is public from the answer on. `change_id` names a change of an approved skill; `revision` names the one that was read, where the skill was changed while it waited.',
  audience: 'platform',
  params,
  body: ApproveSkillSchema,
  status: 200,
  reply: SkillSchema,
  refusals: ['NOT_FOUND', 'INVALID_STATE', 'NO_EXECUTABLE_CONTENT'],
  example: { revision: 2 },
  handler: ({ context, call, params: { id }, body: { change_id: changeId, revision } }) =>
    changeId === undefined
      ? changeStatus(context, call, { id, by: 'platform', action: 'approve', revision })
      : decideChange(context, call, { id, changeId, decision: 'approve' }),
});

export const reject = route({
  method: 'post',
  path: '/v1/skills/:id/reject',
  operation: 'rejectSkill',
  tag,
  summary: 'Reject a skill that waits for review, or a change of one',
  description:
    'Its owner sees the reason, and may change the skill and ask again. `change_id` rejects a change alone: what was approved keeps running.',
  audience: 'platform',
  params,
  body: RejectSkillSchema,
  status: 200,
  reply: SkillSchema,
  refusals: ['NOT_FOUND', 'INVALID_STATE'],
  example: { reason: 'The script sends its input elsewhere.' },
  handler: ({ context, call, params: { id }, body: { reason, change_id: changeId } }) =>
    changeId === undefined
      ? changeStatus(context, call, { id, by: 'platform', action: { reject: reason } })
      : decideChange(context, call, { id, changeId, decision: { reject: reason } }),
});

export const takeDown = route({
  method: 'post',
  path: '/v1/admin/skills/:id/suspend',
  operation: 'takeDownSkill',
  tag,
  summary: 'Take a skill down; its owner cannot bring it back without a review',
  description:
    'Nobody but its owner and the platform sees it from the answer on, and nobody can invoke it. Open invocations go on.',
  audience: 'platform',
  params,
  body: TakeDownSkillSchema,
  status: 200,
  reply: SkillSchema,
  refusals: ['NOT_FOUND'],
  example: { reason: 'Reported for fraud.' },
  handler: ({ context, call, params: { id }, body }) =>
    changeStatus(context, call, { id, by: 'platform', action: { takeDown: body.reason } }),
});

export const reviewRoutes = [pendingReviews, approve, reject, takeDown];
