import assert from 'node:assert/strict';
import { z } from 'zod';
import { sql } from '../../../../src/database/pool.ts';
import { CarnetError } from '../../../../src/errors/carnet-error.ts';
import { createLogger } from '../../../../src/context/logging.ts';
import { newId } from '../../../../src/ids/ids.ts';
import { lifeId } from '../../../../src/ids/life-ids.ts';
import { itInFull } from '../../../support/cases.ts';
import { eventually } from '../../../support/eventually.ts';
import { startRig, type Rig } from '../../../temporal/rig.ts';
import { runOf } from '../../../temporal/runs.ts';
import { newPayer, type Payer } from '../payer.ts';
import { makeDue } from '../../../support/due-lives.ts';

const ScheduledSteps = z.object({
  events: z.array(
    z.object({
      activityTaskScheduledEventAttributes: z
        .object({ activityType: z.object({ name: z.string() }), scheduleToCloseTimeout: z.string() })
        .optional(),
    }),
  ),
});

describe('The life of a top-up', function () {
  this.timeout(240_000);
  const logged: string[] = [];
  let rig: Rig;
  let payer: Payer;
  before(async () => {
    rig = await startRig({ log: createLogger('debug', { write: (line: string) => void logged.push(line) }) });
    await rig.startDelivery();
    await rig.startWorker();
  });
  beforeEach(async () => {
    payer = await newPayer(rig.context);
  });
  after(() => rig.stop());

  const run = (id: string) => runOf(rig, lifeId['top-up'](id));
  const ended = async (id: string): Promise<string | undefined> => {
    await run(id).ended();
    return (await payer.topUps()).find((row) => row.id === id)?.status;
  };
  const checkoutStatus = async (sessionId: string): Promise<unknown> =>
    rig.context.pool.oneFirst(
      sql.type(z.object({ status: z.string() }))`select status from local_checkouts where id = ${sessionId}`,
    );

  it('waits for the payment of a checkout that the caller has opened', async () => {
    const { id } = await payer.begin();
    await run(id).showing(/^Waits for the payment until/);
  });

  it('ends when it was paid, with the receipt', async () => {
    const { id } = await payer.paid();
    assert.equal(await ended(id), 'paid');
    const receipt = await rig.context.pool.oneFirst(
      sql.unsafe`select receipt_url is not null from top_ups where id = ${id}`,
    );
    assert.equal(receipt, true);
  });

  it('tries for the receipt a minute at a time, since a list of refunds may have to be read meanwhile', async () => {
    const { id } = await payer.paid();
    await run(id).ended();
    const { events } = ScheduledSteps.parse(await run(id).json());
    const step = events
      .map(({ activityTaskScheduledEventAttributes: attributes }) => attributes)
      .find((attributes) => attributes?.activityType.name === 'fetchReceipt');
    assert.equal(step?.scheduleToCloseTimeout, '60s');
  });

  it('checks with the provider when the time is over, so that a lost webhook loses nothing', async () => {
    const { id, sessionId } = await payer.begin();
    await payer.settleSilently(sessionId, 'paid');
    await payer.timeIsOver(id);
    assert.equal(await ended(id), 'paid');
    assert.equal((await payer.available()).posted_cents, 1_000);
  });

  it('closes the checkout when its time is over, so that nobody pays a page that was given up', async () => {
    const { id, sessionId } = await payer.begin();
    await payer.timeIsOver(id);
    assert.equal(await ended(id), 'expired');
    assert.equal(await checkoutStatus(sessionId), 'expired');
    assert.equal((await payer.available()).posted_cents, 0);
  });

  it('ends when the payment failed', async () => {
    const { id, sessionId } = await payer.begin();
    await payer.settleSilently(sessionId, 'failed');
    await payer.timeIsOver(id);
    assert.equal(await ended(id), 'failed');
  });

  it('leaves what was paid differently to a person', async () => {
    const { id, sessionId } = await payer.begin();
    await payer.settleSilently(sessionId, 'paid');
    await rig.context.pool.query(sql.unsafe`update local_checkouts set amount_cents = 5 where id = ${sessionId}`);
    await payer.timeIsOver(id);
    assert.equal(await ended(id), 'differs');
    assert.equal((await payer.available()).posted_cents, 0);
  });

  itInFull('starts by itself where its message was lost, and checks by itself where its run was lost', async () => {
    const { pool } = rig.context;
    const lost = newId('top');
    await pool.query(sql.unsafe`
      insert into top_ups (id, operator_id, provider, amount_cents, seconds, return_to, created_at, expires_at)
      values (${lost}, ${payer.operatorId}, 'local', 1000, 86400, 'http://carnet.test', clock_timestamp() - interval '11 seconds', clock_timestamp() + interval '1 day')`);
    await pool.query(sql.unsafe`select wake_life(${lifeId['top-up'](lost)})`);
    await makeDue(pool, lifeId['top-up'](lost)); // it was delivered, and never came
    await run(lost).showing(/^Waits for the payment/);
    await run(lost).handle.terminate();
    await pool.query(sql.unsafe`
      update top_ups set expires_at = clock_timestamp(), next_call_at = clock_timestamp() - interval '61 seconds' where id = ${lost}`);
    await makeDue(pool, lifeId['top-up'](lost));
    assert.equal(await ended(lost), 'expired');
  });

  it('continues when somebody cancels its run in Temporal, or sends an unknown signal', async () => {
    const { id, sessionId } = await payer.begin();
    await run(id).showing(/^Waits for the payment/);
    await run(id).handle.cancel();
    await run(id).handle.signal('nonsense', { anything: 1 });
    await run(id).showing(
      /Refused to cancel.*\n\n\S+Z Refused signal nonsense|Refused signal nonsense.*\n\n\S+Z Refused to cancel/s,
    );
    await payer.settleSilently(sessionId, 'paid');
    await payer.timeIsOver(id);
    assert.equal(await ended(id), 'paid');
  });

  it('leaves the address of the checkout in no history, description, log or audit event', async () => {
    const { id, checkoutUrl } = await payer.begin();
    await run(id).showing(/^Waits/);
    const { raw } = await run(id).handle.describe();
    const audit = await rig.context.pool.oneFirst(sql.unsafe`select string_agg(e::text, ' ') from audit_events e`);
    const written = `${await run(id).text()} ${JSON.stringify(raw)} ${logged.join('')} ${String(audit)}`;
    const secret = checkoutUrl.slice(checkoutUrl.indexOf('/local-payments/'));
    assert(secret.length > 40 && !written.includes(secret));
    assert(written.includes(id));
  });

  it('begins once under an Idempotency-Key, whichever of several callers is first', async () => {
    const answers = await Promise.allSettled(Array.from({ length: 10 }, () => payer.topUp('together')));
    const sessions = answers.flatMap((one) => (one.status === 'fulfilled' ? [one.value.body.session_id] : []));
    const isLater = (error: unknown): boolean =>
      error instanceof CarnetError && ['IDEMPOTENCY_IN_FLIGHT', 'TEMPORARILY_UNAVAILABLE'].includes(error.code);
    for (const one of answers) if (one.status === 'rejected') assert(isLater(one.reason), String(one.reason));
    const { body } = await eventually('the session', () => payer.topUp('together'), { ignoreErrors: isLater });
    assert.deepEqual(new Set(sessions), new Set(sessions.length > 0 ? [body.session_id] : []));
    assert.equal((await payer.topUps()).length, 1);
  });
});

