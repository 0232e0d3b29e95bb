import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { stripeMock } from '../support/stripe-mock.ts';
import { startStripeProxy, stripeEnvironment, type StripeProxy } from '../support/stripe-proxy.ts';

const root = join(import.meta.dirname, '../..');

interface Ended {
  code: number;
  text: string;
}

/** Runs the script as `npm run check:stripe` does. */
async function checkStripe(environment: Record<string, string>): Promise<Ended> {
  const env = { PATH: process.env.PATH ?? '', PUBLIC_BASE_URL: 'https://carnet.example.com', ...environment };
  return promisify(execFile)(process.execPath, ['scripts/check-stripe.ts'], { cwd: root, env }).then(
    ({ stdout, stderr }) => ({ code: 0, text: stdout + stderr }),
    (error: { code: number; stdout: string; stderr: string }) => ({
      code: error.code,
      text: error.stdout + error.stderr,
    }),
  );
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

    it('finds an account as the service expects it, and leaves nothing open', async () => {
      const { code, text } = await checkStripe(stripeEnvironment(stripe));
      assert.doesNotMatch(text, /DIFFERS/);
      assert.equal(code, 0, text);
      assert.match(text, /Stripe is as the service expects it\./);
      const left = [...stripe.books.objects.values()].filter(
        ({ id, status, active }) =>
          (/^(cs|sub)_/.test(id) && status !== 'expired' && status !== 'canceled') ||
          (id.startsWith('bpc_') && active !== false),
      );
      assert.deepEqual(left, []);
      assert.equal(
        stripe.calls.some(({ method, path }) => method === 'DELETE' && path.startsWith('/v1/customers/')),
        true,
      );
    });

    it('says what differs', async () => {
      stripe.books.change('price_pro', { currency: 'eur' });
      stripe.books.change('we_1', { enabled_events: ['invoice.paid'] });
      const { code, text } = await checkStripe(stripeEnvironment(stripe));
      assert.equal(code, 1, text);
      assert.match(text, /DIFFERS {2}the price price_pro of pro .*it is in eur/);
      assert.match(text, /is not sent .*charge\.dispute\.created/);
      assert.match(text, /2 things differ/);
    });

    it('refuses a key that moves real money, before it calls anything', async () => {
      const { code, text } = await checkStripe({
        ...stripeEnvironment(stripe),
        STRIPE_SECRET_KEY: 'sk_live_of_the_tests',
      });
      assert.equal(code, 1);
      assert.match(text, /no test key/);
      assert.deepEqual(stripe.calls, []);
    });
  });
