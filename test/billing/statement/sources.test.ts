import assert from 'node:assert/strict';
import { z } from 'zod';
import { newId, type InvocationId } from '../../../src/ids/ids.ts';
import { sql, type DatabasePool } from '../../../src/database/pool.ts';
import { claim, fail, invoke, newSkill, newWallet, run as perform } from '../ledger/ledger-world.ts';
import { ownDatabase, type OwnDatabase } from '../wallet/own-database.ts';
import { callShares, debitsOf, readTimeline, readTransactions, type Transaction } from './reading.ts';
import { call, run, sealedCall } from './statements.ts';

const CENT_COST = 869_565; // with the fee and rounded up, exactly a cent

const runShares = ({ details }: Transaction) =>
  details.machine_sources.map(({ id, allocated_microcents }) => [id, allocated_microcents]);

describe('the sources of a debit', () => {
  let own: OwnDatabase;
  let db: DatabasePool;
  before(async () => {
    own = await ownDatabase();
    db = own.pool;
  });
  after(() => own.drop());

  it('are the calls with their exact shares, first in, first out, split where a cent ends', async () => {
    const wallet = await newWallet(db, 100);
    const first = await sealedCall(db, wallet, { costMicrocents: 600_000 }); // 690,000 charged
    const second = await sealedCall(db, wallet, { costMicrocents: 400_000 }); // 460,000: the first cent is full
    const third = await sealedCall(db, wallet, { costMicrocents: 2_000_000 }); // 2,300,000: two cents more
    const [one, two] = await debitsOf(db, wallet);
    assert(one !== undefined && two !== undefined);
    assert.deepEqual(
      [one.amount_cents, callShares(one)],
      [
        -1,
        [
          [first, 690_000],
          [second, 310_000],
        ],
      ],
    );
    assert.deepEqual(
      [two.amount_cents, callShares(two)],
      [
        -2,
        [
          [second, 150_000],
          [third, 1_850_000],
        ],
      ],
    );
    for (const { details } of [one, two]) {
      assert.deepEqual(
        [details.machine_sources, details.machine_cost_microcents, details.source_status],
        [[], 0, 'recorded'],
      );
    }
  });

  it('list machine runs separately, with their cost in total', async () => {
    const wallet = await newWallet(db, 100);
    const spent = await run(db, wallet, { costMicrocents: 300_000, sealedStepIndex: 0 }); // 345,000
    const modelCall = await sealedCall(db, wallet, { costMicrocents: 500_000, sealedStepIndex: 1 }); // 575,000
    const again = await run(db, wallet, { costMicrocents: 100_000, sealedStepIndex: 2, durationMs: 100 }); // 115,000, of which 80,000 fill the cent
    const [debit, ...more] = await debitsOf(db, wallet);
    assert(debit !== undefined && more.length === 0);
    assert.deepEqual(callShares(debit), [[modelCall, 575_000]]);
    assert.deepEqual(runShares(debit), [
      [spent, 345_000],
      [again, 80_000],
    ]);
    assert.equal(debit.details.machine_cost_microcents, 425_000);
    assert.deepEqual(
      debit.details.machine_sources.map(({ duration_ms, sealed_step_index }) => [duration_ms, sealed_step_index]),
      [
        [250, 0],
        [100, 2],
      ],
    );
  });

  it('contain the run of a failed invocation whose remainder completes a later cent', async () => {
    const [wallet, provider] = [await newWallet(db, 100), await newWallet(db)];
    const skill = await newSkill(db, provider, { price: 10 });
    const failed = await invoke(db, { consumer: wallet, skill });
    const left = await run(db, wallet, {
      costMicrocents: 500_000,
      invocationId: failed as InvocationId,
      sealedStepIndex: 3,
    });
    await claim(db, { provider, id: failed });
    await fail(db, { provider, id: failed });
    const later = (await invoke(db, { consumer: wallet, skill })) as InvocationId;
    await run(db, wallet, { costMicrocents: 500_000, invocationId: later, sealedStepIndex: 0 });
    const [debit] = await debitsOf(db, wallet);
    assert.equal(debit?.details.invocation_id, later, 'the work that completed the cent');
    const [source] = debit.details.machine_sources;
    assert.deepEqual(
      [source?.id, source?.sealed_step_index, source?.invocation],
      [left, 3, { id: failed, status: 'failed' }],
    );
    assert.equal(source?.skill?.id, skill);
  });

  it('show everything of a call that a statement may show', async () => {
    const [wallet, provider] = [await newWallet(db, 100), await newWallet(db)];
    const skill = await newSkill(db, provider, { price: 10 });
    const [agent, mission] = [newId('ag'), newId('ms')];
    await perform(
      db,
      sql.fragment`insert into agents (id, operator_id, name) values (${agent}, ${wallet}, 'An "agent"')`,
    );
    await perform(
      db,
      sql.fragment`insert into missions (id, operator_id, declared_intent, claim_id) values (${mission}, ${wallet}, 'Pay invoices', 'pc_1')`,
    );
    const invocation = (await invoke(db, { consumer: wallet, skill })) as InvocationId;
    const id = await call(db, wallet, {
      agentId: agent,
      missionId: mission,
      invocationId: invocation,
      cachedPromptTokens: 12,
      streaming: true,
      sealedStepIndex: 2,
    });
    const [debit] = await debitsOf(db, wallet);
    const [source] = debit?.details.llm_sources ?? [];
    assert.match(source?.created_at ?? '', /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    assert.deepEqual(source, {
      id,
      created_at: source?.created_at,
      operation: 'sealed_step',
      declared_purpose: 'Pay invoices',
      provider: 'openai',
      model: 'gpt-5-mini',
      prompt_tokens: 1_000,
      completion_tokens: 200,
      total_tokens: 1_200,
      cached_prompt_tokens: 12,
      streaming: true,
      charged_microcents: 1_000_000,
      allocated_microcents: 1_000_000,
      agent: { id: agent, name: 'An "agent"' },
      mission: { id: mission, declared_intent: 'Pay invoices' },
      skill: { id: skill, name: debit?.details.skill?.name },
      invocation: { id: invocation, status: 'pending' },
      sealed_step_index: 2,
    });
  });

  it('are not_recorded where the charge was made before sources were recorded, and nothing is guessed', async () => {
    const wallet = await newWallet(db, 100);
    await perform(
      db,
      sql.fragment`select charge_meter(${newId('txn')}, ${wallet}, 'sealed_execution', 1_400_000, 'compute', 'Sealed execution')`,
    );
    const half = await sealedCall(db, wallet, { costMicrocents: CENT_COST });
    const [before, crossing] = await debitsOf(db, wallet);
    assert.deepEqual(
      [before?.details.source_status, before?.details.llm_sources, before?.details.machine_cost_microcents],
      ['not_recorded', [], null],
    );
    assert(crossing !== undefined);
    assert.deepEqual([crossing.details.source_status, callShares(crossing)], ['not_recorded', [[half, 600_000]]]);
  });

  it('end a page where there are thousands, of which a row shows 200 and says how many there are', async () => {
    const wallet = await newWallet(db, 100);
    for (let nth = 0; nth < 3_000; nth += 250) {
      // 4,000 microcents each, so 250 make a cent
      await perform(
        db,
        sql.fragment`select charge_meter(${newId('txn')}, ${wallet}, 'sealed_execution', 250 * 4000, 'compute', 'Sealed execution')`,
      );
      await perform(
        db,
        sql.fragment`
        insert into machine_runs (id, operator_id, duration_ms, cost_microcents, meter, begins_microcents, microcents)
        select 'mch_' || new_ulid(), ${wallet}, 3480, 3480, 'sealed_execution', n * 4000, 4000 from generate_series(${nth}::int, ${nth}::int + 249) n`,
      );
    }
    const { pages, total } = await readTransactions(db, wallet);
    assert.deepEqual(
      pages.map((page) => page.map(({ amount_cents }) => amount_cents)),
      [Array.from({ length: 10 }, () => -1), [-1, -1, 100]],
    );
    assert.equal(total, 13);
    const debits = pages.flat().filter(({ type }) => type === 'compute');
    const shown = new Set(debits.flatMap(({ details }) => details.machine_sources.map(({ id }) => id)));
    assert.equal(shown.size, 12 * 200);
    for (const { details } of debits)
      assert.deepEqual(
        [details.source_count, details.source_status, details.machine_cost_microcents],
        [250, 'recorded', 1_000_000],
      );
  });

  it('are empty on rows whose kind has none', async () => {
    const wallet = await newWallet(db, 500);
    await db.query(
      sql.type(
        z.object({}),
      )`select charge_usage(${newId('idc')}, ${wallet}, 'identity', 1_500_000, 'Identity verification')`,
    );
    const [debit] = await debitsOf(db, wallet);
    assert.deepEqual(
      [debit?.type, debit?.meter, debit?.details.source_status, debit?.details.llm_sources],
      ['identity', 'identity', null, []],
    );
  });
});

describe('a call on the timeline', () => {
  let own: OwnDatabase;
  let db: DatabasePool;
  before(async () => {
    own = await ownDatabase();
    db = own.pool;
  });
  after(() => own.drop());

  const shown = async (wallet: string) =>
    (await readTimeline(db, wallet))
      .flat()
      .map((row) => (row.kind === 'llm_call' ? row.call.id : row.transaction.amount_microcents));

  it('is a row of its own until a debit has a part of it', async () => {
    const wallet = await newWallet(db, 100);
    const first = await sealedCall(db, wallet, { costMicrocents: 600_000 });
    assert.deepEqual(await shown(wallet), [first, 100_000_000]);
    const second = await sealedCall(db, wallet, { costMicrocents: 600_000 }); // fills the cent and leaves 380,000 of itself
    assert.deepEqual(await shown(wallet), [-1_000_000, 100_000_000]);
    const third = await sealedCall(db, wallet, { costMicrocents: 1 });
    assert.deepEqual(await shown(wallet), [third, -1_000_000, 100_000_000]);
    assert.deepEqual(
      (await debitsOf(db, wallet)).flatMap(callShares).map(([id]) => id),
      [first, second],
    );
  });

  it('stays a row of its own where there is nothing to allocate', async () => {
    const wallet = await newWallet(db, 100);
    const free = await sealedCall(db, wallet, { costMicrocents: 0 });
    const included = await call(db, wallet, { price: { state: 'included', costMicrocents: 7 } });
    await call(db, wallet);
    assert.deepEqual(await shown(wallet), [-1_000_000, included, free, 100_000_000]);
  });

  it('shows its price by its state', async () => {
    const wallet = await newWallet(db, 100);
    await sealedCall(db, wallet, { costMicrocents: 100 });
    await call(db, wallet, { price: { state: 'included', costMicrocents: 7 } });
    await call(db, wallet, { price: { state: 'covered', costMicrocents: 7 } });
    await call(db, wallet, { price: { state: 'unavailable' } });
    const prices = (await readTimeline(db, wallet, { filters: { entry_kind: 'llm' } }))
      .flat()
      .map((row) => row.kind === 'llm_call' && row.call.price);
    assert.deepEqual(prices, [
      { state: 'unavailable', amount_microcents: null },
      { state: 'covered', amount_microcents: 7 },
      { state: 'included', amount_microcents: null },
      { state: 'wallet_price', amount_microcents: 115 },
    ]);
  });

  it('is not a source of a debit of another meter', async () => {
    const wallet = await newWallet(db, 100);
    const gateway = await call(db, wallet, {
      price: { state: 'wallet_price', meter: 'llm_gateway', costMicrocents: 1_000_000 },
    });
    const l3 = await call(db, wallet, { price: { state: 'wallet_price', meter: 'l3', costMicrocents: 100 } });
    const sealed = await call(db, wallet);
    assert.deepEqual(await shown(wallet), [-1_000_000, l3, gateway, 100_000_000]);
    const [debit] = await debitsOf(db, wallet);
    assert(debit !== undefined);
    assert.deepEqual(callShares(debit), [[sealed, 1_000_000]]);
  });
});
