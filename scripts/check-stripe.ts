// Tries, with real test keys, everything that the service does at Stripe: makes one of each thing, holds what comes back
// against what the service expects, and takes the things away again. Exit code 1 where something differs. It needs the
// settings STRIPE_SECRET_KEY (of a test account or sandbox) and STRIPE_PRICE_*, and touches no database.
import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { pino } from 'pino';
import { createStripePayments } from '../src/billing/payments/stripe/provider.ts';
import { paymentEventTypes } from '../src/billing/payments/fact.ts';
import { paymentEventOf } from '../src/billing/payments/provider-event.ts';
import type { PaymentProvider } from '../src/context/payment-provider.ts';
import { completeConfig, readSettings, type StripeSettings } from '../src/context/config.ts';
import { paidTiers } from '../src/fields/tiers.ts';

type Fields = Record<string, string>;
type Answer = Record<string, unknown>;

/** Where Stripe's pages would lead back to; nobody visits them. */
const returnTo = 'https://carnet.example.com';

/** Something else came back than the service expects. */
class Difference extends Error {}

const expectThat = (isSo: boolean, otherwise: string): void => {
  if (!isSo) throw new Difference(otherwise);
};

function settingsOfTest(): StripeSettings {
  if ((process.env.STRIPE_SECRET_KEY ?? '') === '')
    throw new Error(
      'No test key is set: STRIPE_SECRET_KEY has to be one of a test account or sandbox (sk_test_… or rk_test_…), with its STRIPE_PRICE_ settings; nothing was called.',
    );
  if (!/^[rs]k_test_/.test(process.env.STRIPE_SECRET_KEY ?? ''))
    throw new Error(
      'STRIPE_SECRET_KEY is no test key (sk_test_… or rk_test_…): this would move real money; nothing was called.',
    );
  const { payments } = completeConfig(
    readSettings({
      PUBLIC_BASE_URL: returnTo,
      STRIPE_WEBHOOK_SECRET: 'whsec_not_used_here',
      ...process.env,
      LOCAL_PROVIDERS: 'true',
    }),
    {
      databaseUrl: 'postgres://nobody@127.0.0.1:1/none',
      temporalAddress: '127.0.0.1:1',
      platformAdminKey: 'not-used-by-this-script',
      encryptionKeys: [Buffer.alloc(32)],
    },
  );
  if (payments?.provider !== 'stripe') throw new Error('The settings name no account of Stripe; nothing was called.');
  return payments;
}

/** Makes the calls that a person makes at Stripe's pages, and the service itself never. */
const callerOf =
  ({ secretKey, apiBase }: StripeSettings) =>
  async (method: 'GET' | 'POST' | 'DELETE', path: string, fields: Fields = {}): Promise<Answer> => {
    const form = new URLSearchParams(fields);
    const query = method === 'GET' && form.size > 0 ? `?${form.toString()}` : '';
    const response = await fetch(`${apiBase ?? 'https://api.stripe.com'}/v1/${path}${query}`, {
      method,
      headers: { authorization: `Bearer ${secretKey}`, 'content-type': 'application/x-www-form-urlencoded' },
      ...(method === 'POST' && { body: form }),
    });
    const body = (await response.json()) as Answer;
    if (!response.ok) throw new Difference(`${method} ${path} is ${response.status}: ${JSON.stringify(body.error)}`);
    return body;
  };

const sentenceOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

function settingsOrEnd(): StripeSettings {
  try {
    return settingsOfTest();
  } catch (error) {
    console.error(sentenceOf(error));
    process.exit(1);
  }
}

const settings = settingsOrEnd();
const payments: PaymentProvider = createStripePayments(settings, pino({ level: 'silent' }));
const call = callerOf(settings);
const run = randomUUID();
const operatorId = `op_check_${run}`;
const soon = () => ({
  expiresAt: new Date(Math.ceil(Date.now() / 1_000) * 1_000 + 3_600_000),
  seconds: 3_600,
  returnTo,
});
const idIn = (answer: Answer): string => String(answer.id);

let differences = 0;
let stopped = false;
async function check(what: string, work: () => Promise<void>): Promise<void> {
  if (stopped) return;
  try {
    await work();
    console.log(`ok       ${what}`);
  } catch (error) {
    differences += 1;
    console.log(`DIFFERS  ${what}: ${sentenceOf(error)}`);
  }
}

// Ctrl-C or a stop leaves nothing behind: the check that runs ends first, then everything is taken away.
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => {
    stopped = true;
    console.log('Stopped: what was made is taken away. A second Ctrl-C ends immediately, and leaves it.');
  });

