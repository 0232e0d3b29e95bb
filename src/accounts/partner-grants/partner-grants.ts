import type { Caller } from '../../commands/caller.ts';
import type { Answered, CommandCall } from '../../commands/command.ts';
import { runCommand, runKeptCommand } from '../../commands/run.ts';
import type { Context } from '../../context/context.ts';
import { assertFuture } from '../../database/instants.ts';
import { assertThat, notFound } from '../../errors/carnet-error.ts';
import { newId } from '../../ids/ids.ts';
import { endKeysOfGrant, makeKey } from '../make-key.ts';
import { actToOutlive } from '../outlive.ts';
import { countGrants, deleteGrant, findGrant, insertGrant, listGrants } from './queries.ts';
import type { CreatedPartnerGrant, CreatePartnerGrant, PartnerGrant } from './schema.ts';

/**
 * Makes a grant with its first key, which is in this answer only.
 * @throws CarnetError VALIDATION_ERROR for an expiry in the past; GOVERNANCE_APPROVAL_REQUIRED for a key that would outlast the key or token
 *   that makes it
 */
export const createGrant = (
  context: Context,
  call: CommandCall,
  { name, providers, expires_at }: CreatePartnerGrant,
): Promise<Answered<CreatedPartnerGrant>> =>
  runKeptCommand(context, call, {
    secret: true,
    work: async (unit) => {
      const { connection } = unit;
      const { operatorId } = call.caller;
      const expiresAt = expires_at ?? null;
      if (expiresAt !== null) await assertFuture(connection, expiresAt);
      const asked = { act: 'partner_grant.outlives_maker', end: expiresAt } as const;
      const act = await actToOutlive(connection, call.caller, asked);
      const refused = act === null ? null : await context.requireApproval(unit, call, { act, subject: null });
      if (refused !== null) return refused;
      const grant = await insertGrant(connection, { id: newId('pgr'), operatorId, name, providers });
      await unit.audit('partner_grant.created', grant.id, { name, providers });
      const { key, secret } = await makeKey(context, unit, {
        call,
        wanted: {
          name,
          kind: 'partner',
          role: null,
          agent_id: null,
          partner_grant_id: grant.id,
          monthly_limit_cents: null,
          expires_at: expiresAt,
        },
      });
      return {
        status: 201,
        body: { ...grant, api_key: secret, api_key_id: key.id, expires_at: key.expires_at },
        location: `/v1/partner-grants/${grant.id}`,
      };
    },
  });

/** @throws CarnetError NOT_FOUND for an unknown, foreign or deleted grant. */
export async function readGrant({ pool }: Context, { operatorId }: Caller, grantId: string): Promise<PartnerGrant> {
  const grant = await findGrant(pool, { operatorId, grantId });
  assertThat(grant, () => notFound('partner grant'));
  return grant;
}

export async function pageOfGrants(
  { pool }: Context,
  { operatorId }: Caller,
  page: { limit: number; offset: number },
): Promise<{ items: PartnerGrant[]; total: number }> {
  const [items, total] = await Promise.all([listGrants(pool, operatorId, page), countGrants(pool, operatorId)]);
  return { items: [...items], total };
}

/**
 * Deletes a grant: its keys are refused from the commit on. Its agents and endpoints stay, and are the operator's.
 * @throws CarnetError NOT_FOUND for an unknown, foreign or deleted grant.
 */
export const removeGrant = (
  context: Context,
  call: CommandCall,
  grantId: string,
): Promise<Answered<{ deleted: true }>> =>
  runCommand(context, call, async (unit) => {
    const { operatorId } = call.caller;
    assertThat(await deleteGrant(unit.connection, { operatorId, grantId }), () => notFound('partner grant'));
    const keys = await endKeysOfGrant(unit, grantId);
    await unit.audit('partner_grant.deleted', grantId, { api_keys: keys });
    return { status: 200, body: { deleted: true } };
  });
