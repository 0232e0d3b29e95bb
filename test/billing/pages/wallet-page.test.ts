import assert from 'node:assert/strict';
import { eventually } from '../../support/eventually.ts';
import { buildOperator, credit, unique, type TestOperator } from '../../support/factories.ts';
import { buildPerson, signIn } from '../../support/people.ts';
import { database } from '../../support/service.ts';
import { browserOf, type WebBrowser, type WebPage } from '../../support/web-browser.ts';
import { sealedCall } from '../statement/statements.ts';

const WALLET = '/dashboard/wallet';
const hostile = `"><script>alert(1)</script>`;

const ownerOf = async ({ email }: TestOperator): Promise<WebBrowser> => browserOf(await signIn(email));

/** Opens the wallet until it says so: a payment arrives by a webhook. */
const untilWallet = (browser: WebBrowser, words: string): Promise<WebPage> =>
  eventually(words, async () => {
    const page = await browser.open(WALLET);
    return page.text.includes(words) && page;
  });

/** From a page that leads to the payment provider to its page. */
async function toProvider(browser: WebBrowser, page: WebPage, link = 'Open the payment page'): Promise<WebPage> {
  const { href } = page.links().find(({ text }) => text === link) ?? {};
  assert(href !== undefined, `no link “${link}” in ${page.text}`);
  return await browser.open(href);
}

describe('GET /dashboard/wallet', function () {
  this.timeout(120_000);

  it('leads from a top-up over the page of the payment provider back to the wallet, which has the money', async () => {
    const browser = await ownerOf(await buildOperator());
    const wallet = await browser.open(WALLET);
    assert.match(wallet.text, /Available to spend \$0\.00/);
    const begun = await wallet.press('Top up', { fields: { amount: '25.50' } });
    assert.equal(begun.title, 'Top up the wallet');
    assert.match((await browser.open(WALLET)).text, /Waiting to be paid \$25\.50/);
    const checkout = await toProvider(browser, begun);
    assert.match(checkout.text, /\$25\.50/);
    const paid = await checkout.press('Pay $25.50');
    assert.equal(paid.title, 'Paid');
    assert.equal((await paid.follow('Back to the wallet')).title, 'Wallet');
    const filled = await untilWallet(browser, 'Available to spend $25.50');
    assert.doesNotMatch(filled.text, /Waiting to be paid/);
    assert.match((await filled.follow('Transactions')).text, /Top-up/);
  });

  it('opens the page of a top-up again, and ends it', async () => {
    const browser = await ownerOf(await buildOperator());
    const begun = await (await browser.open(WALLET)).press('Top up', { fields: { amount: '10' } });
    const wallet = await browser.open(WALLET);
    assert.equal((await toProvider(browser, wallet, 'Open again')).title, 'Checkout');
    const ended = await wallet.press('End it');
    assert.deepEqual(
      [ended.notices[0], ended.text.includes('Waiting to be paid')],
      ['The top-up is ended. What somebody has paid by now is credited.', false],
    );
    assert.match((await browser.open(`${WALLET}?list=top-ups`)).text, /\$10\.00expired/);
    assert.equal(begun.status, 200);
  });

  for (const [amount, fault] of [
    ['5', /1000/],
    ['a lot', /is written in dollars, as 25 or 25\.50/],
    [hostile.slice(0, 12), /is written in dollars/],
  ] as const) {
    it(`keeps ${amount} in a form that was refused, and says why`, async () => {
      const browser = await ownerOf(await buildOperator());
      const refused = await (await browser.open(WALLET)).press('Top up', { fields: { amount } });
      assert.deepEqual([refused.status, refused.title], [400, 'Wallet']);
      assert.match(refused.notices.join(' '), fault);
      assert.equal(refused.formOf('Top up').values.get('amount'), amount);
      assert(!refused.html.includes('<script>'), 'escaped');
    });
  }

  it('subscribes, opens the change again, changes seats and tier, cancels and takes that back', async () => {
    const browser = await ownerOf(await buildOperator());
    const begun = await (await browser.open(WALLET)).press('Subscribe', { fields: { tier: 'developer' } });
    assert.equal(begun.title, 'Change to developer');
    const waiting = await browser.open(WALLET);
    assert.match(waiting.text, /The change to developer waits to be paid/);
    const checkout = await toProvider(browser, await waiting.press('Open the payment page'));
    await checkout.press('Pay $');
    const bought = await untilWallet(browser, 'Stateactive');
    assert.match(bought.text, /Tierdeveloper/);
    const seats = await bought.press('Set the seats', { fields: { purchased_seats: '1' } });
    assert.match(seats.text, /The seats are set.*Seats bought1/);
    const tooMany = await seats.press('Set the seats', { fields: { purchased_seats: '77' } });
    assert.equal(tooMany.formOf('Set the seats').values.get('purchased_seats'), '77');
    assert.match(tooMany.notices.join(' '), /seats/i);
    const larger = await seats.press('Change the tier', { fields: { tier: 'pro' } });
    assert.equal(larger.title, 'Change to pro');
    assert.match((await (await browser.open(WALLET)).press('Give the change up')).text, /The change is given up/);
    const canceled = await (await browser.open(WALLET)).press('Cancel the subscription');
    assert.match(canceled.text, /The subscription ends with its period/);
    assert.match((await canceled.press('Keep developer')).text, /Stateactive/);
    const portal = await (await browser.open(WALLET)).press('Invoices and payment methods');
    assert.match((await toProvider(browser, portal, 'Open the page')).text, /developer/);
  });

  it('explains what meters have begun, in microcents', async () => {
    const operator = await buildOperator({ cents: 100 });
    await sealedCall(await database(), operator.operatorId, { costMicrocents: 400_000 });
    const page = await (await ownerOf(operator)).open(WALLET);
    assert.match(page.text, /Available to spend \$0\.99/);
    assert.match(page.text, /sealed execution 460000 microcents \(0\.46 ¢\)/);
  });

  it('lists each part of the wallet on a page of its own, with how it comes about where there is none', async () => {
    const browser = await ownerOf(await buildOperator());
    for (const [list, title] of [
      ['holds', 'Held'],
      ['receivables', 'Owed'],
      ['refunds', 'Refunds'],
      ['disputes', 'Disputes'],
      ['differing', 'Payments that differ'],
      ['top-ups', 'Top-ups'],
    ]) {
      const page = await browser.open(`${WALLET}?list=${list}`);
      assert.deepEqual([page.status, page.title], [200, title]);
      assert.doesNotMatch(page.text, /undefined|NaN/);
    }
  });

  it('has no button for a member, who reads all but the top-ups', async () => {
    const operator = await buildOperator({ name: unique('company') });
    await credit(operator.operatorId, 1_234);
    const browser = browserOf(await buildPerson(operator, 'member'));
    const page = await browser.open(WALLET);
    assert.deepEqual(page.buttons(), ['Sign out']);
    assert.match(page.text, /Available to spend \$12\.34.*Owners and administrators change it/);
    assert(!page.links().some(({ href }) => href.includes('list=top-ups')));
    assert.equal((await browser.open(`${WALLET}?list=top-ups`)).status, 403);
    const owner = await (await ownerOf(operator)).open(WALLET);
    const { values } = owner.formOf('Top up', { fields: { amount: '10' } });
    const refused = await browser.send(WALLET, values);
    assert.deepEqual([refused.status, refused.buttons()], [403, ['Sign out']]);
  });
});
