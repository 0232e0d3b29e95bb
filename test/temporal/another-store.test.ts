import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { pino } from 'pino';
import { createActivities } from '../../activities/index.ts';
import { createPorts } from '../../activities/ports.ts';
import { sql } from '../../src/database/pool.ts';
import { newId } from '../../src/ids/ids.ts';
import { metricsText } from '../../src/metrics/metrics.ts';
import type { OpenContext } from '../../src/process/open-context.ts';
import { lifeId, type LifeKind } from '../../src/ids/life-ids.ts';
import { advanceLog } from '../../src/claims/index.ts';
import { advanceInvocation } from '../../src/invocations/index.ts';
import { advanceBriefing, advanceNotification } from '../../src/notifications/index.ts';
import { advanceSession } from '../../src/passports/accountability/advance-session.ts';
import { openTemporal } from '../../temporal/client.ts';
import { createDelivery } from '../../temporal/delivery.ts';
import { lives } from '../../temporal/lives.ts';
import { adoptLives } from '../../temporal/lives-table.ts';
import { noteLifeStore } from '../../temporal/rounds.ts';
import { runWorker } from '../../temporal/worker.ts';
import { waitingLog } from '../claims/log/support.ts';
import { newEndpoint } from '../inbound/support/endpoints.ts';
import { newWallet, run } from '../billing/ledger/ledger-world.ts';
import { ownContext, type OwnContext } from '../invocations/own-context.ts';
import { newWebhook, recordEvents } from '../notifications/support/destinations.ts';
import { itInFull } from '../support/cases.ts';
import { eventually } from '../support/eventually.ts';
import { startRig } from './rig.ts';
import { runOf } from './runs.ts';
import { newNamespace, temporalServer } from './temporal-server.ts';
import { lookAfterLives, messagesOf } from '../support/due-lives.ts';

// A subscription that waits for nothing is not open. Invocations have rows of their own.
type Kind = Exclude<LifeKind, 'subscription' | 'invocation'>;
/** By kind, what writes an open row that its life has just seen, and returns the life. */
const openRows = (context: OpenContext, operator: string): Record<Kind, () => Promise<string>> => ({
  async briefing() {
    await run(context.pool, sql.fragment`select record_service_event(${operator}, 'agent.unblocked', 'warning', '{}')`);
    await run(
      context.pool,
      sql.fragment`
      insert into briefing_rounds (operator_id, class, mailed_at) values (${operator}, 'security', clock_timestamp())
      on conflict (operator_id, class) do update set mailed_at = excluded.mailed_at`,
    );
    await advanceBriefing(context, operator);
    return lifeId.briefing(operator);
  },
  async inbound() {
    const id = newId('iev');
    const endpoint = await newEndpoint(context, { operatorId: operator });
    await run(
      context.pool,
      sql.fragment`
      insert into inbound_events (id, endpoint_id, operator_id, agent_id, provider, key_hash, key_from, body_hash, scheme, body_authenticated,
        size)
      values (${id}, ${endpoint.id}, ${operator}, ${endpoint.agentId}, 'generic', '', 'body', '', 'hex', true, 1)`,
    );
    await run(context.pool, sql.fragment`select advance_inbound(${id})`);
    return lifeId.inbound(id);
  },
  async 'log-sequencer'() {
    const life = await waitingLog(context);
    await advanceLog(context, life.slice(life.indexOf(':') + 1));
    return life;
  },
  async mail() {
    const id = newId('msg');
    await run(
      context.pool,
      sql.fragment`
      insert into mails (id, recipient, subject, text, status, expires_at)
      values (${id}, 'a@example.test', 'A word', 'sealed', 'waiting', now() + interval '1 hour')`,
    );
    await run(context.pool, sql.fragment`select advance_mail(${id})`);
    return lifeId.mail(id);
  },
  async notification() {
    const webhook = await newWebhook(context, 'https://hooks.example.com/');
    await recordEvents(context, webhook.operatorId);
    await advanceNotification(context, webhook.id);
    return lifeId.notification(webhook.id);
  },
  async payout() {
    await run(
      context.pool,
      sql.fragment`
      insert into payouts (id, operator_id, month, gross_cents, commission_cents, status, account)
      values (${newId('pyt')}, ${operator}, '2026-01', 100, 0, 'transferring', 'acct_1')`,
    );
    await run(context.pool, sql.fragment`select advance_payout(${operator} || ':2026-01', true)`);
    return lifeId.payout(`${operator}:2026-01`);
  },
  async portal() {
    const id = newId('prt');
    await run(
      context.pool,
      sql.fragment`
      insert into portal_sessions (id, operator_id, return_to, created_at)
      values (${id}, ${operator}, 'http://x', clock_timestamp() - interval '20 seconds')`,
    );
    await run(context.pool, sql.fragment`select advance_portal(${id})`);
    return lifeId.portal(id);
  },
  async refund() {
    const [id, topUp] = [newId('rfd'), newId('top')];
    await run(
      context.pool,
      sql.fragment`
      insert into top_ups (id, operator_id, provider, amount_cents, expires_at, seconds, return_to, status, settled_at)
      values (${topUp}, ${operator}, 'local', 1000, now(), 60, 'http://x', 'expired', now())`,
    );
    await run(
      context.pool,
      sql.fragment`
      insert into refunds (id, operator_id, top_up_id, transaction_id, amount_cents, attempt, next_call_at)
      values (${id}, ${operator}, ${topUp}, ${newId('txn')}, 1000, 1, now() + interval '1 hour')`,
    );
    await run(context.pool, sql.fragment`select advance_refund(${id})`);
    return lifeId.refund(id);
  },
  async session() {
    const [id, jti] = [newId('ses'), newId('psp')];
    await run(
      context.pool,
      sql.fragment`
      insert into passport_sessions (id, operator_id, started_at) values (${id}, ${operator}, now() - interval '1 minute')`,
    );
    await run(
      context.pool,
      sql.fragment`
      insert into passport_lineages (id, session_id, operator_id, agent_id, root_agent_id, depth, accountability, started_at, latest_expiry)
      values (${jti}, ${id}, ${operator}, 'ag_1', 'ag_1', 0, 'enforced', now() - interval '1 minute', now() + interval '1 hour')`,
    );
    await advanceSession(context, id);
    return lifeId.session(id);
  },
  async verification() {
    const [id, destination] = [newId('vcd'), newId('dst')];
    await run(
      context.pool,
      sql.fragment`
      insert into verification_codes (id, operator_id, destination_id, address, code, sealed, status, expires_at)
      values (${id}, ${operator}, ${destination}, 'mac', 'mac', 'sealed', 'waiting', now() + interval '10 minutes')`,
    );
    await run(context.pool, sql.fragment`select advance_verification(${id})`);
    return lifeId.verification(id);
  },
  async 'top-up'() {
    const id = newId('top');
    await run(
      context.pool,
      sql.fragment`
      insert into top_ups (id, operator_id, provider, amount_cents, expires_at, seconds, return_to)
      values (${id}, ${operator}, 'local', 1000, now() + interval '1 hour', 60, 'http://x')`,
    );
    await run(context.pool, sql.fragment`select advance_top_up(${id})`);
    return lifeId['top-up'](id);
  },
});

