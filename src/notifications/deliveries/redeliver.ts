import type { Answered, CommandCall } from '../../commands/command.ts';
import { runCommand } from '../../commands/run.ts';
import type { Context } from '../../context/context.ts';
import { assertThat, CarnetError, notFound } from '../../errors/carnet-error.ts';
import type { CommonQueryMethods } from '../../database/pool.ts';
import { firstIdOf, newId, type OperatorId } from '../../ids/ids.ts';
import { lifeId } from '../../ids/life-ids.ts';
import { findDelivery, insertRedelivery, lockTarget, recoverRange } from './queries.ts';
import type { Delivery, RecoverDeliveries, Recovered } from './schema.ts';

/** Deliveries that one call makes again at most. */
const MAX_RECOVERED = 1_000;

const HINDRANCES: Record<string, string> = {
  destination_unverified: 'The destination is not verified; enter the code that was sent to it.',
  destination_disabled: 'The destination is disabled; enable it first.',
  destination_paused: 'The tier has no deliveries by this channel; change to a larger one.',
  queue_full: 'A thousand deliveries wait for this destination already; send this again when some were sent.',
};

/** @throws CarnetError NOT_FOUND, INVALID_STATE where nothing may be sent there now. */
async function assertReceives(
  connection: CommonQueryMethods,
  { operatorId, id, missing }: { operatorId: OperatorId; id: string; missing: CarnetError },
): Promise<void> {
  const target = await lockTarget(connection, operatorId, id);
  assertThat(target, () => missing);
  const { hindrance } = target;
  if (hindrance !== null) throw new CarnetError('INVALID_STATE', HINDRANCES[hindrance] ?? hindrance);
}

/**
 * Makes another delivery of an event, under the same webhook id.
 * @throws CarnetError NOT_FOUND where the delivery or its destination is not there; INVALID_STATE while it is under way, or where nothing may be
 *   sent there now.
 */
export const redeliver = (context: Context, call: CommandCall, id: string): Promise<Answered<Delivery>> =>
  runCommand(context, call, async (unit) => {
    const { connection } = unit;
    const { operatorId } = call.caller;
    const delivery = await findDelivery(connection, operatorId, id);
    assertThat(delivery, () => notFound('delivery'));
    if (delivery.status === 'sending')
      throw new CarnetError('INVALID_STATE', 'This delivery is under way; wait until it has ended.');
    const { destination_id: destinationId } = delivery;
    const missing = new CarnetError(
      'NOT_FOUND',
      `The destination ${destinationId} of this delivery was deleted; nothing is sent to it any more.`,
    );
    await assertReceives(connection, { operatorId, id: destinationId, missing });
    const made = await insertRedelivery(connection, newId('dlv'), id);
    await unit.wake(lifeId.notification(destinationId));
    await unit.audit('delivery.redelivered', made.id, { of: id, destination_id: destinationId });
    return { status: 201, body: made, location: `/v1/notifications/deliveries/${made.id}` };
  });

/**
 * Makes what was not delivered to a destination in a time again, 1,000 at most, the oldest first. The time ends with the call at the latest.
 * @throws CarnetError NOT_FOUND, INVALID_STATE where nothing may be sent there now.
 */
export const recoverDeliveries = (
  context: Context,
  call: CommandCall,
  { destination_id: destinationId, since, until, statuses }: RecoverDeliveries,
): Promise<Answered<Recovered>> =>
  runCommand(context, call, async (unit) => {
    const { connection } = unit;
    const { operatorId } = call.caller;
    await assertReceives(connection, { operatorId, id: destinationId, missing: notFound('destination') });
    const body = await recoverRange(connection, {
      destinationId,
      since,
      until,
      // The id is made a moment before the row.
      first: firstIdOf('dlv', new Date(Date.parse(since) - 1_000)),
      end: firstIdOf('dlv', new Date(until)),
      statuses,
      limit: MAX_RECOVERED,
    });
    if (body.recovered > 0) await unit.wake(lifeId.notification(destinationId));
    await unit.audit('deliveries.recovered', destinationId, {
      since,
      until: body.until,
      statuses,
      recovered: body.recovered,
    });
    return { status: 200, body };
  });
