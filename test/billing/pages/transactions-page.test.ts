import assert from 'node:assert/strict';
import { sql } from '../../../src/database/pool.ts';
import { newId } from '../../../src/ids/ids.ts';
import { eventually } from '../../support/eventually.ts';
import { buildInvocation, buildOperator, buildSkill, type TestOperator } from '../../support/factories.ts';
import { buildPerson, signIn } from '../../support/people.ts';
import { assertStatus, database, type Requester } from '../../support/service.ts';
import { browserOf, type WebBrowser } from '../../support/web-browser.ts';
import { buildTopUp, endedRefund } from '../payments/support.ts';
import { run, sealedCall, statementOf } from '../statement/statements.ts';

const TRANSACTIONS = '/dashboard/transactions';
const hostile = `Ada "><script>alert(1)</script>`;

const ownerOf = async ({ email }: TestOperator): Promise<WebBrowser> => browserOf(await signIn(email));

/** The id of the newest row of this type. */
async function newestOf(operator: Requester, type: string): Promise<string> {
  const [row] = (await statementOf(operator, { type })).transactions;
  assert(row !== undefined, `a row of type ${type}`);
  return row.id;
}

/** The platform puts money into the wallet, with these words. */
async function adjusted({ operatorId }: TestOperator, { cents, text }: { cents: number; text: string }): Promise<void> {
  const id = newId('txn');
  const db = await database();
  await db.query(sql.unsafe`
    select credit_wallet(${id}, ${operatorId}, ${cents}, 'platform:adjustments', 'adjustment', ${id}, ${text})`);
}

/** Invocations of one skill that were paid. @returns the id of the last */
async function paidInvocation(consumer: TestOperator, count = 1): Promise<string> {
  const provider = await buildOperator();
  const skill = await buildSkill(provider, { price_per_invocation: 30 });
  let id = '';
  for (let nth = 0; nth < count; nth += 1) {
    ({ id } = await buildInvocation(consumer, skill.id));
    assertStatus(await provider.post(`/v1/skills/invocations/${id}/claim`), 200);
    assertStatus(await provider.post(`/v1/skills/invocations/${id}/complete`, { output: { text: 'hello' } }), 200);
  }
  return id;
}

describe('GET /dashboard/transactions', function () {
  this.timeout(120_000);

  it('shows the statement with its reasons, filters, charts and CSV', async () => {
    const operator = await buildOperator();
    await adjusted(operator, { cents: 500, text: hostile });
    const invocationId = await paidInvocation(operator);
    const browser = await ownerOf(operator);
    const page = await browser.open(TRANSACTIONS);
    assert.match(page.text, /2 rows under these filters/);
    assert.match(page.text, /Out of the wallet by day.*Invocation\$0\.30/);
    assert(page.links().some(({ href }) => href === `/dashboard/invocations/${invocationId}`));
    assert(page.text.includes(hostile) && !page.html.includes('<script>alert'), 'escaped');
    const credits = await browser.open(`${TRANSACTIONS}?direction=in&since=2020-01-01`);
    assert.match(credits.text, /One row under these filters/);
    assert(!credits.text.includes('-$0.30'));
    const faulty = await browser.open(`${TRANSACTIONS}?since=yesterday`);
    assert.equal(faulty.status, 400);
    const csv = await browser.open(`${TRANSACTIONS}?csv=transactions`);
    assert.match(csv.headers.get('content-type') ?? '', /^text\/csv/);
    assert.match(csv.html, /^"When","Type","For","Amount","Balance after","Id",/);
    assert(csv.html.includes(`"${invocationId}"`) && csv.html.includes(',-30,470,'));
  });

  it('shows on its other tab the model calls that no debit has taken yet', async () => {
    const operator = await buildOperator({ cents: 100 });
    const id = await sealedCall(await database(), operator.operatorId, { costMicrocents: 400_000 });
    const browser = await ownerOf(operator);
    const timeline = await (await browser.open(TRANSACTIONS)).follow('With model calls');
    assert.match(timeline.text, new RegExp(`${id}sealed_step, openai gpt-5-mini1200charged0\\.46 ¢`));
    const calls = await browser.open(`${TRANSACTIONS}?view=timeline&entry_kind=llm`);
    assert(!calls.text.includes('$1.00'));
  });

  it('sends 20 KB at most where a page is full', async () => {
    const operator = await buildOperator({ cents: 1_000 });
    await paidInvocation(operator, 17);
    const page = await (await ownerOf(operator)).open(TRANSACTIONS);
    assert.equal(page.html.match(/>Invocation<\/a> <span class="badge good">completed/g)?.length, 15);
    assert(page.links().some(({ text }) => text === 'Older'));
    const bytes = Number(page.headers.get('content-length'));
    // The figure of each of thirty days is there; the bars of the others are not.
    const [bar = ''] = /<path d="M.*?<\/path>/.exec(page.html) ?? [];
    assert(bar !== '' && bytes + 29 * bar.length <= 20_000, `${bytes} bytes, with bars of ${bar.length}`);
  });

  it('says how the first row comes about', async () => {
    const page = await (await ownerOf(await buildOperator())).open(TRANSACTIONS);
    assert.match(page.text, /Nothing went out in the last 30 days.*Top up the wallet, and the first row is here/);
  });
});

