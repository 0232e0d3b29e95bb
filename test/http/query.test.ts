import assert from 'node:assert/strict';
import type { CarnetError } from '../../src/errors/carnet-error.ts';
import { parseQuery, queryInstant } from '../../src/http/query.ts';

describe('an instant in a query string', () => {
  for (const [text, meant] of [
    ['2026-03-01', '2026-03-01T00:00:00.000Z'],
    ['2026-03-01T12:30Z', '2026-03-01T12:30:00.000Z'],
    ['2026-03-01T12:30:15Z', '2026-03-01T12:30:15.000Z'],
    ['2026-03-01T12:30:15.125Z', '2026-03-01T12:30:15.125Z'],
    ['2026-03-01T12:30:15.1259Z', '2026-03-01T12:30:15.125Z'],
    ['2026-03-01T12:30+02:00', '2026-03-01T10:30:00.000Z'],
    ['2026-03-01T12:30-0530', '2026-03-01T18:00:00.000Z'],
    ['2026-03-01T12:30:00+02', '2026-03-01T10:30:00.000Z'],
    ['2024-02-29', '2024-02-29T00:00:00.000Z'],
  ] as const) {
    it(`may be ${text}`, () => assert.equal(new Date(queryInstant.parse(text)).toISOString(), meant));
  }

  for (const text of [
    '',
    'yesterday',
    '2026',
    '2026-03',
    '2026-02-29',
    '2026-13-01',
    '2026-03-01T12Z',
    '2026-03-01T12:30',
    '2026-03-01T12:30:00',
    '2026-03-01T24:30Z',
    '2026-03-01T12:60Z',
    '2026-03-01 12:30Z',
    '2026-03-01T12:30:00 02:00',
    '2026-03-01Z',
    '20260301',
  ]) {
    it(`may not be ${JSON.stringify(text)}`, () => assert.equal(queryInstant.safeParse(text).success, false));
  }
});

describe('query strings and forms', () => {
  it('make a list of what is named several times, in its order', () => {
    const parsed = parseQuery('a=1&b=2&a=3&a=4&a');
    assert.deepEqual({ ...parsed }, { a: ['1', '3', '4', ''], b: '2' });
  });

  it('have a space for each plus and leave everything else as it is', () => {
    const { a, b, c } = parseQuery('a=+x++&b=%2B+é😀+%C3%A9&c+d=1&c=+');
    assert.deepEqual([a, b, c], [' x  ', '+ é😀 é', ' ']);
    assert.deepEqual(Object.keys(parseQuery('c+d=1')), ['c d']);
  });

  it('name a faulty parameter by 64 characters of it', () => {
    for (const place of ['query', 'body'] as const) {
      assert.throws(
        () => parseQuery(`${'n'.repeat(1_000_000)}=%ff`, place),
        ({ errors }: CarnetError) => errors?.[0]?.path === `${place === 'query' ? 'query.' : ''}${'n'.repeat(64)}…`,
      );
    }
  });

  it('are read in time that grows with their length: half a million members do not hold the test up', () => {
    const { a } = parseQuery('a&'.repeat(500_000));
    assert.equal(a?.length, 500_000);
  });
});
