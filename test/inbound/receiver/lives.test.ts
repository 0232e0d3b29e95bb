import assert from 'node:assert/strict';
import { z } from 'zod';
import { createPorts } from '../../../activities/ports.ts';
import { sql } from '../../../src/database/pool.ts';
import { newId } from '../../../src/ids/ids.ts';
import { createScanner, standardLimits, type Scanner } from '../../../src/inbound/scanner/index.ts';
import { worldsOfSuite, type World } from '../../faults/worlds.ts';
import { MODEL, MODEL_KEY, startModels, type Behaviour } from '../../models/model-double.ts';
import { startReceiver, type Receiver } from '../../notifications/support/receiver.ts';
import { buildAgent } from '../../support/factories.ts';
import { eventually } from '../../support/eventually.ts';
import { openMarket } from '../../support/market.ts';
import { assertStatus, type Requester } from '../../support/service.ts';
import { sideBySide } from '../../support/side-by-side.ts';
import { buildEndpoint, ENDPOINTS } from '../endpoints/support.ts';
import { hexHeaders, newEndpoint, sendSigned, sendTo } from '../support/endpoints.ts';

const Classified = z.object({ classification: z.string(), severity: z.string(), detectors: z.array(z.string()) });

/** A scanner that holds the content of the one before it until the test lets it go. */
function heldScanner(scanner: Scanner): Scanner & { reached: Promise<void>; release(): void } {
  const [reached, held] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  return {
    ...scanner,
    reached: reached.promise,
    release: held.resolve,
    async scan(input, caller) {
      reached.resolve();
      await held.promise;
      return scanner.scan(input, caller);
    },
  };
}

/** An operator with a key and an agent, over HTTP. */
async function operatorOf({ settings }: World, baseUrl: string): Promise<{ operator: Requester; agentId: string }> {
  const place = {
    baseUrl,
    adminKey: settings['PLATFORM_ADMIN_KEY'] ?? '',
    databaseUrl: settings['DATABASE_URL'] ?? '',
  };
  const { consumer: operator } = await openMarket(place);
  return { operator, agentId: (await buildAgent(operator)).id };
}

