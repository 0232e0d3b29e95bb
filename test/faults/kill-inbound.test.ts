import assert from 'node:assert/strict';
import { z } from 'zod';
import { sql } from '../../src/database/pool.ts';
import { newId } from '../../src/ids/ids.ts';
import { lifeId } from '../../src/ids/life-ids.ts';
import { newEndpoint, sendTo, standardHeaders, type TestEndpoint } from '../inbound/support/endpoints.ts';
import { hangs, startReceiver, type Receiver } from '../notifications/support/receiver.ts';
import { MODEL, MODEL_KEY, startModels } from '../models/model-double.ts';
import { eventually } from '../support/eventually.ts';
import { sideBySide } from '../support/side-by-side.ts';
import { isCommitted, pointsOfReceiver, pointsOfSteps } from './fault-points.ts';
import { worldsOfSuite, type World } from './worlds.ts';

const EventRow = z.object({ id: z.string(), status: z.string(), verdict: z.string().nullable(), attempt: z.number() });
const Count = z.object({ count: z.number() });

/**
 * The answers that a request may get whose worker dies at a point; 200 elsewhere. A call that was begun is looked at again after 40 seconds, and
 * the verdict stands. A step that died before its call is missed after 10 seconds, so that the event ends close to the 15 of the request.
 */
const FIRST_ANSWERS: Readonly<Record<string, readonly number[]>> = {
  'forwardInbound:authorised': [202],
  'forwardInbound:called': [202],
  'life:forwardInbound:before': [200, 202],
};

