import assert from 'node:assert/strict';
import { lifeId } from '../../src/ids/life-ids.ts';
import { deliveriesOf, newWebhook, recordEvents, type TestDestination } from '../notifications/support/destinations.ts';
import { hangs, startReceiver, type Receiver } from '../notifications/support/receiver.ts';
import { eventually } from '../support/eventually.ts';
import { sideBySide } from '../support/side-by-side.ts';
import { pointsOfSteps } from './fault-points.ts';
import { worldsOfSuite, type World } from './worlds.ts';

/** From the beginning of a call to the moment in which it counts as unknown. */
const UNKNOWN_AFTER_SECONDS = 30;

describe('kill -9 of a worker that notifies', function () {
  this.timeout(600_000);
  const itBeside = sideBySide();
  const worlds = worldsOfSuite();
  let receiver: Receiver;
  before(async () => {
    receiver = await startReceiver();
  });
  after(() => receiver.stop());

  /** Once the rows are begun nobody sends them again; before that they are sent by the next worker. */
  const isBegun = (point: string): boolean => ['sendNotifications:started', 'sendNotifications:called'].includes(point);
  const points = pointsOfSteps('advanceNotification', 'sendNotifications');

  const untilAllHasEnded = async ({ context, lives }: World, webhook: TestDestination): Promise<void> => {
    await eventually(
      'every delivery to have ended',
      async () => (await deliveriesOf(context, webhook)).every(({ status }) => status !== 'sending'),
      { seconds: UNKNOWN_AFTER_SECONDS + 90 },
    );
    await eventually(
      'its life to end',
      async () =>
        (await lives.client.workflow.getHandle(lifeId.notification(webhook.id)).describe()).status.name === 'COMPLETED',
      { ignoreErrors: () => true },
    );
  };

  itBeside.inFull('during a call: the delivery is unknown, and was called once', () =>
    worlds.visit(async (world) => {
      world.settings.OUTBOUND_ALLOW_LOOPBACK = 'true';
      const silent = await startReceiver(hangs);
      const webhook = await newWebhook(world.context, silent.url);
      const dying = await world.worker();
      const [eventId] = await recordEvents(world.context, webhook.operatorId);
      await eventually('the call', () => silent.calls.length > 0, { seconds: 60 });
      await dying.kill();
      await world.runHere('worker');
      await untilAllHasEnded(world, webhook);
      assert.deepEqual(
        (await deliveriesOf(world.context, webhook)).map(({ status, reason }) => ({ status, reason })),
        [{ status: 'unknown', reason: 'interrupted' }],
      );
      assert.deepEqual(
        silent.calls.map(({ id }) => id),
        [eventId],
      );
      await silent.stop();
    }),
  );

  for (const point of points) {
    const outcome = isBegun(point) ? 'each is unknown, and was called once at most' : 'each is delivered once';
    itBeside(`at ${point}: ${outcome}`, () =>
      worlds.visit(async (world) => {
        world.settings.OUTBOUND_ALLOW_LOOPBACK = 'true';
        const webhook = await newWebhook(world.context, receiver.url);
        const dying = await world.worker({ FAULT_AT: point });
        const ids = await recordEvents(world.context, webhook.operatorId, { count: 3 });
        assert.equal(await dying.ended, 'SIGKILL');
        await world.runHere('worker');
        await untilAllHasEnded(world, webhook);
        const rows = await deliveriesOf(world.context, webhook);
        const called = receiver.calls.map(({ id }) => id).filter((id) => ids.includes(id));
        assert.equal(new Set(called).size, called.length, 'the receiver has each id at most once');
        for (const { event_id: eventId, status, reason } of rows) {
          if (status === 'delivered') assert(called.includes(eventId));
          else assert.deepEqual({ status, reason }, { status: 'unknown', reason: 'interrupted' });
        }
        if (isBegun(point)) assert(rows.some(({ status }) => status === 'unknown'));
        else assert(rows.every(({ status }) => status === 'delivered'));
        if (point === 'sendNotifications:started') assert.equal(called.length, 0);
      }),
    );
  }
});
