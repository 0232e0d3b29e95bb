import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import pg from 'pg';
import { violations } from '../../scripts/sql-law.ts';
import { nameFaults } from '../../scripts/sql-names.ts';
import { migratedDatabase } from '../support/empty-database.ts';

/** Two domains that keep the law, the second above the first; a test adds to them or replaces in them. */
const lawful: Record<string, string> = {
  'src/database/migrations/0001-shared.sql': 'create table audit_events (id bigint);',
  'src/database/migrations/0002-accounts.sql': `create table operators (id text primary key, status text);
    create view operator_standings as select id as operator_id, status from operators;`,
  'src/database/migrations/0005-billing.sql':
    'create table wallets (operator_id text primary key, posted_cents bigint);',
  'src/commands/sql/refuse.sql': `-- Refuses.
    create function refuse(code text, sentence text) returns void language plpgsql as $$ begin raise exception '%', code; end $$;`,
  'src/accounts/sql/find_operator.sql': `-- The operator.
    create function find_operator(p_id text) returns operators language plpgsql as $$
    declare found_one operators;
    begin
      select * into found_one from operators where id = p_id;
      if not found then perform refuse('NOT_FOUND', 'There is none.'); end if;
      insert into audit_events (id) values (1);
      return found_one;
    end $$;`,
  'src/billing/wallet/sql/balance_of.sql': `-- The balance.
    create function balance_of(p_operator text) returns bigint language sql as $$
      select posted_cents from wallets join operator_standings using (operator_id) where find_operator(p_operator) is not null;
    $$;`,
  'src/billing/wallet/queries.ts':
    'export const all = sql.unsafe`with operators as (select 1) select balance_of(operator_id) from wallets, operators`;',
};

function inHouse<T>(changes: Record<string, string>, look: (root: string) => T): T {
  const root = mkdtempSync(join(tmpdir(), 'carnet-sql-law-'));
  try {
    for (const [file, text] of Object.entries({ ...lawful, ...changes })) {
      mkdirSync(join(root, dirname(file)), { recursive: true });
      writeFileSync(join(root, file), text);
    }
    return look(root);
  } finally {
    rmSync(root, { recursive: true });
  }
}

const faultsOf = (changes: Record<string, string>): string[] => inHouse(changes, (root) => violations(root).texts);
const accounts = (body: string): Record<string, string> => ({
  'src/accounts/sql/broken.sql': `-- Broken.\ncreate function broken(p_id text) returns void language plpgsql as $$ begin ${body} end $$;`,
});

describe('the check of SQL', () => {
  it('says nothing where the law is kept', () => {
    assert.deepEqual(faultsOf({}), []);
  });

  const broken: Record<string, [changes: Record<string, string>, message: RegExp]> = {
    'a body that does not parse': [accounts('if p_id the end if;'), /broken\.sql:2 does not parse/],
    'a statement that does not parse': [
      { 'src/accounts/sql/broken.sql': '-- Broken.\ncreate funtion broken();' },
      /broken\.sql does not parse/,
    ],
    'a refusal that no error code knows': [
      accounts(`perform refuse('NOT_FOUNT', '');`),
      /refuses with NOT_FOUNT\n.*500/,
    ],
    'a refusal whose code is put together': [accounts(`perform refuse('NOT_' || upper(p_id), '');`), /not one literal/],
    'a foreign table in a statement of a function': [
      accounts('update wallets set posted_cents = 0;'),
      /broken\(\) touches wallets, a table of billing\n.*\n  instead: call a function of billing, or read a view/,
    ],
    'a foreign table in a variable of a function': [
      {
        'src/billing/sql/broken.sql':
          '-- Broken.\ncreate function broken() returns void language plpgsql as $$ declare o operators; begin return; end $$;',
      },
      /touches operators, a table of accounts/,
    ],
    'a foreign table in a view': [
      { 'src/database/migrations/0006-claims.sql': 'create view richest as select operator_id from wallets;' },
      /the view richest touches wallets/,
    ],
    'a foreign table in a statement of TypeScript': [
      { 'src/billing/queries.ts': 'export const all = sql.type(Row)`select id from operators where id = ${1}`;' },
      /queries\.ts:1 the statement touches operators/,
    ],
    'a call of a domain above': [
      accounts('perform balance_of(p_id);'),
      /broken\(\) calls balance_of\(\), a function of billing/,
    ],
    'a call of a domain above from TypeScript': [
      { 'src/accounts/queries.ts': 'export const all = sql.fragment`select balance_of(id) from operators`;' },
      /the statement calls balance_of\(\)/,
    ],
    'a function under another name than its file': [
      {
        'src/accounts/sql/other.sql':
          '-- Broken.\ncreate function broken() returns int language sql as $$ select 1 $$;',
      },
      /other\.sql is not one `create function` of its own name/,
    ],
    'a second function of a name': [
      {
        'src/billing/sql/find_operator.sql':
          '-- Again.\ncreate function find_operator() returns int language sql as $$ select 1 $$;',
      },
      /makes find_operator\(\) a second time/,
    ],
    'a function without a comment': [
      { 'src/accounts/sql/broken.sql': 'create function broken() returns int language sql as $$ select 1 $$;' },
      /does not begin with a comment/,
    ],
    'keywords in capitals': [
      {
        'src/accounts/sql/broken.sql':
          '-- Broken.\nCREATE function broken() returns int language sql as $$ select 1 $$;',
      },
      /broken\.sql:2 writes CREATE/,
    ],
  };
  for (const [what, [changes, message]] of Object.entries(broken))
    it(`finds ${what}`, () => {
      const texts = faultsOf(changes);
      assert.equal(texts.length, 1, texts.join('\n'));
      assert.match(texts.join('\n'), message);
    });

  it('finds names that are not there, in bodies that Postgres takes', async () => {
    const bodies = {
      unknown_table: 'perform from walets;',
      unknown_column: 'update wallets set posted_sents = 0 where operator_id = p_id;',
      unknown_function: `p_id := iso_tme(clock_timestamp());`,
      wrong_argument: 'perform iso_time(5);',
      unknown_field: 'if w.posted_sents > 0 then return; end if;',
      all_there: `select * into w from wallets where operator_id = p_id; perform refuse('NOT_FOUND', p_id);`,
    };
    const changes = Object.fromEntries(
      Object.entries(bodies).map(([name, body]) => [
        `src/billing/sql/${name}.sql`,
        `-- Of a test.\ncreate function ${name}(p_id text) returns void language plpgsql as $$ declare w wallets; begin ${body} end $$;`,
      ]),
    );
    const { functions } = inHouse(changes, (root) => violations(root).source);
    const database = await migratedDatabase();
    const client = new pg.Client(database.url);
    try {
      await client.connect();
      const { texts } = await nameFaults(
        client,
        functions.filter(({ name }) => name in bodies),
      );
      assert.deepEqual(
        texts.map((text) => /(\w+)\(\): /.exec(text)?.[1] ?? '').toSorted(),
        Object.keys(bodies)
          .filter((name) => name !== 'all_there')
          .toSorted(),
      );
    } finally {
      await client.end();
      await database.drop();
    }
  });
});