describe('GET /dashboard/transactions/:id', function () {
  this.timeout(120_000);

  it('shows where each cent of a debit came from, page by page', async () => {
    const operator = await buildOperator({ cents: 100 });
    const db = await database();
    await run(db, operator.operatorId, { costMicrocents: 300_000, sealedStepIndex: 0 });
    await sealedCall(db, operator.operatorId, { costMicrocents: 869_565, sealedStepIndex: 1 });
    const browser = await ownerOf(operator);
    const path = `${TRANSACTIONS}/${await newestOf(operator, 'compute')}`;
    const page = await browser.open(path);
    assert.equal(page.title, 'Computing');
    assert.match(
      page.text,
      /script, 250 ms of processor time, step 1.*0\.345 ¢.*openai gpt-5-mini, 1200 tokens, step 2/,
    );
    assert.match(page.text, /The shares add up to the whole debit/);
    assert.match((await browser.open(`${path}?csv=sources`)).html, /,345000,345000\r\n/);
    assert.match((await browser.open(TRANSACTIONS)).text, /2 sources/);
  });

  it('links the invocation that a row was for', async () => {
    const operator = await buildOperator({ cents: 100 });
    const invocationId = await paidInvocation(operator);
    const page = await (await ownerOf(operator)).open(`${TRANSACTIONS}/${await newestOf(operator, 'invocation')}`);
    assert(page.links().some(({ href }) => href === `/dashboard/invocations/${invocationId}`));
    assert.deepEqual(page.buttons(), ['Sign out']);
  });

  it('refunds a top-up behind a box that is to be ticked, and shows the refund', async () => {
    const operator = await buildOperator();
    const { transactionId } = await buildTopUp(operator, 2_000);
    const browser = await ownerOf(operator);
    const page = await browser.open(`${TRANSACTIONS}/${transactionId}`);
    assert.throws(() => page.formOf('Refund $20.00'), /sure is to be filled in/);
    const refunded = await page.press('Refund $20.00', { fields: { sure: 'true' } });
    assert.equal(refunded.notices[0], 'The refund is requested; the card says how far it is.');
    assert(!refunded.buttons().some((button) => button.startsWith('Refund')));
    const [, refundId = ''] = /(rfd_\w+)/.exec(refunded.text) ?? [];
    assert.equal((await endedRefund(operator, refundId)).status, 'succeeded');
    const row = await eventually('the row of the refund', async () => {
      const shown = await browser.open(`${TRANSACTIONS}?type=refund`);
      return shown.text.includes(refundId) && shown;
    });
    assert(
      row.links().some(({ href }) => href === `${TRANSACTIONS}/${transactionId}`),
      'it names its top-up',
    );
  });

  it('refuses to refund what was spent, in words', async () => {
    const operator = await buildOperator();
    const { transactionId } = await buildTopUp(operator, 1_000);
    await paidInvocation(operator);
    const page = await (await ownerOf(operator)).open(`${TRANSACTIONS}/${transactionId}`);
    const refused = await page.press('Refund $10.00', { fields: { sure: 'true' } });
    assert.equal(refused.status, 400);
    assert.match(refused.notices.join(' '), /refunded as a whole/);
  });

  it('has no button for a member', async () => {
    const operator = await buildOperator();
    const { transactionId } = await buildTopUp(operator, 1_000);
    const page = await browserOf(await buildPerson(operator, 'member')).open(`${TRANSACTIONS}/${transactionId}`);
    assert.deepEqual(page.buttons(), ['Sign out']);
    assert.match(page.text, /Owners and administrators refund it/);
  });

  it('is 404 for a row of somebody else, and for what is none', async () => {
    const other = await buildOperator({ cents: 100 });
    const browser = await ownerOf(await buildOperator());
    for (const id of [await newestOf(other, 'adjustment'), 'txn_none', '%22%3E%3Cb%3E'])
      assert.equal((await browser.open(`${TRANSACTIONS}/${id}`)).status, 404);
  });
});

describe('GET /dashboard/earnings', function () {
  this.timeout(120_000);

  it('shows what was earned, explains young money, and leads to the invocations that paid', async () => {
    const provider = await buildOperator();
    const consumer = await buildOperator();
    await buildTopUp(consumer, 1_000);
    const skill = await buildSkill(provider, { price_per_invocation: 40 });
    const { id } = await buildInvocation(consumer, skill.id);
    assertStatus(await provider.post(`/v1/skills/invocations/${id}/claim`), 200);
    assertStatus(await provider.post(`/v1/skills/invocations/${id}/complete`, { output: { text: 'hello' } }), 200);
    const page = await (await ownerOf(provider)).open('/dashboard/earnings');
    assert.match(page.text, /To be paid out \$0\.40.*\$0\.40 is young money.*No month has been stated yet/);
    assert.match((await page.follow('a completed invocation of your skills')).text, new RegExp(id));
  });

  it('lists the statements of months', async () => {
    const operator = await buildOperator();
    await (
      await database()
    ).query(sql.unsafe`
      insert into payouts (id, operator_id, month, gross_cents, commission_cents, status)
      values (${`pyt_${operator.operatorId.slice(3)}`}, ${operator.operatorId}, '2026-01', 12345, 1234, 'rolled_over')`);
    const page = await browserOf(await buildPerson(operator, 'member')).open('/dashboard/earnings');
    assert.match(page.text, /2026-01\$123\.45\$12\.34\$111\.11rolled over/);
  });
});
