import type { Caller } from '../../commands/caller.ts';
import type { Answered, CommandCall } from '../../commands/command.ts';
import { runCommand, runKeptCommand } from '../../commands/run.ts';
import type { Context } from '../../context/context.ts';
import type { CommonQueryMethods } from '../../database/pool.ts';
import { assertThat, CarnetError, invalid, notFound } from '../../errors/carnet-error.ts';
import type { OperatorId } from '../../ids/ids.ts';
import { lockAgent } from '../agents/queries.ts';
import type { Agent } from '../agents/schema.ts';
import { lockGrant } from '../partner-grants/queries.ts';
import type { PartnerGrant } from '../partner-grants/schema.ts';
import { deleteInvitationsBy } from '../members/queries.ts';
import { makeKey } from '../make-key.ts';
import { actToOutlive } from '../outlive.ts';
import { countApiKeys, deleteApiKey, findApiKey, listApiKeys } from './queries.ts';
import type { ApiKey, CreateApiKey, CreatedApiKey } from './schema.ts';
import { assertFuture } from '../../database/instants.ts';

/**
 * Makes a key. Its secret is in this answer only.
 * @throws CarnetError VALIDATION_ERROR for an unknown agent or grant, or an expiry in the past; INVALID_STATE for a retired
 *   agent; GOVERNANCE_APPROVAL_REQUIRED for one that would outlast the key or token that makes it.
 */
export const createApiKey = (
  context: Context,
  call: CommandCall,
  body: CreateApiKey,
): Promise<Answered<CreatedApiKey>> =>
  runKeptCommand(context, call, {
    secret: true,
    work: async (unit) => {
      const { operatorId } = call.caller;
      const expiresAt = body.expires_at ?? null;
      if (expiresAt !== null) await assertFuture(unit.connection, expiresAt);
      const subject = await subjectOfKey(unit.connection, operatorId, body);
      const act = await actToOutlive(unit.connection, call.caller, { act: 'api_key.outlives_maker', end: expiresAt });
      const refused = act === null ? null : await context.requireApproval(unit, call, { act, subject });
      if (refused !== null) return refused;
      const { key, secret } = await makeKey(context, unit, {
        call,
        wanted: {
          name: body.name,
          kind: body.kind,
          role: body.kind === 'operator' ? body.role : null,
          agent_id: body.kind === 'agent' ? body.agent_id : null,
          partner_grant_id: body.kind === 'partner' ? body.partner_grant_id : null,
          monthly_limit_cents: body.kind === 'agent' ? (body.monthly_limit_cents ?? null) : null,
          expires_at: expiresAt,
        },
      });
      return { status: 201, body: { ...key, key: secret }, location: `/v1/api-keys/${key.id}` };
    },
  });

/** Whom a key acts for, as a person looks at it: its agent or its grant; null: the operator. */
async function subjectOfKey(
  connection: CommonQueryMethods,
  operatorId: OperatorId,
  body: CreateApiKey,
): Promise<Agent | PartnerGrant | null> {
  if (body.kind === 'agent') return await agentForKey(connection, operatorId, body.agent_id);
  if (body.kind === 'operator') return null;
  const grant = await lockGrant(connection, { operatorId, grantId: body.partner_grant_id });
  assertThat(grant, () =>
    invalid({ path: 'partner_grant_id', message: 'is not a grant of yours', code: 'unknown_partner_grant' }),
  );
  return grant;
}

async function agentForKey(connection: CommonQueryMethods, operatorId: OperatorId, agentId: string): Promise<Agent> {
  const agent = await lockAgent(connection, { operatorId, agentId });
  assertThat(agent, () => invalid({ path: 'agent_id', message: 'is not an agent of yours', code: 'unknown_agent' }));
  assertThat(
    agent.retired_at === null,
    () =>
      new CarnetError('INVALID_STATE', 'The agent is retired, so a key of it would be refused; bring it back first.', {
        extra: { current_status: agent.status },
      }),
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
  { agent_id: agentId, ...page }: { limit: number; offset: number; agent_id?: string | undefined },
): Promise<{ items: ApiKey[]; total: number }> {
  const of = { operatorId, agentId };
  const [items, total] = await Promise.all([listApiKeys(context.pool, of, page), countApiKeys(context.pool, of)]);
  return { items: [...items], total };
}

/**
 * Deletes a key: it is refused from the commit on, and the invitations by it that nobody has accepted are deleted with it.
 * @throws CarnetError NOT_FOUND for an unknown, foreign or already deleted key.
 */
export const revokeApiKey = (
  context: Context,
  call: CommandCall,
  keyId: string,
): Promise<Answered<{ deleted: true }>> =>
  runCommand(context, call, async (unit) => {
    assertThat(await deleteApiKey(unit.connection, call.caller.operatorId, keyId), () => notFound('API key'));
    const invitations = await deleteInvitationsBy(unit.connection, keyId);
    await unit.audit('api_key.deleted', keyId, invitations.length === 0 ? {} : { invitations });
    unit.changed(keyId, ...invitations);
    return { status: 200, body: { deleted: true } };
  });
