import assert from 'node:assert/strict';
import { z } from 'zod';
import { sql } from '../../../src/database/pool.ts';
import { newId, type InvocationId } from '../../../src/ids/ids.ts';
import { eventually } from '../../support/eventually.ts';
import { buildInvocation, buildOperator, buildSkill, type TestOperator } from '../../support/factories.ts';
import { assertStatus, database } from '../../support/service.ts';
import { buildTopUp } from '../payments/support.ts';
import { address, call, run, sealedCall, statementOf, timelineOf } from './statements.ts';

const Payment = z.object({ session_id: z.string(), payment_id: z.string() });

/**
 * An operator with a row of every kind: a top-up with a receipt, a paid price and a held one, usage with its sources.
 */
async function everything(): Promise<{ consumer: TestOperator; publisher: TestOperator }> {
  const [consumer, publisher] = [await buildOperator(), await buildOperator()];
  await buildTopUp(consumer, 5_000);
  await eventually('the top-up to have its receipt', async () =>
    (await statementOf(consumer)).transactions.some(({ receipt_url }) => receipt_url !== null),
  );
  const skill = await buildSkill(publisher, { price_per_invocation: 20 });
  const paid = await buildInvocation(consumer, skill.id, { input: { text: 'the-input' } });
  assertStatus(await publisher.post(`/v1/skills/invocations/${paid.id}/claim`), 200);
  assertStatus(
    await publisher.post(`/v1/skills/invocations/${paid.id}/complete`, { output: { text: 'the-output' } }),
    200,
  );
  await buildInvocation(consumer, skill.id, { input: { text: 'the-input' } });
  const db = await database();
  const invocationId = paid.id as InvocationId;
  await sealedCall(db, consumer.operatorId, { costMicrocents: 2_000_000, invocationId, sealedStepIndex: 0 });
  await run(db, consumer.operatorId, { costMicrocents: 2_000_000, invocationId, sealedStepIndex: 0 });
  await call(db, consumer.operatorId, { price: { state: 'included', costMicrocents: 7 } });
  await db.query(
    sql.type(
      z.object({}),
    )`select charge_usage(${newId('idc')}, ${consumer.operatorId}, 'identity', 1_500_000, 'Identity verification')`,
  );
  return { consumer, publisher };
}

describe('the contents of a statement', () => {
  let consumer: TestOperator;
  let publisher: TestOperator;
  before(async () => {
    ({ consumer, publisher } = await everything());
  });

  it('has a receipt on each top-up that has one, decrypted', async () => {
    const { transactions } = await statementOf(consumer);
    const receipts = transactions.filter(({ receipt_url }) => receipt_url !== null);
    assert.deepEqual(
      receipts.map(({ type, amount_cents }) => [type, amount_cents]),
      [['topup', 5_000]],
    );
    assert.equal((await fetch(receipts[0]?.receipt_url ?? '')).status, 200);
  });

  it('explains the cents of sealed execution by call and run', async () => {
    const { transactions } = await statementOf(consumer, { type: 'compute' });
    const sources = transactions.flatMap(({ details }) => [...details.llm_sources, ...details.machine_sources]);
    const sum = sources.reduce((before, { allocated_microcents }) => before + allocated_microcents, 0);
    assert.equal(
      sum,
      transactions.reduce((before, { amount_cents }) => before - amount_cents * 1_000_000, 0),
    );
    assert.deepEqual(new Set(transactions.map(({ details }) => details.source_status)), new Set(['recorded']));
  });

  it('is shown without a receipt that no key can decrypt any more', async () => {
    const db = await database();
    const sealed = await db.oneFirst(
      sql.type(
        z.object({ receipt_url: z.string() }),
      )`select receipt_url from top_ups where operator_id = ${consumer.operatorId}`,
    );
    const keep = (receipt: string) =>
      db.query(
        sql.type(z.object({}))`update top_ups set receipt_url = ${receipt} where operator_id = ${consumer.operatorId}`,
      );
    await keep(sealed.slice(0, -8));
    const { transactions } = await statementOf(consumer, { type: 'topup' });
    await keep(sealed);
    assert.deepEqual(
      transactions.map(({ amount_cents, receipt_url }) => [amount_cents, receipt_url]),
      [[5_000, null]],
    );
  });

  it('never has operator ids, holds, payments, accounts, inputs or outputs in it, in any form', async () => {
    const db = await database();
    const payment = await db.one(
      sql.type(Payment)`select session_id, payment_id from top_ups where operator_id = ${consumer.operatorId}`,
    );
    const ids = [consumer.operatorId, publisher.operatorId, consumer.key ?? '', payment.session_id, payment.payment_id];
    const words = [
      'op_',
      'hld_',
      'idc_',
      'key_',
      'wallet:',
      'earnings:',
      'platform:',
      'the-input',
      'the-output',
      'operator',
      'cause',
      'hold',
      'payment',
      'prompt"',
      'response',
      'credential',
      'audit',
      'cost_microcents"',
      'begins',
    ];
    const { receipt_url: receipt } = (await statementOf(consumer, { type: 'topup' })).transactions[0] ?? {};
    assert.equal((await statementOf(consumer)).transactions.length >= 5, true);
    assert.equal(
      (await timelineOf(consumer)).rows.some(({ kind }) => kind === 'llm_call'),
      true,
    );
    for (const [query, headers] of [
      [{}, {}],
      [{ view: 'timeline' }, {}],
      [{}, { accept: 'text/csv' }],
    ] as const) {
      const reply = await consumer.get(address(query), headers);
      assertStatus(reply, 200);
      for (const id of ids) assert(!reply.text.includes(id), `${id} is in ${reply.text}`);
      // `machine_cost_microcents` is a cost that the published shape names, and receipt_url is an address of the
      // provider.
      const shown = reply.text.replaceAll(String(receipt), '').replaceAll('machine_cost_microcents"', '');
      const text = shown.replaceAll('top_', ''); // ids of top-ups, which end as those of operators begin
      for (const word of words) assert(!text.includes(word), `${word} is in ${text}`);
    }
  });
});