const email = `check-${run}@example.com`;
const who = { operatorId, name: 'Carnet check', email, customerNumber: 1 };
/** A configuration that is none, so that another is made: of no other run, and not that of a service on the same account. */
const noPortal = `bpc_check_${run}`;
let portalRequested = false;

const AWAY_TRIES = 3;
const AWAY_PAUSE_MS = 500;
/** Takes one thing away, in several tries, and names it where it stays. */
async function takeAway(what: string, work: () => Promise<unknown>): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      await work();
      return;
    } catch (error) {
      if (tries === AWAY_TRIES) {
        differences += 1;
        console.log(`LEFT     ${what}: ${sentenceOf(error)}`);
        return;
      }
      await setTimeout(AWAY_PAUSE_MS);
    }
  }
}

/** By what Stripe has, not by what was answered: an answer that was lost leaves something too. */
async function takeAllAway(): Promise<void> {
  const idsOf = ({ data }: Answer): string[] => (data as { id: string }[]).map(({ id }) => id);
  let customers: string[] = [];
  await takeAway(`the customers with the address ${email}`, async () => {
    customers = idsOf(await call('GET', 'customers', { email, limit: '100' }));
  });
  for (const id of customers) {
    await takeAway(`the open checkouts of the customer ${id}`, async () => {
      const open = idsOf(await call('GET', 'checkout/sessions', { customer: id, status: 'open', limit: '100' }));
      for (const session of open) await call('POST', `checkout/sessions/${session}/expire`);
    });
    await takeAway(`the customer ${id}`, () => call('DELETE', `customers/${id}`)); // ends its subscriptions
  }
  if (portalRequested)
    await takeAway('the configuration of the portal', async () => {
      const id = await payments.ensurePortal(noPortal); // under its key, the same again
      await call('POST', `billing_portal/configurations/${String(id)}`, { active: 'false' });
    });
}

