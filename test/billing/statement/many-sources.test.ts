import assert from 'node:assert/strict';
import { SourcesSchema } from '../../../src/billing/statement/schema.ts';
import { buildOperator, type TestOperator } from '../../support/factories.ts';
import { anonymous, assertProblem, assertStatus, database } from '../../support/service.ts';
import { sql } from '../../../src/database/pool.ts';
import { PATH, sealedCall, statementOf } from './statements.ts';

/** Together less than a cent. */
const RUNS = 449;

describe('GET /v1/billing/transactions/:id/sources', function () {
  this.timeout(120_000);
  let operator: TestOperator;
  let debit: string;
  before(async () => {
    operator = await buildOperator({ cents: 100 });
    const db = await database();
    await db.query(sql.unsafe`
      select record_machine_run(jsonb_build_object('id', 'mch_' || new_ulid(), 'operator_id', ${operator.operatorId}::text, 'duration_ms', 1,
        'cost_microcents', 1000))
      from generate_series(1, ${RUNS})`);
    await sealedCall(db, operator.operatorId, { costMicrocents: 869_565 });
    const [row] = (await statementOf(operator, { type: 'compute' })).transactions;
    debit = row?.id ?? '';
  });

  it('requires authentication', async () => {
    assertProblem(await anonymous().get(`${PATH}/${debit}/sources`), 'UNAUTHENTICATED');
  });

  it('has all of them page by page, each once, while the row shows the newest 200', async () => {
    const [row] = (await statementOf(operator, { type: 'compute' })).transactions;
    assert.equal(row?.amount_cents, -1);
    assert.deepEqual(
      [
        row.details.source_count,
        row.details.machine_sources.length,
        row.details.llm_sources.length,
        row.details.source_status,
      ],
      [RUNS + 1, 200, 1, 'recorded'],
    );
    const ids: string[] = [];
    let sum = 0;
    for (let query = 'limit=100', pages = 0; query !== ''; pages += 1) {
      const page = SourcesSchema.parse(assertStatus(await operator.get(`${PATH}/${debit}/sources?${query}`), 200));
      const sources = [...page.machine_sources, ...page.llm_sources];
      assert.equal(sources.length, pages < 4 ? 100 : 50);
      ids.push(...sources.map(({ id }) => id));
      sum += sources.reduce((before, { allocated_microcents: share }) => before + share, 0);
      query = page.next_cursor === null ? '' : `limit=100&cursor=${page.next_cursor}`;
    }
    assert.deepEqual([ids.length, new Set(ids).size, sum], [RUNS + 1, RUNS + 1, 1_000_000]);
    assert.deepEqual(
      ids.slice(-201, -1),
      row.details.machine_sources.map(({ id }) => id),
    );
  });

  it('is empty for a row without sources, and 404 for one of somebody else', async () => {
    const [credited] = (await statementOf(operator, { type: 'adjustment' })).transactions;
    const page = assertStatus(await operator.get(`${PATH}/${credited?.id}/sources`), 200);
    assert.deepEqual(page, { llm_sources: [], machine_sources: [], next_cursor: null, has_more: false });
    assertProblem(await (await buildOperator()).get(`${PATH}/${debit}/sources`), 'NOT_FOUND');
    assertProblem(await operator.get(`${PATH}/${debit}/sources?cursor=none`), 'INVALID_CURSOR');
  });
});
