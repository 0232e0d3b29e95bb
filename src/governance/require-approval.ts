import { hash } from 'node:crypto';
import { personBehind } from '../accounts/index.ts';
import { credentialName, mayApprove, type Caller } from '../commands/caller.ts';
import { ruleOfAct, type GovernedAct } from '../commands/governed-acts.ts';
import { digestOfSubject, subjectAsJson } from '../commands/subject-digest.ts';
import type { Unit } from '../commands/unit.ts';
import type { Config } from '../context/config.ts';
import type { Context } from '../context/context.ts';
import type { Governed, RequireApproval } from '../context/ports.ts';
import { canonicalJson } from '../json/canonical.ts';
import type { JsonValue } from '../json/value.ts';
import { CarnetError } from '../errors/carnet-error.ts';
import { unauthenticated } from '../http/auth/credential.ts';
import { newId } from '../ids/ids.ts';
import {
  consumeApproval,
  findApprovalStatus,
  requestApproval,
  type BoundRequest,
  type LiveApproval,
} from './queries.ts';

/** The part of an approval that is sealed, for the person who decides. */
export interface Shown {
  body: JsonValue;
  subject: JsonValue;
}

/** The context under which this is sealed: it opens as that of this approval only. */
export const bodyEncryptionContext = (approvalId: string): string => `approval:${approvalId}`;

/** The check of governed acts, as `RequireApproval` describes it. */
export const approvalGate =
  ({ config, encryption, recordEvent }: Pick<Context, 'config' | 'encryption' | 'recordEvent'>): RequireApproval =>
  async (unit, call, { act, subject, seen }) => {
    const { caller, request } = call;
    if (request === null) return null;
    if (mayApprove(caller)) {
      const notOwner = whyNotDecided(caller, act);
      if (notOwner !== null) throw notOwner;
      if (seen !== undefined) assertSeen(subject, seen);
      return null;
    }
    const bound: BoundRequest = {
      operatorId: caller.operatorId,
      method: request.method,
      path: request.path,
      digest: digestOf(
        ruleOfAct(act).forRequester === true ? { body: request.body, by: credentialName(caller) } : request.body,
      ),
      subjectDigest: Buffer.from(digestOfSubject(subject), 'hex'),
      byOwner: ruleOfAct(act).by === 'owner',
    };
    const sentId = request.approvalId;
    if (sentId !== undefined && (await consumeApproval(unit.connection, sentId, bound))) {
      await unit.audit('approval.consumed', sentId, { action: act });
      unit.changed(sentId);
      return null;
    }
    const sentStatus = sentId === undefined ? undefined : await statusOf(unit, sentId, bound);
    const id = newId('apr');
    const requested = await requestApproval(unit.connection, {
      ...bound,
      id,
      action: act,
      body: encryption.encrypt(
        JSON.stringify({ body: request.body, subject: subjectAsJson(subject) } satisfies Shown),
        bodyEncryptionContext(id),
      ),
      requestedBy: credentialName(caller),
      requestedPerson: await personBehind(unit.connection, caller),
      seconds: config.approvalSeconds,
    });
    if (requested.status === 'full') throw tooManyOpen(requested.expires_at);
    if (requested.status === 'ended')
      throw unauthenticated('This credential was deleted or has ended.', 'invalid_token');
    const approval = requested;
    if (approval.made) {
      await unit.audit('approval.requested', approval.id, { action: act });
      const { id: approvalId, expires_at } = approval;
      await recordEvent(unit.connection, {
        operatorId: caller.operatorId,
        type: 'approval.requested',
        severity: 'warning',
        payload: { approval_id: approvalId, action: act, requested_by: credentialName(caller), expires_at },
      });
    }
    return { refusal: approvalRequired(config, act, { approval, sentStatus }) };
  };

const digestOf = (value: JsonValue): Buffer => hash('sha256', canonicalJson(value), 'buffer');

/** @throws CarnetError SUBJECT_CHANGED: a person decides about what they looked at, and about nothing that came since. */
function assertSeen(subject: Governed['subject'], seen: string): void {
  const digest = digestOfSubject(subject);
  if (seen === digest) return;
  throw new CarnetError(
    'SUBJECT_CHANGED',
    'What this is about has changed since you looked at it: look at it as it is now, then send its digest as `seen`.',
    { extra: { digest, subject: subjectAsJson(subject) } },
  );
}

/** Why the approval that was sent does not count for this request. */
async function statusOf(unit: Unit, sentId: string, bound: BoundRequest): Promise<string> {
  const approval = await findApprovalStatus(unit.connection, sentId, bound);
  if (approval === null) return 'unknown';
  if (!approval.fits) return 'other_request';
  const open = approval.status === 'approved' || approval.status === 'pending';
  if (open && !approval.same_subject) return 'subject_changed';
  if (open && !approval.requester_there) return 'requester_ended';
  return open && !approval.approver_there ? 'approver_left' : approval.status;
}

/** Each is read by a person: a key that asks without end would hide what matters among what does not. */
function tooManyOpen(until: string): CarnetError {
  const seconds = Math.max(1, Math.ceil((Date.parse(until) - Date.now()) / 1_000));
  return new CarnetError(
    'RATE_LIMITED',
    `As many requests as may wait for a person are waiting; have some decided, or wait until ${until}, when the first of them ends.`,
    { headers: { 'Retry-After': String(seconds) } },
  );
}

/** Some acts are for owners alone: NOT_OWNER for the other people who may approve; null: this person decides it. */
export function whyNotDecided(caller: Caller, act: GovernedAct): CarnetError | null {
  const { what, by } = ruleOfAct(act);
  if (by !== 'owner' || (caller.kind === 'operator' && caller.role === 'owner')) return null;
  const refused = `${what} is for an owner to decide; you are an administrator. An owner has to do it, or to approve it.`;
  return new CarnetError('NOT_OWNER', refused);
}

function approvalRequired(
  config: Config,
  act: GovernedAct,
  { approval, sentStatus }: { approval: LiveApproval; sentStatus: string | undefined },
): CarnetError {
  const { why, by } = ruleOfAct(act);
  const approver = by === 'owner' ? 'an owner' : 'an owner or administrator';
  const page = `${config.publicBaseUrl}/dashboard/approvals/${approval.id}`;
  const nextStep =
    approval.status === 'approved'
      ? `It is approved: repeat the same request with X-Governance-Approval: ${approval.id}.`
      : `Have ${approver} approve it at ${page}, then repeat the same request with X-Governance-Approval: ${approval.id}.`;
  const fault =
    sentStatus === undefined ? '' : `The approval that was sent does not count: ${FAULTS[sentStatus] ?? sentStatus}. `;
  return new CarnetError('GOVERNANCE_APPROVAL_REQUIRED', `A person must approve this. ${why} ${fault}${nextStep}`, {
    extra: {
      approval_id: approval.id,
      approval_url: page,
      expires_at: approval.expires_at,
      ...(sentStatus !== undefined && { approval_status: sentStatus }),
    },
  });
}

/** By the status of the approval that was sent. */
const FAULTS: Partial<Record<string, string>> = {
  pending: 'nobody has decided it yet',
  rejected: 'it was rejected',
  expired: 'it has expired',
  consumed: 'it was used already, and each can be used once',
  unknown: 'this operator has no approval of that id',
  other_request: 'it was given for another method, path or body, or for another credential',
  requester_ended: 'the key that requested it was deleted or has expired',
  approver_left: 'who approved it may not approve it any more',
  subject_changed: 'what it is about has changed since it was requested, so a person looks again',
};
