import assert from 'node:assert/strict';
import { sql } from '../../../src/database/pool.ts';
import { createLogger } from '../../../src/context/logging.ts';
import { lifeId } from '../../../src/ids/life-ids.ts';
import { run } from '../../billing/ledger/ledger-world.ts';
import { eventually } from '../../support/eventually.ts';
import { startRig, type Rig } from '../../temporal/rig.ts';
import { runOf } from '../../temporal/runs.ts';
import {
  countsOf,
  deliveriesOf,
  haveEnded,
  newDestination,
  newOperator,
  newRule,
  newWebhook,
  recordEvents,
  standingOf,
  type TestDestination,
} from '../support/destinations.ts';
import { answers, receiversOfSuite, type Receiver } from '../support/receiver.ts';
import { makeDue } from '../../support/due-lives.ts';

const SECRET = 'payload-that-no-history-may-hold';

describe('The life of a destination', function () {
  this.timeout(120_000);
  const logged: string[] = [];
  const { receiver, stopReceivers } = receiversOfSuite();
  let rig: Rig;
  before(async () => {
    rig = await startRig({
      log: createLogger('debug', { write: (line: string) => void logged.push(line) }),
      settings: { OUTBOUND_ALLOW_LOOPBACK: 'true' },
    });
    await rig.startDelivery();
    await rig.startWorker();
  });
  after(async () => {
    await stopReceivers();
    await rig.stop();
  });

  const runOfLife = ({ id }: TestDestination) => runOf(rig, lifeId.notification(id));

  it('sends an event and ends; another event begins a new run', async () => {
    const { url, calls } = await receiver(answers(204));
    const webhook = await newWebhook(rig.context, url);
    for (const count of [1, 2]) {
      await recordEvents(rig.context, webhook.operatorId);
      await eventually('the call', () => calls.length === count);
      await runOfLife(webhook).ended();
    }
    assert.deepEqual(await countsOf(rig.context, webhook), { delivered: 2 });
    assert.equal(await runOfLife(webhook).tasks(), 2);
  });

  it('sends a hundred events of one destination in two tasks of one run', async () => {
    const { url, calls } = await receiver();
    const webhook = await newWebhook(rig.context, url);
    const ids = await recordEvents(rig.context, webhook.operatorId, { count: 100 });
    await runOfLife(webhook).ended();
    assert.deepEqual(calls.map(({ id }) => id).toSorted(), ids.toSorted());
    assert.equal(await runOfLife(webhook).tasks(), 2);
  });

  it('a receiver that gives no answer delays no other destination of the same operator and event', async () => {
    const held: (() => void)[] = [];
    const slow = await receiver((answer) => void held.push(() => void answer.writeHead(200).end()));
    const quick = await receiver();
    const operatorId = await newOperator(rig.context);
    const [slowOne, quickOne] = [
      await newDestination(rig.context, { operatorId, destination: slow.url }),
      await newDestination(rig.context, { operatorId, destination: quick.url }),
    ];
    await newRule(rig.context, { destinations: [slowOne, quickOne] });
    await recordEvents(rig.context, operatorId, { count: 30 });
    await haveEnded(rig.context, quickOne, 30);
    assert.deepEqual(
      await countsOf(rig.context, slowOne),
      { sending: 30 },
      'the quick one did not wait for any of them',
    );
    await eventually('the calls of the slow one', () => slow.calls.length === 8);
    const releasing = setInterval(() => held.splice(0).forEach((release) => release()), 10);
    await haveEnded(rig.context, slowOne, 30);
    clearInterval(releasing);
    assert.deepEqual(await countsOf(rig.context, slowOne), { delivered: 30 });
    assert.equal(slow.most, 8);
  });

  it('eight destinations of an operator send in parallel, and the others after them', async () => {
    const held: (() => void)[] = [];
    const receiving: Receiver = await receiver((answer) => {
      held.push(() => void answer.writeHead(200).end());
      if (receiving.calls.length >= 8) for (const release of held.splice(0)) release();
    });
    const operatorId = await newOperator(rig.context);
    const destinations: TestDestination[] = [];
    for (let at = 0; at < 11; at += 1)
      destinations.push(await newDestination(rig.context, { operatorId, destination: receiving.url }));
    await newRule(rig.context, { destinations });
    await recordEvents(rig.context, operatorId);
    for (const one of destinations) await haveEnded(rig.context, one, 1);
    assert.equal(receiving.calls.length, 11);
    assert(receiving.most <= 8);
    for (const one of destinations) await runOfLife(one).ended();
    for (const one of destinations) assert.equal((await standingOf(rig.context, one)).sends, false);
  });

  it('counts a call of a worker that is gone as unknown after thirty seconds, and makes it never again', async () => {
    const { url, calls } = await receiver();
    const webhook = await newWebhook(rig.context, url);
    await rig.together(async () => {
      await recordEvents(rig.context, webhook.operatorId, { count: 2 });
      const [first] = await deliveriesOf(rig.context, webhook);
      await run(
        rig.context.pool,
        sql.fragment`update deliveries set started_at = clock_timestamp() - interval '27 seconds' where id = ${first?.id ?? ''}`,
      );
    });
    await haveEnded(rig.context, webhook, 1);
    assert.deepEqual(await countsOf(rig.context, webhook), { sending: 1, delivered: 1 });
    await runOfLife(webhook).showing(/^Waits until .*calls were begun by a worker that is gone/);
    await runOfLife(webhook).ended();
    assert.deepEqual(await countsOf(rig.context, webhook), { delivered: 1, 'unknown interrupted': 1 });
    assert.equal(calls.length, 1);
    assert.equal((await standingOf(rig.context, webhook)).failures_in_row, 0, 'the receiver is not to blame');
  });

  it('is found where its message was delivered and never came', async () => {
    const { url } = await receiver();
    const webhook = await newWebhook(rig.context, url);
    await rig.together(async () => {
      await recordEvents(rig.context, webhook.operatorId);
      await makeDue(rig.context.pool, lifeId.notification(webhook.id));
    });
    await haveEnded(rig.context, webhook, 1);
    assert.deepEqual(await countsOf(rig.context, webhook), { delivered: 1 });
  });

  it('an event that is rolled back is sent nowhere', async () => {
    const { url, calls } = await receiver();
    const webhook = await newWebhook(rig.context, url);
    await assert.rejects(
      rig.context.pool.transaction(async (connection) => {
        await run(
          connection,
          sql.fragment`select record_service_event(${webhook.operatorId}, 'passport.flagged', 'info', '{}')`,
        );
        throw new Error('rolled back');
      }),
      /rolled back/,
    );
    await recordEvents(rig.context, webhook.operatorId);
    await haveEnded(rig.context, webhook, 1);
    assert.equal(calls.length, 1);
  });

  it('continues when somebody requests in Temporal that it be cancelled, or sends an unknown signal', async () => {
    const held: (() => void)[] = [];
    const { url, calls } = await receiver((answer) => void held.push(() => void answer.writeHead(200).end()));
    const webhook = await newWebhook(rig.context, url);
    await recordEvents(rig.context, webhook.operatorId);
    await eventually('the call', () => calls.length === 1);
    await runOfLife(webhook).handle.cancel();
    await runOfLife(webhook).handle.signal('nonsense', { anything: 1 });
    held.forEach((release) => release());
    await runOfLife(webhook).ended();
    assert.deepEqual(await countsOf(rig.context, webhook), { delivered: 1 });
  });

  it('leaves neither address nor secret nor payload in a history, a description or a log', async () => {
    const { url } = await receiver(answers(500));
    const webhook = await newWebhook(rig.context, `${url}/path-that-opens-something`);
    await recordEvents(rig.context, webhook.operatorId, { payload: { reason: SECRET } });
    await runOfLife(webhook).ended();
    const { raw } = await runOfLife(webhook).handle.describe();
    const seen = `${await runOfLife(webhook).text()} ${JSON.stringify(raw)} ${logged.join('')}`;
    for (const secret of [SECRET, webhook.secret, 'path-that-opens-something', new URL(url).host])
      assert(!seen.includes(secret), secret);
    assert(seen.includes(webhook.id));
  });
});
