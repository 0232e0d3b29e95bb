import assert from 'node:assert/strict';
import { z } from 'zod';
import { sql } from '../../src/database/pool.ts';
import type { LifeKind } from '../../src/ids/life-ids.ts';
import { lives } from '../../temporal/lives.ts';
import { newWallet, run } from '../billing/ledger/ledger-world.ts';
import { ownContext, type OwnContext } from '../invocations/own-context.ts';

type Fragment = ReturnType<typeof sql.fragment>;

interface Rows {
  /** The beginning of the ids: `<name>_<n>`. */
  name: string;
  operator: string;
  count: number;
  /** When rows that no life has seen were made. Undefined: a life has just seen them, and nothing is due for an hour. */
  made?: string;
}

/** Kinds whose rows lie open for long, with what they are. Invocations and sessions: their own tests. */
const kinds = {
  inbound: {
    table: 'inbound_events',
    once: sql.fragment`select * from reconcile_inbound()`,
    fill: ({ name, operator, count, made }: Rows): Fragment => sql.fragment`
      with agent as (
        insert into agents (id, operator_id, name) values ('ag_of_' || ${name}, ${operator}, 'agent') returning id
      ), endpoint as (
        insert into inbound_endpoints (id, operator_id, agent_id, provider, slug, secret)
        select 'inw_of_' || ${name}, ${operator}, id, 'generic', ${name}, 'sealed' from agent returning id, agent_id)
      insert into inbound_events (id, endpoint_id, operator_id, agent_id, provider, key_hash, key_from, body_hash, scheme, body_authenticated,
        size, attempted_at, life_seen_at)
      select ${name} || '_' || n, endpoint.id, ${operator}, endpoint.agent_id, 'generic', n::text::bytea, 'body', '', 'hex', true, 1,
        ${madeAt(made)}, ${seenAt(made)}
      from endpoint, generate_series(1, ${count}) n`,
  },
  mail: {
    table: 'mails',
    once: sql.fragment`select * from reconcile_mails()`,
    fill: ({ name, operator, count, made }: Rows): Fragment => sql.fragment`
      insert into mails (id, recipient, subject, text, status, expires_at, created_at, life_seen_at)
      select ${name} || '_' || n, ${operator} || '@example.test', 'A word', 'sealed', 'waiting', now() + interval '1 hour', ${madeAt(made)}, ${seenAt(made)}
      from generate_series(1, ${count}) n`,
  },
  notification: {
    table: 'deliveries',
    once: sql.fragment`select * from reconcile_notifications()`,
    fill: ({ name, operator, count, made }: Rows): Fragment => sql.fragment`
      with event as (
        insert into service_events (id, operator_id, event_type, severity, payload)
        values ('evt_of_' || ${name}, ${operator}, 'passport.flagged', 'info', '{}') returning id
      ), destination as (
        insert into destinations (id, operator_id, channel_type, destination, address, verified_at, life_seen_at)
        select ${name} || '_' || n, ${operator}, 'email', n, n, now(), ${seenAt(made)} from generate_series(1, ${count}) n)
      insert into deliveries (id, operator_id, event_id, destination_id, channel_type, event_type, created_at, looked_at)
      select ${name} || '_' || n, ${operator}, event.id, ${name} || '_' || n, 'email', 'passport.flagged', ${madeAt(made)}, ${seenAt(made)}
      from event, generate_series(1, ${count}) n`,
  },
  payout: {
    table: 'payouts',
    once: sql.fragment`select * from reconcile_payouts(true)`,
    fill: ({ name, operator, count, made }: Rows): Fragment => sql.fragment`
      insert into payouts (id, operator_id, month, gross_cents, commission_cents, status, account, created_at, life_seen_at)
      select ${name} || '_' || n, ${operator}, lpad((n / 12)::text, 4, '0') || '-' || lpad((n % 12 + 1)::text, 2, '0'), 100, 0, 'transferring', 'acct_1',
        ${madeAt(made)}, ${seenAt(made)}
      from generate_series(1, ${count}) n`,
  },
  portal: {
    table: 'portal_sessions',
    once: sql.fragment`select * from reconcile_portals()`,
    fill: ({ name, operator, count, made }: Rows): Fragment => sql.fragment`
      insert into portal_sessions (id, operator_id, return_to, created_at, life_seen_at)
      select ${name} || '_' || n, ${operator}, 'http://x', ${madeAt(made)}, ${seenAt(made)} from generate_series(1, ${count}) n`,
  },
  refund: {
    table: 'refunds',
    once: sql.fragment`select * from reconcile_refunds()`,
    fill: ({ name, operator, count, made }: Rows): Fragment => sql.fragment`
      with paid as (
        insert into top_ups (id, operator_id, provider, amount_cents, expires_at, seconds, return_to, status)
        values ('top_of_' || ${name}, ${operator}, 'local', 1000, now(), 60, 'http://x', 'expired') returning id)
      insert into refunds (id, operator_id, top_up_id, transaction_id, amount_cents, attempt, next_call_at, created_at, life_seen_at)
      select ${name} || '_' || n, ${operator}, paid.id, ${name} || '_txn_' || n, 1000, 1, now() + interval '1 hour', ${madeAt(made)}, ${seenAt(made)}
      from paid, generate_series(1, ${count}) n`,
  },
  'top-up': {
    table: 'top_ups',
    once: sql.fragment`select * from reconcile_top_ups()`,
    fill: ({ name, operator, count, made }: Rows): Fragment => sql.fragment`
      insert into top_ups (id, operator_id, provider, amount_cents, expires_at, seconds, return_to, created_at, life_seen_at)
      select ${name} || '_' || n, ${operator}, 'local', 1000, now() + interval '1 hour', 60, 'http://x', ${madeAt(made)}, ${seenAt(made)}
      from generate_series(1, ${count}) n`,
  },
  verification: {
    table: 'verification_codes',
    once: sql.fragment`select * from reconcile_verifications()`,
    fill: ({ name, operator, count, made }: Rows): Fragment => sql.fragment`
      insert into verification_codes (id, operator_id, destination_id, address, code, sealed, status, expires_at, requested_at, life_seen_at)
      select ${name} || '_' || n, ${operator}, 'dst_1', 'mac', 'mac', 'sealed', 'waiting', now() + interval '1 hour', ${madeAt(made)}, ${seenAt(made)}
      from generate_series(1, ${count}) n`,
  },
} satisfies Partial<Record<LifeKind, { table: string; once: Fragment; fill(rows: Rows): Fragment }>>;

