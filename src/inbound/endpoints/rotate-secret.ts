import type { Answered, CommandCall } from '../../commands/command.ts';
import { runCommand } from '../../commands/run.ts';
import type { Context } from '../../context/context.ts';
import { newWebhookSecret } from '../../notifications/index.ts';
import { replaceEndpointSecret } from './queries.ts';
import { activeEndpoint } from './read.ts';
import type { RotatedEndpointSecret, RotateEndpointSecret } from './schema.ts';
import { sealEndpointSecret } from './secrets.ts';

/**
 * Replaces the secret of an endpoint, by the one that its provider made or a new one: forwards are signed with the new one at once, and what providers send may be signed with the one before
 * for another day, unless that ends `immediate`ly.
 * @throws CarnetError NOT_FOUND; ENDPOINT_REVOKED
 */
export const rotateEndpointSecret = (
  context: Context,
  call: CommandCall,
  { id, immediate, secret: given }: { id: string } & RotateEndpointSecret,
): Promise<Answered<RotatedEndpointSecret>> =>
  runCommand(
    context,
    call,
    async (unit) => {
      await activeEndpoint(unit.connection, call.caller, id);
      const secret = given ?? newWebhookSecret();
      const sealed = sealEndpointSecret(context.encryption, id, secret);
      await replaceEndpointSecret(unit.connection, id, { secret: sealed, immediate });
      await unit.audit('inbound_endpoint.secret_rotated', id, { immediate });
      unit.changed(id);
      return { status: 200, body: { id, secret } };
    },
    { secret: true },
  );
