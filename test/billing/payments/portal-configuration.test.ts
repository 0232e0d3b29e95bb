import assert from 'node:assert/strict';
import { z } from 'zod';
import { sql } from '../../../src/database/pool.ts';
import { worldsOfSuite } from '../../faults/worlds.ts';
import { eventually } from '../../support/eventually.ts';
import { stripeMock } from '../../support/stripe-mock.ts';
import { startStripeProxy, stripeEnvironment } from '../../support/stripe-proxy.ts';

const Kept = z.object({ configuration_id: z.string() });

const found = await stripeMock();
if ('missing' in found)
  process.stderr.write(`LEFT OUT: the configuration of Stripe's portal at the start; ${found.missing}.\n`);
else
  describe('A worker that starts with a Stripe key', function () {
    this.timeout(120_000);
    const worlds = worldsOfSuite();

    it('makes the configuration of the portal, keeps its id, and mends it at the next start', async () => {
      const stripe = await startStripeProxy(found.program);
      try {
        await worlds.visit(async (world) => {
          Object.assign(world.settings, stripeEnvironment(stripe));
          const kept = () =>
            world.context.pool.maybeOneFirst(
              sql.type(Kept)`select configuration_id from payment_portals where provider = 'stripe'`,
            );
          await world.runHere('worker');
          const id = await eventually('the configuration to be kept', async () => (await kept()) ?? undefined);
          const features = () =>
            stripe.books.get(id).features as { subscription_update: { proration_behavior: string } };
          assert.equal(features().subscription_update.proration_behavior, 'always_invoice');
          features().subscription_update.proration_behavior = 'none'; // by hand, in Stripe's dashboard
          await world.runHere('worker');
          await eventually(
            'it to be mended',
            () => features().subscription_update.proration_behavior === 'always_invoice',
          );
          assert.equal(await kept(), id);
          assert.equal(stripe.books.of('bpc').length, 1);
        });
      } finally {
        await stripe.stop();
      }
    });
  });
