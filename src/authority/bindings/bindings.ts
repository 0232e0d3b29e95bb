import type { Caller } from '../../commands/caller.ts';
import { issueClaim, revokeIssuedClaim } from '../../claims/index.ts';
import type { Answered, CommandCall } from '../../commands/command.ts';
import { runCommand } from '../../commands/run.ts';
import type { Context } from '../../context/context.ts';
import type { CommonQueryMethods } from '../../database/pool.ts';
import { canonicalJson, sha256Hex } from '../../json/canonical.ts';
import { assertThat, CarnetError, notFound } from '../../errors/carnet-error.ts';
import { newId } from '../../ids/ids.ts';
import { findKeyOfAgent } from '../../accounts/index.ts';
import {
  countAuthorityBindings,
  findAuthorityBinding,
  insertAuthorityBinding,
  listAuthorityBindings,
  revokeAuthorityBindingRow,
  type BindingOfOperator,
} from './queries.ts';
import type { AuthorityBinding, AuthorityBindingWithDocument, CreateAuthorityBinding } from './schema.ts';
import { assertFuture, epochSeconds } from '../../database/instants.ts';

/** A binding never changes; other terms are another binding. */
const VERSION = 1;

/**
 * Binds an agent and its current key to a receiver, and issues the `authority_binding` claim that records it: the terms
 * and the digest of the document, never the document.
 * @throws CarnetError VALIDATION_ERROR for an expiry in the past; NOT_FOUND for an unknown or foreign agent;
 * INVALID_STATE for an agent without a key.
 */
export const createAuthorityBinding = (
  context: Context,
  call: CommandCall,
  body: CreateAuthorityBinding,
): Promise<Answered<AuthorityBindingWithDocument>> =>
  runCommand(context, call, async ({ connection, audit }) => {
    const { operatorId } = call.caller;
    await assertFuture(connection, body.expires_at);
    const agent = await findKeyOfAgent(connection, { operatorId, agentId: body.agent_id });
    assertThat(agent, () => notFound('agent'));
    assertThat(
      agent.key_thumbprint,
      () => new CarnetError('INVALID_STATE', 'The agent has no key to bind to; give it a public_jwk first.'),
    );
    const { document: sentDocument, ...sentTerms } = body;
    const terms = { ...sentTerms, key_thumbprint: agent.key_thumbprint };
    const document = canonicalJson(sentDocument ?? terms);
    const digest = `sha256:${sha256Hex(document)}`;
    const id = newId('bnd');
    const claimId = await issueClaim(connection, {
      type: 'authority_binding',
      subject: `carnet://agent/${body.agent_id}`,
      payload: {
        ...terms,
        type: 'authority_binding',
        binding_id: id,
        binding_version: VERSION,
        binding_digest: digest,
        operator_id: operatorId,
        expires_at: epochSeconds(body.expires_at),
      },
      agentId: body.agent_id,
      missionRef: null,
      operatorIds: [operatorId],
      passportJti: null,
    });
    await insertAuthorityBinding(connection, {
      ...terms,
      id,
      operator_id: operatorId,
      document,
      binding_digest: digest,
      claim_id: claimId,
    });
    const { agent_id: agentId, receiver_id: receiverId } = body;
    await audit('authority_binding.created', id, { agent_id: agentId, receiver_id: receiverId, claim_id: claimId });
    const binding = await requireAuthorityBinding(connection, { operatorId, bindingId: id });
    return { status: 201, body: binding, location: `/v1/authority-bindings/${id}` };
  });

/** @throws CarnetError NOT_FOUND for an unknown or foreign binding. */
async function requireAuthorityBinding(
  connection: CommonQueryMethods,
  ref: BindingOfOperator,
): Promise<AuthorityBindingWithDocument> {
  const binding = await findAuthorityBinding(connection, ref);
  assertThat(binding, () => notFound('authority binding'));
  return binding;
}

/** @throws CarnetError NOT_FOUND for an unknown or foreign binding. */
export const readAuthorityBinding = (
  context: Context,
  { operatorId }: Caller,
  bindingId: string,
): Promise<AuthorityBindingWithDocument> => requireAuthorityBinding(context.pool, { operatorId, bindingId });

export async function pageOfAuthorityBindings(
  context: Context,
  { operatorId }: Caller,
  page: { limit: number; offset: number },
): Promise<{ items: AuthorityBinding[]; total: number }> {
  const [items, total] = await Promise.all([
    listAuthorityBindings(context.pool, operatorId, page),
    countAuthorityBindings(context.pool, operatorId),
  ]);
  return { items: [...items], total };
}

/**
 * Revokes a binding and its claim. It no longer counts, also in passports that were signed with it. Revoking it again
 * gives the same answer.
 * @throws CarnetError NOT_FOUND for an unknown or foreign binding.
 */
export const revokeAuthorityBinding = (
  context: Context,
  call: CommandCall,
  bindingId: string,
): Promise<Answered<AuthorityBindingWithDocument>> =>
  runCommand(context, call, async ({ connection, audit }) => {
    const ref = { operatorId: call.caller.operatorId, bindingId };
    const claimId = await revokeAuthorityBindingRow(connection, ref);
    if (claimId !== null) {
      await revokeIssuedClaim(connection, claimId, 'Authority binding revoked');
      await audit('authority_binding.revoked', bindingId);
    }
    return { status: 200, body: await requireAuthorityBinding(connection, ref) };
  });
