import assert from 'node:assert/strict';
import { z } from 'zod';
import { ensureOperator } from '../../src/accounts/index.ts';
import { cancelSubscription } from '../../src/billing/subscriptions/cancel.ts';
import { settle } from '../../src/billing/payments/local/settle.ts';
import { setSeats } from '../../src/billing/subscriptions/seats.ts';
import { subscribe } from '../../src/billing/subscriptions/subscribe.ts';
import { sql } from '../../src/database/pool.ts';
import type { OperatorId } from '../../src/ids/ids.ts';
import { lifeId } from '../../src/ids/life-ids.ts';
import { beginUnopened } from '../billing/payments/silent-provider.ts';
import { callOf } from '../invocations/own-context.ts';
import { eventually } from '../support/eventually.ts';
import { unique } from '../support/factories.ts';
import { sideBySide } from '../support/side-by-side.ts';
import { pointsOfSteps } from './fault-points.ts';
import { worldsOfSuite, type World } from './worlds.ts';

const Change = z.object({ status: z.string(), session_id: z.string().nullable(), closing: z.boolean() });
const Row = z.object({
  status: z.string(),
  tier: z.string().nullable(),
  purchased_seats: z.number(),
  pushed: z.boolean(),
});

describe('kill -9 of a worker that looks after a subscription', function () {
  this.timeout(600_000);
  const itBeside = sideBySide();
  const worlds = worldsOfSuite();

  const newSubscriber = ({ context }: World): Promise<OperatorId> => {
    const name = unique('subscriber');
    return ensureOperator(context, { name, email: `${name}@example.test`, tier: 'free' });
  };
  /** The change is begun, and the worker opens its page. */
  const begin = ({ context }: World, operatorId: OperatorId): Promise<string> =>
    beginUnopened(
      context,
      (silent) => subscribe(silent, callOf(operatorId, 'subscribe'), { tier: 'pro' }),
      async () => lifeId.subscription(operatorId),
    );
  const change = ({ context }: World, operatorId: string) =>
    context.pool.one(
      sql.type(Change)`select status, session_id, closing from subscription_changes where operator_id = ${operatorId}`,
    );
  const row = ({ context }: World, operatorId: string) =>
    context.pool.one(sql.type(Row)`
      select status, tier, purchased_seats, revision = pushed_revision as pushed from subscriptions where operator_id = ${operatorId}`);
  const opened = (world: World, operatorId: string): Promise<string> =>
    eventually('the page to be open', async () => (await change(world, operatorId)).session_id ?? undefined, {
      seconds: 120,
    });
  const checkouts = ({ context }: World): Promise<readonly string[]> =>
    context.pool.anyFirst(sql.type(z.object({ status: z.string() }))`select status from local_checkouts`);
  /** Pays without a webhook, and makes the life fetch from the provider. */
  const payUnheard = async ({ context }: World, operatorId: string, sessionId: string): Promise<void> => {
    await settle(context, sessionId, 'paid');
    await context.pool.query(
      sql.unsafe`update subscriptions set next_call_at = clock_timestamp() where operator_id = ${operatorId}`,
    );
    await context.pool.query(sql.unsafe`select wake_life(${lifeId.subscription(operatorId)})`);
  };
  const running = (world: World, operatorId: string) =>
    eventually('the subscription to run', async () => (await row(world, operatorId)).status === 'active', {
      seconds: 120,
    });
  const audited = ({ context }: World, operatorId: string, action: string): Promise<number> =>
    context.pool.oneFirst(sql.type(z.object({ count: z.number() }))`
      select count(*)::int from audit_events where operator_id = ${operatorId} and action = ${action}`);

  for (const point of pointsOfSteps('advanceSubscription', 'openSubscriptionCheckout')) {
    itBeside(`at ${point}: the next worker opens the page, and there is one`, () =>
      worlds.visit(async (world) => {
        const dying = await world.worker({ FAULT_AT: point });
        const operatorId = await newSubscriber(world);
        await begin(world, operatorId);
        assert.equal(await dying.ended, 'SIGKILL');
        await world.runHere('worker');
        await opened(world, operatorId);
        assert.equal((await change(world, operatorId)).status, 'waiting');
        assert.deepEqual(await checkouts(world), ['open']);
      }),
    );
  }

  for (const point of pointsOfSteps('closeSubscriptionCheckout')) {
    itBeside(`at ${point}: the next worker closes the page that was given up, and the life ends`, () =>
      worlds.visit(async (world) => {
        const dying = await world.worker({ FAULT_AT: point });
        const operatorId = await newSubscriber(world);
        await begin(world, operatorId);
        await opened(world, operatorId);
        await cancelSubscription(world.context, callOf(operatorId, 'cancelSubscription'));
        assert.equal(await dying.ended, 'SIGKILL');
        await world.runHere('worker');
        await eventually('the page to be closed', async () => !(await change(world, operatorId)).closing, {
          seconds: 120,
        });
        await world.lives.client.workflow.getHandle(lifeId.subscription(operatorId)).result();
        assert.deepEqual(await checkouts(world), ['expired']);
      }),
    );
  }

  for (const point of pointsOfSteps('fetchSubscription')) {
    itBeside(`at ${point}: the next worker finds out that it was paid, and the subscription begins once`, () =>
      worlds.visit(async (world) => {
        const dying = await world.worker({ FAULT_AT: point });
        const operatorId = await newSubscriber(world);
        await begin(world, operatorId);
        await payUnheard(world, operatorId, await opened(world, operatorId));
        assert.equal(await dying.ended, 'SIGKILL');
        await world.runHere('worker');
        await running(world, operatorId);
        assert.equal((await change(world, operatorId)).status, 'done');
        assert.equal(await audited(world, operatorId, 'subscription.started'), 1);
      }),
    );
  }

  for (const point of pointsOfSteps('pushSubscription')) {
    itBeside(`at ${point}: the next worker pushes it to the provider, which does it once`, () =>
      worlds.visit(async (world) => {
        const dying = await world.worker({ FAULT_AT: point });
        const operatorId = await newSubscriber(world);
        await begin(world, operatorId);
        await payUnheard(world, operatorId, await opened(world, operatorId));
        await running(world, operatorId);
        await setSeats(world.context, callOf(operatorId, 'setSeats'), { purchased_seats: 2 });
        assert.equal(await dying.ended, 'SIGKILL');
        await world.runHere('worker');
        await eventually('the push to the provider', async () => (await row(world, operatorId)).pushed, {
          seconds: 120,
        });
        const { pool } = world.context;
        assert.equal(await pool.oneFirst(sql.unsafe`select purchased_seats from local_subscriptions`), 2);
        assert.equal(
          await pool.oneFirst(sql.unsafe`select count(*)::int from local_calls where key like 'subscription:%'`),
          1,
        );
        assert.equal((await row(world, operatorId)).purchased_seats, 2);
      }),
    );
  }
});
