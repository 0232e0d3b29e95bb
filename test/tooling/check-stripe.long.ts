import assert from 'node:assert/strict';
import { execFile, type ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { pino } from 'pino';
import { createStripePayments } from '../../src/billing/payments/stripe/provider.ts';
import { completeConfig, readSettings } from '../../src/context/config.ts';
import { eventually } from '../support/eventually.ts';
import { blocksOf, paste } from '../support/pasted.ts';
import { stripeMock } from '../support/stripe-mock.ts';
import { startStripeProxy, stripeEnvironment, type StripeProxy } from '../support/stripe-proxy.ts';

const root = join(import.meta.dirname, '../..');

interface Ended {
  code: number;
  text: string;
}

/** Runs the script as `npm run check:stripe` does. */
async function checkStripe(
  environment: Record<string, string>,
  meanwhile?: (child: ChildProcess) => Promise<void>,
): Promise<Ended> {
  const env = { PATH: process.env.PATH ?? '', ...environment };
  const running = promisify(execFile)(process.execPath, ['scripts/check-stripe.ts'], { cwd: root, env });
  const ended = running.then(
    ({ stdout, stderr }) => ({ code: 0, text: stdout + stderr }),
    (error: { code: number; stdout: string; stderr: string }) => ({
      code: error.code,
      text: error.stdout + error.stderr,
    }),
  );
  await meanwhile?.(running.child);
  return ended;
}

const found = await stripeMock();
if ('missing' in found) process.stderr.write(`LEFT OUT: the check of a Stripe account; ${found.missing}.\n`);
else
  describe('npm run check:stripe', function () {
    this.timeout(60_000);
    let stripe: StripeProxy;
    beforeEach(async () => {
      stripe = await startStripeProxy(found.program);
      const endpoint = { url: 'https://carnet.example.com/v1/billing/webhooks/stripe', enabled_events: ['*'] };
      stripe.books.objects.set('we_1', { id: 'we_1', ...endpoint });
    });
    afterEach(() => stripe.stop());

    const settings = (): Record<string, string> => ({
      PUBLIC_BASE_URL: 'https://carnet.example.com',
      ...stripeEnvironment(stripe),
    });
    it('has the lines of docs/operations.md before it, which make prices and the endpoint', async () => {
      const printed = await paste(await blocksOf('docs/operations.md', 'stripe'), {
        env: { STRIPE_API_BASE: settings().STRIPE_API_BASE ?? '' },
      });
      const names = printed.map((line) => /^(STRIPE_PRICE_[A-Z]+)=price_\w+$/.exec(line)?.[1]);
      assert.deepEqual(
        new Set(names),
        new Set(['DEVELOPER', 'PRO', 'BUSINESS', 'SEAT'].map((tier) => `STRIPE_PRICE_${tier}`)),
      );
    });

    /** The things that are open, or could be used, at the end. */
    const left = (): string[] =>
      [...stripe.books.objects.values()]
        .filter(
          ({ id, status, active }) =>
            id.startsWith('cus_') ||
            (/^(cs|sub)_/.test(id) && status !== 'expired' && status !== 'canceled') ||
            (id.startsWith('bpc_') && active !== false),
        )
        .map(({ id }) => id);

    it('finds an account as the service expects it, and leaves nothing open', async () => {
      const { code, text } = await checkStripe(settings());
      assert.doesNotMatch(text, /DIFFERS/);
      assert.equal(code, 0, text);
      assert.match(text, /Stripe is as the service expects it\./);
      assert.deepEqual(left(), []);
    });

    it('leaves nothing open where it fails half-way, and where taking away fails too', async () => {
      for (const on of [
        /^POST .*expire$/,
        /^GET .v1.subscriptions/,
        /^DELETE .v1.customers/,
        /^POST .*configurations.bpc/,
      ])
        stripe.faults.push({ on, how: 500 });
      const { code, text } = await checkStripe(settings());
      assert.equal(code, 1, text);
      assert.match(text, /2 things differ/);
      assert.deepEqual(left(), []);
    });

    it('leaves nothing open where nobody knows what was made', async () => {
      for (const on of [/^POST .v1.customers$/, /^POST .v1.billing_portal.configurations$/])
        stripe.faults.push({ on, how: 'drop' }, { on, how: 'drop' });
      const first = await checkStripe(settings());
      assert.match(first.text, /Stripe makes no customer with this key/);
      assert.deepEqual([first.code, left()], [1, []]);
      const second = await checkStripe(settings());
      assert.match(second.text, /DIFFERS {2}the portal/);
      assert.deepEqual([second.code, left()], [1, []]);
    });

    it('says what it could not take away', async () => {
      for (let times = 0; times < 3; times += 1) stripe.faults.push({ on: /^DELETE .v1.customers/, how: 500 });
      const { code, text } = await checkStripe(settings());
      const [customer, ...more] = left();
      assert.deepEqual([code, more], [1, []]);
      assert.match(text, new RegExp(`LEFT {5}the customer ${customer ?? 'none'}:`));
    });

    it('takes away what it made when it is stopped', async () => {
      const { promise: until, resolve: release } = Promise.withResolvers<void>();
      stripe.faults.push({ on: /^POST .v1.refunds/, how: { until } });
      const { code, text } = await checkStripe(settings(), async (child) => {
        await eventually('the refund to be requested', () => stripe.callsTo('POST /v1/refunds').length > 0);
        child.kill('SIGTERM');
        release();
      });
      assert.equal(code, 1, text);
      assert.match(text, /It was stopped before everything was tried/);
      assert.doesNotMatch(text, /as the service expects it/);
      assert.doesNotMatch(text, /the events of the last hour/);
      assert.deepEqual(left(), []);
    });

    it('leaves the portal alone that the service has made on the same account', async () => {
      const { payments } = completeConfig(readSettings({ ...settings(), LOCAL_PROVIDERS: 'true' }), {
        databaseUrl: 'postgres://nobody@127.0.0.1:1/none',
        temporalAddress: '127.0.0.1:1',
        platformAdminKey: 'none',
        encryptionKeys: [Buffer.alloc(32)],
      });
      assert(payments?.provider === 'stripe');
      const portal = await createStripePayments(payments, pino({ level: 'silent' })).ensurePortal(null);
      assert.equal((await checkStripe(settings())).code, 0);
      assert.deepEqual(left(), [portal]);
    });

    it('says in its first line that no key is set, or which price', async () => {
      const { STRIPE_SECRET_KEY: key, ...prices } = settings();
      const none = await checkStripe({ PUBLIC_BASE_URL: 'https://carnet.example.com' });
      assert.deepEqual([none.code, none.text.trim().split('\n').length], [1, 1], none.text);
      assert.match(none.text, /^No test key is set: STRIPE_SECRET_KEY .*nothing was called/);
      assert.equal((await checkStripe(prices)).text, none.text);
      const { STRIPE_PRICE_PRO: _pro, ...others } = prices;
      const priceless = await checkStripe({ ...others, STRIPE_SECRET_KEY: key ?? '' });
      assert.match(priceless.text, /STRIPE_PRICE_PRO is needed/);
      assert.deepEqual([priceless.code, stripe.calls], [1, []]);
    });

    it('says what differs', async () => {
      stripe.books.change('price_pro', { currency: 'eur' });
      stripe.books.change('we_1', { enabled_events: ['invoice.paid'] });
      const { code, text } = await checkStripe(settings());
      assert.equal(code, 1, text);
      assert.match(text, /DIFFERS {2}the price price_pro of pro .*it is in eur/);
      assert.match(text, /is not sent .*charge\.dispute\.created/);
      assert.match(text, /2 things differ/);
    });

    it('refuses a key that moves real money, before it calls anything', async () => {
      const { code, text } = await checkStripe({
        ...settings(),
        STRIPE_SECRET_KEY: 'sk_live_of_the_tests',
      });
      assert.equal(code, 1);
      assert.match(text, /no test key/);
      assert.deepEqual(stripe.calls, []);
    });
  });
