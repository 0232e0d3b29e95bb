import { credentialName, type Caller } from '../../commands/caller.ts';
import type { Answered, CommandCall } from '../../commands/command.ts';
import { runCommand } from '../../commands/run.ts';
import type { Context } from '../../context/context.ts';
import type { CommonQueryMethods } from '../../database/pool.ts';
import { assertThat, CarnetError, invalid, notFound } from '../../errors/carnet-error.ts';
import { newId, type OperatorId } from '../../ids/ids.ts';
import { lockAgent } from '../agents/queries.ts';
import type { Agent } from '../agents/schema.ts';
import { personBehind } from '../person-behind.ts';
import { countApiKeys, deleteApiKey, findApiKey, insertApiKey, listApiKeys } from './queries.ts';
import type { ApiKey, CreateApiKey, CreatedApiKey } from './schema.ts';
import { assertFuture } from '../../database/instants.ts';
import { secretColumns, newSecret } from './secret.ts';

/**
 * Makes a key. Its secret is in this answer only.
 * @throws CarnetError VALIDATION_ERROR for an unknown agent or an expiry in the past; INVALID_STATE for a disabled
 *   agent; GOVERNANCE_APPROVAL_REQUIRED for one that would outlast the key or token that makes it.
 */
export const createApiKey = (
  context: Context,
  call: CommandCall,
  body: CreateApiKey,
): Promise<Answered<CreatedApiKey>> =>
  runCommand(
    context,
    call,
    async (unit) => {
      const { operatorId } = call.caller;
      const expiresAt = body.expires_at ?? null;
      if (expiresAt !== null) await assertFuture(unit.connection, expiresAt);
      const agent = body.kind === 'agent' ? await agentForKey(unit.connection, operatorId, body.agent_id) : null;
      if (isLater(expiresAt, await endOfMaker(unit.connection, call.caller))) {
        const refused = await context.requireApproval(unit, call, { act: 'api_key.outlives_maker', subject: agent });
        if (refused !== null) return refused;
      }
      const secret = newSecret();
      const key = await insertApiKey(unit.connection, {
        id: newId('key'),
        operator_id: operatorId,
        name: body.name,
        kind: body.kind,
        role: body.kind === 'operator' ? body.role : null,
        agent_id: body.kind === 'agent' ? body.agent_id : null,
        monthly_limit_cents: body.kind === 'agent' ? (body.monthly_limit_cents ?? null) : null,
        expires_at: expiresAt,
        created_by: credentialName(call.caller),
        personId: await personBehind(unit.connection, call.caller),
        ...secretColumns(secret),
      });
      if (key === null) throw new Error('Two secrets of 32 random bytes were equal.');
      await unit.audit('api_key.created', key.id, {
        name: key.name,
        kind: key.kind,
        role: key.role,
        agent_id: key.agent_id,
      });
      unit.changed(key.id);
      return { status: 201, body: { ...key, key: secret }, location: `/v1/api-keys/${key.id}` };
    },
    { secret: true },
  );

/** Whether one end comes after another, both ISO 8601; null: never. */
const isLater = (end: string | null, than: string | null): boolean =>
  than !== null && (end === null || Date.parse(end) > Date.parse(than));

/** When the credential that makes a key expires, ISO 8601; null: never, or a person makes it. */
async function endOfMaker(connection: CommonQueryMethods, caller: Caller): Promise<string | null> {
  if (caller.kind === 'agent' || caller.by.kind === 'session' || caller.platform) return null;
  if (caller.by.kind === 'oauth') return caller.by.endsAt;
  const maker = await findApiKey(connection, caller.operatorId, caller.by.keyId);
  // A key that was deleted while it was remembered has ended.
  return maker === null ? new Date(0).toISOString() : maker.expires_at;
}

async function agentForKey(connection: CommonQueryMethods, operatorId: OperatorId, agentId: string): Promise<Agent> {
  const agent = await lockAgent(connection, { operatorId, agentId });
  assertThat(agent, () => invalid({ path: 'agent_id', message: 'is not an agent of yours', code: 'unknown_agent' }));
  assertThat(
    agent.status !== 'disabled',
    () =>
      new CarnetError(
        'INVALID_STATE',
        'The agent is disabled, so a key of it would be refused; make it active first.',
        { extra: { current_status: agent.status } },
      ),
  );
  return agent;
}

/** @throws CarnetError NOT_FOUND for an unknown, foreign or deleted key. */
export async function readApiKey(context: Context, { operatorId }: Caller, keyId: string): Promise<ApiKey> {
  const key = await findApiKey(context.pool, operatorId, keyId);
  assertThat(key, () => notFound('API key'));
  return key;
}

export async function pageOfApiKeys(
  context: Context,
  { operatorId }: Caller,
  page: { limit: number; offset: number },
): Promise<{ items: ApiKey[]; total: number }> {
  const [items, total] = await Promise.all([
    listApiKeys(context.pool, operatorId, page),
    countApiKeys(context.pool, operatorId),
  ]);
  return { items: [...items], total };
}

/**
 * Deletes a key: it is refused from the commit on.
 * @throws CarnetError NOT_FOUND for an unknown, foreign or already deleted key.
 */
export const revokeApiKey = (
  context: Context,
  call: CommandCall,
  keyId: string,
): Promise<Answered<{ deleted: true }>> =>
  runCommand(context, call, async (unit) => {
    assertThat(await deleteApiKey(unit.connection, call.caller.operatorId, keyId), () => notFound('API key'));
    await unit.audit('api_key.deleted', keyId);
    unit.changed(keyId);
    return { status: 200, body: { deleted: true } };
  });
