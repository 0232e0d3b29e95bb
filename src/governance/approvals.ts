import { countAdministrators, findMembership } from '../accounts/index.ts';
import { mayApprove, type Caller } from '../commands/caller.ts';
import { isGovernedAct } from '../commands/governed-acts.ts';
import type { Answered, CommandCall } from '../commands/command.ts';
import { runCommand } from '../commands/run.ts';
import type { Context } from '../context/context.ts';
import type { CommonQueryMethods } from '../database/pool.ts';
import type { Encryption } from '../context/encryption.ts';
import { assertThat, CarnetError, notFound } from '../errors/carnet-error.ts';
import { countApprovals, saveApprovalDecision, findApproval, listApprovals, lockApproval } from './approval-queries.ts';
import { assertMayDecide, bodySealContext } from './require-approval.ts';
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
 * Reads an approval; for those who may decide it with the body of the request, while ENCRYPTION_KEY has the key that
 * sealed it.
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
  return mayApprove(caller) ? { ...approval, ...bodyOf(encryption, id, sealed) } : approval;
}

/** Approvals are kept for ever, encryption keys are not: an approval whose key is gone is shown without its body. */
function bodyOf({ open }: Encryption, id: string, sealed: string): Pick<ApprovalWithBody, 'body'> {
  try {
    return { body: JSON.parse(open(sealed, bodySealContext(id))) as unknown };
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
    const approval = await lockApproval(connection, caller.operatorId, id);
    assertThat(approval, () => notFound('approval'));
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
    await assertNotOwnRequest(connection, caller, approval.requested_by);
    const member = memberOf(caller);
    const decided = await saveApprovalDecision(connection, { id, status: decision, decidedBy: member });
    await audit(`approval.${decision}`, id, { action: approval.action });
    return { status: 200, body: decided };
  });

/**
 * Somebody else than the requester decides, where there is another administrator; the only one may approve what their
 * own token requested (decision A34).
 */
async function assertNotOwnRequest(connection: CommonQueryMethods, caller: Caller, requestedBy: string): Promise<void> {
  const memberId = memberOf(caller);
  const email = (await findMembership(connection, memberId))?.email;
  const isOwn = [memberId, `oauth:${memberId}`, `oauth:${email}`].some((name) => sameName(name, requestedBy));
  assertThat(
    !isOwn || (await countAdministrators(connection, caller.operatorId)) < 2,
    () =>
      new CarnetError('ADMIN_REQUIRED', 'You made this request yourself; another owner or administrator decides it.'),
  );
}

/** Compares without regard to case: an OAuth issuer may write the address of a member in another case. */
const sameName = (one: string, other: string): boolean => one.toLowerCase() === other.toLowerCase();

const memberOf = (caller: Caller): string =>
  caller.kind === 'operator' && caller.by.kind === 'session' ? caller.by.memberId : '';
