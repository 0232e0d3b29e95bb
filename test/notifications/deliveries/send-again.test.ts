import assert from 'node:assert/strict';
import { z } from 'zod';
import { sql } from '../../../src/database/pool.ts';
import { channels } from '../../../src/notifications/channels/registry.ts';
import { lifeId } from '../../../src/ids/life-ids.ts';
import { mailEncryptionContext } from '../../../src/mail/write-mail.ts';
import { advanceNotification, type SenderContext } from '../../../src/notifications/index.ts';
import { run } from '../../billing/ledger/ledger-world.ts';
import {
  countsOf,
  deliveriesOf,
  newWebhook,
  recordEvents,
  standingOf,
  type TestDestination,
} from '../support/destinations.ts';
import { answers } from '../support/receiver.ts';
import { looksAgainIn, messagesOf } from '../../support/due-lives.ts';
import { senderOfSuite } from '../support/sender.ts';

describe('Sending what waits for a destination', function () {
  this.timeout(60_000);
  const { opened, receiver, send } = senderOfSuite();
  let context: SenderContext;
  before(() => void (context = opened()));

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
        const text = context.encryption.decrypt(sealed, mailEncryptionContext(id));
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
      const text = context.encryption.decrypt(mail?.text ?? '', mailEncryptionContext(mail?.id ?? ''));
      assert(text.includes(`Operator: ${proven.operatorId}\n`), text);
      assert(!text.includes('evil.example'), text);
    });

    it('counts no fault of the service or of a provider of it, and goes on counting after one', async () => {
      const { url } = await receiver(answers(500));
      const webhook = await newWebhook(context, url);
      await fail(webhook, 2);
      const encrypt = (secret: string) =>
        run(context.pool, sql.fragment`update destinations set secret = ${secret} where id = ${webhook.id}`);
      const { secret } = await context.pool.one(
        sql.type(z.object({ secret: z.string() }))`select secret from destinations where id = ${webhook.id}`,
      );
      await encrypt('sealed otherwise');
      await fail(webhook, 4);
      assert.equal((await standingOf(context, webhook)).failures_in_row, 2);
      await encrypt(secret);
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
});
