import assert from 'node:assert/strict';
import { z } from 'zod';
import { readPaymentWebhook } from '../../../../src/billing/webhook/verify.ts';
import { sql } from '../../../../src/database/pool.ts';
import { newId, type OperatorId } from '../../../../src/ids/ids.ts';
import { eventually } from '../../../support/eventually.ts';
import {
  openLocalPage,
  payLocally,
  postOutcome,
  settleLocally,
  type LocalReply,
} from '../../../support/local-payments.ts';
import { stripeEnvironment } from '../../../support/stripe-proxy.ts';
import { openShell } from '../../../http/support/shell.ts';
import { meetAtRow, openLocalWorld, type LocalWorld } from './local-world.ts';
import type { Customer } from '../../../../src/context/payment-provider.ts';
import { pageTerms } from './provider-worlds.ts';

const inAnHour = (): Date => new Date(Date.now() + 3_600_000);

describe('pages of the local payment provider', () => {
  let world: LocalWorld;
  let customer: { operatorId: OperatorId } & Customer;

  before(async () => {
    world = await openLocalWorld();
    customer = await world.newCustomer();
  });
  after(() => world.close());
  beforeEach(() => {
    world.receiver.received.length = 0;
    world.receiver.answers.length = 0;
  });

  const openTopUp = async (expiresAt = inAnHour()) => {
    const topUpId = newId('top');
    const { sessionId, url } = await world.payments.openTopUp({
      ...customer,
      topUpId,
      amountCents: 123_450,
      ...pageTerms(expiresAt),
    });
    return { topUpId, sessionId, url: world.at(url) };
  };

  const receivedEvents = () => {
    const { payments } = world.shell.context.config;
    assert(payments);
    return world.receiver.received.map(({ body, signature }) => readPaymentWebhook(payments, body, signature));
  };

  it('GET shows what is paid, for whom, how much, and three buttons', async () => {
    const { url } = await openTopUp();
    const { status, text, headers } = await openLocalPage(url);
    assert.equal(status, 200);
    assert.match(headers.get('content-type') ?? '', /^text\/html/);
    assert.match(text, /Top-up of the wallet/);
    assert.match(text, /Ada &amp; Söhne &lt;AG&gt;/);
    assert.match(text, /\$1234\.50/);
    const buttons = [...text.matchAll(/<button [^>]*name="outcome" value="(\w+)">/g)].map(([, value]) => value);
    assert.deepEqual(buttons, ['paid', 'failed', 'expired']);
    assert.match(text, /<form method="post">/);
  });

  it('pays by POST, sends the webhook immediately, and redirects the browser to a page that shows the outcome', async () => {
    const { topUpId, sessionId, url } = await openTopUp();
    const reply = await postOutcome(url, { outcome: 'paid' });
    assert.equal(reply.status, 303);
    const [fact, ...more] = receivedEvents();
    assert.deepEqual(more, []);
    const state = await world.payments.readCheckout(sessionId);
    assert.equal(state.status, 'paid');
    assert(fact?.kind === 'checkout');
    const { id: _id, createdAt: _createdAt, ...rest } = fact;
    assert.deepEqual(rest, {
      kind: 'checkout',
      type: 'checkout.session.completed',
      outcome: 'paid',
      purpose: 'top_up',
      reference: topUpId,
      sessionId,
      amountCents: 123_450,
      currency: 'usd',
      paymentId: state.paymentId,
    });
    const { text } = await openLocalPage(new URL(reply.headers.get('location') ?? '', url).href);
    assert.match(text, /<h1>Paid<\/h1>/);
    assert.doesNotMatch(text, /<button/);
    const receipt = /href="([^"]+)">Receipt/.exec(text)?.[1] ?? '';
    for (const id of [state.paymentId ?? '', sessionId])
      assert(!receipt.includes(id), 'a receipt is kept, and its address shows neither payment nor session');
    assert.match((await openLocalPage(new URL(receipt, url).href)).text, /\$1234\.50/);
  });

  for (const [outcome, type, title] of [
    ['failed', 'checkout.session.async_payment_failed', 'Payment failed'],
    ['expired', 'checkout.session.expired', 'Checkout expired'],
  ] as const) {
    it(`sends an event for a checkout that ${outcome}`, async () => {
      const { topUpId, sessionId, url } = await openTopUp();
      await settleLocally(url, outcome);
      assert.deepEqual(
        receivedEvents().map((event) => event.kind === 'checkout' && [event.type, event.outcome, event.reference]),
        [[type, outcome, topUpId]],
      );
      assert.equal((await world.payments.readCheckout(sessionId)).status, outcome);
      assert.match((await openLocalPage(url)).text, new RegExp(`<h1>${title}</h1>`));
    });
  }

  it('changes nothing on a settled checkout, and still answers 303', async () => {
    const { sessionId, url } = await openTopUp();
    await payLocally(url);
    const before = await world.payments.readCheckout(sessionId);
    for (const outcome of ['failed', 'paid', 'expired'])
      assert.equal((await postOutcome(url, { outcome })).status, 303);
    assert.deepEqual(await world.payments.readCheckout(sessionId), before);
    assert.equal(world.receiver.received.length, 1);
  });

  it('accepts one of many payments of the same checkout in parallel', async () => {
    const { sessionId, url } = await openTopUp();
    const pay = () => Array.from({ length: 20 }, () => postOutcome(url, { outcome: 'paid' }));
    const replies = await meetAtRow('local_checkouts', sessionId, pay);
    assert.deepEqual([...new Set(replies.map(({ status }) => status))], [303]);
    assert.equal(world.receiver.received.length, 1);
  });

  it('cannot be paid when its time is over', async () => {
    const { sessionId, url } = await openTopUp(new Date(Date.now() - 1_000));
    assert.match((await openLocalPage(url)).text, /<h1>Checkout expired<\/h1>/);
    await payLocally(url);
    assert.equal((await world.payments.readCheckout(sessionId)).status, 'expired');
    assert.equal(world.receiver.received.length, 0);
  });

  for (const form of ['outcome=won', '', 'outcome=paid&outcome=failed', 'outcome=paid&amount_cents=1']) {
    it(`refuses the form ${JSON.stringify(form)} with 400`, async () => {
      const { sessionId, url } = await openTopUp();
      assert.equal((await postOutcome(url, form)).status, 400);
      assert.equal((await world.payments.readCheckout(sessionId)).status, 'open');
    });
  }

  it('accepts only forms, and no other method', async () => {
    const { url } = await openTopUp();
    const json = await fetch(url, {
      method: 'POST',
      body: '{"outcome":"paid"}',
      headers: { 'content-type': 'application/json' },
    });
    assert.equal(json.status, 415);
    const put = await fetch(url, { method: 'PUT', body: 'outcome=paid' });
    assert.equal(put.status, 405);
    assert.equal(put.headers.get('allow'), 'GET, POST, HEAD, OPTIONS');
  });

  it('answers 404 unless the whole address is right', async () => {
    const { sessionId, url } = await openTopUp();
    const folder = url.slice(0, url.lastIndexOf('/'));
    const mac = url.slice(url.lastIndexOf('.') + 1);
    const wrong = [
      `${folder}/${sessionId}`,
      `${folder}/${sessionId}.`,
      `${folder}/${sessionId}.${mac.slice(1)}`,
      `${folder}/${newId('lpay')}.${mac}`,
      `${folder}/receipts/${sessionId}.${mac}`,
      `${folder}/`,
      folder,
    ];
    for (const address of wrong) {
      assert.equal((await openLocalPage(address)).status, 404, address);
      assert((await postOutcome(address, { outcome: 'paid' })).status >= 404, address);
    }
    assert.equal((await world.payments.readCheckout(sessionId)).status, 'open');
  });

  it('refuses a payer on a page, no matter what is wrong, and names no address there', async () => {
    const { url } = await openTopUp();
    const folder = url.slice(0, url.lastIndexOf('/'));
    const form = 'outcome=paid';
    const type = { 'content-type': 'application/x-www-form-urlencoded' };
    const refused: [status: number, address: string, RequestInit][] = [
      [404, `${url}x`, {}],
      [404, `${folder}/${newId('lpay')}.mac`, { method: 'POST', body: form, headers: type }],
      [404, `${folder}/receipts/nothing`, {}],
      [404, `${folder}/portals/${encodeURIComponent('<script>"')}`, {}],
      [405, url, { method: 'DELETE' }],
      [405, `${folder}/receipts/nothing`, { method: 'POST', body: form, headers: type }],
      [400, url, { method: 'POST', body: 'outcome=%3Cscript%3E', headers: type }],
      [413, url, { method: 'POST', body: `outcome=${'x'.repeat(20_000)}`, headers: type }],
      [415, url, { method: 'POST', body: '{}', headers: { 'content-type': 'application/json' } }],
    ];
    for (const [status, address, init] of refused) {
      const response = await fetch(address, init);
      const text = await response.text();
      assert.equal(response.status, status, text);
      assert.equal(response.headers.get('content-type'), 'text/html; charset=utf-8', address);
      assert.match(text, new RegExp(`Error ${status}`));
      assert.doesNotMatch(text, /<script|lpay_|this credential/);
      assert(!text.includes(new URL(url).pathname), 'the address of the page opens it');
    }
    const program = await fetch(`${url}x`, { headers: { accept: 'application/json' } });
    assert.equal(program.headers.get('content-type'), 'application/problem+json');
  });

  it('sends again what the webhook did not accept, and counts the tries', async () => {
    const { url } = await openTopUp();
    world.receiver.answers.push(503, 500);
    await payLocally(url);
    await eventually('the third try', () => world.receiver.received.length === 3);
    const [id, ...others] = new Set(receivedEvents().map((event) => event.id));
    assert.deepEqual(others, []);
    const kept = await eventually('the row to show it', () =>
      world.shell.context.pool
        .maybeOne(sql.type(z.object({ tries: z.number() }))`
        select tries from local_webhooks where id = ${id ?? ''} and delivered_at is not null`)
        .then((row) => row ?? undefined),
    );
    assert.equal(kept.tries, 3);
  });

  it('leaves no address of a page in the log', async () => {
    const { url } = await openTopUp();
    await openLocalPage(url);
    await payLocally(url);
    await openLocalPage(`${url}x`);
    const lines = JSON.stringify(world.shell.logged());
    assert.match(lines, /localCheckout/);
    assert.equal(lines.includes(new URL(url).pathname.split('.')[1] ?? ''), false);
  });

  it('does not exist where Stripe takes the payments', async () => {
    const stripe = await openShell({
      routes: [],
      settings: {
        ...stripeEnvironment({ apiBase: 'http://127.0.0.1:1' }),
        ENCRYPTION_KEY: Buffer.alloc(32).toString('base64'),
      },
    });
    try {
      const { url } = await openTopUp();
      const { pathname } = new URL(url);
      assert.equal((await openLocalPage(world.shell.baseUrl + pathname)).status, 200);
      assert.equal((await openLocalPage(stripe.baseUrl + pathname)).status, 404);
    } finally {
      await stripe.close();
    }
  });

  it('shows a hostile name as text on every page', async () => {
    const hostile = await world.newCustomer(`"><script>alert('1')</script>\u202e& x`);
    const page = await world.payments.openTopUp({
      ...hostile,
      topUpId: newId('top'),
      amountCents: 500,
      ...pageTerms(inAnHour()),
    });
    const url = world.at(page.url);
    const texts = [(await openLocalPage(url)).text];
    await payLocally(url);
    const paid = (await openLocalPage(url)).text;
    const receipt = /href="([^"]+)">Receipt/.exec(paid)?.[1] ?? '';
    const portal = await world.payments.openPortal({
      portalId: newId('prt'),
      ...hostile,
      returnTo: 'http://carnet.test',
      configurationId: null,
    });
    for (const address of [new URL(receipt, url).href, world.at(portal.url)])
      texts.push((await openLocalPage(address)).text);
    for (const text of [...texts, paid]) {
      assert(text.includes('&quot;&gt;&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt;[U+202E]&amp; x'), text);
      assert.doesNotMatch(text, /<script|\u202e/);
    }
  });

  it('cannot be framed, and is answered to HEAD', async () => {
    const { url } = await openTopUp();
    const head = await fetch(url, { method: 'HEAD' });
    assert.deepEqual([head.status, await head.text()], [200, '']);
    assert.match(head.headers.get('content-security-policy') ?? '', /frame-ancestors 'none'/);
    assert.equal(head.headers.get('x-frame-options'), 'DENY');
  });

  it('loads nothing from elsewhere, and has no script or style inside', async () => {
    const { url } = await openTopUp();
    const pages: LocalReply[] = [await openLocalPage(url)];
    await payLocally(url);
    pages.push(await openLocalPage(url));
    const { url: portal } = await world.payments.openPortal({
      portalId: newId('prt'),
      ...customer,
      returnTo: 'http://carnet.test',
      configurationId: null,
    });
    pages.push(await openLocalPage(world.at(portal)));
    for (const { text, headers } of pages) {
      assert.doesNotMatch(text, /<script|<style|\sstyle=|\son\w+=|javascript:/i);
      for (const [, address] of text.matchAll(/(?:src|href|action)="([^"]+)"/g))
        assert.match(address ?? '', /^(?:\/(?!\/)|#)/);
      const policy = headers.get('content-security-policy') ?? '';
      assert.match(policy, /default-src 'none'/);
      assert.match(policy, /form-action 'self'/);
      assert.doesNotMatch(policy, /unsafe/);
      assert.equal(headers.get('cache-control'), 'no-store');
      assert.equal(headers.get('referrer-policy'), 'same-origin');
    }
  });
});
