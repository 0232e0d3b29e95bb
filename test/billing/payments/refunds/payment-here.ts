import assert from 'node:assert/strict';
import { z } from 'zod';
import { settleRefundByHand } from '../../../../src/billing/cases/queries.ts';
import type { ListedRefund } from '../../../../src/context/payment-provider.ts';
import { recordRefund, settleTopUp } from '../../../../src/billing/payments/queries.ts';
import {
  beginRefundReading,
  releaseRefusedRefund,
  setRefunds,
  type RefundReading,
} from '../../../../src/billing/payments/refunds/queries.ts';
import { translateDatabaseError } from '../../../../src/database/errors.ts';
import { sql, type DatabasePool } from '../../../../src/database/pool.ts';
import { CarnetError } from '../../../../src/errors/carnet-error.ts';
import { newId } from '../../../../src/ids/ids.ts';
import { newWallet, run } from '../../ledger/ledger-world.ts';
import { PaymentAtProvider } from './payment-at-provider.ts';

const OpenRow = z.object({ id: z.string(), key: z.string(), cents: z.number() });
const StateRow = z.object({ worth: z.number(), held: z.number(), owed: z.number() });
const AlarmRow = z.object({ kind: z.string(), concerns: z.string() });

/** A list that a life has read, and not set yet. */
interface Reading {
  reading: RefundReading;
  list: ListedRefund[];
  /** The how manyth list it is that was read. */
  number: number;
}

/** One payment of a top-up here and at the provider; its lives are played by hand. */
export class PaymentHere {
  readonly db: DatabasePool;
  readonly wallet: string;
  readonly there: PaymentAtProvider;
  readonly topUp = newId('top');
  /** Lists that were read and not set yet, the oldest first. */
  readonly outstanding: Reading[] = [];
  isPaid = false;
  #lists = 0;
  /** The number of the list that counts. */
  #counts = 0;

  private constructor(db: DatabasePool, wallet: string, cents: number) {
    this.db = db;
    this.wallet = wallet;
    this.there = new PaymentAtProvider(cents);
  }

  static async make(db: DatabasePool, cents = 1_000): Promise<PaymentHere> {
    const made = new PaymentHere(db, await newWallet(db), cents);
    await run(
      db,
      sql.fragment`
      insert into top_ups (id, operator_id, provider, amount_cents, seconds, return_to, expires_at)
      values (${made.topUp}, ${made.wallet}, 'local', ${cents}, 86400, 'http://carnet.test', now() + interval '1 day')`,
    );
    return made;
  }

  get payment(): string {
    return `pi_${this.topUp}`;
  }

  async pay(): Promise<void> {
    const fact = { topUpId: this.topUp, outcome: 'paid', sessionId: `cs_${this.topUp}`, currency: 'usd' } as const;
    await settleTopUp(this.db, { ...fact, amountCents: this.there.cents, paymentId: this.payment }, null);
    this.isPaid = true;
  }

  /** An operator requests a refund. @returns whether it was begun */
  request(): Promise<boolean> {
    return unlessRefused(
      run(
        this.db,
        sql.fragment`
        select begin_refund(${newId('rfd')}, ${newId('hld')}, ${this.wallet},
          coalesce((select transaction_id from top_ups where id = ${this.topUp}), 'none'), 'local')`,
      ),
    );
  }

  /** The refund of ours that is pending, if there is one. */
  open(): Promise<z.infer<typeof OpenRow> | null> {
    return this.db.maybeOne(sql.type(OpenRow)`
      select id, refund_key(transaction_id, attempt) as key, amount_cents as cents
      from refunds where top_up_id = ${this.topUp} and status = 'pending'`);
  }

  /**
   * The life of our pending refund calls the provider, and reads the list when it was answered.
   * @param answer `is lost`: the provider has made it, and the life ends there
   */
  async call(as: 'succeeded' | 'pending', answer: 'comes' | 'is lost' | 'is no', madeAt: Date): Promise<void> {
    const open = await this.open();
    if (open === null) return;
    const known = this.there.refunds.some(({ key }) => key === open.key);
    const made =
      answer === 'is no' && !known ? null : this.there.refund(open.cents, { key: open.key, status: as, madeAt });
    if (answer === 'is lost') return;
    await this.read();
    if (made === null) await releaseRefusedRefund(this.db, open.id);
  }

  /** A webhook about a refund is delivered. */
  async deliver({ providerRefundId, key, amountCents, status }: ListedRefund): Promise<void> {
    const event = { id: newId('evt'), type: 'of.a.test', createdAt: new Date(), paymentId: this.payment };
    const refund = { kind: 'refund', providerRefundId, key, amountCents, currency: 'usd', status } as const;
    await recordRefund(this.db, { ...event, ...refund });
  }

  /** @returns whether it was settled so */
  async settleByHand(outcome: 'succeeded' | 'failed'): Promise<boolean> {
    const open = await this.open();
    return open !== null && unlessRefused(settleRefundByHand(this.db, open.id, { outcome, requestId: 'req_test' }));
  }

  /** A life reads the list. Nothing is set yet: it may be slow, or end here. */
  async beginReading(): Promise<void> {
    const reading = await beginRefundReading(this.db, this.topUp);
    this.#lists += 1;
    if (reading !== null) this.outstanding.push({ reading, list: this.there.list(), number: this.#lists });
  }

  /**
   * Sets one of the outstanding lists. One that is older than the list that counts must not count.
   * @returns whether it counted; undefined: there is none
   */
  async endReading(which = 0): Promise<boolean | undefined> {
    const [taken] = this.outstanding.splice(which % Math.max(1, this.outstanding.length), 1);
    if (taken === undefined) return undefined;
    const { is_set: isSet } = await setRefunds(this.db, { topUpId: this.topUp, ...taken });
    if (isSet) {
      assert(taken.number > this.#counts, `the list ${taken.number} counts after the list ${this.#counts}`);
      this.#counts = taken.number;
    }
    return isSet;
  }

  /** Reads the list and sets it. */
  async read(): Promise<void> {
    await this.beginReading();
    const which = this.outstanding.findIndex(({ number }) => number === this.#lists);
    if (which >= 0) await this.endReading(which);
  }

  /** Whether the list is to be read. */
  isDue(): Promise<boolean> {
    return this.db.exists(sql.unsafe`select from top_ups where id = ${this.topUp} and refunds_look_at is not null`);
  }

  /** Reads from the wallet what it has less what it owes, what of it is held, and what it owes. */
  state(): Promise<z.infer<typeof StateRow>> {
    return this.db.one(sql.type(StateRow)`
      select posted_cents - receivable_cents as worth, held_cents as held, receivable_cents as owed from wallets
      where operator_id = ${this.wallet}`);
  }

  /** How many rows the wallet has. */
  rows(): Promise<number> {
    return this.db.oneFirst(sql.type(z.object({ count: z.number() }))`
      select count(*) from transfers where wallet = ${this.wallet}`);
  }

  alarms(): Promise<readonly z.infer<typeof AlarmRow>[]> {
    return this.db.any(sql.type(AlarmRow)`
      select kind, concerns from billing_alarms where operator_id = ${this.wallet} and status = 'open' order by kind, concerns`);
  }
}

/** @returns whether it was done */
export async function unlessRefused(call: Promise<unknown>): Promise<boolean> {
  try {
    await call;
    return true;
  } catch (error) {
    if (translateDatabaseError(error) instanceof CarnetError) return false;
    throw error;
  }
}
