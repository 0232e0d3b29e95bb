import assert from 'node:assert/strict';
import fc from 'fast-check';
import { z } from 'zod';
import { assertLedger } from '../../../src/billing/index.ts';
import { settlePayoutRow } from '../../../src/billing/payouts/queries.ts';
import { advancePayout, openPayouts } from '../../../src/billing/payouts/life.ts';
import { sql } from '../../../src/database/pool.ts';
import { ownContext, type OwnContext } from '../../invocations/own-context.ts';
import { roundsOf } from '../../support/cases.ts';
import { run } from '../ledger/ledger-world.ts';
import { newPublisher, type Publisher, type PublisherOptions } from './publishers.ts';

const JANUARY = '2020-01';
const FEBRUARY = '2020-02';
const MARCH = '2020-03';
const MINIMUM = 1_000;
/** Runs of the property: enough to meet the edges, few enough for a database. */
const HISTORIES = Number(process.env.MODEL_HISTORIES ?? roundsOf(25, 8));

describe('The statement of a month', function () {
  this.timeout(60_000);
  let own: OwnContext;
  before(async () => {
    own = await ownContext();
  });
  afterEach(async () => assertLedger(own.context.pool));
  after(() => own.close());

  const publisher = (options?: PublisherOptions): Promise<Publisher> => newPublisher(own.context.pool, options);
  /** Makes the statements as the schedule does: every operator, in batches. */
  const state = async (month: string): Promise<number> => {
    let opened = 0;
    for (let after: string | null = ''; after !== null;) {
      const batch: Awaited<ReturnType<typeof openPayouts>> = await openPayouts(own.context, { month, after });
      opened += batch.opened;
      after = batch.last;
    }
    return opened;
  };
  const advance = async (of: Publisher, month: string): Promise<string> =>
    (await advancePayout(own.context, `${of.id}:${month}`)).status;
  /** Settles as the life does after the answer of the provider. */
  const settle = (of: Publisher, month: string, transferId: string | null): Promise<void> =>
    settlePayoutRow(own.context.pool, `${of.id}:${month}`, transferId);
  const pay = async (of: Publisher, month: string): Promise<void> => {
    await advance(of, month);
    await settle(of, month, 'tr_1');
  };
  const refuse = async (of: Publisher, month: string): Promise<void> => {
    await advance(of, month);
    await settle(of, month, null);
  };
  const statusOf = async (of: Publisher, month: string): Promise<string | undefined> =>
    (await of.payout(month))?.status;
  const audited = async (of: Publisher): Promise<string[]> =>
    (
      await own.context.pool.any(sql.type(z.object({ action: z.string() }))`
      select action from audit_events where operator_id = ${of.id} and action like 'payout.%' order by id`)
    ).map(({ action }) => action);

  it('has everything captured up to the end of the month in UTC, and nothing after it', async () => {
    const one = await publisher();
    await one.earn(1_000, '2020-01-31T23:59:59.999Z');
    await one.earn(5_000, '2020-02-01T00:00:00Z');
    await state(JANUARY);
    assert.equal((await one.payout(JANUARY))?.gross_cents, 1_000);
    await pay(one, JANUARY);
    assert.equal(await one.earnings(), 5_000);
    await state(FEBRUARY);
    assert.equal((await one.payout(FEBRUARY))?.gross_cents, 5_000);
  });

  it('is not made where there are no earnings', async () => {
    const [nobody, later] = [await publisher(), await publisher()];
    await later.earn(2_000, '2020-02-01T00:00:00Z');
    await state(JANUARY);
    assert.deepEqual([await nobody.payout(JANUARY), await later.payout(JANUARY)], [null, null]);
  });

  it('moves nothing before the transfer begins; then all of it together, with the commission as a row of its own', async () => {
    const one = await publisher({ commissionBps: 1_000 });
    await one.earn(12_345, '2020-01-10');
    await state(JANUARY);
    assert.deepEqual([await statusOf(one, JANUARY), await one.earnings(), await one.moved()], ['due', 12_345, {}]);
    assert.equal(await advance(one, JANUARY), 'transferring');
    assert.deepEqual([await one.earnings(), await one.moved()], [0, { payout: 11_111, commission: 1_234 }]);
    await pay(one, JANUARY);
    const { status, gross_cents, commission_cents, net_cents, account, provider_transfer_id } =
      (await one.payout(JANUARY)) ?? assert.fail();
    assert.deepEqual([status, gross_cents, commission_cents, net_cents], ['paid', 12_345, 1_234, 11_111]);
    assert.deepEqual([account, provider_transfer_id], [`acct_${one.id.slice(3)}`, 'tr_1']);
    assert.deepEqual(await audited(one), ['payout.due', 'payout.transferring', 'payout.paid']);
  });

  it('uses the rate of the service where the operator has none of its own', async () => {
    const [usual, special] = [await publisher(), await publisher({ commissionBps: 0 })];
    own.context.config.commissionBps = 250;
    for (const one of [usual, special]) await one.earn(10_000, '2020-01-10');
    await state(JANUARY);
    own.context.config.commissionBps = 0;
    assert.deepEqual(
      [(await usual.payout(JANUARY))?.commission_cents, (await special.payout(JANUARY))?.commission_cents],
      [250, 0],
    );
  });

  for (const [net, status] of [
    [MINIMUM - 1, 'rolled_over'],
    [MINIMUM, 'due'],
  ] as const) {
    it(`of ${net} cents after commission is ${status} where the minimum is ${MINIMUM}`, async () => {
      const one = await publisher({ commissionBps: 10 });
      await one.earn(net + 1, '2020-01-10');
      await state(JANUARY);
      const stated = await one.payout(JANUARY);
      assert.deepEqual([stated?.net_cents, stated?.status], [net, status]);
    });
  }

  it('is part of the next ones until the minimum is reached, and is charged commission once', async () => {
    const one = await publisher({ commissionBps: 1_000 });
    await one.earn(500, '2020-01-10');
    await state(JANUARY);
    await one.earn(400, '2020-02-10');
    await state(FEBRUARY);
    assert.deepEqual(
      [await statusOf(one, JANUARY), await statusOf(one, FEBRUARY), await one.moved()],
      ['rolled_over', 'rolled_over', {}],
    );
    await one.earn(600, '2020-03-10');
    await state(MARCH);
    await pay(one, MARCH);
    const paid = await one.payout(MARCH);
    assert.deepEqual([paid?.status, paid?.gross_cents, paid?.commission_cents], ['paid', 1_500, 150]);
    assert.deepEqual([await one.earnings(), await one.moved()], [0, { payout: 1_350, commission: 150 }]);
  });

  it('waits for an account, and is paid with the next month once there is one', async () => {
    const one = await publisher({ account: null });
    await one.earn(2_000, '2020-01-10');
    await state(JANUARY);
    await run(own.context.pool, sql.fragment`update operators set payout_account = 'acct_new' where id = ${one.id}`);
    assert.deepEqual(
      [await state(JANUARY), await statusOf(one, JANUARY), await one.earnings()],
      [0, 'pending_account', 2_000],
    );
    await state(FEBRUARY);
    await pay(one, FEBRUARY);
    const paid = await one.payout(FEBRUARY);
    assert.deepEqual([paid?.status, paid?.gross_cents, paid?.account], ['paid', 2_000, 'acct_new']);
  });

  it('uses the account of the moment in which its transfer begins', async () => {
    const [moved, gone] = [await publisher(), await publisher()];
    for (const one of [moved, gone]) await one.earn(2_000, '2020-01-10');
    await state(JANUARY);
    await run(
      own.context.pool,
      sql.fragment`update operators set payout_account = 'acct_other' where id = ${moved.id}`,
    );
    await run(own.context.pool, sql.fragment`update operators set payout_account = null where id = ${gone.id}`);
    assert.equal(await advance(gone, JANUARY), 'pending_account');
    assert.equal(await advance(moved, JANUARY), 'transferring');
    await run(
      own.context.pool,
      sql.fragment`update operators set payout_account = 'acct_later' where id = ${moved.id}`,
    );
    assert.equal(await advance(moved, JANUARY), 'transferring');
    assert.equal((await moved.payout(JANUARY))?.account, 'acct_other', 'a key at the provider stands for one request');
    assert.equal(await gone.earnings(), 2_000);
  });

  it('of a suspended operator rolls over, whether it is suspended before the statement or before the transfer', async () => {
    const [before, between] = [await publisher(), await publisher()];
    const suspend = (one: Publisher) =>
      run(own.context.pool, sql.fragment`update operators set status = 'suspended' where id = ${one.id}`);
    for (const one of [before, between]) await one.earn(2_000, '2020-01-10');
    await suspend(before);
    await state(JANUARY);
    await suspend(between);
    assert.equal(await advance(between, JANUARY), 'rolled_over');
    assert.deepEqual(
      [await statusOf(before, JANUARY), await before.earnings(), await between.earnings()],
      ['rolled_over', 2_000, 2_000],
    );
    await run(own.context.pool, sql.fragment`update operators set status = 'active' where id = ${before.id}`);
    await state(FEBRUARY);
    assert.deepEqual([await statusOf(before, FEBRUARY), await statusOf(between, FEBRUARY)], ['due', 'rolled_over']);
  });

  it('stays as it is however often its month is opened and its life advances', async () => {
    const one = await publisher();
    await one.earn(2_000, '2020-01-10');
    await state(JANUARY);
    await pay(one, JANUARY);
    const paid = await one.payout(JANUARY);
    await one.earn(3_000, '2020-01-20');
    assert.equal(await state(JANUARY), 0);
    await pay(one, JANUARY);
    assert.deepEqual([await one.payout(JANUARY), await one.earnings()], [paid, 3_000]);
    await state(FEBRUARY);
    assert.equal((await one.payout(FEBRUARY))?.gross_cents, 3_000, 'what came late is part of the next month');
  });

  it('is made once and moves once when ten runs open it and ten lives advance it in parallel', async () => {
    const ones = await Promise.all(Array.from({ length: 5 }, () => publisher()));
    for (const one of ones) await one.earn(2_000, '2020-01-10');
    const opened = await Promise.all(Array.from({ length: 10 }, () => state(JANUARY)));
    assert.equal(
      opened.reduce((sum, count) => sum + count),
      ones.length,
    );
    await Promise.all(ones.flatMap((one) => Array.from({ length: 10 }, () => pay(one, JANUARY))));
    for (const one of ones)
      assert.deepEqual([await statusOf(one, JANUARY), await one.moved()], ['paid', { payout: 2_000 }]);
  });

  it('goes back in full when the provider refuses it for good, and is part of the next month', async () => {
    const one = await publisher({ commissionBps: 1_000 });
    await one.earn(2_000, '2020-01-10');
    await state(JANUARY);
    await refuse(one, JANUARY);
    await refuse(one, JANUARY);
    await settle(one, JANUARY, 'tr_after_all');
    assert.deepEqual(
      [await statusOf(one, JANUARY), await one.earnings(), await one.moved()],
      ['failed', 2_000, { payout: 0, commission: 0 }],
    );
    await state(FEBRUARY);
    await pay(one, FEBRUARY);
    assert.deepEqual(
      [await statusOf(one, FEBRUARY), await one.earnings(), await one.moved()],
      ['paid', 0, { payout: 1_800, commission: 200 }],
    );
  });

  it('leaves transfers under way out of the next month', async () => {
    const one = await publisher();
    await one.earn(2_000, '2020-01-10');
    await state(JANUARY);
    await advance(one, JANUARY);
    await one.earn(1_500, '2020-02-10');
    await state(FEBRUARY);
    assert.deepEqual([(await one.payout(FEBRUARY))?.gross_cents, await one.earnings()], [1_500, 1_500]);
  });

  it('waits where no payment provider is configured, and the next month takes over what still waits', async () => {
    const { config, pool } = own.context;
    const one = await publisher();
    const { payments } = config;
    config.payments = undefined;
    await one.earn(2_000, '2020-01-10');
    await state(JANUARY);
    assert.equal(await advance(one, JANUARY), 'due');
    await one.earn(1_000, '2020-02-10');
    await state(FEBRUARY);
    config.payments = payments;
    const woken = await pool.any(
      sql.type(
        z.object({ life: z.string() }),
      )`select life from lives where ready and life like ${`payout:${one.id}%`} order by life`,
    );
    assert.deepEqual(
      woken.map(({ life }) => life),
      [JANUARY, FEBRUARY].map((month) => `payout:${one.id}:${month}`),
    );
    assert.equal(await advance(one, JANUARY), 'rolled_over');
    await pay(one, FEBRUARY);
    assert.deepEqual([(await one.payout(FEBRUARY))?.gross_cents, await one.earnings()], [3_000, 0]);
  });

  it('is for the month before this one unless another is named', async () => {
    const one = await publisher();
    await one.earn(2_000, '2020-01-10');
    const monthBefore = () =>
      own.context.pool.oneFirst(sql.type(z.object({ month: z.string() }))`
      select to_char(date_trunc('month', now() at time zone 'UTC') - interval '1 month', 'YYYY-MM') as month`);
    const earliest = await monthBefore();
    const { month } = await openPayouts(own.context, { month: null, after: '' });
    assert([earliest, await monthBefore()].includes(month), `${month} where ${earliest} was the month before`);
    assert.equal((await one.payout(month))?.gross_cents, 2_000);
  });

  it('charges commission on every paid cent once, rounded down for each payout, no matter what happened in which month', async () => {
    const month = fc.record({
      earned: fc.array(fc.integer({ min: 1, max: 3_000 }), { maxLength: 2 }),
      outcome: fc.constantFrom('paid', 'refused', 'no account'),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 0, max: 10_000 }),
        fc.array(month, { minLength: 1, maxLength: 4 }),
        async (bps, months) => {
          const one = await publisher({ commissionBps: bps });
          const expected = { left: 0, payout: 0, commission: 0 };
          for (const [at, { earned, outcome }] of months.entries()) {
            const name = `2020-0${at + 1}`;
            for (const cents of earned) await one.earn(cents, `${name}-15`);
            expected.left += earned.reduce((sum, cents) => sum + cents, 0);
            const account = outcome === 'no account' ? null : 'acct_1';
            await run(
              own.context.pool,
              sql.fragment`update operators set payout_account = ${account} where id = ${one.id}`,
            );
            await state(name);
            if (outcome !== 'refused') await pay(one, name);
            else await refuse(one, name);
            const commission = Math.floor((expected.left * bps) / 10_000);
            if (outcome === 'paid' && expected.left - commission >= MINIMUM) {
              expected.commission += commission;
              expected.payout += expected.left - commission;
              expected.left = 0;
            }
            const { payout = 0, commission: charged = 0 } = await one.moved();
            assert.deepEqual({ left: await one.earnings(), payout, commission: charged }, expected);
          }
          await assertLedger(own.context.pool);
        },
      ),
      { numRuns: HISTORIES },
    );
  });
});
