import assert from 'node:assert/strict';
import { z } from 'zod';
import { sql } from '../../src/database/pool.ts';
import { lifeId } from '../../src/ids/life-ids.ts';
import { startMailServer, type MailServer } from '../mail/mail-server.ts';
import { writeTestMail } from '../mail/write-test-mail.ts';
import { eventually } from '../support/eventually.ts';
import { sideBySide } from '../support/side-by-side.ts';
import { pointsOfSteps } from './fault-points.ts';
import { worldsOfSuite, type World } from './worlds.ts';

const Row = z.object({ status: z.string(), text: z.string().nullable() });

describe('kill -9 of a worker that sends mail', function () {
  this.timeout(600_000);
  const itBeside = sideBySide();
  const worlds = worldsOfSuite();
  let mailServer: MailServer;
  before(async () => {
    mailServer = await startMailServer();
  });
  after(() => mailServer.stop());

  const row = (world: World, id: string) =>
    world.context.pool.one(sql.type(Row)`select status, text from mails where id = ${id}`);
  const copiesOf = (id: string): number =>
    mailServer.received.filter(({ raw }) => raw.includes(`Message-ID: <${id}@`)).length;
  const ended = async (world: World, id: string) => {
    await eventually(`the mail ${id} to have left`, async () => (await row(world, id)).status !== 'waiting', {
      seconds: 120,
    });
    await world.lives.client.workflow.getHandle(lifeId.mail(id)).result();
    return await row(world, id);
  };
  /** Between these the process has begun the call, and has not written down what came of it. */
  const copiesAt: Partial<Record<string, number>> = { 'sendMail:begun': 0, 'sendMail:sent': 1 };

  for (const point of [...pointsOfSteps('advanceMail'), ...pointsOfSteps('sendMail')]) {
    const copies = copiesAt[point];
    const what = copies === undefined ? 'the next worker sends the mail' : 'the mail is not sent again';
    itBeside(`at ${point}: ${what}, and its content is deleted`, () =>
      worlds.visit(async (world) => {
        const mail = { smtpUrl: `smtp://127.0.0.1:${mailServer.port}`, from: 'Carnet <carnet@example.test>' };
        world.context.config.mail = mail;
        Object.assign(world.settings, { SMTP_URL: mail.smtpUrl, MAIL_FROM: mail.from });
        const dying = await world.worker({ FAULT_AT: point });
        const id = await writeTestMail(world.context, {});
        assert.equal(await dying.ended, 'SIGKILL');
        await world.runHere('worker');
        const status = copies === undefined ? 'sent' : 'unknown';
        assert.deepEqual(await ended(world, id), { status, text: null });
        assert.equal(copiesOf(id), copies ?? 1);
      }),
    );
  }
});
