import assert from 'node:assert/strict';
import { ledgerFaults } from '../../../src/billing/index.ts';
import { settlePayoutRow } from '../../../src/billing/payouts/queries.ts';
import { advancePayout, openPayouts } from '../../../src/billing/payouts/life.ts';
import { sql } from '../../../src/database/pool.ts';
import { ownContext, type OwnContext } from '../../invocations/own-context.ts';
import { run } from '../ledger/ledger-world.ts';
import { newPublisher } from './publishers.ts';

const MONTH = '2020-01';
const LAW = 'a payout is its transfers, and a failed one their return';

describe('The ledger of a payout', () => {
  let own: OwnContext;
  beforeEach(async () => {
    own = await ownContext();
  });
  afterEach(() => own.close());

  /** A payout of 2,000 cents at a tenth, refused by the provider; then what `break_` does to its rows. */
  const faultsOf = async (
    break_: (payoutId: string) => ReturnType<typeof sql.fragment>,
  ): Promise<(string | null)[][]> => {
    const { context } = own;
    const one = await newPublisher(context.pool, { commissionBps: 1_000 });
    await one.earn(2_000, '2020-01-10');
    await openPayouts(context, { month: MONTH, after: '' });
    await advancePayout(context, `${one.id}:${MONTH}`);
    await settlePayoutRow(context.pool, `${one.id}:${MONTH}`, null);
    assert.deepEqual(await ledgerFaults(context.pool), []);
    const id = (await one.payout(MONTH))?.id ?? assert.fail();
    await run(context.pool, break_(id));
    return (await ledgerFaults(context.pool))
      .filter(({ law }) => law === LAW)
      .toSorted((left, right) => left.subject.localeCompare(right.subject))
      .map(({ subject, stored, proven }) => [subject.replace(id, 'it'), stored, proven]);
  };

  it('is wrong where a failed payout whose money moved back is marked paid', async () => {
    const faults = await faultsOf(
      (id) =>
        sql.fragment`update payouts set status = 'paid', paid_at = now(), provider_transfer_id = 'tr_1' where id = ${id}`,
    );
    assert.deepEqual(faults, [
      ['commission it:returned', '200', null],
      ['payout it:returned', '1800', null],
    ]);
  });

  it('is wrong where the money never moved', async () => {
    assert.deepEqual(
      await faultsOf((id) => sql.fragment`delete from transfers where kind = 'payout' and cause = ${id}`),
      [['payout it', null, '1800']],
    );
  });

  it('is wrong where the money moved to another account', async () => {
    const faults = await faultsOf(
      (id) =>
        sql.fragment`update transfers set credit_account = 'platform:elsewhere' where kind = 'commission' and cause = ${id}`,
    );
    assert.deepEqual(faults, [['commission it', '200', '200']]);
  });

  it('is wrong where there is no statement', async () => {
    const faults = await faultsOf((id) => sql.fragment`delete from payouts where id = ${id}`);
    assert.deepEqual(
      faults.map(([subject]) => subject),
      ['commission it', 'commission it:returned', 'payout it', 'payout it:returned'],
    );
  });
});
