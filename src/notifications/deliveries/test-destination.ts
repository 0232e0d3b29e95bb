import type { Answered, CommandCall } from '../../commands/command.ts';
import { runWaitingCommand } from '../../commands/waiting.ts';
import type { Context } from '../../context/context.ts';
import { assertThat, CarnetError, notFound } from '../../errors/carnet-error.ts';
import { newId } from '../../ids/ids.ts';
import { lifeId } from '../../ids/life-ids.ts';
import { beginTest, findDelivery, lockTarget } from './queries.ts';
import type { Delivery, Tested } from './schema.ts';

/** The half second until a message is delivered, twenty seconds of a call, and a little for what waits in front. */
const WAIT_SECONDS = 25;

/**
 * Sends a test to a verified destination, and waits for the end of its delivery.
 * @throws CarnetError NOT_FOUND; DESTINATION_UNVERIFIED; TEMPORARILY_UNAVAILABLE where it has not ended in time: the same call under its
 *   Idempotency-Key goes on waiting.
 */
export const testDestination = (
  context: Context,
  call: CommandCall,
  { destinationId, signal }: { destinationId: string; signal: AbortSignal },
): Promise<Answered<Tested>> => {
  const { operatorId } = call.caller;
  const id = newId('dlv');
  return runWaitingCommand<Tested>(context, call, {
    id,
    async begin(unit) {
      const target = await lockTarget(unit.connection, operatorId, destinationId);
      assertThat(target, () => notFound('destination'));
      if (!target.verified) {
        const detail = 'The destination is not verified; enter the code that was sent to it.';
        throw new CarnetError('DESTINATION_UNVERIFIED', detail);
      }
      const waits = await beginTest(unit.connection, id, destinationId);
      await unit.audit('destination.tested', destinationId, { delivery_id: id });
      if (waits) await unit.wake(lifeId.notification(destinationId));
    },
    async wait(deliveryId) {
      const wait = { caller: operatorId, seconds: WAIT_SECONDS, signal };
      const ended = await context.rowEvents.waitFor(deliveryId, wait, async () => {
        const delivery = await findDelivery(context.pool, operatorId, deliveryId);
        return delivery?.status === 'sending' ? undefined : true;
      });
      if (ended === undefined) {
        const detail =
          'The test has not ended in time. Send this again: with the Idempotency-Key it had it goes on waiting; if it had none, look at the deliveries.';
        throw new CarnetError('TEMPORARILY_UNAVAILABLE', detail, { headers: { 'Retry-After': '5' } });
      }
    },
    async answer({ connection }, deliveryId) {
      const delivery = await findDelivery(connection, operatorId, deliveryId);
      assertThat(delivery, () => notFound('delivery'));
      return { status: 200, body: presentTest(delivery) };
    },
  });
};

const presentTest = ({ id, status, status_code, reason, error }: Delivery): Tested => ({
  delivered: status === 'delivered',
  delivery_id: id,
  status,
  status_code,
  reason,
  error,
});
