import assert from 'node:assert/strict';
import pg from 'pg';
import {
  connectToRelease,
  installFunctions,
  ownRelease,
  releaseOf,
  searchPathOf,
  useFunctions,
  type Release,
} from '../../src/database/functions.ts';
import { dropUnusedReleases } from '../../src/database/unused-releases.ts';
import { StartupFault } from '../../src/errors/startup-fault.ts';
import { migrate } from '../../src/database/migrations.ts';
import { roundsOf } from '../support/cases.ts';
import { eventually } from '../support/eventually.ts';
import { emptyDatabase, migratedDatabase, type EmptyDatabase } from '../support/empty-database.ts';
import { installedAt } from './installed-at.ts';

/** Ours and a function that a later release gives another argument and another result, which no replacement in place could. */
const releaseWith = (text: string): Release =>
  releaseOf([...ownRelease().files, { path: 'billing/sql/fee.sql', text }]);
const before = releaseWith(`create function fee(p_cents bigint, out fee bigint) language plpgsql as $$
  begin fee := cost_with_fee(p_cents) - p_cents; end $$`);
const after =
  releaseWith(`create function fee(p_cents bigint, p_share int, out fee bigint, out shared bigint) language plpgsql as $$
  begin fee := cost_with_fee(p_cents) - p_cents; shared := fee / p_share; end $$`);

const LANES = 6;
const INSTALLS = roundsOf(20, 5);

