import assert from 'node:assert/strict';
import { z } from 'zod';
import { sql } from '../../../src/database/pool.ts';
import { newId } from '../../../src/ids/ids.ts';
import { buildOperator, credit, type TestOperator } from '../../support/factories.ts';
import { assertProblem, assertStatus, database, type Requester } from '../../support/service.ts';
import { address, statementOf } from './statements.ts';

const asTable = { accept: 'text/csv' };

/** Parses text by the grammar of RFC 4180. */
function parsedCsv(text: string): string[][] {
  const records: string[][] = [];
  let record: string[] = [];
  for (const [, quoted, plain, end] of text.matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/g)) {
    record.push(quoted === undefined ? (plain ?? '') : quoted.replaceAll('""', '"'));
    if (end === ',') continue;
    records.push(record);
    record = [];
  }
  return records;
}

const credited = async ({ operatorId }: TestOperator, description: string): Promise<void> => {
  await (
    await database()
  ).query(sql.type(z.object({}))`
    select credit_wallet(${newId('txn')}, ${operatorId}, 1, 'platform:adjustments', 'adjustment', ${newId('txn')}, ${description})`);
};

async function table(reader: Requester, query: Record<string, string | number> = {}) {
  const reply = await reader.get(address(query), asTable);
  assertStatus(reply, 200);
  const [header = [], ...records] = parsedCsv(reply.text);
  return {
    reply,
    header,
    rows: records.map((record) => Object.fromEntries(header.map((name, at) => [name, record[at]]))),
  };
}

describe('GET /v1/billing/transactions as text/csv', () => {
  it('is a table with a header, of the same rows in the same order', async () => {
    const operator = await buildOperator({ cents: 300 });
    await credit(operator.operatorId, -20);
    const { reply, header, rows } = await table(operator);
    assert.equal(reply.headers.get('content-type'), 'text/csv; charset=utf-8; header=present');
    assert.equal(reply.headers.get('vary'), 'Accept');
    assert.deepEqual(header.slice(0, 6), ['id', 'type', 'amount_cents', 'meter', 'description', 'created_at']);
    const { transactions } = await statementOf(operator);
    assert.deepEqual(
      rows.map((row) => [row.id, row.type, row.amount_cents, row.meter, row.description, row.created_at]),
      transactions.map((row) => [
        row.id,
        row.type,
        String(row.amount_cents),
        row.meter ?? '',
        row.description,
        row.created_at,
      ]),
    );
    assert.deepEqual(
      rows.map(({ amount_cents }) => amount_cents),
      ['-20', '300'],
    );
  });

  it('is only a header where there are no rows', async () => {
    const { rows, reply } = await table(await buildOperator());
    assert.deepEqual(rows, []);
    assert(reply.text.endsWith('dispute_id\r\n'));
  });

  it('has the same filters', async () => {
    const operator = await buildOperator({ cents: 300 });
    await credit(operator.operatorId, -20);
    assert.deepEqual(
      (await table(operator, { direction: 'out' })).rows.map(({ amount_cents }) => amount_cents),
      ['-20'],
    );
    assertProblem(await operator.get(address({ type: 'payout' }), asTable), 'VALIDATION_ERROR', 'query.type');
  });

  it('keeps quotes, commas and line breaks inside their field', async () => {
    const operator = await buildOperator();
    const words = 'A "quoted", comma\r\nand lines';
    await credited(operator, words);
    assert.equal((await table(operator)).rows[0]?.description, words);
  });

  for (const formula of [
    '=1+1',
    '+1',
    '-1',
    '@SUM(A1)',
    '\t=1',
    '\r=1',
    '\n=1',
    '\nno formula',
    ' =1',
    '\u00a0\u3000 +1',
    '\ufeff=1',
    '\u200b@SUM(A1)',
    '\uff1d1+1',
    '\uff0b1',
    '\uff0d1',
    '\uff20SUM(A1)',
    '\u22121',
    '=HYPERLINK("https://example.com","x")',
  ]) {
    it(`runs no formula from a description like ${JSON.stringify(formula)}`, async () => {
      const operator = await buildOperator();
      await credited(operator, formula);
      assert.equal((await table(operator)).rows[0]?.description, `'${formula}`);
    });
  }

  it('leaves other texts as they are', async () => {
    for (const words of ['1+1=2', ' two blanks', 'a@b.example', '\u65e5\u672c\uff1d', "'=1"]) {
      const operator = await buildOperator();
      await credited(operator, words);
      assert.equal((await table(operator)).rows[0]?.description, words);
    }
  });

  it('links to the rest, with a cursor that is valid for both forms', async () => {
    const operator = await buildOperator({ cents: 1 });
    for (const cents of [2, 3]) await credit(operator.operatorId, cents);
    const first = await table(operator, { limit: 2 });
    assert.deepEqual(
      first.rows.map(({ amount_cents }) => amount_cents),
      ['3', '2'],
    );
    const next = /<([^>]+)>; rel="next"/.exec(first.reply.headers.get('link') ?? '')?.[1] ?? '';
    const rest = await operator.get(next, asTable);
    assert.deepEqual(
      parsedCsv(rest.text)
        .slice(1)
        .map((record) => record[2]),
      ['1'],
    );
    assert.equal(rest.headers.get('link'), null);
    assert.deepEqual(
      (assertStatus(await operator.get(next), 200).transactions as { amount_cents: number }[]).map(
        ({ amount_cents }) => amount_cents,
      ),
      [1],
    );
  });

  it('has more rows than a page of JSON', async () => {
    const operator = await buildOperator();
    await (
      await database()
    ).query(sql.type(z.object({}))`
      select credit_wallet('txn_' || new_ulid(), ${operator.operatorId}, 1, 'platform:adjustments', 'adjustment', new_ulid(), 'test') from generate_series(1, 250)`);
    assert.equal((await table(operator)).rows.length, 250);
    assert.equal((await table(operator, { limit: 200 })).rows.length, 200);
  });

  it('does not exist for the timeline', async () => {
    assertProblem(
      await (await buildOperator()).get(address({ view: 'timeline' }), asTable),
      'VALIDATION_ERROR',
      'query.view',
    );
  });

  it('is sent only where the client prefers it', async () => {
    const operator = await buildOperator({ cents: 1 });
    for (const [accept, type] of [
      ['text/csv, */*;q=0.1', /^text\/csv/],
      ['text/*', /^text\/csv/],
      ['application/json;q=0.5, text/csv', /^text\/csv/],
      ['text/csv;q=0.5, application/json', /json/],
      ['*/*', /json/],
      ['text/html', /json/],
      ['text/csv;q=0', /json/],
    ] as const) {
      assert.match((await operator.get(address(), { accept })).headers.get('content-type') ?? '', type, accept);
    }
  });
});
