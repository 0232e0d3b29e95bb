import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { cancelSubscription } from '../../src/billing/subscriptions/cancel.ts';
import { subscribe } from '../../src/billing/subscriptions/subscribe.ts';
import { sql } from '../../src/database/pool.ts';
import { lifeId } from '../../src/ids/life-ids.ts';
import { lives } from '../../temporal/lives.ts';
import * as workflows from '../../workflows/index.ts';
import { callOf } from '../invocations/own-context.ts';
import { firstRun, handedOver, longPayouts } from '../replay/cases/continuations.ts';
import { failsAtOnce, unfinished } from '../replay/cases/failing.ts';
import { beginSubscription } from '../replay/cases/subscriptions.ts';
import { casesOf, itInFull } from '../support/cases.ts';
import { eventually } from '../support/eventually.ts';
import { startRig, type Rig } from './rig.ts';
import { runOf, type Run } from './runs.ts';
import { temporalServer, type TemporalServer } from './temporal-server.ts';

describe('Every kind of life', () => {
  for (const [kind, { workflow }] of Object.entries(lives)) {
    it(`${kind}: workflow, file and id bear its name`, () => {
      const name = kind.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
      assert.equal(workflow.name, name);
      assert.equal(Object.entries(workflows).find(([, exported]) => exported === workflow)?.[0], name);
      assert(existsSync(new URL(`../../workflows/${kind}.ts`, import.meta.url)));
      assert.equal(lifeId[kind as keyof typeof lifeId]('x'), `${kind}:x`);
    });
  }
});

/** Above it are deadlines of rows that wait, not pauses. */
const MAX_PAUSE_SECONDS = 120;

