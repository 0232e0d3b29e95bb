import assert from 'node:assert/strict';
import { z } from 'zod';
import { forgetOldEvents } from '../../src/events/index.ts';
import { readFeed } from '../../src/events/read-feed.ts';
import { sql, type CommonQueryMethods } from '../../src/database/pool.ts';
import { ownDatabase } from '../billing/wallet/own-database.ts';
import { run } from '../billing/ledger/ledger-world.ts';
import { callOf } from '../invocations/own-context.ts';
import { newOperator } from '../passports/lineages.ts';
import { eventually } from '../support/eventually.ts';
import { buildAgent, buildAgentKey, buildMemberKey, buildOperator, type TestOperator } from '../support/factories.ts';
import { anonymous, assertProblem, assertStatus, database, type Reply, type Requester } from '../support/service.ts';

/** All that is written together. */
const COUNT = 60;

type Feed = {
  events: { id: string; event_type: string; severity: string; payload: { n: number }; timestamp: string }[];
  next_cursor: string;
  has_more: boolean;
};

const PATH = '/v1/events';

/** Records one event; its payload has the number. */
const record = (
  db: CommonQueryMethods,
  { operatorId }: Pick<TestOperator, 'operatorId'>,
  {
    n,
    event: [type, severity] = ['passport.flagged', 'warning'],
  }: { n: number; event?: [type: string, severity: string] },
): Promise<unknown> =>
  run(
    db,
    sql.fragment`select record_service_event(${operatorId}, ${type}, ${severity}, json_build_object('n', ${n}::int))`,
  );

/** Every event of the operator may be read: other tests have transactions of their own at work. */
const shown = (db: CommonQueryMethods, { operatorId }: Pick<TestOperator, 'operatorId'>): Promise<boolean> =>
  eventually('the events to be shown', async () => {
    const waiting = await db.exists(sql.type(z.object({}))`
      select 1 from service_events where operator_id = ${operatorId}
        and tx >= pg_snapshot_xmin(pg_current_snapshot()) and tx < pg_snapshot_xmax(pg_current_snapshot())`);
    return !waiting;
  });

