import assert from 'node:assert/strict';
import fc from 'fast-check';
import { z } from 'zod';
import { sql, type DatabasePool } from '../../../src/database/pool.ts';
import { newId } from '../../../src/ids/ids.ts';
import { roundsOf } from '../../support/cases.ts';
import { credit, newWallet } from '../ledger/ledger-world.ts';
import { ownDatabase, type OwnDatabase } from '../wallet/own-database.ts';
import { readTimeline, readTransactions } from './reading.ts';
import { call, run } from './statements.ts';

/** Set STATEMENT_HISTORIES, e.g. to 3000, for a long run. */
const HISTORIES = Number(process.env.STATEMENT_HISTORIES ?? roundsOf(25, 8));
const MICROCENTS = 1_000_000;

type Write =
  | { kind: 'call'; meter: 'sealed_execution' | 'llm_gateway' | 'l3'; cost: number }
  | { kind: 'free'; state: 'included' | 'covered' | 'unavailable' }
  | { kind: 'run'; cost: number }
  | { kind: 'credit' };

const cost = fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 1_000 }), fc.integer({ min: 1, max: 4 * MICROCENTS }));
const write: fc.Arbitrary<Write> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant('call' as const),
      meter: fc.constantFrom('sealed_execution', 'llm_gateway', 'l3'),
      cost,
    }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('run' as const), cost }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('free' as const),
      state: fc.constantFrom('included', 'covered', 'unavailable'),
    }),
  },
  { weight: 1, arbitrary: fc.constant({ kind: 'credit' as const }) },
);
/** The statements that each of up to four connections writes, one after another. */
const lanes = fc.array(fc.array(write, { maxLength: 12 }), { minLength: 2, maxLength: 4 });

async function perform(db: DatabasePool, wallet: string, step: Write): Promise<unknown> {
  if (step.kind === 'credit') return credit(db, wallet, { cents: 1, cause: newId('txn') });
  if (step.kind === 'run') return run(db, wallet, { costMicrocents: step.cost });
  if (step.kind === 'call')
    return call(db, wallet, { price: { state: 'wallet_price', meter: step.meter, costMicrocents: step.cost } });
  return call(db, wallet, {
    price: step.state === 'unavailable' ? { state: step.state } : { state: step.state, costMicrocents: 7 },
  });
}

const atOnce = (db: DatabasePool, wallet: string, of: Write[][]): Promise<unknown> =>
  Promise.all(
    of.map(async (steps) => {
      for (const step of steps) await perform(db, wallet, step);
    }),
  );

const SourceRow = z.object({ id: z.string(), meter: z.string().nullable(), microcents: z.number() });
const MeterRow = z.object({ meter: z.string(), charged: z.number(), debited: z.number() });

/** Asserts that what a reader sees adds up to what was charged, to the microcent. */
async function assertExplained(db: DatabasePool, wallet: string): Promise<void> {
  const charges = await db.any(sql.type(SourceRow)`
    select id, meter, microcents from model_calls where operator_id = ${wallet}
    union all select id, meter, microcents from machine_runs where operator_id = ${wallet}`);
  const meters = await db.any(sql.type(MeterRow)`
    select meter, charged_microcents as charged, debited_cents as debited from wallet_remainders where operator_id = ${wallet}`);
  const { pages, total } = await readTransactions(db, wallet);
  const transactions = pages.flat();
  assert.equal(transactions.length, total);

  const allocated = new Map<string, number>();
  for (const { meter, amount_cents, details } of transactions) {
    if (meter === null) continue;
    const shares = [...details.llm_sources, ...details.machine_sources];
    for (const { id, allocated_microcents: share } of shares) {
      assert(share > 0, 'who contributed nothing is no source');
      allocated.set(id, (allocated.get(id) ?? 0) + share);
    }
    const sum = shares.reduce((before, { allocated_microcents }) => before + allocated_microcents, 0);
    assert.equal(sum, -amount_cents * MICROCENTS, 'the sources make up the debit');
    assert.equal(details.source_status, 'recorded');
    assert.equal(
      details.machine_cost_microcents,
      details.machine_sources.reduce((before, one) => before + one.allocated_microcents, 0),
    );
  }
  for (const { meter, charged, debited } of meters) {
    const own = charges.filter((charge) => charge.meter === meter);
    const sum = own.reduce((before, { microcents }) => before + microcents, 0);
    const left = own.reduce((before, { id, microcents }) => before + microcents - (allocated.get(id) ?? 0), 0);
    assert.deepEqual(
      [charged, debited * MICROCENTS + left, left < MICROCENTS],
      [sum, sum, true],
      `${meter}: charges = debits + remainder`,
    );
  }
  for (const { id, microcents } of charges)
    assert((allocated.get(id) ?? 0) <= microcents, 'no source gives more than it was charged');

  const shown = (await readTimeline(db, wallet)).flat();
  const calls = shown.flatMap((row) => (row.kind === 'llm_call' ? [row.call.id] : []));
  const standalone = charges.filter(({ id }) => id.startsWith('llm_') && !allocated.has(id));
  assert.deepEqual(
    calls.toSorted(),
    standalone.map(({ id }) => id).toSorted(),
    'a call stands alone where nothing of it is allocated',
  );
  const rows = shown.flatMap((row) => (row.kind === 'wallet_transaction' ? [row.transaction.id] : []));
  assert.deepEqual(
    rows,
    transactions.map(({ id }) => id),
  );
}

