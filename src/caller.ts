import type { AgentId, ApiKeyId, OperatorId } from './ids.ts';

/** Who is calling, as authentication found it: the credential decides what may be done (decisions §3.8 "Credentials"). */
export type Caller = OperatorKeyCaller | AgentKeyCaller;

interface KeyCaller {
  operatorId: OperatorId;
  keyId: ApiKeyId;
}

export interface OperatorKeyCaller extends KeyCaller {
  kind: 'operator';
  role: 'admin' | 'member';
  /** The key PLATFORM_ADMIN_KEY: platform administration, and `op_platform` everywhere else (decisions C5). */
  platform: boolean;
}

export interface AgentKeyCaller extends KeyCaller {
  kind: 'agent';
  agentId: AgentId;
  /** Cents a UTC month that holds made with this key may add up to (decisions K58); null: no limit. */
  monthlyLimitCents: number | null;
}

/** The part of an idempotency key's name that keeps an agent's keys apart from its operator's (decisions §1); '' for operators. */
export const agentPart = (caller: Caller): AgentId | '' => (caller.kind === 'agent' ? caller.agentId : '');

/** How the audit trail names the caller. */
export const actorName = (caller: Caller): string => (caller.kind === 'agent' ? caller.agentId : caller.keyId);