describe('kill -9 around an inbound event', function () {
  this.timeout(600_000);
  const itBeside = sideBySide();
  const worlds = worldsOfSuite();
  let receiver: Receiver;
  before(async () => {
    receiver = await startReceiver();
  });
  after(() => receiver.stop());

  const eventsOf = ({ context }: World, { id }: TestEndpoint) =>
    context.pool.any(
      sql.type(EventRow)`select id, status, verdict, attempt from inbound_events where endpoint_id = ${id}`,
    );
  const ended = async (world: World, endpoint: TestEndpoint) => {
    const event = await eventually(
      'the event to be over',
      async () => {
        const [only] = await eventsOf(world, endpoint);
        return only !== undefined && !['received', 'scanning'].includes(only.status) ? only : undefined;
      },
      { seconds: 120 },
    );
    await world.lives.client.workflow.getHandle(lifeId.inbound(event.id)).result();
    return event;
  };
  const signedEvent = (endpoint: TestEndpoint) => {
    const body = JSON.stringify({ note: 'Two boxes, please.' });
    return { body, headers: standardHeaders(endpoint.secret, body) };
  };

  for (const point of [...pointsOfSteps('advanceInbound'), ...pointsOfSteps('forwardInbound')]) {
    itBeside(`a worker at ${point}: one verdict, and one forward, or it is known that nobody knows`, () =>
      worlds.visit(async (world) => {
        world.settings.OUTBOUND_ALLOW_LOOPBACK = 'true';
        const url = receiver.urlOf(newId('evt'));
        const endpoint = await newEndpoint(world.context, { forwardUrl: url });
        const { baseUrl } = await world.runHere('api');
        const dying = await world.worker({ FAULT_AT: point });
        const { body, headers } = signedEvent(endpoint);
        const sent = sendTo(baseUrl, endpoint, { body, headers });
        assert.equal(await dying.ended, 'SIGKILL');
        await world.runHere('worker');
        const { status, verdict, id } = await ended(world, endpoint);
        const calls = receiver.callsAt(url).length;
        assert.equal(verdict, 'clean');
        if (point === 'forwardInbound:authorised') assert.deepEqual([status, calls], ['forward_failed', 0]);
        else if (point === 'forwardInbound:called') assert.deepEqual([status, calls], ['forward_failed', 1]);
        else assert.deepEqual([status, calls], ['forwarded', 1]);
        const first = await sent;
        assert((FIRST_ANSWERS[point] ?? [200]).includes(first.status), `answered ${first.status}`);
        assert.deepEqual([first.body.duplicate, first.body.event_id], [false, id]);
        // The provider sends it again, no matter what it was answered: nothing happens a second time.
        const again = await sendTo(baseUrl, endpoint, { body, headers });
        assert.deepEqual([again.status, again.body.duplicate, again.body.event_id], [200, true, id]);
        assert.equal(receiver.callsAt(url).length, calls);
      }),
    );
  }

  for (const point of pointsOfSteps('classifyInbound')) {
    itBeside.inFull(`a worker at ${point}: the model is asked once, and the event goes on`, () =>
      worlds.visit(async (world) => {
        const models = await startModels('openai', { says: '{"injection": false, "confidence": 1}' });
        const { slug, kind, baseUrl: modelUrl } = models.provider;
        const prices = { input_microcents: 25, cached_microcents: 2.5, output_microcents: 200 };
        Object.assign(world.settings, {
          OUTBOUND_ALLOW_LOOPBACK: 'true',
          LLM_PROVIDERS: JSON.stringify([
            { slug, kind, base_url: modelUrl, api_key: MODEL_KEY, models: [{ model: MODEL, ...prices }] },
          ]),
          L3_MODEL: `${slug}/${MODEL}`,
        });
        const url = receiver.urlOf(newId('evt'));
        const endpoint = await newEndpoint(world.context, { forwardUrl: url });
        const { baseUrl } = await world.runHere('api');
        const dying = await world.worker({ FAULT_AT: point });
        const body = JSON.stringify({ link: 'http://169.254.169.254/latest/meta-data/' }); // medium
        const sent = sendTo(baseUrl, endpoint, { body, headers: standardHeaders(endpoint.secret, body) });
        assert.equal(await dying.ended, 'SIGKILL');
        await world.runHere('worker');
        assert.equal((await ended(world, endpoint)).status, 'forwarded');
        await sent;
        assert.deepEqual([models.calls(), receiver.callsAt(url).length], [1, 1]);
        const { classification } = await world.context.pool.one(sql.type(z.object({ classification: z.string() }))`
          select classification from inbound_events where endpoint_id = ${endpoint.id}`);
        assert.equal(classification, 'done');
        await models.stop();
      }),
    );
  }

  itBeside.inFull('a worker during the call to the receiver: it was called once', () =>
    worlds.visit(async (world) => {
      const silent = await startReceiver(hangs);
      world.settings.OUTBOUND_ALLOW_LOOPBACK = 'true';
      const endpoint = await newEndpoint(world.context, { forwardUrl: silent.url });
      const { baseUrl } = await world.runHere('api');
      const dying = await world.worker();
      const { body, headers } = signedEvent(endpoint);
      const sent = sendTo(baseUrl, endpoint, { body, headers });
      await eventually('the call', () => silent.calls.length > 0, { seconds: 60 });
      await dying.kill();
      await world.runHere('worker');
      assert.equal((await ended(world, endpoint)).status, 'forward_failed');
      await sent;
      assert.equal(silent.calls.length, 1);
      await silent.stop();
    }),
  );

  for (const point of pointsOfReceiver()) {
    itBeside(`a process that receives, at ${point}: the provider sends it again, and it counts once`, () =>
      worlds.visit(async (world) => {
        world.settings.OUTBOUND_ALLOW_LOOPBACK = 'true';
        const url = receiver.urlOf(newId('evt'));
        const endpoint = await newEndpoint(world.context, { forwardUrl: url });
        const dying = await world.api({ FAULT_AT: point });
        await world.runHere('worker');
        const { body, headers } = signedEvent(endpoint);
        await assert.rejects(sendTo(dying.baseUrl, endpoint, { body, headers }));
        assert.equal(await dying.ended, 'SIGKILL');
        const { baseUrl } = await world.runHere('api');
        const again = await sendTo(baseUrl, endpoint, { body, headers });
        assert.deepEqual([again.status, again.body.duplicate], [200, isCommitted(point)]);
        assert.equal((await ended(world, endpoint)).status, 'forwarded');
        assert.equal(receiver.callsAt(url).length, 1);
        const { count } = await world.context.pool.one(sql.type(Count)`
          select received as count from inbound_counters where endpoint_id = ${endpoint.id}`);
        assert.equal(count, 1);
      }),
    );
  }

  itBeside(
    'no worker: 503 with Retry-After, the event is kept, and the same request is answered once there is one',
    () =>
      worlds.visit(async (world) => {
        const endpoint = await newEndpoint(world.context);
        const { baseUrl } = await world.runHere('api');
        const { body, headers } = signedEvent(endpoint);
        const first = await sendTo(baseUrl, endpoint, { body, headers });
        assert.deepEqual([first.status, first.body.code], [503, 'TEMPORARILY_UNAVAILABLE']);
        assert.notEqual(first.retryAfter, null);
        await world.runHere('worker');
        const { id } = await ended(world, endpoint);
        const again = await sendTo(baseUrl, endpoint, { body, headers });
        assert.deepEqual([again.status, again.body.event_id, again.body.status], [200, id, 'recorded']);
      }),
  );
});
