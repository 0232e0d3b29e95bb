import assert from 'node:assert/strict';
import pg from 'pg';
import { BRIEF_LOCK, firstWords, untilUnlocked } from '../../src/database/brief-locks.ts';
import { migrate } from '../../src/database/migrations.ts';
import { holdDataDirectory } from '../../src/embedded/index.ts';
import { startPostgres } from '../../src/embedded/postgres.ts';
import { StartupFault } from '../../src/errors/startup-fault.ts';
import { databaseAsOf } from '../support/database-as-of.ts';
import { newDataDir, removeDataDir } from '../support/data-dir.ts';
import type { EmptyDatabase } from '../support/empty-database.ts';
import { eventually } from '../support/eventually.ts';

describe('A migration while somebody reads its table for long', () => {
  let database: EmptyDatabase;
  let reader: pg.Client;
  let command: pg.Client;
  const connect = async (options: Partial<pg.ClientConfig>): Promise<pg.Client> => {
    const client = new pg.Client({ connectionString: database.url, ...options });
    client.on('error', () => {});
    await client.connect();
    return client;
  };

  before(async () => {
    database = await databaseAsOf('0015-inbound.sql');
  });
  beforeEach(async () => {
    reader = await connect({ application_name: 'pg_dump' });
    command = await connect({ options: '-c lock_timeout=3000' }); // as those of the service have it
    await reader.query('begin');
    await reader.query(`select from life_messages where life = 'a word of theirs'`);
  });
  afterEach(() => Promise.all([reader.end(), command.end()]));
  after(() => database.drop());

  it('refuses no command, says who is in the way, and is applied when they are done', async () => {
    let commands = 0;
    const { promise: told, resolve: tell } = Promise.withResolvers<string>();
    const migrating = migrate(database.url, tell);
    let sentence: string | undefined;
    void told.then((said) => (sentence = said));
    while (sentence === undefined || commands < 3) {
      await command.query(`insert into life_messages (life, next_attempt_at) values ('mail:1', now())`);
      commands += 1;
    }
    assert.match(
      sentence,
      /^The migration 00\d\d-[-a-z]+\.sql waits for a lock: process \d+ of Postgres \(pg_dump\) has been in a transaction for \d+ seconds, last with "select from life_messages where life ="\. It is tried again for 60 seconds\.$/,
    );
    await reader.query('commit');
    assert((await migrating).includes('0029-shared-refused-lives.sql'));
  });

  it('ends with a sentence where they are never done, and leaves nothing behind', async () => {
    const client = await connect({});
    const apply = async (): Promise<void> => {
      await client.query('begin');
      try {
        await client.query(`set local lock_timeout = '${BRIEF_LOCK}'`);
        await client.query('create table half_done (id int)');
        await client.query('alter table life_messages add column half_done int');
        await client.query('commit');
      } catch (error) {
        await client.query('rollback');
        throw error;
      }
    };
    const told: string[] = [];
    await assert.rejects(
      untilUnlocked(client, { what: 'This test', seconds: 2, onBlocked: (said) => told.push(said) }, apply),
      (error) => {
        assert(error instanceof StartupFault);
        assert.match(
          error.message,
          /^This test did not get its locks within 2 seconds, and nothing of it was done: process \d+ of Postgres \(pg_dump\).*start again\.$/,
        );
        return true;
      },
    );
    assert(told.length <= 1);
    const { rows } = await client.query(`select to_regclass('half_done') as left`);
    assert.deepEqual(rows, [{ left: null }]);
    await client.end();
  });

  it('is tried again where it and a command wait for each other', async () => {
    const client = await connect({});
    let tries = 0;
    let waiting: Promise<unknown> | undefined;
    const apply = async (): Promise<void> => {
      tries += 1;
      await client.query('begin');
      await client.query('lock table mails in access exclusive mode');
      if (tries === 1) {
        await command.query('begin');
        await command.query('lock table wallets in access share mode');
        waiting = command.query('lock table mails in access share mode');
      }
      try {
        await client.query('lock table wallets in access exclusive mode');
      } finally {
        await client.query('rollback');
      }
    };
    await command.query(`set deadlock_timeout = '1min'`); // the migration is the victim
    const applied = untilUnlocked(client, { what: 'This test', seconds: 60 }, apply);
    await eventually('the first try to have been the victim', () => tries > 0 && waiting !== undefined);
    await waiting;
    await command.query('rollback');
    await applied;
    assert(tries >= 2);
    await client.end();
  });

  it('shows of a query what stands before its first value', () => {
    assert.equal(firstWords(`update  a1\n set secret = 'x'`), 'update a1 set secret =');
    assert.equal(firstWords('select pg_sleep(30)'), 'select pg_sleep(');
    assert.equal(firstWords(`select $a$b$a$`), 'select');
    assert.equal(firstWords(`copy t to stdout ${'x'.repeat(100)}`).length, 60);
  });
});

describe('A migration while a prepared transaction holds its table', () => {
  let dataDir: string;
  let release: () => void;
  let postgres: Awaited<ReturnType<typeof startPostgres>>;
  const start = () => startPostgres({ dataDir, progress: () => {}, onLost: () => {}, port: 0 });
  const connect = async (): Promise<pg.Client> => {
    const client = new pg.Client({ connectionString: postgres.databaseUrl });
    client.on('error', () => {});
    await client.connect();
    return client;
  };

  before(async () => {
    dataDir = await newDataDir();
    ({ release } = holdDataDirectory(dataDir));
    postgres = await start();
    const client = await connect();
    await client.query('alter system set max_prepared_transactions = 2'); // from the next start on
    await client.end();
    await postgres.stop();
    postgres = await start();
  });
  after(async () => {
    await postgres.stop();
    release();
    await removeDataDir(dataDir);
  });

  it('names it, and how it is ended', async () => {
    const client = await connect();
    await client.query('create table held (id int)');
    await client.query('begin');
    await client.query('lock table held in access share mode');
    await client.query(`prepare transaction 'of a shop'`);
    const apply = async (): Promise<void> => {
      await client.query('begin');
      try {
        await client.query(`set local lock_timeout = '${BRIEF_LOCK}'`);
        await client.query('alter table held add column half_done int');
        await client.query('commit');
      } catch (error) {
        await client.query('rollback');
        throw error;
      }
    };
    const { promise: told, resolve: tell } = Promise.withResolvers<string>();
    const migrating = untilUnlocked(client, { what: 'This test', seconds: 60, onBlocked: tell }, apply);
    const other = await connect();
    try {
      assert.match(
        await told,
        /^This test waits for a lock: the transaction "of a shop" was prepared \d+ seconds ago, and "commit prepared" or "rollback prepared" ends it\./,
      );
      await other.query(`rollback prepared 'of a shop'`);
      await migrating;
    } finally {
      await Promise.all([client.end(), other.end()]);
    }
  });
});