describe('A request to the receiver, and the life of its event', function () {
  this.timeout(300_000);
  const itBeside = sideBySide();
  const worlds = worldsOfSuite();
  let receiver: Receiver;
  before(async () => {
    receiver = await startReceiver();
  });
  after(() => receiver.stop());

  itBeside(
    'revoked while the scanner has it: the revocation is answered, then the request is 410, and nothing leaves',
    () =>
      worlds.visit(async (world) => {
        world.settings['OUTBOUND_ALLOW_LOOPBACK'] = 'true';
        const scanner = heldScanner(createPorts(world.context).scanner);
        const { baseUrl } = await world.runHere('api');
        await world.workWith({ scanner });
        const { operator, agentId } = await operatorOf(world, baseUrl);
        const url = receiver.urlOf(newId('evt'));
        const endpoint = await buildEndpoint(operator, { agent_id: agentId, forward_url: url });
        const to = { path: new URL(endpoint.receiver_url).pathname };
        const body = '{"note":"Two boxes, please."}';
        let answered = false;
        const sent = sendTo(baseUrl, to, body, hexHeaders(endpoint.secret, body)).finally(() => (answered = true));
        await scanner.reached;
        const { status } = assertStatus(await operator.delete<{ status: string }>(`${ENDPOINTS}/${endpoint.id}`), 200);
        assert.deepEqual([status, answered], ['revoked', false], 'the request waits for its event');
        scanner.release();
        const reply = await sent;
        assert.deepEqual([reply.status, reply.body.code], [410, 'ENDPOINT_REVOKED']);
        const again = await sendTo(baseUrl, to, body, hexHeaders(endpoint.secret, body));
        assert.deepEqual([again.status, receiver.callsAt(url).length], [410, 0]);
        const shown = await operator.get<{ events: { status: string; forwards: unknown[] }[] }>(
          `${ENDPOINTS}/${endpoint.id}/events`,
        );
        assert.deepEqual(
          assertStatus(shown, 200).events.map(({ status: of, forwards }) => [of, forwards]),
          [['revoked', []]],
        );
      }),
  );

  itBeside(
    'whose scan ends with its thread: 503 SCAN_FAILED, nothing leaves, and the next delivery is another attempt',
    () =>
      worlds.visit(async (world) => {
        world.settings['OUTBOUND_ALLOW_LOOPBACK'] = 'true';
        // A thread that has not the memory for a list of a million members dies of it, and one that has is as any other.
        const [narrow, standard] = [createScanner({ ...standardLimits, heapMb: 48 }), createScanner()];
        let dying = true;
        await world.workWith({
          scanner: {
            ...standard,
            scan: (input, caller) => (dying ? narrow : standard).scan(input, caller),
            close: async () => void (await Promise.all([narrow.close(), standard.close()])),
          },
        });
        const { baseUrl } = await world.runHere('api');
        const url = receiver.urlOf(newId('evt'));
        const endpoint = await newEndpoint(world.context, {
          provider: 'mail_provider',
          forwardUrl: url,
          mode: 'shadow',
        });
        const body = JSON.stringify({ from: 'a@example.com', html: '<p>a</p>'.repeat(600_000) });
        const headers = hexHeaders(endpoint.secret, body);
        for (const attempt of [1, 2]) {
          const reply = await sendTo(baseUrl, endpoint, body, headers);
          assert.deepEqual([reply.status, reply.body.code], [503, 'SCAN_FAILED'], `attempt ${attempt}`);
          assert.notEqual(reply.retryAfter, null);
          const row = await world.context.pool.one(
            sql.type(
              z.object({ status: z.string(), reason: z.string(), attempt: z.number() }),
            )`select status, reason, attempt from inbound_events where endpoint_id = ${endpoint.id}`,
          );
          assert.deepEqual(row, { status: 'failed', reason: 'scan_failed', attempt });
        }
        assert.equal(
          receiver.callsAt(url).length,
          0,
          'what was not scanned is not forwarded, not in mode shadow either',
        );
        dying = false;
        const reply = await sendTo(baseUrl, endpoint, body, headers);
        assert.deepEqual([reply.status, reply.body.status, reply.body.duplicate], [200, 'forwarded', false]);
        const { received, rejected } = await world.context.pool.one(
          sql.type(
            z.object({ received: z.number(), rejected: z.number() }),
          )`select received, rejected from inbound_counters where endpoint_id = ${endpoint.id}`,
        );
        assert.deepEqual([received, rejected], [1, 0]);
      }),
  );

  itBeside('that waits for its turn longer than 15 seconds: 202, and a duplicate of it 503, until it is over', () =>
    worlds.visit(async (world) => {
      world.settings['OUTBOUND_ALLOW_LOOPBACK'] = 'true';
      const { pool } = world.context;
      const { baseUrl } = await world.runHere('api', 'worker');
      const url = receiver.urlOf(newId('evt'));
      const endpoint = await newEndpoint(world.context, { forwardUrl: url });
      const { operatorId } = endpoint;
      const other = await newEndpoint(world.context, { operatorId });
      const first = await sendSigned(baseUrl, other, { n: 0 });
      // Eight calls that no life of theirs settles: their event has ended.
      await pool.query(sql.type(z.object({}))`
        insert into inbound_forwards (id, event_id, endpoint_id, operator_id, attempt)
        select 'ifw_' || n, ${first.body.event_id ?? ''}, ${other.id}, ${operatorId}, 100 + n from generate_series(1, 8) n`);
      const body = '{"note":"Two boxes, please."}';
      const headers = hexHeaders(endpoint.secret, body);
      const begun = performance.now();
      const [reply, duplicate] = await Promise.all([
        sendTo(baseUrl, endpoint, body, headers),
        (async () => {
          await eventually('the event to be there', () =>
            pool.exists(sql.type(z.object({}))`select from inbound_events where endpoint_id = ${endpoint.id}`),
          );
          return await sendTo(baseUrl, endpoint, body, headers);
        })(),
      ]);
      assert(performance.now() - begun >= 15_000, 'the request was kept waiting');
      assert.deepEqual(
        [reply.status, reply.body.status, reply.body.duplicate, reply.body.forwarded, reply.body.verdict?.verdict],
        [202, 'scanning', false, false, 'clean'],
      );
      assert.deepEqual([duplicate.status, duplicate.body.code], [503, 'TEMPORARILY_UNAVAILABLE']);
      assert.notEqual(duplicate.retryAfter, null);
      assert.equal(receiver.callsAt(url).length, 0);
      await pool.query(sql.type(z.object({}))`delete from inbound_forwards where id like 'ifw__'`);
      const again = await sendTo(baseUrl, endpoint, body, headers);
      assert.deepEqual([again.status, again.body.status, again.body.duplicate], [200, 'forwarded', true]);
      assert.equal(receiver.callsAt(url).length, 1);
    }),
  );

  const answers: [what: string, behave: Behaviour, expected: unknown[]][] = [
    [
      'clean: it is forwarded',
      { says: '{"injection": false, "confidence": 0.9}' },
      [200, 'forwarded', 'done', 'medium', false, 1],
    ],
    [
      'hostile: it is held',
      { says: '{"injection": true, "confidence": 0.9}' },
      [200, 'blocked', 'done', 'high', true, 0],
    ],
    ['talk: it is held', { says: 'I think it is harmless.' }, [200, 'blocked', 'failed', 'high', false, 0]],
    ['a failure: it is held', { status: 500 }, [200, 'blocked', 'failed', 'high', false, 0]],
    ['a broken connection: it is held', 'reset', [200, 'blocked', 'failed', 'high', false, 0]],
  ];
  for (const [what, behave, expected] of answers) {
    itBeside(`that a model answers with ${what}`, () =>
      worlds.visit(async (world) => {
        const models = await startModels('openai', behave);
        const { slug, kind, baseUrl: modelUrl } = models.provider;
        const prices = { input_microcents: 25, cached_microcents: 2.5, output_microcents: 200 };
        Object.assign(world.settings, {
          OUTBOUND_ALLOW_LOOPBACK: 'true',
          LLM_PROVIDERS: JSON.stringify([
            { slug, kind, base_url: modelUrl, api_key: MODEL_KEY, models: [{ model: MODEL, ...prices }] },
          ]),
          L3_MODEL: `${slug}/${MODEL}`,
        });
        const { baseUrl } = await world.runHere('api', 'worker');
        const url = receiver.urlOf(newId('evt'));
        const endpoint = await newEndpoint(world.context, { forwardUrl: url });
        const { status, body } = await sendSigned(baseUrl, endpoint, { link: 'http://169.254.169.254/latest/' });
        const row = await world.context.pool.one(sql.type(Classified)`
          select classification, severity, array(select f ->> 'detector_key' from jsonb_array_elements(findings) f) as detectors
          from inbound_events where endpoint_id = ${endpoint.id}`);
        const isOrder = row.detectors.includes('instruction_override');
        const calls = receiver.callsAt(url).length;
        assert.deepEqual([status, body.status, row.classification, row.severity, isOrder, calls], expected);
        assert.equal(models.calls(), 1);
        await models.stop();
      }),
    );
  }

  itBeside('that is clean or grave: no model is asked', () =>
    worlds.visit(async (world) => {
      const models = await startModels('openai', { says: '{"injection": false, "confidence": 1}' });
      const { slug, kind, baseUrl: modelUrl } = models.provider;
      const prices = { input_microcents: 25, cached_microcents: 2.5, output_microcents: 200 };
      Object.assign(world.settings, {
        LLM_PROVIDERS: JSON.stringify([
          { slug, kind, base_url: modelUrl, api_key: MODEL_KEY, models: [{ model: MODEL, ...prices }] },
        ]),
        L3_MODEL: `${slug}/${MODEL}`,
      });
      const { baseUrl } = await world.runHere('api', 'worker');
      const endpoint = await newEndpoint(world.context, { forwardUrl: 'https://93.184.216.34/hook', blockAt: 'low' });
      const held = await sendSigned(baseUrl, endpoint, { link: 'http://169.254.169.254/latest/' });
      assert.equal(held.body.status, 'blocked');
      const silent = await newEndpoint(world.context);
      assert.equal((await sendSigned(baseUrl, silent, { n: 1 })).body.status, 'recorded');
      assert.equal(models.calls(), 0);
      await models.stop();
    }),
  );
});
