import assert from 'node:assert/strict';
import { DaysSchema } from '../../../src/billing/statement/schema.ts';
import { WalletTransactionSchema } from '../../../src/billing/wallet/schema.ts';
import { eventually } from '../../support/eventually.ts';
import { buildMemberKey, buildOperator } from '../../support/factories.ts';
import { anonymous, assertProblem, assertStatus, database } from '../../support/service.ts';
import { buildTopUp } from '../payments/support.ts';
import { PATH, sealedCall, statementOf } from './statements.ts';

const DAYS = '/v1/billing/days';

describe('GET /v1/billing/days', () => {
  it('requires authentication', async () => {
    assertProblem(await anonymous().get(DAYS), 'UNAUTHENTICATED');
  });

  it('sums what came in and went out by day and type, from the beginning of the first day', async () => {
    const operator = await buildOperator({ cents: 500 });
    const empty = DaysSchema.parse(assertStatus(await (await buildOperator()).get(DAYS), 200));
    assert.deepEqual([empty.complete, empty.sums], [true, []]);
    for (const _ of [1, 2]) await sealedCall(await database(), operator.operatorId, { costMicrocents: 869_565 });
    const { since, complete, sums } = DaysSchema.parse(assertStatus(await operator.get(DAYS), 200));
    assert.match(since, /T00:00:00\.000Z$/);
    assert.equal(complete, true);
    const total = (type: string) =>
      sums.filter((sum) => sum.type === type).reduce((all, { in_cents, out_cents }) => all + in_cents - out_cents, 0);
    assert.deepEqual([total('adjustment'), total('compute'), sums.length >= 2], [500, -2, true]);
    for (const { day } of sums) assert(Date.parse(day) >= Date.parse(since) && Date.parse(day) <= Date.now());
  });
});

describe('GET /v1/billing/transactions/:id', () => {
  it('requires authentication', async () => {
    assertProblem(await anonymous().get(`${PATH}/txn_none`), 'UNAUTHENTICATED');
  });

  it('is the row as the statement has it, with its sources and its receipt', async () => {
    const operator = await buildOperator();
    await buildTopUp(operator, 1_000);
    await sealedCall(await database(), operator.operatorId, { costMicrocents: 869_565 });
    const member = await buildMemberKey(operator);
    // The receipt is fetched after the payment.
    const transactions = await eventually('the receipt', async () => {
      const all = (await statementOf(member)).transactions;
      return all.some(({ receipt_url: receipt }) => receipt !== null) && all;
    });
    assert.deepEqual(
      transactions.map(({ type, details, receipt_url: receipt }) => [
        type,
        details.llm_sources.length,
        receipt !== null,
      ]),
      [
        ['compute', 1, false],
        ['topup', 0, true],
      ],
    );
    for (const row of transactions) {
      const one = assertStatus(await operator.get(`${PATH}/${row.id}`), 200);
      assert.deepEqual(WalletTransactionSchema.parse(one), row);
    }
  });

  it('is 404 for a row of somebody else', async () => {
    const [row] = (await statementOf(await buildOperator({ cents: 5 }))).transactions;
    for (const id of [row?.id, 'txn_none'])
      assertProblem(await (await buildOperator()).get(`${PATH}/${id}`), 'NOT_FOUND');
  });
});
