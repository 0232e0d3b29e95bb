import assert from 'node:assert/strict';
import { z } from 'zod';
import { assertLedger } from '../../../src/billing/index.ts';
import { receivePaymentEvent } from '../../../src/billing/webhook/receive.ts';
import { listCases, stateOfCase } from '../../../src/billing/cases/queries.ts';
import type { BillingCase } from '../../../src/billing/cases/schema.ts';
import { openPayouts } from '../../../src/billing/payouts/life.ts';
import { sql } from '../../../src/database/pool.ts';
import { newId } from '../../../src/ids/ids.ts';
import { lifeId } from '../../../src/ids/life-ids.ts';
import { eventually } from '../../support/eventually.ts';
import { startRig, type Rig } from '../../temporal/rig.ts';
import { runOf, type Run } from '../../temporal/runs.ts';
import { run } from '../ledger/ledger-world.ts';
import { newPublisher, type Publisher, type PublisherOptions } from './publishers.ts';
import { makeDue } from '../../support/due-lives.ts';

const MONTH = '2020-01';
const Transfer = z.object({ account: z.string(), amount_cents: z.number() });

describe('The life of a payout', () => {
  let rig: Rig;
  before(async () => {
    rig = await startRig();
    await rig.startDelivery();
    await rig.startWorker();
  });
  after(() => rig.stop());

  const publisher = async (options?: PublisherOptions): Promise<Publisher> => {
    const one = await newPublisher(rig.context.pool, options);
    await one.earn(2_000, '2020-01-10');
    return one;
  };
  const state = () => openPayouts(rig.context, { month: MONTH, after: '' });
  const life = (of: Publisher): Run => runOf(rig, lifeId.payout(`${of.id}:${MONTH}`));
  const statusOf = async (of: Publisher): Promise<string | undefined> => (await of.payout(MONTH))?.status;
  /** The transfers that the local payment provider has made. */
  const received = (of: Publisher) =>
    rig.context.pool.any(
      sql.type(Transfer)`select account, amount_cents from local_transfers where operator_id = ${of.id}`,
    );
  /** While this is locked nothing can be transferred, and the outcome of a transfer is not known. */
  const holdTransfers = () =>
    run(rig.context.pool, sql.fragment`alter table local_transfers rename to local_transfers_held`);
  const letTransfersGo = () =>
    run(rig.context.pool, sql.fragment`alter table local_transfers_held rename to local_transfers`);
  const attempts = async (of: Publisher): Promise<number> =>
    (await life(of).handle.describe()).raw.pendingActivities?.[0]?.attempt ?? 0;

  it('lets the provider transfer it once, and shows that', async () => {
    const one = await publisher({ commissionBps: 1_000 });
    await state();
    await life(one).ended();
    assert.equal(await statusOf(one), 'paid');
    assert.deepEqual(await received(one), [{ account: `acct_${one.id.slice(3)}`, amount_cents: 1_800 }]);
    await life(one).showing(/^Ended: paid\.$/);
  });

  it('is failed after all where its transfer was taken back, once; a part of it is recorded for a person', async () => {
    const one = await publisher({ commissionBps: 1_000 });
    await state();
    await life(one).ended();
    const transferId = (await one.payout(MONTH))?.provider_transfer_id ?? '';
    const outcomeOf = async (reversedCents: number): Promise<string> => {
      const fact = { kind: 'transfer_reversed', transferId, amountCents: 1_800, reversedCents } as const;
      const id = newId('evt');
      await receivePaymentEvent(
        rig.context,
        { id, type: 'transfer.reversed', createdAt: new Date(), ...fact },
        'req_test',
      );
      return rig.context.pool.oneFirst(
        sql.type(z.object({ outcome: z.string() }))`select outcome from payment_events where id = ${id}`,
      );
    };
    const alarms = (): Promise<readonly BillingCase[]> =>
      listCases(rig.context.pool, { operatorId: one.id, after: null, limit: 10 });
    const states: unknown[] = [];
    for (let parts = 1; parts <= 2; parts += 1) {
      assert.equal(await outcomeOf(parts * 500), 'reversed_in_part');
      const [alarm] = await alarms();
      states.push(await stateOfCase(rig.context.pool, { kind: 'alarm', id: alarm?.id ?? '' }));
    }
    assert.notDeepEqual(states[0], states[1], 'an approval to dismiss the one does not cover the other');
    assert.deepEqual(
      (await alarms()).map(({ alarm }) => alarm),
      ['payout_reversed_in_part'],
    );
    assert.deepEqual([await statusOf(one), await one.earnings()], ['paid', 0]);
    assert.deepEqual([await outcomeOf(1_800), await outcomeOf(1_800)], ['reversed', 'ignored']);
    assert.deepEqual([await statusOf(one), await one.earnings()], ['failed', 2_000]);
    assert.deepEqual(await alarms(), [], 'all of it is earned again');
    assert.deepEqual(await one.moved(), { payout: 0, commission: 0 });
    await assertLedger(rig.context.pool);
  });

  it('shows in the Temporal UI whose it is and how much, and not the account', async () => {
    const one = await publisher();
    await state();
    await life(one).ended();
    const { raw, staticSummary, staticDetails } = await detailsOf(life(one));
    assert.equal(staticSummary, `Payout of ${MONTH} to ${one.id}`);
    assert.match(staticDetails, /2000 cents after commission/);
    assert(!`${await life(one).text()} ${JSON.stringify(raw)}`.includes(`acct_`));
    const query = `WorkflowId = "${lifeId.payout(`${one.id}:${MONTH}`)}" AND LifeStatus = "ended" AND OperatorId = "${one.id}"`;
    await eventually('the run to be listed', async () => (await rig.temporal.client.workflow.count(query)).count === 1);
  });

  it('tries again while the outcome is not known, even when its run is cancelled', async () => {
    const one = await publisher();
    await holdTransfers();
    await state();
    await eventually('a second try', async () => (await attempts(one)) > 1, { ignoreErrors: () => true });
    assert.equal(await statusOf(one), 'transferring');
    await life(one).handle.cancel();
    await life(one).showing(
      /^Has the payment provider transfer the payout, .*\n\n\S+Z Refused to cancel this run: it ends when the payment provider/,
    );
    await letTransfersGo();
    await life(one).ended();
    assert.deepEqual([await statusOf(one), (await received(one)).length], ['paid', 1]);
  });

  it('ends where the provider refuses it for good, with the money back in the earnings', async () => {
    const one = await publisher({ commissionBps: 1_000 });
    // A key that was used for another request is refused.
    await run(
      rig.context.pool,
      sql.fragment`insert into local_calls (key, request) values (${`payout:${one.id}:${MONTH}`}, '{}')`,
    );
    await state();
    await life(one).ended();
    await life(one).showing(/^Ended: the payment provider refused it for good\. The money is back among the earnings/);
    assert.deepEqual([await statusOf(one), await one.earnings(), await received(one)], ['failed', 2_000, []]);
  });

  it('waits until a payment provider is configured, and then continues', async () => {
    const one = await publisher();
    const { payments } = rig.config;
    rig.config.payments = undefined;
    await state();
    await life(one).showing(/^Waits for a payment provider to be configured/);
    assert.deepEqual([await statusOf(one), await one.earnings()], ['due', 2_000]);
    rig.config.payments = payments;
    await makeDue(rig.context.pool, lifeId.payout(`${one.id}:${MONTH}`));
    await life(one).ended();
    assert.equal(await statusOf(one), 'paid');
  });

  it('of a payout that the next month takes over ends', async () => {
    const one = await publisher();
    const { payments } = rig.config;
    rig.config.payments = undefined;
    await state();
    await life(one).showing(/^Waits for a payment provider/);
    await openPayouts(rig.context, { month: '2020-02', after: '' });
    await life(one).showing(/^Ended: part of the next month's payout\.$/);
    await life(one).ended();
    rig.config.payments = payments;
  });

  it('continues from the row when it is woken after its run was terminated', async () => {
    const one = await publisher();
    await holdTransfers();
    await state();
    await eventually('a try', async () => (await attempts(one)) > 0, { ignoreErrors: () => true });
    await life(one).handle.terminate('by hand');
    await letTransfersGo();
    await eventually('another run', async () => {
      await makeDue(rig.context.pool, lifeId.payout(`${one.id}:${MONTH}`));
      return (await statusOf(one)) === 'paid';
    });
    assert.equal((await received(one)).length, 1);
  });

  it('of a payout that does not exist ends in its first task', async () => {
    const nobody = `${newId('op')}:${MONTH}`;
    await run(rig.context.pool, sql.fragment`select wake_life(${lifeId.payout(nobody)})`);
    const ended = runOf(rig, lifeId.payout(nobody));
    await ended.ended();
    assert.equal(await ended.tasks(), 1);
    await ended.showing(/^Ended: there is no such payout\.$/);
  });
});

/** Summary and details as the Temporal UI shows them. */
async function detailsOf({ handle }: Run): Promise<{ raw: unknown; staticSummary: string; staticDetails: string }> {
  const description = await handle.describe();
  return {
    raw: description.raw,
    staticSummary: (await description.staticSummary()) ?? '',
    staticDetails: (await description.staticDetails()) ?? '',
  };
}
