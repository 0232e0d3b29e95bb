import assert from 'node:assert/strict';
import { listOf } from '../../src/console/list.ts';
import type { PersonsVisit } from '../../src/console/visits.ts';
import type { AnyRoute, RouteInput } from '../../src/http/route.ts';

const TOTAL = 1_234;

/** Someone who asks for the CSV of a list with so many rows, and the calls that this takes. */
async function csvBy(query: Record<string, string>, textOf: (row: number) => string = String, total = TOTAL) {
  const calls: RouteInput['query'][] = [];
  const call = async (_: AnyRoute, input: RouteInput) => {
    calls.push(input.query);
    const from = Number(input.query?.['offset'] ?? 0);
    const limit = Number(input.query?.['limit']);
    const rows = Array.from({ length: Math.min(limit, total - from) }, (__, at) => from + at);
    const links = from + limit < total ? { next: { offset: from + limit, limit } } : {};
    return { status: 200, body: { rows }, links };
  };
  const person = { visit: { query: { csv: 'rows', ...query }, call } } as unknown as PersonsVisit;
  const { csv } = await listOf(person, {} as AnyRoute, {
    id: 'rows',
    label: 'Rows',
    rows: (reply) => (reply as { rows: number[] }).rows,
    columns: [{ title: 'Row', cell: String, text: textOf }],
    nothing: '',
  });
  assert(csv !== undefined);
  return { calls, file: csv.headers?.['Content-Disposition'], lines: String(csv.body).split('\r\n').slice(1, -1) };
}

describe('The CSV of a list', () => {
  it('has a thousand rows by ten calls, however few rows the address asks for', async () => {
    for (const query of [{}, { limit: '1' }, { limit: '25', page: '1' }]) {
      const { calls, lines } = await csvBy(query);
      assert.deepEqual([lines.length, lines[0], lines.at(-1)], [1_000, '"0"', '"999"'], JSON.stringify(query));
      assert.equal(calls.length, 10, JSON.stringify(query));
    }
  });

  it('says by its name that rows are missing', async () => {
    const files = await Promise.all([999, 1_000, 1_001].map(async (total) => (await csvBy({}, String, total)).file));
    const [whole, cut] = ['attachment; filename="rows.csv"', 'attachment; filename="rows-first-1000.csv"'];
    assert.deepEqual(files, [whole, whole, cut]);
  });

  it('is text to a spreadsheet, as the statement of the API is', async () => {
    const starts = ['=', '+', '-', '@', '\t=', '\n=', '\r\n=', ' =', '\u00a0=', '＝', '＋', '－', '＠'];
    const { lines } = await csvBy({}, (row) => `${starts[row] ?? 'a='}1+1`);
    const text = lines.join('\r\n');
    for (const start of starts) assert(text.includes(`"'${start}1+1"`), JSON.stringify(start));
    assert(text.includes('"a=1+1"'));
  });
});
