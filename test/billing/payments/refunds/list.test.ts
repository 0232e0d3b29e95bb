import assert from 'node:assert/strict';
import { z } from 'zod';
import { dismissAlarm } from '../../../../src/billing/cases/queries.ts';
import { assertLedger } from '../../../../src/billing/index.ts';
import { beginRefundReading, noteUnreadRefunds, setRefunds } from '../../../../src/billing/payments/refunds/queries.ts';
import { sql, type DatabasePool } from '../../../../src/database/pool.ts';
import { run } from '../../ledger/ledger-world.ts';
import { centsIn, tablesBelow } from '../../story-tables.ts';
import { ProofDatabases } from '../../ledger/proof/proof-database.ts';
import { PaymentHere } from './payment-here.ts';
import { takeDueLives } from '../../../../temporal/lives-table.ts';
import { looksAgainIn, makeDue } from '../../../support/due-lives.ts';

const AT = new Date(Date.UTC(2026, 0, 1));
const byHand = { key: null, status: 'succeeded', madeAt: AT } as const;

describe('The wallet is set by the provider’s list of refunds', function () {
  this.timeout(120_000);
  const databases = new ProofDatabases();
  let db: DatabasePool;
  before(async () => {
    db = (await databases.current()).pool;
  });
  after(async () => {
    await assertLedger(db);
    await databases.close();
  });

  const paid = async (cents = 1_000): Promise<PaymentHere> => {
    const here = await PaymentHere.make(db, cents);
    await here.pay();
    return here;
  };
  const worthOf = async (here: PaymentHere): Promise<number> => (await here.state()).worth;
  const someReport = { ...byHand, providerRefundId: 're_any', amountCents: 1 };

  /** A life requests the list, and does not get it. */
  const notRead = async (
    here: PaymentHere,
    { isFinal, meanwhile }: { isFinal: boolean; meanwhile?: () => Promise<void> },
  ): Promise<void> => {
    const reading = await beginRefundReading(db, here.topUp);
    assert(reading !== null);
    await meanwhile?.();
    await noteUnreadRefunds(db, { topUpId: here.topUp, reading, isFinal });
  };

  /** All reports in each of two orders, each followed by a reading or all of them by one. */
  const orders = [
    { isReversed: false, readsEach: true },
    { isReversed: true, readsEach: true },
    { isReversed: false, readsEach: false },
    { isReversed: true, readsEach: false },
  ];

  for (const { isReversed, readsEach } of orders)
    it(`one released that is paid after all, when another came back, ends the same in any order of the reports (${isReversed ? 'newest' : 'oldest'} first, read ${readsEach ? 'each time' : 'once'})`, async () => {
      const here = await paid();
      const { there } = here;
      const inDashboard = there.refund(300, byHand);
      assert(inDashboard !== null);
      await here.read();
      assert.equal(await here.request(), true);
      const open = await here.open();
      assert.equal(open?.cents, 700);
      await here.call('succeeded', 'is lost', AT); // made at the provider, and nobody here knows
      assert.equal(await here.settleByHand('failed'), true);
      assert.equal(await worthOf(here), 700, 'the person released it');
      there.sendBack(inDashboard);
      const reports = isReversed ? there.reports.toReversed() : [...there.reports];
      for (const report of reports) {
        await here.deliver(report);
        if (readsEach) await here.read();
      }
      await here.read();
      assert.deepEqual(await here.state(), { worth: 300, held: 0, owed: 0 }, 'paid − 700 that stand');
      assert.deepEqual(await here.alarms(), [{ kind: 'refund_paid_after_all', concerns: open?.id }]);
    });

  it('ours that comes back in the second in which somebody refunds in the dashboard: both count', async () => {
    const here = await paid();
    await here.request();
    await here.call('succeeded', 'comes', AT);
    const [ours] = here.there.refunds;
    assert(ours !== undefined);
    here.there.sendBack(ours);
    here.there.refund(1_000, byHand);
    for (const report of here.there.reports) await here.deliver(report);
    await here.read();
    assert.deepEqual(await here.state(), { worth: 0, held: 0, owed: 0 });
    assert.deepEqual(await here.alarms(), []);
  });

  it('a refund of another payment is never one of this: a report about it while a person settles moves nothing here', async () => {
    const [here, other] = [await paid(), await paid()];
    const refund = other.there.refund(1_000, byHand);
    assert(refund !== null);
    await here.request();
    const person = await (await databases.current()).lane();
    try {
      const open = await here.open();
      await person.query('begin', []);
      await person.query(`select settle_refund_by_hand($1, 'succeeded', null)`, [open?.id]);
      await other.deliver(refund); // waits for nothing: it is about other rows
      await other.read();
      await person.query('commit', []);
    } finally {
      await person.end();
    }
    await here.read();
    assert.deepEqual([await worthOf(here), await worthOf(other)], [1_000, 0], 'the list of this payment has none');
    const reading = await beginRefundReading(db, here.topUp);
    assert(reading !== null);
    await assert.rejects(setRefunds(db, { topUpId: here.topUp, reading, list: other.there.list() }));
    assert.deepEqual([await worthOf(here), await worthOf(other)], [1_000, 0]);
  });

  it('made in the dashboard in the place of ours that hangs: no matter what the person says, it is paid once', async () => {
    for (const outcome of ['succeeded', 'failed'] as const) {
      const here = await paid();
      await here.request();
      here.there.refund(1_000, byHand);
      await here.read();
      assert.deepEqual(await here.state(), { worth: 0, held: 1_000, owed: 1_000 });
      assert.equal(await here.settleByHand(outcome), true);
      await here.read();
      assert.deepEqual(await here.state(), { worth: 0, held: 0, owed: 0 });
    }
  });

  it('an older list that arrives later undoes nothing', async () => {
    const here = await paid();
    await here.beginReading();
    here.there.refund(400, byHand);
    await here.beginReading();
    assert.equal(await here.endReading(1), true);
    assert.equal(await here.endReading(0), false, 'a list that was read before another was set does not count');
    assert.equal(await worthOf(here), 600);
  });

  it('of two readings in parallel one counts, and the other is read again', async () => {
    const here = await paid();
    here.there.refund(400, byHand);
    await here.beginReading();
    await here.beginReading();
    const both = await Promise.all([here.endReading(), here.endReading()]);
    assert.deepEqual(both.toSorted(), [false, true]);
    assert.equal(await worthOf(here), 600);
    assert.equal(await here.rows(), 2);
  });

  it('a report that comes while a list is read has another one read', async () => {
    const here = await paid();
    await here.deliver({ ...byHand, providerRefundId: 're_any', amountCents: 1 });
    await here.beginReading();
    const refund = here.there.refund(400, byHand);
    assert(refund !== null);
    await here.deliver(refund);
    assert.equal(await here.endReading(), true);
    assert.deepEqual([await worthOf(here), await here.isDue()], [1_000, true]);
    await here.read();
    assert.deepEqual([await worthOf(here), await here.isDue()], [600, false]);
  });

  it('a report before the payment is known has it read as soon as it is credited', async () => {
    const here = await PaymentHere.make(db);
    const refund = here.there.refund(1_000, byHand);
    assert(refund !== null);
    await here.deliver(refund);
    assert.equal(await here.isDue(), false);
    await here.pay();
    assert.equal(await here.isDue(), true);
    await here.read();
    assert.equal(await worthOf(here), 0);
  });

  it('what was spent is owed, and what comes back cancels that first', async () => {
    const here = await paid();
    await run(
      db,
      sql.fragment`select debit_wallet('txn_' || ${here.topUp}, ${here.wallet}, 400, 'platform:adjustments', 'adjustment', 'of-' || ${here.topUp}, 'spent')`,
    );
    const refund = here.there.refund(1_000, byHand);
    assert(refund !== null);
    await here.read();
    assert.deepEqual(await here.state(), { worth: -400, held: 0, owed: 400 });
    here.there.sendBack(refund);
    await here.read();
    assert.deepEqual(await here.state(), { worth: 600, held: 0, owed: 0 });
  });

  it('a refund whose answer never came and that is not listed stays unknown', async () => {
    const here = await paid();
    await here.request();
    await here.read();
    assert.deepEqual(await here.state(), { worth: 1_000, held: 1_000, owed: 0 });
  });

  it('one that the provider has made is not released by a person: it says by itself when it has failed', async () => {
    const here = await paid();
    await here.request();
    await here.call('pending', 'comes', AT);
    assert.equal(await here.settleByHand('failed'), false);
    assert.equal(await here.settleByHand('succeeded'), true);
    await here.read();
    assert.deepEqual(await here.state(), { worth: 0, held: 0, owed: 0 });
  });

  it('a list that cannot be read moves nothing, and after an hour a person looks, until it is read', async () => {
    const here = await paid();
    const refund = here.there.refund(400, byHand);
    assert(refund !== null);
    await here.deliver(refund);
    await notRead(here, { isFinal: false });
    assert.deepEqual([await here.alarms(), await worthOf(here)], [[], 1_000]);
    await run(
      db,
      sql.fragment`update refunded_payments set unread_since = unread_since - interval '61 minutes' where payment_id = ${here.payment}`,
    );
    await notRead(here, { isFinal: false });
    assert.deepEqual(await here.alarms(), [{ kind: 'refunds_unread', concerns: here.topUp }]);
    assert.equal(await here.isDue(), true);
    await here.read();
    assert.deepEqual([await here.alarms(), await worthOf(here)], [[], 600]);
  });

  it('an alarm that was dismissed is raised again by a newer report, and when the list is read and then refused', async () => {
    const here = await paid();
    const unread = [{ kind: 'refunds_unread', concerns: here.topUp }];
    const dismiss = async (): Promise<void> => {
      const { id } = await db.one(
        sql.type(z.object({ id: z.string() }))`select id from billing_alarms where concerns = ${here.topUp}`,
      );
      assert.equal(await dismissAlarm(db, id), here.wallet);
    };
    await here.deliver(someReport);
    await notRead(here, { isFinal: true });
    assert.deepEqual(await here.alarms(), unread);
    await dismiss();
    await notRead(here, { isFinal: true });
    assert.deepEqual(await here.alarms(), [], 'nothing is new');
    await here.deliver(someReport);
    await notRead(here, { isFinal: true });
    assert.deepEqual(await here.alarms(), unread, 'after another report');
    await dismiss();
    await here.read();
    await notRead(here, { isFinal: true });
    assert.deepEqual(await here.alarms(), unread, 'after it was read');
  });

  it('a report that comes while the provider refuses the list has it requested again immediately', async () => {
    const here = await paid();
    await here.deliver(someReport);
    await run(
      db,
      sql.fragment`update refunded_payments set unread_since = now() - interval '10 days' where payment_id = ${here.payment}`,
    );
    await run(db, sql.fragment`update top_ups set receipt_sought = true where id = ${here.topUp}`);
    const action = () =>
      db.oneFirst(sql.type(z.object({ action: z.string() }))`select action from advance_top_up(${here.topUp})`);
    await notRead(here, { isFinal: true, meanwhile: () => here.deliver(someReport) });
    assert.equal(await action(), 'refunds');
    await notRead(here, { isFinal: true });
    assert.equal(await action(), 'wait');
  });

  it('a refusal raises no alarm where a list was set since it was requested', async () => {
    const here = await paid();
    await here.deliver(someReport);
    await notRead(here, { isFinal: true, meanwhile: () => here.read() });
    assert.deepEqual([await here.alarms(), await here.isDue()], [[], false]);
  });

  it('whose run is lost is read by another, once nobody has looked for ten minutes', async () => {
    const here = await paid();
    const life = `top-up:${here.topUp}`;
    await here.deliver({ ...byHand, providerRefundId: 're_any', amountCents: 1 });
    await run(db, sql.fragment`select advance_top_up(${here.topUp})`);
    const next = (await looksAgainIn(db, life)) ?? 0;
    assert(next > 590 && next <= 600, `it is left ten minutes, and not ${next} s`);
    await makeDue(db, life);
    assert((await takeDueLives(db, { limit: 100, after: '' })).taken.includes(life));
  });

  it('docs/billing.md says what the wallet has after each list', async () => {
    const [table = []] = await tablesBelow("The provider's list of refunds");
    assert.equal(table.length, 6);
    const here = await paid();
    const { refunds } = here.there;
    for (const [what = '', list = '', available = '', held = ''] of table) {
      const items = [...list.matchAll(/(\d+)( ours)? (pending|paid|failed)/g)];
      for (const [index, [, cents, ours, word]] of items.entries()) {
        const status = word === 'paid' ? 'succeeded' : word === 'failed' ? 'failed' : 'pending';
        if (refunds[index] === undefined && ours !== undefined) {
          assert.equal(await here.request(), true);
          await here.call('pending', 'comes', AT);
        } else if (refunds[index] === undefined) here.there.refund(Number(cents), byHand);
        const refund = refunds[index] ?? assert.fail(what);
        assert.deepEqual([refund.amountCents, refund.key !== null], [Number(cents), ours !== undefined]);
        refund.status = status;
      }
      await here.read();
      const state = await here.state();
      assert.deepEqual([state.worth - state.held, state.held], [centsIn(available), centsIn(held)], what);
    }
  });

  it('a payment of 150 refunds', async () => {
    const here = await paid(15_000);
    for (let count = 0; count < 150; count += 1) here.there.refund(100, byHand);
    const [first] = here.there.refunds;
    assert(first !== undefined);
    await here.read();
    assert.equal(await worthOf(here), 0);
    here.there.sendBack(first);
    await here.read();
    assert.equal(await worthOf(here), 100);
  });
});
