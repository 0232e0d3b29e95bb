import assert from 'node:assert/strict';
import { newId } from '../../../src/ids/ids.ts';
import { sql, type DatabasePool } from '../../../src/database/pool.ts';
import { newWallet, run as perform } from '../ledger/ledger-world.ts';
import { ownDatabase, type OwnDatabase } from '../wallet/own-database.ts';
import { call } from './statements.ts';
import { JSON_FORM, readStatementPage } from '../../../src/billing/statement/queries.ts';
import type { OperatorId } from '../../../src/ids/ids.ts';
import { readTimeline, readTransactions } from './reading.ts';

type Filters = NonNullable<NonNullable<Parameters<typeof readTransactions>[2]>['filters']>;

/** Rows of each kind, in both directions where there are two; the amounts show which is which. */
async function wallet(db: DatabasePool): Promise<string> {
  const id = await newWallet(db, 1_000);
  const debit = (kind: string, cents: number) =>
    perform(
      db,
      sql.fragment`select debit_wallet(${newId('txn')}, ${id}, ${cents}, 'platform:payments', ${kind}, ${newId('txn')}, 'test')`,
    );
  await debit('refund', 100);
  await debit('overage', 1);
  await call(db, id, { operation: 'gateway', price: { state: 'included', costMicrocents: 1 } });
  await debit('adjustment', 7);
  await debit('overage', 2);
  await perform(
    db,
    sql.fragment`
    select credit_wallet(${newId('txn')}, ${id}, 50, 'platform:payments', 'topup', ${newId('top')}, 'Top-up')`,
  );
  return id;
}

