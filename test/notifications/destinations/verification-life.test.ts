import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { z } from 'zod';
import { createLogger } from '../../../src/context/logging.ts';
import { sql } from '../../../src/database/pool.ts';
import { freePort } from '../../../src/embedded/ports.ts';
import { lifeId } from '../../../src/ids/life-ids.ts';
import { purgeVerificationCodes, destinationSecrets } from '../../../src/notifications/index.ts';
import { listOutbox } from '../../../src/mail/queries.ts';
import { DELIVERED } from '../../../src/outbound/outcomes.ts';
import { settleVerification, startVerification } from '../../../src/notifications/destinations/verification/queries.ts';
import { verifyDestination } from '../../../src/notifications/destinations/verification/verify.ts';
import { startMailServer } from '../../mail/mail-server.ts';
import type { OperatorId } from '../../../src/ids/ids.ts';
import { shownDestination } from '../../../src/notifications/destinations/read.ts';
import { callOf } from '../../invocations/own-context.ts';
import { eventually } from '../../support/eventually.ts';
import { unique } from '../../support/factories.ts';
import { startRig, type Rig } from '../../temporal/rig.ts';
import type { RunningWorker } from '../../../temporal/worker.ts';
import { runOf } from '../../temporal/runs.ts';
import { hangs, resets, startReceiver, type Receiver } from '../support/receiver.ts';
import { startTwilio } from '../twilio-double.ts';
import { newNumber } from '../support/operators.ts';
import { codeRow, waitingCode } from './waiting-code.ts';

/** A path that no digest holds. */
const PATH = 'a-path-that-no-history-may-hold';

