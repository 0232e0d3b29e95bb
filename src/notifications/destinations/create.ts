import { lockOperator } from '../../accounts/index.ts';
import type { Answered, CommandCall } from '../../commands/command.ts';
import { runKeptCommand } from '../../commands/run.ts';
import type { Context } from '../../context/context.ts';
import type { CommonQueryMethods } from '../../database/pool.ts';
import { assertThat, CarnetError, notFound } from '../../errors/carnet-error.ts';
import { newId, type OperatorId } from '../../ids/ids.ts';
import type { ChannelType } from '../channels/kinds.ts';
import { channels } from '../channels/registry.ts';
import { countDestinations, findDestinationByAddress, insertDestination, listAddresses } from './queries.ts';
import { shownDestination } from './read.ts';
import type { CreateDestination, CreatedDestination } from './schema.ts';
import { destinationSecrets } from '../channels/secrets.ts';
import { assertChannel } from './tier.ts';
import { sendCode } from './verification/send-code.ts';

/** Each may be named by rules, and every event is matched with all of them. */
const MAX_DESTINATIONS = 50;

/**
 * Makes a destination. The registered e-mail address of the operator is verified immediately; every other gets a code.
 * @throws CarnetError VALIDATION_ERROR for what is no address; TIER_LIMIT_EXCEEDED; SMS_NOT_CONFIGURED; DESTINATION_EXISTS with
 *   `destination_id`; GOVERNANCE_APPROVAL_REQUIRED; RATE_LIMITED where the address has had its codes.
 */
export async function createDestination(
  context: Context,
  call: CommandCall,
  body: CreateDestination,
): Promise<Answered<CreatedDestination>> {
  const { operatorId } = call.caller;
  const { channel_type: channel, destination: given } = body;
  const { normalise, keep, signs, isProven } = channels[channel];
  // Before the command, since DNS may take seconds; a caller that repeats a key gets the kept answer, no matter what DNS says now.
  const normalised = await normalise(context, given);
  return runKeptCommand(context, call, {
    secret: true,
    work: async (unit) => {
      const { connection } = unit;
      if (normalised instanceof CarnetError) throw normalised;
      const { destination, address, secret } = keep(context.encryption, { given, normalised });
      const operator = await lockOperator(connection, operatorId);
      assertThat(operator, () => notFound('operator'));
      assertChannel(context, operator.tier, channel);
      await assertNew(connection, operatorId, { channel, address });
      const refused = await context.requireApproval(unit, call, {
        act: 'destination.created',
        subject: { destinations: await listAddresses(connection, operatorId) },
      });
      if (refused !== null) return refused;

      const id = newId('dst');
      const verified = await isProven(connection, operatorId, address);
      await insertDestination(connection, {
        id,
        operatorId,
        channel,
        destination,
        address,
        verified,
        secret: secret === null ? null : destinationSecrets.encrypt(context.encryption, { id, secret }),
      });
      await unit.audit('destination.created', id, { channel_type: channel, verified });
      if (!verified) await sendCode(context, unit, { id, operatorId, channel, address });
      const made = await shownDestination(connection, operatorId, id);
      return {
        status: 201,
        body: signs && secret !== null ? { ...made, webhook_secret: secret } : made,
        location: `/v1/notifications/destinations/${id}`,
      };
    },
  });
}

/** @throws CarnetError DESTINATION_EXISTS; TIER_LIMIT_EXCEEDED where there are as many as may be */
async function assertNew(
  connection: CommonQueryMethods,
  operatorId: OperatorId,
  wanted: { channel: ChannelType; address: string },
): Promise<void> {
  const existing = await findDestinationByAddress(connection, operatorId, wanted);
  if (existing !== null) {
    throw new CarnetError('DESTINATION_EXISTS', `This address is the destination ${existing} already.`, {
      extra: { destination_id: existing },
    });
  }
  const used = await countDestinations(connection, operatorId);
  if (used >= MAX_DESTINATIONS) {
    const detail = `An operator has ${MAX_DESTINATIONS} destinations at most; delete one that is not needed.`;
    throw new CarnetError('TIER_LIMIT_EXCEEDED', detail, { extra: { limit: MAX_DESTINATIONS, used } });
  }
}
