import assert from 'node:assert/strict';
import { z } from 'zod';
import type { ListedTopUp } from '../../../../src/billing/payments/top-ups/schema.ts';
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

interface TopUpPage {
  top_ups: ListedTopUp[];
  next_cursor: string | null;
}

/** Pages of an operator that were begun and that nobody was given. @returns their ids, the oldest first */
const pagesOf = async (
  payer: TestOperator,
  { count, ago }: { count: number; ago: string },
): Promise<readonly string[]> =>
  (await database()).anyFirst(sql.type(z.object({ id: z.string() }))`
    insert into top_ups (id, operator_id, provider, amount_cents, seconds, return_to, created_at, expires_at)
    select 'top_' || new_ulid(), ${payer.operatorId}, 'local', 1000, 3600, 'http://carnet.test', clock_timestamp() - ${ago}::interval + nth * interval '1 millisecond',
      clock_timestamp() + interval '1 hour'
    from generate_series(1, ${count}) nth returning id`);

const unpaidOf = async (payer: TestOperator): Promise<string[]> =>
  assertStatus(
    await payer.get<{ top_ups: ListedTopUp[] }>('/v1/billing/topups?state=unpaid&limit=100'),
    200,
  ).top_ups.map(({ id }) => id);

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

  it('refuses no more than what is being opened in the same minute, also of many calls in parallel', async () => {
    const payer = await buildOperator();
    await pagesOf(payer, { count: 18, ago: '1 second' });
    const replies = await Promise.all(
      Array.from({ length: 6 }, () => payer.post(PATH, { amount_cents: 1_000 }, { 'idempotency-key': unique('key') })),
    );
    for (const reply of replies) {
      if (reply.status === 200) continue;
      assertProblem(reply, 'RATE_LIMITED');
      assert.equal(reply.headers.get('retry-after'), '60');
    }
    assert((await unpaidOf(payer)).length <= 20);
  });

  it('ends the oldest of twenty that nobody has paid, and first such as nobody was given', async () => {
    const payer = await buildOperator();
    const [given, oldest] = [await beginTopUp(payer), await pagesOf(payer, { count: 19, ago: '1 hour' })];
    const newest = await beginTopUp(payer);
    const unpaid = await unpaidOf(payer);
    assert.equal(unpaid.length, 20);
    assert.deepEqual(
      [given.id, newest.id, ...oldest].filter((id) => !unpaid.includes(id)),
      [oldest[0]],
    );
    assert.deepEqual(await audited(oldest[0] ?? ''), ['top_up.ended']);
  });

  it('leads to a page that can be paid however many were opened before, and the page that gave way is closed', async function () {
    this.timeout(300_000);
    const payer = await buildOperator();
    const first = await beginTopUp(payer);
    for (let page = 0; page < 20; page += 1) await beginTopUp(payer);
    assert.equal((await unpaidOf(payer)).length, 20);
    await eventually(
      'the first page to be closed at the provider',
      async () => {
        const { status } = await (
          await database()
        ).one(
          sql.type(z.object({ status: z.string() }))`select status from local_checkouts where reference = ${first.id}`,
        );
        return status === 'expired' && (await topUpRow(first.id)).status === 'expired';
      },
      { seconds: 240 },
    );
    const last = await beginTopUp(payer);
    await payLocally(last.checkoutUrl);
    await eventually('the credit', async () => (await balanceOf(payer)) === 1_000);
  });

  it('keeps the address of the checkout encrypted while it can be paid', async () => {
    const { id, checkoutUrl } = await beginTopUp(operator);
    const kept = (await topUpRow(id)).checkout_url ?? '';
    assert(kept !== '' && !kept.includes(checkoutUrl) && !kept.includes('http'));
  });
});

describe('GET /v1/billing/topups', function () {
  this.timeout(60_000);
  const LIST = '/v1/billing/topups';

  it('requires an administrator', async () => {
    assertProblem(await anonymous().get(LIST), 'UNAUTHENTICATED');
    assertProblem(await (await buildMemberKey(await buildOperator())).get(LIST), 'ADMIN_REQUIRED');
  });

  it('has each top-up with the address of its page, newest first, page by page', async () => {
    const payer = await buildOperator();
    const [first, second, third] = [await beginTopUp(payer), await beginTopUp(payer, 2_000), await beginTopUp(payer)];
    await payLocally(first.checkoutUrl);
    await eventually('the credit', async () => (await balanceOf(payer)) === 1_000);
    const page = assertStatus(await payer.get<TopUpPage>(`${LIST}?limit=2`), 200);
    assert.deepEqual(
      page.top_ups.map(({ id, amount_cents, status, checkout_url }) => [id, amount_cents, status, checkout_url]),
      [
        [third.id, 1_000, 'open', third.checkoutUrl],
        [second.id, 2_000, 'open', second.checkoutUrl],
      ],
    );
    const rest = assertStatus(await payer.get<TopUpPage>(`${LIST}?limit=2&cursor=${page.next_cursor}`), 200);
    const { transaction_id } = await topUpRow(first.id);
    assert.deepEqual(
      rest.top_ups.map((row) => [row.id, row.status, row.checkout_url, row.transaction_id]),
      [[first.id, 'paid', null, transaction_id]],
    );
    assert.deepEqual(await unpaidOf(payer), [third.id, second.id]);
    assert.deepEqual(await unpaidOf(await buildOperator()), []);
  });
});

describe('DELETE /v1/billing/topups/:id', function () {
  this.timeout(60_000);
  const pathOf = (id: string): string => `/v1/billing/topups/${id}`;

  it('requires an administrator', async () => {
    const owner = await buildOperator();
    const { id } = await beginTopUp(owner);
    assertProblem(await anonymous().delete(pathOf(id)), 'UNAUTHENTICATED');
    assertProblem(await (await buildMemberKey(owner)).delete(pathOf(id)), 'ADMIN_REQUIRED');
  });

  it('ends a page that nobody has paid, here and at the provider', async () => {
    const payer = await buildOperator();
    const topUp = await beginTopUp(payer);
    const ended = assertStatus(await payer.delete<ListedTopUp>(pathOf(topUp.id)), 200);
    assert.deepEqual([ended.id, ended.status, ended.checkout_url], [topUp.id, 'expired', null]);
    assert.deepEqual(assertStatus(await payer.delete<ListedTopUp>(pathOf(topUp.id)), 200), ended);
    await eventually('the page to be closed', async () => (await topUpRow(topUp.id)).status === 'expired');
    await payLocally(topUp.checkoutUrl);
    assert.equal(await balanceOf(payer), 0);
    assert.deepEqual(await audited(topUp.id), ['top_up.begun', 'top_up.ended', 'top_up.expired']);
  });

  it('is 409 for one that was paid, and 404 for one of somebody else', async () => {
    const payer = await buildOperator();
    const { id, checkoutUrl } = await beginTopUp(payer);
    await payLocally(checkoutUrl);
    await eventually('the credit', async () => (await balanceOf(payer)) === 1_000);
    const reply = await payer.delete(pathOf(id));
    assertProblem(reply, 'INVALID_STATE');
    assert.equal(reply.body.current_status, 'paid');
    assertProblem(await (await buildOperator()).delete(pathOf(id)), 'NOT_FOUND');
  });
});
