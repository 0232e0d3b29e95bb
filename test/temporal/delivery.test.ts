import assert from 'node:assert/strict';
import pg from 'pg';
import { z } from 'zod';
import { listCases } from '../../src/billing/cases/queries.ts';
import { lifeMetrics, troubleOfLives } from '../../src/commands/refused-lives.ts';
import { defineCache } from '../../src/context/caches.ts';
import type { Context } from '../../src/context/context.ts';
import { sql } from '../../src/database/pool.ts';
import { healthPages } from '../../src/http/pages/health-pages.ts';
import { noPreferences } from '../../src/http/pages/page.ts';
import { metricsText } from '../../src/metrics/metrics.ts';
import { createDelivery } from '../../temporal/delivery.ts';
import { deleteMessages, leaseLives } from '../../temporal/life-messages.ts';
import { lives } from '../../temporal/lives.ts';
import { newId } from '../../src/ids/ids.ts';
import { lifeId } from '../../src/ids/life-ids.ts';
import { lifeStatusKey } from '../../workflows/life-status.ts';
import { eventually } from '../support/eventually.ts';
import { blockOf } from '../support/pasted.ts';
import { startRig, type Rig } from './rig.ts';
import { runOf } from './runs.ts';

describe('Delivery of messages to lives', () => {
  let rig: Rig;
  beforeEach(async () => {
    rig = await startRig();
  });
  afterEach(() => rig.stop());

  const delivered = (id: string) =>
    eventually(`the message of ${id} to be delivered`, async () => (await rig.messagesOf(id)) === 0);
  const wakesOf = async (id: string) =>
    (await runOf(rig, id).events()).filter((name) => name === 'WorkflowExecutionSignaled').length;
  const due = () =>
    rig.context.pool.query(
      sql.unsafe`update life_messages set next_attempt_at = clock_timestamp() - interval '5 seconds', created_at = clock_timestamp() - interval '5 seconds'`,
    );

  it('wakes a life once for all its messages', async () => {
    const { id } = await rig.invoke();
    await rig.claim(id, 60);
    await rig.complete(id);
    assert.equal(await rig.messagesOf(id), 3);
    await due();
    await rig.startDelivery();
    await delivered(id);
    assert.equal(await wakesOf(id), 1);
  });

  it('wakes each life once, however many deliver', async () => {
    const invocations = await Promise.all(Array.from({ length: 40 }, () => rig.invoke()));
    await due();
    // By the deliveries' own count: a call that is not answered in five seconds is made again, and may have worked before.
    const woken = async () =>
      Number(/^carnet_lives_woken_total(?:\{[^}]*\})? (\d+)/m.exec(await metricsText())?.[1] ?? 0);
    const before = await woken();
    await Promise.all([rig.startDelivery(), rig.anotherDelivery(), rig.anotherDelivery(), rig.anotherDelivery()]);
    await Promise.all(invocations.map(({ id }) => delivered(id)));
    assert.equal((await woken()) - before, invocations.length);
    for (const { id } of invocations) assert((await wakesOf(id)) >= 1, id);
  });

  it('leases a life to one process, all its messages together, and to another when the lease is over', async () => {
    const { id } = await rig.invoke();
    await rig.claim(id, 60);
    await due();
    const lease = () =>
      leaseLives(rig.context.pool, { kinds: ['invocation'], limit: 8, minimumAgeMs: 0, turns: new Map() });
    const leases = (await Promise.all([lease(), lease(), lease(), lease()])).flat();
    assert.deepEqual(
      leases.map(({ life, messageIds }) => [life, messageIds.length]),
      [[lifeId.invocation(id), 2]],
    );
    assert.deepEqual(await lease(), []);
    await rig.context.pool.query(
      sql.unsafe`update life_messages set lease_until = clock_timestamp() where lease_until is not null`,
    );
    const [again] = await lease();
    assert.equal(again?.attempts, 2);
  });

  it('leaves young messages to the process that committed them, and unknown kinds alone', async () => {
    await rig.invoke();
    await rig.context.pool.query(sql.unsafe`
      insert into life_messages (life, created_at, next_attempt_at) values ('unheard-of:1', '2026-01-01', '2026-01-01')`);
    await rig.context.pool.query(
      sql.unsafe`update life_messages set next_attempt_at = clock_timestamp() where life like 'invocation:%'`,
    );
    assert.deepEqual(
      await leaseLives(rig.context.pool, { kinds: ['invocation'], limit: 8, minimumAgeMs: 60_000, turns: new Map() }),
      [],
    );
    assert.equal(
      (await leaseLives(rig.context.pool, { kinds: ['invocation'], limit: 8, minimumAgeMs: 0, turns: new Map() }))
        .length,
      1,
    );
  });

  it('keeps a message that was committed while another of its life was being delivered', async () => {
    const { id } = await rig.invoke();
    await due();
    const [leased] = await leaseLives(rig.context.pool, {
      kinds: ['invocation'],
      limit: 8,
      minimumAgeMs: 0,
      turns: new Map(),
    });
    await rig.claim(id, 60);
    assert(leased !== undefined);
    await deleteMessages(rig.context.pool, [leased]);
    assert.equal(await rig.messagesOf(id), 1);
  });

  describe('where Temporal refuses a life as invalid', () => {
    const life = `refund:${'x'.repeat(2_000)}`;
    const Row = z.object({ attempts: z.number(), refused: z.boolean(), waits: z.number() });
    const rowsOf = (one: string) =>
      rig.context.pool.any(sql.type(Row)`
        select attempts, refused_at is not null and lease_until is null as refused, extract(epoch from next_attempt_at - clock_timestamp())::float8 as waits
        from life_messages where life = ${one}`);
    const wakeIt = () => rig.context.pool.query(sql.unsafe`select wake_life(${life}, 'op_1')`);
    /** As after so long a time. */
    const passes = (time: string) =>
      rig.context.pool.query(sql.unsafe`
        update life_messages set refused_at = refused_at - ${time}::interval, next_attempt_at = clock_timestamp() - interval '5 seconds'`);
    /** And no try is under way, whose answer would write over what the test changes. */
    const triedAtLeast = (attempts: number) =>
      eventually(`${attempts} tries`, async () => {
        const [row] = await rowsOf(life);
        return row?.refused && row.attempts >= attempts && row;
      });

    it('tries it again after as long as it has been refused for, an hour at most, and delivers what others have', async () => {
      await wakeIt();
      const { id } = await rig.invoke();
      await due();
      await rig.startDelivery();
      await delivered(id);
      const { attempts } = await triedAtLeast(2);
      await passes('10 minutes');
      const { waits, attempts: later } = await triedAtLeast(attempts + 1);
      assert(waits > 400 && waits <= 3_600, `${waits} seconds`);
      await passes('1 year');
      const { waits: longest } = await triedAtLeast(later + 1);
      assert(longest > 3_000 && longest <= 3_600, `${longest} seconds`);
    });

    it('tries it immediately where a person makes it due as the page says', async () => {
      await wakeIt();
      await rig.startDelivery();
      const { attempts } = await triedAtLeast(1);
      await passes('1 year');
      await triedAtLeast(attempts + 1);
      const { code } = await blockOf('docs/operations.md', 'refused');
      const person = new pg.Client({ connectionString: rig.config.databaseUrl });
      await person.connect();
      await person.query(code);
      await person.end();
      await triedAtLeast(attempts + 2);
    });

    it('tries it immediately where it is woken again, and keeps one message of it', async () => {
      await wakeIt();
      await due();
      await rig.startDelivery();
      const { attempts } = await triedAtLeast(1);
      await passes('1 year');
      await triedAtLeast(attempts + 1);
      await wakeIt();
      await wakeIt();
      rig.context.delivery.messagesCommitted();
      await eventually('one message to be left', async () => (await rowsOf(life)).length === 1);
      const [row] = await rowsOf(life);
      assert(row?.refused);
    });

    it('shows it as a gauge, also of none, in the words of /readyz, and where money waits among the cases', async () => {
      const { pool } = rig.context;
      assert.match(await lifeMetrics({ pool }), /^carnet_lives_refused 0$/m);
      assert.equal(await troubleOfLives({ pool }), null);
      await wakeIt();
      await due();
      await rig.startDelivery();
      await triedAtLeast(1);
      assert.match(await lifeMetrics({ pool }), /^carnet_lives_refused 1$/m);
      assert.match(
        (await troubleOfLives({ pool })) ?? '',
        /^Temporal refuses to wake 1 life, refund:x+ for the longest, since 20/,
      );
      const readyz = new Map(healthPages(pool, { lifeTrouble: () => troubleOfLives({ pool }) })).get('/readyz');
      assert.match(
        String((await readyz?.page({ id: '', ...noPreferences }))?.body),
        /"status":"ok".*"lives":"refused","lives_refused":"Temporal/,
      );
      const [waiting] = await listCases(pool, { operatorId: 'op_1', after: null, limit: 2 });
      assert.deepEqual([waiting?.kind, waiting?.id], ['life', life]);
    });
  });

  it('delivers about half a second after the commit, not before', async () => {
    await rig.startDelivery({ sweep: false });
    const { id: only, created_at: committed } = await rig.invoke();
    await delivered(only);
    const { startTime } = await runOf(rig, only).handle.describe();
    assert(startTime.getTime() - Date.parse(committed) >= 500);
    // After the look with which a delivery starts, which would bring what of these is due by then.
    const { id } = await rig.together(async () => {
      const invocation = await rig.invoke();
      await rig.claim(invocation.id, 60);
      return rig.complete(invocation.id);
    });
    await delivered(id);
    assert.equal(await wakesOf(id), 1);
  });

  it('delivers immediately what is due immediately', async () => {
    await rig.startDelivery({ sweep: false });
    // On a slow machine one may take longer; if all waited for the half second of the others, none would not.
    await eventually('one to be delivered within half a second', async () => {
      const id = newId('inv');
      const committed = Date.now();
      await rig.context.pool.query(
        sql.unsafe`select wake_lives(array[${lifeId.invocation(id)}], array['nobody'], array[clock_timestamp()])`,
      );
      rig.context.delivery.messagesCommitted();
      await delivered(id);
      const { startTime } = await runOf(rig, id).handle.describe();
      return startTime.getTime() - committed < 500;
    });
  });

  it('keeps what it has in memory apart from the API, whose connections it does not take', async () => {
    const contexts: Context[] = [];
    const reconcile = (context: Context): Promise<void> => Promise.resolve(void contexts.push(context));
    const delivery = createDelivery({
      temporal: rig.temporal,
      log: rig.context.log,
      lives: { ...lives, mail: { ...lives.mail, reconcile } },
    });
    await delivery.start(rig.context, { sweep: true });
    const context = await eventually('the reconciler to run', () => contexts[0]);
    const cache = defineCache(({ pool }) => ({ pool }));
    assert.equal(context.caches.get(cache).pool, context.pool);
    assert.equal(rig.context.caches.get(cache).pool, rig.context.pool);
    await delivery.stop();
  });

  it('starts lives without attributes where the namespace has lost them', async () => {
    await rig.startDelivery();
    await rig.startWorker();
    const first = await rig.invoke();
    await runOf(rig, first.id).showing(/^Waits/);
    await rig.temporal.client.connection.operatorService.removeSearchAttributes({
      namespace: rig.temporal.namespace,
      searchAttributes: ['SkillId'],
    });
    // The server's own cache forgets it within seconds; until then starts may still name it.
    const id = await eventually('a life without attributes', async () => {
      const next = await rig.invoke();
      await runOf(rig, next.id).showing(/^Waits/);
      const { typedSearchAttributes } = await runOf(rig, next.id).handle.describe();
      return typedSearchAttributes.get(lifeStatusKey) === undefined && next.id;
    });
    await rig.claim(id);
    await rig.complete(id);
    await runOf(rig, id).ended();
  });

  it('wakes a row that no life has read, and ends what is long past its deadline', async () => {
    const [lost, late] = [await rig.invoke(), await rig.invoke()];
    await rig.context.pool.query(sql.unsafe`delete from life_messages`);
    await rig.context.pool.query(
      sql.unsafe`update invocations set look_at = look_at - interval '11 seconds' where id = ${lost.id}`,
    );
    await rig.context.pool.query(
      sql.unsafe`update invocations set expires_at = clock_timestamp() - interval '31 seconds', look_at = clock_timestamp() where id = ${late.id}`,
    );
    await rig.startDelivery();
    await eventually('the late one to expire', async () => (await rig.row(late.id)).status === 'expired');
    await rig.startWorker();
    await runOf(rig, lost.id).showing(/^Waits/);
    await runOf(rig, late.id).ended();
  });

  it('forgets the answers under Idempotency-Keys when their 24 hours are over, however many', async () => {
    await rig.context.pool.query(sql.unsafe`
      insert into idempotency_keys (operator_id, agent_id, key, fingerprint, status, answer, created_at)
      select 'op_1', '', age || ' ' || n, '', 200, '{}', now() - age::interval
      from generate_series(1, 1100) n, unnest(array['25 hours', '23 hours']) age`);
    await rig.startDelivery({ sweep: true });
    const left = () =>
      rig.context.pool.oneFirst(sql.type(z.object({ ages: z.string() }))`
      select string_agg(distinct split_part(key, ' ', 1) , ',') || ' ' || count(*) as ages from idempotency_keys`);
    await eventually('the old answers to be gone', async () => (await left()) === '23 1100');
  });
});
