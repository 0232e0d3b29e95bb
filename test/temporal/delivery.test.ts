import assert from 'node:assert/strict';
import pg from 'pg';
import { z } from 'zod';
import { listCases } from '../../src/billing/cases/queries.ts';
import { lifeMetrics, troubleOfLives } from '../../src/lives/index.ts';
import { defineCache } from '../../src/context/caches.ts';
import type { Context } from '../../src/context/context.ts';
import { sql } from '../../src/database/pool.ts';
import { healthPages } from '../../src/http/pages/health-pages.ts';
import { noPreferences } from '../../src/http/pages/page.ts';
import { metricsText } from '../../src/metrics/metrics.ts';
import { createDelivery } from '../../temporal/delivery.ts';
import { deliverLives, leaseLives, takeDueLives } from '../../temporal/lives-table.ts';
import { lives } from '../../temporal/lives.ts';
import { newId } from '../../src/ids/ids.ts';
import { lifeId } from '../../src/ids/life-ids.ts';
import { lifeStatusKey } from '../../workflows/life-status.ts';
import { eventually } from '../support/eventually.ts';
import { blockOf } from '../support/pasted.ts';
import { startRig, type Rig } from './rig.ts';
import { runOf } from './runs.ts';
import { advanceInvocation } from '../../src/invocations/index.ts';
import type { LookOfLives } from '../../src/commands/lives.ts';
import { looksAgainIn, makeDue } from '../support/due-lives.ts';

describe('Delivery of messages to lives', () => {
  let rig: Rig;
  beforeEach(async () => {
    rig = await startRig();
  });
  afterEach(() => rig.stop());

  const delivered = (id: string) =>
    eventually(`the message of ${id} to be delivered`, () => runOf(rig, id).handle.describe(), {
      ignoreErrors: () => true,
    });
  const wakesOf = async (id: string) =>
    (await runOf(rig, id).events()).filter((name) => name === 'WorkflowExecutionSignaled').length;
  const due = () =>
    rig.context.pool.query(
      sql.unsafe`update lives set due_at = clock_timestamp() - interval '5 seconds', created_at = clock_timestamp() - interval '5 seconds'`,
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
    // A delivery counts what it has woken at its end, when the lives are there already.
    await eventually('every delivery to count', async () => (await woken()) - before >= invocations.length);
    assert.equal((await woken()) - before, invocations.length);
    for (const { id } of invocations) assert((await wakesOf(id)) >= 1, id);
  });

  it('leases a life to one process, all its messages together, and to another when the lease is over', async () => {
    const { id } = await rig.invoke();
    await rig.claim(id, 60);
    await due();
    const lease = () => leaseLives(rig.context.pool, { limit: 8, minimumAgeMs: 0, turns: new Map() });
    const leases = (await Promise.all([lease(), lease(), lease(), lease()])).flat();
    assert.deepEqual(
      leases.map(({ life, ids }) => [life, ids.length]),
      [[lifeId.invocation(id), 2]],
    );
    assert.deepEqual(await lease(), []);
    await makeDue(rig.context.pool, lifeId.invocation(id));
    assert.deepEqual((await takeDueLives(rig.context.pool, { limit: 8, after: '' })).taken, [lifeId.invocation(id)]);
    await deliverLives(rig.context.pool, [lifeId.invocation(id)]);
    assert.deepEqual(
      (await lease()).map(({ life, ids }) => [life, ids.length]),
      [[lifeId.invocation(id), 1]],
    );
  });

  it('leaves young messages to the process that committed them', async () => {
    await rig.invoke();
    await rig.context.pool.query(sql.unsafe`update lives set due_at = clock_timestamp() where ready`);
    const lease = (minimumAgeMs: number) => leaseLives(rig.context.pool, { limit: 8, minimumAgeMs, turns: new Map() });
    assert.deepEqual(await lease(60_000), []);
    assert((await lease(0)).length >= 1);
  });

  it('puts off a life of a kind that this release does not know, and shows why', async () => {
    const life = 'unheard-of:1';
    await rig.context.pool.query(sql.unsafe`insert into lives (life, due_at) values (${life}, '2026-01-01')`);
    const { id } = await rig.invoke();
    await due();
    await rig.startDelivery();
    await delivered(id);
    const Row = z.object({ failure: z.string().nullable() });
    await eventually('it to be put off', async () => {
      const row = await rig.context.pool.one(sql.type(Row)`select failure from lives where life = ${life}`);
      return row.failure?.includes('is no id of a life');
    });
  });

  it('keeps a message that was committed while another of its life was being delivered, and a look deletes both', async () => {
    const { id } = await rig.invoke();
    await due();
    const leased = await leaseLives(rig.context.pool, { limit: 8, minimumAgeMs: 0, turns: new Map() });
    assert(leased.some(({ life }) => life === lifeId.invocation(id)));
    await rig.claim(id, 60);
    assert.equal(await rig.messagesOf(id), 2);
    await advanceInvocation(rig.context, id);
    assert.equal(await rig.messagesOf(id), 0);
    const next = (await looksAgainIn(rig.context.pool, lifeId.invocation(id))) ?? 0;
    assert(next > 50 && next <= 61, 'at the end of the claim');
  });

  describe('where Temporal refuses a life as invalid', () => {
    const life = `refund:${'x'.repeat(2_000)}`;
    const Row = z.object({ attempts: z.number(), refused: z.boolean(), waits: z.number() });
    const rowsOf = (one: string) =>
      rig.context.pool.any(sql.type(Row)`
        select attempts, failure is not null as refused, extract(epoch from due_at - clock_timestamp())::float8 as waits
        from lives where life = ${one}`);
    const wakeIt = () => rig.context.pool.query(sql.unsafe`select wake_life(${life}, 'op_1')`);
    /** As after so long a time. */
    const passes = (time: string) =>
      rig.context.pool.query(sql.unsafe`
        update lives set refused_at = refused_at - ${time}::interval, due_at = clock_timestamp() - interval '5 seconds'`);
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
      assert.deepEqual(await troubleOfLives({ pool }), { refused: null, behind: null });
      await wakeIt();
      await due();
      await rig.startDelivery();
      await triedAtLeast(1);
      assert.match(await lifeMetrics({ pool }), /^carnet_lives_refused 1$/m);
      assert.match(
        (await troubleOfLives({ pool })).refused ?? '',
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
    const look: LookOfLives = (context) => Promise.resolve((contexts.push(context), { ended: 0 }));
    await rig.context.pool.query(
      sql.unsafe`insert into lives (life, due_at, ready) values ('mail:msg_1', clock_timestamp(), false)`,
    );
    const delivery = createDelivery({
      temporal: rig.temporal,
      log: rig.context.log,
      lives: { ...lives, mail: { ...lives.mail, look } },
    });
    await delivery.start(rig.context, { sweep: true });
    const context = await eventually('the look', () => contexts[0]);
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

  it('wakes a life whose message was delivered and never came, and ends what is past its deadline', async () => {
    const [lost, late] = [await rig.invoke(), await rig.invoke()];
    for (const { id } of [lost, late]) await makeDue(rig.context.pool, lifeId.invocation(id));
    await rig.context.pool.query(
      sql.unsafe`update invocations set expires_at = clock_timestamp() - interval '1 second' where id = ${late.id}`,
    );
    await rig.startDelivery();
    await eventually('the late one to expire', async () => (await rig.row(late.id)).status === 'expired');
    await rig.startWorker();
    await runOf(rig, lost.id).showing(/^Waits/);
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
