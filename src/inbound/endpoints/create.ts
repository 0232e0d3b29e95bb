import { randomBytes } from 'node:crypto';
import { actToOutlive, assertGrant, findAgent, lockOperator, maySeeAgent } from '../../accounts/index.ts';
import type { Caller } from '../../commands/caller.ts';
import type { Answered, CommandCall } from '../../commands/command.ts';
import { runKeptCommand } from '../../commands/run.ts';
import type { Context } from '../../context/context.ts';
import type { CommonQueryMethods } from '../../database/pool.ts';
import { assertThat, CarnetError, notFound } from '../../errors/carnet-error.ts';
import { newId, type OperatorId } from '../../ids/ids.ts';
import { newWebhookSecret } from '../../webhooks/secrets.ts';
import { originOf, refusalOfForwardUrl } from './forward-url.ts';
import { countActiveEndpoints, insertEndpoint } from './queries.ts';
import { letsMorePass } from './policy.ts';
import { seenBy, shownEndpoint } from './read.ts';
import { STANDARD_POLICY, type CreatedEndpoint, type CreateEndpoint } from './schema.ts';
import { endpointSecrets } from './secrets.ts';

/** No tier limits them; this keeps a loop of somebody's from filling the table. */
const MAX_ACTIVE = 10_000;

/** Lower-case letters and digits that are not taken for one another (RFC 4648 base32), five bits each. */
const ALPHABET = 'abcdefghijklmnopqrstuvwxyz234567';
/** 160 bits: nobody finds an endpoint by trying. */
const SLUG_LENGTH = 32;

/**
 * Makes an endpoint. Its secret, made here unless its provider has made one, is in this answer only. One for a blocked agent receives, and forwards nothing while it is blocked. One that
 * holds less than the standard policy, and one by a credential that ends, needs a person.
 * @throws CarnetError FORWARD_URL_FORBIDDEN; NOT_FOUND for an agent that is unknown, foreign or not of the partner's grant; PROVIDER_NOT_ALLOWED
 *   for a partner; INVALID_STATE for a retired agent; TIER_LIMIT_EXCEEDED; UNAUTHENTICATED for a partner whose grant has just ended
 */
export async function createEndpoint(
  context: Context,
  call: CommandCall,
  body: CreateEndpoint,
): Promise<Answered<CreatedEndpoint>> {
  const { caller } = call;
  const forbidden = await refusalOfForwardUrl(context, body.forward_url);
  return runKeptCommand(context, call, {
    secret: true,
    work: async (unit) => {
      const { connection } = unit;
      if (forbidden !== null) throw forbidden;
      const agent = await assertMayMake(connection, caller, body);
      await assertRoom(connection, caller.operatorId);
      const act = letsMorePass(body.policy, STANDARD_POLICY)
        ? 'inbound_endpoint.made_weak'
        : await actToOutlive(connection, caller, { act: 'inbound_endpoint.outlives_maker', end: null });
      const refused = act === null ? null : await context.requireApproval(unit, call, { act, subject: { agent } });
      if (refused !== null) return refused;
      const id = newId('inw');
      const secret = body.secret ?? newWebhookSecret();
      const sealed = endpointSecrets.encrypt(context.encryption, { id, secret });
      await insertEndpoint(connection, { ...seenBy(caller), id, slug: newSlug(), secret: sealed }, body);
      await unit.audit('inbound_endpoint.created', id, {
        provider: body.provider,
        agent_id: body.agent_id,
        forward_to: originOf(body.forward_url),
        ...body.policy,
      });
      const made = await shownEndpoint(context, connection, { caller, id });
      return { status: 201, body: { ...made, secret }, location: `/v1/operator/inbound-webhooks/${id}` };
    },
  });
}

const newSlug = (): string => [...randomBytes(SLUG_LENGTH)].map((byte) => ALPHABET.charAt(byte & 31)).join('');

/** @returns what a person must know of the agent who decides about the endpoint. @throws CarnetError NOT_FOUND, PROVIDER_NOT_ALLOWED, INVALID_STATE, UNAUTHENTICATED */
async function assertMayMake(
  connection: CommonQueryMethods,
  caller: Caller,
  { agent_id: agentId, provider }: CreateEndpoint,
): Promise<object> {
  const grant = caller.kind === 'partner' ? await assertGrant(connection, caller) : null;
  const agent = await findAgent(connection, { operatorId: caller.operatorId, agentId });
  assertThat(agent !== null && maySeeAgent(caller, agent), () => notFound('agent'));
  if (grant !== null && !grant.providers.includes(provider)) {
    throw new CarnetError(
      'PROVIDER_NOT_ALLOWED',
      `The grant of this key includes ${grant.providers.join(' and ')}, not ${provider}; the operator makes another grant.`,
      { extra: { providers: grant.providers } },
    );
  }
  if (agent.retired_at !== null) {
    throw new CarnetError(
      'INVALID_STATE',
      'The agent is retired, so nothing would be forwarded; bring it back first.',
      {
        extra: { current_status: agent.status },
      },
    );
  }
  const { id, name, status, accountability } = agent;
  return { id, name, status, accountability };
}

/** @throws CarnetError TIER_LIMIT_EXCEEDED where there are as many as may be */
async function assertRoom(connection: CommonQueryMethods, operatorId: OperatorId): Promise<void> {
  await lockOperator(connection, operatorId);
  const used = await countActiveEndpoints(connection, operatorId);
  if (used < MAX_ACTIVE) return;
  const detail = `An operator has ${MAX_ACTIVE} active inbound endpoints at most; revoke one that is not needed.`;
  throw new CarnetError('TIER_LIMIT_EXCEEDED', detail, { extra: { limit: MAX_ACTIVE, used } });
}