describe(`GET ${PATH}`, () => {
  let operator: TestOperator;
  beforeEach(async () => {
    operator = await buildOperator();
  });

  const read = (query: Record<string, string | number> = {}, as: Requester = operator): Promise<Reply<Feed>> => {
    const parameters = Object.entries(query).map(([name, value]): [string, string] => [name, `${value}`]);
    return as.get<Feed>(`${PATH}?${new URLSearchParams(parameters)}`);
  };
  const page = async (query: Record<string, string | number> = {}): Promise<Feed> =>
    assertStatus(await read(query), 200);
  const numbers = ({ events }: Feed): number[] => events.map(({ payload }) => payload.n);
  /** Records them, and waits until no transaction of anybody is at work that began before. */
  const records = async (...all: number[]): Promise<void> => {
    const db = await database();
    for (const n of all) await record(db, operator, { n });
    await shown(db, operator);
  };

  it('requires authentication', async () => {
    assertProblem(await anonymous().get(PATH), 'UNAUTHENTICATED');
  });

  it('is for keys of the operator, a member’s too, and for no agent’s', async () => {
    await records(1);
    const [first] = numbers(assertStatus(await read({}, await buildMemberKey(operator)), 200)); // then that the key was made
    assert.equal(first, 1);
    const agentKey = await buildAgentKey(operator, (await buildAgent(operator)).id);
    assertProblem(await read({}, agentKey), 'AGENT_CREDENTIAL_FORBIDDEN');
    assert.deepEqual(numbers(assertStatus(await read({}, await buildOperator()), 200)), [], 'not another operator’s');
  });

  it('shows what was recorded, the oldest first, each with the members of a delivery and its id', async () => {
    await records(1, 2);
    const { events } = await page();
    const [first] = events;
    assert.match(first?.id ?? '', /^evt_[0-9A-Z]{26}$/);
    assert(Math.abs(Date.parse(first?.timestamp ?? '') - Date.now()) < 60_000);
    assert.deepEqual(
      events.map(({ id: _id, timestamp: _timestamp, ...rest }) => rest),
      [1, 2].map((n) => ({ event_type: 'passport.flagged', severity: 'warning', payload: { n } })),
    );
  });

  it('is read page by page to its end, and on from there when more has come', async () => {
    await records(1, 2, 3, 4, 5);
    const first = await read({ limit: 2 });
    const { next_cursor: second, has_more: more } = assertStatus(first, 200);
    assert.deepEqual([numbers(first.body), more], [[1, 2], true]);
    assert.match(first.headers.get('link') ?? '', /rel="next"/);
    const middle = await page({ limit: 2, cursor: second });
    assert.deepEqual([numbers(middle), middle.has_more], [[3, 4], true]);
    const last = await read({ limit: 2, cursor: middle.next_cursor });
    assert.deepEqual([numbers(last.body), last.body.has_more], [[5], false]);
    assert.equal(last.headers.get('link'), null);
    const nothing = await page({ limit: 2, cursor: last.body.next_cursor });
    assert.deepEqual([numbers(nothing), nothing.has_more], [[], false]);
    await records(6);
    assert.deepEqual(numbers(await page({ limit: 2, cursor: nothing.next_cursor })), [6]);
  });

  it('is read from its end with order=newest, page by page to the oldest', async () => {
    await records(1, 2, 3, 4, 5);
    const newest = { order: 'newest', event_type: 'passport.flagged', limit: 2 };
    const [all, cursors]: [number[][], string[]] = [[], []];
    for (let cursor: string | undefined; all.length < 4; cursor = cursors.at(-1)) {
      const found = await page({ ...newest, ...(cursor !== undefined && { cursor }) });
      all.push(numbers(found));
      cursors.push(found.next_cursor);
      if (all.length === 1) await records(6);
      if (!found.has_more) break;
    }
    assert.deepEqual(all, [[5, 4], [3, 2], [1]]);
    assert.deepEqual(numbers(await page({ ...newest, cursor: cursors.at(-1) as string })), [], 'nothing is older');
    assert.deepEqual(numbers(await page(newest)), [6, 5]);
    const [third] = (
      await page({
        event_type: 'passport.flagged',
        limit: 1,
        cursor: (await page({ event_type: 'passport.flagged', limit: 2 })).next_cursor,
      })
    ).events;
    assert.deepEqual(numbers(await page({ ...newest, limit: 10, since: third?.timestamp ?? '' })), [6, 5, 4, 3]);
    assertProblem(await read({ event_type: 'passport.flagged', cursor: cursors[0] as string }), 'INVALID_CURSOR');
  });

  it('begins where it is empty, and has a cursor for what comes', async () => {
    const empty = await page();
    assert.deepEqual([numbers(empty), empty.has_more], [[], false]);
    await records(1);
    assert.deepEqual(numbers(await page({ cursor: empty.next_cursor })), [1]);
  });

  it('filters by type, severity and moment', async () => {
    const db = await database();
    await record(db, operator, { n: 1, event: ['agent.blocked', 'critical'] });
    await record(db, operator, { n: 2 });
    await record(db, operator, { n: 3, event: ['passport.flagged', 'critical'] });
    await run(
      db,
      sql.fragment`
        update service_events set created_at = created_at - interval '2 hours'
        where operator_id = ${operator.operatorId} and payload::json ->> 'n' in ('1', '2')`,
    );
    await shown(db, operator);
    assert.deepEqual(numbers(await page({ event_type: 'passport.flagged' })), [2, 3]);
    assert.deepEqual(numbers(await page({ event_type: 'passport.*' })), [2, 3], 'all of a family');
    assert.deepEqual(numbers(await page({ event_type: 'notification.test' })), []);
    assert.deepEqual(numbers(await page({ severity: 'critical' })), [1, 3]);
    assert.deepEqual(numbers(await page({ event_type: 'passport.flagged', severity: 'critical' })), [3]);
    const hourAgo = new Date(Date.now() - 3_600_000).toISOString();
    assert.deepEqual(numbers(await page({ since: hourAgo })), [3]);
    const [, second] = (await page()).events;
    assert.deepEqual(numbers(await page({ since: second?.timestamp ?? '' })), [2, 3], 'inclusive');
    for (const unknown of ['passport.flaged', 'passport', '*', 'destination.verification'])
      assertProblem(await read({ event_type: unknown }), 'VALIDATION_ERROR', 'query.event_type');
    assertProblem(await read({ severity: 'fatal' }), 'VALIDATION_ERROR', 'query.severity');
    assertProblem(await read({ since: 'yesterday' }), 'VALIDATION_ERROR', 'query.since');
  });

  it('needs `since` on the first page alone: the cursor has it', async () => {
    await records(1, 2, 3, 4);
    await run(
      await database(),
      sql.fragment`
        update service_events set created_at = created_at - interval '90 minutes'
        where operator_id = ${operator.operatorId} and payload::json ->> 'n' in ('1', '3')`,
    );
    const since = new Date(Date.now() - 3_600_000).toISOString();
    const first = await page({ since, limit: 1 });
    assert.deepEqual(numbers(first), [2]);
    for (const again of [{}, { since }])
      assert.deepEqual(numbers(await page({ ...again, cursor: first.next_cursor })), [4]);
    const none = await page({ since: new Date(Date.now() + 3_600_000).toISOString() });
    assert.deepEqual([numbers(none), none.has_more], [[], false]);
    assert.deepEqual(numbers(await page({ cursor: none.next_cursor })), [], 'nothing of before `since` is read on');
  });

  it('goes on behind what the filters left out, ten thousand events a page', async () => {
    const db = await database();
    await run(
      db,
      sql.fragment`
        insert into service_events (id, operator_id, event_type, severity, payload)
        select new_prefixed_id('evt'), ${operator.operatorId}, 'passport.flagged', 'warning', json_build_object('n', n)
        from generate_series(1, 10001) n`,
    );
    await record(db, operator, { n: 0, event: ['agent.blocked', 'critical'] });
    await shown(db, operator);
    const filter = { event_type: 'agent.blocked' };
    const first = await page(filter);
    assert.deepEqual([numbers(first), first.has_more], [[], true]);
    const second = await page({ ...filter, cursor: first.next_cursor });
    assert.deepEqual([numbers(second), second.has_more], [[0], false]);
    await records(1);
    const third = await page({ ...filter, cursor: second.next_cursor });
    assert.deepEqual([numbers(third), third.has_more], [[], false]);
    assert.notEqual(third.next_cursor, second.next_cursor, 'what was looked at is not looked at again');
  });

  it('refuses a cursor of other filters, and one of another operator', async () => {
    await records(1, 2);
    const { next_cursor: cursor } = await page({ limit: 1 });
    assertProblem(await read({ cursor, severity: 'warning' }), 'INVALID_CURSOR', 'query.cursor');
    assertProblem(await read({ cursor }, await buildOperator()), 'INVALID_CURSOR');
    assertProblem(await read({ cursor: `${cursor}x` }), 'INVALID_CURSOR');
  });

  it('passes by nothing that commits late, and shows nothing behind it before', async () => {
    const db = await database();
    await records(1);
    const held = Promise.withResolvers<void>();
    const begun = Promise.withResolvers<void>();
    const late = db.transaction(async (transaction) => {
      await record(transaction, operator, { n: 2 });
      begun.resolve();
      await held.promise;
    });
    let waiting: Feed;
    try {
      await begun.promise;
      await record(db, operator, { n: 3 });
      waiting = await page();
      assert.deepEqual(numbers(waiting), [1], 'the third waits for the second, which is not committed');
    } finally {
      held.resolve();
      await late;
    }
    await shown(db, operator);
    assert.deepEqual(numbers(await page({ cursor: waiting.next_cursor })), [2, 3]);
  });

  it('refuses a position in another copy of the database', async () => {
    const { caller } = callOf(operator.operatorId, 'listEvents');
    const after = { copy: 'another', tx: '0', seq: 0, since: null };
    await assert.rejects(
      readFeed({ pool: await database() }, caller, { order: 'oldest', after, limit: 1, filters: {} }),
      {
        code: 'INVALID_CURSOR',
      },
    );
  });

  it('reads every event once while many are committed in parallel, in any order', async () => {
    const db = await database();
    let writing = true;
    const writers = Promise.all(
      Array.from({ length: 3 }, async (_, writer) => {
        for (let n = writer; n < COUNT; n += 3) {
          await db.transaction(async (transaction) => {
            await record(transaction, operator, { n });
            // Some stay open for longer than others that began after them.
            if (n % 7 === 0) await run(transaction, sql.fragment`select pg_sleep(0.02)`);
          });
        }
      }),
    ).finally(() => (writing = false));
    const seen: number[] = [];
    let cursor: string | undefined;
    for (let ended = false; !ended;) {
      if (!writing) ended = await shown(db, operator);
      for (let more = true; more;) {
        const next: Feed = await page({ limit: 7, ...(cursor !== undefined && { cursor }) });
        seen.push(...numbers(next));
        cursor = next.next_cursor;
        more = next.has_more;
      }
    }
    await writers;
    assert.deepEqual(
      seen.toSorted((a, b) => a - b),
      Array.from({ length: COUNT }, (_, n) => n),
    );
  });

  describe('after the database was restored', () => {
    /** As another copy wrote them: of transactions that are still to come here. */
    const restore = async (...all: number[]): Promise<void> => {
      await run(
        await database(),
        sql.fragment`
          update service_events set tx = (pg_snapshot_xmax(pg_current_snapshot())::text::bigint + 1000000)::text::xid8
          where operator_id = ${operator.operatorId} and (payload::json ->> 'n')::int = any(${sql.array(all, 'int4')})`,
      );
    };
    const settle = async (): Promise<void> => {
      await run(await database(), sql.fragment`select settle_restored_events()`);
    };

    it('shows what is older first, and what comes after it, noticed or not', async () => {
      await records(1, 2, 3);
      await restore(1, 2, 3);
      const first = await page({ limit: 2 });
      assert.deepEqual(numbers(first), [1, 2]);
      await records(4);
      assert.deepEqual(numbers(await page()), [1, 2, 3, 4]);
      assert.deepEqual(numbers(await page({ limit: 2, cursor: first.next_cursor })), [3, 4]);
      const end = await page({ limit: 2, order: 'newest' });
      assert.deepEqual(numbers(end), [4, 3]);
      assert.deepEqual(numbers(await page({ order: 'newest', cursor: end.next_cursor })), [2, 1]);
      await settle();
      assert.deepEqual(numbers(await page()), [1, 2, 3, 4]);
      assert.deepEqual(numbers(await page({ limit: 2, cursor: first.next_cursor })), [3, 4]);
    });

    it('settles them when another store of lives is noticed', async () => {
      const own = await ownDatabase();
      try {
        const operatorId = await newOperator(own.pool);
        await run(own.pool, sql.fragment`select note_life_store('one')`);
        await record(own.pool, { operatorId }, { n: 1 });
        await run(own.pool, sql.fragment`update service_events set tx = '123456789'`);
        await run(own.pool, sql.fragment`select note_life_store('another')`);
        const settled = await own.pool.oneFirst(
          sql.type(z.object({ tx: z.string() }))`select tx::text from service_events`,
        );
        assert.equal(settled, '0');
      } finally {
        await own.drop();
      }
    });
  });
});

