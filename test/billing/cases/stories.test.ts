import assert from 'node:assert/strict';
import { z } from 'zod';
import { assertLedger } from '../../../src/billing/index.ts';
import type { DecidedCase } from '../../../src/billing/cases/schema.ts';
import { sql } from '../../../src/database/pool.ts';
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

    /** The events that each row of the second table has happen after the decision. */
    const lists: Record<string, ((settled: Settled) => Promise<void>) | null> = {
      'the refund, paid': ({ report }) => report('succeeded'),
      'the refund, sent back by the bank': ({ report }) => report('failed'),
      'no such refund': null,
      'the refund, failed': ({ report }) => report('failed'),
    };

    it('and the provider’s list has the last word', async () => {
      const [, table = []] = await tablesBelow('A refund hangs');
      assert.deepEqual(new Set(table.map(([, list]) => list)), new Set(Object.keys(lists)));
      for (const [settledAs = '', list = '', wallet = ''] of table) {
        const outcome = outcomeIn(settledAs);
        const happen = lists[list] ?? null;
        const settled = await settledRefund(person, outcome, {
          cents: CENTS,
          ...(happen === null && { isThere: false }),
        });
        await happen?.(settled);
        const before = outcome === 'succeeded' ? [CENTS, -CENTS] : [CENTS];
        const says = firstCents(wallet);
        const moved = says === null ? [] : [wallet.includes('are taken back') ? -says : says];
        assert.deepEqual(await centsOf(settled.operator), [...before, ...moved], `${settledAs}: ${list}`);
        const waiting = (await casesOf(settled.operator)).flatMap(({ alarm }) => alarm ?? []);
        const alarm = /`(\w+)` waits for a person/.exec(wallet)?.[1];
        assert.deepEqual(waiting, alarm === undefined ? [] : [alarm]);
      }
    });

    it('and it has failed where the money had been taken back', async () => {
      const { operator, report } = await settledRefund(person, 'failed', { cents: CENTS });
      await report('succeeded');
      assert.deepEqual(await centsOf(operator), [CENTS, -CENTS]);
      await report('failed');
      assert.deepEqual([await centsOf(operator), await casesOf(operator)], [[CENTS, -CENTS, CENTS], []]);
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
        assertStatus(await postApproved<DecidedCase>(person, `${path}/dismiss`, { body: { reason } }), 200);
      } else {
        const taken = assertStatus(await postApproved<DecidedCase>(person, `${path}/take`, { body: { reason } }), 200);
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
