import assert from 'node:assert/strict';
import fc from 'fast-check';
import { z } from 'zod';
import { assertLedger } from '../../../../src/billing/index.ts';
import type { ListedRefund } from '../../../../src/context/payment-provider.ts';
import { sql, type DatabasePool } from '../../../../src/database/pool.ts';
import { debit } from '../../ledger/ledger-world.ts';
import { HISTORIES, playHistories, SEED } from '../../ledger/proof/histories.ts';
import { ProofDatabases } from '../../ledger/proof/proof-database.ts';
import { PaymentHere } from './payment-here.ts';

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
  | { do: 'lose a webhook'; report: number }
  | { do: 'deliver again'; report: number }
  /** A life requests the list; what it was answered is set later, in any order, or never. */
  | { do: 'begin a reading' }
  | { do: 'end a reading'; reading: number }
  | { do: 'settle by hand'; as: 'succeeded' | 'failed' };

interface History {
  /** Between two steps, by the provider's clock: in 0, everything happens in one second. */
  seconds: number;
  steps: Step[];
  /** In which order the rest is delivered in the end. */
  order: number[];
}

const is = <const D extends string>(what: D) => fc.constant(what);
const pick = fc.nat(9);
const parts = fc.constantFrom(100, 200, 300, 400, 500, 600, 700, 1_000);
const weigh = (weight: number, arbitrary: fc.Arbitrary<Step>) => ({ weight, arbitrary });
const made = fc.constantFrom('succeeded' as const, 'succeeded' as const, 'pending' as const);
const answers = fc.constantFrom(
  'comes' as const,
  'comes' as const,
  'is lost' as const,
  'is lost' as const,
  'is no' as const,
);
const anyStep = fc.oneof(
  weigh(1, fc.record({ do: is('pay') })),
  weigh(1, fc.record({ do: is('spend'), cents: parts })),
  weigh(3, fc.record({ do: is('refund in the dashboard'), cents: parts, as: made })),
  weigh(4, fc.record({ do: is('request a refund') })),
  weigh(4, fc.record({ do: is('call'), as: made, answer: answers })),
  weigh(1, fc.record({ do: is('succeeds'), refund: pick })),
  weigh(4, fc.record({ do: is('the bank sends back'), refund: pick })),
  weigh(1, fc.record({ do: is('report again'), refund: pick })),
  weigh(5, fc.record({ do: is('deliver'), report: pick, times: fc.integer({ min: 1, max: 4 }) })),
  weigh(1, fc.record({ do: is('lose a webhook'), report: pick })),
  weigh(1, fc.record({ do: is('deliver again'), report: pick })),
  weigh(4, fc.record({ do: is('begin a reading') })),
  weigh(5, fc.record({ do: is('end a reading'), reading: pick })),
  weigh(
    6,
    fc.record({
      do: is('settle by hand'),
      as: fc.constantFrom('succeeded' as const, 'failed' as const, 'failed' as const),
    }),
  ),
);
const history: fc.Arbitrary<History> = fc.record({
  seconds: fc.constantFrom(0, 1, 60),
  steps: fc
    .array(anyStep, { minLength: 5, maxLength: 30, size: 'max' })
    .chain((steps) => fc.boolean().map((early): Step[] => (early ? [{ do: 'pay' }, ...steps] : steps))),
  order: fc.array(fc.nat(40), { minLength: 8, maxLength: 8 }),
});

const ReleasedRow = z.object({ id: z.string(), key: z.string() });

/** A history of one payment. */
class World {
  readonly #here: PaymentHere;
  readonly #seconds: number;
  readonly #delivered: ListedRefund[] = [];
  readonly #lost: ListedRefund[] = [];
  #spent = 0;
  #steps = 0;

  private constructor(here: PaymentHere, seconds: number) {
    this.#here = here;
    this.#seconds = seconds;
  }

  static async make(db: DatabasePool, seconds: number): Promise<World> {
    return new World(await PaymentHere.make(db, PAID), seconds);
  }

  #now(): Date {
    this.#steps += 1;
    return new Date(Date.UTC(2026, 0, 1) + this.#steps * this.#seconds * 1_000);
  }

