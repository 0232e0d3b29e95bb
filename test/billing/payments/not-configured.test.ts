import assert from 'node:assert/strict';
import { completeConfig, readSettings } from '../../../src/context/config.ts';
import { newId } from '../../../src/ids/ids.ts';
import { routes } from '../../../src/process/routes.ts';
import { newAdmin, openShell, type Shell } from '../../http/support/shell.ts';
import { paymentEventBody, signPaymentEvent } from '../../support/payment-webhooks.ts';
import { assertProblem, assertStatus } from '../../support/service.ts';

describe('Without a payment provider', () => {
  let shell: Shell;
  before(async () => {
    shell = await openShell({ routes: routes.filter(({ tag }) => tag === 'billing') });
    shell.context.config.payments = undefined;
  });
  after(() => shell.close());

  it('is an instance that has neither a Stripe key nor LOCAL_PROVIDERS', () => {
    const paymentsWith = (settings: Record<string, string>) =>
      completeConfig(
        readSettings({
          PUBLIC_BASE_URL: 'https://carnet.example.test',
          SMTP_URL: 'smtp://127.0.0.1:1',
          MAIL_FROM: 'carnet@example.test',
          ...settings,
        }),
        {
          databaseUrl: 'postgres://127.0.0.1:1/carnet',
          temporalAddress: '127.0.0.1:1',
          platformAdminKey: 'p'.repeat(24),
          encryptionKeys: [Buffer.alloc(32)],
        },
      ).payments;
    assert.equal(paymentsWith({}), undefined);
    assert.equal(paymentsWith({ LOCAL_PROVIDERS: 'true' })?.provider, 'local');
  });

  it('what moves money is 503 PAYMENTS_NOT_CONFIGURED, for every caller who may do it', async () => {
    const admin = await newAdmin(shell);
    const calls: [path: string, body?: unknown][] = [
      ['/v1/billing/topup', { amount_cents: 1_000 }],
      ['/v1/billing/subscribe', { tier: 'pro' }],
      ['/v1/billing/portal'],
      [`/v1/billing/refund/${newId('txn')}`],
    ];
    for (const [path, body] of calls) {
      assertProblem(await shell.anonymous.post(path, body), 'UNAUTHENTICATED');
      assertProblem(await admin.post(path, body), 'PAYMENTS_NOT_CONFIGURED');
    }
    assertProblem(await admin.post('/v1/billing/topup', { amount_cents: 999 }), 'VALIDATION_ERROR', 'amount_cents');
  });

  it('a payment webhook is 503 as well, and changes nothing', async () => {
    const body = paymentEventBody('ping', {});
    const headers = { 'stripe-signature': signPaymentEvent(body, { secret: 'whsec_of_nobody' }) };
    assertProblem(await shell.anonymous.post('/v1/billing/webhooks/stripe', body, headers), 'PAYMENTS_NOT_CONFIGURED');
  });

  it('the wallet can still be read', async () => {
    assert.equal(assertStatus(await (await newAdmin(shell)).get('/v1/billing/subscription'), 200).tier, 'free');
  });
});
