import type { Caller } from '../caller.ts';
import { runCommand, type Answered, type CommandCall } from '../commands.ts';
import type { Context } from '../context.ts';
import { assertThat, CarnetError, notFound } from '../http/errors.ts';
import { newId } from '../ids.ts';
import { countAgents, findAgent, insertAgent, listAgents, lockAgent, saveAgent } from './agent-queries.ts';
import {
  AccountabilitySchema,
  type Accountability,
  type Agent,
  type CreateAgent,
  type UpdateAgent,
} from './agent-schema.ts';

const needsApproval = (what: string): CarnetError =>
  new CarnetError('GOVERNANCE_APPROVAL_REQUIRED', `${what} needs the approval of a person; a key alone cannot do it.`);

export const createAgent = (context: Context, call: CommandCall, body: CreateAgent): Promise<Answered<Agent>> =>
  runCommand(context, call, async (unit) => {
    const agent = await insertAgent(unit.connection, { ...body, id: newId('ag'), operatorId: call.caller.operatorId });
    await unit.audit('agent.created', agent.id, { name: agent.name, accountability: agent.accountability });
    unit.changed(agent.id);
    return { status: 201, body: agent, location: `/v1/agents/${agent.id}` };
  });

/** @throws CarnetError NOT_FOUND for an unknown or foreign agent. */
export async function readAgent(context: Context, caller: Caller, agentId: string): Promise<Agent> {
  const agent = await findAgent(context.pool, { operatorId: caller.operatorId, agentId });
  assertThat(agent, () => notFound('agent'));
  return agent;
}

export async function pageOfAgents(
  context: Context,
  { operatorId }: Caller,
  { limit, offset }: { limit: number; offset: number },
): Promise<{ items: Agent[]; total: number }> {
  const [items, total] = await Promise.all([
    listAgents(context.pool, operatorId, limit, offset),
    countAgents(context.pool, operatorId),
  ]);
  return { items: [...items], total };
}

/**
 * Changes an agent; `status: disabled` retires it, and its keys are refused from the commit on (decisions K58).
 * @throws CarnetError NOT_FOUND; INVALID_STATE for the status of a blocked agent; GOVERNANCE_APPROVAL_REQUIRED for less
 * accountability than before.
 */
export const updateAgent = (
  context: Context,
  call: CommandCall,
  agentId: string,
  patch: UpdateAgent,
): Promise<Answered<Agent>> =>
  runCommand(context, call, async (unit) => {
    const before = await lockAgent(unit.connection, { operatorId: call.caller.operatorId, agentId });
    assertThat(before, () => notFound('agent'));
    assertThat(
      patch.status === undefined || before.status !== 'blocked',
      () =>
        new CarnetError('INVALID_STATE', 'The agent is blocked; unblock it before its status is changed.', {
          extra: { current_status: before.status },
        }),
    );
    assertThat(patch.accountability === undefined || !isWeaker(patch.accountability, before.accountability), () =>
      needsApproval(`Holding an agent to less accountability than ${before.accountability}`),
    );
    const agent = await saveAgent(unit.connection, merged(before, patch));
    await unit.audit('agent.updated', agent.id, patch);
    unit.changed(agent.id);
    return { status: 200, body: agent };
  });

/** The levels of the schema stand in order, the weakest first. */
const isWeaker = (level: Accountability, than: Accountability): boolean =>
  AccountabilitySchema.options.indexOf(level) < AccountabilitySchema.options.indexOf(than);

/** What the patch leaves out stays; null clears what may be null. */
const merged = (before: Agent, patch: UpdateAgent): Agent => ({
  ...before,
  name: patch.name ?? before.name,
  accountability: patch.accountability ?? before.accountability,
  status: patch.status ?? before.status,
  public_jwk: patch.public_jwk === undefined ? before.public_jwk : patch.public_jwk,
  checkpoint_interval_seconds:
    patch.checkpoint_interval_seconds === undefined
      ? before.checkpoint_interval_seconds
      : patch.checkpoint_interval_seconds,
  monthly_limit_cents: patch.monthly_limit_cents === undefined ? before.monthly_limit_cents : patch.monthly_limit_cents,
});

/**
 * Only a person lifts a block, and every credential that exists is a key: always refused.
 * @throws CarnetError NOT_FOUND; INVALID_STATE where the agent is not blocked; GOVERNANCE_APPROVAL_REQUIRED.
 */
export async function unblockAgent(context: Context, caller: Caller, agentId: string): Promise<never> {
  const agent = await readAgent(context, caller, agentId);
  assertThat(
    agent.status === 'blocked',
    () =>
      new CarnetError('INVALID_STATE', `The agent is ${agent.status}, not blocked; there is nothing to lift.`, {
        extra: { current_status: agent.status },
      }),
  );
  throw needsApproval('Unblocking an agent');
}
