import assert from 'node:assert/strict';
import { sql, type CommonQueryMethods, type DatabasePool } from '../../../src/database/pool.ts';
import { browseSkills } from '../../../src/skills/browsing/browse.ts';
import { BrowseQuerySchema } from '../../../src/skills/browsing/schema.ts';
import { MAX_LOOKED_AT } from '../../../src/skills/browsing/terms.ts';
import { bestCandidates } from '../../../src/skills/matching/candidates.ts';
import { newWallet, run } from '../../billing/ledger/ledger-world.ts';
import { callOf, ownContext, type OwnContext } from '../../invocations/own-context.ts';
import { rowsRead } from '../../support/rows-read.ts';

/** More than any search may read of a table. */
const SKILLS = 6 * MAX_LOOKED_AT;

describe('A search of a market where every skill has the word', function () {
  this.timeout(240_000);
  let own: OwnContext;
  let db: DatabasePool;
  let seller: string;

  before(async () => {
    own = await ownContext();
    db = own.context.pool;
    seller = await newWallet(db);
    await run(db, sql.fragment`insert into skill_schemas (hash, schema) values ('', '{}')`);
    await run(
      db,
      sql.fragment`
        insert into skills (id, operator_id, name, status, execution_mode, trust_level_required, price_per_invocation, version, input_schema_hash,
          output_schema_hash, description, tags, credential_mode, required_credentials, accepts_requests, executable, review_status,
          input_required, output_declared)
        select 'skl_' || lpad(n::text, 26, '0'), ${seller}, 'n' || n, 'active', 'open', 'L0', n, '1.0.0', '', '', 'frequent upper case', '{common}', 'none', '[]',
          true, false, 'exempt', '{text:string}', '{text:string}'
        from generate_series(1, ${SKILLS}) n`,
    );
    await run(
      db,
      sql.fragment`insert into skill_counts (skill_id, invocation_count) select id, price_per_invocation from skills`,
    );
    await run(db, sql.fragment`insert into skill_words (word) values ('frequent'), ('upper'), ('case')`);
    await run(db, sql.fragment`analyze`);
  });
  after(() => own.close());

  /** Those that are looked at, once where they are counted, once where they are found and once where they are read. */
  const assertBounded = async (work: (connection: CommonQueryMethods) => Promise<unknown>): Promise<void> => {
    const most = { skills: 3.5 * MAX_LOOKED_AT, skill_entries: 5 * MAX_LOOKED_AT, skill_counts: 2.5 * MAX_LOOKED_AT };
    for (const [table, limit] of Object.entries(most)) {
      const rows = await rowsRead(db, table, work);
      assert(rows < limit, `read ${rows} rows of ${table}`);
    }
  };

  const queries: Record<string, unknown>[] = [
    {},
    { q: 'frequent' },
    { q: 'frequnet' },
    { q: 'f' },
    { q: 'uppercase' },
    { tags: 'common' },
    { q: 'frequent', tags: 'common', tags_match: 'all' },
    { q: 'frequent', max_price_cents: '3' },
    { q: 'frequent', trust_level: 'L1' },
    { sort: 'newest', max_price_cents: String(SKILLS) },
    ...['price', 'rating', 'newest', 'most_used'].flatMap((sort) => [
      { sort },
      { sort, q: 'frequent' },
      { sort, max_price_cents: '3' },
    ]),
  ];
  for (const query of queries) {
    it(`reads no more than it looks at: ${JSON.stringify(query)}`, () =>
      assertBounded(async (connection) => {
        const asked = { query: BrowseQuerySchema.parse(query), after: null };
        const { total } = await browseSkills(connection, callOf(seller, 'browseSkills').caller, asked);
        assert(total <= MAX_LOOKED_AT);
        if ('max_price_cents' in query && query['max_price_cents'] === '3') assert.equal(total, 3);
      }));
  }

  it('reads no more for what is near by its schemas', () =>
    assertBounded(async (connection) => {
      const wanted = {
        notOf: null,
        maxPriceCents: null,
        tags: ['common'],
        inputDeclared: ['text:string'],
        outputRequired: ['text:string'],
        words: ['frequent'],
      };
      assert.equal((await bestCandidates(connection, wanted, 10)).length, 10);
    }));

  /** The prices of all pages, one after the other. */
  const readToItsEnd = async (filters: Record<string, string>): Promise<number[]> => {
    const { caller } = callOf(seller, 'browseSkills');
    const query = BrowseQuerySchema.parse({ ...filters, limit: '100' });
    const seen: number[] = [];
    let after: Parameters<typeof browseSkills>[2]['after'] = null;
    for (let page = 0; page <= SKILLS / 100; page += 1) {
      const { rows, total, found, end } = await browseSkills(db, caller, { query, after });
      seen.push(...rows.slice(0, 100).map((row) => row.price_per_invocation));
      const last = rows.length > 100 ? rows[99] : end;
      if (last === null || last === undefined) return seen;
      after = { key: last.key, id: last.id, found, total };
    }
    return assert.fail('the pages have no end');
  };

  it('reads on from any place of an order, to its end', async () => {
    assert.deepEqual(
      await readToItsEnd({ sort: 'price' }),
      Array.from({ length: SKILLS }, (_, at) => at + 1),
    );
  });

  for (const sort of ['price', 'rating', 'newest', 'most_used'])
    it(`finds by ${sort} what fits a filter, no matter how far behind`, async () => {
      const few = [1, SKILLS / 2, SKILLS];
      await run(
        db,
        sql.fragment`
          update skills set trust_level_required = 'L2' where price_per_invocation in (${sql.join(few, sql.fragment`, `)})`,
      );
      const seen = await readToItsEnd({ sort, trust_level: 'L2' });
      assert.deepEqual(
        seen.toSorted((one, other) => one - other),
        few,
      );
    });
});
