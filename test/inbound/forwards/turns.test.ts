import assert from 'node:assert/strict';
import { createPorts } from '../../../activities/ports.ts';
import { advanceInbound, type ScannerContext } from '../../../src/inbound/events/life.ts';
import { forwardInbound } from '../../../src/inbound/forwards/forward.ts';
import { sql } from '../../../src/database/pool.ts';
import { createOutbound } from '../../../src/outbound/index.ts';
import { run } from '../../billing/ledger/ledger-world.ts';
import { ownContext, type OwnContext } from '../../invocations/own-context.ts';
import { hangs, startReceiver, type Behaviour, type Receiver } from '../../notifications/support/receiver.ts';
import { eventually } from '../../support/eventually.ts';
import { newEndpoint, newEvent, type TestEndpoint } from '../support/endpoints.ts';

describe('The turns of forwards', function () {
  this.timeout(60_000);
  let own: OwnContext;
  let context: ScannerContext;
  let calls: Promise<void>[];
  let receivers: Receiver[];
  before(async () => {
    own = await ownContext();
    const outbound = createOutbound({ allowLoopback: true, publicBaseUrl: own.context.config.publicBaseUrl });
    context = { ...own.context, outbound, ...createPorts(own.context) };
  });
  beforeEach(() => {
    [calls, receivers] = [[], []];
  });
  afterEach(() => stopReceivers());
  after(() => own.close());

  async function receiver(behave?: Behaviour): Promise<Receiver> {
    const one = await startReceiver(behave);
    receivers.push(one);
    return one;
  }
  const stopReceivers = () => Promise.all(receivers.splice(0).map((one) => one.stop()));

  /** Takes so many events, and begins the forward of each that has its turn. @returns what each needs next */
  async function begin(endpoint: TestEndpoint, count: number, arrived: () => number): Promise<string[]> {
    const steps: string[] = [];
    for (let n = 0; n < count; n += 1) {
      const id = await newEvent(context, endpoint, { n });
      const { status } = await advanceInbound(context, id);
      steps.push(status);
      if (status !== 'forward') continue;
      const before = arrived();
      calls.push(forwardInbound(context, id));
      await eventually('the call to arrive', () => arrived() === before + 1);
    }
    return steps;
  }
  const times = (count: number, step: string): string[] => Array.from({ length: count }, () => step);

  it('have their like for models: eight events of an operator are judged together, and a stranger’s too', async () => {
    const honest = await receiver();
    const busy = await newEndpoint(context, { forwardUrl: honest.url });
    const stranger = await newEndpoint(context, { forwardUrl: honest.url });
    const wanting = async (endpoint: TestEndpoint): Promise<string> => {
      const id = await newEvent(context, endpoint, {});
      await advanceInbound(context, id); // it is scanned
      await run(context.pool, sql.fragment`update inbound_events set classification = 'wanted' where id = ${id}`);
      return id;
    };
    for (let nth = 0; nth < 8; nth += 1) {
      const id = await wanting(busy);
      assert.equal((await advanceInbound(context, id)).status, 'classify');
      await run(
        context.pool,
        sql.fragment`update inbound_events set classification = 'calling', calling_since = clock_timestamp() where id = ${id}`,
      );
    }
    assert.equal((await advanceInbound(context, await wanting(busy))).status, 'turn');
    assert.equal((await advanceInbound(context, await wanting(stranger))).status, 'classify');
  });

  it('leave places of an operator to its other endpoints, however many events wait for a receiver that hangs', async () => {
    const [silent, honest] = [await receiver(hangs), await receiver()];
    const hanging = await newEndpoint(context, { forwardUrl: silent.url });
    const { operatorId } = hanging;
    const other = await newEndpoint(context, { operatorId, forwardUrl: honest.url });
    assert.deepEqual(await begin(hanging, 12, () => silent.calls.length), [
      ...times(4, 'forward'),
      ...times(8, 'turn'),
    ]);
    assert.deepEqual(await begin(other, 12, () => honest.calls.length), times(12, 'forward'));
    assert.deepEqual([silent.calls.length, honest.calls.length], [4, 12]);

    const second = await receiver(hangs);
    const alsoHanging = await newEndpoint(context, { operatorId, forwardUrl: second.url });
    assert.deepEqual(await begin(alsoHanging, 3, () => second.calls.length), ['forward', 'forward', 'turn']);
    assert.deepEqual(await begin(other, 3, () => honest.calls.length), times(3, 'forward'));

    const stranger = await newEndpoint(context, { forwardUrl: honest.url });
    assert.deepEqual(await begin(stranger, 1, () => honest.calls.length), ['forward'], 'another operator');
    await stopReceivers();
    await Promise.all(calls);
  });

  it('are counted again by the statement that begins a call', async () => {
    const silent = await receiver(hangs);
    const hanging = await newEndpoint(context, { forwardUrl: silent.url });
    await begin(hanging, 3, () => silent.calls.length);
    const waiting = [await newEvent(context, hanging, { n: 'a' }), await newEvent(context, hanging, { n: 'b' })];
    for (const id of waiting) assert.equal((await advanceInbound(context, id)).status, 'forward');
    const rivals = waiting.map((id) => forwardInbound(context, id));
    await Promise.race(rivals); // the one without a place returns immediately
    await eventually('the call of the other', () => silent.calls.length === 4);
    await stopReceivers();
    await Promise.all([...calls, ...rivals]);
    assert.equal(silent.calls.length, 4);
    const [first = '', second = ''] = waiting;
    const steps = [await advanceInbound(context, first), await advanceInbound(context, second)];
    assert.deepEqual(steps.map(({ status }) => status).toSorted(), ['ended', 'forward'], 'its place is free now');
  });
});
