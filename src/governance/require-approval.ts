import { hash } from 'node:crypto';
import { credentialName, mayApprove } from '../commands/caller.ts';
import type { Unit } from '../commands/run.ts';
import type { Config } from '../context/config.ts';
import type { Context } from '../context/context.ts';
import type { RequireApproval } from '../context/ports.ts';
import { canonicalJson } from '../json/canonical.ts';
import { CarnetError } from '../errors/carnet-error.ts';
import { newId } from '../ids/ids.ts';
import {
  consumeApproval,
  findApprovalStatus,
  requestApproval,
  type BoundRequest,
  type LiveApproval,
} from './queries.ts';

/** What the sealed body of an approval belongs to. */
export const bodySeal = (approvalId: string): string => `approval:${approvalId}`;

/** The gate of governed actions; its promise is the port's (`RequireApproval`). */
export const approvalGate =
  ({ config, encryption }: Pick<Context, 'config' | 'encryption'>): RequireApproval =>
  async (unit, call, action) => {
    const { caller, request } = call;
    if (request === null || mayApprove(caller)) return null;
    const bound: BoundRequest = {
      operatorId: caller.operatorId,
      method: request.method,
      path: request.path,
      digest: hash('sha256', canonicalJson(request.body), 'buffer'),
    };
    const shown = request.approvalId;
    if (shown !== undefined && (await consumeApproval(unit.connection, shown, bound))) {
      await unit.audit('approval.consumed', shown, { action });
      return null;
    }
    const shownStatus = shown === undefined ? undefined : await statusOf(unit, shown, bound);
    const id = newId('apr');
    const approval = await requestApproval(unit.connection, {
      ...bound,
      id,
      action,
      body: encryption.seal(JSON.stringify(request.body), bodySeal(id)),
      requestedBy: credentialName(caller),
      seconds: config.approvalSeconds,
    });
    if (approval.made) await unit.audit('approval.requested', approval.id, { action });
    return { refusal: approvalRequired(config, approval, shownStatus) };
  };

/** What is wrong with the approval that was shown. */
async function statusOf(unit: Unit, shown: string, bound: BoundRequest): Promise<string> {
  const found = await findApprovalStatus(unit.connection, shown, bound);
  if (found === null) return 'unknown';
  return found.fits ? found.status : 'other_request';
}

function approvalRequired(config: Config, approval: LiveApproval, shownStatus: string | undefined): CarnetError {
  const todo =
    approval.status === 'approved'
      ? `It is approved: repeat the same request with X-Governance-Approval: ${approval.id}.`
      : `Have an owner or administrator approve ${approval.id} in a dashboard session, then repeat the same request with X-Governance-Approval: ${approval.id}.`;
  const why =
    shownStatus === undefined
      ? ''
      : `The approval that was shown does not do: ${WHY_NOT[shownStatus] ?? shownStatus}. `;
  return new CarnetError('GOVERNANCE_APPROVAL_REQUIRED', `A person must approve this. ${why}${todo}`, {
    extra: {
      approval_id: approval.id,
      approval_url: `${config.publicBaseUrl}/v1/governance/approvals/${approval.id}`,
      expires_at: approval.expires_at,
      ...(shownStatus !== undefined && { approval_status: shownStatus }),
    },
  });
}

const WHY_NOT: Partial<Record<string, string>> = {
  pending: 'nobody has decided it yet',
  rejected: 'it was rejected',
  expired: 'its time is over',
  consumed: 'it was used already, and each is good for once',
  unknown: 'this operator has no approval of that id',
  other_request: 'it was given for another method, path or body',
};