describe('The life of a code', () => {
  const logged: string[] = [];
  let rig: Rig;
  let receiver: Receiver;
  let worker: RunningWorker;
  before(async () => {
    rig = await startRig({
      log: createLogger('debug', { write: (line: string) => void logged.push(line) }),
      settings: { OUTBOUND_ALLOW_LOOPBACK: 'true' },
    });
    receiver = await startReceiver();
    await rig.startDelivery();
    worker = await rig.startWorker();
  });
  after(async () => {
    await rig.stop();
    await receiver.stop();
  });

  const run = (codeId: string) => runOf(rig, lifeId.verification(codeId));
  const row = (codeId: string) => codeRow(rig.context, codeId);
  const sent = { status: 'sent', reason: null, error: null, sealed: null };
  const toWebhook = (address: string) => waitingCode(rig, { channel: 'webhook', address });
  const enter = (one: { destinationId: string; operatorId: string }, code: string) =>
    verifyDestination(rig.context, callOf(one.operatorId, 'verifyDestination'), {
      destinationId: one.destinationId,
      code,
    });

  describe('by mail', () => {
    const cases = [
      { server: {}, status: 'sent', reason: null },
      { server: { refuses: 550 }, status: 'failed', reason: 'refused' },
      { server: { afterText: 'reset' as const }, status: 'unknown', reason: 'broken' },
    ];
    for (const { server: options, status, reason } of cases) {
      it(`is ${status} where the mail server ends so: ${JSON.stringify(options)}`, async () => {
        const server = await startMailServer(options);
        rig.config.mail = { smtpUrl: `smtp://127.0.0.1:${server.port}`, from: 'carnet@example.test' };
        const made = await waitingCode(rig, { channel: 'email', address: `${unique('box')}@example.test` });
        const mailId = await rig.context.pool.oneFirst(
          sql.type(
            z.object({ id: z.string() }),
          )`select mail_id as id from verification_codes where id = ${made.codeId}`,
        );
        await runOf(rig, lifeId.mail(mailId)).ended();
        await server.stop();
        rig.config.mail = undefined;
        const { code } = await shownDestination(rig.context.pool, made.operatorId as OperatorId, made.destinationId);
        assert.deepEqual([code?.status, code?.reason], [status, reason]);
      });
    }
  });

  it('sends it to a webhook as an ordinary event, signed with its secret, once', async () => {
    const url = receiver.urlOf(unique(PATH));
    const made = await toWebhook(url);
    await run(made.codeId).ended();
    assert.deepEqual(await row(made.codeId), sent);
    const [request, ...more] = receiver.callsAt(url);
    assert(request !== undefined);
    assert.equal(more.length, 0);
    const { event_type, severity, payload, timestamp } = JSON.parse(request.body) as {
      event_type: string;
      severity: string;
      payload: { code: string; destination_id: string; expires_at: string };
      timestamp: string;
    };
    assert.deepEqual([event_type, severity], ['destination.verification', 'info']);
    assert.deepEqual(Object.keys(payload), ['code', 'destination_id', 'expires_at']);
    assert.equal(payload.destination_id, made.destinationId);
    assert.equal(Date.parse(payload.expires_at) - Date.parse(timestamp), 600_000);
    const { headers, body } = request;
    assert.equal(headers['x-service-signature'], createHmac('sha256', made.secret).update(body).digest('hex'));
    assert.equal(headers['webhook-id'], made.codeId);
    const key = Buffer.from(made.secret.slice('whsec_'.length), 'base64');
    const signed = `${made.codeId}.${headers['webhook-timestamp'] as string}.${body}`;
    assert.equal(headers['webhook-signature'], `v1,${createHmac('sha256', key).update(signed).digest('base64')}`);
    await enter(made, payload.code);
  });

  it('sends it by SMS with Twilio', async () => {
    const twilio = await startTwilio();
    rig.config.sms = twilio.settings;
    try {
      const number = newNumber();
      const made = await waitingCode(rig, { channel: 'sms', address: number });
      await run(made.codeId).ended();
      assert.deepEqual(await row(made.codeId), sent);
      assert.deepEqual(
        twilio.taken.map(({ To }) => To),
        [number],
      );
      await enter(made, /\d{6}/.exec(twilio.taken[0]?.Body ?? '')?.[0] ?? '');

      twilio.answer = { status: 400, code: 21_211 };
      const refused = await waitingCode(rig, { channel: 'sms', address: newNumber() });
      await run(refused.codeId).ended();
      const { status, reason } = await row(refused.codeId);
      assert.deepEqual([status, reason], ['failed', 'refused']);

      twilio.answer = 'reset';
      const broken = await waitingCode(rig, { channel: 'sms', address: newNumber() });
      await run(broken.codeId).ended();
      assert.deepEqual([(await row(broken.codeId)).status, twilio.calls()], ['unknown', 3]);
    } finally {
      rig.config.sms = { provider: 'outbox' };
      await twilio.stop();
    }
  });

  it('leaves it in the outbox without Twilio', async () => {
    const number = newNumber();
    const made = await waitingCode(rig, { channel: 'sms', address: number });
    await run(made.codeId).ended();
    assert.deepEqual(await row(made.codeId), sent);
    const [message, ...more] = await listOutbox(rig.context.pool, { to: number, limit: 5, offset: 0 });
    assert.equal(message?.channel, 'sms');
    assert.equal(more.length, 0);
  });

  it('is no life of its own where a mail has it, which goes by SMTP', async () => {
    const server = await startMailServer();
    rig.config.mail = { smtpUrl: `smtp://127.0.0.1:${server.port}`, from: 'Carnet <carnet@example.test>' };
    try {
      const address = `${unique('reader')}@example.test`;
      const made = await waitingCode(rig, { channel: 'email', address });
      assert.deepEqual(await row(made.codeId), sent);
      const mail = await eventually('the mail', () => server.received[0]);
      assert.deepEqual(mail.to, [address]);
      await enter(made, /^\d{6}\r?$/m.exec(mail.raw)?.[0].trim() ?? '');
      assert.equal(await rig.messagesOf(lifeId.verification(made.codeId)), 0);
    } finally {
      rig.config.mail = undefined;
      await server.stop();
    }
  });

  it('fails where the receiver answers otherwise than with 2xx, a redirect too, and says so', async () => {
    for (const status of [302, 404, 500]) {
      const other = await startReceiver(
        (response) => void response.writeHead(status, { location: receiver.urlOf('away') }).end(),
      );
      const made = await toWebhook(other.urlOf('x'));
      await run(made.codeId).ended();
      assert.deepEqual(await row(made.codeId), {
        status: 'failed',
        reason: 'http_status',
        error: `The receiver answered ${status}.`,
        sealed: null,
      });
      assert.equal(other.calls.length, 1);
      await other.stop();
    }
    assert.deepEqual(receiver.callsAt(receiver.urlOf('away')), []);
  });

  it('fails where nobody listens', async () => {
    const made = await toWebhook(`http://127.0.0.1:${await freePort()}/x`);
    await run(made.codeId).ended();
    const { status, reason, error } = await row(made.codeId);
    assert.deepEqual([status, reason], ['failed', 'connect_failed']);
    assert.match(error ?? '', /No connection/);
  });

  it('is unknown where the connection breaks after the request, and is not sent again', async () => {
    const broken = await startReceiver(resets);
    const made = await toWebhook(broken.urlOf('x'));
    await run(made.codeId).ended();
    assert.equal((await row(made.codeId)).status, 'unknown');
    assert.equal(broken.calls.length, 1);
    await broken.stop();
  });

  it('is unknown where no answer comes within ten seconds, and the code may be entered all the same', async () => {
    const silent = await startReceiver(hangs);
    const url = silent.urlOf('x');
    const made = await toWebhook(url);
    await enter(made, await silent.codeAt(url));
    await eventually('it to be unknown', async () => (await row(made.codeId)).status === 'unknown', { seconds: 30 });
    assert.equal(silent.calls.length, 1);
    await silent.stop();
  }).timeout(60_000);

  it('eight of an operator are sent in parallel, the others after them, and those of another operator meanwhile', async () => {
    const held: (() => void)[] = [];
    const slow = await startReceiver((response) => void held.push(() => void response.writeHead(204).end()));
    const first = await toWebhook(slow.urlOf('0'));
    const { operatorId } = first;
    const codes = [first.codeId];
    for (let at = 1; at < 12; at += 1)
      codes.push((await waitingCode(rig, { channel: 'webhook', address: slow.urlOf(String(at)), operatorId })).codeId);
    await eventually('eight of them to be sent', () => slow.calls.length >= 8);
    const honest = await toWebhook(receiver.urlOf(unique('honest')));
    await run(honest.codeId).ended();
    assert.deepEqual(await row(honest.codeId), sent);
    const releasing = setInterval(() => held.splice(0).forEach((release) => release()), 10);
    for (const code of codes) await run(code).ended();
    clearInterval(releasing);
    assert.deepEqual([slow.calls.length, slow.most], [12, 8]);
    await slow.stop();
  }).timeout(60_000);

  it('waits for its turn while eight of its operator are sent, and is woken by the end of one', async () => {
    const { pool } = rig.context;
    const made = await waitingCode(rig, { channel: 'sms', address: newNumber() });
    await run(made.codeId).ended();
    // Calls that last as long as the case wants.
    const calling = await pool.anyFirst(sql.type(z.object({ id: z.string() }))`
      insert into verification_codes (id, operator_id, destination_id, address, status, started_at, expires_at)
      select new_prefixed_id('vcd'), ${made.operatorId}, 'dst_x', 'x', 'sending', now() + interval '1 hour', now() + interval '1 hour'
      from generate_series(1, 8) returning id`);
    const url = receiver.urlOf(unique('ninth'));
    const ninth = await waitingCode(rig, { channel: 'webhook', address: url, operatorId: made.operatorId });
    await run(ninth.codeId).showing(/^Waits for its turn: eight codes of the operator are being sent/);
    assert.deepEqual(receiver.callsAt(url), []);
    assert.equal(await startVerification(pool, ninth.codeId), false, 'nobody can begin it');
    assert.equal(await settleVerification(pool, calling[0] ?? '', DELIVERED), 1, 'it wakes the next');
    rig.context.delivery.messagesCommitted();
    await run(ninth.codeId).ended();
    assert.deepEqual(await row(ninth.codeId), sent);
    assert.equal(receiver.callsAt(url).length, 1);
  });

  it('sends nothing where the address is a private one by then', async () => {
    await worker.stop();
    const made = await toWebhook(receiver.urlOf(unique('moved')));
    await rig.context.pool.query(sql.type(z.object({}))`
      update destinations set address = 'https://10.0.0.1/x' where id = ${made.destinationId}`);
    worker = await rig.startWorker();
    await run(made.codeId).ended();
    const { status, reason } = await row(made.codeId);
    assert.deepEqual([status, reason], ['failed', 'address_refused']);
  });

  it('sends nothing where the destination was deleted, another code has taken its place, or its time is over', async () => {
    await worker.stop();
    const [url, late] = [receiver.urlOf(unique('gone')), receiver.urlOf(unique('late'))];
    const [deleted, expired] = [await toWebhook(url), await toWebhook(late)];
    const { pool } = rig.context;
    await pool.query(sql.type(z.object({}))`select delete_destination(${deleted.destinationId})`);
    await pool.query(sql.type(z.object({}))`
      update verification_codes set expires_at = clock_timestamp() where id = ${expired.codeId}`);
    worker = await rig.startWorker();
    await run(deleted.codeId).ended();
    await run(expired.codeId).ended();
    assert.deepEqual(
      [(await row(deleted.codeId)).reason, (await row(expired.codeId)).reason],
      ['destination_deleted', 'expired'],
    );
    assert.deepEqual([...receiver.callsAt(url), ...receiver.callsAt(late)], []);
  });

  it('leaves neither code, address nor secret in a history, a description or a log', async () => {
    const url = receiver.urlOf(unique(PATH));
    const made = await toWebhook(url);
    await run(made.codeId).ended();
    const code = await receiver.codeAt(url);
    const { raw } = await run(made.codeId).handle.describe();
    const history = `${await run(made.codeId).text()} ${JSON.stringify(raw)}`;
    assert(history.includes(made.codeId));
    for (const secret of [PATH, made.secret, made.secret.slice(6, 40), `"${code}"`])
      assert(!`${history} ${logged.join('')}`.includes(secret), secret);
  });

  it('can be listed by its operator and status', async () => {
    const made = await toWebhook(receiver.urlOf(unique('listed')));
    await run(made.codeId).ended();
    const query = `OperatorId = "${made.operatorId}" AND LifeStatus = "ended"`;
    await eventually('the run to be listed', async () => (await rig.temporal.client.workflow.count(query)).count === 1);
  });
});

