import { z } from 'zod';
import { sql, type CommonQueryMethods } from '../../database/pool.ts';
import type { PaymentEvent } from './event.ts';

const EffectRow = z.object({ outcome: z.string(), operator_id: z.string().nullable(), life: z.string().nullable() });
/** The effect of a fact: its outcome, the operator whose wallet it concerns, and the life that must be woken. */
export type PaymentEffect = z.infer<typeof EffectRow>;

interface TopUpOutcome {
  topUpId: string;
  outcome: 'paid' | 'processing' | 'failed' | 'expired';
  sessionId: string;
  amountCents: number | null;
  currency: string | null;
  paymentId: string | null;
}

/** @param requestId of the webhook that reported it; null where it was read from the provider. */
export const settleTopUp = (
  connection: CommonQueryMethods,
  fact: TopUpOutcome,
  requestId: string | null,
): Promise<PaymentEffect> =>
  connection.one(sql.type(EffectRow)`
    select * from settle_top_up(${fact.topUpId}, ${fact.outcome}, ${fact.sessionId}, ${fact.amountCents}, ${fact.currency},
      ${fact.paymentId}, ${requestId})`);

type Fact<Kind extends PaymentEvent['kind']> = Extract<PaymentEvent, { kind: Kind }>;

export const recordRefund = (connection: CommonQueryMethods, fact: Fact<'refund'>): Promise<PaymentEffect> =>
  connection.one(sql.type(EffectRow)`
    select * from record_refund(${fact.providerRefundId}, ${fact.paymentId}, ${fact.key}, ${fact.amountCents}, ${fact.currency},
      ${fact.status})`);

export const reportRefunds = (
  connection: CommonQueryMethods,
  { paymentId }: Fact<'refunded'>,
): Promise<PaymentEffect> => connection.one(sql.type(EffectRow)`select * from report_refunds(${paymentId})`);

export const recordDispute = (
  connection: CommonQueryMethods,
  fact: Fact<'dispute'>,
  requestId: string,
): Promise<PaymentEffect> =>
  connection.one(sql.type(EffectRow)`
    select * from record_dispute(${fact.disputeId}, ${fact.paymentId}, ${fact.amountCents}, ${fact.status}, ${fact.standing}, ${fact.stage},
      ${fact.createdAt.toISOString()}, ${fact.movements === null ? null : JSON.stringify(fact.movements)}::jsonb, ${requestId})`);

export const recordSubscriptionDispute = (
  connection: CommonQueryMethods,
  { subscriptionId, operatorId, ...fact }: Fact<'dispute'> & { subscriptionId: string; operatorId: string },
  requestId: string,
): Promise<PaymentEffect> =>
  connection.one(sql.type(EffectRow)`
    select * from record_subscription_dispute(${fact.disputeId}, ${fact.paymentId}, ${fact.amountCents}, ${fact.currency}, ${fact.status},
      ${fact.standing}, ${fact.stage}, ${fact.createdAt.toISOString()}, ${subscriptionId}, ${operatorId}, ${requestId})`);

export const recordTransferReversed = (
  connection: CommonQueryMethods,
  fact: Fact<'transfer_reversed'>,
  requestId: string,
): Promise<PaymentEffect> =>
  connection.one(sql.type(EffectRow)`
    select * from record_transfer_reversed(${fact.transferId}, ${fact.reversedCents >= fact.amountCents}, ${requestId})`);

export const paysTopUp = (connection: CommonQueryMethods, paymentId: string): Promise<boolean> =>
  connection.exists(sql.type(z.object({}))`select 1 from top_ups where payment_id = ${paymentId}`);

const IdRow = z.object({ id: z.string() });

/**
 * @returns whether the event is new: an event counts once, however often it is sent. Waits for a transaction that
 *   inserts the same one.
 */
export async function insertPaymentEvent(
  connection: CommonQueryMethods,
  { id, type, createdAt }: PaymentEvent,
): Promise<boolean> {
  const inserted = await connection.maybeOne(sql.type(IdRow)`
    insert into payment_events (id, type, created_at, outcome) values (${id}, ${type}, ${createdAt.toISOString()}, 'received')
    on conflict do nothing returning id`);
  return inserted !== null;
}

export async function savePaymentOutcome(
  connection: CommonQueryMethods,
  { id, subject, outcome }: { id: string; subject: string | null; outcome: string },
): Promise<void> {
  await connection.query(sql.type(z.object({}))`
    update payment_events set subject = ${subject}, outcome = ${outcome} where id = ${id}`);
}

/** Deletes events of the payment provider of a quarter of a year ago. @returns whether there may be more. */
export const purgePaymentEvents = async (connection: CommonQueryMethods): Promise<boolean> =>
  (await connection.oneFirst(sql.type(z.object({ purged: z.number() }))`select purge_payment_events() as purged`)) >=
  1_000;
