import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { jsonLines } from '../../scripts/json-lines.ts';
import { settingOf, startModels } from '../models/model-double.ts';
import { SharedInstance } from '../support/shared-instance.ts';
import { startRig } from '../temporal/rig.ts';
import type { Run } from '../temporal/runs.ts';
import { temporalServer } from '../temporal/temporal-server.ts';
import type { Case, Cases } from './cases/case.ts';
import { continuations } from './cases/continuations.ts';
import { briefings } from './cases/briefings.ts';
import { executions } from './cases/executions.ts';
import { inbound } from './cases/inbound.ts';
import { invocations } from './cases/invocations.ts';
import { logs } from './cases/logs.ts';
import { mails } from './cases/mails.ts';
import { notifications } from './cases/notifications.ts';
import { payments } from './cases/payments.ts';
import { payouts } from './cases/payouts.ts';
import { schedules } from './cases/schedules.ts';
import { sessions } from './cases/sessions.ts';
import { subscriptions } from './cases/subscriptions.ts';
import { verifications } from './cases/verifications.ts';
import { HISTORIES } from './histories.ts';

/**
 * Records the histories that replay.test.ts replays, from real runs: `npm run record:histories -- <version> [<name>]`, all of them or
 * those whose names begin so, as `topUp/` or `topUp/paid`. A workflow that changes through `patched` keeps the histories of the version
 * before and gets new ones beside them, under the next number.
 */
const [version = '', wanted = ''] = process.argv.slice(2);

const chosen = (cases: Cases): [string, Case][] => Object.entries(cases).filter(([name]) => name.startsWith(wanted));

const ends = chosen({
  ...briefings,
  ...executions,
  ...inbound,
  ...invocations,
  ...logs,
  ...mails,
  ...notifications,
  ...sessions,
  ...payments,
  ...subscriptions,
  ...payouts,
  ...schedules,
  ...verifications,
});
const continued = chosen(continuations);

async function save(name: string, run: Run): Promise<void> {
  const path = `${HISTORIES}${name}@${version}.json`;
  mkdirSync(dirname(path), { recursive: true });
  // A line for each event. A failed step leaves a stack trace, with the folder of the machine that records.
  const text = jsonLines(await run.json(), 2).replaceAll(`${process.cwd()}/`, '');
  writeFileSync(path, text);
  process.stdout.write(`${name}@${version}: ${(await run.events()).length} events\n`);
}

/** Runs to their ends. */
async function recordEnds(): Promise<void> {
  const models = await startModels('openai', { says: 'An answer.' });
  const rig = await startRig({
    settings: { OUTBOUND_ALLOW_LOOPBACK: 'true', LLM_PROVIDERS: settingOf(models.provider) },
  });
  await rig.startDelivery();
  await rig.startWorker();
  for (const [name, play] of ends) {
    const run = await play(rig);
    await run.ended();
    await save(name, run);
  }
  await rig.stop();
  await models.stop();
}

/** Runs that continue as new. */
async function recordContinuations(): Promise<void> {
  const temporal = await temporalServer([
    'limit.historyCount.suggestContinueAsNew=20',
    'history.defaultWorkflowTaskTimeout="1s"',
  ]);
  await temporal.start();
  const rig = await startRig({ temporalAddress: temporal.address });
  await rig.startDelivery();
  for (const [name, play] of continued) await save(name, await play(rig));
  await rig.stop();
  await temporal.remove();
}

const fault = !/^\d+$/.test(version)
  ? 'Name the version of the histories to record'
  : ends.length + continued.length === 0
    ? `No history has a name that begins with ${wanted}`
    : undefined;
if (fault === undefined) {
  const shared = await SharedInstance.open();
  Object.assign(process.env, (await shared.start()).environment);
  if (ends.length > 0) await recordEnds();
  if (continued.length > 0) await recordContinuations();
  await shared.close(async () => {});
} else {
  process.stderr.write(`${fault}: npm run record:histories -- 1, or npm run record:histories -- 1 topUp/paid\n`);
  process.exitCode = 1;
}
