import assert from 'node:assert/strict';
import { assertLedger } from '../../../src/billing/index.ts';
import { requestRefund } from '../../../src/billing/payments/refunds/life.ts';
import { advancePayout, openPayouts, transferPayout } from '../../../src/billing/payouts/life.ts';
import { NotDone } from '../../../src/context/payment-provider.ts';
import { sql } from '../../../src/database/pool.ts';
import { CarnetError } from '../../../src/errors/carnet-error.ts';
import { newId } from '../../../src/ids/ids.ts';
import { ownContext, type OwnContext } from '../../invocations/own-context.ts';
import { newWallet, run, topUp } from '../ledger/ledger-world.ts';
import { newPublisher } from './publishers.ts';

const MONTH = '2020-01';

describe('A try that the provider answered and has not done', function () {
  this.timeout(60_000);
  let own: OwnContext;
  before(async () => {
    own = await ownContext();
  });
  after(async () => {
    await assertLedger(own.context.pool);
    await own.close();
  });

  const lost = new CarnetError('TEMPORARILY_UNAVAILABLE', 'There was no answer.');
  const notDone = new NotDone('TEMPORARILY_UNAVAILABLE', 'The balance is too low.');
  /** A provider that fails so, try after try, and then does what is asked; it notes the keys of the tries. */
  const provider = (answers: Error[]) => {
    const tried: [string, number][] = [];
    const answer = ({ key, tries }: { key: string; tries: number }): void => {
      tried.push([key, tries]);
      const error = answers.shift();
      if (error !== undefined) throw error;
    };
    return { tried, answer };
  };

  it('of a payout is followed by one under another key, and one without an answer by the same', async () => {
    const { context } = own;
    const one = await newPublisher(context.pool);
    await one.earn(2_000, '2020-01-10');
    await openPayouts(context, { month: MONTH, after: '' });
    const id = `${one.id}:${MONTH}`;
    await advancePayout(context, id);
    const { tried, answer } = provider([lost, notDone, lost, notDone]);
    const payments = {
      ...context.payments,
      transfer: async (request: Parameters<typeof context.payments.transfer>[0]) => {
        answer(request);
        return context.payments.transfer(request);
      },
    };
    for (let failures = 0; failures < 4; failures += 1)
      await assert.rejects(transferPayout({ ...context, payments }, id), CarnetError);
    await transferPayout({ ...context, payments }, id);
    const key = `payout:${id}`;
    assert.deepEqual(tried, [
      [key, 1],
      [key, 1],
      [key, 2],
      [key, 2],
      [key, 3],
    ]);
    assert.equal((await one.payout(MONTH))?.status, 'paid');
  });

  it('of a refund too', async () => {
    const { context } = own;
    const operator = await newWallet(context.pool);
    const topUpId = await topUp(context.pool, operator, 1_000);
    const [id, transaction] = [newId('rfd'), sql.fragment`(select transaction_id from top_ups where id = ${topUpId})`];
    await run(
      context.pool,
      sql.fragment`select begin_refund(${id}, ${newId('hld')}, ${operator}, ${transaction}, 'local')`,
    );
    const { tried, answer } = provider([lost, notDone]);
    const payments = {
      ...context.payments,
      refund: (request: Parameters<typeof context.payments.refund>[0]) =>
        Promise.resolve(request).then((asked) => {
          answer(asked);
          return { providerRefundId: 're_1' };
        }),
      listRefunds: () => Promise.resolve([]),
    };
    for (let failures = 0; failures < 2; failures += 1)
      await assert.rejects(requestRefund({ ...context, payments }, id), CarnetError);
    await requestRefund({ ...context, payments }, id);
    assert.deepEqual(
      tried.map(([, tries]) => tries),
      [1, 1, 2],
    );
  });
});
