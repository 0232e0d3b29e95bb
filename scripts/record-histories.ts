import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sql } from '../src/database/pool.ts';
import { activeKey } from '../src/passports/keys/signing-keys.ts';
import { KEY_ROTATION, RETENTION } from '../temporal/schedules.ts';
import { TaskQueue } from '../temporal/task-queues.ts';
import { keyRotation, retention } from '../workflows/index.ts';
import { invocationSignals } from '../workflows/invocation.ts';
import { HISTORIES } from '../test/replay/histories.ts';
import { beginSession, type Session } from '../test/passports/accountability/sessions.ts';
import { startMailServer } from '../test/mail/mail-server.ts';
import { writeTestMail } from '../test/mail/write-test-mail.ts';
import { mochaGlobalSetup, mochaGlobalTeardown } from '../test/support/global.ts';
import { eventually } from '../test/support/eventually.ts';
import { startRig, type Rig } from '../test/temporal/rig.ts';
import { playPayments, waitingTopUp } from './play-payments.ts';
import { playPayouts } from './play-payouts.ts';
import { beginSubscription, operatorSubscription, playPortal } from './play-subscriptions.ts';
import { lifeId } from '../src/ids/life-ids.ts';
import { runOf, type Run } from '../test/temporal/runs.ts';
import { temporalServer } from '../test/temporal/temporal-server.ts';

/**
 * Records test/replay/histories anew from real runs: `node scripts/record-histories.ts <version>`. A workflow that changes through
 * `patched` keeps the histories of the version before and gets new ones beside them, under the next number.
 */
const version = process.argv[2] ?? '';
if (!/^\d+$/.test(version)) {
  console.error('Say the version of the histories to record: node scripts/record-histories.ts 1');
  process.exit(1);
}

type Play = (rig: Rig, run: Run, id: string) => Promise<unknown>;

const skillInvocation: Record<string, Play> = {
  'over-before-delivery': async (rig, _run, id) => {
    await rig.claim(id);
    await rig.complete(id);
  },
  'completed-by-rest': async (rig, run, id) => {
    await run.saying(/^Waits/);
    await rig.claim(id, 600);
    await run.saying(/^Claimed/);
    await rig.complete(id);
  },
  'completed-by-signals': async (_rig, run) => {
    await run.saying(/^Waits/);
    await run.handle.signal(invocationSignals.claim, { lease_seconds: 600 });
    await run.saying(/^Claimed/);
    await run.handle.signal(invocationSignals.complete, { output: { text: 'done' } });
  },
  'claimed-and-completed-at-once': async (_rig, run) => {
    await run.saying(/^Waits/);
    await Promise.all([
      run.handle.signal(invocationSignals.claim),
      run.handle.signal(invocationSignals.complete, { output: { text: 'done' } }),
    ]);
    await run.handle
      .signal(invocationSignals.complete, { output: { text: 'done' } })
      .catch(() => 'it has ended already');
  },
  failed: async (_rig, run) => {
    await run.saying(/^Waits/);
    await run.handle.signal(invocationSignals.claim);
    await run.handle.signal(invocationSignals.fail, { error: { code: 'NO_IDEA', message: 'It cannot be done.' } });
  },
  cancelled: async (_rig, run) => {
    await run.saying(/^Waits/);
    await run.handle.signal(invocationSignals.cancel);
  },
  'lease-lapsed': async (rig, run, id) => {
    await run.saying(/^Waits/);
    await rig.claim(id, 1);
    await eventually('the lease to lapse', async () => (await rig.row(id)).status === 'pending');
    await rig.claim(id);
    await rig.complete(id);
  },
  expired: async (_rig, run) => run.ended(),
  'signals-refused': async (rig, run, id) => {
    await run.saying(/^Waits/);
    await run.handle.signal(invocationSignals.complete, { output: { text: 'too early' } });
    await run.handle.signal(invocationSignals.claim, 'not an object');
    await run.handle.cancel();
    await run.saying(/Refused to cancel/);
    await rig.claim(id);
    await rig.complete(id);
  },
};

/** Each with the answer of the mail server to the recipient, and the seconds that the mail is wanted. */
const mailMessage: Record<string, { refuses?: number; seconds: number }> = {
  sent: { seconds: 600 },
  refused: { refuses: 550, seconds: 600 },
  expired: { refuses: 451, seconds: 3 },
};

const passportSession: Record<string, (session: Session) => Promise<unknown>> = {
  'checked-out': async (session) => {
    await session.checkpoint();
    await session.life.saying(/^Waits for checkpoint 2/);
    await session.block(String(await session.checkout()));
  },
  'missed-checkpoints': async (session) => {
    await session.passes(376);
    await session.life.saying(/^Waits for checkpoint 1/);
    await session.passes(300);
    await session.revoke();
  },
  'missed-checkout': async (session) => {
    await session.passes(3_600 + 901);
    const reviewing = await session.life.saying(/^Waits for review/);
    await session.block(/chko_\w+/.exec(reviewing)?.[0] ?? '');
  },
  'signals-refused': async (session) => {
    await session.life.handle.signal('checkpoint', {});
    await session.life.handle.cancel();
    await session.life.saying(/Refused to cancel/);
    await session.revoke();
  },
};

