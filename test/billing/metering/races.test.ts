import assert from 'node:assert/strict';
import pg from 'pg';
import { z } from 'zod';
import { assertLedger, ledgerFaults } from '../../../src/billing/index.ts';
import { ownRelease, searchPathOf } from '../../../src/database/functions.ts';
import { sql, type DatabasePool, type DatabaseTransactionConnection } from '../../../src/database/pool.ts';
import { CarnetError } from '../../../src/errors/carnet-error.ts';
import { invokeSkill } from '../../../src/invocations/invoke-skill.ts';
import { newId } from '../../../src/ids/ids.ts';
import { callOf, ownContext, type OwnContext } from '../../invocations/own-context.ts';
import { eventually } from '../../support/eventually.ts';
import { rivals } from '../../support/rivals.ts';
import { invoke as invokeBySql, newSkill, newWallet, RACE_ROUNDS, run, walletOf } from '../ledger/ledger-world.ts';
import { counterOf, eachWithinOneMonth, FREE, remainderOf, setUsed } from './counters.ts';

const ROUNDS = Math.max(1, Math.floor(RACE_ROUNDS / 20));

describe('many metered actions in parallel', () => {
  let own: OwnContext;
  let db: DatabasePool;
  let provider: string;
  let free: string;
  let priced: string;
  before(async () => {
    own = await ownContext();
    db = own.context.pool;
    provider = await newWallet(db);
    free = await newSkill(db, provider, { price: 0 });
    priced = await newSkill(db, provider, { price: 1 });
  });
  eachWithinOneMonth();
  afterEach(() => assertLedger(db));
  after(() => own.close());

  const invoke = (consumer: string, skill: string, agent?: string) =>
    invokeSkill(own.context, callOf(consumer, 'invokeSkill'), {
      skillId: skill,
      body: {
        input: {},
        ...(agent !== undefined && { agent_id: agent }),
      },
    });
  /** `ok`, or the code of the refusal; anything else fails the test. */
  const outcomeOf = async (attempt: Promise<unknown>): Promise<string> => {
    try {
      await attempt;
      return 'ok';
    } catch (error) {
      if (error instanceof CarnetError) return error.code;
      throw error;
    }
  };
  const tally = (results: string[]): [ok: number, unpaid: number] => [
    results.filter((result) => result === 'ok').length,
    results.filter((result) => result === 'INSUFFICIENT_CREDITS').length,
  ];
  const invokes = (count: number, consumer: string, skill: string): Promise<string[]> =>
    rivals(count, () => outcomeOf(invoke(consumer, skill)));
  const counted = async (consumer: string): Promise<[used: number, overage: number]> => {
    const { used, overage } = await counterOf(db, consumer);
    return [used, overage];
  };

  it('the first of a month: each counts', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const consumer = await newWallet(db);
      assert.deepEqual(tally(await invokes(40, consumer, free)), [40, 0]);
      assert.deepEqual(await counterOf(db, consumer), { used: 40, overage: 0, passports: 0, invocations: 40 });
    }
  });

  it('200 across the end of the allowance: 80 are free and 120 charged, to the microcent', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const consumer = await newWallet(db, 50);
      await setUsed(db, consumer, { used: FREE - 80 });
      assert.deepEqual(tally(await invokes(200, consumer, free)), [200, 0]);
      assert.deepEqual(await counted(consumer), [FREE + 120, 120]);
      assert.deepEqual(await remainderOf(db, consumer), { charged_microcents: 1_200_000, debited_cents: 1 });
      assert.deepEqual(await walletOf(db, consumer), { posted_cents: 49, held_cents: 0, last_position: 2 });
    }
  });

  it('200 across the end of the allowance with an empty wallet: the 80 that are free, and no more', async () => {
    const consumer = await newWallet(db);
    await setUsed(db, consumer, { used: FREE - 80 });
    assert.deepEqual(tally(await invokes(200, consumer, free)), [80, 120]);
    assert.deepEqual(await counted(consumer), [FREE, 0]);
    assert.equal(await remainderOf(db, consumer), null);
  });

  it('200 with one cent in the wallet: the cent pays for a hundred', async () => {
    const consumer = await newWallet(db, 1);
    await setUsed(db, consumer, { used: FREE });
    assert.deepEqual(tally(await invokes(200, consumer, free)), [100, 100]);
    assert.deepEqual(await counted(consumer), [FREE + 100, 100]);
    assert.deepEqual(await walletOf(db, consumer), { posted_cents: 0, held_cents: 0, last_position: 2 });
  });

  it('200 invocations with a price on a wallet that covers some: as many are counted as charged and held', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const consumer = await newWallet(db, 120);
      await setUsed(db, consumer, { used: FREE });
      const [ok, unpaid] = tally(await invokes(200, consumer, priced));
      assert.equal(ok + unpaid, 200);
      assert.deepEqual(await counted(consumer), [FREE + ok, ok]);
      const wallet = await walletOf(db, consumer);
      assert.deepEqual(wallet, {
        posted_cents: 120 - Math.floor(ok / 100),
        held_cents: ok,
        last_position: 1 + Math.floor(ok / 100),
      });
      const begun = ok % 100 === 0 ? 0 : 1; // the cent that the charges have begun to use
      assert.equal(wallet.posted_cents - wallet.held_cents, begun, 'nobody was refused while a cent was left');
    }
  });

  it('an invoke that waits for a budget locks neither the counter nor the wallet, which the holder of the budget locks next', async () => {
    const consumer = await newWallet(db, 10);
    const agent = newId('ag');
    await run(db, sql.fragment`insert into agents (id, operator_id, name) values (${agent}, ${consumer}, 'busy')`);
    await invoke(consumer, priced, agent);
    await setUsed(db, consumer, { used: FREE });
    await run(db, sql.fragment`select count(charge_overage(${consumer})) from generate_series(1, 99)`);
    await run(
      db,
      sql.fragment`update usage_counters set used = ${FREE + 99}, overage = 99 where operator_id = ${consumer}`,
    );
    const holder = new pg.Client(own.context.config.databaseUrl);
    await holder.connect();
    await holder.query('begin');
    await holder.query('select from agent_spending where subject = $1 for update', [agent]);
    const invoking = invoke(consumer, priced, agent);
    await eventually('the invoke to wait for the budget', () =>
      db.oneFirst(sql.type(z.object({ waiting: z.boolean() }))`
        select exists (select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock') as waiting`),
    );
    for (const table of ['usage_counters', 'wallet_remainders', 'wallets']) {
      await holder.query(`select from ${table} where operator_id = $1 for update nowait`, [consumer]);
    }
    await holder.end();
    await invoking;
    assert.deepEqual(await counted(consumer), [FREE + 100, 100]);
    assert.deepEqual(await walletOf(db, consumer), { posted_cents: 9, held_cents: 2, last_position: 2 });
  });

  it('two meters do not use the same part of a cent, nor does a hold, however close they come', async () => {
    const charge = `select charge_usage($1, $2, 'sms', 600000, 'in a race')`;
    const first = new pg.Client({
      connectionString: own.context.config.databaseUrl,
      options: `-c search_path=${searchPathOf(ownRelease())}`,
    });
    await first.connect();
    const waiting = sql.type(z.object({ waiting: z.boolean() }))`
      select exists (select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock') as waiting`;
    for (const rival of [
      (consumer: string) =>
        run(db, sql.fragment`select charge_usage(${newId('evt')}, ${consumer}, 'email', 600000, 'in a race')`),
      (consumer: string) => invokeBySql(db, { consumer, skill: priced }),
    ]) {
      const consumer = await newWallet(db, 1);
      await first.query('begin');
      await first.query(charge, [newId('evt'), consumer]);
      let over = false;
      const refused = assert.rejects(rival(consumer), /INSUFFICIENT_CREDITS/).finally(() => (over = true));
      refused.catch(() => undefined); // it may fail before somebody waits for it
      await eventually('the rival to wait, or to be done', async () => over || (await db.oneFirst(waiting)));
      await first.query('commit');
      await refused;
    }
    await first.end();
  });

  /** Runs a transaction and rolls it back. */
  const undone = async (work: (connection: DatabaseTransactionConnection) => Promise<unknown>): Promise<void> => {
    const back = new Error('back');
    const doing = db.transaction(async (connection) => {
      await work(connection);
      throw back;
    });
    await assert.rejects(doing, (error) => error === back);
  };
  const lawsBrokenBy = async (
    by: (connection: DatabaseTransactionConnection) => Promise<unknown>,
  ): Promise<string[]> => {
    let laws: string[] = [];
    await undone(async (connection) => {
      await by(connection);
      laws = (await ledgerFaults(connection)).map((fault) => fault.law);
    });
    return laws;
  };

  it('over the allowance is refused while a chargeback is owed, no matter what the wallet receives', async () => {
    const consumer = await newWallet(db, 100);
    await setUsed(db, consumer, { used: FREE - 1 });
    await undone(async (connection) => {
      await run(connection, sql.fragment`select charge_back(${consumer}, 150, 'a dispute', 'Charged back')`);
      await invokeBySql(connection, { consumer, skill: free });
      await assert.rejects(
        invokeBySql(connection, { consumer, skill: free }),
        ({ message, detail }: Error & { detail: string }) => {
          assert.equal(message, 'INSUFFICIENT_CREDITS');
          assert.deepEqual((JSON.parse(detail) as { extra: unknown }).extra, {
            required_cents: 1,
            balance_cents: 0,
            receivable_cents: 50,
          });
          return true;
        },
      );
    });
  });

  const law = 'metered actions over the allowance are charged';

  it('the laws of the ledger find an action that was counted and not charged, and one that was charged and not counted', async () => {
    const consumer = await newWallet(db, 10);
    await setUsed(db, consumer, { used: FREE });
    await invoke(consumer, free);
    const change = (by: number) => (connection: DatabaseTransactionConnection) =>
      run(
        connection,
        sql.fragment`update usage_counters set overage = overage + ${by} where operator_id = ${consumer}`,
      );
    assert.deepEqual(await lawsBrokenBy(change(1)), [law]);
    assert.deepEqual(await lawsBrokenBy(change(-1)), [law]);
    const forget = (connection: DatabaseTransactionConnection) =>
      run(connection, sql.fragment`delete from usage_counters where operator_id = ${consumer}`);
    assert.deepEqual(await lawsBrokenBy(forget), [law]);
    assert.deepEqual(await lawsBrokenBy(change(0)), []);
  });
});
