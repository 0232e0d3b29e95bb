import {
  PLATFORM_OPERATOR_ID,
  type AgentId,
  type ApiKeyId,
  type DashboardSessionId,
  type MemberId,
  type OperatorId,
  type PartnerGrantId,
  type PassportId,
} from '../ids/ids.ts';

/** Who is calling, as authentication found it: the credential decides what may be done. */
export type Caller = OperatorCaller | AgentKeyCaller | PartnerCaller | PassportBearer;

/** Somebody who may act for a whole operator: a key, an OAuth access token, or a person in a dashboard session. */
export interface OperatorCaller {
  kind: 'operator';
  operatorId: OperatorId;
  role: 'owner' | 'admin' | 'member';
  /** The key PLATFORM_ADMIN_KEY, or the session of a person who administers `op_platform`: platform administration, and `op_platform` everywhere else. */
  platform: boolean;
  by: OperatorCredential;
}

export type OperatorCredential =
  | { kind: 'key'; keyId: ApiKeyId }
  /** `endsAt`: when the access token expires, ISO 8601. */
  | { kind: 'oauth'; subject: string; endsAt: string }
  | { kind: 'session'; sessionId: DashboardSessionId; memberId: MemberId };

/** The service itself, where nobody has shown a credential; it acts in the platform's name. */
export const serviceCaller: OperatorCaller = {
  kind: 'operator',
  operatorId: PLATFORM_OPERATOR_ID,
  role: 'admin',
  platform: true,
  by: { kind: 'key', keyId: 'service' as ApiKeyId },
};

interface AgentKeyCaller {
  kind: 'agent';
  operatorId: OperatorId;
  keyId: ApiKeyId;
  agentId: AgentId;
  /** Cents a UTC month that holds made with this key may add up to; null: no limit. */
  monthlyLimitCents: number | null;
}

/** Somebody outside of the operator who does a little for it; they see what was made under their grant. */
export interface PartnerCaller {
  kind: 'partner';
  operatorId: OperatorId;
  keyId: ApiKeyId;
  grantId: PartnerGrantId;
}

/** A passport shown as a bearer credential; no route takes it but those that name it. */
interface PassportBearer {
  kind: 'passport';
  operatorId: OperatorId;
  agentId: AgentId;
  jti: PassportId;
  /** Why it may not invoke for its agent, a sentence; null: it may. */
  mayNotInvoke: string | null;
}

/** The part of an idempotency key's name that keeps the keys of an agent or a partner apart from their operator's; '' for operators. */
export const agentPart = (caller: Caller): AgentId | PartnerGrantId | '' => {
  if (caller.kind === 'operator') return '';
  return caller.kind === 'partner' ? caller.grantId : caller.agentId;
};

/** The agent whose invocations alone a passport may see and withdraw; null: everybody else, who is judged by their operator. */
export const agentAlone = (caller: Caller): AgentId | null => (caller.kind === 'passport' ? caller.agentId : null);

/** The grant of a partner, who sees nothing else; null: everybody else. */
export const grantOf = (caller: Caller): PartnerGrantId | null => (caller.kind === 'partner' ? caller.grantId : null);

/** How the audit trail names the caller. */
export const actorName = (caller: Caller): string =>
  caller.kind === 'agent' || caller.kind === 'passport' ? caller.agentId : credentialName(caller);

/** The credential, not the one behind it. */
export const credentialName = (caller: Caller): string => {
  if (caller.kind === 'agent' || caller.kind === 'partner') return caller.keyId;
  if (caller.kind === 'passport') return caller.jti;
  const { by } = caller;
  if (by.kind === 'key') return by.keyId;
  return by.kind === 'oauth' ? `oauth:${by.subject}` : by.memberId;
};

/** A person in the dashboard; every other credential is a bearer's, no matter who holds it. */
export const isPerson = (caller: Caller): boolean => caller.kind === 'operator' && caller.by.kind === 'session';

/** Whether the caller acts for the platform. A member of `op_platform`, or a key of it, does not. */
export const isPlatform = (caller: Caller): boolean => caller.kind === 'operator' && caller.platform;

/** An owner or administrator in the dashboard; a member without a role that may approve is no shorter way than a key. */
export const mayApprove = (caller: Caller): boolean =>
  isPerson(caller) && caller.kind === 'operator' && caller.role !== 'member';
