import assert from 'node:assert/strict';
import { z } from 'zod';
import { sql } from '../../../src/database/pool.ts';
import { newId } from '../../../src/ids/ids.ts';
import { eventually } from '../../support/eventually.ts';
import { paymentEventBody, refundObject } from '../../support/payment-webhooks.ts';
import { database } from '../../support/service.ts';
import { outcomeOf, post } from './support.ts';

type Status = 'pending' | 'succeeded' | 'failed';

/**
 * A refund in the books of the local provider that nobody has reported yet, as one made in a dashboard.
 * @param made.key that we requested it under; absent: made without us
 * @returns its id
 */
export async function refundThere(
  paymentId: string,
  amountCents: number,
  { status = 'succeeded', key = null }: { status?: Status; key?: string | null } = {},
): Promise<string> {
  const [pool, id] = [await database(), newId('lpay')];
  // A payment that a test reports has no page at the provider.
  await pool.query(sql.unsafe`
    insert into local_payments (id, receipt_id, customer_id, amount_cents, description)
    select ${paymentId}, ${newId('lpay')}, id, ${amountCents}, 'of a test' from local_customers limit 1 on conflict do nothing`);
  await pool.query(sql.unsafe`
    insert into local_refunds (id, payment_id, amount_cents, status, key) values (${id}, ${paymentId}, ${amountCents}, ${status}, ${key})`);
  await countThere(paymentId);
  return id;
}

/** The outcome of a refund at the local provider. */
export async function changeThere(id: string, status: Status): Promise<void> {
  const pool = await database();
  const paymentId = await pool.oneFirst(sql.type(z.object({ payment_id: z.string() }))`
    update local_refunds set status = ${status} where id = ${id} returning payment_id`);
  await countThere(paymentId);
}

/** The sum of what is refunded of a payment, up to which the local provider refunds more. */
async function countThere(paymentId: string): Promise<void> {
  await (
    await database()
  ).query(sql.unsafe`
    update local_payments p set refunded_cents = (
      select coalesce(sum(amount_cents), 0) from local_refunds where payment_id = p.id and status <> 'failed')
    where id = ${paymentId}`);
}

/** Reports that the refunds of a payment changed, and waits until its list was read. @returns the outcome of the event */
export async function reportRefunds(paymentId: string): Promise<string | null> {
  const eventId = newId('evt');
  await post(
    paymentEventBody('refund.updated', refundObject({ id: `re_${eventId}`, paymentId, status: 'succeeded' }), {
      id: eventId,
    }),
  );
  await untilRead(paymentId);
  return outcomeOf(eventId);
}

/** Waits until the provider's list of refunds of a payment was read after everything that was reported. */
export async function untilRead(paymentId: string): Promise<void> {
  const pool = await database();
  await eventually(
    'the list of refunds to be read',
    async () => {
      const due = await pool.any(sql.type(z.object({ id: z.string() }))`
      select id from top_ups where payment_id = ${paymentId} and refunds_look_at is not null`);
      return due.length === 0;
    },
    { seconds: 300 },
  );
}

/** Somebody refunds so many cents in the dashboard of the provider, and it is reported. @returns its id there */
export async function refundedThere(paymentId: string | null, amountCents: number): Promise<string> {
  assert(paymentId !== null, 'a payment');
  const id = await refundThere(paymentId, amountCents);
  await reportRefunds(paymentId);
  return id;
}

/** The bank sends a refund back, or it ends otherwise, and it is reported. */
export async function reportThere(paymentId: string, { id, status }: { id: string; status: Status }): Promise<void> {
  await changeThere(id, status);
  await reportRefunds(paymentId);
}