describe('a statement of any history, written by up to four connections in parallel', () => {
  let own: OwnDatabase;
  let db: DatabasePool;
  before(async () => {
    own = await ownDatabase();
    db = own.pool;
  });
  after(() => own.drop());

  it('explains every microcent', async function () {
    this.timeout(HISTORIES * 2_000);
    await fc.assert(
      fc.asyncProperty(lanes, async (writes) => {
        const wallet = await newWallet(db, 1_000);
        await atOnce(db, wallet, writes);
        await assertExplained(db, wallet);
      }),
      { numRuns: HISTORIES },
    );
  });

  it('shows on all pages the snapshot of the first, no matter what is written in between', async function () {
    this.timeout(HISTORIES * 2_000);
    await fc.assert(
      fc.asyncProperty(lanes, lanes, fc.integer({ min: 1, max: 5 }), async (past, future, limit) => {
        const wallet = await newWallet(db, 1_000);
        await atOnce(db, wallet, past);
        const [statement, timeline] = [await readTransactions(db, wallet), await readTimeline(db, wallet)];
        const rest = [...future];
        const between = async (): Promise<void> => void (await atOnce(db, wallet, rest.splice(0, 2)));
        const paged = await readTimeline(db, wallet, { filters: {}, limit, between });
        assert.deepEqual(paged.flat(), timeline.flat());
        const now = await readTransactions(db, wallet);
        const credited = async (): Promise<void> => void (await credit(db, wallet, { cents: 1, cause: newId('txn') }));
        const later = await readTransactions(db, wallet, { filters: {}, limit, between: credited });
        assert.deepEqual(later.pages.flat(), now.pages.flat());
        assert.deepEqual(now.pages.flat().slice(-statement.total), statement.pages.flat());
        for (const page of [...paged, ...later.pages].slice(0, -1)) assert(page.length <= limit);
      }),
      { numRuns: HISTORIES },
    );
  });

  it('shows no row twice and leaves none out while others write', async () => {
    const wallet = await newWallet(db, 1_000);
    let writing = true;
    const writers = Array.from({ length: 3 }, async () => {
      while (writing) await perform(db, wallet, { kind: 'run', cost: 900_000 });
    });
    try {
      for (let before = 0; before < 30;) {
        const { pages, total } = await readTransactions(db, wallet, { filters: {}, limit: 7 });
        const ids = pages.flat().map(({ id }) => id);
        const positions = await db.anyFirst(sql.type(z.object({ position: z.number() }))`
          select t.position from unnest(${sql.array(ids, 'text')}) with ordinality ids (id, nth) join transfers t on t.id = ids.id order by nth`);
        assert.deepEqual(
          positions,
          Array.from({ length: total }, (_, index) => total - index),
        );
        before = total;
      }
    } finally {
      writing = false;
      await Promise.all(writers);
    }
  });
});
