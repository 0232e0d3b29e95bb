import type { Answered, CommandCall } from '../../commands/command.ts';
import { runKeptCommand } from '../../commands/run.ts';
import type { Context } from '../../context/context.ts';
import { assertThat, invalid, notFound } from '../../errors/carnet-error.ts';
import { channels } from '../channels/registry.ts';
import { decidedAbout } from './decided-about.ts';
import { lockDestination } from './queries.ts';
import { shownDestination } from './read.ts';
import type { RotatedSecret } from './schema.ts';
import { destinationSecrets } from '../channels/secrets.ts';
import { newWebhookSecret } from '../../webhooks/secrets.ts';

/**
 * Replaces the secret of a webhook; the one before it signs beside the new one for a day.
 * @throws CarnetError NOT_FOUND; VALIDATION_ERROR for an address that is no webhook; GOVERNANCE_APPROVAL_REQUIRED
 */
export const rotateSecret = (
  context: Context,
  call: CommandCall,
  destinationId: string,
): Promise<Answered<RotatedSecret>> =>
  runKeptCommand(context, call, {
    secret: true,
    work: async (unit) => {
      const { connection } = unit;
      const { operatorId } = call.caller;
      const found = await lockDestination(connection, { operatorId, destinationId });
      assertThat(found, () => notFound('destination'));
      const { id, channel_type } = found;
      assertThat(channels[channel_type].signs, () =>
        invalid({ path: 'id', message: 'is no webhook: only webhooks have a secret', code: 'invalid_reference' }),
      );
      const subject = await decidedAbout(connection, found);
      const refused = await context.requireApproval(unit, call, { act: 'destination.secret_rotated', subject });
      if (refused !== null) return refused;
      const secret = newWebhookSecret();
      const sealed = destinationSecrets.encrypt(context.encryption, { id, secret });
      await destinationSecrets.replace(connection, { id, secret: sealed });
      await unit.audit('destination.secret_rotated', id);
      return { status: 200, body: { ...(await shownDestination(connection, operatorId, id)), webhook_secret: secret } };
    },
  });
