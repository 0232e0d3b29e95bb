import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { sql } from '../../../src/database/pool.ts';
import { freePort } from '../../../src/embedded/ports.ts';
import { createOutbound } from '../../../src/outbound/index.ts';
import { metricsText } from '../../../src/metrics/metrics.ts';
import { advanceNotification, sendNotifications, type SenderContext } from '../../../src/notifications/index.ts';
import { redeliver } from '../../../src/notifications/deliveries/redeliver.ts';
import { run } from '../../billing/ledger/ledger-world.ts';
import { callOf } from '../../invocations/own-context.ts';
import { countsOf, deliveriesOf, newWebhook, recordEvents, standingOf } from '../support/destinations.ts';
import { answers, drips, floods, hangs, resets, type Behaviour } from '../support/receiver.ts';
import { senderOfSuite } from '../support/sender.ts';

describe('Sending what waits for a destination', function () {
  this.timeout(60_000);
  const { opened, receiver, send, only } = senderOfSuite();
  let context: SenderContext;
  before(() => void (context = opened()));

  describe('to a webhook', () => {
    it('sends event_type, severity, payload and timestamp, signed', async () => {
      const { url, calls } = await receiver(answers(204));
      const webhook = await newWebhook(context, url);
      const [eventId] = await recordEvents(context, webhook.operatorId, { payload: { flags: [{ type: 'a', n: 1 }] } });
      await send(webhook);
      const [call] = calls;
      assert(call !== undefined && calls.length === 1);
      const body = JSON.parse(call.body) as Record<string, unknown>;
      assert.deepEqual(Object.keys(body), ['event_type', 'severity', 'payload', 'timestamp']);
      assert.deepEqual(
        { ...body, timestamp: '' },
        {
          event_type: 'passport.flagged',
          severity: 'critical',
          payload: { jti: 'psp_1', agent_id: 'ag_1', flags: [{ type: 'a', n: 1 }] },
          timestamp: '',
        },
      );
      assert.match(String(body.timestamp), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
      assert.equal(call.id, eventId);
      assert.equal(call.headers['content-type'], 'application/json');
      assert.equal(
        call.headers['x-service-signature'],
        createHmac('sha256', webhook.secret).update(call.body).digest('hex'),
      );
      const { latency_ms: latency, ...row } = await only(webhook);
      assert(latency !== null && latency < 5_000);
      assert.deepEqual(
        { status: row.status, reason: row.reason, code: row.status_code, error: row.error },
        { status: 'delivered', reason: null, code: 204, error: null },
      );
    });

    it('signs with both secrets for the day after a rotation, and with the new one alone from then on', async () => {
      const { url, calls } = await receiver();
      const webhook = await newWebhook(context, url);
      const rotated = (hours: number) =>
        run(
          context.pool,
          sql.fragment`update destinations set old_secret = secret, old_secret_until = now() + make_interval(hours => ${hours}) where id = ${webhook.id}`,
        );
      await rotated(1);
      await recordEvents(context, webhook.operatorId);
      await send(webhook);
      await rotated(-1);
      await recordEvents(context, webhook.operatorId);
      await send(webhook);
      const signatures = calls.map(({ headers }) => String(headers['webhook-signature']).split(' ').length);
      assert.deepEqual(signatures, [2, 1]);
    });

    const cases: {
      what: string;
      behave: Behaviour;
      status: string;
      reason: string | null;
      code: number | null;
    }[] = [
      { what: 'answers 200', behave: answers(200), status: 'delivered', reason: null, code: 200 },
      { what: 'answers 204', behave: answers(204), status: 'delivered', reason: null, code: 204 },
      {
        what: 'answers 302 (which is not followed)',
        behave: answers(302, { location: 'http://127.0.0.1:1/' }),
        status: 'failed',
        reason: 'http_status',
        code: 302,
      },
      { what: 'answers 410', behave: answers(410), status: 'failed', reason: 'http_status', code: 410 },
      { what: 'answers 500', behave: answers(500), status: 'failed', reason: 'http_status', code: 500 },
      { what: 'answers 200 and ten megabytes', behave: floods, status: 'delivered', reason: null, code: 200 },
      { what: 'resets the connection', behave: resets, status: 'unknown', reason: 'broken', code: null },
      { what: 'never answers', behave: hangs, status: 'unknown', reason: 'timeout', code: null },
      { what: 'answers one byte a second', behave: drips, status: 'unknown', reason: 'timeout', code: null },
    ];
    it('writes down what a receiver makes of it', async () => {
      await Promise.all(
        cases.map(async ({ what, behave, status, reason, code }) => {
          const { url, calls } = await receiver(behave);
          const webhook = await newWebhook(context, url);
          await recordEvents(context, webhook.operatorId);
          await send(webhook);
          const row = await only(webhook);
          assert.deepEqual(
            { what, status: row.status, reason: row.reason, code: row.status_code },
            { what, status, reason, code },
          );
          assert.equal(row.error === null, status === 'delivered', what);
          assert.equal(calls.length, 1, `${what}: it was called once`);
          assert.equal((await standingOf(context, webhook)).failures_in_row, status === 'delivered' ? 0 : 1, what);
        }),
      );
    });

    it('writes down that nobody listens, and that the address may not be called', async () => {
      const strict = {
        ...context,
        outbound: createOutbound({ allowLoopback: false, publicBaseUrl: 'https://x.test' }),
      };
      const expected = [
        { url: `http://127.0.0.1:${await freePort()}/`, with: context, reason: 'connect_failed' },
        { url: 'https://127.0.0.1/', with: strict, reason: 'address_refused' },
      ];
      for (const { url, with: sender, reason } of expected) {
        const webhook = await newWebhook(context, url);
        await recordEvents(context, webhook.operatorId);
        await sendNotifications(sender, webhook.id);
        const row = await only(webhook);
        assert.deepEqual({ status: row.status, reason: row.reason }, { status: 'failed', reason });
      }
    });

    it('fails where no key opens the secret any more, and calls nobody', async () => {
      const { url, calls } = await receiver();
      const webhook = await newWebhook(context, url);
      await run(
        context.pool,
        sql.fragment`update destinations set secret = 'sealed otherwise' where id = ${webhook.id}`,
      );
      await recordEvents(context, webhook.operatorId);
      await send(webhook);
      assert.deepEqual(await countsOf(context, webhook), { 'failed internal_error': 1 });
      assert.equal(calls.length, 0);
    });

    it('makes eight calls in parallel and sends everything that waits, each event once', async () => {
      const waiting: (() => void)[] = [];
      const busy = await receiver((answer) => {
        waiting.push(() => void answer.writeHead(200).end());
        if (waiting.length === 8) for (const release of waiting.splice(0)) release();
      });
      const webhook = await newWebhook(context, busy.url);
      const ids = await recordEvents(context, webhook.operatorId, { count: 24 });
      await send(webhook);
      assert.deepEqual(await countsOf(context, webhook), { delivered: 24 });
      assert.deepEqual(busy.calls.map(({ id }) => id).toSorted(), ids.toSorted());
      assert.equal(busy.most, 8);
    });

    it('looks for more where a batch was full, and not where fewer waited', async () => {
      for (const [count, delivered] of [
        [7, 7],
        [8, 9],
      ] as const) {
        const { url } = await receiver();
        const webhook = await newWebhook(context, url);
        await recordEvents(context, webhook.operatorId, { count });
        let found = 0;
        // An event comes when it has just seen that nothing waits.
        const any: typeof context.pool.any = async (query) => {
          const rows = await context.pool.any(query);
          found += rows.length;
          if (rows.length === 0 && found === count) await recordEvents(context, webhook.operatorId);
          return rows;
        };
        await sendNotifications({ ...context, pool: { ...context.pool, any } }, webhook.id);
        assert.deepEqual(await countsOf(context, webhook), {
          delivered,
          ...(delivered === count ? { sending: 1 } : {}),
        });
      }
    });

    it('begins nothing twice, though two send in parallel', async () => {
      const { url, calls } = await receiver();
      const webhook = await newWebhook(context, url);
      const ids = await recordEvents(context, webhook.operatorId, { count: 40 });
      await Promise.all([send(webhook), send(webhook), send(webhook)]);
      assert.deepEqual(calls.map(({ id }) => id).toSorted(), ids.toSorted());
    });

    it('redelivers by hand the same bytes under the same id, as the next delivery of the event', async () => {
      const { url, calls } = await receiver(answers(500));
      const webhook = await newWebhook(context, url);
      await recordEvents(context, webhook.operatorId, { payload: { big: 12_345_678_901_234, text: 'ü\u2028' } });
      await send(webhook);
      const first = await only(webhook);
      await redeliver(context, callOf(webhook.operatorId, 'redeliver'), first.id);
      await redeliver(context, callOf(webhook.operatorId, 'redeliver'), first.id);
      await send(webhook);
      const rows = await deliveriesOf(context, webhook);
      assert.deepEqual(new Set(rows.map(({ ordinal }) => ordinal)), new Set([0, 1, 2]));
      assert.equal(new Set(calls.map(({ body }) => body)).size, 1);
      assert.equal(new Set(calls.map(({ id }) => id)).size, 1);
      assert.equal(calls.length, 3);
    });

    it('are forgotten with their event', async () => {
      const { url } = await receiver();
      const webhook = await newWebhook(context, url);
      const [eventId] = await recordEvents(context, webhook.operatorId);
      await recordEvents(context, webhook.operatorId);
      await send(webhook);
      await run(context.pool, sql.fragment`delete from service_events where id = ${eventId ?? ''}`);
      assert.deepEqual(await countsOf(context, webhook), { delivered: 1 });
    });

    it('counts their outcomes', async () => {
      const count = async (): Promise<number> => {
        const line = /^carnet_notification_deliveries_total\{[^}]*channel="webhook",status="failed"[^}]*\} (\d+)/m;
        return Number(line.exec(await metricsText())?.[1] ?? 0);
      };
      const before = await count();
      const { url } = await receiver(answers(500));
      const webhook = await newWebhook(context, url);
      await recordEvents(context, webhook.operatorId, { count: 3 });
      await send(webhook);
      assert.equal((await count()) - before, 3);
    });
  });

  describe('where nothing may be sent', () => {
    it('a tier without webhooks leaves `destination_paused`, at the event and for what waited', async () => {
      const { url, calls } = await receiver();
      const webhook = await newWebhook(context, url);
      await recordEvents(context, webhook.operatorId);
      await run(context.pool, sql.fragment`update operators set tier = 'free' where id = ${webhook.operatorId}`);
      await recordEvents(context, webhook.operatorId);
      await send(webhook);
      const step = await advanceNotification(context, webhook.id);
      assert.equal(step.status, 'idle');
      assert.deepEqual(await countsOf(context, webhook), { 'failed destination_paused': 2 });
      for (const { error } of await deliveriesOf(context, webhook)) assert.match(error ?? '', /paused/);
      assert.equal(calls.length, 0);
    });

    it('a suspended operator leaves `operator_suspended`, at the event and for what waited', async () => {
      const { url, calls } = await receiver();
      const webhook = await newWebhook(context, url);
      await recordEvents(context, webhook.operatorId);
      await run(context.pool, sql.fragment`update operators set status = 'suspended' where id = ${webhook.operatorId}`);
      await recordEvents(context, webhook.operatorId);
      await send(webhook);
      assert.equal((await advanceNotification(context, webhook.id)).status, 'idle');
      assert.deepEqual(await countsOf(context, webhook), { 'failed operator_suspended': 2 });
      for (const { error } of await deliveriesOf(context, webhook)) assert.match(error ?? '', /suspended/);
      assert.equal(calls.length, 0);
    });

    it('a destination that is gone leaves `destination_deleted` for what waited, and its life ends', async () => {
      const { url } = await receiver();
      const webhook = await newWebhook(context, url);
      await recordEvents(context, webhook.operatorId);
      await run(context.pool, sql.fragment`delete from destinations where id = ${webhook.id}`);
      assert.equal((await advanceNotification(context, webhook.id)).status, 'idle');
      assert.deepEqual(await countsOf(context, webhook), { 'failed destination_deleted': 1 });
      assert.match((await only(webhook)).error ?? '', /was deleted/);
    });

    it('one that is not verified any more leaves `destination_unverified`', async () => {
      const { url } = await receiver();
      const webhook = await newWebhook(context, url);
      await run(context.pool, sql.fragment`update destinations set verified_at = null where id = ${webhook.id}`);
      await recordEvents(context, webhook.operatorId);
      assert.deepEqual(await countsOf(context, webhook), { 'failed destination_unverified': 1 });
      assert.match((await only(webhook)).error ?? '', /not verified/);
    });
  });
});