describe('forgetOldEvents', () => {
  it('deletes what is older than 30 days with its deliveries, a thousand a call', async () => {
    const own = await ownDatabase();
    try {
      const { pool } = own;
      const operatorId = await newOperator(pool);
      await run(
        pool,
        sql.fragment`
          insert into service_events (id, operator_id, event_type, severity, payload, created_at)
          select 'evt_' || n, ${operatorId}, 'agent.blocked', 'critical', '{}',
            now() - case when n <= 1001 then interval '30 days 1 minute' else interval '29 days 23 hours' end
          from generate_series(1, 1003) n`,
      );
      await run(
        pool,
        sql.fragment`
          insert into deliveries (id, operator_id, event_id, destination_id, channel_type, event_type)
          select 'dlv_' || n, ${operatorId}, 'evt_' || n, 'dst_gone', 'email', 'agent.blocked' from unnest(array[1, 1003]) n`,
      );
      assert.equal(await forgetOldEvents(pool), true);
      assert.equal(await forgetOldEvents(pool), false);
      const left = await pool.anyFirst(sql.type(z.object({ id: z.string() }))`
        select id from service_events union all select id from deliveries order by 1`);
      assert.deepEqual([...left], ['dlv_1003', 'evt_1002', 'evt_1003']);
    } finally {
      await own.drop();
    }
  });
});