describe('a filtered statement', () => {
  let own: OwnDatabase;
  let db: DatabasePool;
  before(async () => {
    own = await ownDatabase();
    db = own.pool;
  });
  after(() => own.drop());

  for (const [filters, expected] of [
    [{}, [50, -2, -7, -1, -100, 1_000]],
    [{ type: 'overage' }, [-2, -1]],
    [{ type: 'adjustment' }, [-7, 1_000]],
    [{ direction: 'in' }, [50, 1_000]],
    [{ direction: 'out' }, [-2, -7, -1, -100]],
    [{ type: 'adjustment', direction: 'out' }, [-7]],
    [{ type: 'refund', direction: 'out' }, [-100]],
    [{ type: 'refund', direction: 'in' }, []],
    [{ type: 'topup', direction: 'in' }, [50]],
    [{ type: 'topup', direction: 'out' }, []],
    [{ type: 'compute' }, []],
  ] as [Filters, number[]][]) {
    it(`by ${JSON.stringify(filters)} is counted, and read page by page`, async () => {
      const { pages, total } = await readTransactions(db, await wallet(db), { filters, limit: 1 });
      assert.deepEqual(
        pages.flat().map(({ amount_cents }) => amount_cents),
        expected,
      );
      assert.equal(total, expected.length);
    });
  }

  describe('by time', () => {
    let id: string;
    before(async () => {
      id = await wallet(db);
      await perform(
        db,
        sql.fragment`
        update transfers set created_at = timestamptz '2026-03-01T00:00:00Z' + position * interval '1 day' where wallet = ${id}`,
      );
      await perform(
        db,
        sql.fragment`update model_calls set created_at = timestamptz '2026-03-04T12:00:00Z' where operator_id = ${id}`,
      );
    });

    for (const [since, until, amounts, gateway] of [
      [undefined, undefined, [50, -2, -7, -1, -100, 1_000], true],
      ['2026-03-05T00:00:00Z', undefined, [50, -2, -7], false],
      ['2026-03-05T00:00:00.001Z', undefined, [50, -2], false],
      [undefined, '2026-03-05T00:00:00Z', [-1, -100, 1_000], true],
      [undefined, '2026-03-04T12:00:00Z', [-1, -100, 1_000], false],
      ['2026-03-04T12:00:00Z', undefined, [50, -2, -7], true],
      ['2026-03-04T12:00:00.001Z', undefined, [50, -2, -7], false],
      ['2026-03-03T00:00:00Z', '2026-03-05T00:00:00.001Z', [-7, -1, -100], true],
      ['2026-03-05T00:00:00Z', '2026-03-03T00:00:00Z', [], false],
      ['0000-01-01T00:00:00Z', '9999-12-31T23:59:59Z', [50, -2, -7, -1, -100, 1_000], true],
    ] as [string | undefined, string | undefined, number[], boolean][]) {
      it(`from ${since ?? 'the beginning'}, included, to ${until ?? 'the end'}, excluded`, async () => {
        const filters = { since: since && Date.parse(since), until: until && Date.parse(until) } as Filters;
        const { pages, total } = await readTransactions(db, id, { filters, limit: 2 });
        assert.deepEqual(
          pages.flat().map(({ amount_cents }) => amount_cents),
          amounts,
        );
        assert.equal(total, amounts.length);
        const rows = (await readTimeline(db, id, { filters, limit: 1 })).flat();
        assert.deepEqual(
          rows.flatMap((row) => (row.kind === 'wallet_transaction' ? [row.transaction.amount_cents] : [])),
          amounts,
        );
        assert.equal(
          rows.some((row) => row.kind === 'llm_call'),
          gateway,
        );
      });
    }

    it('and by type', async () => {
      const filters: Filters = {
        since: Date.parse('2026-03-03T00:00:00Z'),
        until: Date.parse('2026-03-06T00:00:00Z'),
        type: 'overage',
      };
      const { pages, total } = await readTransactions(db, id, { filters });
      assert.deepEqual([pages.flat().map(({ amount_cents }) => amount_cents), total], [[-1], 1]);
    });
  });

  it('is counted up to 10,000 rows, and read beyond them', async () => {
    const id = await newWallet(db);
    // A statement has five seconds, and a slow machine credits a few hundred in them.
    for (let left = 10_003; left > 0; left -= 200)
      await perform(
        db,
        sql.fragment`
        select count(credit_wallet('txn_' || new_ulid(), ${id}, 1, 'platform:adjustments', 'adjustment', new_ulid(), 'test'))
        from generate_series(1, ${Math.min(left, 200)}::int)`,
      );
    const first = (filters: Filters) =>
      readStatementPage(db, { operatorId: id as OperatorId, filters: filters ?? {}, place: null, limit: 1 }, JSON_FORM);
    for (const filters of [{ type: 'adjustment' }, { direction: 'in' }] as Filters[])
      assert.equal((await first(filters)).total, 10_000);
    assert.equal((await first({ direction: 'out' })).total, 0);
    assert.equal((await first({})).total, 10_003, 'positions say how many there are in all');
    const beyond = { top: 2, floor: 0, total: 10_000 };
    const filters: Filters = { type: 'adjustment' };
    const last = await readStatementPage(
      db,
      { operatorId: id as OperatorId, filters: filters ?? {}, place: beyond, limit: 10 },
      JSON_FORM,
    );
    assert.deepEqual([last.last, last.more], [1, false]);
  });

  it('by type or direction has wallet rows only, on the timeline too; entry_kind leaves out one of the two kinds', async () => {
    const id = await wallet(db);
    const shown = async (filters: NonNullable<NonNullable<Parameters<typeof readTimeline>[2]>['filters']>) =>
      (await readTimeline(db, id, { filters, limit: 1 }))
        .flat()
        .map((row) => (row.kind === 'llm_call' ? row.call.operation : row.transaction.amount_cents));
    assert.deepEqual(await shown({}), [50, -2, -7, 'gateway', -1, -100, 1_000]);
    assert.deepEqual(await shown({ type: 'overage' }), [-2, -1]);
    assert.deepEqual(await shown({ direction: 'in' }), [50, 1_000]);
    assert.deepEqual(await shown({ entry_kind: 'llm' }), ['gateway']);
    assert.deepEqual(await shown({ entry_kind: 'llm', type: 'overage' }), []);
    assert.deepEqual(await shown({ entry_kind: 'llm', direction: 'out' }), []);
    assert.deepEqual(await shown({ entry_kind: 'wallet', type: 'overage' }), [-2, -1]);
  });
});
