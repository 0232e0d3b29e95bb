import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { lifeId } from '../../src/ids/life-ids.ts';
import { beginSession } from '../passports/accountability/sessions.ts';
import { eventually } from '../support/eventually.ts';
import { mochaGlobalSetup, mochaGlobalTeardown } from '../support/global.ts';
import { startRig, type Rig } from '../temporal/rig.ts';
import { runOf, type Run } from '../temporal/runs.ts';
import { temporalServer } from '../temporal/temporal-server.ts';
import type { Cases } from './cases/case.ts';
import { failsAtOnce, unopenedSubscription } from './cases/failing.ts';
import { invocations } from './cases/invocations.ts';
import { mails } from './cases/mails.ts';
import { payments, waitingTopUp } from './cases/payments.ts';
import { payouts } from './cases/payouts.ts';
import { longRetention, schedules } from './cases/schedules.ts';
import { sessions } from './cases/sessions.ts';
import { beginSubscription, subscriptions } from './cases/subscriptions.ts';
import { HISTORIES } from './histories.ts';

/**
 * Records the histories that replay.test.ts replays, from real runs: `npm run record:histories -- <version>`. A workflow that changes
 * through `patched` keeps the histories of the version before and gets new ones beside them, under the next number.
 */
const [version = ''] = process.argv.slice(2);

async function save(name: string, run: Run): Promise<void> {
  const path = `${HISTORIES}${name}@${version}.json`;
  mkdirSync(dirname(path), { recursive: true });
  // A failed step leaves a stack trace, with the folder of whoever records.
  const text = JSON.stringify(await run.json(), null, 1).replaceAll(`${process.cwd()}/`, '');
  writeFileSync(path, `${text}\n`);
  process.stdout.write(`${name}@${version}: ${(await run.events()).length} events\n`);
}

async function recordCases(rig: Rig, cases: Cases): Promise<void> {
  for (const [name, play] of Object.entries(cases)) {
    const run = await play(rig);
    await run.ended();
    await save(name, run);
  }
}

/** Runs to their ends. The payouts come before the schedule that states them. */
async function recordEnds(): Promise<void> {
  const rig = await startRig();
  await rig.startDelivery();
  await rig.startWorker();
  for (const cases of [invocations, mails, sessions, payments, subscriptions, payouts, schedules])
    await recordCases(rig, cases);
  await rig.stop();
}

/** Saves the first run of a life when there is a second. @param sleepy whether the life waits, and must be woken to get there */
async function recordFirstRun(rig: Rig, name: string, life: string, sleepy: boolean): Promise<void> {
  const { handle } = runOf(rig, life);
  const { runId } = await handle.describe();
  await eventually(
    'another run',
    async () => {
      if (sleepy) await handle.signal('wake');
      return (await handle.describe()).runId !== runId;
    },
    { seconds: 120 },
  );
  await save(name, runOf(rig, life, runId));
}

/** Runs that continue as new, on a server that suggests it soon. */
async function recordContinuations(): Promise<void> {
  const temporal = await temporalServer([
    'limit.historyCount.suggestContinueAsNew=20',
    'history.defaultWorkflowTaskTimeout="1s"',
  ]);
  await temporal.start();
  const rig = await startRig({ temporalAddress: temporal.address });
  await rig.startDelivery();
  const worker = await rig.startWorker();
  const waiting = {
    invocation: lifeId.invocation((await rig.invoke()).id),
    session: lifeId.session((await beginSession(rig)).session),
    topUp: await waitingTopUp(rig),
    subscription: lifeId.subscription((await beginSubscription(rig)).operatorId),
  };
  for (const [workflow, life] of Object.entries(waiting)) {
    await runOf(rig, life).showing(/^Waits/);
    await recordFirstRun(rig, `${workflow}/continued-as-new`, life, true);
  }
  await save('retention/continued-as-new', await longRetention(rig));
  await worker.stop();
  await rig.startWorker({ openSubscriptionCheckout: failsAtOnce });
  await recordFirstRun(rig, 'subscription/step-kept-failing', await unopenedSubscription(rig), false);
  await rig.stop();
  await temporal.remove();
}

if (/^\d+$/.test(version)) {
  await mochaGlobalSetup();
  await recordEnds();
  await recordContinuations();
  await mochaGlobalTeardown();
} else {
  process.stderr.write('Name the version of the histories to record: npm run record:histories -- 1\n');
  process.exitCode = 1;
}
