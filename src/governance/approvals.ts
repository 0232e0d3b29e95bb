import { countAdministrators, findMembership, type Membership } from '../accounts/index.ts';
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
  type RequestedApproval,
} from './approval-queries.ts';
import { bodySealContext, whyNotDecided, type Shown } from './require-approval.ts';
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
  const { sealed_body: sealed, requested_person: _person, ...approval } = row;
  return mayApprove(caller) ? { ...approval, ...shownOf(encryption, id, sealed) } : approval;
}

/** An approval as it is shown to somebody who may have to decide it. */
export interface ApprovalToDecide {
  /** As `readApproval` shows it. */
  approval: ApprovalWithBody;
  /** The member behind the request; null: it cannot be told. */
  requester: Membership | null;
  /** Why the caller may not approve it; null: they may, while it is pending. */
  refusal: CarnetError | null;
}

/** @throws CarnetError NOT_FOUND for an unknown or foreign one. */
export async function approvalToDecide(
  { pool, encryption }: Context,
  caller: Caller,
  id: string,
): Promise<ApprovalToDecide> {
  const row = await findApproval(pool, caller.operatorId, id);
  assertThat(row, () => notFound('approval'));
  const { sealed_body: sealed, requested_person: person, ...approval } = row;
  const requester = person === null ? null : await findMembership(pool, person);
  if (!mayApprove(caller)) {
    const refusal = new CarnetError('ADMIN_REQUIRED', 'An owner or administrator decides this; you are a member.');
    return { approval, requester, refusal };
  }
  const shown = { ...approval, ...shownOf(encryption, id, sealed) };
  return { approval: shown, requester, refusal: await whyNotApproved(pool, caller, row) };
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
    const refused = decision === 'approved' ? await whyNotApproved(connection, caller, locked) : null;
    if (refused !== null) throw refused;
    const member = memberOf(caller);
    const decided = await saveApprovalDecision(connection, { id, status: decision, decidedBy: member });
    await audit(`approval.${decision}`, id, { action: approval.action });
    return { status: 200, body: decided };
  });

/**
 * NOT_OWNER or ADMIN_REQUIRED, where this person may not approve what they may reject; null: they may do both. Where there are two
 * administrators, somebody else than the requester approves. Who cannot be told apart from the approver counts as the same person: a
 * key whose maker nobody knows, a member who has left (decision A34). Rejecting is everybody's, since it only takes away.
 */
async function whyNotApproved(
  connection: CommonQueryMethods,
  caller: Caller,
  { action, requested_by: credential, requested_person: person }: RequestedApproval,
): Promise<CarnetError | null> {
  const notOwner = isGovernedAct(action) ? whyNotDecided(caller, action) : null;
  if (notOwner !== null) return notOwner;
  if (credential === PLATFORM_KEY_ID) return null; // no person's, and what it requests nobody can do in person
  if ((await countAdministrators(connection, caller.operatorId)) < 2) return null;
  const requester = person === null ? null : await findMembership(connection, person);
  const refused =
    requester === null
      ? `Nobody can tell who made this request (${credential}), so it may have been you. Do it yourself in the dashboard, or have it requested by a key that another administrator has made.`
      : 'You made this request yourself; another owner or administrator decides it.';
  const other = requester !== null && requester.id !== memberOf(caller);
  return other ? null : new CarnetError('ADMIN_REQUIRED', refused);
}

const memberOf = (caller: Caller): string =>
  caller.kind === 'operator' && caller.by.kind === 'session' ? caller.by.memberId : '';
