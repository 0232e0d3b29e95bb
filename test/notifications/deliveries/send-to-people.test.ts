import assert from 'node:assert/strict';
import { z } from 'zod';
import { withCaches } from '../../../src/context/caches.ts';
import { sql } from '../../../src/database/pool.ts';
import { freePort } from '../../../src/embedded/ports.ts';
import { mailEncryptionContext } from '../../../src/mail/write-mail.ts';
import { sendNotifications, type SenderContext } from '../../../src/notifications/index.ts';
import { openWorkerPool } from '../../../src/process/open-context.ts';
import { credit, run } from '../../billing/ledger/ledger-world.ts';
import { startMailServer, type MailServer } from '../../mail/mail-server.ts';
import { eventually } from '../../support/eventually.ts';
import {
  countsOf,
  deliveriesOf,
  newDestination,
  newOperator,
  newRule,
  recordEvents,
  standingOf,
  type TestDestination,
} from '../support/destinations.ts';
import { senderOfSuite } from '../support/sender.ts';

describe('Sending what waits for a destination', function () {
  this.timeout(60_000);
  const { opened, send, only } = senderOfSuite();
  let context: SenderContext;
  before(() => void (context = opened()));
  const mailServers: MailServer[] = [];
  after(() => Promise.all(mailServers.map((one) => one.stop())));

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
      const text = context.encryption.decrypt(sms?.text ?? '', mailEncryptionContext(sms?.id ?? ''));
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
});
