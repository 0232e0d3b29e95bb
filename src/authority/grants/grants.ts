import type { Caller } from '../../commands/caller.ts';
import type { Answered, CommandCall } from '../../commands/command.ts';
import { runCommand } from '../../commands/run.ts';
import type { Context } from '../../context/context.ts';
import { assertThat, invalid, notFound } from '../../errors/carnet-error.ts';
import { findAgent } from '../../accounts/index.ts';
import { assertPatterns } from '../constraints.ts';
import { countGrants, deleteGrant, findGrant, listGrants, putGrant } from './queries.ts';
import type { Grant, PutGrant } from './schema.ts';
import { lockServiceConnection } from '../connections/queries.ts';

/** A grant of the caller's operator. */
interface GrantRef {
  agentId: string;
  connectionId: string;
}

/**
 * Creates the grant of this agent on this connection, or replaces it.
 * @throws CarnetError NOT_FOUND for an unknown or foreign agent or connection; VALIDATION_ERROR for a scope that the
 * connection does not have, or a pattern that is none of RE2.
 */
export async function setGrant(
  context: Context,
  call: CommandCall,
  { agentId, connectionId, body }: GrantRef & { body: PutGrant },
): Promise<Answered<Grant>> {
  await assertPatterns(context, call.caller.operatorId, [['constraints', body.constraints]]);
  return await runCommand(context, call, async ({ connection, audit }) => {
    const { operatorId } = call.caller;
    assertThat(await findAgent(connection, { operatorId, agentId }), () => notFound('agent'));
    const service = await lockServiceConnection(connection, { operatorId, connectionId });
    assertThat(service, () => notFound('service connection'));
    assertConnectionHas(service.scopes, body.scopes);
    const grant = await putGrant(connection, { operatorId, agentId, connectionId }, body);
    await audit('grant.set', agentId, { service_connection_id: connectionId, ...body });
    return { status: 200, body: grant };
  });
}

function assertConnectionHas(available: readonly string[], granted: readonly string[]): void {
  const [first, ...others] = granted.flatMap((scope, index) =>
    scope === '*' || available.includes(scope)
      ? []
      : [{ path: `scopes.${index}`, message: 'is not a scope of the connection', code: 'unknown_scope' }],
  );
  if (first !== undefined) throw invalid(first, ...others);
}

/** @throws CarnetError NOT_FOUND where the agent has no grant on this connection. */
export async function readGrant(context: Context, { operatorId }: Caller, ref: GrantRef): Promise<Grant> {
  const grant = await findGrant(context.pool, { operatorId, ...ref });
  assertThat(grant, () => notFound('grant'));
  return grant;
}

/** @throws CarnetError NOT_FOUND for an unknown or foreign agent. */
export async function pageOfGrants(
  context: Context,
  { operatorId }: Caller,
  { agentId, ...page }: { agentId: string; limit: number; offset: number },
): Promise<{ items: Grant[]; total: number }> {
  assertThat(await findAgent(context.pool, { operatorId, agentId }), () => notFound('agent'));
  const [items, total] = await Promise.all([
    listGrants(context.pool, agentId, page),
    countGrants(context.pool, agentId),
  ]);
  return { items: [...items], total };
}

/** @throws CarnetError NOT_FOUND where the agent has no grant on this connection. */
export const removeGrant = (
  context: Context,
  call: CommandCall,
  { agentId, connectionId }: GrantRef,
): Promise<Answered<{ deleted: true }>> =>
  runCommand(context, call, async ({ connection, audit }) => {
    const deleted = await deleteGrant(connection, { operatorId: call.caller.operatorId, agentId, connectionId });
    assertThat(deleted, () => notFound('grant'));
    await audit('grant.deleted', agentId, { service_connection_id: connectionId });
    return { status: 200, body: { deleted: true } };
  });
