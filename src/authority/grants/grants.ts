import type { Caller } from '../../commands/caller.ts';
import { runCommand, type Answered, type CommandCall } from '../../commands/run.ts';
import type { Context } from '../../context/context.ts';
import { assertThat, invalid, notFound } from '../../errors/carnet-error.ts';
import { findAgent } from '../../accounts/index.ts';
import { countGrants, deleteGrant, findGrant, listGrants, putGrant } from './queries.ts';
import type { Grant, PutGrant } from './schema.ts';
import { lockServiceConnection } from '../connections/queries.ts';

/** Of the caller's operator. */
export interface GrantName {
  agentId: string;
  connectionId: string;
}

/**
 * Makes the grant of this agent on this connection, or replaces it.
 * @throws CarnetError NOT_FOUND for an unknown or foreign agent or connection; VALIDATION_ERROR for a scope that the
 * connection does not have.
 */
export const setGrant = (
  context: Context,
  call: CommandCall,
  { agentId, connectionId }: GrantName,
  body: PutGrant,
): Promise<Answered<Grant>> =>
  runCommand(context, call, async ({ connection, audit }) => {
    const { operatorId } = call.caller;
    assertThat(await findAgent(connection, { operatorId, agentId }), () => notFound('agent'));
    const service = await lockServiceConnection(connection, { operatorId, connectionId });
    assertThat(service, () => notFound('service connection'));
    assertScopesOf(service.scopes, body.scopes);
    const grant = await putGrant(connection, { operatorId, agentId, connectionId }, body);
    await audit('grant.set', agentId, { service_connection_id: connectionId, ...body });
    return { status: 200, body: grant };
  });

function assertScopesOf(connected: readonly string[], granted: readonly string[]): void {
  const [first, ...others] = granted.flatMap((scope, at) =>
    scope === '*' || connected.includes(scope)
      ? []
      : [{ path: `scopes.${at}`, message: 'is no scope of the connection', code: 'unknown_scope' }],
  );
  if (first !== undefined) throw invalid(first, ...others);
}

/** @throws CarnetError NOT_FOUND where the agent has no grant on this connection. */
export async function readGrant(context: Context, { operatorId }: Caller, grant: GrantName): Promise<Grant> {
  const found = await findGrant(context.pool, { operatorId, ...grant });
  assertThat(found, () => notFound('grant'));
  return found;
}

/** @throws CarnetError NOT_FOUND for an unknown or foreign agent. */
export async function pageOfGrants(
  context: Context,
  { operatorId }: Caller,
  { agentId, limit, offset }: { agentId: string; limit: number; offset: number },
): Promise<{ items: Grant[]; total: number }> {
  assertThat(await findAgent(context.pool, { operatorId, agentId }), () => notFound('agent'));
  const [items, total] = await Promise.all([
    listGrants(context.pool, agentId, limit, offset),
    countGrants(context.pool, agentId),
  ]);
  return { items: [...items], total };
}

/** @throws CarnetError NOT_FOUND where the agent has no grant on this connection. */
export const removeGrant = (
  context: Context,
  call: CommandCall,
  { agentId, connectionId }: GrantName,
): Promise<Answered<{ deleted: true }>> =>
  runCommand(context, call, async ({ connection, audit }) => {
    const deleted = await deleteGrant(connection, { operatorId: call.caller.operatorId, agentId, connectionId });
    assertThat(deleted, () => notFound('grant'));
    await audit('grant.deleted', agentId, { service_connection_id: connectionId });
    return { status: 200, body: { deleted: true } };
  });