const madeAt = (made: string | undefined): Fragment =>
  made === undefined ? sql.fragment`now()` : sql.fragment`now() - ${made}::interval - n * interval '1 millisecond'`;
const seenAt = (made: string | undefined): Fragment =>
  made === undefined ? sql.fragment`clock_timestamp()` : sql.fragment`null::timestamptz`;

const Read = z.object({ read: z.number() });
const Count = z.object({ count: z.number() });

for (const [kind, { table, once, fill }] of Object.entries(kinds)) {
  describe(`Reconciling ${table}`, () => {
    let own: OwnContext;
    let [waiting, hostile, honest] = ['', '', ''];
    before(async () => {
      own = await ownContext();
      const { pool } = own.context;
      [waiting, hostile, honest] = [await newWallet(pool), await newWallet(pool), await newWallet(pool)];
    });
    after(() => own.close());

    const messagesOf = (name: string): Promise<number> =>
      own.context.pool.oneFirst(
        sql.type(Count)`select count(*)::int from life_messages where life like ${`${kind}:${name}%`}`,
      );

    it('reads what is due, however much is open', async () => {
      const { pool } = own.context;
      await run(pool, fill({ name: 'open', operator: waiting, count: 5_000 }));
      await run(pool, sql.fragment`vacuum analyze ${sql.identifier([table])}`);
      await pool.transaction(async (connection) => {
        const reads = (): Promise<number> =>
          connection.oneFirst(sql.type(Read)`
            select seq_tup_read + coalesce(idx_tup_fetch, 0) as read from pg_stat_xact_user_tables where relname = ${table}`);
        const before = await reads();
        await run(connection, once);
        const read = (await reads()) - before;
        assert(read < 100, `read ${read} rows`);
      });
    });

    it('takes those of several operators in turn, and goes on until nothing is due', async () => {
      const { pool } = own.context;
      await run(pool, fill({ name: 'many', operator: hostile, count: 400, made: '2 hours' }));
      await run(pool, fill({ name: 'few', operator: honest, count: 3, made: '1 hour' }));
      await run(pool, once);
      const few = kind === 'payout' ? honest : 'few';
      const many = kind === 'payout' ? hostile : 'many';
      assert.deepEqual([await messagesOf(few), await messagesOf(many)], [3, 97]);
      await lives[kind as keyof typeof kinds].reconcile(own.context);
      assert.deepEqual([await messagesOf(few), await messagesOf(many)], [3, 400]);
      await lives[kind as keyof typeof kinds].reconcile(own.context);
      assert.deepEqual([await messagesOf(few), await messagesOf(many)], [3, 400], 'their messages still wait');
    });
  });
}
