import assert from 'node:assert/strict';
import { z } from 'zod';
import { sql } from '../../../src/database/pool.ts';
import { lifeId } from '../../../src/ids/life-ids.ts';
import { advanceNotification, type SenderContext } from '../../../src/notifications/index.ts';
import { run } from '../../billing/ledger/ledger-world.ts';
import {
  countsOf,
  deliveriesOf,
  newDestination,
  newOperator,
  newRule,
  newWebhook,
  recordEvents,
  type TestDestination,
} from '../support/destinations.ts';
import { lookAfterLives, messagesOf } from '../../support/due-lives.ts';
import { senderOfSuite } from '../support/sender.ts';

describe('Sending what waits for a destination', function () {
  this.timeout(60_000);
  const { opened, receiver, send } = senderOfSuite();
  let context: SenderContext;
  before(() => void (context = opened()));

  describe('in turns', () => {
    it('eight destinations of an operator have one; the one that has waited longest is next, and is woken', async () => {
      const { url } = await receiver();
      const operatorId = await newOperator(context);
      const destinations: TestDestination[] = [];
      for (let at = 0; at < 11; at += 1)
        destinations.push(await newDestination(context, { operatorId, destination: url }));
      await newRule(context, { destinations });
      await recordEvents(context, operatorId, { count: 2 });
      const statusOf = async (at: number): Promise<string> =>
        (await advanceNotification(context, destinations[at]?.id ?? '')).status;
      const isWoken = (at: number): Promise<boolean> =>
        context.pool.exists(
          sql.type(
            z.object({}),
          )`select from lives where ready and life = ${lifeId.notification(destinations[at]?.id ?? '')}`,
        );
      for (let at = 0; at < 8; at += 1) assert.equal(await statusOf(at), 'send');
      for (const at of [9, 8, 10]) assert.equal(await statusOf(at), 'turn');
      assert.equal(await statusOf(0), 'turn', 'who had one waits behind them');
      assert.deepEqual(await Promise.all([8, 9, 10].map(isWoken)), [false, true, false]);
      assert.equal(await statusOf(8), 'turn', 'it is not the turn of the second one yet');
      assert.equal(await statusOf(9), 'send');
      const [first] = destinations;
      assert(first !== undefined);
      await send(destinations[1] ?? first);
      assert.equal(await statusOf(1), 'idle');
      assert.equal(await isWoken(8), true);
      assert.equal(await statusOf(8), 'send');
      const other = await newWebhook(context, url);
      await recordEvents(context, other.operatorId);
      assert.equal((await advanceNotification(context, other.id)).status, 'send', 'of another operator');
    });

    it('a turn outlives its destination, since its calls may: deleting eight makes no room for a ninth', async () => {
      const { url } = await receiver();
      const operatorId = await newOperator(context);
      const deleteById = (id: string) => run(context.pool, sql.fragment`select delete_destination(${id})`);
      for (let at = 0; at < 8; at += 1) {
        const { id } = await newDestination(context, { operatorId, destination: url });
        await run(
          context.pool,
          sql.fragment`update destinations set sending_until = clock_timestamp() + interval '30 seconds' where id = ${id}`,
        );
        await deleteById(id);
      }
      const webhook = await newWebhook(context, url, { operatorId });
      await recordEvents(context, operatorId);
      const step = await advanceNotification(context, webhook.id);
      assert.equal(step.status, 'turn');
      assert(step.waitMs !== null && step.waitMs > 20_000 && step.waitMs <= 30_000);
      await run(
        context.pool,
        sql.fragment`update turns_of_deleted set until = clock_timestamp() where operator_id = ${operatorId}`,
      );
      assert.equal((await advanceNotification(context, webhook.id)).status, 'send');
      assert.equal(
        await context.pool.exists(
          sql.type(z.object({}))`select from turns_of_deleted where operator_id = ${operatorId}`,
        ),
        false,
      );
    });

    it('a turn of a worker that is gone is over after half a minute', async () => {
      const { url } = await receiver();
      const operatorId = await newOperator(context);
      for (let at = 0; at < 8; at += 1) {
        const { id } = await newDestination(context, { operatorId, destination: url });
        await run(
          context.pool,
          sql.fragment`update destinations set sending_until = clock_timestamp() + interval '30 seconds' where id = ${id}`,
        );
      }
      const webhook = await newWebhook(context, url, { operatorId });
      await recordEvents(context, operatorId);
      const step = await advanceNotification(context, webhook.id);
      assert.equal(step.status, 'turn');
      assert(step.waitMs !== null && step.waitMs > 25_000 && step.waitMs <= 30_000);
      await run(
        context.pool,
        sql.fragment`
        update destinations set sending_until = clock_timestamp() - interval '1 second' where operator_id = ${operatorId} and sending_until is not null`,
      );
      assert.equal((await advanceNotification(context, webhook.id)).status, 'send');
    });
  });

  describe('is woken by an event', () => {
    /** The time of the message that an event leaves: from the earliest to the latest moment at which it may be due. */
    const dueIn = async (destination: TestDestination, standing: ReturnType<typeof sql.fragment>) => {
      await run(context.pool, sql.fragment`delete from lives`);
      await run(context.pool, sql.fragment`update destinations set ${standing} where id = ${destination.id}`);
      await recordEvents(context, destination.operatorId);
      return context.pool.one(
        sql.type(z.object({ at_once: z.boolean(), after_turn: z.boolean(), in_half_a_second: z.boolean() }))`
        select m.due_at <= m.created_at as at_once,
          coalesce(m.due_at = d.turn_began_at + interval '500 milliseconds', false) as after_turn,
          m.due_at >= e.created_at + interval '500 milliseconds' as in_half_a_second
        from lives m join destinations d on m.life = 'notification:' || d.id
          join service_events e on e.operator_id = d.operator_id
        where d.id = ${destination.id} order by e.seq desc limit 1`,
      );
    };
    let webhook: TestDestination;
    beforeEach(async () => {
      webhook = await newWebhook(context, 'http://127.0.0.1:9/');
    });

    it('immediately where it has not sent for half a second', async () => {
      assert.equal((await dueIn(webhook, sql.fragment`turn_began_at = null`)).at_once, true);
      const longAgo = sql.fragment`turn_began_at = clock_timestamp() - interval '500 milliseconds'`;
      assert.equal((await dueIn(webhook, longAgo)).at_once, true);
    });

    it('half a second after the event where it waits for its turn, since the end of another’s wakes it', async () => {
      const waiting = sql.fragment`waiting_since = clock_timestamp(), turn_began_at = clock_timestamp() - interval '1 hour'`;
      assert.deepEqual(await dueIn(webhook, waiting), { at_once: false, after_turn: false, in_half_a_second: true });
    });

    it('half a second after its last turn began, so that many events wake it twice a second', async () => {
      // Far enough from now that a slow machine is not past it.
      const lately = sql.fragment`turn_began_at = clock_timestamp() + interval '1 hour'`;
      assert.deepEqual(await dueIn(webhook, lately), { at_once: false, after_turn: true, in_half_a_second: true });
    });

    it('after half a second where it is sending, which it finds before that', async () => {
      const sending = sql.fragment`sending_until = clock_timestamp() + interval '1 hour', turn_began_at = clock_timestamp() - interval '1 hour'`;
      assert.deepEqual(await dueIn(webhook, sending), { at_once: false, after_turn: false, in_half_a_second: true });
    });

    it('a turn that begins is noted', async () => {
      await recordEvents(context, webhook.operatorId);
      const before = await context.pool.oneFirst(
        sql.type(z.object({ now: z.string() }))`select clock_timestamp()::text as now`,
      );
      assert.equal((await advanceNotification(context, webhook.id)).status, 'send');
      const noted = sql.type(
        z.object({}),
      )`select from destinations where id = ${webhook.id} and turn_began_at >= ${before}::timestamptz`;
      assert.equal(await context.pool.exists(noted), true);
    });
  });

  describe('where a thousand wait', () => {
    /** A destination whose queue is full, and the look of its life has noted it. */
    const fullWebhook = async (operatorId?: string): Promise<TestDestination> => {
      const webhook = await newWebhook(context, 'https://hooks.example.com/', { ...(operatorId && { operatorId }) });
      await recordEvents(context, webhook.operatorId, { count: 1_000 });
      await advanceNotification(context, webhook.id);
      return webhook;
    };
    const leftOut = async (webhook: TestDestination): Promise<number[]> =>
      (await deliveriesOf(context, webhook)).flatMap((row) => (row.reason === 'queue_full' ? [row.left_out] : []));
    /** Blocks of the database that recording an event of the operator reads. */
    const blocksOfEvent = async (operatorId: string): Promise<number> => {
      const Plan = z.object({ plan: z.tuple([z.object({ Plan: z.record(z.string(), z.unknown()) })]) });
      const explained = sql.type(
        z.object({ 'QUERY PLAN': Plan.shape.plan }).transform((found) => ({ plan: found['QUERY PLAN'] })),
      )`
        explain (analyze, buffers, format json)
        select record_service_event(${operatorId}, 'passport.flagged', 'info', '{}')`;
      const { plan } = await context.pool.connect(async (connection) => {
        // A connection that has not recorded any reads the catalog too: once in vain, then what counts.
        const inVain = new Error('rolled back');
        const once = connection.transaction(async (transaction) => {
          await transaction.one(explained);
          throw inVain;
        });
        await assert.rejects(once, inVain);
        return connection.one(explained);
      });
      return Number(plan[0].Plan['Shared Hit Blocks']) + Number(plan[0].Plan['Shared Read Blocks']);
    };

    it('the first event of a minute says `queue_full`, and the others are counted at it', async () => {
      const webhook = await fullWebhook();
      await recordEvents(context, webhook.operatorId, { count: 3 });
      assert.deepEqual(await countsOf(context, webhook), { sending: 1_000, 'failed queue_full': 1 });
      assert.deepEqual(await leftOut(webhook), [2]);
      const row = (await deliveriesOf(context, webhook)).find(({ reason }) => reason === 'queue_full');
      assert.match(row?.error ?? '', /thousand/);
      await run(
        context.pool,
        sql.fragment`
        update deliveries set created_at = created_at - interval '61 seconds' where destination_id = ${webhook.id} and status = 'failed'`,
      );
      await recordEvents(context, webhook.operatorId, { count: 2 });
      assert.deepEqual(await leftOut(webhook), [2, 1]);
    });

    it('what a test of it leaves stands for no event', async () => {
      const webhook = await fullWebhook();
      await run(
        context.pool,
        sql.fragment`select begin_test(new_prefixed_id('dlv'), d) from destinations d where id = ${webhook.id}`,
      );
      await recordEvents(context, webhook.operatorId, { count: 2 });
      assert.deepEqual(await leftOut(webhook), [0, 1], 'of the test, and of the two events');
    });

    it('the first event of a minute reads none of the rows before, however many there are', async () => {
      const webhook = await newWebhook(context, 'https://hooks.example.com/');
      const [event = ''] = await recordEvents(context, webhook.operatorId);
      await run(
        context.pool,
        sql.fragment`
        insert into deliveries (id, operator_id, event_id, destination_id, ordinal, channel_type, event_type, status, reason, error, created_at, ended_at)
        select new_prefixed_id('dlv'), ${webhook.operatorId}, ${event}, ${webhook.id}, n, 'webhook', 'passport.flagged', 'failed', 'queue_full',
          sentence_of_refusal('queue_full'), moment, moment
        from generate_series(1, 2000) n, lateral (select clock_timestamp() - (n + 1) * interval '1 minute' as moment) of_row`,
      );
      // Without it the planner may know nothing of these rows, and read those of the destination by another index.
      await run(context.pool, sql.fragment`analyze deliveries`);
      const read = await context.pool.transaction(async (connection) => {
        // A table as small as this one would be read whole; one of a million rows is not.
        await connection.query(sql.unsafe`set local enable_seqscan = off`);
        await connection.query(sql.unsafe`discard plans`);
        // The work that the connection did shortly before may be counted too.
        const readSoFar = () =>
          connection.oneFirst(sql.type(z.object({ rows: z.number() }))`
            select (seq_tup_read + idx_tup_fetch)::int as rows from pg_stat_xact_user_tables where relname = 'deliveries'`);
        const before = await readSoFar();
        const isFirst = sql.type(z.object({ first: z.boolean() }))`select is_first_left_out(${webhook.id}) as first`;
        assert.equal(await connection.oneFirst(isFirst), true);
        return (await readSoFar()) - before;
      });
      assert.equal(read, 0);
    });

    it('events wait again once a look finds fewer', async () => {
      const webhook = await fullWebhook();
      await run(
        context.pool,
        sql.fragment`
        delete from deliveries where id = (select max(id) from deliveries where destination_id = ${webhook.id})`,
      );
      await advanceNotification(context, webhook.id);
      await recordEvents(context, webhook.operatorId);
      assert.deepEqual(await countsOf(context, webhook), { sending: 1_000 });
    });

    it('is noted where no life runs too', async () => {
      const webhook = await newWebhook(context, 'https://hooks.example.com/');
      await recordEvents(context, webhook.operatorId, { count: 1_000 });
      await run(
        context.pool,
        sql.fragment`
        update lives set due_at = due_at - interval '11 seconds' where life = ${lifeId.notification(webhook.id)}`,
      );
      await lookAfterLives(context, { temporalIsAway: true });
      assert((await messagesOf(context.pool, lifeId.notification(webhook.id))) > 0, 'and it is still to be delivered');
      await recordEvents(context, webhook.operatorId);
      assert.deepEqual(await countsOf(context, webhook), { sending: 1_000, 'failed queue_full': 1 });
    });

    it('an event reads no more than with an empty queue', async () => {
      const webhook = await newWebhook(context, 'https://hooks.example.com/');
      await recordEvents(context, webhook.operatorId);
      const empty = await blocksOfEvent(webhook.operatorId);
      const full = await fullWebhook();
      assert.equal((await blocksOfEvent(full.operatorId)) < empty + 50, true, 'the first of a minute');
      const counted = await blocksOfEvent(full.operatorId);
      assert(counted < empty + 50, `${counted} blocks instead of ${empty}`);
      assert.deepEqual(await leftOut(full), [1]);
    });

    it('events of two transactions wait for neither, and leave one row', async () => {
      const webhook = await fullWebhook();
      const event = sql.type(
        z.object({}),
      )`select record_service_event(${webhook.operatorId}, 'passport.flagged', 'info', '{}')`;
      // While one has written the first row, and while one counts at it: a wait would end after three seconds, with an error.
      for (const expected of [[0], [1]]) {
        await context.pool.transaction(async (one) => {
          await one.query(event);
          await context.pool.transaction((other) => other.query(event));
        });
        assert.deepEqual(await leftOut(webhook), expected);
      }
    });
  });
});
