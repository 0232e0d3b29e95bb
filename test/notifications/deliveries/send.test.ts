import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { z } from 'zod';
import { createPorts } from '../../../activities/ports.ts';
import { assertLedger } from '../../../src/billing/index.ts';
import { withCaches } from '../../../src/context/caches.ts';
import { sql } from '../../../src/database/pool.ts';
import { channels } from '../../../src/notifications/channels/registry.ts';
import { freePort } from '../../../src/embedded/ports.ts';
import { createOutbound } from '../../../src/outbound/index.ts';
import { metricsText } from '../../../src/metrics/metrics.ts';
import { lifeId } from '../../../src/ids/life-ids.ts';
import { mailSeal } from '../../../src/mail/write-mail.ts';
import { advanceNotification, sendNotifications, type SenderContext } from '../../../src/notifications/index.ts';
import { redeliver } from '../../../src/notifications/deliveries/redeliver.ts';
import { openWorkerPool } from '../../../src/process/open-context.ts';
import { credit, run } from '../../billing/ledger/ledger-world.ts';
import { callOf, ownContext, type OwnContext } from '../../invocations/own-context.ts';
import { startMailServer, type MailServer } from '../../mail/mail-server.ts';
import { eventually } from '../../support/eventually.ts';
import {
  countsOf,
  deliveriesOf,
  newDestination,
  newOperator,
  newRule,
  newWebhook,
  recordEvents,
  standingOf,
  type TestDestination,
} from '../support/destinations.ts';
import { answers, drips, floods, hangs, receiversOfSuite, resets, type Behaviour } from '../support/receiver.ts';
import { looksAgainIn, lookAfterLives, messagesOf } from '../../support/due-lives.ts';

