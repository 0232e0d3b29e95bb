import { z } from 'zod';
import { noteSchedule } from '../../commands/schedules.ts';
import { textArray } from '../../database/columns.ts';
import { sql, type CommonQueryMethods } from '../../database/pool.ts';
import { paymentEventOf } from '../payments/provider-event.ts';
import type { Context } from '../../context/context.ts';
import { receivePaymentEvent } from './receive.ts';

/** How far a run has come. */
export interface EventReading {
  /** From when on events are read, and when the reading began; ISO 8601. */
  since: string;
  begun: string;
  /** The id of the last event that was read; null at the beginning and at the end. */
  after: string | null;
  isOver: boolean;
  /** Events that no webhook had brought, and those that could not be applied. */
  missed: number;
  failed: number;
}

/**
 * Reads a page of the provider's events, and applies those that no webhook brought through the same door as a webhook.
 * Once the last page is read, the next run begins there; while an event could not be applied, it begins here again.
 * @param reading what the step before returned; null: a run begins
 */
export async function readPaymentEvents(context: Context, reading: EventReading | null): Promise<EventReading> {
  const { pool, config, log, payments } = context;
  const { since, begun, after, missed, failed } = reading ?? (await beginReading(pool));
  const here = { since, begun, missed, failed };
  if (config.payments === undefined) return { ...here, after: null, isOver: true };
  const page = await payments.readEvents({ since: new Date(since), after });
  const known = await knownEvents(pool, page.events.map(idOf));
  for (const raw of page.events.filter((event) => !known.has(idOf(event)))) {
    try {
      const event = paymentEventOf(raw, config.payments);
      if (event === null) throw new Error('The payment provider lists something that is no event.');
      await receivePaymentEvent(context, event, 'payment-events');
      here.missed += 1;
    } catch (error) {
      here.failed += 1;
      log.error(
        { err: error, eventId: idOf(raw) },
        'an event of the payment provider cannot be applied; a person must look',
      );
    }
  }
  if (page.after === null && here.failed === 0) {
    await saveReading(pool, begun);
    await noteSchedule(pool, 'payment-events');
  }
  if (page.after === null && here.missed > 0)
    log.warn({ missed: here.missed, since }, 'the payment provider had events that no webhook brought');
  return { ...here, after: page.after, isOver: page.after === null };
}

const idOf = (event: unknown): string => z.object({ id: z.string() }).safeParse(event).data?.id ?? '';

const BegunRow = z.object({ since: z.string(), begun: z.string() });

/**
 * From the beginning of the last reading that was complete, three days before it at least, since a provider sends a
 * webhook again for so long; Stripe lists events for thirty days.
 */
async function beginReading(connection: CommonQueryMethods): Promise<EventReading> {
  const { since, begun } = await connection.one(sql.type(BegunRow)`
    select iso_time(clock_timestamp()) as begun, iso_time(greatest(clock_timestamp() - interval '30 days',
      coalesce((select begun_at from payment_event_readings) - interval '3 days', '-infinity'))) as since`);
  return { since, begun, after: null, isOver: false, missed: 0, failed: 0 };
}

async function knownEvents(connection: CommonQueryMethods, ids: string[]): Promise<ReadonlySet<string>> {
  const known = await connection.anyFirst(sql.type(z.object({ id: z.string() }))`
    select id from payment_events where id = any(${textArray(ids)})`);
  return new Set(known);
}

/** Events of payments that were never ours are forgotten in the same go. */
async function saveReading(connection: CommonQueryMethods, begun: string): Promise<void> {
  await connection.query(sql.type(z.object({}))`
    insert into payment_event_readings as r (begun_at) values (${begun})
    on conflict (one) do update set begun_at = greatest(r.begun_at, excluded.begun_at)`);
  await connection.query(sql.type(z.object({}))`select forget_foreign_payments()`);
}
