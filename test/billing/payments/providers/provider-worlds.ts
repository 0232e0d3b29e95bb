import { createStripePayments } from '../../../../activities/payments/stripe-payments.ts';
import type { HostedPage, PaymentProvider } from '../../../../src/billing/payments/provider.ts';
import { completeConfig, readSettings } from '../../../../src/context/config.ts';
import { newId } from '../../../../src/ids/ids.ts';
import { createLogger } from '../../../../src/context/logging.ts';
import { endLocalPeriod, payLocally } from '../../../support/local-payments.ts';
import { startStripeProxy, stripeEnvironment, type StripeProxy } from '../../../support/stripe-proxy.ts';
import { openLocalWorld } from './local-world.ts';

/** A provider, with what people do and what time does in a test. */
export interface ProviderWorld {
  payments: PaymentProvider;
  newCustomer(): Promise<{ operatorId: string; customerId: string }>;
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
  const payments = createStripePayments(config.payments, config, log);
  return {
    payments,
    proxy,
    logged: () => logged,
    async newCustomer() {
      const operatorId = newId('op');
      return { operatorId, ...(await payments.ensureCustomer({ operatorId, name: 'Ada', email: 'ada@example.test' })) };
    },
    pay: async ({ sessionId }) => void proxy.books.pay(sessionId),
    confirmUpgrade: async ({ sessionId }) => proxy.books.confirmUpgrade(sessionId),
    endPeriod: async (subscriptionId) => proxy.books.endPeriod(subscriptionId),
    close: () => proxy.stop(),
  };
}
