import { actToOutlive } from '../../accounts/index.ts';
import type { Caller } from '../../commands/caller.ts';
import type { CommandCall, CommittedRefusal } from '../../commands/command.ts';
import type { Unit } from '../../commands/unit.ts';
import type { Context } from '../../context/context.ts';
import { assertThat, CarnetError } from '../../errors/carnet-error.ts';
import type { PublishSkill } from '../schema.ts';
import { isAnsweredBySeller } from '../skill-code.ts';
import { isNameTaken } from './write-queries.ts';

/**
 * The key of a seller is entered by administrators, so they decide what strangers may ask by it, and for which price.
 * @throws CarnetError ADMIN_REQUIRED
 */
export function assertMaySpendSellerKey(caller: Caller): void {
  assertThat(
    caller.kind === 'operator' && caller.role !== 'member',
    () =>
      new CarnetError(
        'ADMIN_REQUIRED',
        'The steps of such a skill are answered by the key of your operator for the model provider: this needs a credential of role admin.',
      ),
  );
}

/**
 * Asks for an approval where a skill that is answered by its seller's key would outlive the bearer that publishes it (decision K38).
 * @returns the refusal; null: nobody has to approve
 * @throws CarnetError SKILL_NAME_TAKEN: a bad request makes no approval
 */
export async function approvalToSpend(
  context: Context,
  { unit, call, body }: { unit: Unit; call: CommandCall; body: PublishSkill },
): Promise<CommittedRefusal | null> {
  if (!isAnsweredBySeller(body)) return null;
  const act = await actToOutlive(unit.connection, call.caller, { act: 'skill.outlives_maker', end: null });
  if (act === null) return null;
  assertThat(
    !(await isNameTaken(unit.connection, { operatorId: call.caller.operatorId, name: body.name })),
    () => new CarnetError('SKILL_NAME_TAKEN', 'You already have a skill of this name; choose another name.'),
  );
  return await context.requireApproval(unit, call, { act, subject: null });
}
