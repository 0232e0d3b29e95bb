import { countAdministrators, findMembership } from '../accounts/index.ts';
import { mayApprove, type Caller } from '../commands/caller.ts';
import { isGovernedAct } from '../commands/governed-acts.ts';
import type { Answered, CommandCall } from '../commands/command.ts';
import { runCommand } from '../commands/run.ts';
import type { Context } from '../context/context.ts';
import type { CommonQueryMethods } from '../database/pool.ts';
import type { Encryption } from '../context/encryption.ts';
import { PLATFORM_KEY_ID } from '../ids/ids.ts';
import { assertThat, CarnetError, notFound } from '../errors/carnet-error.ts';
import {
  countApprovals,
  findApproval,
  listApprovals,
  lockApproval,
  saveApprovalDecision,
  type LockedApproval,
} from './approval-queries.ts';
import { assertMayDecide, bodySealContext, type Shown } from './require-approval.ts';
import type { Approval, ApprovalStatus, ApprovalWithBody } from './schema.ts';

export async function pageOfApprovals(
  { pool }: Context,
  { operatorId }: Caller,
  query: { status?: ApprovalStatus | undefined; limit: number; offset: number },
): Promise<{ items: Approval[]; total: number }> {
  const [items, total] = await Promise.all([
    listApprovals(pool, operatorId, query),
    countApprovals(pool, operatorId, query.status),
  ]);
  return { items: [...items], total };
}

/**
 * Reads an approval; for those who may decide it with the body of the request and what it is about, while ENCRYPTION_KEY
 * has the key that sealed them.
 * @throws CarnetError NOT_FOUND for an unknown or foreign one.
 */
export async function readApproval(
  { pool, encryption }: Context,
  caller: Caller,
  id: string,
): Promise<ApprovalWithBody> {
  const row = await findApproval(pool, caller.operatorId, id);
  assertThat(row, () => notFound('approval'));
  const { sealed_body: sealed, ...approval } = row;
  return mayApprove(caller) ? { ...approval, ...shownOf(encryption, id, sealed) } : approval;
}

/** Approvals are kept for ever, encryption keys are not: an approval whose key is gone is shown without what it holds. */
function shownOf({ open }: Encryption, id: string, sealed: string): Pick<ApprovalWithBody, 'body' | 'subject'> {
  try {
    return JSON.parse(open(sealed, bodySealContext(id))) as Shown;
  } catch {
    return {};
  }
}

/**
 * Decides an approval, as a person. The same decision again changes nothing.
 * @throws CarnetError NOT_FOUND; INVALID_STATE where it was decided otherwise, was used or has expired; ADMIN_REQUIRED
 *   for a request of one's own where another administrator could decide; NOT_OWNER for approving what only an owner may
 *   do.
 */
export const decideApproval = (
  context: Context,
  call: CommandCall,
  { id, decision }: { id: string; decision: 'approved' | 'rejected' },
): Promise<Answered<Approval>> =>
  runCommand(context, call, async ({ connection, audit }) => {
    const { caller } = call;
    const locked = await lockApproval(connection, caller.operatorId, id);
    assertThat(locked, () => notFound('approval'));
    const { requested_person: _person, ...approval } = locked;
    const earlierDecision = approval.status === 'consumed' ? 'approved' : approval.status;
    if (earlierDecision === decision) return { status: 200, body: approval };
    assertThat(
      approval.status === 'pending',
      () =>
        new CarnetError('INVALID_STATE', `The approval is ${approval.status}; only a pending one can be decided.`, {
          extra: { current_status: approval.status },
        }),
    );
    if (decision === 'approved' && isGovernedAct(approval.action)) assertMayDecide(caller, approval.action);
    if (decision === 'approved') await assertSecondPerson(connection, caller, locked);
    const member = memberOf(caller);
    const decided = await saveApprovalDecision(connection, { id, status: decision, decidedBy: member });
    await audit(`approval.${decision}`, id, { action: approval.action });
    return { status: 200, body: decided };
  });

/**
 * Where there are two administrators, somebody else than the requester approves. Who cannot be told apart from the
 * approver counts as the same person: a key whose maker nobody knows, a member who has left (decision A34). Rejecting is
 * everybody's, since it only takes away.
 * @throws CarnetError ADMIN_REQUIRED
 */
async function assertSecondPerson(
  connection: CommonQueryMethods,
  caller: Caller,
  { requested_by: credential, requested_person: person }: LockedApproval,
): Promise<void> {
  if (credential === PLATFORM_KEY_ID) return; // no person's, and what it requests nobody can do in person
  if ((await countAdministrators(connection, caller.operatorId)) < 2) return;
  const requester = person === null ? null : await findMembership(connection, person);
  const refused =
    requester === null
      ? `Nobody can tell who made this request (${credential}), so it may have been you. Do it yourself in the dashboard, or have it requested by a key that another administrator has made.`
      : 'You made this request yourself; another owner or administrator decides it.';
  assertThat(requester !== null && requester.id !== memberOf(caller), () => new CarnetError('ADMIN_REQUIRED', refused));
}

const memberOf = (caller: Caller): string =>
  caller.kind === 'operator' && caller.by.kind === 'session' ? caller.by.memberId : '';
