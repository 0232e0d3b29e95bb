import { setTimeout as after } from 'node:timers/promises';
import { openUnit, announce, inTransaction } from '../../commands/unit.ts';
import { serviceCall } from '../../commands/service-call.ts';
import { step } from '../../commands/fault-points.ts';
import { keepInOutbox, unsubscribeLink, type MailerContext, type OutgoingMail } from '../../mail/index.ts';
import { metrics } from '../../metrics/metrics.ts';
import { DELIVERED, notDelivered, outcomeOfHandingOver, type Sending } from '../../outbound/outcomes.ts';
import { callReceiver } from '../../webhooks/call.ts';
import { signedRequest } from '../../webhooks/signed-request.ts';
import type { Texter } from '../texter.ts';
import { destinationSecrets } from '../destinations/secrets.ts';
import { climbLadder } from './ladder.ts';
import { DELIVERY_STATUS, settleDelivery, startDeliveries, type StartedDelivery } from './queries.ts';
import { eventText } from './texts.ts';

/** The context of the step that sends. */
export interface SenderContext extends MailerContext {
  readonly texter: Texter;
}

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
    step('sendNotifications:started');
    if (started.length === 0) {
      if (looks === 0) return;
      looks -= 1;
      await after(LOOK_EVERY_MS);
      continue;
    }
    // A fault of one, such as a database that is away, ends no other.
    const ended = await Promise.allSettled(started.map((one) => sendOne(context, one)));
    for (const one of ended) if (one.status === 'rejected') throw one.reason;
    if (started.length === BATCH || looks > 0) looks = LOOKS;
  } while (performance.now() < startUntil);
}

async function sendOne(context: SenderContext, delivery: StartedDelivery): Promise<void> {
  const begun = performance.now();
  const outcome = await outcomeOf(context, delivery);
  step('sendNotifications:called');
  await settle(context, delivery, { ...outcome, latencyMs: Math.round(performance.now() - begun) });
  deliveries.add(1, { channel: delivery.channel_type, status: DELIVERY_STATUS[outcome.status] });
}

type Call = () => Promise<Sending>;

/** Before the call a fault of ours is a failure; from its beginning on nobody knows what it did. */
async function outcomeOf(context: SenderContext, delivery: StartedDelivery): Promise<Sending> {
  let call: Call;
  try {
    call = callOf(context, delivery);
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

function callOf(context: SenderContext, delivery: StartedDelivery): Call {
  if (delivery.channel_type === 'webhook') return webhookCall(context, delivery);
  const { event_type: eventType, severity, payload, occurred_at: occurredAt } = delivery;
  const unsubscribe = unsubscribeLink(context, delivery.destination_id);
  const text = eventText({
    eventType,
    severity,
    payload,
    occurredAt,
    operatorId: delivery.operator_id,
    destinationId: delivery.destination_id,
    publicBaseUrl: context.config.publicBaseUrl,
    unsubscribe,
  });
  const to = delivery.address;
  if (delivery.channel_type === 'sms')
    return async () => outcomeOfHandingOver('sms', await context.texter.send(delivery.id, { to, text: text.sms }));
  const mail = { to, subject: text.subject, text: text.mail, unsubscribe };
  return () => sendMail(context, delivery.id, mail);
}

/** The body is made of the event alone, so that every delivery of an event has the same bytes. */
const webhookBody = ({
  event_type: eventType,
  severity,
  payload,
  occurred_at: timestamp,
}: Pick<StartedDelivery, 'event_type' | 'severity' | 'payload' | 'occurred_at'>): string =>
  // The payload as it was written: parsed and written again its numbers could differ.
  `{"event_type":${JSON.stringify(eventType)},"severity":${JSON.stringify(severity)},"payload":${payload},"timestamp":${JSON.stringify(timestamp)}}`;

function webhookCall({ encryption, outbound }: SenderContext, delivery: StartedDelivery): Call {
  const { destination_id: id, secret, old_secret, event_id: eventId, address: url } = delivery;
  const secrets = destinationSecrets.open(encryption, { id, secret, old_secret });
  return () =>
    callReceiver(outbound, {
      url,
      ...signedRequest({ secrets, eventId, body: webhookBody(delivery), now: new Date() }),
    });
}

async function sendMail(context: SenderContext, id: string, mail: OutgoingMail): Promise<Sending> {
  if (context.config.mail === undefined) {
    const { to, subject, text } = mail;
    await keepInOutbox(context, { channel: 'email', to, subject, text });
    return DELIVERED;
  }
  return outcomeOfHandingOver('mail', await context.mailer.send(id, mail));
}

/** Writes down what came of a call; mails of the ladder are written with it. */
async function settle(
  context: SenderContext,
  delivery: StartedDelivery,
  outcome: Sending & { latencyMs: number },
): Promise<void> {
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
