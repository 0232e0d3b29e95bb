import type { Caller } from '../../commands/caller.ts';
import { issueClaim, revokeIssuedClaim } from '../../claims/index.ts';
import { runCommand, type Answered, type CommandCall } from '../../commands/run.ts';
import type { Context } from '../../context/context.ts';
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
 * Binds an agent and the key that it has now to a receiver, and issues the `authority_binding` claim that records it:
 * its terms and the digest of the document, never the document.
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
    const { document: given, ...named } = body;
    const terms = { ...named, key_thumbprint: agent.key_thumbprint };
    const document = canonicalJson(given ?? terms);
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
    const made = await foundAuthorityBinding(connection, { operatorId, bindingId: id });
    return { status: 201, body: made, location: `/v1/authority-bindings/${id}` };
  });

async function foundAuthorityBinding(
  connection: Parameters<typeof findAuthorityBinding>[0],
  named: BindingOfOperator,
): Promise<AuthorityBindingWithDocument> {
  const binding = await findAuthorityBinding(connection, named);
  assertThat(binding, () => notFound('authority binding'));
  return binding;
}

/** @throws CarnetError NOT_FOUND for an unknown or foreign binding. */
export const readAuthorityBinding = (
  context: Context,
  { operatorId }: Caller,
  bindingId: string,
): Promise<AuthorityBindingWithDocument> => foundAuthorityBinding(context.pool, { operatorId, bindingId });

export async function pageOfAuthorityBindings(
  context: Context,
  { operatorId }: Caller,
  { limit, offset }: { limit: number; offset: number },
): Promise<{ items: AuthorityBinding[]; total: number }> {
  const [items, total] = await Promise.all([
    listAuthorityBindings(context.pool, operatorId, limit, offset),
    countAuthorityBindings(context.pool, operatorId),
  ]);
  return { items: [...items], total };
}

/**
 * The binding counts no more, in passports that refer to it neither (decisions A10), and its claim is revoked. Again: the same answer.
 * @throws CarnetError NOT_FOUND for an unknown or foreign binding.
 */
export const revokeAuthorityBinding = (
  context: Context,
  call: CommandCall,
  bindingId: string,
): Promise<Answered<AuthorityBindingWithDocument>> =>
  runCommand(context, call, async ({ connection, audit }) => {
    const named = { operatorId: call.caller.operatorId, bindingId };
    const claimId = await revokeAuthorityBindingRow(connection, named);
    if (claimId !== null) {
      await revokeIssuedClaim(connection, claimId, 'Authority binding revoked');
      await audit('authority_binding.revoked', bindingId);
    }
    return { status: 200, body: await foundAuthorityBinding(connection, named) };
  });
