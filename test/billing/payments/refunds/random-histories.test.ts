import assert from 'node:assert/strict';
import fc from 'fast-check';
import { z } from 'zod';
import { assertLedger } from '../../../../src/billing/index.ts';
import { decideReturnedRefund, settleRefundByHand } from '../../../../src/billing/cases/queries.ts';
import { recordRefund, recordRefunded, settleRefund, settleTopUp } from '../../../../src/billing/payments/queries.ts';
import { CarnetError } from '../../../../src/errors/carnet-error.ts';
import { translateDatabaseError } from '../../../../src/database/errors.ts';
import { sql, type DatabasePool } from '../../../../src/database/pool.ts';
import { newId } from '../../../../src/ids/ids.ts';
import { debit, newWallet, run } from '../../ledger/ledger-world.ts';
import { HISTORIES, playHistories, SEED } from '../../ledger/proof/histories.ts';
import { ProofDatabases } from '../../ledger/proof/proof-database.ts';
import { PaymentAtProvider, type RefundThere, type Report } from './payment-at-provider.ts';

const file = 'test/billing/payments/refunds/random-histories.test.ts';
/** Cents of the payment. */
const PAID = 1_000;
/** Laws read every row, so a database is left after as many histories. */
const HISTORIES_A_DATABASE = 40;

/** A pick counts modulo the number of things there are, and does nothing where there are none. */
type Step =
  | { do: 'pay' }
  | { do: 'spend'; cents: number }
  | { do: 'refund in the dashboard'; cents: number; as: 'succeeded' | 'pending' }
  | { do: 'request a refund' }
  /** The life calls the provider: its answer comes, is lost, or is no for good. */
  | { do: 'call'; as: 'succeeded' | 'pending'; answer: 'comes' | 'is lost' | 'is no' }
  | { do: 'succeeds'; refund: number }
  | { do: 'the bank sends back'; refund: number }
  | { do: 'report again'; refund: number }
  | { do: 'deliver'; report: number; times: number }
  | { do: 'deliver again'; report: number }
  | { do: 'settle by hand'; as: 'succeeded' | 'failed' }
  | { do: 'decide about what came back'; as: 'given_back' | 'kept' };

interface History {
  /** Whether the provider says when it made a refund. */
  dated: boolean;
  steps: Step[];
  /** In which order the rest is delivered in the end. */
  order: number[];
}

const is = <const D extends string>(what: D) => fc.constant(what);
const pick = fc.nat(9);
const parts = fc.constantFrom(100, 200, 300, 400, 500, 600, 700, 1_000);
const weigh = (weight: number, arbitrary: fc.Arbitrary<Step>) => ({ weight, arbitrary });
const made = fc.constantFrom('succeeded' as const, 'succeeded' as const, 'pending' as const);
const anyStep = fc.oneof(
  weigh(1, fc.record({ do: is('pay') })),
  weigh(1, fc.record({ do: is('spend'), cents: parts })),
  weigh(3, fc.record({ do: is('refund in the dashboard'), cents: parts, as: made })),
  weigh(4, fc.record({ do: is('request a refund') })),
  weigh(
    4,
    fc.record({
      do: is('call'),
      as: made,
      answer: fc.constantFrom(
        'comes' as const,
        'comes' as const,
        'is lost' as const,
        'is lost' as const,
        'is no' as const,
      ),
    }),
  ),
  weigh(1, fc.record({ do: is('succeeds'), refund: pick })),
  weigh(4, fc.record({ do: is('the bank sends back'), refund: pick })),
  weigh(1, fc.record({ do: is('report again'), refund: pick })),
  weigh(6, fc.record({ do: is('deliver'), report: pick, times: fc.integer({ min: 1, max: 4 }) })),
  weigh(1, fc.record({ do: is('deliver again'), report: pick })),
  weigh(
    6,
    fc.record({
      do: is('settle by hand'),
      as: fc.constantFrom('succeeded' as const, 'failed' as const, 'failed' as const),
    }),
  ),
  weigh(
    3,
    fc.record({ do: is('decide about what came back'), as: fc.constantFrom('given_back' as const, 'kept' as const) }),
  ),
);
const history: fc.Arbitrary<History> = fc.record({
  dated: fc.boolean(),
  steps: fc
    .array(anyStep, { minLength: 5, maxLength: 30, size: 'max' })
    .chain((steps) => fc.boolean().map((early): Step[] => (early ? [{ do: 'pay' }, ...steps] : steps))),
  order: fc.array(fc.nat(40), { minLength: 8, maxLength: 8 }),
});

