import { createStripePayments } from '../../../../src/billing/payments/stripe/provider.ts';
import type { Customer, HostedPage, PageTerms, PaymentProvider } from '../../../../src/context/payment-provider.ts';
import { completeConfig, readSettings } from '../../../../src/context/config.ts';
import { newId } from '../../../../src/ids/ids.ts';
import { createLogger } from '../../../../src/context/logging.ts';
import { endLocalPeriod, payLocally } from '../../../support/local-payments.ts';
import { startStripeProxy, stripeEnvironment, type StripeProxy } from '../../../support/stripe-proxy.ts';
import { openLocalWorld } from './local-world.ts';

/** How a page is opened, with as much time as it had when it was asked for. */
export const pageTerms = (expiresAt: Date, seconds = 3_600): PageTerms => ({
  expiresAt,
  seconds,
  returnTo: 'http://carnet.test',
});

/** A provider, with what people do and what time does in a test. */
export interface ProviderWorld {
  payments: PaymentProvider;
  newCustomer(): Promise<{ operatorId: string } & Customer>;
  pay(page: HostedPage): Promise<void>;
  /** Confirms and pays an upgrade at its page. */
  confirmUpgrade(page: HostedPage): Promise<void>;
  /** Makes the current period end a second ago. */
  endPeriod(subscriptionId: string): Promise<void>;
  close(): Promise<void>;
}

export async function openLocalProvider(): Promise<ProviderWorld> {
  const { shell, payments, at, newCustomer, close } = await openLocalWorld();
  return {
    payments,
    newCustomer,
    pay: ({ url }) => payLocally(at(url)),
    confirmUpgrade: ({ url }) => payLocally(at(url)),
    endPeriod: (subscriptionId) => endLocalPeriod(shell.context.pool, subscriptionId),
    close,
  };
}

export interface StripeWorld extends ProviderWorld {
  proxy: StripeProxy;
  /** Everything that was logged, as it was written. */
  logged(): string;
}

/** Stripe through its SDK, over the recording proxy. @param settings in addition to those of the proxy */
export async function openStripeProvider(program: string, settings: Record<string, string> = {}): Promise<StripeWorld> {
  const proxy = await startStripeProxy(program);
  let logged = '';
  const log = createLogger('debug', { write: (line: string) => void (logged += line) });
  const config = completeConfig(
    readSettings({
      ...stripeEnvironment(proxy),
      ENCRYPTION_KEY: Buffer.alloc(32).toString('base64'),
      PLATFORM_ADMIN_KEY: 'not-used-by-payment-providers',
      DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none',
      TEMPORAL_ADDRESS: '127.0.0.1:1',
      PUBLIC_BASE_URL: 'https://carnet.example.test',
      LOCAL_PROVIDERS: 'true',
      ...settings,
    }),
  );
  if (config.payments?.provider !== 'stripe') throw new Error('The settings name another provider.');
  const payments = createStripePayments(config.payments, log);
  return {
    payments,
    proxy,
    logged: () => logged,
    async newCustomer() {
      const operatorId = newId('op');
      const ada = { operatorId, name: 'Ada', email: 'ada@example.test', customerNumber: 1 };
      return { operatorId, ...(await payments.ensureCustomer(ada)) };
    },
    pay: async ({ sessionId }) => void proxy.books.pay(sessionId),
    confirmUpgrade: async ({ sessionId }) => proxy.books.confirmUpgrade(sessionId),
    endPeriod: async (subscriptionId) => proxy.books.endPeriod(subscriptionId),
    close: () => proxy.stop(),
  };
}
