import assert from 'node:assert/strict';
import { createPorts } from '../../../activities/ports.ts';
import { assertLedger } from '../../../src/billing/index.ts';
import { createOutbound } from '../../../src/outbound/index.ts';
import { sendNotifications, type SenderContext } from '../../../src/notifications/index.ts';
import { ownContext, type OwnContext } from '../../invocations/own-context.ts';
import { deliveriesOf, type TestDestination } from './destinations.ts';
import { receiversOfSuite } from './receiver.ts';

/** To be called in a `describe`: sends to receivers of this machine what waits in a database of the suite's own. */
export function senderOfSuite() {
  let own: OwnContext;
  let context: SenderContext;
  const { receiver, stopReceivers } = receiversOfSuite();
  before(async () => {
    own = await ownContext();
    const outbound = createOutbound({ allowLoopback: true, publicBaseUrl: 'https://carnet.example.test' });
    context = { ...own.context, outbound, ...createPorts(own.context) };
  });
  after(async () => {
    await stopReceivers();
    await assertLedger(own.context.pool);
    await own.close();
  });
  return {
    receiver,
    /** From the first hook of the suite on. */
    opened: (): SenderContext => context,
    send: ({ id }: TestDestination): Promise<void> => sendNotifications(context, id),
    async only(destination: TestDestination) {
      const [row, ...others] = await deliveriesOf(context, destination);
      assert(row !== undefined && others.length === 0, 'it has one delivery');
      return row;
    },
  };
}
