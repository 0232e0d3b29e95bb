import assert from 'node:assert/strict';
import { listCases } from '../../../src/billing/cases/queries.ts';
import { readChange } from '../../../src/billing/subscriptions/change-queries.ts';
import { completeIfPaid } from '../../../src/billing/subscriptions/life.ts';
import { sql } from '../../../src/database/pool.ts';
import { newId } from '../../../src/ids/ids.ts';
import { ownContext, type OwnContext } from '../../invocations/own-context.ts';
import { newWallet, run } from '../ledger/ledger-world.ts';

describe('An upgrade that was paid', () => {
  let own: OwnContext;
  before(async () => {
    own = await ownContext();
  });
  after(() => own.close());

  /** A subscription at the local provider of tier pro, and an upgrade to `tier`, paid twice as slow banks report it. */
  async function upgraded(tier: string, subscription: string | null = null) {
    const { pool } = own.context;
    const operator = await newWallet(pool);
    const [change, subscriptionId] = [newId('sbc'), subscription ?? `sub_${operator}`];
    await run(pool, sql.fragment`insert into subscriptions (operator_id) values (${operator})`);
    await run(
      pool,
      sql.fragment`
      insert into subscription_changes (id, operator_id, kind, tier, status, expires_at, seconds, return_to)
      values (${change}, ${operator}, 'upgrade', ${tier}, 'abandoned', now(), 60, 'http://x')`,
    );
    await run(
      pool,
      sql.fragment`insert into local_customers (id, operator_id, name, email) values (${`cus_${operator}`}, ${operator}, 'x', 'x')`,
    );
    await run(
      pool,
      sql.fragment`
      insert into local_subscriptions (id, customer_id, tier, purchased_seats, period_start, period_end)
      values (${`sub_${operator}`}, ${`cus_${operator}`}, 'pro', 0, now(), now() + interval '1 month')`,
    );
    const { context } = own;
    const money = { amountCents: 8_000, currency: 'usd', paymentId: 'pi_1', receiptUrl: null, subscriptionId: null };
    for (let times = 0; times < 2; times += 1) {
      await completeIfPaid(context, {
        change: await readChange(pool, change),
        checkout: { status: 'paid', ...money },
        subscriptionId,
      });
    }
    const cases = await listCases(pool, { operatorId: operator, after: null, limit: 10 });
    return { change, alarms: cases.map(({ kind, alarm, concerns }) => [kind, alarm, concerns]) };
  }

  it('and is made raises no alarm', async () => {
    assert.deepEqual((await upgraded('pro')).alarms, []);
  });

  it('and is not made, since the tier is another one by then, waits for a person, once', async () => {
    const { change, alarms } = await upgraded('business');
    assert.deepEqual(alarms, [['alarm', 'upgrade_not_made', change]]);
  });

  it('and is not made, since the provider refuses it, waits for a person', async () => {
    const { change, alarms } = await upgraded('pro', 'sub_of_nobody');
    assert.deepEqual(alarms, [['alarm', 'upgrade_not_made', change]]);
  });
});
