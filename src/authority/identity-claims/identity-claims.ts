import { withTopUpUrl } from '../../billing/index.ts';
import { isPlatform, type Caller } from '../../commands/caller.ts';
import type { Answered, CommandCall } from '../../commands/command.ts';
import { runCommand } from '../../commands/run.ts';
import type { Context } from '../../context/context.ts';
import type { CommonQueryMethods } from '../../database/pool.ts';
import { assertThat, invalid, notFound } from '../../errors/carnet-error.ts';
import { newId } from '../../ids/ids.ts';
import { findOperator, findOperatorOfAgent } from '../../accounts/index.ts';
import {
  chargeIdentityClaim,
  countIdentityClaims,
  findIdentityClaim,
  insertIdentityClaim,
  listIdentityClaims,
  revokeIdentityClaim,
} from './queries.ts';
import type { CreateIdentityClaim, IdentityClaim } from './schema.ts';

/**
 * Attests something about an operator or one of its agents. Only platform administration does, since nobody may attest
 * themselves. The cost is charged to the wallet of that operator.
 * @throws CarnetError VALIDATION_ERROR for an unknown operator or agent, or an agent of another operator;
 *   INSUFFICIENT_CREDITS.
 */
export const createIdentityClaim = (
  context: Context,
  call: CommandCall,
  body: CreateIdentityClaim,
): Promise<Answered<IdentityClaim>> =>
  runCommand(context, call, async (unit) => {
    const operatorId = await findSubject(unit.connection, body);
    const claim = await insertIdentityClaim(unit.connection, { ...body, id: newId('idc'), operator_id: operatorId });
    await unit.audit('identity_claim.created', claim.id, {
      operator_id: claim.operator_id,
      agent_id: claim.agent_id,
      provider: claim.provider,
      assurance_level: claim.assurance_level,
    });
    // Last: the wallet is the row that most other calls wait for (rule 12).
    if (body.cost_microcents !== undefined) await chargeIdentityClaim(unit.connection, claim, body.cost_microcents);
    return { status: 201, body: claim, location: `/v1/identity-claims/${claim.id}` };
  }).catch((error: unknown) => {
    throw withTopUpUrl(context.config, error);
  });

/** The operator that the claim is about, or to whom its agent belongs. */
async function findSubject(
  connection: CommonQueryMethods,
  { operator_id: operatorId, agent_id: agentId }: CreateIdentityClaim,
): Promise<string> {
  if (agentId !== undefined) {
    const owner = await findOperatorOfAgent(connection, agentId);
    assertThat(owner !== null && (operatorId ?? owner) === owner, () =>
      invalid({
        path: 'agent_id',
        message: operatorId === undefined ? 'is not an agent' : 'is not an agent of this operator',
        code: 'unknown_agent',
      }),
    );
    return owner;
  }
  const operator = operatorId === undefined ? null : await findOperator(connection, operatorId);
  assertThat(operator, () => invalid({ path: 'operator_id', message: 'is not an operator', code: 'unknown_operator' }));
  return operator.id;
}

/**
 * An operator sees its own; platform administration sees all.
 * @throws CarnetError NOT_FOUND
 */
export async function readIdentityClaim(context: Context, caller: Caller, id: string): Promise<IdentityClaim> {
  const operatorId = isPlatform(caller) ? null : caller.operatorId;
  const claim = await findIdentityClaim(context.pool, { id, operatorId });
  assertThat(claim, () => notFound('identity claim'));
  return claim;
}

/** An operator sees its own; platform administration sees all, or those of one operator. */
export async function pageOfIdentityClaims(
  context: Context,
  caller: Caller,
  query: { operator_id?: string | undefined; agent_id?: string | undefined; limit: number; offset: number },
): Promise<{ items: IdentityClaim[]; total: number }> {
  const filter = {
    operatorId: isPlatform(caller) ? (query.operator_id ?? null) : caller.operatorId,
    agentId: query.agent_id ?? null,
  };
  const [items, total] = await Promise.all([
    listIdentityClaims(context.pool, filter, query),
    countIdentityClaims(context.pool, filter),
  ]);
  return { items: [...items], total };
}

/**
 * Revokes a claim: the row stays, but no longer counts. Revoking it again gives the same answer.
 * @throws CarnetError NOT_FOUND
 */
export const deleteIdentityClaim = (
  context: Context,
  call: CommandCall,
  claimId: string,
): Promise<Answered<{ deleted: true }>> =>
  runCommand(context, call, async (unit) => {
    assertThat(await revokeIdentityClaim(unit.connection, claimId), () => notFound('identity claim'));
    await unit.audit('identity_claim.revoked', claimId);
    return { status: 200, body: { deleted: true } };
  });
