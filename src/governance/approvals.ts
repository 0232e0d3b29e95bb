import { countAdministrators, findMembership, type Membership } from '../accounts/index.ts';
import { mayApprove, type Caller } from '../commands/caller.ts';
import { isGovernedAct } from '../commands/governed-acts.ts';
import type { Answered, CommandCall } from '../commands/command.ts';
import { runCommand } from '../commands/run.ts';
import type { Context } from '../context/context.ts';
import type { CommonQueryMethods } from '../database/pool.ts';
import type { Encryption } from '../context/encryption.ts';
import type { JsonObject } from '../json/value.ts';
import { PLATFORM_KEY_ID } from '../ids/ids.ts';
import { assertThat, CarnetError, invalid, notFound } from '../errors/carnet-error.ts';
import {
  countApprovals,
  findApproval,
  listApprovals,
  lockApproval,
  lockApprovals,
  saveApprovalDecision,
  type RequestedApproval,
} from './approval-queries.ts';
import { bodyEncryptionContext, whyNotDecided, type Shown } from './require-approval.ts';
import type { Approval, ApprovalStatus, ApprovalWithBody, RejectApprovals } from './schema.ts';

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
  const { encrypted_body: sealed, requested_person: _person, ...approval } = row;
  return mayApprove(caller) ? { ...approval, ...shownOf(encryption, { id, sealed }) } : approval;
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
  const { encrypted_body: sealed, requested_person: person, ...approval } = row;
  const requester = person === null ? null : await findMembership(pool, person);
  if (!mayApprove(caller)) {
    const refusal = new CarnetError('ADMIN_REQUIRED', 'An owner or administrator decides this; you are a member.');
    return { approval, requester, refusal };
  }
  const shown = { ...approval, ...shownOf(encryption, { id, sealed }) };
  return { approval: shown, requester, refusal: await whyNotApproved(pool, caller, row) };
}

/** Approvals are kept for ever, encryption keys are not: an approval whose key is gone is shown without what it holds. */
function shownOf(
  { decrypt }: Encryption,
  { id, sealed }: { id: string; sealed: string },
): Pick<ApprovalWithBody, 'body' | 'subject'> {
  try {
    return JSON.parse(decrypt(sealed, bodyEncryptionContext(id))) as Shown;
  } catch {
    return {};
  }
}

/**
 * Decides an approval, as a person. The same decision again changes nothing. One that is approved can still be rejected, until it is used.
 * @throws CarnetError NOT_FOUND; INVALID_STATE where it was rejected, was used or has expired; ADMIN_REQUIRED
 *   for a request of one's own where another administrator could decide; NOT_OWNER for approving what only an owner may
 *   do.
 */
export const decideApproval = (
  context: Context,
  call: CommandCall,
  { id, decision }: { id: string; decision: 'approved' | 'rejected' },
): Promise<Answered<Approval>> =>
  runCommand(context, call, async ({ connection, audit, changed }) => {
    const { caller } = call;
    const locked = await lockApproval(connection, caller.operatorId, id);
    assertThat(locked, () => notFound('approval'));
    const { requested_person: _person, ...approval } = locked;
    const earlierDecision = approval.status === 'consumed' ? 'approved' : approval.status;
    if (earlierDecision === decision) return { status: 200, body: approval };
    assertThat(
      approval.status === 'pending' || (decision === 'rejected' && isOpen(approval)),
      () =>
        new CarnetError(
          'INVALID_STATE',
          `The approval is ${approval.status}; only a pending one can be approved, and one that is approved can be rejected until it is used.`,
          { extra: { current_status: approval.status } },
        ),
    );
    const refused = decision === 'approved' ? await whyNotApproved(connection, caller, locked) : null;
    if (refused !== null) throw refused;
    const decided = await saveApprovalDecision(connection, { id, status: decision, decidedBy: memberOf(caller) });
    await audit(`approval.${decision}`, id, traceOf(approval));
    changed(id);
    return { status: 200, body: decided };
  });

/** It waits for a decision, or for its use. */
const isOpen = ({ status }: Approval): boolean => status === 'pending' || status === 'approved';

/** The audit trail says this of a decision on it. */
const traceOf = ({ action, status }: Approval): JsonObject => ({
  action,
  ...(status === 'approved' && { withdrawn: true }),
});

/**
 * Rejects all of these that are open, as a person; the others stay as they are.
 * @returns all of them as they stand then, in the order of their ids
 * @throws CarnetError VALIDATION_ERROR for those that the operator does not have
 */
export const rejectApprovals = (
  context: Context,
  call: CommandCall,
  { ids }: RejectApprovals,
): Promise<Answered<{ approvals: Approval[] }>> =>
  runCommand(context, call, async ({ connection, audit, changed }) => {
    const { caller } = call;
    const found = await lockApprovals(connection, caller.operatorId, ids);
    const [fault, ...faults] = ids.flatMap((id, at) =>
      found.some((one) => one.id === id)
        ? []
        : [{ path: `ids.${at}`, code: 'invalid_reference', message: 'must be an approval of your operator' }],
    );
    if (fault !== undefined) throw invalid(fault, ...faults);
    const approvals: Approval[] = [];
    for (const approval of found) {
      if (!isOpen(approval)) {
        approvals.push(approval);
        continue;
      }
      const { id } = approval;
      approvals.push(await saveApprovalDecision(connection, { id, status: 'rejected', decidedBy: memberOf(caller) }));
      await audit('approval.rejected', id, traceOf(approval));
      changed(id);
    }
    return { status: 200, body: { approvals } };
  });

/**
 * NOT_OWNER or ADMIN_REQUIRED, where this person may not approve what they may reject; null: they may do both. Where there are two
 * administrators, somebody else than the requester approves. Who cannot be told apart from the approver counts as the same person: a
 * key whose maker nobody knows, a member who has left (decision A33). Rejecting is everybody's, since it only takes away.
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