describe('Sending what waits for a destination', function () {
  this.timeout(60_000);
  let own: OwnContext;
  let context: SenderContext;
  const { receiver, stopReceivers } = receiversOfSuite();
  const mailServers: MailServer[] = [];
  before(async () => {
    own = await ownContext();
    const outbound = createOutbound({ allowLoopback: true, publicBaseUrl: 'https://carnet.example.test' });
    context = { ...own.context, outbound, ...createPorts(own.context) };
  });
  after(async () => {
    await stopReceivers();
    await Promise.all(mailServers.map((one) => one.stop()));
    await assertLedger(own.context.pool);
    await own.close();
  });

  const send = ({ id }: TestDestination): Promise<void> => sendNotifications(context, id);
  const only = async (destination: TestDestination) => {
    const [row, ...others] = await deliveriesOf(context, destination);
    assert(row !== undefined && others.length === 0, 'it has one delivery');
    return row;
  };

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

  describe('by e-mail', () => {
    const mailbox = async (operatorId: string): Promise<TestDestination> => {
      const destination = await newDestination(context, {
        operatorId,
        channel: 'email',
        destination: 'ada@example.test',
      });
      await newRule(context, { destinations: [destination], events: ['passport.*', 'agent.*'] });
      return destination;
    };
    const sendBy = async (options: Parameters<typeof startMailServer>[0]): Promise<MailServer> => {
      const server = await startMailServer(options);
      mailServers.push(server);
      context.config.mail = { smtpUrl: `smtp://127.0.0.1:${server.port}`, from: 'Carnet <carnet@example.test>' };
      return server;
    };

    it('says what happened, to whom, where to act, and how to end it', async () => {
      const server = await sendBy({});
      const box = await mailbox(await newOperator(context));
      await recordEvents(context, box.operatorId, {
        type: 'agent.blocked',
        payload: { agent_id: 'ag_7', reason: 'It paid twice.' },
      });
      await send(box);
      assert.deepEqual(await countsOf(context, box), { delivered: 1 });
      const [mail] = server.received;
      assert.deepEqual(mail?.to, ['ada@example.test']);
      const text = mail?.raw.replace(/=\r\n/g, '') ?? '';
      for (const part of [
        'Subject: Carnet: agent.blocked (critical), ag_7',
        'Agent ag_7 was blocked',
        'It paid twice.',
        `${context.config.publicBaseUrl}/dashboard`,
        `\n${context.config.publicBaseUrl}/unsubscribe/${box.id}.`,
        `Message-ID: <${(await only(box)).id}@`,
      ]) {
        assert(text.includes(part), `${part}\n${text}`);
      }
    });

    it('fails where the mail server refuses, does not take it now, or is away; and is not tried again', async () => {
      for (const [refuses, reason] of [
        [550, 'refused'],
        [451, 'not_taken'],
      ] as const) {
        await sendBy({ refuses });
        const box = await mailbox(await newOperator(context));
        await recordEvents(context, box.operatorId);
        await send(box);
        await send(box);
        assert.deepEqual(await countsOf(context, box), { [`failed ${reason}`]: 1 });
        assert.equal((await standingOf(context, box)).failures_in_row, reason === 'refused' ? 1 : 0, reason);
      }
      context.config.mail = { smtpUrl: `smtp://127.0.0.1:${await freePort()}`, from: 'carnet@example.test' };
      const box = await mailbox(await newOperator(context));
      await recordEvents(context, box.operatorId);
      await send(box);
      assert.deepEqual(await countsOf(context, box), { 'failed not_taken': 1 });
      assert.equal((await standingOf(context, box)).failures_in_row, 0, 'the mail server is not the receiver');
    });

    it('is unknown where the text had left and no answer came, and failed where the answer refuses it; and is not tried again', async () => {
      for (const [afterText, outcome] of [
        [554, 'failed refused'],
        [451, 'failed not_taken'],
        ['reset', 'unknown broken'],
      ] as const) {
        const server = await sendBy({ afterText });
        const box = await mailbox(await newOperator(context));
        await recordEvents(context, box.operatorId);
        await send(box);
        await send(box);
        assert.deepEqual(await countsOf(context, box), { [outcome]: 1 });
        assert.equal(server.received.length, 1, 'the server has read the text once');
      }
    });

    const MonthRow = z.object({ used: z.number(), overage: z.number() });
    const month = ({ operatorId }: TestDestination) =>
      context.pool.one(
        sql.type(
          MonthRow,
        )`select used, overage from usage_counters where operator_id = ${operatorId} and meter = 'email'`,
      );
    /** Leaves one of the hundred that the tier free includes. */
    const useAllButOne = ({ operatorId }: TestDestination) =>
      run(
        context.pool,
        sql.fragment`insert into usage_counters (operator_id, meter, month, used) values (${operatorId}, 'email', utc_month(clock_timestamp()), 99)`,
      );

    it('over the allowance costs what it costs the platform and 15 %, once a mail; a repeated one costs again', async () => {
      await sendBy({});
      const box = await mailbox(await newOperator(context, 'free'));
      await credit(context.pool, box.operatorId, { cents: 10, cause: `test:${box.operatorId}` });
      await useAllButOne(box);
      await recordEvents(context, box.operatorId, { count: 3 });
      await send(box);
      assert.deepEqual(await countsOf(context, box), { delivered: 3 });
      assert.deepEqual(await month(box), { used: 102, overage: 2 });
      const charged = await context.pool.any(
        sql.type(z.object({ meter: z.string(), cost_microcents: z.number(), microcents: z.number() }))`
          select meter, cost_microcents, microcents from usage_charges where operator_id = ${box.operatorId}`,
      );
      assert.deepEqual(charged, [
        { meter: 'email', cost_microcents: 10_000, microcents: 11_500 },
        { meter: 'email', cost_microcents: 10_000, microcents: 11_500 },
      ]);
    });

    it('over the allowance brings the wallet below its threshold, which the pool of the worker passes on at the commit', async () => {
      await sendBy({});
      const operatorId = await newOperator(context, 'free');
      const box = await mailbox(operatorId);
      await credit(context.pool, operatorId, { cents: 10, cause: `test:${operatorId}` });
      await useAllButOne(box);
      // The meter has 989,000 microcents of a cent, so that the next mail over the allowance makes one.
      await run(
        context.pool,
        sql.fragment`select charge_usage(${`test:${operatorId}`}, ${operatorId}, 'email', 860000, 'before')`,
      );
      await run(context.pool, sql.fragment`update operators set low_balance_cents = 10 where id = ${operatorId}`);
      const other = await newDestination(context, { operatorId, channel: 'email', destination: 'low@example.test' });
      await newRule(context, { destinations: [other], events: ['wallet.low_balance'] });
      await recordEvents(context, operatorId, { count: 2 });
      let notices = 0;
      const delivery = { ...context.delivery, messagesCommitted: () => void (notices += 1) };
      const pool = await openWorkerPool({ ...context, delivery });
      try {
        await sendNotifications(withCaches({ ...context, pool }), box.id);
        await eventually('the notice', () => notices === 1);
      } finally {
        await pool.end();
      }
      assert.deepEqual(await countsOf(context, other), { sending: 1 });
    });

    it('is suppressed where the wallet does not cover it, and that is no failure of the destination', async () => {
      const server = await sendBy({});
      const box = await mailbox(await newOperator(context, 'free'));
      await useAllButOne(box);
      await recordEvents(context, box.operatorId, { count: 3 });
      await send(box);
      assert.deepEqual(await countsOf(context, box), { delivered: 1, 'suppressed_cap insufficient_credits': 2 });
      assert.match((await deliveriesOf(context, box))[2]?.error ?? '', /wallet does not cover/);
      assert.equal(server.received.length, 1);
      assert.deepEqual(await month(box), { used: 100, overage: 0 });
      assert.equal((await standingOf(context, box)).failures_in_row, 0);
    });
  });

  describe('by SMS', () => {
    const NUMBER = '+15551230000';
    const phone = async (operatorId: string): Promise<TestDestination> => {
      const destination = await newDestination(context, {
        operatorId,
        channel: 'sms',
        destination: '+1 (555) 123-0000',
        normalised: NUMBER,
      });
      await newRule(context, { destinations: [destination], events: ['agent.blocked'] });
      return destination;
    };
    const texts = () =>
      context.pool.any(
        sql.type(
          z.object({ id: z.string(), text: z.string() }),
        )`select id, text from mails where recipient = ${NUMBER}`,
      );

    it('sends what fits in two parts; over the monthly number of the tier it is suppressed, and nothing is charged', async () => {
      context.config.sms = { provider: 'outbox' };
      const one = await phone(await newOperator(context)); // developer: ten a month
      await credit(context.pool, one.operatorId, { cents: 1_000, cause: `test:${one.operatorId}` });
      await recordEvents(context, one.operatorId, {
        type: 'agent.blocked',
        count: 12,
        payload: { agent_id: 'ag_7', reason: 'It paid twice.' },
      });
      await send(one);
      await send(one);
      assert.deepEqual(await countsOf(context, one), { delivered: 10, 'suppressed_cap sms_cap': 2 });
      assert.match((await deliveriesOf(context, one))[11]?.error ?? '', /no more SMS this month/);
      const [sms, ...others] = await texts();
      assert.equal(others.length, 9);
      const text = context.encryption.open(sms?.text ?? '', mailSeal(sms?.id ?? ''));
      assert(text.startsWith('Carnet, critical: Agent ag_7 was blocked.'), text);
      assert.equal(
        await context.pool.oneFirst(
          sql.type(
            z.object({ count: z.number() }),
          )`select count(*)::int from usage_charges where operator_id = ${one.operatorId}`,
        ),
        0,
      );
      assert.equal((await standingOf(context, one)).failures_in_row, 0);
    });

    it('fails where nobody sends SMS any more', async () => {
      context.config.sms = undefined;
      const one = await phone(await newOperator(context));
      await recordEvents(context, one.operatorId, { type: 'agent.blocked' });
      await send(one);
      assert.deepEqual(await countsOf(context, one), { 'failed not_taken': 1 });
      assert.equal((await standingOf(context, one)).failures_in_row, 0);
    });
  });

  describe('where the destination keeps failing', () => {
    const Mail = z.object({ id: z.string(), subject: z.string(), text: z.string() });
    const mailsTo = (operatorId: string) =>
      context.pool.any(sql.type(Mail)`
        select id, subject, text from mails where recipient = ${`${operatorId}@example.test`} order by id`);
    const fail = async (webhook: TestDestination, count: number): Promise<void> => {
      await recordEvents(context, webhook.operatorId, { count });
      await send(webhook);
    };

    it('mails the registered address after 5, 10 and 15 in a row, without path and query of the webhook', async () => {
      context.config.mail = undefined;
      const { url } = await receiver(answers(500));
      const webhook = await newWebhook(context, `${url}?token=opens-something`);
      await fail(webhook, 4);
      assert.equal((await mailsTo(webhook.operatorId)).length, 0);
      await fail(webhook, 1);
      assert.equal((await mailsTo(webhook.operatorId)).length, 1);
      await fail(webhook, 10);
      const mails = await mailsTo(webhook.operatorId);
      assert.equal(mails.length, 3);
      for (const { id, subject, text: sealed } of mails) {
        assert.equal(subject, `Your webhook ${webhook.id} does not receive`);
        const text = context.encryption.open(sealed, mailSeal(id));
        for (const part of [new URL(url).host, webhook.id, 'The receiver answered 500.', '/recover'])
          assert(text.includes(part), text);
        assert(!text.includes('opens-something'), text);
      }
      await fail(webhook, 10);
      assert.equal((await mailsTo(webhook.operatorId)).length, 3, 'there is no fourth one');
    });

    it('does not disable it after twenty within twelve hours, and does where they last longer', async () => {
      context.config.mail = undefined;
      const { url } = await receiver(answers(500));
      const webhook = await newWebhook(context, url);
      await fail(webhook, 20);
      assert.deepEqual(await standingOf(context, webhook), {
        failures_in_row: 20,
        failing: true,
        disabled_reason: null,
        sends: true,
      });
      await run(
        context.pool,
        sql.fragment`update destinations set failing_since = failing_since - interval '12 hours' where id = ${webhook.id}`,
      );
      await fail(webhook, 1);
      assert.equal((await standingOf(context, webhook)).disabled_reason, 'failing');
      const mails = await mailsTo(webhook.operatorId);
      assert.equal(mails.at(-1)?.subject, `Your webhook ${webhook.id} was disabled`);
      // From then on nothing waits for it, and nobody is called.
      await recordEvents(context, webhook.operatorId, { count: 2 });
      const counts = await countsOf(context, webhook);
      assert.deepEqual(counts, { 'failed http_status': 21, 'failed destination_disabled': 2 });
      assert.match((await deliveriesOf(context, webhook)).at(-1)?.error ?? '', /was disabled/);
      assert.equal((await mailsTo(webhook.operatorId)).length, mails.length, 'what was not sent is no failure');
    });

    it('mails no address that was never proven to be theirs, and no name that the operator chose', async () => {
      context.config.mail = undefined;
      const { url } = await receiver(answers(500));
      const [strange, proven] = [await newWebhook(context, url), await newWebhook(context, url)];
      const rename = ({ operatorId }: TestDestination, registered: boolean) =>
        run(
          context.pool,
          sql.fragment`update operators set name = 'Buy at evil.example', email_registered = ${registered} where id = ${operatorId}`,
        );
      await rename(strange, false);
      await rename(proven, true);
      for (const webhook of [strange, proven]) await fail(webhook, 5);
      assert.equal((await standingOf(context, strange)).failures_in_row, 5);
      assert.deepEqual(await mailsTo(strange.operatorId), []);
      const [mail] = await mailsTo(proven.operatorId);
      const text = context.encryption.open(mail?.text ?? '', mailSeal(mail?.id ?? ''));
      assert(text.includes(`Operator: ${proven.operatorId}\n`), text);
      assert(!text.includes('evil.example'), text);
    });

    it('counts no fault of the service or of a provider of it, and goes on counting after one', async () => {
      const { url } = await receiver(answers(500));
      const webhook = await newWebhook(context, url);
      await fail(webhook, 2);
      const seal = (secret: string) =>
        run(context.pool, sql.fragment`update destinations set secret = ${secret} where id = ${webhook.id}`);
      const { secret } = await context.pool.one(
        sql.type(z.object({ secret: z.string() }))`select secret from destinations where id = ${webhook.id}`,
      );
      await seal('sealed otherwise');
      await fail(webhook, 4);
      assert.equal((await standingOf(context, webhook)).failures_in_row, 2);
      await seal(secret);
      await fail(webhook, 1);
      assert.equal((await standingOf(context, webhook)).failures_in_row, 3);
      assert.deepEqual(await countsOf(context, webhook), { 'failed http_status': 3, 'failed internal_error': 4 });
    });

    it('does not count that DNS gave no usable answer, and counts that it knows no such host', async () => {
      const webhook = await newWebhook(context, 'https://hooks.example.com/');
      const settled = (reason: string) =>
        context.pool.oneFirst(sql.type(z.object({ failures: z.number().nullable() }))`
          select failures from settle_delivery(
            (select min(id) from deliveries where destination_id = ${webhook.id} and status = 'sending'), 'failed', ${reason}, null, 'x', 1, ${channels.webhook.isFaultOfReceiver(reason)})`);
      await recordEvents(context, webhook.operatorId, { count: 3 });
      assert.deepEqual(
        [await settled('no_address'), await settled('dns_failed'), await settled('no_address')],
        [1, 0, 2],
      );
    });

    it('warns three times a day at most, however often it is enabled, and says each time that it was disabled', async () => {
      context.config.mail = undefined;
      const { url } = await receiver(answers(500));
      const webhook = await newWebhook(context, url);
      const enable = () =>
        run(
          context.pool,
          sql.fragment`update destinations set failures_in_row = 0, failing_since = null, disabled_at = null, disabled_reason = null where id = ${webhook.id}`,
        );
      await fail(webhook, 10);
      await enable();
      await fail(webhook, 15);
      assert.equal((await mailsTo(webhook.operatorId)).length, 3);
      await run(
        context.pool,
        sql.fragment`update destinations set failing_since = failing_since - interval '12 hours' where id = ${webhook.id}`,
      );
      await fail(webhook, 5);
      assert.deepEqual(
        (await mailsTo(webhook.operatorId)).slice(3).map(({ subject }) => subject),
        [`Your webhook ${webhook.id} was disabled`],
      );
      await enable();
      await run(
        context.pool,
        sql.fragment`
        update destinations set warned_at = array(select at - interval '24 hours' from unnest(warned_at) at) where id = ${webhook.id}`,
      );
      await fail(webhook, 5);
      assert.equal((await mailsTo(webhook.operatorId)).length, 5, 'on the next day');
    });

    it('counts again after one that is delivered', async () => {
      let works = false;
      const { url } = await receiver((answer) => void answer.writeHead(works ? 200 : 500).end());
      const webhook = await newWebhook(context, url);
      await fail(webhook, 4);
      works = true;
      await fail(webhook, 1);
      const { failures_in_row: failures, failing } = await standingOf(context, webhook);
      assert.deepEqual({ failures, failing }, { failures: 0, failing: false });
    });
  });

  describe('in turns', () => {
    it('eight destinations of an operator have one; the one that has waited longest is next, and is woken', async () => {
      const { url } = await receiver();
      const operatorId = await newOperator(context);
      const destinations: TestDestination[] = [];
      for (let at = 0; at < 11; at += 1)
        destinations.push(await newDestination(context, { operatorId, destination: url }));
      await newRule(context, { destinations });
      await recordEvents(context, operatorId, { count: 2 });
      const statusOf = async (at: number): Promise<string> =>
        (await advanceNotification(context, destinations[at]?.id ?? '')).status;
      const isWoken = (at: number): Promise<boolean> =>
        context.pool.exists(
          sql.type(
            z.object({}),
          )`select from lives where ready and life = ${lifeId.notification(destinations[at]?.id ?? '')}`,
        );
      for (let at = 0; at < 8; at += 1) assert.equal(await statusOf(at), 'send');
      for (const at of [9, 8, 10]) assert.equal(await statusOf(at), 'turn');
      assert.equal(await statusOf(0), 'turn', 'who had one waits behind them');
      assert.deepEqual(await Promise.all([8, 9, 10].map(isWoken)), [false, true, false]);
      assert.equal(await statusOf(8), 'turn', 'it is not the turn of the second one yet');
      assert.equal(await statusOf(9), 'send');
      const [first] = destinations;
      assert(first !== undefined);
      await send(destinations[1] ?? first);
      assert.equal(await statusOf(1), 'idle');
      assert.equal(await isWoken(8), true);
      assert.equal(await statusOf(8), 'send');
      const other = await newWebhook(context, url);
      await recordEvents(context, other.operatorId);
      assert.equal((await advanceNotification(context, other.id)).status, 'send', 'of another operator');
    });

    it('a turn outlives its destination, since its calls may: deleting eight makes no room for a ninth', async () => {
      const { url } = await receiver();
      const operatorId = await newOperator(context);
      const deleteById = (id: string) => run(context.pool, sql.fragment`select delete_destination(${id})`);
      for (let at = 0; at < 8; at += 1) {
        const { id } = await newDestination(context, { operatorId, destination: url });
        await run(
          context.pool,
          sql.fragment`update destinations set sending_until = clock_timestamp() + interval '30 seconds' where id = ${id}`,
        );
        await deleteById(id);
      }
      const webhook = await newWebhook(context, url, { operatorId });
      await recordEvents(context, operatorId);
      const step = await advanceNotification(context, webhook.id);
      assert.equal(step.status, 'turn');
      assert(step.waitMs !== null && step.waitMs > 20_000 && step.waitMs <= 30_000);
      await run(
        context.pool,
        sql.fragment`update turns_of_deleted set until = clock_timestamp() where operator_id = ${operatorId}`,
      );
      assert.equal((await advanceNotification(context, webhook.id)).status, 'send');
      assert.equal(
        await context.pool.exists(
          sql.type(z.object({}))`select from turns_of_deleted where operator_id = ${operatorId}`,
        ),
        false,
      );
    });

    it('a turn of a worker that is gone is over after half a minute', async () => {
      const { url } = await receiver();
      const operatorId = await newOperator(context);
      for (let at = 0; at < 8; at += 1) {
        const { id } = await newDestination(context, { operatorId, destination: url });
        await run(
          context.pool,
          sql.fragment`update destinations set sending_until = clock_timestamp() + interval '30 seconds' where id = ${id}`,
        );
      }
      const webhook = await newWebhook(context, url, { operatorId });
      await recordEvents(context, operatorId);
      const step = await advanceNotification(context, webhook.id);
      assert.equal(step.status, 'turn');
      assert(step.waitMs !== null && step.waitMs > 25_000 && step.waitMs <= 30_000);
      await run(
        context.pool,
        sql.fragment`
        update destinations set sending_until = clock_timestamp() - interval '1 second' where operator_id = ${operatorId} and sending_until is not null`,
      );
      assert.equal((await advanceNotification(context, webhook.id)).status, 'send');
    });
  });

  describe('is looked at again', () => {
    const next = (webhook: TestDestination): Promise<number | null> =>
      looksAgainIn(context.pool, lifeId.notification(webhook.id));

    it('a minute after it took its turn, and by each event that came meanwhile', async () => {
      const webhook = await newWebhook(context, 'https://hooks.example.com/');
      assert.equal(await next(webhook), null);
      await recordEvents(context, webhook.operatorId);
      assert.equal((await advanceNotification(context, webhook.id)).status, 'send');
      const seconds = (await next(webhook)) ?? 0;
      assert(seconds > 50 && seconds <= 60, `${seconds}`);
      assert.equal(await messagesOf(context.pool, lifeId.notification(webhook.id)), 0);
      await recordEvents(context, webhook.operatorId);
      assert.equal(await messagesOf(context.pool, lifeId.notification(webhook.id)), 1);
    });

    it('ten seconds after its calls cannot last any longer', async () => {
      const webhook = await newWebhook(context, 'https://hooks.example.com/');
      await recordEvents(context, webhook.operatorId);
      await run(
        context.pool,
        sql.fragment`update deliveries set started_at = clock_timestamp() where destination_id = ${webhook.id}`,
      );
      assert.equal((await advanceNotification(context, webhook.id)).status, 'calls');
      const seconds = (await next(webhook)) ?? 0;
      assert(seconds > 30 && seconds <= 40, `${seconds}`);
    });

    it('never where nothing is left', async () => {
      const webhook = await newWebhook(context, 'https://hooks.example.com/');
      assert.equal((await advanceNotification(context, webhook.id)).status, 'idle');
      assert.equal(await next(webhook), null);
    });
  });

  describe('is woken by an event', () => {
    /** The time of the message that an event leaves: from the earliest to the latest moment at which it may be due. */
    const dueIn = async (destination: TestDestination, standing: ReturnType<typeof sql.fragment>) => {
      await run(context.pool, sql.fragment`delete from lives`);
      await run(context.pool, sql.fragment`update destinations set ${standing} where id = ${destination.id}`);
      await recordEvents(context, destination.operatorId);
      return context.pool.one(
        sql.type(z.object({ at_once: z.boolean(), after_turn: z.boolean(), in_half_a_second: z.boolean() }))`
        select m.due_at <= m.created_at as at_once,
          coalesce(m.due_at = d.turn_began_at + interval '500 milliseconds', false) as after_turn,
          m.due_at >= e.created_at + interval '500 milliseconds' as in_half_a_second
        from lives m join destinations d on m.life = 'notification:' || d.id
          join service_events e on e.operator_id = d.operator_id
        where d.id = ${destination.id} order by e.seq desc limit 1`,
      );
    };
    let webhook: TestDestination;
    beforeEach(async () => {
      webhook = await newWebhook(context, 'http://127.0.0.1:9/');
    });

    it('immediately where it has not sent for half a second', async () => {
      assert.equal((await dueIn(webhook, sql.fragment`turn_began_at = null`)).at_once, true);
      const longAgo = sql.fragment`turn_began_at = clock_timestamp() - interval '500 milliseconds'`;
      assert.equal((await dueIn(webhook, longAgo)).at_once, true);
    });

    it('half a second after the event where it waits for its turn, since the end of another’s wakes it', async () => {
      const waiting = sql.fragment`waiting_since = clock_timestamp(), turn_began_at = clock_timestamp() - interval '1 hour'`;
      assert.deepEqual(await dueIn(webhook, waiting), { at_once: false, after_turn: false, in_half_a_second: true });
    });

    it('half a second after its last turn began, so that many events wake it twice a second', async () => {
      // Far enough from now that a slow machine is not past it.
      const lately = sql.fragment`turn_began_at = clock_timestamp() + interval '1 hour'`;
      assert.deepEqual(await dueIn(webhook, lately), { at_once: false, after_turn: true, in_half_a_second: true });
    });

    it('after half a second where it is sending, which it finds before that', async () => {
      const sending = sql.fragment`sending_until = clock_timestamp() + interval '1 hour', turn_began_at = clock_timestamp() - interval '1 hour'`;
      assert.deepEqual(await dueIn(webhook, sending), { at_once: false, after_turn: false, in_half_a_second: true });
    });

    it('a turn that begins is noted', async () => {
      await recordEvents(context, webhook.operatorId);
      const before = await context.pool.oneFirst(
        sql.type(z.object({ now: z.string() }))`select clock_timestamp()::text as now`,
      );
      assert.equal((await advanceNotification(context, webhook.id)).status, 'send');
      const noted = sql.type(
        z.object({}),
      )`select from destinations where id = ${webhook.id} and turn_began_at >= ${before}::timestamptz`;
      assert.equal(await context.pool.exists(noted), true);
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

  describe('where a thousand wait', () => {
    /** A destination whose queue is full, and the look of its life has noted it. */
    const fullWebhook = async (operatorId?: string): Promise<TestDestination> => {
      const webhook = await newWebhook(context, 'https://hooks.example.com/', { ...(operatorId && { operatorId }) });
      await recordEvents(context, webhook.operatorId, { count: 1_000 });
      await advanceNotification(context, webhook.id);
      return webhook;
    };
    const leftOut = async (webhook: TestDestination): Promise<number[]> =>
      (await deliveriesOf(context, webhook)).flatMap((row) => (row.reason === 'queue_full' ? [row.left_out] : []));
    /** Blocks of the database that recording an event of the operator reads. */
    const blocksOfEvent = async (operatorId: string): Promise<number> => {
      const Plan = z.object({ plan: z.tuple([z.object({ Plan: z.record(z.string(), z.unknown()) })]) });
      const explained = sql.type(
        z.object({ 'QUERY PLAN': Plan.shape.plan }).transform((found) => ({ plan: found['QUERY PLAN'] })),
      )`
        explain (analyze, buffers, format json)
        select record_service_event(${operatorId}, 'passport.flagged', 'info', '{}')`;
      const { plan } = await context.pool.connect(async (connection) => {
        // A connection that has not recorded any reads the catalog too: once in vain, then what counts.
        const inVain = new Error('rolled back');
        const once = connection.transaction(async (transaction) => {
          await transaction.one(explained);
          throw inVain;
        });
        await assert.rejects(once, inVain);
        return connection.one(explained);
      });
      return Number(plan[0].Plan['Shared Hit Blocks']) + Number(plan[0].Plan['Shared Read Blocks']);
    };

    it('the first event of a minute says `queue_full`, and the others are counted at it', async () => {
      const webhook = await fullWebhook();
      await recordEvents(context, webhook.operatorId, { count: 3 });
      assert.deepEqual(await countsOf(context, webhook), { sending: 1_000, 'failed queue_full': 1 });
      assert.deepEqual(await leftOut(webhook), [2]);
      const row = (await deliveriesOf(context, webhook)).find(({ reason }) => reason === 'queue_full');
      assert.match(row?.error ?? '', /thousand/);
      await run(
        context.pool,
        sql.fragment`
        update deliveries set created_at = created_at - interval '61 seconds' where destination_id = ${webhook.id} and status = 'failed'`,
      );
      await recordEvents(context, webhook.operatorId, { count: 2 });
      assert.deepEqual(await leftOut(webhook), [2, 1]);
    });

    it('what a test of it leaves stands for no event', async () => {
      const webhook = await fullWebhook();
      await run(
        context.pool,
        sql.fragment`select begin_test(new_prefixed_id('dlv'), d) from destinations d where id = ${webhook.id}`,
      );
      await recordEvents(context, webhook.operatorId, { count: 2 });
      assert.deepEqual(await leftOut(webhook), [0, 1], 'of the test, and of the two events');
    });

    it('the first event of a minute reads none of the rows before, however many there are', async () => {
      const webhook = await newWebhook(context, 'https://hooks.example.com/');
      const [event = ''] = await recordEvents(context, webhook.operatorId);
      await run(
        context.pool,
        sql.fragment`
        insert into deliveries (id, operator_id, event_id, destination_id, ordinal, channel_type, event_type, status, reason, error, created_at, ended_at)
        select new_prefixed_id('dlv'), ${webhook.operatorId}, ${event}, ${webhook.id}, n, 'webhook', 'passport.flagged', 'failed', 'queue_full',
          sentence_of_refusal('queue_full'), moment, moment
        from generate_series(1, 2000) n, lateral (select clock_timestamp() - (n + 1) * interval '1 minute' as moment) of_row`,
      );
      // Without it the planner may know nothing of these rows, and read those of the destination by another index.
      await run(context.pool, sql.fragment`analyze deliveries`);
      const read = await context.pool.transaction(async (connection) => {
        // A table as small as this one would be read whole; one of a million rows is not.
        await connection.query(sql.unsafe`set local enable_seqscan = off`);
        await connection.query(sql.unsafe`discard plans`);
        // The work that the connection did shortly before may be counted too.
        const readSoFar = () =>
          connection.oneFirst(sql.type(z.object({ rows: z.number() }))`
            select (seq_tup_read + idx_tup_fetch)::int as rows from pg_stat_xact_user_tables where relname = 'deliveries'`);
        const before = await readSoFar();
        const isFirst = sql.type(z.object({ first: z.boolean() }))`select is_first_left_out(${webhook.id}) as first`;
        assert.equal(await connection.oneFirst(isFirst), true);
        return (await readSoFar()) - before;
      });
      assert.equal(read, 0);
    });

    it('events wait again once a look finds fewer', async () => {
      const webhook = await fullWebhook();
      await run(
        context.pool,
        sql.fragment`
        delete from deliveries where id = (select max(id) from deliveries where destination_id = ${webhook.id})`,
      );
      await advanceNotification(context, webhook.id);
      await recordEvents(context, webhook.operatorId);
      assert.deepEqual(await countsOf(context, webhook), { sending: 1_000 });
    });

    it('is noted where no life runs too', async () => {
      const webhook = await newWebhook(context, 'https://hooks.example.com/');
      await recordEvents(context, webhook.operatorId, { count: 1_000 });
      await run(
        context.pool,
        sql.fragment`
        update lives set due_at = due_at - interval '11 seconds' where life = ${lifeId.notification(webhook.id)}`,
      );
      await lookAfterLives(context, { temporalIsAway: true });
      assert((await messagesOf(context.pool, lifeId.notification(webhook.id))) > 0, 'and it is still to be delivered');
      await recordEvents(context, webhook.operatorId);
      assert.deepEqual(await countsOf(context, webhook), { sending: 1_000, 'failed queue_full': 1 });
    });

    it('an event reads no more than with an empty queue', async () => {
      const webhook = await newWebhook(context, 'https://hooks.example.com/');
      await recordEvents(context, webhook.operatorId);
      const empty = await blocksOfEvent(webhook.operatorId);
      const full = await fullWebhook();
      assert.equal((await blocksOfEvent(full.operatorId)) < empty + 50, true, 'the first of a minute');
      const counted = await blocksOfEvent(full.operatorId);
      assert(counted < empty + 50, `${counted} blocks instead of ${empty}`);
      assert.deepEqual(await leftOut(full), [1]);
    });

    it('events of two transactions wait for neither, and leave one row', async () => {
      const webhook = await fullWebhook();
      const event = sql.type(
        z.object({}),
      )`select record_service_event(${webhook.operatorId}, 'passport.flagged', 'info', '{}')`;
      // While one has written the first row, and while one counts at it: a wait would end after three seconds, with an error.
      for (const expected of [[0], [1]]) {
        await context.pool.transaction(async (one) => {
          await one.query(event);
          await context.pool.transaction((other) => other.query(event));
        });
        assert.deepEqual(await leftOut(webhook), expected);
      }
    });
  });
});
