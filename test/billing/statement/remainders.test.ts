import assert from 'node:assert/strict';
import type { z } from 'zod';
import { newId, type AgentId, type MissionId, type OperatorId } from '../../../src/ids/ids.ts';
import { sql, type DatabasePool } from '../../../src/database/pool.ts';
import { JSON_FORM, readStatementPage } from '../../../src/billing/statement/queries.ts';
import { StatementSchema } from '../../../src/billing/statement/schema.ts';
import { newWallet, run as perform } from '../ledger/ledger-world.ts';
import { ownDatabase, type OwnDatabase } from '../wallet/own-database.ts';
import { callShares, debitsOf } from './reading.ts';
import { call, run, sealedCall } from './statements.ts';

type Remainders = z.output<typeof StatementSchema>['remainders'];

describe('what no debit has taken yet', () => {
  let own: OwnDatabase;
  let db: DatabasePool;
  before(async () => {
    own = await ownDatabase();
    db = own.pool;
  });
  after(() => own.drop());

  const firstPage = (wallet: string, place: { top: number; floor: number; total: number } | null = null) =>
    readStatementPage(db, { operatorId: wallet as OperatorId, filters: {}, place, limit: 50 }, JSON_FORM);
  const remaindersOf = async (wallet: string): Promise<NonNullable<Remainders>> => {
    const { remainders } = await firstPage(wallet);
    const parsed = StatementSchema.shape.remainders.parse(JSON.parse(remainders ?? 'null'));
    assert(parsed !== null);
    return parsed;
  };
  const inShort = (remainders: NonNullable<Remainders>) =>
    remainders.map(({ meter, microcents, llm_sources, machine_sources }) => [
      meter,
      microcents,
      [...llm_sources, ...machine_sources].map(({ id, charged_microcents, allocated_microcents }) => [
        id,
        charged_microcents,
        allocated_microcents,
      ]),
    ]);

  it('is empty where nothing was used, and stands on the first page alone', async () => {
    const wallet = await newWallet(db, 100);
    assert.deepEqual(await remaindersOf(wallet), []);
    await sealedCall(db, wallet, { costMicrocents: 100 });
    assert.equal((await firstPage(wallet, { top: 1, floor: 0, total: 1 })).remainders, null);
  });

  it('has each source from its charge on, with the whole of it and the share that is left, to the microcent', async () => {
    const wallet = await newWallet(db, 100);
    const spent = await run(db, wallet, { costMicrocents: 600_000, sealedStepIndex: 0 }); // 690,000
    assert.deepEqual(inShort(await remaindersOf(wallet)), [['sealed_execution', 690_000, [[spent, 690_000, 690_000]]]]);
    const asked = await sealedCall(db, wallet, { costMicrocents: 400_000, sealedStepIndex: 1 }); // 460,000: the cent is full
    assert.deepEqual(inShort(await remaindersOf(wallet)), [['sealed_execution', 150_000, [[asked, 460_000, 150_000]]]]);
    const [debit] = await debitsOf(db, wallet);
    assert(debit !== undefined);
    assert.deepEqual(callShares(debit), [[asked, 310_000]], 'the rest of it');
  });

  it('is apart for each meter, also where a meter has no sources', async () => {
    const wallet = await newWallet(db, 100);
    const gateway = await call(db, wallet, {
      price: { state: 'wallet_price', meter: 'llm_gateway', costMicrocents: 1_000 },
    });
    const spent = await run(db, wallet, { costMicrocents: 1_000 });
    await perform(
      db,
      sql.fragment`select charge_usage(${newId('idc')}, ${wallet}, 'identity', 1000, 'Identity verification')`,
    );
    assert.deepEqual(inShort(await remaindersOf(wallet)), [
      ['identity', 1_150, []],
      ['llm_gateway', 150, [[gateway, 150, 150]]],
      ['sealed_execution', 1_150, [[spent, 1_150, 1_150]]],
    ]);
  });

  it('says of machine time for whom and what it was, as of a model call', async () => {
    const wallet = await newWallet(db, 100);
    const [agentId, missionId] = [newId('ag'), newId('ms')] as [AgentId, MissionId];
    await perform(
      db,
      sql.fragment`insert into agents (id, operator_id, name) values (${agentId}, ${wallet}, 'An "agent"')`,
    );
    await perform(
      db,
      sql.fragment`insert into missions (id, operator_id, declared_intent, claim_id) values (${missionId}, ${wallet}, 'Pay invoices', 'pc_1')`,
    );
    const id = await run(db, wallet, { costMicrocents: 500, agentId, missionId, sealedStepIndex: 3 });
    const [source] = (await remaindersOf(wallet))[0]?.machine_sources ?? [];
    assert.deepEqual(source, {
      id,
      created_at: source?.created_at,
      duration_ms: 250,
      declared_purpose: 'Pay invoices',
      charged_microcents: 575,
      allocated_microcents: 575,
      agent: { id: agentId, name: 'An "agent"' },
      mission: { id: missionId, declared_intent: 'Pay invoices' },
      skill: null,
      invocation: null,
      sealed_step_index: 3,
    });
  });

  it('has the newest sources where there are very many, and all of their microcents', async () => {
    const wallet = await newWallet(db, 100);
    await perform(
      db,
      sql.fragment`select charge_meter(${newId('txn')}, ${wallet}, 'sealed_execution', 3000, 'compute', 'Sealed execution')`,
    );
    await perform(
      db,
      sql.fragment`
        insert into machine_runs (id, operator_id, duration_ms, cost_microcents, meter, begins_microcents, microcents)
        select 'mch_' || ${wallet} || n, ${wallet}, 1, 5, 'sealed_execution', n * 6, 6 from generate_series(0, 499) n`,
    );
    const [remainder] = await remaindersOf(wallet);
    assert.equal(remainder?.microcents, 3_000);
    const ids = remainder.machine_sources.map(({ id }) => id);
    assert.deepEqual(
      ids,
      Array.from({ length: 200 }, (_, n) => `mch_${wallet}${300 + n}`),
    );
  });
});
