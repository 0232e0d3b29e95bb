import assert from 'node:assert/strict';
import { withCaches } from '../../../src/context/caches.ts';
import type { Context } from '../../../src/context/context.ts';
import type { PaymentProvider } from '../../../src/context/payment-provider.ts';
import { sql } from '../../../src/database/pool.ts';
import { CarnetError } from '../../../src/errors/carnet-error.ts';
import { ownContext, type OwnContext } from '../../invocations/own-context.ts';
import { eventually } from '../../support/eventually.ts';
import { newPayer } from './payer.ts';
import { isUnavailable } from './silent-provider.ts';

describe('A page that is opened on the way of a request', function () {
  this.timeout(120_000);
  let own: OwnContext;
  before(async () => {
    own = await ownContext();
  });
  after(() => own.close());

  /** A process with no calls behind it, whose provider does something else when it is asked for a checkout. */
  const processWith = (openTopUp: PaymentProvider['openTopUp']): Context =>
    withCaches({ ...own.context, payments: { ...own.context.payments, openTopUp } });
  const unanswered = () => Promise.reject(new CarnetError('TEMPORARILY_UNAVAILABLE', 'Stripe did not do it.'));
  const askAgainLater = (error: unknown): boolean =>
    isUnavailable(error) && error instanceof CarnetError && /^[1-9]\d*$/.test(String(error.headers['Retry-After']));

  it('is 503 with Retry-After where the provider does not answer, and the same key has one page later', async () => {
    let isAway = true;
    const payer = await newPayer(
      processWith((request) => (isAway ? unanswered() : own.context.payments.openTopUp(request))),
    );
    await assert.rejects(payer.topUp('key'), askAgainLater);
    isAway = false;
    const answered = await payer.topUp('key');
    assert.deepEqual(await payer.topUp('key'), { ...answered, replayed: true });
    assert.deepEqual(
      (await payer.topUps()).map(({ status }) => status),
      ['open'],
    );
  });

  it('begins nothing while the provider answers nobody', async () => {
    let isAway = true;
    const here = processWith((request) => (isAway ? unanswered() : own.context.payments.openTopUp(request)));
    const payers = await Promise.all([newPayer(here), newPayer(here), newPayer(here)]);
    const [first, second, third] = payers;
    await assert.rejects(first.topUp('key'), askAgainLater);
    // A pause may be over by the next call, on a machine that is slow; then that call is the next one to find out.
    await eventually('a call that is refused at once', async () => {
      const before = (await third.topUps()).length;
      await assert.rejects(second.topUp('key'), askAgainLater);
      await assert.rejects(third.topUp(), askAgainLater);
      return (await third.topUps()).length === before;
    });
    isAway = false;
    await eventually('an answer', () => third.topUp(), { seconds: 60, ignoreErrors: isUnavailable });
    await Promise.all([first.topUp('key'), second.topUp('key')]);
  });

  it('is opened for others while the provider is slow for one operator', async () => {
    const { promise: until, resolve: letGo } = Promise.withResolvers<void>();
    let slow = '';
    let held = 0;
    const here = processWith(async (request) => {
      if (request.operatorId === slow) {
        held += 1;
        await until;
      }
      return own.context.payments.openTopUp(request);
    });
    const [payer, other] = [await newPayer(here), await newPayer(here)];
    slow = payer.operatorId;
    const waiting = Promise.allSettled(Array.from({ length: 12 }, () => payer.topUp()));
    await eventually('its places to be taken', () => held === 6);
    assert.match((await other.topUp()).body.checkout_url, /^http/);
    assert.equal(held, 6, 'of eight places one operator has six');
    letGo();
    for (const one of await waiting)
      if (one.status === 'rejected') assert(isUnavailable(one.reason), String(one.reason));
  });

  it('is stored when it comes after the caller was sent away, and the same key has it', async () => {
    const { promise: until, resolve: letGo } = Promise.withResolvers<void>();
    let calls = 0;
    const payer = await newPayer(
      processWith(async (request) => {
        calls += 1;
        await until;
        return own.context.payments.openTopUp(request);
      }),
    );
    await assert.rejects(payer.topUp('key'), askAgainLater);
    letGo();
    await eventually('the page', async () => (await payer.topUps())[0]?.status === 'open');
    assert.match((await payer.topUp('key')).body.checkout_url, /^http/);
    assert.equal(calls, 1);
  });

  it('is never opened once its time is over, although no life has looked', async () => {
    let calls = 0;
    const payer = await newPayer(
      processWith(() => {
        calls += 1;
        return unanswered();
      }),
    );
    await assert.rejects(payer.topUp('key'), askAgainLater);
    await own.context.pool.query(
      sql.unsafe`update top_ups set expires_at = clock_timestamp() where operator_id = ${payer.operatorId}`,
    );
    await assert.rejects(
      payer.topUp('key'),
      (error: unknown) => error instanceof CarnetError && error.code === 'INVALID_STATE',
    );
    assert.equal(calls, 1);
  });
});
