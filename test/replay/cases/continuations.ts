import { setTimeout as pause } from 'node:timers/promises';
import type { Activities } from '../../../activities/index.ts';
import { lifeId } from '../../../src/ids/life-ids.ts';
import { MONTHLY_PAYOUTS } from '../../../temporal/schedules.ts';
import { monthlyPayouts } from '../../../workflows/index.ts';
import { beginSession } from '../../passports/accountability/sessions.ts';
import { eventually } from '../../support/eventually.ts';
import type { Rig } from '../../temporal/rig.ts';
import { runOf, type Run } from '../../temporal/runs.ts';
import type { Case, Cases } from './case.ts';
import { failsAtOnce, unopenedSubscription } from './failing.ts';
import { waitingTopUp } from './payments.ts';
import { longRetention, started } from './schedules.ts';
import { beginSubscription } from './subscriptions.ts';

/** @param act what is done while a worker runs */
async function withWorker<T>(rig: Rig, instead: Partial<Activities>, act: () => Promise<T>): Promise<T> {
  const worker = await rig.startWorker(instead);
  try {
    return await act();
  } finally {
    await worker.stop();
  }
}

/** The run of a life that there is now, when there is another one after it. @param meanwhile what brings that about */
export async function firstRun(
  rig: Rig,
  life: string,
  meanwhile: () => Promise<unknown> = () => Promise.resolve(),
): Promise<Run> {
  const { handle } = runOf(rig, life);
  const { runId } = await eventually(`${life} to begin`, () => handle.describe(), { ignoreErrors: () => true });
  await eventually(
    `another run of ${life}`,
    async () => {
      await meanwhile();
      return (await handle.describe()).runId !== runId;
    },
    { seconds: 120 },
  );
  return runOf(rig, life, runId);
}

/** A life that waits, and is woken until it has continued as new. */
const woken =
  (begin: (rig: Rig) => Promise<string>): Case =>
  (rig) =>
    withWorker(rig, {}, async () => {
      const life = await begin(rig);
      await runOf(rig, life).showing(/^Waits/);
      return firstRun(rig, life, () => runOf(rig, life).handle.signal('wake'));
    });

/** More signals than the servers of the tests suggest to have events in a run. */
const MANY = 50;

/** Signals that came while no worker ran: the first run hands those with content to the next, which ends. */
export async function handedOver(rig: Rig): Promise<{ id: string; first: Run; last: Run }> {
  const { id } = await rig.invoke();
  const last = runOf(rig, id);
  await withWorker(rig, {}, () => last.showing(/^Waits/));
  const { runId } = await last.handle.describe();
  for (let times = 0; times < MANY; times += 1) await last.handle.signal('wake');
  await last.handle.signal('claim', { lease_seconds: 600 });
  await last.handle.signal('complete', { output: { text: 'handed over' } });
  await withWorker(rig, {}, () => last.ended());
  return { id, first: runOf(rig, id, runId), last };
}

/** Enough for four tasks of a second. */
const BATCHES = 120;
const BATCH_MS = 30;

/** In place of a step that takes long, as where there are many operators. */
const opensBatches: Activities['openPayouts'] = async ({ after }) => {
  await pause(BATCH_MS);
  const batch = Number(after) + 1;
  return { month: '2020-01', last: batch < BATCHES ? String(batch) : null, opened: 200, due: 0 };
};

/** A month with many operators: its first run, when the last has ended. */
export const longPayouts: Case = (rig) =>
  withWorker(rig, { openPayouts: opensBatches }, () => started(rig, monthlyPayouts, `${MONTHLY_PAYOUTS}:long`));

/** To be played without a worker, on a server that suggests soon to continue as new and whose tasks last a second. */
export const continuations: Cases = {
  'invocation/continued-as-new': woken(async (rig) => lifeId.invocation((await rig.invoke()).id)),
  'invocation/signals-handed-over': async (rig) => (await handedOver(rig)).first,
  'invocation/signals-taken-over': async (rig) => (await handedOver(rig)).last,
  'session/continued-as-new': woken(async (rig) => lifeId.session((await beginSession(rig)).session)),
  'topUp/continued-as-new': woken(waitingTopUp),
  'subscription/continued-as-new': woken(async (rig) => lifeId.subscription((await beginSubscription(rig)).operatorId)),
  'subscription/step-kept-failing': (rig) =>
    withWorker(rig, { openSubscriptionCheckout: failsAtOnce }, async () =>
      firstRun(rig, await unopenedSubscription(rig)),
    ),
  'retention/continued-as-new': (rig) => withWorker(rig, {}, () => longRetention(rig)),
  'monthlyPayouts/continued-as-new': longPayouts,
};