describe('A top-up while no worker runs', function () {
  this.timeout(240_000);

  it('is answered, settled by the webhook, and its life follows when there is a worker', async () => {
    const rig = await startRig();
    try {
      await rig.startDelivery();
      const payer = await newPayer(rig.context);
      const answered = await payer.topUp('key');
      assert.match(answered.body.checkout_url, /^http/);
      assert.deepEqual(await payer.topUp('key'), { ...answered, replayed: true });
      assert.equal((await payer.paid()).status, 'paid');
      assert.equal((await payer.available()).posted_cents, 1_000);
      const rows = await payer.topUps();
      assert.deepEqual(
        rows.map(({ status }) => status),
        ['open', 'paid'],
      );
      assert.equal(await rig.context.pool.oneFirst(sql.unsafe`select count(*)::int from local_checkouts`), 2);
      await rig.startWorker();
      const [open, paid] = rows.map(({ id }) => runOf(rig, lifeId['top-up'](id)));
      await open?.showing(/^Waits for the payment/);
      await paid?.ended();
    } finally {
      await rig.stop();
    }
  });

  it('whose answer of the provider was lost is opened by the life, by the same request, whenever that comes', async () => {
    const rig = await startRig();
    try {
      await rig.startDelivery();
      const payer = await newPayer(rig.context);
      const id = await payer.beginUnopened();
      const request = (): Promise<unknown> =>
        rig.context.pool.one(sql.unsafe`select expires_at, seconds, return_to from top_ups where id = ${id}`);
      const requested = await request();
      assert.deepEqual(
        (await payer.topUps()).map(({ status }) => status),
        ['opening'],
      );
      await rig.startWorker();
      await runOf(rig, lifeId['top-up'](id)).showing(/^Waits for the payment/);
      assert.deepEqual(
        (await payer.topUps()).map(({ status }) => status),
        ['open'],
      );
      assert.deepEqual(await request(), requested);
    } finally {
      await rig.stop();
    }
  });
});
