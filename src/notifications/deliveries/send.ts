import { setTimeout as after } from 'node:timers/promises';
import { openUnit, announce, inTransaction } from '../../commands/unit.ts';
import { serviceCall } from '../../commands/service-call.ts';
import { faultPoint } from '../../commands/fault-points.ts';
import { metrics } from '../../metrics/metrics.ts';
import { noteStanding } from '../../webhooks/standing.ts';
import { inSpan, inTrace } from '../../tracing/tracing.ts';
import { notDelivered, type Sending } from '../../outbound/outcomes.ts';
import type { Call, SenderContext } from '../channels/channel.ts';
import { channels } from '../channels/registry.ts';
import { climbLadder } from './ladder.ts';
import { DELIVERY_STATUS, settleDelivery, startDeliveries, type StartedDelivery } from './queries.ts';

/** Calls to one receiver in parallel. */
const BATCH = 8;
/** New calls begin for so long: other destinations of the operator wait for their turn, and a worker that stops waits for the last call. */
const STARTING_MS = 4_000;
/** After a full batch more is likely to come: where nothing waits, it is looked for so many times more, so long apart. */
const LOOKS = 5;
const LOOK_EVERY_MS = 50;
/** Limits any call: after thirty seconds a reader takes the caller for gone. */
const MAX_CALL_MS = 20_000;

const deliveries = metrics.counter('carnet_notification_deliveries', 'Deliveries that were sent, by what came of them');

/**
 * Sends what waits for a destination: begins up to eight deliveries, makes the one call of each, and writes down what came of it, again and
 * again until nothing waits or four seconds are over. Where many waited it looks for more a quarter of a second, which is quicker than the
 * way through Temporal. What was begun is begun for good, so this may be called any number of times.
 */
export async function sendNotifications(context: SenderContext, destinationId: string): Promise<void> {
  const startUntil = performance.now() + STARTING_MS;
  const { notificationEmailMicrocents: emailMicrocents } = context.config;
  let looks = 0;
  do {
    const started = await startDeliveries(context.pool, destinationId, { limit: BATCH, emailMicrocents });
    faultPoint('sendNotifications:started');
    if (started.length === 0) {
      if (looks === 0) return;
      looks -= 1;
      await after(LOOK_EVERY_MS);
      continue;
    }
    // A fault of one, such as a database that is away, ends no other.
    const ended = await Promise.allSettled(started.map((one) => traced(context, one)));
    for (const one of ended) if (one.status === 'rejected') throw one.reason;
    if (started.length === BATCH || looks > 0) looks = LOOKS;
  } while (performance.now() < startUntil);
}

/** One that a traced command has caused belongs to the trace of that command, no matter which one has woken the life. */
const traced = (context: SenderContext, delivery: StartedDelivery): Promise<void> => {
  const { id, destination_id: destinationId, operator_id: operatorId } = delivery;
  const attributes = {
    'carnet.delivery_id': id,
    'carnet.destination_id': destinationId,
    'carnet.operator_id': operatorId,
  };
  return inTrace(delivery.trace, () => inSpan('delivery', { attributes }, () => sendOne(context, delivery)));
};

async function sendOne(context: SenderContext, delivery: StartedDelivery): Promise<void> {
  const begun = performance.now();
  const outcome = await outcomeOf(context, delivery);
  faultPoint('sendNotifications:called');
  await settle(context, delivery, { ...outcome, latencyMs: Math.round(performance.now() - begun) });
  const isByReceiver =
    outcome.status === 'delivered' || channels[delivery.channel_type].isFaultOfReceiver(outcome.reason);
  if (isByReceiver)
    noteStanding(context, { destinationId: delivery.destination_id, operatorId: delivery.operator_id }, outcome);
  deliveries.add(1, { channel: delivery.channel_type, status: DELIVERY_STATUS[outcome.status] });
}

/** Before the call a fault of ours is a failure; from its beginning on nobody knows what it did. */
async function outcomeOf(context: SenderContext, delivery: StartedDelivery): Promise<Sending> {
  let call: Call;
  try {
    call = channels[delivery.channel_type].callOf(context, delivery);
  } catch (error) {
    context.log.error({ err: error, deliveryId: delivery.id }, 'a notification could not be written');
    const sentence = 'The service could not write this notification; its log says why.';
    return notDelivered({ status: 'failed', reason: 'internal_error', error: sentence });
  }
  const late = new AbortController();
  const tooLate = notDelivered({ status: 'unknown', reason: 'timeout', error: 'No answer came in time.' });
  try {
    return await Promise.race([call(), after(MAX_CALL_MS, tooLate, { signal: late.signal, ref: false })]);
  } catch (error) {
    context.log.error({ err: error, deliveryId: delivery.id }, 'a notification was interrupted by a fault');
    const sentence = 'A fault of the service interrupted the call; its log says why.';
    return notDelivered({ status: 'unknown', reason: 'internal_error', error: sentence });
  } finally {
    late.abort();
  }
}

/** Writes down what came of a call; mails of the ladder are written with it. */
async function settle(
  context: SenderContext,
  delivery: StartedDelivery,
  called: Sending & { latencyMs: number },
): Promise<void> {
  const receiversFault =
    called.status !== 'delivered' && channels[delivery.channel_type].isFaultOfReceiver(called.reason);
  const outcome = { ...called, receiversFault };
  if (outcome.status === 'delivered') {
    await settleDelivery(context.pool, delivery.id, outcome); // nothing to mail: one statement
  } else {
    const effects = await inTransaction(context, async (connection) => {
      const opened = openUnit(serviceCall({ operation: 'settleDelivery', requestId: delivery.id }), connection);
      const settled = await settleDelivery(connection, delivery.id, outcome);
      await climbLadder(context, opened.unit, { delivery, settled, outcome });
      return opened.effects();
    });
    announce(context, effects);
  }
  context.rowEvents.changed(delivery.id);
}
