import assert from 'node:assert/strict';
import { z } from 'zod';
import { assertLedger } from '../../../src/billing/index.ts';
import type { DecidedCase } from '../../../src/billing/cases/schema.ts';
import { sql } from '../../../src/database/pool.ts';
import { newId } from '../../../src/ids/ids.ts';
import { postApproved } from '../../governance/support.ts';
import { buildOperator } from '../../support/factories.ts';
import { buildPerson } from '../../support/people.ts';
import { assertProblem, assertStatus, database, platform, type Requester } from '../../support/service.ts';
import { beginTopUp, post, topUpEvent } from '../payments/support.ts';
import { centsIn, tablesBelow } from '../story-tables.ts';
import { casesOf, centsOf, onlyCase, settledRefund, walletOf } from './support.ts';

describe('docs/billing.md says what a person finds', function () {
  this.timeout(120_000);
  let person: Requester;
  before(async () => {
    person = await buildPerson({ operatorId: 'op_platform' });
  });
  after(async () => assertLedger(await database()));

  /** The amount in a cell that begins with it, with or without a sign; null: it says that nothing moves. */
  const firstCents = (cell: string): number | null => {
    const text = /^(?:the )?([+−]?[\d,]+)/.exec(cell)?.[1];
    return text === undefined ? null : centsIn(text);
  };

  describe('A refund hangs', () => {
    const CENTS = 5_000;
    const DASHBOARD = `re_by_hand_${newId('evt')}`;
    type Settled = Awaited<ReturnType<typeof settledRefund>>;
    const outcomeIn = (cell: string): 'succeeded' | 'failed' => {
      assert.match(cell, /^`(succeeded|failed)`/);
      return cell.startsWith('`succeeded`') ? 'succeeded' : 'failed';
    };

    it('and is settled', async () => {
      const [table = []] = await tablesBelow('A refund hangs');
      assert.equal(table.length, 2);
      for (const [found = '', settledAs = '', wallet = ''] of table) {
        const outcome = outcomeIn(settledAs);
        const { operator } = await settledRefund(person, outcome, { cents: CENTS });
        const says = firstCents(wallet) ?? assert.fail(wallet);
        assert.deepEqual(
          [await centsOf(operator), await walletOf(operator)],
          outcome === 'succeeded'
            ? [
                [CENTS, says],
                [0, 0, 0],
              ]
            : [[CENTS], [says, 0, 0]],
          found,
        );
      }
    });

    /** What each event of the second table is, for those of one decision: played one after the other, each alone. */
    const events: Record<string, ((settled: Settled) => Promise<unknown>)[]> = {
      'the refund has succeeded, or the sum that counts it': [({ report }) => report('succeeded'), ({ sum }) => sum()],
      'the bank sends it back': [({ report }) => report('failed')],
      'the bank sends that back': [({ report }) => report('failed', {}, DASHBOARD)],
      'the refund has succeeded, or a sum that counts it, of whatever time': [
        ({ report }) => report('succeeded'),
        ({ sum }) => sum(),
      ],
      'it has failed': [({ report }) => report('failed')],
    };

    it('and the provider reports on it after that', async () => {
      const [, table = []] = await tablesBelow('A refund hangs');
      assert.equal(table.length, Object.keys(events).length);
      for (const [settledAs = '', event = '', wallet = ''] of table)
        for (const happen of events[event] ?? assert.fail(`the test lacks an event "${event}"`)) {
          const settled = await settledRefund(person, outcomeIn(settledAs), {
            cents: CENTS,
            ...(settledAs.includes('dashboard') && { known: false, found: DASHBOARD }),
          });
          const before = await centsOf(settled.operator);
          const outcome = await happen(settled);
          const rows = (await centsOf(settled.operator)).slice(before.length);
          const says = firstCents(wallet);
          const takenBack = says !== null && wallet.includes('taken back');
          assert.deepEqual(rows, says === null ? [] : [takenBack ? -says : says], `${settledAs}: ${event}`);
          if (wallet.startsWith('as it is: `came_back`')) assert.equal(outcome, 'came_back');
        }
    });

    it('and it has failed where the money had been taken back', async () => {
      const [, table = []] = await tablesBelow('A refund hangs');
      const [, , wallet = ''] = table.find(([, event]) => event === 'it has failed') ?? [];
      const [, taken = '', outcome = ''] =
        /where the ([\d,]+) had been taken back: `(\w+)`/.exec(wallet) ?? assert.fail(wallet);
      const { operator, sum, report } = await settledRefund(person, 'failed', { cents: CENTS });
      await sum();
      assert.deepEqual(await centsOf(operator), [CENTS, -centsIn(taken)]);
      assert.equal(await report('failed'), outcome);
      assert.deepEqual(await centsOf(operator), [CENTS, -centsIn(taken)]);
    });
  });

  it('Another sum is paid, or twice', async () => {
    const [table = []] = await tablesBelow('Another sum is paid, or twice');
    assert.equal(table.length, 3);
    const reason = 'Looked up at the provider.';
    for (const [requested = '', paid = '', before = '', take = ''] of table) {
      const operator = await buildOperator();
      const topUp = await beginTopUp(operator, Math.round(Number(requested.replace('$', '')) * 100));
      const [, currency = '', amount = '', twice] =
        /^([$€])([\d.]+)( in two checkouts)?$/.exec(paid) ?? assert.fail(paid);
      const sum = { amount_total: Math.round(Number(amount) * 100), currency: currency === '$' ? 'usd' : 'eur' };
      await post(topUpEvent(topUp, undefined, sum));
      if (twice !== undefined) await post(topUpEvent(topUp, undefined, { ...sum, id: `cs_again_${topUp.id}` }));
      const credited = firstCents(before);
      assert.equal(credited === null, before === 'nothing is credited');
      const rows = credited === null ? [] : [credited];
      assert.deepEqual(await centsOf(operator), rows, paid);

      const { id } = await onlyCase(operator);
      const path = `/v1/admin/billing/differing-payments/${id}`;
      if (take.startsWith('409:')) {
        assertProblem(await platform().post(`${path}/take`, { reason }), 'INVALID_STATE');
        assertStatus(await postApproved<DecidedCase>(person, `${path}/dismiss`, { reason }), 200);
      } else {
        const taken = assertStatus(await postApproved<DecidedCase>(person, `${path}/take`, { reason }), 200);
        rows.push(firstCents(take) ?? assert.fail(take));
        const of = await database().then((pool) =>
          pool.oneFirst(sql.type(z.object({ id: z.string() }))`
            select id from top_ups where transaction_id = ${taken.transaction_id}`),
        );
        assert.equal(of === topUp.id, take.includes('on this top-up'), 'whose payment it is');
      }
      assert.deepEqual([await centsOf(operator), await casesOf(operator)], [rows, []], paid);
    }
  });
});