async function checkAll(): Promise<void> {
  const customer = await payments.ensureCustomer(who);
  const { customerId } = customer;
  let configurationId: string | null = null;

  for (const item of [...paidTiers, 'seat' as const])
    for (const id of settings.prices[item])
      await check(`the price ${id} of ${item} is in dollars, each month`, async () => {
        const { currency, active, recurring } = await call('GET', `prices/${id}`);
        const interval = (recurring as { interval?: string } | null)?.interval;
        expectThat(
          currency === 'usd' && interval === 'month',
          `it is in ${String(currency)}, each ${interval ?? 'time'}`,
        );
        expectThat(active === true || id !== settings.prices[item][0], 'it is archived, and cannot be sold');
      });

  await check('a customer is made once', async () => {
    expectThat((await payments.ensureCustomer(who)).customerId === customerId, 'the same request made another');
  });

  await check('the checkout of a top-up opens once, reads as open, and can be closed', async () => {
    const request = { ...customer, ...soon(), topUpId: `top_check_${run}`, operatorId, amountCents: 1_000 };
    const page = await payments.openTopUp(request);
    expectThat((await payments.openTopUp(request)).sessionId === page.sessionId, 'the same request opened another');
    const { status, amountCents, currency } = await payments.readCheckout(page.sessionId);
    expectThat(
      status === 'open' && amountCents === 1_000 && currency === 'usd',
      `${status}, ${amountCents} ${currency}`,
    );
    await payments.expireCheckout(page.sessionId);
    expectThat((await payments.readCheckout(page.sessionId)).status === 'expired', 'it is open still');
  });

  await check('the checkout of a first subscription opens for each tier', async () => {
    for (const tier of paidTiers) {
      const changeId = `sbc_check_${tier}_${run}`;
      const page = await payments.openSubscription({
        ...customer,
        ...soon(),
        changeId,
        operatorId,
        tier,
        purchasedSeats: 1,
      });
      await payments.expireCheckout(page.sessionId);
    }
  });

  await check('the portal is configured, stays as it is, and opens', async () => {
    portalRequested = true;
    configurationId = await payments.ensurePortal(noPortal);
    expectThat((await payments.ensurePortal(configurationId)) === configurationId, 'it was made again');
    const { url } = await payments.openPortal({ ...customer, configurationId, portalId: `prt_check_${run}`, returnTo });
    expectThat(url.startsWith('https://'), url);
  });

  await check('a payment is refunded once, and its list has that refund', async () => {
    const intent = await call('POST', 'payment_intents', {
      amount: '1000',
      currency: 'usd',
      customer: customerId,
      payment_method: 'pm_card_visa',
      confirm: 'true',
      'automatic_payment_methods[enabled]': 'true',
      'automatic_payment_methods[allow_redirects]': 'never',
    });
    const request = { key: `refund:check:${run}`, tries: 1, paymentId: idIn(intent), amountCents: 1_000 };
    const first = await payments.refund(request);
    expectThat((await payments.refund(request)).providerRefundId === first.providerRefundId, 'it was refunded twice');
    const list = await payments.listRefunds(request.paymentId);
    const [listed] = list;
    if (listed === undefined) throw new Error('it is not listed');
    const { providerRefundId, amountCents, status, key } = listed;
    expectThat(providerRefundId === first.providerRefundId && key === request.key, `${providerRefundId}, ${key}`);
    expectThat(amountCents === 1_000 && status !== 'failed', `${amountCents}, ${status}`);
  });

  await check('a subscription is read, changed, upgraded at a page, and given back', async () => {
    const card = await call('POST', 'payment_methods/pm_card_visa/attach', { customer: customerId });
    const made = await call('POST', 'subscriptions', {
      customer: customerId,
      'items[0][price]': settings.prices.developer[0],
      default_payment_method: idIn(card),
      'metadata[carnet_operator]': operatorId,
    });
    const subscriptionId = idIn(made);
    const { tier, status, purchasedSeats } = await payments.readSubscription(subscriptionId);
    expectThat(
      tier === 'developer' && status === 'active' && purchasedSeats === 0,
      `${tier}, ${status}, ${purchasedSeats}`,
    );
    const change = async (wanted: Parameters<PaymentProvider['changeSubscription']>[0]['change']) =>
      payments.changeSubscription({ key: `check:${randomUUID()}`, subscriptionId, change: wanted });
    const upgrade = { ...customer, configurationId, subscriptionId, tier: 'pro' } as const;
    const portal = await payments.openUpgrade({
      ...upgrade,
      ...soon(),
      changeId: `sbc_check_portal_${run}`,
      attempt: 1,
    });
    expectThat(portal.sessionId.startsWith('bps_'), `the page of the portal is ${portal.sessionId}`);
    expectThat((await change({ purchasedSeats: 1 })).purchasedSeats === 1, 'no seat was bought');
    const page = await payments.openUpgrade({ ...upgrade, ...soon(), changeId: `sbc_check_page_${run}`, attempt: 1 });
    expectThat(
      (await payments.readSubscription(subscriptionId)).tier === 'developer',
      'the upgrade counts before it is paid',
    );
    await payments.expireCheckout(page.sessionId);
    const completed = await payments.completeUpgrade({
      changeId: `sbc_check_page_${run}`,
      subscriptionId,
      tier: 'pro',
    });
    expectThat(completed.tier === 'pro', `the upgrade left the tier ${completed.tier}`);
    const planned = await change({ nextTier: 'developer' });
    expectThat(planned.tier === 'pro' && planned.nextTier === 'developer', `${planned.tier}, then ${planned.nextTier}`);
    expectThat((await change({ nextTier: null })).nextTier === null, 'the smaller tier is still planned');
    expectThat((await change({ cancelAtPeriodEnd: true })).cancelAtPeriodEnd, 'it does not end with its period');
    expectThat(!(await change({ cancelAtPeriodEnd: false })).cancelAtPeriodEnd, 'it ends with its period still');
    await payments.giveSubscriptionBack(subscriptionId);
    expectThat((await payments.readSubscription(subscriptionId)).status === 'canceled', 'it goes on');
  });

  await check('the events of the last hour can be read', async () => {
    const { events } = await payments.readEvents({ since: new Date(Date.now() - 3_600_000), after: null });
    for (const event of events) expectThat(paymentEventOf(event, settings) !== null, 'one of them is no event');
  });

  await check('the endpoint of the webhook is sent every event that means something', async () => {
    const { data } = await call('GET', 'webhook_endpoints', { limit: '100' });
    const ours = (data as { url: string; enabled_events: string[] }[]).filter(({ url }) =>
      url.endsWith('/v1/billing/webhooks/stripe'),
    );
    expectThat(ours.length > 0, 'there is none (docs/operations.md says how to make it)');
    for (const { url, enabled_events: enabled } of ours) {
      const missing = enabled.includes('*') ? [] : paymentEventTypes.filter((type) => !enabled.includes(type));
      expectThat(missing.length === 0, `${url} is not sent ${missing.join(', ')}`);
    }
  });
}

try {
  await checkAll();
} catch (error) {
  differences += 1;
  console.log(`Stripe makes no customer with this key: ${sentenceOf(error)}`);
} finally {
  await takeAllAway();
}

console.log('Not tried: a transfer to a publisher, which needs a connected account, and what people do on pages.');
if (stopped) console.log('It was stopped before everything was tried.');
else console.log(differences === 0 ? 'Stripe is as the service expects it.' : `${differences} things differ.`);
process.exitCode = differences === 0 && !stopped ? 0 : 1;
