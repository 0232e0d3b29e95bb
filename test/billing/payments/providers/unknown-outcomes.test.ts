import assert from 'node:assert/strict';
import { NotDone, type PaymentProvider } from '../../../../src/context/payment-provider.ts';
import { CarnetError } from '../../../../src/errors/carnet-error.ts';
import { newId } from '../../../../src/ids/ids.ts';
import { eventually } from '../../../support/eventually.ts';
import { stripeMock } from '../../../support/stripe-mock.ts';
import { openStripeProvider, pageTerms, type StripeWorld } from './provider-worlds.ts';

const found = await stripeMock();
if ('missing' in found)
  process.stderr.write(`LEFT OUT: transfers and refunds whose outcome is unknown; ${found.missing}.\n`);
else describe('Transfers and refunds at Stripe whose outcome is unknown', () => unknownOutcomes(found.program));

/** One kind of call that moves money: the path of its calls, what the books name it, and a call under a new key. */
interface Kind {
  path: string;
  prefix: string;
  begin(): Promise<{ key: string; send(tries: number): Promise<unknown> }>;
}

function unknownOutcomes(program: string): void {
  let world: StripeWorld;
  let payments: PaymentProvider;
  before(async () => {
    world = await openStripeProvider(program);
    ({ payments } = world);
  });
  beforeEach(() => {
    world.proxy.calls.length = 0;
    world.proxy.faults.length = 0;
  });
  after(() => world.close());

  const kinds: Record<'transfer' | 'refund', Kind> = {
    transfer: {
      path: '/v1/transfers',
      prefix: 'tr',
      begin: () => {
        const key = `payout:${newId('op')}:2026-11`;
        const request = { key, operatorId: 'op_1', account: 'acct_1234', amountCents: 5_000 };
        return Promise.resolve({ key, send: (tries: number) => payments.transfer({ ...request, tries }) });
      },
    },
    refund: {
      path: '/v1/refunds',
      prefix: 're',
      begin: async () => {
        const customer = await world.newCustomer();
        const expiresAt = new Date(Date.now() + 3_600_000);
        const page = await payments.openTopUp({
          ...customer,
          topUpId: newId('top'),
          amountCents: 2_500,
          ...pageTerms(expiresAt),
        });
        await world.pay(page);
        const { paymentId } = await payments.readCheckout(page.sessionId);
        const request = { key: `refund:${newId('txn')}`, paymentId: paymentId ?? '', amountCents: 1_000 };
        return { key: request.key, send: (tries: number) => payments.refund({ ...request, tries }) };
      },
    },
  };

  for (const [name, kind] of Object.entries(kinds)) {
    const { path, prefix } = kind;
    /** One thing to be made, tried as a life does: `NotDone` begins the next try. */
    const beginTrying = async () => {
      const { key, send } = await kind.begin();
      const before = world.proxy.books.of(prefix).length;
      let tries = 1;
      return {
        key,
        send: () => send(tries),
        fails: () =>
          assert.rejects(send(tries), (error) => {
            if (error instanceof NotDone) tries += 1;
            return error instanceof CarnetError && error.code === 'TEMPORARILY_UNAVAILABLE';
          }),
        made: () => world.proxy.books.of(prefix).length - before,
        keys: () => world.proxy.callsTo(`POST ${path}`).map(({ idempotencyKey }) => idempotencyKey),
      };
    };

    it(`make one ${name} where the call is still under way at Stripe, and the list answers 500 meanwhile`, async () => {
      const one = await beginTrying();
      const { promise: late, resolve: letGo } = Promise.withResolvers<void>();
      // The SDK sends a call once more whose connection was closed.
      world.proxy.faults.push({ on: /^POST .v1/, how: { late } }, { on: /^POST .v1/, how: 'lose' });
      await one.fails();
      world.proxy.faults.push({ on: /^GET .v1/, how: 500 });
      await one.fails();
      const third = one.send();
      await eventually('the third call', () => one.keys().length === 3);
      letGo();
      await third;
      assert.deepEqual(one.keys(), [one.key, one.key, one.key]);
      assert.equal(one.made(), 1);
    });

    for (const status of [500, 502, 504])
      it(`make a ${name} again under the same key after an answer of ${status} that is no repetition`, async () => {
        const one = await beginTrying();
        world.proxy.faults.push({ on: /^POST .v1/, how: status });
        await one.fails();
        await one.send();
        assert.deepEqual(one.keys(), [one.key, one.key]);
        assert.equal(one.made(), 1);
      });
  }
}