/** How many wake-ups Temporal has refused, as this process counts them. */
const refusals = async (): Promise<string | undefined> =>
  /^carnet_life_messages_refused_total.*$/m.exec(await metricsText())?.[0];

describe('Another store of lives', function () {
  // A server learns of a new namespace within ten seconds, and then of its attributes: more than once in a test.
  this.timeout(240_000);

  itInFull('wakes, after Temporal was emptied, a row that a life had seen: long before its deadline', async () => {
    const rig = await startRig();
    const first = await rig.anotherDelivery();
    await rig.startWorker();
    await noteLifeStore(rig.context.pool, (await rig.temporal.namespaceId()) ?? '');
    const { id } = await rig.invoke();
    await first.begin(lifeId.invocation(id));
    await runOf(rig, id).showing(/^Waits for claim or completion/);
    await eventually('its message to be gone', async () => (await rig.messagesOf(id)) === 0);
    await first.stop(); // it would deliver to the store that is lost

    const emptied = {
      ...rig.config,
      temporal: { ...rig.config.temporal, namespace: `rig_${randomBytes(5).toString('hex')}` },
    };
    await newNamespace(emptied.temporal.address, emptied.temporal.namespace);
    const temporal = openTemporal(emptied.temporal);
    const delivery = createDelivery({ temporal, log: pino({ level: 'silent' }), lives });
    const context = { ...rig.context, config: emptied, delivery };
    await delivery.start(context, { sweep: true });
    const worker = await runWorker(context, createActivities(context, createPorts(context)));
    try {
      const there = { ...rig, temporal };
      await runOf(there, id).showing(/^Waits for claim or completion/);
      // A provider that works by signal is no longer locked out.
      await runOf(there, id).handle.signal('claim', {});
      await eventually('the signal to have claimed it', async () => (await rig.row(id)).status === 'processing');
      await runOf(there, id).handle.signal('complete', { output: { text: 'done' } });
      await runOf(there, id).ended();
    } finally {
      await delivery.stop();
      await worker.stop();
      await temporal.close();
      await rig.stop();
    }
  });

  it('wakes all there is over a Temporal that has lost its disk, ten of each kind together', async () => {
    const server = await temporalServer();
    await server.start();
    const rig = await startRig({ temporalAddress: server.address });
    const { pool } = rig.context;
    try {
      await rig.startDelivery({ sweep: false });
      const first = await rig.invoke();
      // The life is there, so the delivery knows that attributes were registered.
      await eventually('its life to be there', () => runOf(rig, first.id).handle.describe(), {
        ignoreErrors: () => true,
      });
      const another = await rig.anotherDelivery();
      await another.begin(lifeId.invocation(first.id));
      await noteLifeStore(pool, 'the one before');
      const refusedBefore = await refusals();
      const lost: string[] = [];
      for (let nth = 0; nth < 10; nth += 1) {
        const operator = await newWallet(pool);
        const { 'log-sequencer': log, ...seen } = openRows(rig.context, operator);
        if (nth === 0) lost.push(await log());
        for (const write of Object.values(seen)) lost.push(await write());
        const { id } = await rig.invoke();
        await advanceInvocation(rig.context, id);
        lost.push(lifeId.invocation(id));
        await run(pool, sql.fragment`insert into subscriptions (operator_id) values (${operator})`);
        await run(
          pool,
          sql.fragment`select look_again(${lifeId.subscription(operator)}, ${operator}, now() + interval '1 hour')`,
        );
        lost.push(lifeId.subscription(operator));
      }
      await run(pool, sql.fragment`delete from lives where epoch is null`);
      await server.stop();
      await server.empty();
      await server.start();
      await noteLifeStore(pool, 'the one after');
      const started = (life: string) => async (): Promise<boolean> =>
        (await runOf(rig, life).handle.describe()).status.name === 'RUNNING';
      await eventually(
        'all of them to be started',
        async () => {
          await lookAfterLives(rig.context);
          rig.context.delivery.messagesCommitted();
          for (const life of lost) if (!(await started(life)())) return false;
          return true;
        },
        { ignoreErrors: () => true, seconds: 200 },
      );
      assert.equal(await refusals(), refusedBefore, 'none had to be refused first');
    } finally {
      // No money stands behind these, as the ledger finds.
      for (const table of ['refunds', 'payouts']) await run(pool, sql.fragment`delete from ${sql.identifier([table])}`);
      await rig.stop();
      await server.remove();
    }
  });

  describe('is a dump that was restored in place: in the same cluster, under the same name', () => {
    /** The statements that pg_restore makes on this table; it comes with servers of one's own and not with the embedded one. */
    const restores = {
      'with --clean, which makes the table anew': [
        sql.unsafe`create table restored (like life_store including all)`,
        sql.unsafe`insert into restored table life_store`,
        sql.unsafe`drop table life_store`,
        sql.unsafe`alter table restored rename to life_store`,
      ],
      'with --data-only into the emptied table': [
        sql.unsafe`create temporary table dumped on commit drop as table life_store`,
        sql.unsafe`truncate life_store`,
        sql.unsafe`insert into life_store table dumped`,
      ],
    };
    for (const [how, statements] of Object.entries(restores)) {
      it(how, async () => {
        const own = await ownContext();
        const { pool } = own.context;
        try {
          await noteLifeStore(pool, 'first');
          assert.equal(await noteLifeStore(pool, 'first'), null);
          await pool.transaction(async (connection) => {
            for (const statement of statements) await connection.query(statement);
          });
          assert.equal(await noteLifeStore(pool, 'first'), 2);
          assert.equal(await noteLifeStore(pool, 'first'), null, 'it is noticed once');
        } finally {
          await own.close();
        }
      });
    }

    it('and no vacuum, which writes the row again elsewhere', async () => {
      const own = await ownContext();
      try {
        await noteLifeStore(own.context.pool, 'first');
        for (const statement of [
          sql.unsafe`vacuum (full, freeze) life_store`,
          sql.unsafe`cluster life_store using life_store_pkey`,
        ])
          await own.context.pool.query(statement);
        assert.equal(await noteLifeStore(own.context.pool, 'first'), null);
      } finally {
        await own.close();
      }
    });
  });

  describe('of every kind', () => {
    let own: OwnContext;
    let operator: string;
    before(async () => {
      own = await ownContext();
      operator = await newWallet(own.context.pool);
    });
    after(() => own.close());

    it('looks at an open row again that its life has just seen, and only then', async () => {
      const { pool } = own.context;
      await noteLifeStore(pool, 'first');
      const seen = openRows(own.context, operator);
      const lifeOf = new Map<Kind, string>();
      for (const kind of Object.keys(seen) as Kind[]) lifeOf.set(kind, await seen[kind]());
      await adoptLives(pool, 1_000);
      await lookAfterLives(own.context);
      for (const [kind, life] of lifeOf)
        assert.equal(await messagesOf(pool, life), 0, `${kind}: its life is where it was`);
      await noteLifeStore(pool, 'second');
      await eventually('each to be woken', async () => {
        await lookAfterLives(own.context);
        // A log that nothing waits for needs no run.
        for (const [kind, life] of lifeOf)
          if (kind !== 'log-sequencer' && (await messagesOf(pool, life)) === 0) return false;
        return true;
      });
    });
  });
});
