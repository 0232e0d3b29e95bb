import assert from 'node:assert/strict';
import { z } from 'zod';
import { sql } from '../../src/database/pool.ts';
import { lifeId } from '../../temporal/workflow-ids.ts';
import { ownContext, type OwnContext } from '../invocations/own-context.ts';
import { startMailServer, type MailServer } from '../mail/mail-server.ts';
import { writeTestMail } from '../mail/write-test-mail.ts';
import { eventually } from '../support/eventually.ts';
import { livesOf, type Lives } from '../support/lives.ts';
import { startRole, type Role } from '../support/role.ts';
import { temporalServer, type TemporalServer } from '../temporal/temporal-server.ts';
import { pointsOfStep } from './fault-points.ts';

/** A task whose worker died is given to another after this long; ten seconds as Temporal comes. */
const TASK_TIMEOUT = 'history.defaultWorkflowTaskTimeout="2s"';
const Row = z.object({ status: z.string(), text: z.string().nullable() });

describe('kill -9 of a worker that sends mail', function () {
  this.timeout(180_000);
  let temporal: TemporalServer;
  let own: OwnContext;
  let mailServer: MailServer;
  let settings: Record<string, string>;
  let lives: Lives;

  before(async () => {
    temporal = await temporalServer([TASK_TIMEOUT]);
    own = await ownContext();
    mailServer = await startMailServer();
    const mail = { smtpUrl: `smtp://127.0.0.1:${mailServer.port}`, from: 'Carnet <carnet@example.test>' };
    const { config } = own.context;
    config.mail = mail;
    settings = {
      DATABASE_URL: config.databaseUrl,
      TEMPORAL_ADDRESS: temporal.address,
      PLATFORM_ADMIN_KEY: config.platformAdminKey,
      ENCRYPTION_KEY: config.encryptionKeys[0]?.toString('base64') ?? '',
      LOCAL_PROVIDERS: 'true',
      SMTP_URL: mail.smtpUrl,
      MAIL_FROM: mail.from,
    };
    await temporal.start();
    lives = livesOf({ temporal_address: temporal.address, temporal_namespace: 'default' });
  });
  after(async () => {
    await lives.close();
    await mailServer.stop();
    await own.close();
    await temporal.remove();
  });

  const worker = (extra: Record<string, string> = {}): Promise<Role> => startRole('worker', { ...settings, ...extra });
  /** A mail whose worker died at the point. */
  const killedAt = async (point: string): Promise<string> => {
    const dying = await worker({ FAULT_AT: point });
    const id = await writeTestMail(own.context, {});
    assert.equal(await dying.ended, 'SIGKILL');
    return id;
  };
  const row = (id: string) => own.context.pool.one(sql.type(Row)`select status, text from mails where id = ${id}`);
  const assertSent = async (id: string): Promise<void> => {
    await eventually(`the mail ${id} to have left`, async () => (await row(id)).status !== 'waiting', { seconds: 120 });
    await lives.client.workflow.getHandle(lifeId.mail(id)).result();
    assert.deepEqual(await row(id), { status: 'sent', text: null });
    const messageIds = mailServer.received.flatMap(({ raw }) => raw.match(/^Message-ID: .+$/im) ?? []).filter((line) => line.includes(id));
    assert(messageIds.length > 0, 'it is in the mailbox');
    assert.equal(new Set(messageIds).size, 1, 'a mailbox can tell that it is the same');
  };

  // A worker that sends has a minute before another is asked: the points of sendMail share the wait.
  for (const points of [...pointsOfStep('advanceMail').map((point) => [point]), pointsOfStep('sendMail')]) {
    it(`at ${points.join(' and ')}: the next worker sends the mail, and then forgets what it said`, async () => {
      const ids: string[] = [];
      for (const point of points) ids.push(await killedAt(point));
      const next = await worker();
      for (const id of ids) await assertSent(id);
      await next.kill();
    });
  }
});