const save = async (name: string, run: Run): Promise<void> => {
  const path = join(HISTORIES, `${name}@${version}.json`);
  mkdirSync(join(path, '..'), { recursive: true });
  // A failed step leaves a stack trace, with the folder of whoever records.
  const text = JSON.stringify(await run.json(), null, 1).replaceAll(`${process.cwd()}/`, '');
  writeFileSync(path, `${text}\n`);
  console.log(`${name}@${version}: ${(await run.events()).length} events`);
};

const ownInstance = process.env.CARNET_TEST_INSTANCE === undefined;
if (ownInstance) await mochaGlobalSetup();
const rig = await startRig();
await rig.startDelivery();
await rig.startWorker();
await Promise.all(
  Object.entries(skillInvocation).map(async ([name, play]) => {
    const { id } = await rig.invoke(name === 'expired' ? 2 : undefined);
    const run = runOf(rig, id);
    await play(rig, run, id);
    await run.ended();
    await save(`skillInvocation/${name}`, run);
  }),
);
await activeKey(rig.context);
for (const [name, age] of Object.entries({ 'not-due': '1 day', rotated: '90 days' })) {
  await rig.context.pool.query(
    sql.unsafe`update signing_keys set activated_at = now() - ${age}::interval where status = 'active'`,
  );
  const workflowId = `${KEY_ROTATION}:${name}`;
  await rig.temporal.client.workflow.execute(keyRotation, { workflowId, taskQueue: TaskQueue.lives });
  await save(`keyRotation/${name}`, runOf(rig, workflowId));
}
/** So many audit events of a day that no tier keeps, of an operator who has no others. */
const writeOldEvents = async ({ context: { pool } }: Rig, count: number) => {
  await pool.query(
    sql.unsafe`insert into operators (id, name, email) values ('op_old', 'old', 'old@example.test') on conflict do nothing`,
  );
  await pool.query(sql.unsafe`
    insert into audit_events (operator_id, actor, action, target, created_at)
    select 'op_old', 'test', 'test', 'test', now() - interval '3 years' from generate_series(1, ${count})`);
};
for (const [name, count] of Object.entries({ 'nothing-due': 0, purged: 1_500 })) {
  await writeOldEvents(rig, count);
  const workflowId = `${RETENTION}:${name}`;
  await rig.temporal.client.workflow.execute(retention, { workflowId, taskQueue: TaskQueue.lives });
  await save(`retention/${name}`, runOf(rig, workflowId));
}
for (const [name, { refuses, seconds }] of Object.entries(mailMessage)) {
  const server = await startMailServer({ refuses });
  rig.config.mail = { smtpUrl: `smtp://127.0.0.1:${server.port}`, from: 'carnet@example.test' };
  const run = runOf(rig, lifeId.mail(await writeTestMail(rig.context, { seconds })));
  await run.ended();
  await server.stop();
  await save(`mailMessage/${name}`, run);
}
for (const [name, play] of Object.entries(passportSession)) {
  const session = await beginSession(rig);
  await session.life.saying(/^Waits for checkpoint 1/);
  await play(session);
  await session.life.ended();
  await save(`passportSession/${name}`, session.life);
}
for (const [name, play] of Object.entries(operatorSubscription)) {
  const subscriber = await beginSubscription(rig);
  await play(rig, subscriber);
  await subscriber.life.ended();
  await save(`operatorSubscription/${name}`, subscriber.life);
}
for (const [name, run] of [...(await playPayouts(rig)), ...(await playPayments(rig))]) await save(name, run);
const portal = await playPortal(rig);
await portal.ended();
await save('portalSession/opened', portal);
await rig.stop();

const temporal = await temporalServer([
  'limit.historyCount.suggestContinueAsNew=20',
  'history.defaultWorkflowTaskTimeout="1s"',
]);
await temporal.start();
const shortLived = await startRig({ temporalAddress: temporal.address });
await shortLived.startDelivery();
await shortLived.startWorker();
/** Woken until the server suggests another run. */
const saveFirstRun = async (name: string, life: string): Promise<void> => {
  const { handle, saying } = runOf(shortLived, life);
  await saying(/^Waits/);
  const { runId } = await handle.describe();
  await eventually('another run', async () => {
    await handle.signal('wake');
    return (await handle.describe()).runId !== runId;
  });
  await save(name, runOf(shortLived, life, runId));
};
await saveFirstRun('skillInvocation/continued-as-new', (await shortLived.invoke()).id);
await saveFirstRun('passportSession/continued-as-new', lifeId.session((await beginSession(shortLived)).session));
await saveFirstRun('topUp/continued-as-new', await waitingTopUp(shortLived));
await saveFirstRun(
  'operatorSubscription/continued-as-new',
  lifeId.subscription((await beginSubscription(shortLived)).operatorId),
);
// A run hears the suggestion at a task of its own, and one task holds the steps of a second.
await writeOldEvents(shortLived, 400_000);
const purging = await shortLived.temporal.client.workflow.start(retention, {
  workflowId: `${RETENTION}:long`,
  taskQueue: TaskQueue.lives,
});
await purging.result();
await save('retention/continued-as-new', runOf(shortLived, purging.workflowId, purging.firstExecutionRunId));
await shortLived.stop();
await temporal.remove();
if (ownInstance) await mochaGlobalTeardown();
