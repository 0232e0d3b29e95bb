import { actToOutlive } from '../../accounts/index.ts';
import type { Answered, CommandCall } from '../../commands/command.ts';
import { runKeptCommand } from '../../commands/run.ts';
import type { Context } from '../../context/context.ts';
import { newWebhookSecret } from '../../webhooks/secrets.ts';
import { activeEndpoint, endpointDecidedAbout } from './read.ts';
import type { RotatedEndpointSecret, RotateEndpointSecret } from './schema.ts';
import { endpointSecrets } from './secrets.ts';

/**
 * Replaces the secret of an endpoint, by the one that its provider made or a new one: forwards are signed with the new one immediately, and what providers send may be signed with the one before
 * for another day, unless that ends `immediate`ly. One that the caller chooses, and one that
 * would outlast the credential of the caller, needs a person.
 * @throws CarnetError NOT_FOUND; ENDPOINT_REVOKED; GOVERNANCE_APPROVAL_REQUIRED
 */
export const rotateEndpointSecret = (
  context: Context,
  call: CommandCall,
  { id, immediate, secret: given }: { id: string } & RotateEndpointSecret,
): Promise<Answered<RotatedEndpointSecret>> =>
  runKeptCommand(context, call, {
    secret: true,
    work: async (unit) => {
      const endpoint = await activeEndpoint(unit.connection, call.caller, id);
      const chosen = given !== undefined;
      const act = chosen
        ? 'inbound_endpoint.secret_chosen'
        : await actToOutlive(unit.connection, call.caller, { act: 'inbound_secret.outlives_maker', end: null });
      const subject = endpointDecidedAbout(endpoint);
      const refused = act === null ? null : await context.requireApproval(unit, call, { act, subject });
      if (refused !== null) return refused;
      const secret = given ?? newWebhookSecret();
      const sealed = endpointSecrets.encrypt(context.encryption, { id, secret });
      await endpointSecrets.replace(unit.connection, { id, secret: sealed, immediate });
      await unit.audit('inbound_endpoint.secret_rotated', id, { immediate, chosen });
      unit.changed(id);
      return { status: 200, body: { id, secret } };
    },
  });
