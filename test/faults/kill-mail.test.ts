import assert from 'node:assert/strict';
import { z } from 'zod';
import { sql } from '../../src/database/pool.ts';
import { lifeId } from '../../src/ids/life-ids.ts';
import { startMailServer, type MailServer } from '../mail/mail-server.ts';
import { writeTestMail } from '../mail/write-test-mail.ts';
import { eventually } from '../support/eventually.ts';
import { sideBySide } from '../support/side-by-side.ts';
import { pointsOfStep } from './fault-points.ts';
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
  const assertSent = async (world: World, id: string): Promise<void> => {
    await eventually(`the mail ${id} to have left`, async () => (await row(world, id)).status !== 'waiting', {
      seconds: 120,
    });
    await world.lives.client.workflow.getHandle(lifeId.mail(id)).result();
    assert.deepEqual(await row(world, id), { status: 'sent', text: null });
    const messageIds = mailServer.received
      .flatMap(({ raw }) => raw.match(/^Message-ID: .+$/im) ?? [])
      .filter((line) => line.includes(id));
    assert(messageIds.length > 0, 'it is in the mailbox');
    assert.equal(new Set(messageIds).size, 1, 'a mailbox can recognise the second mail as the same');
  };

  for (const point of [...pointsOfStep('advanceMail'), ...pointsOfStep('sendMail')]) {
    itBeside(`at ${point}: the next worker sends the mail, and then deletes its content`, () =>
      worlds.visit(async (world) => {
        const mail = { smtpUrl: `smtp://127.0.0.1:${mailServer.port}`, from: 'Carnet <carnet@example.test>' };
        world.context.config.mail = mail;
        Object.assign(world.settings, { SMTP_URL: mail.smtpUrl, MAIL_FROM: mail.from });
        const dying = await world.worker({ FAULT_AT: point });
        const id = await writeTestMail(world.context, {});
        assert.equal(await dying.ended, 'SIGKILL');
        await world.runHere('worker');
        await assertSent(world, id);
      }),
    );
  }
});