describe('A life on a server that suggests soon to continue as new', function () {
  this.timeout(240_000);
  let temporal: TemporalServer;
  let rig: Rig;
  before(async () => {
    // Some events more than three tries have.
    temporal = await temporalServer([
      'limit.historyCount.suggestContinueAsNew=50',
      'history.defaultWorkflowTaskTimeout="1s"',
    ]);
    await temporal.start();
    rig = await startRig({ temporalAddress: temporal.address });
    await rig.startDelivery();
  });
  after(async () => {
    await rig.stop();
    await temporal.remove();
  });

  const statusOf = async ({ handle }: Run): Promise<string> => (await handle.describe()).status.name;
  /** Seconds of the pauses between tries, in their order. */
  const pausesOf = async ({ handle }: Run): Promise<number[]> =>
    ((await handle.fetchHistory()).events ?? [])
      .map(({ timerStartedEventAttributes: timer }) => Number(timer?.startToFireTimeout?.seconds ?? 0))
      .filter((seconds) => seconds > 0 && seconds <= MAX_PAUSE_SECONDS);
  /** An invocation whose life waits. No worker runs when this returns. */
  const waiting = async (): Promise<{ id: string; run: Run; first: Run }> => {
    const { id } = await rig.invoke();
    const run = runOf(rig, id);
    const worker = await rig.startWorker();
    await run.showing(/^Waits/);
    await worker.stop();
    return { id, run, first: runOf(rig, id, (await run.handle.describe()).runId) };
  };

  const ways: Record<string, () => Promise<unknown>> = {
    'keeps failing': failsAtOnce,
    'comes back as done and leaves the row as it is': () => Promise.resolve(),
  };
  // All kinds are made by one function of `workflows/life.ts`, so `npm test` tries the first and the one that goes on below.
  const kinds = casesOf(Object.entries(unfinished), ([one]) => one === 'invocation' || one === 'subscription');
  for (const [way, step] of casesOf(Object.entries(ways), ([one]) => one === 'keeps failing')) {
    describe(`whose step ${way}`, () => {
      const lifeOf = new Map<string, string>();
      const firstOf = new Map<string, Run>();
      before(async () => {
        const instead = Object.fromEntries(Object.values(unfinished).map((one) => [one.step, step]));
        const worker = await rig.startWorker(instead);
        const begun = kinds.map(async ([kind, { begin }]) => {
          const life = await begin(rig);
          lifeOf.set(kind, life);
          firstOf.set(kind, await firstRun(rig, life));
        });
        await Promise.allSettled(begun); // what is missing fails its own test
        await worker.stop();
      });

      for (const [kind] of kinds) {
        it(`${kind}: pauses for longer and longer, and continues as new`, async () => {
          const run = firstOf.get(kind);
          assert(run !== undefined, 'there is no other run');
          assert.equal(await statusOf(run), 'CONTINUED_AS_NEW');
          const pauses = await pausesOf(run);
          assert(pauses.length >= 2, `too few tries: ${pauses.join()}`);
          // Each twice the one before; a wake-up that came during a try leaves out the pause after it.
          assert(
            pauses.every((seconds, at) => Number.isInteger(Math.log2(seconds)) && seconds > (pauses[at - 1] ?? 0)),
            pauses.join(),
          );
        });
      }

      it('goes on when the step succeeds', async () => {
        const worker = await rig.startWorker();
        await runOf(rig, lifeOf.get('subscription') ?? '').showing(/^Waits for the payment/);
        await worker.stop();
      });
    });
  }

  it('does not end when something came while it read its row', async () => {
    const beginning = await rig.startWorker();
    const { operatorId, life } = await beginSubscription(rig);
    await cancelSubscription(rig.context, callOf(operatorId, 'cancelSubscription'));
    await life.ended();
    await beginning.stop();

    const { promise: isRead, resolve: hasRead } = Promise.withResolvers<string>();
    const { promise: goesOn, resolve: goOn } = Promise.withResolvers<void>();
    let reads = 0;
    const worker = await rig.startWorker({
      async advanceSubscription(id) {
        const step = await rig.activities().advanceSubscription(id);
        reads += 1;
        if (reads > 1) return step;
        hasRead(step.todo);
        await goesOn;
        return step;
      },
    });
    await rig.context.pool.query(sql.unsafe`select wake_life(${lifeId.subscription(operatorId)})`);
    rig.context.delivery.messagesCommitted();
    assert.equal(await isRead, 'end');
    const { runId } = await life.handle.describe();
    const signals = async (): Promise<number> =>
      (await life.events()).filter((name) => name === 'WorkflowExecutionSignaled').length;
    const before = await signals();
    await subscribe(rig.context, callOf(operatorId, 'subscribe'), { tier: 'pro' });
    // The task lasts for longer than its second, so the life is handed the message while it reads its row.
    await eventually('the life to be handed the message', async () => (await signals()) > before);
    goOn();
    await life.showing(/^Waits for the payment/);
    const { runId: last, status } = await life.handle.describe();
    assert.deepEqual([last, status.name], [runId, 'RUNNING']);
    await worker.stop();
  });

  itInFull('performs each signal of a stream that does not end, and continues as new meanwhile', async () => {
    const { id, run, first } = await waiting();
    const inHistory = async (): Promise<number> =>
      (await first.events()).filter((name) => name === 'WorkflowExecutionSignaled').length;
    const before = await inHistory();
    let sent = before;
    const send = async (): Promise<void> => {
      sent += 1;
      await run.handle.signal('claim', { lease_seconds: 600 });
    };
    const performed = new Set<string>();
    const worker = await rig.startWorker({
      /** While one signal is performed, the life is handed the next one. */
      async actOnSignal(invocationId, act) {
        if (!performed.has(act.signalId) && (await statusOf(first)) === 'RUNNING') {
          await send();
          await eventually('the life to be handed the next signal', async () => (await inHistory()) >= sent);
        }
        performed.add(act.signalId);
        return rig.activities().actOnSignal(invocationId, act);
      },
    });
    await send();
    await eventually('another run', async () => (await statusOf(first)) === 'CONTINUED_AS_NEW', { seconds: 90 });
    await eventually('each signal to be performed', () => performed.size === sent - before);
    await run.handle.signal('complete', { output: { text: 'after all' } });
    await run.ended();
    assert.equal((await rig.row(id)).output, '{"text":"after all"}');
    await worker.stop();
  });

  it('hands the signals that wait to the next run', async () => {
    const { id, first, last } = await handedOver(rig);
    assert.equal(await statusOf(first), 'CONTINUED_AS_NEW');
    assert(!(await first.text()).includes('actOnSignal'), 'the first run performs none of them');
    assert.match(await last.text(), /"lease_seconds":600.*handed over/);
    assert.equal((await rig.row(id)).output, '{"text":"handed over"}');
  });

  it('performs an update before it continues, and answers its id in the next run as it did first', async () => {
    const { id, run, first } = await waiting();
    for (let times = 0; times < 50; times += 1) await run.handle.signal('wake');
    const claim = () => run.handle.executeUpdate<{ attempt: number }, []>('claim', { updateId: 'attempt-1' });
    const [answer, worker] = await Promise.all([claim(), rig.startWorker()]);
    assert.equal(answer.attempt, 1);
    await run.handle.signal('wake');
    await eventually('another run', async () => (await statusOf(first)) === 'CONTINUED_AS_NEW', { seconds: 90 });
    assert.deepEqual(await claim(), answer);
    assert.equal((await rig.row(id)).attempt, 1);
    await rig.complete(id);
    await run.ended();
    assert.equal(await run.handle.result(), 'completed');
    await worker.stop();
  });

  it('performs signals first that are too large to be handed over', async () => {
    const { id, run, first } = await waiting();
    for (let times = 0; times < 50; times += 1) await run.handle.signal('wake');
    // Two of them are more than the 2 MiB that a payload may have.
    const tooLarge = { output: { text: 'x'.repeat(1_200_000) } };
    await run.handle.signal('complete', tooLarge);
    await run.handle.signal('complete', tooLarge);
    await run.handle.signal('claim', { lease_seconds: 600 });
    const worker = await rig.startWorker();
    await run.showing(/Refused signal complete: BODY_TOO_LARGE/);
    // The details show a refusal before the signal behind it is performed.
    await eventually('the claim', async () => (await rig.row(id)).status === 'processing');
    await run.handle.signal('complete', { output: { text: 'small enough' } });
    await run.ended();
    assert.equal((await rig.row(id)).output, '{"text":"small enough"}');
    assert.equal(await statusOf(first), 'CONTINUED_AS_NEW');
    await worker.stop();
  });

  itInFull('the run that states a month goes on in another where there are many operators', async () => {
    const first = await longPayouts(rig);
    assert.equal(await statusOf(first), 'CONTINUED_AS_NEW');
    const worker = await rig.startWorker();
    await runOf(rig, first.handle.workflowId).showing(/^Statements of 2020-01: 24000, /);
    await worker.stop();
  });
});