describe('Codes of yesterday', () => {
  it('are forgotten, and so are secrets whose day is over', async () => {
    const rig = await startRig({ settings: { OUTBOUND_ALLOW_LOOPBACK: 'true' } });
    try {
      const { pool } = rig.context;
      const made = await waitingCode(rig, { channel: 'webhook', address: 'http://127.0.0.1:9/x' });
      assert.equal(await purgeVerificationCodes(pool), false);
      assert(await pool.exists(sql.type(z.object({}))`select from verification_codes where id = ${made.codeId}`));
      await pool.query(sql.type(z.object({}))`
        update verification_codes set requested_at = requested_at - interval '25 hours', expires_at = expires_at - interval '25 hours',
          status = 'sent', sealed = null where id = ${made.codeId}`);
      await pool.query(sql.type(z.object({}))`
        update destinations set old_secret = 'sealed', old_secret_until = clock_timestamp() where id = ${made.destinationId}`);
      await purgeVerificationCodes(pool);
      await destinationSecrets.forgetOld(pool);
      assert.equal(
        await pool.exists(sql.type(z.object({}))`select from verification_codes where id = ${made.codeId}`),
        false,
      );
      const old = await pool.oneFirst(sql.type(z.object({ old_secret: z.string().nullable() }))`
        select old_secret from destinations where id = ${made.destinationId}`);
      assert.equal(old, null);
    } finally {
      await rig.stop();
    }
  });
});
