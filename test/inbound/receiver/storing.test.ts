import assert from 'node:assert/strict';
import pg from 'pg';
import { z } from 'zod';
import { sql } from '../../../src/database/pool.ts';
import { ownContext, type OwnContext } from '../../invocations/own-context.ts';
import { serve } from '../../passports/own-service.ts';
import { run } from '../../billing/ledger/ledger-world.ts';
import { eventually } from '../../support/eventually.ts';
import { hexHeaders, newEndpoint, newEvent, sendTo } from '../support/endpoints.ts';

const Count = z.object({ count: z.number() });

describe('Storing what a provider sends', function () {
  this.timeout(60_000);
  let own: OwnContext;
  before(async () => {
    own = await ownContext();
  });
  after(() => own.close());

  const waiting = (): Promise<number> =>
    own.context.pool.oneFirst(sql.type(Count)`
      select count(*)::int as count from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`);

  it('locks neither the counters of the endpoint nor those of the operator while the content is written', async () => {
    const { context } = own;
    const endpoint = await newEndpoint(context);
    await newEvent(context, endpoint, { n: 'the row of the month is there' });
    const holder = new pg.Client(context.config.databaseUrl);
    await holder.connect();
    let storing: Promise<string> | undefined;
    try {
      await holder.query('begin; lock table inbound_contents in share mode');
      storing = newEvent(context, endpoint, { text: 'x'.repeat(500_000) });
      await eventually('the content to wait', async () => (await waiting()) === 1);
      // A row that another event of the operator changes; a row that is locked would be an error.
      for (const [table, column, value] of [
        ['inbound_counters', 'endpoint_id', endpoint.id],
        ['usage_counters', 'operator_id', endpoint.operatorId],
      ] as const) {
        const { rowCount } = await holder.query(`select from ${table} where ${column} = $1 for update nowait`, [value]);
        assert.equal(rowCount, 1, table);
      }
    } finally {
      await holder.end(); // and its lock
    }
    await storing;
    const { count } = await context.pool.one(sql.type(Count)`
      select received as count from inbound_counters where endpoint_id = ${endpoint.id}`);
    assert.equal(count, 2);
  });

  it('encrypts the content before it begins the transaction', async () => {
    const { context } = own;
    const endpoint = await newEndpoint(context);
    const order: string[] = [];
    const { pool, encryption } = context;
    const watched: typeof context = {
      ...context,
      encryption: {
        ...encryption,
        encryptBytes(bytes, boundTo) {
          order.push('sealed');
          return encryption.encryptBytes(bytes, boundTo);
        },
      },
      pool: Object.assign(Object.create(pool) as typeof pool, {
        connect: ((work) => {
          order.push('transaction');
          return pool.connect(work);
        }) satisfies typeof pool.connect,
        transaction: ((work) => {
          order.push('transaction');
          return pool.transaction(work);
        }) satisfies typeof pool.transaction,
      }),
    };
    await newEvent(watched, endpoint);
    assert.deepEqual(order, ['sealed', 'transaction']);
  });

  it('keeps nothing of an event that nobody pays for', async () => {
    const { context } = own;
    const endpoint = await newEndpoint(context);
    await newEvent(context, endpoint);
    await run(
      context.pool,
      sql.fragment`update usage_counters set used = 1000000000 where operator_id = ${endpoint.operatorId}`,
    );
    await assert.rejects(newEvent(context, endpoint, { n: 2 }), { code: 'INSUFFICIENT_CREDITS' });
    const kept = await context.pool.one(sql.type(
      z.object({ events: z.number(), contents: z.number(), messages: z.number() }),
    )`
      select (select count(*) from inbound_events where endpoint_id = ${endpoint.id})::int as events,
        (select count(*) from inbound_contents where operator_id = ${endpoint.operatorId})::int as contents,
        (select count(*) from lives m join inbound_events v on m.life = 'inbound:' || v.id where v.endpoint_id = ${endpoint.id})::int as messages`);
    assert.deepEqual(kept, { events: 1, contents: 1, messages: 1 });
  });

  it('looks the endpoint up once a request', async () => {
    const { context } = own;
    const { pool } = context;
    const endpoint = await newEndpoint(context);
    let found = 0;
    const maybeOne: typeof pool.maybeOne = (query) => {
      if (query.sql.includes('inbound_endpoints')) found += 1;
      return pool.maybeOne(query);
    };
    const { baseUrl, stop } = await serve({
      ...context,
      pool: Object.assign(Object.create(pool) as typeof pool, { maybeOne }),
    });
    const [body, unreadable] = ['{"n":1}', '{'];
    assert.equal((await sendTo(baseUrl, endpoint, { body, headers: {} })).status, 401);
    assert.equal(found, 1);
    assert.equal(
      (await sendTo(baseUrl, endpoint, { body: unreadable, headers: hexHeaders(endpoint.secret, unreadable) })).status,
      400,
    );
    assert.equal(found, 2);
    await stop();
  });
});
