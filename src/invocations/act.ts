import { createHash } from 'node:crypto';
import { actorName, agentAlone, agentPart } from '../commands/caller.ts';
import type { CommandCall } from '../commands/command.ts';
import { sql } from '../database/pool.ts';
import type { AgentId, OperatorId } from '../ids/ids.ts';

/**
 * Who acts on an invocation, by REST or by a signal: the arguments with which every SQL function on invocations begins.
 */
export interface Act {
  /** Fault points are `<operation>:before` and `<operation>:committed`. */
  operation: string;
  /** The operator that calls; null for a signal: everybody with access to the Temporal namespace may act. */
  authority: OperatorId | null;
  /** The agent whose invocations alone are meant; null: any that the authority is party to. */
  agentAlone: AgentId | null;
  /** The name in the audit trail. */
  actor: string;
  requestId: string | null;
  /** The Idempotency-Key and whose it is; `agent` is '' for a key of the operator itself. */
  key: { operator: string; agent: string; key: string; fingerprint: Buffer } | null;
}

export const actOf = (call: CommandCall): Act => ({
  operation: call.operation,
  authority: call.caller.operatorId,
  agentAlone: agentAlone(call.caller),
  actor: actorName(call.caller),
  requestId: call.requestId,
  key: call.idempotency && { operator: call.caller.operatorId, agent: agentPart(call.caller), ...call.idempotency },
});

const SIGNAL = 'temporal-signal';

/**
 * A signal may be delivered more than once, so its id is its Idempotency-Key, apart from those of operators. As a hash: that of an update is
 * chosen by its sender.
 */
export const actOfSignal = ({
  invocationId,
  kind,
  signalId,
}: {
  invocationId: string;
  kind: string;
  signalId: string;
}): Act => ({
  operation: `${kind}Invocation`,
  authority: null,
  agentAlone: null,
  actor: SIGNAL,
  requestId: null,
  key: {
    operator: SIGNAL,
    agent: invocationId,
    key: createHash('sha256').update(signalId).digest('hex'),
    fingerprint: createHash('sha256').update(kind).digest(),
  },
});

const keyArguments = ({ key }: Act) =>
  key === null
    ? sql.fragment`p_key_operator => null, p_agent_part => null, p_key => null, p_fingerprint => null`
    : sql.fragment`p_key_operator => ${key.operator}, p_agent_part => ${key.agent}, p_key => ${key.key}, p_fingerprint => ${sql.binary(key.fingerprint)}`;

/** For the functions that write no audit row. */
export const quietArguments = (act: Act) => sql.fragment`p_authority => ${act.authority}, ${keyArguments(act)}`;

export const actArguments = (act: Act) =>
  sql.fragment`${quietArguments(act)}, p_actor => ${act.actor}, p_request => ${act.requestId}`;