const OpenRow = z.object({
  id: z.string(),
  key: z.string(),
  cents: z.number(),
  provider_refund_id: z.string().nullable(),
});
const AlarmRow = z.object({ id: z.string(), cents: z.number() });
const EndRow = z.object({ worth: z.number(), held: z.number(), waits: z.number() });

/** One payment here and at the provider. */
class World {
  readonly there = new PaymentAtProvider(PAID);
  readonly #db: DatabasePool;
  readonly #wallet: string;
  readonly #topUp = newId('top');
  readonly #dated: boolean;
  readonly #delivered: Report[] = [];
  #paid = false;
  #spent = 0;
  /** What the operator has otherwise, as a person decided. */
  #kept = 0;
  #minute = 0;

  private constructor(db: DatabasePool, wallet: string, dated: boolean) {
    this.#db = db;
    this.#wallet = wallet;
    this.#dated = dated;
  }

  static async make(db: DatabasePool, dated: boolean): Promise<World> {
    const world = new World(db, await newWallet(db), dated);
    await run(
      db,
      sql.fragment`
      insert into top_ups (id, operator_id, provider, amount_cents, seconds, return_to, expires_at)
      values (${world.#topUp}, ${world.#wallet}, 'local', ${PAID}, 86400, 'http://carnet.test', now() + interval '1 day')`,
    );
    return world;
  }

