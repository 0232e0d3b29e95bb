import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import pg from 'pg';
import { violations, type Exceptions } from '../../scripts/sql-law.ts';
import { nameFaults } from '../../scripts/sql-names.ts';
import { migratedDatabase } from '../support/empty-database.ts';

const noExceptions: Exceptions = { tables: [], views: [], prefixes: [], bodies: [] };

/** Two domains that keep the law, the second above the first; a test adds to them or replaces in them. */
const lawful: Record<string, string> = {
  'src/database/migrations/0001-shared.sql': 'create table audit_events (id bigint);',
  'src/database/migrations/0002-accounts.sql': `create table operators (id text primary key, status text);
    create view operator_standings as select id as operator_id, status from operators;`,
  'src/database/migrations/0005-billing.sql': `create table wallets (operator_id text primary key, posted_cents bigint);
    create view balances as select operator_id, posted_cents from wallets;
    create function open_wallet() returns trigger language plpgsql as $$ begin perform make_wallet(new.id); return null; end $$;
    create trigger operators_have_wallets after insert on operators for each row execute function open_wallet();`,
  'src/billing/wallet/sql/make_wallet.sql': `-- Makes one.
    create function make_wallet(p_operator text) returns void language plpgsql as $$ begin
      insert into wallets values (p_operator, 0);
      perform wake_life('subscription:' || p_operator);
    end $$;`,
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

const faultsOf = (changes: Record<string, string>, exceptions: Partial<Exceptions> = {}): string[] =>
  inHouse(changes, (root) => violations(root, { ...noExceptions, ...exceptions }).texts);
const accounts = (body: string): Record<string, string> => ({
  'src/accounts/sql/broken.sql': `-- Broken.\ncreate function broken(p_id text) returns void language plpgsql as $$ begin ${body} end $$;`,
});

/** Checks the names in the functions of these names, on a Postgres that has every migration. */
async function namesOf(changes: Record<string, string>, names: readonly string[]): Promise<string[]> {
  const { functions } = inHouse(changes, (root) => violations(root, noExceptions).source);
  const database = await migratedDatabase();
  const client = new pg.Client(database.url);
  try {
    await client.connect();
    const looked = functions.filter(({ name }) => names.includes(name));
    return (await nameFaults(client, looked)).texts;
  } finally {
    await client.end();
    await database.drop();
  }
}

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
    'a SQLSTATE that no list has': [
      accounts(`raise exception using errcode = 'CN999';`),
      /broken\(\) raises CN999, which src\/database\/sql-states\.ts lacks/,
    ],
    'a SQLSTATE that means two things': [
      {
        ...accounts(`raise exception using errcode = 'CN001';`),
        'src/billing/sql/another.sql': `-- Another.
          create function another() returns void language plpgsql as $$ begin raise exception using errcode = 'CN001'; end $$;`,
      },
      /raises CN001, as \w+\(\) does/,
    ],
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
    'a view of a domain above in a function': [
      accounts('perform from balances where operator_id = p_id;'),
      /broken\(\) reads balances, a view of billing\n.*above accounts/,
    ],
    'a view of a domain above in a statement of TypeScript': [
      { 'src/accounts/queries.ts': 'export const all = sql.fragment`select posted_cents from balances`;' },
      /the statement reads balances, a view of billing/,
    ],
    'a view of a domain above in a view': [
      { 'src/database/migrations/0002-accounts-rich.sql': 'create view rich as select operator_id from balances;' },
      /the view rich reads balances, a view of billing/,
    ],
    'an unknown life in a function': [
      accounts("perform wake_life('subscribtion:' || p_id);"),
      /broken\(\) spells 'subscribtion:', which is no kind of life/,
    ],
    'an unknown life in a statement of TypeScript': [
      { 'src/accounts/queries.ts': "export const all = sql.fragment`select 'topup:' || id from operators`;" },
      /the statement spells 'topup:'/,
    ],
    'the steps of a life under the name of another': [
      {
        'src/billing/sql/advance_top_up.sql': `-- Broken.
          create function advance_top_up(p_id text) returns void language sql as $$ select begin_look('refund:' || p_id), look_again('refund:' || p_id, 'op_1', now()) $$;`,
      },
      /advance_top_up\(\) spells refund\n.*messages of top-up,/,
    ],
    'a look that says nowhere when the next is due': [
      {
        'src/billing/sql/advance_top_up.sql': `-- Broken.
          create function advance_top_up(p_id text) returns void language sql as $$ select begin_look('top-up:' || p_id) $$;`,
      },
      /advance_top_up\(\) does not call look_again\(\)\n/,
    ],
    'a variable whose columns are known only when it runs': [
      {
        'src/accounts/sql/broken.sql':
          '-- Broken.\ncreate function broken() returns void language plpgsql as $$ declare one record; begin select 1 as a into one; end $$;',
      },
      /broken\(\) has a variable of type record, one\n/,
    ],
    'a trigger function that decides in a migration': [
      {
        'src/database/migrations/0005-billing-more.sql': `create function decide() returns trigger language plpgsql as $$
            begin update wallets set posted_cents = 0; return null; end $$;
          create trigger decides after insert on wallets for each row execute function decide();`,
      },
      /0005-billing-more\.sql:1 decide\(\) decides something in a migration/,
    ],
    'a stub that reads a table': [
      {
        'src/database/migrations/0005-billing-more.sql': `create function decide() returns trigger language plpgsql as $$
            begin perform make_wallet((select operator_id from wallets limit 1)); return null; end $$;
          create trigger decides after insert on wallets for each row execute function decide();`,
      },
      /decide\(\) decides something in a migration/,
    ],
    'an ordinary function in a migration': [
      {
        'src/database/migrations/0005-billing-more.sql':
          'create function fee() returns int language sql as $$ select 1 $$;',
      },
      /fee\(\) decides something in a migration/,
    ],
    'a stub without a trigger': [
      {
        'src/database/migrations/0005-billing-more.sql':
          'create function idle() returns trigger language plpgsql as $$ begin perform make_wallet(new.id); return null; end $$;',
      },
      /idle\(\) belongs to no trigger/,
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

  it('says nothing of what is excepted by name', () => {
    const why = 'of a test';
    const changes = {
      ...accounts(`perform from balances; perform from wallets; p_id := 'owed:' || p_id;`),
      'src/database/migrations/0005-billing-more.sql':
        'create function fee() returns int language sql as $$ select 1 $$;',
    };
    const exceptions: Exceptions = {
      tables: [{ folder: 'src/accounts/sql/', table: 'wallets', why }],
      views: [{ domain: 'accounts', view: 'balances', why }],
      prefixes: [{ prefix: 'owed', why }],
      bodies: [{ name: 'fee', why }],
    };
    assert.deepEqual(faultsOf(changes, exceptions), []);
    assert.equal(faultsOf(changes).length, 4);
  });

  it('finds every exception that nothing needs', () => {
    const why = 'of a test';
    const texts = faultsOf(
      {},
      {
        tables: [{ folder: 'src/accounts/', table: 'wallets', why }],
        views: [
          { domain: 'accounts', view: 'balances', why },
          { domain: 'billing', view: 'operator_standings', why }, // of a domain below: nobody has to allow it
        ],
        prefixes: [{ prefix: 'subscription', why }], // a kind of life
        bodies: [{ name: 'open_wallet', why }], // a stub
      },
    );
    assert.equal(texts.length, 5, texts.join('\n'));
    for (const text of texts) assert.match(text, /^scripts\/sql-law\.ts excepts .* which nothing needs\n/);
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
    const texts = await namesOf(changes, Object.keys(bodies));
    assert.deepEqual(
      texts.map((text) => /(\w+)\(\): /.exec(text)?.[1] ?? '').toSorted(),
      Object.keys(bodies)
        .filter((name) => name !== 'all_there')
        .toSorted(),
    );
  });

  it('finds columns of new and old that one of the tables of the trigger lacks', async () => {
    const stub = (name: string, value: string): string =>
      `create function ${name}() returns trigger language plpgsql as $$ begin perform make_wallet(${value}); return null; end $$;`;
    const trigger = (table: string, name: string): string =>
      `create trigger of_a_test after insert on ${table} for each row execute function ${name}();`;
    const migration = [
      stub('of_two', 'coalesce(new.operator_id, old.operator_id)'),
      trigger('wallets', 'of_two'),
      trigger('earnings', 'of_two'),
      stub('of_one_only', 'new.operator_id'),
      trigger('wallets', 'of_one_only'),
      trigger('operators', 'of_one_only'),
      stub('of_none', 'old.operater_id'),
      trigger('wallets', 'of_none'),
    ].join('\n');
    const texts = await namesOf({ 'src/database/migrations/0005-billing-more.sql': migration }, [
      'of_two',
      'of_one_only',
      'of_none',
    ]);
    assert.deepEqual(
      texts.map((text) => /(\w+)\(\): [\s\S]* in: select (\w+\(.*\))/i.exec(text)?.slice(1)),
      [
        ['of_one_only', 'make_wallet(new.operator_id)'],
        ['of_none', 'make_wallet(old.operater_id)'],
      ],
    );
  });
});
