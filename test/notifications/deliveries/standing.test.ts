import assert from 'node:assert/strict';
import { createPorts } from '../../../activities/ports.ts';
import { createLogger } from '../../../src/context/logging.ts';
import { withCaches } from '../../../src/context/caches.ts';
import { sendNotifications, type SenderContext } from '../../../src/notifications/index.ts';
import { createOutbound } from '../../../src/outbound/index.ts';
import { ownContext, type OwnContext } from '../../invocations/own-context.ts';
import { newWebhook, recordEvents } from '../support/destinations.ts';
import { receiversOfSuite, resets } from '../support/receiver.ts';

describe('The log about a destination', function () {
  this.timeout(60_000);
  let own: OwnContext;
  let context: SenderContext;
  const lines: { level: string; msg: string; destinationId?: string; operatorId?: string; code?: string }[] = [];
  const { receiver, stopReceivers } = receiversOfSuite();
  before(async () => {
    own = await ownContext();
    const log = createLogger('info', { write: (line: string) => void lines.push(JSON.parse(line) as never) });
    const outbound = createOutbound({ allowLoopback: true, publicBaseUrl: 'https://carnet.example.test' });
    context = { ...withCaches({ ...own.context, log, outbound }), ...createPorts(own.context) };
  });
  after(async () => {
    await stopReceivers();
    await own.close();
  });

  it('says once that it takes no calls, with the reason, and once that it does again', async () => {
    let fails = true;
    const { url } = await receiver((answer, call, socket) => {
      if (fails) resets(answer, call, socket);
      else answer.writeHead(204).end();
    });
    const { id, operatorId } = await newWebhook(context, url);
    const send = async (count: number): Promise<void> => {
      await recordEvents(context, operatorId, { count });
      await sendNotifications(context, id);
    };
    const said = () => lines.map((line) => [line.level, line.destinationId, line.operatorId, line.code]);
    await send(3);
    await send(2);
    const first = ['warn', id, operatorId, 'broken'];
    assert.deepEqual(said(), [first]);
    fails = false;
    await send(3);
    const second = ['info', id, operatorId, undefined];
    assert.deepEqual(said(), [first, second]);
    fails = true;
    await send(1);
    assert.deepEqual(said(), [first, second, first]);
  });
});