  async play(step: Step): Promise<void> {
    const here = this.#here;
    const { there } = here;
    const madeAt = this.#now();
    switch (step.do) {
      case 'pay':
        return here.pay();
      case 'spend':
        if (here.isPaid && (await debit(here.db, here.wallet, { cents: step.cents })) !== null)
          this.#spent += step.cents;
        return;
      case 'refund in the dashboard':
        there.refund(step.cents, { key: null, status: step.as, madeAt });
        return;
      case 'request a refund':
        await here.request();
        return;
      case 'call':
        return here.call(step.as, step.answer, madeAt);
      case 'succeeds':
        return withPicked(there.refunds, step.refund, (refund) => there.succeed(refund));
      case 'the bank sends back':
        return withPicked(there.refunds, step.refund, (refund) => there.sendBack(refund));
      case 'report again':
        return withPicked(there.refunds, step.refund, (refund) => there.report(refund));
      case 'deliver':
        for (let times = 0; times < step.times; times += 1) await this.#deliverOne(step.report);
        return;
      case 'lose a webhook':
        this.#lost.push(...there.reports.splice(step.report % Math.max(1, there.reports.length), 1));
        return;
      case 'deliver again':
        return withPicked(this.#delivered, step.report, (report) => here.deliver(report));
      case 'begin a reading':
        return here.beginReading();
      case 'end a reading':
        await here.endReading(step.reading);
        return;
      case 'settle by hand':
        await here.settleByHand(step.as);
    }
  }

  /**
   * Everything is over at the provider and delivered, the daily reading brings the webhooks that were lost, lists that
   * hung are set, and the lives do what their rows require.
   */
  async end(order: readonly number[]): Promise<void> {
    const here = this.#here;
    const { there } = here;
    await here.pay();
    for (const [index, report] of order.entries()) {
      if (index === order.length / 2) this.#endPending(report);
      await this.#deliverOne(report);
    }
    there.reports.push(...this.#lost);
    while (there.reports.length > 0) await this.#deliverOne(order[there.reports.length % order.length] ?? 0);
    if (await here.isDue()) await here.read();
    await here.call('succeeded', order[0] === 0 ? 'is no' : 'comes', this.#now());
    assert.equal(await here.isDue(), false);
    for (const report of there.reports.splice(0)) await here.deliver(report);
    if (await here.isDue()) await here.read();
    while (here.outstanding.length > 0) await here.endReading(order[here.outstanding.length % order.length] ?? 0);
  }

  /** The wallet has paid what the provider has refunded, and nothing waits but refunds that were paid after all. */
  async check(): Promise<void> {
    const here = this.#here;
    const { worth, held } = await here.state();
    assert.deepEqual({ held, paid: PAID - this.#spent - worth }, { held: 0, paid: here.there.refunded });
    const released = await here.db.any(sql.type(ReleasedRow)`
      select id, refund_key(transaction_id, attempt) as key from refunds
      where top_up_id = ${here.topUp} and status = 'failed' order by id`);
    const paidAfterAll = released.filter(({ key }) =>
      here.there.refunds.some((refund) => refund.key === key && refund.status !== 'failed'),
    );
    assert.deepEqual(
      await here.alarms(),
      paidAfterAll.map(({ id }) => ({ kind: 'refund_paid_after_all', concerns: id })),
    );
    const rows = await here.rows();
    await here.read();
    assert.equal(await here.rows(), rows, 'the same list again moves nothing');
  }

  #endPending(chance: number): void {
    const { there } = this.#here;
    for (const refund of there.refunds) {
      if (refund.status === 'pending' && chance % 2 === 0) there.succeed(refund);
      else if (refund.status === 'pending') there.sendBack(refund);
    }
  }

  async #deliverOne(report: number): Promise<void> {
    const { reports } = this.#here.there;
    const [taken] = reports.splice(report % Math.max(1, reports.length), 1);
    if (taken === undefined) return;
    this.#delivered.push(taken);
    await this.#here.deliver(taken);
  }
}

async function withPicked<T>(
  from: readonly T[],
  picked: number,
  then: (picked: T) => void | Promise<void>,
): Promise<void> {
  const one = from[picked % Math.max(1, from.length)];
  if (one !== undefined) await then(one);
}

describe('Refunds of a payment under any history at the provider', function () {
  this.timeout(600_000); // a history that fails is played many times to make it small
  const databases = new ProofDatabases();
  after(() => databases.close());
  const histories = HISTORIES * 4;
  const show = ({ seconds, steps, order }: History): string[] => [
    `${seconds} seconds between two steps`,
    ...steps.map((each) => JSON.stringify(each)),
    `the rest in the order ${order.join(' ')}`,
  ];
  let played = 0;

  it(`cost the wallet what the provider has refunded (${histories} histories, PROOF_SEED=${SEED})`, () =>
    playHistories(history, { file, histories, show }, async ({ seconds, steps, order }) => {
      if (played % HISTORIES_A_DATABASE === 0) await databases.discard();
      played += 1;
      const { pool } = await databases.current();
      try {
        const world = await World.make(pool, seconds);
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
