import { countAdministrators, findMembership } from '../accounts/index.ts';
import { mayApprove, type Caller } from '../commands/caller.ts';
import { runCommand, type Answered, type CommandCall } from '../commands/run.ts';
import type { Context } from '../context/context.ts';
import type { CommonQueryMethods } from '../database/pool.ts';
import type { Encryption } from '../context/encryption.ts';
import { assertThat, CarnetError, notFound } from '../errors/carnet-error.ts';
import { countApprovals, decideApproval, findApproval, listApprovals, lockApproval } from './approval-queries.ts';
import { bodySeal } from './require-approval.ts';
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
 * One approval; with the body of the request for those who may decide it, as long as ENCRYPTION_KEY holds the key that sealed it.
 * @throws CarnetError NOT_FOUND for an unknown or foreign one.
 */
export async function readApproval(
  { pool, encryption }: Context,
  caller: Caller,
  id: string,
): Promise<ApprovalWithBody> {
  const found = await findApproval(pool, caller.operatorId, id);
  assertThat(found, () => notFound('approval'));
  const { sealed_body: sealed, ...approval } = found;
  return mayApprove(caller) ? { ...approval, ...bodyOf(encryption, id, sealed) } : approval;
}

/** Approvals stay for good, keys do not: one whose body nobody can read any more is shown without it. */
function bodyOf({ open }: Encryption, id: string, sealed: string): Pick<ApprovalWithBody, 'body'> {
  try {
    return { body: JSON.parse(open(sealed, bodySeal(id))) as unknown };
  } catch {
    return {};
  }
}

/**
 * A person's decision. The same one again changes nothing.
 * @throws CarnetError NOT_FOUND; INVALID_STATE once it was decided otherwise, used or its time is over; ADMIN_REQUIRED for one's own
 *   request where another administrator could decide it; NOT_OWNER for approving what is an owner's to do.
 */
export const decide = (
  context: Context,
  call: CommandCall,
  id: string,
  decision: 'approved' | 'rejected',
): Promise<Answered<Approval>> =>
  runCommand(context, call, async ({ connection, audit }) => {
    const { caller } = call;
    const approval = await lockApproval(connection, caller.operatorId, id);
    assertThat(approval, () => notFound('approval'));
    const decided = approval.status === 'consumed' ? 'approved' : approval.status;
    if (decided === decision) return { status: 200, body: approval };
    assertThat(
      approval.status === 'pending',
      () =>
        new CarnetError('INVALID_STATE', `The approval is ${approval.status}; only a pending one can be decided.`, {
          extra: { current_status: approval.status },
        }),
    );
    if (decision === 'approved') assertMayApprove(caller, approval.action);
    await assertAnotherAsked(connection, caller, approval.requested_by);
    const member = memberOf(caller);
    const after = await decideApproval(connection, { id, status: decision, decidedBy: member });
    await audit(`approval.${decision}`, id, { action: approval.action });
    return { status: 200, body: after };
  });

/** What only an owner may do in person, only an owner may approve. */
const OWNERS_ACTIONS: ReadonlySet<string> = new Set(['operator.payout_account_changed']);

function assertMayApprove(caller: Caller, action: string): void {
  const owner = caller.kind === 'operator' && caller.role === 'owner';
  const refused = 'Only an owner may approve this; you are an administrator. Ask an owner to, or reject it.';
  assertThat(owner || !OWNERS_ACTIONS.has(action), () => new CarnetError('NOT_OWNER', refused));
}

/** Four eyes where there are four: a lone administrator may approve what its own token asked for (decisions A34). */
async function assertAnotherAsked(connection: CommonQueryMethods, caller: Caller, requestedBy: string): Promise<void> {
  const memberId = memberOf(caller);
  const email = (await findMembership(connection, memberId))?.email;
  const own = [memberId, `oauth:${memberId}`, `oauth:${email}`].some((name) => sameName(name, requestedBy));
  assertThat(
    !own || (await countAdministrators(connection, caller.operatorId)) < 2,
    () => new CarnetError('ADMIN_REQUIRED', 'You asked for this yourself; another owner or administrator decides it.'),
  );
}

/** Members are known by their address without regard to case; an issuer may write it in another. */
const sameName = (one: string, other: string): boolean => one.toLowerCase() === other.toLowerCase();

const memberOf = (caller: Caller): string =>
  caller.kind === 'operator' && caller.by.kind === 'session' ? caller.by.memberId : '';
