import assert from 'node:assert/strict';
import { assertLedger } from '../../../src/billing/index.ts';
import { advancePayout, openPayouts } from '../../../src/billing/payouts/life.ts';
import { findEarnings, settlePayoutRow } from '../../../src/billing/payouts/queries.ts';
import { sql } from '../../../src/database/pool.ts';
import { newId } from '../../../src/ids/ids.ts';
import { ownContext, type OwnContext } from '../../invocations/own-context.ts';
import { claim, complete, credit, debit, invoke, newSkill, newWallet, run, topUp } from '../ledger/ledger-world.ts';
import { newPublisher, type Publisher } from './publishers.ts';

/** Months whose end is yet to come: everything captured until now is part of them. */
const [THIS, NEXT] = ['2999-01', '2999-02'];

describe('Earnings from young top-ups', function () {
  this.timeout(60_000);
  let own: OwnContext;
  before(async () => {
    own = await ownContext();
  });
  afterEach(async () => assertLedger(own.context.pool));
  after(() => own.close());

  const consumer = () => newWallet(own.context.pool);
  const paid = (by: string, cents: number) => topUp(own.context.pool, by, cents);
  const spend = async (by: string, of: Publisher, cents: number): Promise<void> => {
    const db = own.context.pool;
    const id = await invoke(db, { consumer: by, skill: await newSkill(db, of.id, { price: cents }) });
    await claim(db, { provider: of.id, id });
    await complete(db, { provider: of.id, id });
  };
  /** Everything that this wallet has done so far was so many days earlier. */
  const daysPass = (by: string, days: number) =>
    run(
      own.context.pool,
      sql.fragment`update transfers set created_at = created_at - make_interval(days => ${days}) where wallet = ${by}`,
    );
  const youngOf = async ({ id }: Publisher): Promise<number> =>
    (await findEarnings(own.context.pool, { operatorId: id, ageDays: own.context.config.payoutTopUpAgeDays }))
      .young_cents;
  const state = (month: string) => openPayouts(own.context, { month, after: '' });
  const grossOf = async (of: Publisher, month: string) => (await of.payout(month))?.gross_cents ?? 0;

  it('wait for the next statement, and what older money paid does not', async () => {
    const [by, one] = [await consumer(), await newPublisher(own.context.pool)];
    await paid(by, 2_000);
    await daysPass(by, 8);
    await spend(by, one, 1_500);
    await paid(by, 1_000);
    await spend(by, one, 1_100);
    assert.equal(await youngOf(one), 600);
    await state(THIS);
    assert.equal(await grossOf(one, THIS), 2_000);
    await advancePayout(own.context, `${one.id}:${THIS}`);
    await settlePayoutRow(own.context.pool, `${one.id}:${THIS}`, 'tr_1');
    assert.deepEqual([await one.earnings(), await youngOf(one)], [600, 600]);
    await daysPass(by, 8);
    assert.equal(await youngOf(one), 0);
    await state(NEXT);
    assert.equal(await grossOf(one, NEXT), 600);
  });

  it('are counted to the cent, the oldest money first, no matter what else came and went', async () => {
    const [by, one, other] = [
      await consumer(),
      await newPublisher(own.context.pool),
      await newPublisher(own.context.pool),
    ];
    const db = own.context.pool;
    await credit(db, by, { cents: 300, cause: newId('txn') });
    await paid(by, 1_000);
    await spend(by, other, 250); // of the credit
    await debit(db, by, { cents: 100 }); // the last 50 of it, and 50 of the top-up
    await credit(db, by, { cents: 500, cause: newId('txn') });
    await spend(by, one, 900); // of the top-up
    await spend(by, one, 200); // 50 of the top-up, 150 of the second credit
    assert.deepEqual([await youngOf(other), await youngOf(one)], [0, 950]);
  });

  it('are what several wallets paid, and none is made where all of them are young', async () => {
    const [first, second, one] = [await consumer(), await consumer(), await newPublisher(own.context.pool)];
    await paid(first, 1_000);
    await spend(first, one, 700);
    await paid(second, 1_000);
    await spend(second, one, 1_000);
    assert.equal(await youngOf(one), 1_700);
    await state('2999-03');
    assert.equal(await one.payout('2999-03'), null);
  });

  it('are counted the same where a process of the release before wrote rows without a balance', async () => {
    const [by, one, other] = [
      await consumer(),
      await newPublisher(own.context.pool),
      await newPublisher(own.context.pool),
    ];
    await credit(own.context.pool, by, { cents: 300, cause: newId('txn') });
    await paid(by, 1_000);
    await spend(by, one, 250);
    await spend(by, other, 100);
    await credit(own.context.pool, by, { cents: 500, cause: newId('txn') });
    await spend(by, one, 1_200);
    // One by one, until no row of the wallet has a balance.
    for (const positions of [[6], [4], [2, 3], [1, 5]]) {
      await run(
        own.context.pool,
        sql.fragment`
          update transfers set balance_after_cents = null where wallet = ${by} and position = any(${sql.array(positions, 'int8')})`,
      );
      assert.deepEqual([await youngOf(one), await youngOf(other)], [950, 50], `without the balance of ${positions}`);
    }
  });

  it('do not wait where the setting says so', async () => {
    const [by, one] = [await consumer(), await newPublisher(own.context.pool)];
    await paid(by, 2_000);
    await spend(by, one, 1_500);
    own.context.config.payoutTopUpAgeDays = 0;
    assert.equal(await youngOf(one), 0);
    await state('2999-04');
    own.context.config.payoutTopUpAgeDays = 7;
    assert.equal(await grossOf(one, '2999-04'), 1_500);
  });
});
