import assert from 'node:assert/strict';
import { z } from 'zod';
import { assertLedger } from '../../../../src/billing/index.ts';
import { sql } from '../../../../src/database/pool.ts';
import { eventually } from '../../../support/eventually.ts';
import {
  buildAgent,
  buildAgentKey,
  buildMemberKey,
  buildOperator,
  unique,
  type TestOperator,
} from '../../../support/factories.ts';
import { expireLocally, failLocally, payLocally } from '../../../support/local-payments.ts';
import { anonymous, assertProblem, assertStatus, database } from '../../../support/service.ts';
import { audited, balanceOf, beginTopUp, movements, topUpRow } from '../support.ts';

const PATH = '/v1/billing/topup';

describe('POST /v1/billing/topup', () => {
  let operator: TestOperator;
  before(async () => {
    operator = await buildOperator();
  });
  after(async () => assertLedger(await database()));

  it('requires an administrator', async () => {
    const body = { amount_cents: 1_000 };
    assertProblem(await anonymous().post(PATH, body), 'UNAUTHENTICATED');
    assertProblem(await (await buildMemberKey(operator)).post(PATH, body), 'ADMIN_REQUIRED');
    const agentKey = await buildAgentKey(operator, (await buildAgent(operator)).id);
    assertProblem(await agentKey.post(PATH, body), 'AGENT_CREDENTIAL_FORBIDDEN');
  });

  for (const [amount, why] of [
    [999, 'below $10'],
    [1_000_001, 'above $10,000'],
    [0, 'nothing'],
    [-1_000, 'negative'],
    [1_000.5, 'a fraction of a cent'],
    ['1000', 'a text'],
    [null, 'null'],
  ] as const) {
    it(`refuses ${why}`, async () => {
      assertProblem(await operator.post(PATH, { amount_cents: amount }), 'VALIDATION_ERROR', 'amount_cents');
    });
  }

  it('refuses a body without an amount, or with other members', async () => {
    assertProblem(await operator.post(PATH), 'VALIDATION_ERROR', 'amount_cents');
    assertProblem(await operator.post(PATH, { amount_cents: 1_000, currency: 'eur' }), 'VALIDATION_ERROR', 'currency');
  });

  for (const amount of [1_000, 1_000_000]) {
    it(`credits ${amount} cents when they are paid on the page, and not before`, async () => {
      const payer = await buildOperator();
      const topUp = await beginTopUp(payer, amount);
      assert.equal(await balanceOf(payer), 0);
      await payLocally(topUp.checkoutUrl);
      await eventually('the credit', async () => (await balanceOf(payer)) === amount);
      assert.deepEqual(await movements(payer.operatorId), [{ kind: 'topup', cents: amount }]);
      assert.deepEqual(await audited(topUp.id), ['top_up.begun', 'top_up.paid']);
    });
  }

  it('fetches the receipt once it is paid, and keeps its address encrypted', async function () {
    this.timeout(150_000);
    const topUp = await beginTopUp(operator);
    await payLocally(topUp.checkoutUrl);
    const row = await eventually(
      'the receipt',
      async () => {
        const found = await topUpRow(topUp.id);
        return found.receipt_sought && found;
      },
      { seconds: 120 },
    );
    assert(row.receipt_url !== null && !row.receipt_url.includes('http'));
    assert.equal(row.checkout_url, null);
  });

  for (const [how, settle, status] of [
    ['fails', failLocally, 'failed'],
    ['is left to expire', expireLocally, 'expired'],
  ] as const) {
    it(`credits nothing when the payment ${how}`, async () => {
      const payer = await buildOperator();
      const topUp = await beginTopUp(payer);
      await settle(topUp.checkoutUrl);
      const row = await eventually('the end', async () => {
        const found = await topUpRow(topUp.id);
        return found.status !== 'open' && found;
      });
      assert.deepEqual([row.status, row.checkout_url, row.transaction_id], [status, null, null]);
      assert.equal(await balanceOf(payer), 0);
    });
  }

  it('is the same session for the same Idempotency-Key, and another without one', async () => {
    const key = unique('key');
    const headers = { 'idempotency-key': key };
    const first = await beginTopUp(operator, 2_000, key);
    const again = await operator.post(PATH, { amount_cents: 2_000 }, headers);
    assert.deepEqual(assertStatus(again, 200), { checkout_url: first.checkoutUrl, session_id: first.sessionId });
    assert.equal(again.headers.get('idempotency-replayed'), 'true');
    assertProblem(await operator.post(PATH, { amount_cents: 2_001 }, headers), 'IDEMPOTENCY_KEY_REUSED');
    assert.notEqual((await beginTopUp(operator, 2_000)).sessionId, first.sessionId);
  });

  it('opens no more than twenty that wait to be paid, also of many calls in parallel', async () => {
    const payer = await buildOperator();
    const pool = await database();
    await pool.query(sql.type(z.object({}))`
      insert into top_ups (id, operator_id, provider, amount_cents, seconds, return_to, expires_at)
      select 'top_' || new_ulid(), ${payer.operatorId}, 'local', 1000, 3600, 'http://carnet.test', clock_timestamp() + interval '1 hour'
      from generate_series(1, 18)`);
    const replies = await Promise.all(
      Array.from({ length: 6 }, () => payer.post(PATH, { amount_cents: 1_000 }, { 'idempotency-key': unique('key') })),
    );
    const refused = replies.filter(({ status }) => status === 429);
    assert.equal(refused.length, 4);
    for (const reply of refused) {
      assertProblem(reply, 'RATE_LIMITED');
      const seconds = Number(reply.headers.get('retry-after'));
      assert(seconds > 3_500 && seconds <= 3_600, `${seconds}`);
    }
    await pool.query(sql.type(z.object({}))`
      update top_ups set status = 'expired' where operator_id = ${payer.operatorId} and status = 'opening'`);
    await beginTopUp(payer);
  });

  it('keeps the address of the checkout encrypted while it can be paid', async () => {
    const { id, checkoutUrl } = await beginTopUp(operator);
    const kept = (await topUpRow(id)).checkout_url ?? '';
    assert(kept !== '' && !kept.includes(checkoutUrl) && !kept.includes('http'));
  });
});
