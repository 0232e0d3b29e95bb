import { credentialName, isPerson, type Caller } from '../../commands/caller.ts';
import type { Answered, CommandCall } from '../../commands/command.ts';
import type { GovernedAct } from '../../commands/governed-acts.ts';
import { runCommand } from '../../commands/run.ts';
import type { Context } from '../../context/context.ts';
import { assertThat, CarnetError, notFound } from '../../errors/carnet-error.ts';
import {
  countMembers,
  countOwners,
  deleteMember,
  findMember,
  insertMember,
  listDeciders,
  listMembers,
  membershipsOf,
  seatsOf,
} from './queries.ts';
import type { AddMember, Member, Role } from './schema.ts';
import { lockOperator } from '../operators/queries.ts';
import { actToOutlive } from '../outlive.ts';

/** Names the act that a person has to decide where people who may approve are made or removed; null: a key may. */
const ACTS = {
  added: { owner: 'member.owner_added', admin: 'member.admin_added', member: null },
  deleted: { owner: 'member.owner_deleted', admin: 'member.admin_deleted', member: null },
} as const satisfies Record<string, Record<Role, GovernedAct | null>>;

/**
 * Invites a person while there is a free seat, of the tier or a bought one. The operator is locked while seats are
 * counted, so that two calls in parallel cannot both take the last one.
 * @throws CarnetError TIER_LIMIT_EXCEEDED with `limit` and `used`; CONFLICT for the address of a member; for an owner or
 *   administrator, and by a credential that ends, GOVERNANCE_APPROVAL_REQUIRED, NOT_OWNER.
 */
export const addMember = (context: Context, call: CommandCall, body: AddMember): Promise<Answered<Member>> =>
  runCommand(context, call, async (unit) => {
    const { connection, audit } = unit;
    const { operatorId } = call.caller;
    const operator = await lockOperator(connection, operatorId);
    assertThat(operator, () => notFound('operator'));
    const { total: limit, in_use: used, ceiling } = await seatsOf(connection, operatorId);
    if (limit !== null && used >= limit) {
      const remedy =
        ceiling === null || limit < ceiling ? 'buy seats, or change to a larger tier' : 'or change to a larger tier';
      const detail = `There are ${limit} seats on tier ${operator.tier} and ${used} are taken; delete a member, ${remedy}.`;
      throw new CarnetError('TIER_LIMIT_EXCEEDED', detail, { extra: { limit, used } });
    }
    const memberships = await membershipsOf(connection, body.email);
    assertThat(
      memberships.every(({ operator_id }) => operator_id !== operatorId),
      () =>
        new CarnetError(
          'CONFLICT',
          'A member has this e-mail address already; delete that member first to give it another role.',
        ),
    );
    const act =
      ACTS.added[body.role] ??
      (await actToOutlive(connection, call.caller, { act: 'member.outlives_maker', end: null }));
    const refused =
      act === null
        ? null
        : await context.requireApproval(unit, call, {
            act,
            subject: { deciders: await listDeciders(connection, operatorId) },
          });
    if (refused !== null) return refused;
    // The act that a person did or approved stands on its own.
    const invitedBy = act === null && !isPerson(call.caller) ? credentialName(call.caller) : null;
    const member = await insertMember(connection, { ...body, operatorId, joined: false, invitedBy });
    await audit('member.invited', member.id, { role: member.role });
    await context.recordEvent(connection, {
      operatorId,
      type: 'member.invited',
      severity: 'warning',
      payload: { member_id: member.id, role: member.role, invited_by: credentialName(call.caller) },
    });
    return { status: 201, body: member, location: `/v1/members/${member.id}` };
  });

/** @throws CarnetError NOT_FOUND for an unknown or foreign member. */
export async function readMember(context: Context, caller: Caller, memberId: string): Promise<Member> {
  const member = await findMember(context.pool, caller.operatorId, memberId);
  assertThat(member, () => notFound('member'));
  return member;
}

export async function pageOfMembers(
  { pool }: Context,
  { operatorId }: Caller,
  page: { limit: number; offset: number },
): Promise<{ items: Member[]; total: number }> {
  const [items, total] = await Promise.all([listMembers(pool, operatorId, page), countMembers(pool, operatorId)]);
  return { items: [...items], total };
}

/**
 * Removes a person; their dashboard sessions end with the commit.
 * @throws CarnetError NOT_FOUND; INVALID_STATE for the last owner, without whom nobody could approve anything; for an
 *   owner or administrator GOVERNANCE_APPROVAL_REQUIRED, NOT_OWNER.
 */
export const removeMember = (
  context: Context,
  call: CommandCall,
  memberId: string,
): Promise<Answered<{ deleted: true }>> =>
  runCommand(context, call, async (unit) => {
    const { connection, audit, changed } = unit;
    const { operatorId } = call.caller;
    await lockOperator(connection, operatorId);
    const member = await findMember(connection, operatorId, memberId);
    assertThat(member, () => notFound('member'));
    assertThat(
      member.role !== 'owner' || member.status === 'invited' || (await countOwners(connection, operatorId)) > 1,
      () => new CarnetError('INVALID_STATE', 'This is the last owner; add another owner before you delete this one.'),
    );
    const act = ACTS.deleted[member.role];
    const refused =
      act === null
        ? null
        : await context.requireApproval(unit, call, {
            act,
            subject: { member, deciders: await listDeciders(connection, operatorId) },
          });
    if (refused !== null) return refused;
    await deleteMember(connection, member.id);
    await audit('member.deleted', member.id, { role: member.role });
    changed(member.id);
    return { status: 200, body: { deleted: true } };
  });