describe('releases of SQL functions', () => {
  let database: EmptyDatabase;
  let client: pg.Client;
  const clients: pg.Client[] = [];
  const connect = async (release?: Release): Promise<pg.Client> => {
    const connected = new pg.Client({
      connectionString: database.url,
      ...(release && { options: `-c search_path=${searchPathOf(release)}` }),
    });
    await connected.connect();
    clients.push(connected);
    return connected;
  };
  const isThere = async ({ schema }: Release): Promise<boolean> =>
    (await client.query<{ there: boolean }>('select to_regnamespace($1) is not null as there', [schema])).rows[0]
      ?.there === true;
  const passesAnHour = async (...releases: Release[]): Promise<void> => {
    for (const [place, release] of releases.entries())
      await installedAt(client, release, new Date(Date.now() - (2 + place) * 3_600_000));
  };
  /** One that was installed now, so that those of a test are not among the newest two. */
  const newer = async (name: string): Promise<Release> => {
    const release = releaseWith(`create function ${name}() returns int language sql as 'select 1'`);
    await installFunctions(client, release);
    return release;
  };

  beforeEach(async () => {
    database = await migratedDatabase();
    client = await connect();
  });
  afterEach(async () => {
    await Promise.all(clients.splice(0).map((one) => one.end()));
    await database.drop();
  });

  it('each call their own under load, while releases are installed and dropped beside them', async () => {
    await useFunctions(await connect(), before);
    await useFunctions(await connect(), after);
    let installing = true;
    const calls = { before: 0, after: 0 };
    const lane = async (release: 'before' | 'after'): Promise<void> => {
      const caller = await connect(release === 'before' ? before : after);
      while (installing) {
        const { rows } =
          release === 'before'
            ? await caller.query({ name: 'fee', text: 'select * from fee($1)', values: [100] })
            : await caller.query({ name: 'fee', text: 'select * from fee($1, $2)', values: [100, 5] });
        assert.deepEqual(rows, [release === 'before' ? { fee: '15' } : { fee: '15', shared: '3' }]);
        calls[release] += 1;
      }
    };
    const lanes = Array.from({ length: LANES }, (_, nth) => lane(nth % 2 === 0 ? 'before' : 'after'));
    const installed: Release[] = [];
    const install = async (): Promise<void> => {
      for (let nth = 0; nth < INSTALLS; nth += 1) {
        const release = await newer(`nth_${nth}`);
        installed.push(release);
        await passesAnHour(release);
        assert.deepEqual(await dropUnusedReleases(client), [release.schema]);
      }
    };
    await Promise.all([...lanes, install().finally(() => (installing = false))]);
    for (const release of installed) assert(!(await isThere(release)));
    assert(calls.before > INSTALLS && calls.after > INSTALLS, `there were ${calls.before} and ${calls.after} calls`);
  });

  it('are found by clients without a search_path of their own, in public first', async () => {
    const { rows } = await client.query('select cost_with_fee(100) as cents');
    assert.deepEqual(rows, [{ cents: '115' }]);
    await client.query('create table of_a_script (id int)');
    const { rows: tables } = await client.query(`select schemaname from pg_tables where tablename = 'of_a_script'`);
    assert.deepEqual(tables, [{ schemaname: 'public' }]);
  });

  it('are installed by the process that begins to use them, once, and by one query where they are there', async () => {
    const users = await Promise.all([connect(), connect(), connect()]);
    await Promise.all(users.map((user) => useFunctions(user, after)));
    assert(await isThere(after));
    assert.equal(await installFunctions(client, after), false);
  });

  it('are not dropped while a process uses them, and are afterwards', async () => {
    const process = await connect();
    await useFunctions(process, before);
    await newer('one');
    await passesAnHour(before);
    assert.deepEqual(await dropUnusedReleases(client), []);
    assert(await isThere(before));
    await process.end();
    clients.splice(clients.indexOf(process), 1);
    await eventually('its backend to have ended', async () =>
      (await dropUnusedReleases(client)).includes(before.schema),
    );
    assert(!(await isThere(before)));
  });

  it('are not dropped as one of the newest two, nor within an hour, nor as the one that stays', async () => {
    await installFunctions(client, before);
    await passesAnHour(before);
    assert.deepEqual(await dropUnusedReleases(client), [], 'the newest two');
    await newer('one');
    await newer('two');
    await passesAnHour(before);
    assert.deepEqual(await dropUnusedReleases(client, before), [], 'the one that stays');
    await installedAt(client, before, new Date(Date.now() - 3_000_000));
    await installedAt(client, ownRelease(), new Date(Date.now() - 2_900_000));
    assert.deepEqual(await dropUnusedReleases(client), [], 'within an hour');
  });

  it('that something outside depends on stay whole', async () => {
    await installFunctions(client, before);
    await client.query(`create table priced (cents bigint, check (${before.schema}.cost_with_fee(cents) > 0))`);
    await newer('one');
    await passesAnHour(before);
    assert.deepEqual(await dropUnusedReleases(client), []);
    const { rows } = await client.query(
      'select count(*)::int as count from pg_proc where pronamespace = $1::regnamespace',
      [before.schema],
    );
    assert(rows[0].count > 150);
  });

  it('are back after they were dropped, at the next connection of a process that has their texts', async () => {
    const process = await connect(before);
    await useFunctions(process, before);
    const call = () => process.query({ name: 'fee', text: 'select * from fee($1)', values: [100] });
    await call();
    await client.query(`drop schema ${before.schema} cascade`);
    await assert.rejects(call());
    await useFunctions(await connect(), before);
    assert.deepEqual((await call()).rows, [{ fee: '15' }]);
  });

  it('that Postgres does not take leave nothing behind, and name their file', async () => {
    const broken = releaseWith('create function fee() returns int language plpgsql as $$ begin retrun 1; end $$');
    await assert.rejects(installFunctions(client, broken), /The SQL functions could not be installed .*retrun/s);
    const typo = releaseOf([{ path: 'billing/sql/fee.sql', text: 'create funtion fee()' }]);
    await assert.rejects(installFunctions(client, typo), /\(src\/billing\/sql\/fee\.sql\)/);
    assert.deepEqual([await isThere(broken), await isThere(typo)], [false, false]);
  });

  it('of a database of the earlier migrations: it is refused, in a sentence that says what to do', async () => {
    await client.query(`insert into migrations (name, checksum) values ('0001-foundation.sql', 'theirs')`);
    await assert.rejects(migrate(database.url), /0001-foundation\.sql.*npm run reset.*DATABASE_URL/s);
    await client.query(`update migrations set name = '9999-later.sql' where name = '0001-foundation.sql'`);
    assert.deepEqual(await migrate(database.url), [], 'one of a later release of the same history is taken');
  });

  it('are installed before a process serves, and a database without tables is a fault that says what to do', async () => {
    const release = releaseWith('create function fee() returns int language sql as $$ select 1 $$');
    const process = await connectToRelease(database.url, { name: 'carnet-test', release });
    clients.push(process);
    assert.equal(await installFunctions(client, release), false);
    assert.deepEqual((await process.query('select fee()')).rows, [{ fee: 1 }]);

    const empty = await emptyDatabase();
    try {
      await assert.rejects(connectToRelease(empty.url, { name: 'carnet-test' }), (error) => {
        assert(error instanceof StartupFault);
        assert.match(error.message, /node src\/database\/migrate\.ts/);
        return true;
      });
    } finally {
      await empty.drop();
    }
  });
});