  get #payment(): string {
    return `pi_${this.#topUp}`;
  }

  /** Every step has a minute of its own, all of them before now. */
  #now(): Date {
    this.#minute += 1;
    return new Date(Math.floor(Date.now() / 1_000 - 86_400 + this.#minute * 60) * 1_000);
  }

  async play(step: Step): Promise<void> {
    const { there } = this;
    const at = this.#now();
    switch (step.do) {
      case 'pay':
        return this.#pay();
      case 'spend':
        if (this.#paid && (await debit(this.#db, this.#wallet, step.cents)) !== null) this.#spent += step.cents;
        return;
      case 'refund in the dashboard':
        there.refund(step.cents, { key: null, status: step.as, at });
        return;
      case 'request a refund':
        return this.#request(at);
      case 'call':
        return this.#call(step, at);
      case 'succeeds':
        return withPicked(there.refunds, step.refund, (refund) => there.succeed(refund, at));
      case 'the bank sends back':
        return withPicked(there.refunds, step.refund, (refund) => there.sendBack(refund, at));
      case 'report again':
        return withPicked(there.refunds, step.refund, (refund) => there.report(refund, at));
      case 'deliver':
        for (let times = 0; times < step.times; times += 1) await this.#deliverOne(step.report);
        return;
      case 'deliver again':
        return withPicked(this.#delivered, step.report, (report) => this.#deliver(report));
      case 'settle by hand':
        return this.#settleByHand(step.as);
      case 'decide about what came back':
        return this.#decide(step.as);
    }
  }

  /** Everything is delivered, and no refund hangs any more. */
  async end(order: readonly number[]): Promise<void> {
    await this.#pay();
    for (const [index, report] of order.entries()) {
      if (index === order.length / 2) await this.#settleAll(report);
      await this.#deliverOne(report);
    }
    while (this.there.reports.length > 0) await this.#deliverOne(order[this.there.reports.length % order.length] ?? 0);
  }

  /** What the wallet has paid is what the provider has refunded, but for what waits for a person or was decided by one. */
  async check(): Promise<void> {
    const { worth, held, waits } = await this.#db.one(sql.type(EndRow)`
      select posted_cents - receivable_cents as worth, held_cents as held,
        (select coalesce(sum(amount_cents), 0)::int8 from billing_alarms
          where operator_id = ${this.#wallet} and kind = 'refund_came_back' and status = 'open') as waits
      from wallets where operator_id = ${this.#wallet}`);
    const paid = PAID - this.#spent - worth;
    this.#assertCameBack(waits);
    assert.deepEqual(
      { held, paid: paid - waits - this.#kept },
      { held: 0, paid: this.there.refunded },
      `the wallet has paid ${paid}, of which ${waits} wait and ${this.#kept} were kept; the provider has refunded ${this.there.refunded}`,
    );
  }

  /** Nothing waits but what came back: what was taken without a reason would wait too. */
  #assertCameBack(waits: number): void {
    const back = this.there.refunds.reduce((sum, { cents, backAt }) => sum + (backAt === null ? 0 : cents), 0);
    assert(waits <= back, `${waits} wait, and ${back} came back`);
  }

  async #pay(): Promise<void> {
    const sessionId = `cs_${this.#topUp}`;
    const fact = { topUpId: this.#topUp, outcome: 'paid', sessionId, amountCents: PAID, currency: 'usd' } as const;
    await settleTopUp(this.#db, { ...fact, paymentId: this.#payment }, null);
    this.#paid = true;
  }

  async #request(at: Date): Promise<void> {
    const id = newId('rfd');
    const begun = await unlessRefused(
      run(
        this.#db,
        sql.fragment`
        select begin_refund(${id}, ${newId('hld')}, ${this.#wallet},
          coalesce((select transaction_id from top_ups where id = ${this.#topUp}), 'none'), 'local')`,
      ),
    );
    if (begun) await run(this.#db, sql.fragment`update refunds set created_at = ${at.toISOString()} where id = ${id}`);
  }

  /** The refund of ours that waits, if there is one. */
  #open(): Promise<z.infer<typeof OpenRow> | null> {
    return this.#db.maybeOne(sql.type(OpenRow)`
      select id, refund_key(transaction_id, attempt) as key, amount_cents as cents, provider_refund_id
      from refunds where top_up_id = ${this.#topUp} and status = 'pending'`);
  }

  async #call({ as, answer }: Extract<Step, { do: 'call' }>, at: Date): Promise<void> {
    const open = await this.#open();
    if (open === null) return;
    const known = this.there.refunds.some(({ key }) => key === open.key);
    const refund =
      answer === 'is no' && !known ? null : this.there.refund(open.cents, { key: open.key, status: as, at });
    if (refund === null) await settleRefund(this.#db, open.id, refusal);
    else if (answer !== 'is lost') await settleRefund(this.#db, open.id, this.#stateOf(refund));
  }

  #stateOf({ id, status, madeAt, backAt }: RefundThere) {
    return { providerRefundId: id, status, madeAt: this.#dated ? madeAt : null, cameBackAt: backAt };
  }

  async #deliverOne(report: number): Promise<void> {
    const [taken] = this.there.reports.splice(report % Math.max(1, this.there.reports.length), 1);
    if (taken === undefined) return;
    this.#delivered.push(taken);
    await this.#deliver(taken);
  }

  async #deliver(report: Report): Promise<void> {
    const event = { id: newId('evt'), type: 'of.a.test', createdAt: report.at, paymentId: this.#payment };
    if (report.kind === 'sum') {
      await recordRefunded(this.#db, { ...event, kind: 'refunded', refundedCents: report.cents, currency: 'usd' });
      return;
    }
    const { id: providerRefundId, key, cents: amountCents, status, madeAt } = report.refund;
    const dated = { madeAt: this.#dated ? madeAt : null };
    await recordRefund(
      this.#db,
      { ...event, kind: 'refund', providerRefundId, key, amountCents, status, ...dated },
      'req_test',
    );
  }

  /** A person names the refund that they find: ours by its key, or one of as much that was made in its place. */
  async #settleByHand(outcome: 'succeeded' | 'failed'): Promise<void> {
    const open = await this.#open();
    if (open === null) return;
    const { created_at: createdAt } = await this.#db.one(sql.type(z.object({ created_at: z.number() }))`
      select (date_part('epoch', created_at) * 1000)::int8 as created_at from refunds where id = ${open.id}`);
    const standing = this.there.refunds.filter(({ backAt }) => backAt === null);
    const found =
      standing.find(({ key }) => key === open.key) ??
      standing.find(({ key, cents, madeAt }) => key === null && cents === open.cents && madeAt.getTime() >= createdAt);
    if (outcome === 'succeeded' && found === undefined) return;
    const providerRefundId = outcome === 'succeeded' ? (found?.id ?? null) : null;
    await unlessRefused(settleRefundByHand(this.#db, open.id, { outcome, providerRefundId, requestId: 'req_test' }));
  }

  async #settleAll(chance: number): Promise<void> {
    for (const refund of this.there.refunds) {
      if (refund.status === 'pending' && chance % 2 === 0) this.there.succeed(refund, this.#now());
      else if (refund.status === 'pending') this.there.sendBack(refund, this.#now());
    }
    const open = await this.#open();
    if (open === null) return;
    const known = this.there.refunds.find(({ key }) => key === open.key);
    await settleRefund(this.#db, open.id, known === undefined ? refusal : this.#stateOf(known));
  }

  async #decide(decision: 'given_back' | 'kept'): Promise<void> {
    const alarm = await this.#db.maybeOne(sql.type(AlarmRow)`
      select id, amount_cents as cents from billing_alarms
      where concerns = ${this.#topUp} and kind = 'refund_came_back' and status = 'open'`);
    if (alarm === null) return;
    await decideReturnedRefund(this.#db, alarm.id, { decision, cents: alarm.cents, requestId: 'req_test' });
    if (decision === 'kept') this.#kept += alarm.cents;
  }
}

const refusal = { providerRefundId: null, status: 'failed', madeAt: null, cameBackAt: null } as const;

async function withPicked<T>(
  from: readonly T[],
  picked: number,
  then: (picked: T) => void | Promise<void>,
): Promise<void> {
  const one = from[picked % Math.max(1, from.length)];
  if (one !== undefined) await then(one);
}

/** @returns whether it was done */
async function unlessRefused(call: Promise<unknown>): Promise<boolean> {
  try {
    await call;
    return true;
  } catch (error) {
    if (translateDatabaseError(error) instanceof CarnetError) return false;
    throw error;
  }
}

describe('Refunds of a payment under any history at the provider', function () {
  this.timeout(600_000); // a history that fails is played many times to make it small
  const databases = new ProofDatabases();
  after(() => databases.close());
  const histories = HISTORIES * 4;
  const show = ({ dated, steps, order }: History): string[] => [
    dated ? 'refunds say when they were made' : 'refunds do not say when they were made',
    ...steps.map((each) => JSON.stringify(each)),
    `the rest in the order ${order.join(' ')}`,
  ];
  let played = 0;

  it(`cost the wallet what the provider has refunded, and what a person decided (${histories} histories, PROOF_SEED=${SEED})`, () =>
    playHistories(history, { file, histories, show }, async ({ dated, steps, order }) => {
      if (played % HISTORIES_A_DATABASE === 0) await databases.discard();
      played += 1;
      const { pool } = await databases.current();
      try {
        const world = await World.make(pool, dated);
        for (const each of steps) await world.play(each);
        await world.end(order);
        await world.check();
        await assertLedger(pool);
      } catch (error) {
        await databases.inspect();
        throw error;
      }
    }));
});
