import type { Answered, CommandCall } from '../../commands/command.ts';
import { runKeptCommand } from '../../commands/run.ts';
import type { Context } from '../../context/context.ts';
import { assertThat, CarnetError, notFound } from '../../errors/carnet-error.ts';
import { keptSkill, type KeptSkill } from '../kept-skill.ts';
import { dropChange, findPendingChange } from '../publishing/pending-change.ts';
import { changedFields, changeOf } from '../publishing/update-skill.ts';
import { saveChanges, saveState } from '../publishing/write-queries.ts';
import { lockSkillRow } from '../queries.ts';
import type { Skill } from '../schema.ts';
import { showSkill } from '../show-skill.ts';

/**
 * An administrator approves or rejects a change of what an approved skill promises: approved, it is one more revision; rejected, it is gone,
 * and the owner reads why.
 * Its version was checked when it was proposed, and no PATCH since has named it otherwise.
 * @param changeId the change that the administrator looked at
 * @throws CarnetError NOT_FOUND; INVALID_STATE where another waits, or none
 */
export const decideChange = (
  context: Context,
  call: CommandCall,
  { id, changeId, decision }: { id: string; changeId: string; decision: 'approve' | { reject: string } },
): Promise<Answered<Skill>> =>
  runKeptCommand<Skill, KeptSkill>(context, call, {
    kept: keptSkill,
    work: async ({ connection, audit, changed }) => {
      const before = await lockSkillRow(connection, id);
      assertThat(before, () => notFound('skill'));
      const change = await findPendingChange(connection, id);
      assertThat(
        before.review_status === 'approved' && change?.id === changeId,
        () =>
          new CarnetError(
            'INVALID_STATE',
            before.review_status !== 'approved'
              ? 'A change is decided of an approved skill alone; decide about the skill itself first.'
              : change === null
                ? 'No change of this skill waits; it was decided or replaced meanwhile.'
                : `Another change waits, ${change.id}; look at it, and name it in change_id.`,
            { extra: { current_status: before.status } },
          ),
      );
      const { status, review_status } = before;
      const reviewed = { id, reviewed: true };
      if (decision === 'approve') {
        const after = changeOf(before, change.fields);
        if (changedFields(before, after).length > 0) await saveChanges(connection, id, after);
        await saveState(connection, { ...reviewed, next: { status, review_status, rejection_reason: null } });
      } else {
        const next = { status, review_status, rejection_reason: decision.reject };
        await saveState(connection, { ...reviewed, next });
      }
      await dropChange(connection, id);
      const [name, reason] =
        decision === 'approve' ? ['skill.change_approved', {}] : ['skill.change_rejected', { reason: decision.reject }];
      await audit(name, id, { change: changeId, ...reason });
      changed(id);
      return { status: 200, body: await showSkill(context, connection, id) };
    },
  });
