import { z } from 'zod';
import { ensureOperator } from '../../../src/accounts/index.ts';
import { settle, type Outcome } from '../../../src/billing/payments/local/settle.ts';
import { receivePaymentEvent } from '../../../src/billing/webhook/receive.ts';
import { refundTransaction } from '../../../src/billing/payments/refunds/create.ts';
import type { Refund } from '../../../src/billing/payments/refunds/schema.ts';
import { createTopUp } from '../../../src/billing/payments/top-ups/create.ts';
import type { TopUp } from '../../../src/billing/payments/top-ups/schema.ts';
import type { Answered, CommandCall } from '../../../src/commands/command.ts';
import type { Context } from '../../../src/context/context.ts';
import { sql } from '../../../src/database/pool.ts';
import { newId, type OperatorId } from '../../../src/ids/ids.ts';
import { lifeId } from '../../../src/ids/life-ids.ts';
import { callOf } from '../../invocations/own-context.ts';
import { eventually } from '../../support/eventually.ts';
import { unique } from '../../support/factories.ts';
import { beginUnopened, isUnavailable } from './silent-provider.ts';

const Row = z.object({
  id: z.string(),
  status: z.string(),
  session_id: z.string().nullable(),
  transaction_id: z.string().nullable(),
  payment_id: z.string().nullable(),
});
type Row = z.infer<typeof Row>;

/** An operator that tops up and requests refunds; no webhook arrives unless a test sends it. */
export interface Payer {
  operatorId: OperatorId;
  topUp(key?: string): Promise<Answered<TopUp>>;
  /** The same, repeated with its key until the checkout is open, as after an answer of the provider that was lost. */
  begin(): Promise<{ id: string; sessionId: string; checkoutUrl: string }>;
  /** A top-up whose checkout its life is to open. @returns the id */
  beginUnopened(): Promise<string>;
  /** Waits for the refund as a caller does; with `leaves` the caller disconnects. */
  refund(transactionId: string, options?: { key?: string; leaves?: true }): Promise<Answered<Refund>>;
  /** Top-ups of the operator, oldest first. */
  topUps(): Promise<readonly Row[]>;
  refunds(): Promise<readonly { id: string; status: string }[]>;
  /** A top-up that is paid, without waiting for its life. */
  paid(): Promise<Row & { transaction_id: string; payment_id: string }>;
  /** Pays at the provider, which sends no webhook. */
  settleSilently(sessionId: string, outcome: Outcome): Promise<void>;
  /** Ends the time to pay. */
  timeIsOver(id: string): Promise<void>;
  available(): Promise<{ posted_cents: number; held_cents: number }>;
}

const Wallet = z.object({ posted_cents: z.number(), held_cents: z.number() });

export async function newPayer(context: Context): Promise<Payer> {
  const { pool } = context;
  const name = unique('payer');
  const operatorId = await ensureOperator(context, { name, email: `${name}@example.test`, tier: 'developer' });
  const call = (operation: string, key: string | undefined): CommandCall => ({
    ...callOf(operatorId, operation),
    idempotency: key === undefined ? null : { key, fingerprint: Buffer.from(key) },
  });
  const topUpIn = (at: Context, key: string | undefined): Promise<Answered<TopUp>> =>
    createTopUp(at, call('createTopUp', key), { amount_cents: 1_000 });
  const payer: Payer = {
    operatorId,
    topUp: (key) => topUpIn(context, key),
    async begin() {
      const key = unique('key');
      const { body } = await eventually('the checkout to be open', () => payer.topUp(key), {
        seconds: 120,
        ignoreErrors: isUnavailable,
      });
      const row = (await payer.topUps()).find((one) => one.session_id === body.session_id);
      return { id: row?.id ?? '', sessionId: body.session_id, checkoutUrl: body.checkout_url };
    },
    async beginUnopened() {
      let id = '';
      await beginUnopened(
        context,
        (silent) => topUpIn(silent, undefined),
        async () => lifeId['top-up']((id = (await payer.topUps()).at(-1)?.id ?? '')),
      );
      return id;
    },
    refund: (transactionId, { key, leaves } = {}) =>
      refundTransaction(context, call('refundTransaction', key), {
        transactionId,
        signal: leaves === true ? AbortSignal.abort() : new AbortController().signal,
      }),
    topUps: () =>
      pool.any(sql.type(Row)`
        select id, status, session_id, transaction_id, payment_id from top_ups where operator_id = ${operatorId} order by id`),
    refunds: () =>
      pool.any(sql.type(z.object({ id: z.string(), status: z.string() }))`
        select id, status from refunds where operator_id = ${operatorId} order by id`),
    async paid() {
      const { id, sessionId } = await payer.begin();
      await payer.settleSilently(sessionId, 'paid');
      const paymentId = await pool.oneFirst(sql.type(z.object({ id: z.string() }))`
        select id from local_payments where checkout_id = ${sessionId}`);
      await receivePaymentEvent(
        context,
        {
          id: newId('evt'),
          type: 'checkout.session.completed',
          createdAt: new Date(),
          kind: 'checkout',
          outcome: 'paid',
          purpose: 'top_up',
          reference: id,
          sessionId,
          amountCents: 1_000,
          currency: 'usd',
          paymentId,
        },
        'req_test',
      );
      return (await payer.topUps()).find((one) => one.session_id === sessionId) as Row & {
        transaction_id: string;
        payment_id: string;
      };
    },
    async settleSilently(sessionId, outcome) {
      await settle(context, sessionId, outcome);
    },
    async timeIsOver(id) {
      await pool.query(
        sql.unsafe`update top_ups set expires_at = clock_timestamp(), next_call_at = clock_timestamp() where id = ${id} and next_call_at is not null`,
      );
      await pool.query(sql.unsafe`select wake_life(${lifeId['top-up'](id)})`);
      context.delivery.messagesCommitted();
    },
    available: () =>
      pool.one(sql.type(Wallet)`select posted_cents, held_cents from wallets where operator_id = ${operatorId}`),
  };
  return payer;
}
