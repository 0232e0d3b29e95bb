import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { createPorts } from '../../../activities/ports.ts';
import { createEncryption } from '../../../src/context/encryption.ts';
import { sql } from '../../../src/database/pool.ts';
import { newId } from '../../../src/ids/ids.ts';
import { endpointSecrets } from '../../../src/inbound/endpoints/secrets.ts';
import { advanceInbound, type ScannerContext } from '../../../src/inbound/events/life.ts';
import { findEvent } from '../../../src/inbound/events/queries.ts';
import { forwardInbound } from '../../../src/inbound/forwards/forward.ts';
import { createOutbound } from '../../../src/outbound/index.ts';
import { run } from '../../billing/ledger/ledger-world.ts';
import { ownContext, type OwnContext } from '../../invocations/own-context.ts';
import { startReceiver, type Receiver } from '../../notifications/support/receiver.ts';
import { newEndpoint, newEvent, type TestEndpoint } from '../support/endpoints.ts';

describe('An event that cannot be opened or signed any more', function () {
  this.timeout(60_000);
  let own: OwnContext;
  let receiver: Receiver;
  let context: ScannerContext;
  let url: string;
  let endpoint: TestEndpoint;
  before(async () => {
    own = await ownContext();
    receiver = await startReceiver();
    const outbound = createOutbound({ allowLoopback: true, publicBaseUrl: own.context.config.publicBaseUrl });
    context = { ...own.context, outbound, ...createPorts(own.context) };
  });
  beforeEach(async () => {
    url = receiver.urlOf(newId('evt'));
    endpoint = await newEndpoint(context, { forwardUrl: url });
  });
  after(async () => {
    await receiver.stop();
    await own.close();
  });

  const shown = async (id: string) => {
    const { operatorId, id: endpointId } = endpoint;
    const event = await findEvent(context.pool, { operatorId, endpointId, id });
    assert(event !== null);
    const { status, reason, forwards } = event;
    return { status, reason, forwards: forwards.map((forward) => [forward.status, forward.reason]) };
  };
  const purge = (id: string) => run(context.pool, sql.fragment`delete from inbound_contents where event_id = ${id}`);

  it('is failed where its content was purged before the scan', async () => {
    const id = await newEvent(context, endpoint);
    await purge(id);
    assert.equal((await advanceInbound(context, id)).status, 'ended');
    assert.deepEqual(await shown(id), { status: 'failed', reason: 'content_purged', forwards: [] });
    assert.equal(receiver.callsAt(url).length, 0);
  });

  it('is failed where its content was purged before the forward', async () => {
    const id = await newEvent(context, endpoint);
    assert.equal((await advanceInbound(context, id)).status, 'forward');
    await purge(id);
    await forwardInbound(context, id);
    assert.equal((await advanceInbound(context, id)).status, 'ended');
    assert.deepEqual(await shown(id), { status: 'failed', reason: 'content_purged', forwards: [] });
    assert.equal(receiver.callsAt(url).length, 0);
  });

  it('is not called for where no key opens the secret that signs the forward', async () => {
    const id = await newEvent(context, endpoint);
    assert.equal((await advanceInbound(context, id)).status, 'forward');
    const lost = endpointSecrets.encrypt(createEncryption([randomBytes(32)]), endpoint);
    await run(context.pool, sql.fragment`update inbound_endpoints set secret = ${lost} where id = ${endpoint.id}`);
    await forwardInbound(context, id);
    assert.deepEqual(await shown(id), {
      status: 'forward_failed',
      reason: 'key_unavailable',
      forwards: [['failed', 'key_unavailable']],
    });
    assert.equal(receiver.callsAt(url).length, 0);
  });
});
