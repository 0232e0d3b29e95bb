import assert from 'node:assert/strict';
import { z } from 'zod';
import { sql } from '../../../src/database/pool.ts';
import type { PaymentMetadata } from '../../../src/billing/payments/event.ts';
import type { Refund } from '../../../src/billing/payments/refunds/schema.ts';
import { eventually } from '../../support/eventually.ts';
import { unique, type TestOperator } from '../../support/factories.ts';
import { payLocally } from '../../support/local-payments.ts';
import { checkoutSession, paymentEventBody, postPaymentEvent } from '../../support/payment-webhooks.ts';
import { assertStatus, database, type Reply, type Requester } from '../../support/service.ts';
import { untilAnswered } from '../../support/until-answered.ts';

export interface TestTopUp {
  id: string;
  operatorId: string;
  amountCents: number;
  sessionId: string;
  checkoutUrl: string;
}

const IdRow = z.object({ id: z.string() });

/**
 * Begins a top-up as a client does: after a 503, which a busy machine may answer, it sends the same request with the
 * same key.
 */
export async function beginTopUp(operator: TestOperator, amountCents = 1_000, key = unique('key')): Promise<TestTopUp> {
  const [body, headers] = [{ amount_cents: amountCents }, { 'idempotency-key': key }];
  const reply = await untilAnswered(() =>
    operator.post<{ checkout_url: string; session_id: string }>('/v1/billing/topup', body, headers),
  );
  const { checkout_url: checkoutUrl, session_id: sessionId } = assertStatus(reply, 200);
  const { id } = await (await database()).one(sql.type(IdRow)`select id from top_ups where session_id = ${sessionId}`);
  return { id, operatorId: operator.operatorId, amountCents, sessionId, checkoutUrl };
}

/** A top-up that was paid on the page. @returns the id of the credit */
export async function buildTopUp(
  operator: TestOperator,
  amountCents = 1_000,
): Promise<TestTopUp & { transactionId: string }> {
  const topUp = await beginTopUp(operator, amountCents);
  await payLocally(topUp.checkoutUrl);
  const transactionId = await eventually(
    'the credit',
    async () => (await topUpRow(topUp.id)).transaction_id ?? undefined,
  );
  return { ...topUp, transactionId };
}

/** The final state of a refund that was begun, however long that takes. */
export const endedRefund = (operator: Requester, id: string): Promise<Refund> =>
  eventually(
    'the end of the refund',
    async () => {
      const refund = assertStatus(await operator.get<Refund>(`/v1/billing/refunds/${id}`), 200);
      return refund.status !== 'pending' && refund;
    },
    { seconds: 300 },
  );

/** Refunds and waits for the end: the answer has it where it came in time, which on a busy machine it may not. */
export async function refundOf(
  operator: Requester,
  transactionId: string,
  headers: Record<string, string> = {},
): Promise<Refund> {
  const reply = await operator.post<Refund>(`/v1/billing/refund/${transactionId}`, undefined, headers);
  const begun = assertStatus(reply, reply.body.status === 'pending' ? 202 : 200);
  const ended = await endedRefund(operator, begun.refund_id);
  assert.deepEqual(begun, { ...ended, status: begun.status });
  return ended;
}

export const metadataOf = ({ id, operatorId }: Pick<TestTopUp, 'id' | 'operatorId'>): PaymentMetadata => ({
  carnet_purpose: 'top_up',
  carnet_reference: id,
  carnet_operator: operatorId,
});

/** An event about the checkout, as the provider would send it; paid unless `over` overrides that. */
export const topUpEvent = (
  topUp: TestTopUp,
  type = 'checkout.session.completed',
  { eventId, ...over }: { eventId?: string } & Record<string, unknown> = {},
): string =>
  paymentEventBody(
    type,
    checkoutSession(metadataOf(topUp), { id: topUp.sessionId, amountCents: topUp.amountCents, ...over }),
    eventId === undefined ? {} : { id: eventId },
  );

export const post = async (body: string): Promise<Reply> => {
  const reply = await postPaymentEvent(body);
  assertStatus(reply, 200);
  return reply;
};

export const balanceOf = async (operator: Requester): Promise<number> =>
  assertStatus(await operator.get<{ balance_cents: number }>('/v1/billing/balance'), 200).balance_cents;

const TopUpRow = z.object({
  status: z.string(),
  session_id: z.string().nullable(),
  checkout_url: z.string().nullable(),
  payment_id: z.string().nullable(),
  transaction_id: z.string().nullable(),
  receipt_url: z.string().nullable(),
  receipt_sought: z.boolean(),
});

export const topUpRow = async (id: string): Promise<z.infer<typeof TopUpRow>> =>
  (await database()).one(sql.type(TopUpRow)`
    select status, session_id, checkout_url, payment_id, transaction_id, receipt_url, receipt_sought from top_ups where id = ${id}`);

/** The stored outcome of the event of this id. */
export const outcomeOf = async (eventId: string): Promise<string | null> =>
  (await database()).maybeOneFirst(
    sql.type(z.object({ outcome: z.string() }))`select outcome from payment_events where id = ${eventId}`,
  );

/** Actions in the audit trail of the operator that are about one target. */
export const audited = async (target: string): Promise<readonly string[]> =>
  (await database()).anyFirst(sql.type(z.object({ action: z.string() }))`
    select action from audit_events where target = ${target} order by id`);

/** Kind and cents of the wallet's rows in their order; credits are positive. */
export const movements = async (operatorId: string): Promise<readonly { kind: string; cents: number }[]> =>
  (await database()).any(sql.type(z.object({ kind: z.string(), cents: z.number() }))`
    select kind, case when credit_account = 'wallet:' || wallet then amount_cents else -amount_cents end as cents
    from transfers where wallet = ${operatorId} order by position`);
