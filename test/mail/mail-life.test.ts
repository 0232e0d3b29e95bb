import assert from 'node:assert/strict';
import { z } from 'zod';
import { sql } from '../../src/database/pool.ts';
import { freePort } from '../../src/embedded/ports.ts';
import { createLogger } from '../../src/context/logging.ts';
import { lifeId } from '../../src/ids/life-ids.ts';
import { itInFull } from '../support/cases.ts';
import { eventually } from '../support/eventually.ts';
import { startRig, type Rig } from '../temporal/rig.ts';
import { runOf } from '../temporal/runs.ts';
import { startMailServer, type MailServer } from './mail-server.ts';
import { writeTestMail } from './write-test-mail.ts';

const Row = z.object({ status: z.string(), text: z.string().nullable() });
/** It has letters that are in no digest and no time: six digits are in some time of a history sooner or later. */
const CODE = 'qzwk-vyxj';
const SECRET = `code-${CODE}-that-no-history-may-hold`;
const ADDRESS = 'somebody.whom.no.history.may.hold@example.test';

describe('The life of a mail', () => {
  const logged: string[] = [];
  let rig: Rig;
  let server: MailServer;
  before(async () => {
    rig = await startRig({ log: createLogger('debug', { write: (line: string) => void logged.push(line) }) });
    server = await startMailServer();
    sendBy(server.port);
    await rig.startDelivery();
    await rig.startWorker();
  });
  after(async () => {
    await rig.stop();
    await server.stop();
  });

  const sendBy = (port: number): void => {
    rig.config.mail = { smtpUrl: `smtp://127.0.0.1:${port}`, from: 'Carnet <carnet@example.test>' };
  };
  const write = (seconds = 600): Promise<string> =>
    writeTestMail(rig.context, { to: ADDRESS, subject: 'A word', text: `It says ${SECRET}.\n`, seconds });
  const row = (id: string) => rig.context.pool.one(sql.type(Row)`select status, text from mails where id = ${id}`);
  const run = (id: string) => runOf(rig, lifeId.mail(id));
  const attempts = async (id: string): Promise<number> => {
    const { raw } = await run(id).handle.describe();
    return raw.pendingActivities?.[0]?.attempt ?? 0;
  };

  it('sends it once, and then deletes its text', async () => {
    const id = await write();
    await run(id).ended();
    assert.deepEqual(await row(id), { status: 'sent', text: null });
    const mails = server.received.filter(({ raw }) => raw.includes(id));
    assert.equal(mails.length, 1);
    assert.deepEqual(mails[0]?.to, [ADDRESS]);
    assert.equal(mails[0]?.from, 'carnet@example.test');
    for (const part of [
      `It says ${SECRET}.`,
      'Subject: A word',
      'From: Carnet <carnet@example.test>',
      `Message-ID: <${id}@`,
    ]) {
      assert(mails[0]?.raw.includes(part), part);
    }
  });

  it('waits for a mail server that is away, and sends it when it is back', async () => {
    const port = await freePort();
    sendBy(port);
    const id = await write();
    await eventually('a second try', async () => (await attempts(id)) > 1, { ignoreErrors: () => true });
    assert.equal((await row(id)).status, 'waiting');
    const back = await startMailServer({ port });
    await run(id).ended();
    await back.stop();
    sendBy(server.port);
    assert.equal(back.received.length, 1);
    assert.deepEqual(await row(id), { status: 'sent', text: null });
  });

  it('gives it up when its time is over, and deletes its text', async () => {
    sendBy(await freePort());
    const id = await write(2);
    await run(id).ended();
    sendBy(server.port);
    assert.deepEqual(await row(id), { status: 'expired', text: null });
  });

  it('gives it up immediately when the mail server will never take it', async () => {
    const strict = await startMailServer({ refuses: 550 });
    sendBy(strict.port);
    const id = await write();
    await run(id).ended();
    await strict.stop();
    sendBy(server.port);
    assert.deepEqual(await row(id), { status: 'refused', text: null });
  });

  const assertSentOnce = async (afterText: 'reset' | 'hang'): Promise<void> => {
    const broken = await startMailServer({ afterText });
    sendBy(broken.port);
    const id = await write();
    await run(id).ended();
    await broken.stop();
    sendBy(server.port);
    assert.deepEqual(await row(id), { status: 'unknown', text: null });
    assert.equal(broken.received.length, 1);
  };

  it('is not repeated where the connection ends after the text, since it may have been taken', () =>
    assertSentOnce('reset'));

  itInFull('is not repeated where the mail server says nothing after the text', () => assertSentOnce('hang'));

  it('does not repeat a call that a process has begun and did not end', async () => {
    sendBy(await freePort());
    const id = await write();
    await eventually('a first try', async () => (await attempts(id)) > 0, { ignoreErrors: () => true });
    await rig.context.pool.query(
      sql.type(z.object({}))`update mails set sending_at = clock_timestamp() where id = ${id} and status = 'waiting'`,
    );
    sendBy(server.port);
    await run(id).ended();
    assert.deepEqual(await row(id), { status: 'unknown', text: null });
    assert.equal(server.received.filter(({ raw }) => raw.includes(id)).length, 0);
  });

  it('says that a program wrote it, and has the same words in plain text and in HTML', async () => {
    const text =
      'Your code:\n\n123456\n\nSaid <b>somebody</b> at http://elsewhere.example/x\n\nhttp://127.0.0.1/dashboard\n';
    rig.config.publicBaseUrl = 'http://127.0.0.1';
    const id = await writeTestMail(rig.context, { to: ADDRESS, text, unsubscribe: 'mem_1' });
    await run(id).ended();
    const raw = (server.received.find((mail) => mail.raw.includes(id))?.raw ?? '').replaceAll('\r\n', '\n');
    const head = raw.slice(0, raw.indexOf('\n\n')).replaceAll(/\n\s+/g, ' ');
    assert.match(head, /^Auto-Submitted: auto-generated$/m);
    assert.match(head, /^Content-Type: multipart\/alternative/m);
    assert.match(head, /^List-Unsubscribe: <http:\/\/127\.0\.0\.1\/unsubscribe\/mem_1\.[\w-]{43}>$/m);
    assert.match(head, /^List-Unsubscribe-Post: List-Unsubscribe=One-Click$/m);
    const body = raw.replaceAll(/=\n/g, '').replaceAll('=3D', '=');
    for (const part of [
      'Said <b>somebody</b> at http://elsewhere.example/x',
      '>123456</strong>',
      'Said &lt;b&gt;somebody&lt;/b&gt; at http://elsewhere.example/x',
      '<a href="http://127.0.0.1/dashboard">',
      '<meta name="color-scheme" content="light dark">',
    ])
      assert(body.includes(part), part);
    assert(!/<(?:img|link|script|a href="http:\/\/elsewhere)/.test(body));
  });

  it('tries again where the mail server answers that it should', async () => {
    const busy = await startMailServer({ refuses: 451 });
    sendBy(busy.port);
    const id = await write();
    await eventually('a second try', async () => (await attempts(id)) > 1, { ignoreErrors: () => true });
    sendBy(server.port);
    await busy.stop();
    await run(id).ended();
    assert.equal((await row(id)).status, 'sent');
  });

  it('continues when somebody requests in Temporal that it be cancelled, or sends an unknown signal', async () => {
    const port = await freePort();
    sendBy(port);
    const id = await write();
    await eventually('a first try', async () => (await attempts(id)) > 0, { ignoreErrors: () => true });
    await run(id).handle.cancel();
    await run(id).handle.signal('nonsense', { anything: 1 });
    sendBy(server.port);
    await run(id).ended();
    assert.equal((await row(id)).status, 'sent');
  });

  it('leaves neither address nor text in a history, a description or a log', async () => {
    const id = await write();
    await run(id).ended();
    const { raw } = await run(id).handle.describe();
    const seen = `${await run(id).text()} ${JSON.stringify(raw)} ${logged.join('')}`;
    for (const secret of [SECRET, ADDRESS, CODE]) assert(!seen.includes(secret), secret);
    assert(seen.includes(id));
  });

  it('can be listed by its status, and shows that it has ended', async () => {
    const id = await write();
    await run(id).ended();
    const query = `WorkflowId = "${lifeId.mail(id)}" AND LifeStatus = "ended"`;
    await eventually('the run to be listed', async () => (await rig.temporal.client.workflow.count(query)).count === 1);
  });
});
