import { setTimeout as after } from 'node:timers/promises';
import { openUnit, announce, inTransaction } from '../../commands/unit.ts';
import { serviceCall } from '../../commands/service-call.ts';
import { step } from '../../commands/fault-points.ts';
import { keepInOutbox, type MailerContext } from '../../mail/index.ts';
import { metrics } from '../../metrics/metrics.ts';
import { callWebhook, DELIVERED, failed, sendSms, unknown, type CallOutcome } from '../calls.ts';
import type { Texter } from '../texter.ts';
import { openSecrets } from '../signing/secrets.ts';
import { climbLadder } from './ladder.ts';
import { settleDelivery, startDeliveries, type StartedDelivery } from './queries.ts';
import { eventText } from './texts.ts';

/** The context of the step that sends. */
export interface SenderContext extends MailerContext {
  readonly texter: Texter;
}

/** Calls to one receiver at once. */
const BATCH = 8;
/** New calls begin for so long: other destinations of the operator wait for their turn, and a worker that stops waits for the last call. */
const STARTING_MS = 4_000;
/** After a full batch more is likely to come: where nothing waits, it is looked for so many times more, so long apart. */
const LOOKS = 5;
const LOOK_EVERY_MS = 50;
/** Limits any call: after thirty seconds whoever looks takes the caller for gone. */
const LONGEST_CALL_MS = 20_000;

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
  deliveries.add(1, { channel: delivery.channel_type, status: outcome.status });
}

type Call = () => Promise<CallOutcome>;

/** Before the call a fault of ours is a failure; from its beginning on nobody knows what it did. */
async function outcomeOf(context: SenderContext, delivery: StartedDelivery): Promise<CallOutcome> {
  let call: Call;
  try {
    call = callOf(context, delivery);
  } catch (error) {
    context.log.error({ err: error, deliveryId: delivery.id }, 'a notification could not be written');
    return failed('internal_error', 'The service could not write this notification; its log says why.');
  }
  const late = new AbortController();
  try {
    return await Promise.race([
      call(),
      after(LONGEST_CALL_MS, unknown('timeout', 'No answer came in time.'), { signal: late.signal, ref: false }),
    ]);
  } catch (error) {
    context.log.error({ err: error, deliveryId: delivery.id }, 'a notification was interrupted by a fault');
    return unknown('internal_error', 'A fault of the service interrupted the call; its log says why.');
  } finally {
    late.abort();
  }
}

function callOf(context: SenderContext, delivery: StartedDelivery): Call {
  if (delivery.channel_type === 'webhook') return webhookCall(context, delivery);
  const { event_type: eventType, severity, payload, occurred_at: occurredAt } = delivery;
  const text = eventText({
    eventType,
    severity,
    payload,
    occurredAt,
    operatorId: delivery.operator_id,
    destinationId: delivery.destination_id,
    publicBaseUrl: context.config.publicBaseUrl,
  });
  const to = delivery.address;
  if (delivery.channel_type === 'sms') return () => sendSms(context.texter, delivery.id, { to, text: text.sms });
  return () => sendMail(context, delivery.id, { to, subject: text.subject, text: text.mail });
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
  const secrets = openSecrets(encryption, { id, secret, old_secret });
  return () => callWebhook(outbound, { url, secrets, id: eventId, body: webhookBody(delivery) });
}

async function sendMail(
  context: SenderContext,
  id: string,
  mail: { to: string; subject: string; text: string },
): Promise<CallOutcome> {
  if (context.config.mail === undefined) {
    await keepInOutbox(context, { channel: 'email', ...mail });
    return DELIVERED;
  }
  const outcome = await context.mailer.send(id, mail);
  if (outcome === 'sent') return DELIVERED;
  if (outcome === 'refused') return failed('refused', 'The mail server refused the mail.');
  if (outcome === 'not_taken')
    return failed('not_taken', 'The mail server could not be reached, or did not take the mail.');
  return unknown('broken', 'The mail was sent, and the mail server did not confirm it.');
}

/** Writes down what came of a call; mails of the ladder are written with it. */
async function settle(
  context: SenderContext,
  delivery: StartedDelivery,
  outcome: CallOutcome & { latencyMs: number },
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
