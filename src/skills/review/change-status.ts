import type { Answered, CommandCall } from '../../commands/command.ts';
import { runKeptCommand } from '../../commands/run.ts';
import type { Context } from '../../context/context.ts';
import { assertThat, CarnetError, notFound } from '../../errors/carnet-error.ts';
import { keptSkill, type KeptSkill } from '../kept-skill.ts';
import { lockSkillRow } from '../queries.ts';
import type { Skill } from '../schema.ts';
import { isAnsweredBySeller } from '../skill-code.ts';
import { lockOwnSkill, showSkill } from '../show-skill.ts';
import { nextState, type NextState, type SkillState, type StatusAction } from '../status.ts';
import { assertMaySpendSellerKey } from '../publishing/seller-key.ts';
import { saveState } from '../publishing/write-queries.ts';

const AUDIT_NAMES = {
  suspend: 'skill.suspended',
  activate: 'skill.activated',
  unlist: 'skill.unlisted',
  approve: 'skill.approved',
} as const;

const auditName = (action: StatusAction): string => {
  if (typeof action === 'string') return AUDIT_NAMES[action];
  return 'reject' in action ? 'skill.rejected' : 'skill.taken_down';
};

const differs = (before: SkillState, after: NextState): boolean =>
  before.status !== after.status ||
  before.review_status !== after.review_status ||
  before.rejection_reason !== after.rejection_reason;

/** Nobody approves what they have not read: an owner changes a skill while it waits (decision K1). */
const assertSeen = (skill: { revision: number; status: string }, seen: number | undefined): void =>
  assertThat(
    seen === skill.revision || (seen === undefined && skill.revision === 1),
    () =>
      new CarnetError(
        'INVALID_STATE',
        `The skill was changed while it waited and is at revision ${skill.revision}; read it, and name that in \`revision\`.`,
        { extra: { current_status: skill.status } },
      ),
  );

/**
 * Moves a skill to the state that follows the action; one that is in that state already is answered unchanged.
 * @param by `owner` for suspend, activate and unlist; `platform` for the review, whose routes admit nobody else.
 * @param revision the one that an administrator read before they approve it; may be left out where there was never another
 * @throws CarnetError NOT_FOUND, NOT_OWNER, INVALID_STATE, NO_EXECUTABLE_CONTENT; ADMIN_REQUIRED for bringing back one that its seller's key
 *   answers
 */
export const changeStatus = (
  context: Context,
  call: CommandCall,
  {
    id,
    by,
    action,
    revision,
  }: { id: string; by: 'owner' | 'platform'; action: StatusAction; revision?: number | undefined },
): Promise<Answered<Skill>> =>
  runKeptCommand<Skill, KeptSkill>(context, call, {
    kept: keptSkill,
    work: async ({ connection, audit, changed }) => {
      const before =
        by === 'owner' ? await lockOwnSkill(connection, call.caller, id) : await lockSkillRow(connection, id);
      assertThat(before, () => notFound('skill'));
      const after = nextState(before, action);
      if (action === 'activate' && before.status === 'suspended' && isAnsweredBySeller(before))
        assertMaySpendSellerKey(call.caller);
      if (action === 'approve' && after.status !== before.status) assertSeen(before, revision);
      if (differs(before, after)) {
        await saveState(connection, { id, next: after, reviewed: by === 'platform' });
        const reason = typeof action === 'string' ? {} : { reason: after.rejection_reason };
        await audit(auditName(action), id, { from: before.status, to: after.status, ...reason });
        changed(id);
      }
      return { status: 200, body: await showSkill(context, connection, id) };
    },
  });
