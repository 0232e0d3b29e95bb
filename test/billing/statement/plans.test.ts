import assert from 'node:assert/strict';
import pg from 'pg';
import type { OperatorId } from '../../../src/ids/ids.ts';
import { readDays } from '../../../src/billing/statement/days.ts';
import { newWallet } from '../ledger/ledger-world.ts';
import { ownDatabase, type OwnDatabase } from '../wallet/own-database.ts';
import { explained, type Explained } from './explained.ts';

const ROWS = 200_000;

/**
 * A wallet with many rows and one with few; every tenth row is followed by a call, every twentieth is a debit of calls.
 */
const fill = [
  `insert into transfers (id, debit_account, credit_account, amount_cents, kind, cause, position, meter, meter_from_cents, description, created_at)
    select 'txn_' || n, 'wallet:' || $1::text, 'platform:metering', 1, case when n % 20 = 0 then 'compute' else 'overage' end, 'cause ' || n, n,
      case when n % 20 = 0 then 'sealed_execution' else 'metered_action' end, case when n % 20 = 0 then n / 20 else n end, 'test',
      timestamptz '2026-01-01' + n * interval '1 second'
    from generate_series(1, ${ROWS}) n`,
  `insert into model_calls (id, operator_id, position, call, created_at, operation, provider, model, prompt_tokens, completion_tokens, total_tokens,
      streaming, price_state, cost_microcents, meter, begins_microcents, microcents)
    select 'llm_' || n, $1::text, n * 10, n, timestamptz '2026-01-01' + n * 10 * interval '1 second', 'test', 'openai', 'gpt-5-mini', 1, 1, 2, false,
      case n % 2 when 0 then 'wallet_price' else 'included' end, 869565, case n % 2 when 0 then 'sealed_execution' end,
      case n % 2 when 0 then (n / 2) * 1000000::bigint end, case n % 2 when 0 then 1000000 else 0 end
    from generate_series(1, ${ROWS / 10}) n`,
  `update wallets set last_position = ${ROWS}, last_call = ${ROWS / 10} where operator_id = $1`,
  `insert into wallet_remainders (operator_id, meter, charged_microcents, debited_cents)
    values ($1, 'sealed_execution', ${ROWS / 20 + 1} * 1000000::bigint, ${ROWS / 20 + 1})`,
];

/** Rows of the last hours, one a second. */
const lately = [
  `insert into transfers (id, debit_account, credit_account, amount_cents, kind, cause, position, description, created_at)
    select 'txn_late_' || n, 'wallet:' || $1::text, 'platform:metering', 1, 'invocation', 'late ' || n, n, 'test',
      now() - (30000 - n) * interval '1 second'
    from generate_series(1, 30000) n`,
  `update wallets set last_position = 30000 where operator_id = $1`,
];

describe('a page of a wallet with very many rows', () => {
  let own: OwnDatabase;
  let wallet: OperatorId;
  before(async function () {
    this.timeout(120_000);
    own = await ownDatabase();
    wallet = (await newWallet(own.pool)) as OperatorId;
    const client = new pg.Client(own.url);
    await client.connect();
    await client.query('set session_replication_role = replica');
    for (const statement of fill) await client.query(statement, [wallet]);
    await client.query('analyze');
    await client.end();
  });
  after(() => own.drop());

  const middle = ROWS / 2;
  const later = { top: middle, floor: 0, total: ROWS };
  const deep = {
    snapshotAt: '',
    debited: [ROWS / 20 + 1, 0, 0],
    top: { position: middle, call: middle / 10 },
    floor: { position: 0, call: 0 },
  };
  const noon = Date.parse('2026-01-02T00:00:00Z');

  for (const [name, request] of Object.entries({
    'of the statement': { view: 'statement', filters: {}, place: null },
    'of the statement, later': { view: 'statement', filters: {}, place: later },
    'of the statement between two instants': {
      view: 'statement',
      filters: { since: noon, until: noon + 3_600_000 },
      place: null,
    },
    'of a rare type, later': { view: 'statement', filters: { type: 'refund' }, place: later },
    'of credits, later': { view: 'statement', filters: { direction: 'in' }, place: later },
    'of the timeline': { view: 'timeline', filters: { entry_kind: 'all' }, place: null },
    'of the timeline, later': { view: 'timeline', filters: { entry_kind: 'all' }, place: deep },
    'of calls alone': { view: 'timeline', filters: { entry_kind: 'llm' }, place: deep },
    'of the timeline between two instants': {
      view: 'timeline',
      filters: { entry_kind: 'all', since: noon, until: noon + 3_600_000 },
      place: null,
    },
  } satisfies Record<string, Omit<Explained, 'operatorId'>>)) {
    it(`${name} is found by an index, and reads few more rows than it shows`, async () => {
      const scans = await explained(own.url, { ...request, operatorId: wallet });
      for (const { node, relation, rows } of scans) {
        const where = `${node} on ${relation} over ${rows} rows`;
        if (relation === 'transfers' || relation === 'model_calls') assert.match(node, /^Index/, where);
        assert(rows <= 500, where);
      }
      assert(scans.some(({ relation }) => relation === 'transfers' || relation === 'model_calls'));
    });
  }

  it('is summed by day from its newest 5,000 rows at most, under an index', async () => {
    const busy = (await newWallet(own.pool)) as OperatorId;
    const client = new pg.Client(own.url);
    await client.connect();
    await client.query('set session_replication_role = replica');
    for (const statement of lately) await client.query(statement, [busy]);
    await client.end();
    const scans = await explained(own.url, { view: 'days', operatorId: busy });
    const read = scans.filter(({ relation }) => relation === 'transfers');
    assert(read.length > 0);
    for (const { node, rows, blocks } of read) {
      assert.match(node, /^Index/);
      assert(rows <= 5_000 && blocks <= 7_500, `${node} over ${rows} rows and ${blocks} blocks`);
    }
    const { complete, since, sums } = await readDays(own.pool, busy);
    assert.deepEqual([complete, sums.reduce((sum, { out_cents: out }) => sum + out, 0)], [false, 5_000]);
    assert(Date.parse(since) > Date.now() - 86_400_000, 'a row a second');
  });
});
