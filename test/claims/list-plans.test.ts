import assert from 'node:assert/strict';
import { listClaims } from '../../src/claims/queries.ts';
import type { ClaimFilters } from '../../src/claims/schema/claim.ts';
import { sql, type DatabasePool } from '../../src/database/pool.ts';
import { newWallet, run } from '../billing/ledger/ledger-world.ts';
import { ownContext, type OwnContext } from '../invocations/own-context.ts';
import { rowsRead } from '../support/rows-read.ts';

describe('Lists of claims of an operator that has many', function () {
  this.timeout(120_000);
  const DAY_MS = 86_400_000;
  const NOW = Date.UTC(2026, 0, 1);
  let own: OwnContext;
  let db: DatabasePool;
  before(async () => {
    own = await ownContext();
    db = own.context.pool;
  });
  after(() => own.close());

  const roles = {
    'issued itself': (id: string) => sql.fragment`${id}, array[]::text[]`,
    'issued itself and is named in': (id: string) => sql.fragment`${id}, array[${id}]`,
    'reads as the first': (id: string) => sql.fragment`'op_platform', array[${id}, 'op_other']`,
    'reads as the second': (id: string) => sql.fragment`'op_platform', array['op_other', ${id}]`,
  };
  for (const [role, columns] of Object.entries(roles)) {
    describe(`which it ${role}`, () => {
      let reader: string;
      before(async () => {
        reader = await newWallet(db);
        // A day each from the oldest on: the first five of the type that is looked for, then many of another.
        await run(
          db,
          sql.fragment`
            insert into claims (id, digest, issuer, operator_ids, subject, claim_type, claim_version, envelope, schema, submitter, issued_at_ms)
            select ${reader} || n, ${reader} || n, ${columns(reader)}, 'carnet://x', case when n <= 5 then 'chain_anchor' else 'behavioral_genome' end, 1, '{}', 'none', 'service',
              ${NOW} - (5000 - n) * ${DAY_MS}::bigint
            from generate_series(1, 5000) n`,
        );
        await run(db, sql.fragment`vacuum analyze claims`);
      });

      const read = (filters: ClaimFilters, found: number) =>
        rowsRead(db, 'claims', async (connection) => {
          const rows = await listClaims(connection, { readerId: reader, filters, before: null, limit: 20 });
          assert.equal(new Set(rows.map(({ seq }) => seq)).size, found);
          assert.equal(rows.length, found);
        });

      it('read a page, not all, and each claim once', async () => {
        const rows = await read({}, 20);
        assert(rows < 100, `read ${rows} claims`);
      });

      it('read what has the type, not all', async () => {
        const rows = await read({ claim_type: 'chain_anchor' }, 5);
        assert(rows < 100, `read ${rows} claims`);
      });

      it('read what was issued in the time, not all', async () => {
        const since = NOW - 4_500 * DAY_MS;
        const rows = await read({ since, until: since + 10 * DAY_MS }, 10);
        assert(rows < 100, `read ${rows} claims`);
      });
    });
  }
});
