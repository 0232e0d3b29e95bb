import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect as connectSocket, createServer, type AddressInfo } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import pg from 'pg';
import { makeDefault } from '../../src/database/default-release.ts';
import {
  connectToRelease,
  installFunctions,
  ownRelease,
  releaseOf,
  useFunctions,
  type Release,
} from '../../src/database/functions.ts';
import { migrate } from '../../src/database/migrations.ts';
import { dropUnusedReleases } from '../../src/database/unused-releases.ts';
import { StartupFault } from '../../src/errors/startup-fault.ts';
import { roundsOf } from '../support/cases.ts';
import { migratedDatabase, type EmptyDatabase } from '../support/empty-database.ts';
import { blockOf } from '../support/pasted.ts';
import { installedAt } from './installed-at.ts';

/** One function of arguments and a result, one type: small, so that it can be installed often. */
const small = (name: string): Release =>
  releaseOf([
    { path: 'billing/sql/types.sql', text: 'create type priced as (cents bigint, what text)' },
    {
      path: `billing/sql/${name}.sql`,
      text: `create function ${name}(p_cents bigint, p_what text default 'x') returns priced stable strict language sql as 'select p_cents * 2, p_what'`,
    },
    {
      path: 'billing/sql/half.sql',
      text: `create function half(p_cents bigint) returns bigint language sql as 'select p_cents / 2'`,
    },
  ]);

/** Length, version, then name and value in turn, each ended by a zero, and a zero. */
function withoutOptions(packet: Buffer): Buffer {
  const words = packet.subarray(8, -2).toString().split('\0');
  const at = words.indexOf('options');
  assert(at >= 0 && at % 2 === 0, `the process sends options: ${words.join(' ')}`);
  words.splice(at, 2);
  const body = Buffer.from(`${words.join('\0')}\0\0`);
  const head = Buffer.from(packet.subarray(0, 8));
  head.writeInt32BE(8 + body.length);
  return Buffer.concat([head, body]);
}

/** Passes everything on but `options` of the start-up packet, as PgBouncer with `ignore_startup_parameters = options` does. */
async function openPooler(databaseUrl: string): Promise<{ url: string; close(): void }> {
  const url = new URL(databaseUrl);
  const postgres = { port: Number(url.port), host: url.hostname };
  const server = createServer((inward) => {
    const outward = connectSocket(postgres);
    inward.once('data', (packet: Buffer) => {
      outward.write(withoutOptions(packet));
      inward.pipe(outward).pipe(inward);
    });
    inward.on('error', () => outward.destroy());
    outward.on('error', () => inward.destroy());
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  url.port = String((server.address() as AddressInfo).port);
  return { url: url.href, close: () => void server.close() };
}

describe('the installer of SQL functions', () => {
  let database: EmptyDatabase;
  let client: pg.Client;
  let clients: pg.Client[] = [];

  const connect = async (url: string = database.url): Promise<pg.Client> => {
    const connected = new pg.Client(url);
    connected.on('error', () => {});
    clients.push(connected);
    await connected.connect();
    return connected;
  };
  const isThere = async ({ schema }: Release): Promise<boolean> =>
    (await client.query('select from pg_namespace where nspname = $1', [schema])).rowCount === 1;
  const names = async ({ schema }: Release): Promise<string> =>
    (
      await client.query<{ names: string }>(
        `select string_agg(proname, ' ' order by proname) as names from pg_proc p join pg_namespace n on n.oid = pronamespace where nspname = $1`,
        [schema],
      )
    ).rows[0]?.names ?? '';

  beforeEach(async () => {
    database = await migratedDatabase();
    client = await connect();
  });
  afterEach(async () => {
    await Promise.all(clients.map((one) => one.end().catch(() => {})));
    clients = [];
    await database.drop();
  });

  describe('installs again what is not as it was installed', () => {
    const release = small('twice');
    const { schema } = release;
    const damages: Record<string, string> = {
      'a function is missing': `drop function ${schema}.half(bigint)`,
      'every function is missing': `drop function ${schema}.half(bigint), ${schema}.twice(bigint, text)`,
      'all is missing but the schema': `drop schema ${schema} cascade; create schema ${schema}`,
      'a body is another': `create or replace function ${schema}.half(p_cents bigint) returns bigint language sql as 'select p_cents / 3'`,
      'a function is volatile': `alter function ${schema}.twice(bigint, text) volatile`,
      'a function has rights of its owner': `alter function ${schema}.half(bigint) security definer`,
      'a function has settings': `alter function ${schema}.half(bigint) set search_path = public`,
      'a function has a second form': `create function ${schema}.half(p_cents text) returns bigint language sql as 'select 1::bigint'`,
      'a type is another': `alter type ${schema}.priced add attribute more int`,
      'the record is missing, as after pg_restore --no-comments': `comment on schema ${schema} is null`,
      "the comment is somebody else's": `comment on schema ${schema} is 'installed tomorrow, digest unknown'`,
    };
    for (const [what, damage] of Object.entries(damages)) {
      it(what, async () => {
        await installFunctions(client, release);
        await client.query(damage);
        assert.equal(await installFunctions(client, release), true, 'it was installed again');
        assert.equal(await names(release), 'half twice');
        const { rows } = await client.query(`select cents, what, ${schema}.half(4) from ${schema}.twice(4)`);
        assert.deepEqual(rows, [{ cents: '8', what: 'x', half: '2' }]);
        assert.equal(await installFunctions(client, release), false);
      });
    }
  });

  it('finds the functions of this project as they are, under any search_path', async () => {
    for (const path of ['public', `''`, `${ownRelease().schema}, public`, '"odd, ""name""", pg_catalog']) {
      await client.query(`set search_path = ${path}`);
      assert.equal(await installFunctions(client), false, path);
    }
  });

  it('keeps what somebody made beside or on top of altered functions, and says what to do', async () => {
    const release = small('twice');
    const ways = [
      `create table ${release.schema}.theirs (id int)`,
      `create table priced (cents bigint, check (${release.schema}.half(cents) > 0))`,
    ];
    for (const way of ways) {
      await installFunctions(client, release);
      await client.query(way);
      await client.query(`alter function ${release.schema}.half(bigint) strict`);
      await assert.rejects(installFunctions(client, release), (error) => {
        assert(error instanceof StartupFault);
        assert.match(
          error.message,
          new RegExp(`${release.schema} is not as it was installed.*alter schema.*start again`),
        );
        return true;
      });
      assert.equal(await names(release), 'half twice', 'nothing is gone');
      await client.query(`alter schema ${release.schema} rename to kept_${randomBytes(4).toString('hex')}`);
    }
    assert.equal(await installFunctions(client, release), true, 'after the renaming that the sentence proposes');
  });

  describe('with database users', () => {
    const user = `user "of" ${randomBytes(4).toString('hex')}`;
    const quoted = `"${user.replaceAll('"', '""')}"`;
    const password = randomBytes(8).toString('hex');
    const urlOf = (): string => {
      const url = new URL(database.url);
      url.username = encodeURIComponent(user);
      url.password = password;
      return url.href;
    };
    beforeEach(() => client.query(`create role ${quoted} login password '${password}'`));
    afterEach(() => client.query(`drop owned by ${quoted} cascade; drop role ${quoted}`));

    it('refuses functions that somebody else made, who could have anything called with our rights', async () => {
      const release = small('twice');
      await client.query(`grant create on database ${new URL(database.url).pathname.slice(1)} to ${quoted}`);
      await client.query(`create schema ${release.schema} authorization ${quoted}`);
      await assert.rejects(connectToRelease(database.url, { name: 'carnet-test', release }), (error) => {
        assert(error instanceof StartupFault);
        assert.match(error.message, /is owned by user "of" .*rename it/);
        return true;
      });
      await client.query(`comment on schema ${release.schema} is 'installed 2000-01-01, digest 0123456789abcdef'`);
      assert.deepEqual(await dropUnusedReleases(client), []);
      assert(await isThere(release));
    });

    it('says which right a user lacks, and takes one that may only use what the owner installed', async () => {
      const release = small('twice');
      const start = async (): Promise<void> => {
        clients.push(await connectToRelease(urlOf(), { name: 'carnet-test', release }));
      };
      const refusal = (pattern: RegExp) => (error: unknown) => {
        assert(error instanceof StartupFault, String(error));
        assert.match(error.message, pattern);
        return true;
      };
      await assert.rejects(start(), refusal(/permission denied for database.*migrate\.ts.*CREATE on the database/));
      assert(!(await isThere(release)));
      await installFunctions(client, release);
      await assert.rejects(start(), refusal(/USAGE on the schema fn_/));
      const { code: rights } = await blockOf('docs/operations.md', 'rights');
      await client.query(rights.replaceAll('carnet_service', quoted));
      await client.query(`drop schema ${release.schema} cascade`);
      await installFunctions(client, release);
      await start();
      await client.query(`revoke execute on function ${release.schema}.half(bigint) from public`);
      await assert.rejects(start(), refusal(/EXECUTE/));
      await client.query(`alter function ${release.schema}.half(bigint) strict`);
      await assert.rejects(start(), refusal(/must be owner of .*migrate\.ts as the owner/));
    });

    it('refuses a migration by somebody who does not own the database', async () => {
      await client.query(`alter database ${new URL(database.url).pathname.slice(1)} reset search_path`);
      await assert.rejects(makeDefault(await connect(urlOf())), (error) => {
        assert(error instanceof StartupFault);
        assert.match(error.message, /must be owner of database.*as the owner of the database/);
        return true;
      });
    });
  });

  it('keeps what else the database has in its default search_path', async () => {
    const name = new URL(database.url).pathname.slice(1);
    const { schema } = ownRelease();
    const paths: [string, string][] = [
      [`fn_01234567, public`, `public, ${schema}`],
      [`public, fn_01234567`, `public, ${schema}`],
      [`"odd, fn_01234567", fn_01234567, "Upper", public`, `"odd, fn_01234567", "Upper", public, ${schema}`],
      [`"$user", public`, `"$user", public, ${schema}`],
      [`''`, `public, ${schema}`],
    ];
    for (const [before, after] of paths) {
      await client.query(`alter database ${name} set search_path = ${before}`);
      await makeDefault(client);
      assert.deepEqual((await (await connect()).query('show search_path')).rows, [{ search_path: after }]);
    }
    await client.query(`alter database ${name} reset search_path`);
    await migrate(database.url);
    assert.deepEqual((await (await connect()).query('show search_path')).rows, [{ search_path: `public, ${schema}` }]);
  });

  describe('cleans up', () => {
    const hoursAgo = (hours: number): Date => new Date(Date.now() - hours * 3_600_000);

    it('thirty old releases but for the newest two, no matter what the comments of other schemas say', async () => {
      const releases = Array.from({ length: 30 }, (_, nth) => small(`nth_${nth}`));
      for (const [nth, release] of releases.entries()) {
        await installFunctions(client, release);
        await installedAt(client, release, hoursAgo(100 - nth));
      }
      await installedAt(client, ownRelease(), hoursAgo(200));
      const odd = [
        'null',
        `''`,
        `'2026-01-01T00:00:00Z'`,
        `'installed 2026-99-99, digest x'`,
        `'installed infinity, digest x'`,
      ];
      for (const [nth, comment] of odd.entries()) {
        await client.query(`create schema fn_0000000${nth}`);
        await client.query(`comment on schema fn_0000000${nth} is ${comment}`);
      }
      const dropped = await dropUnusedReleases(client);
      assert.deepEqual(
        dropped.toSorted(),
        releases
          .slice(0, 28)
          .map(({ schema }) => schema)
          .toSorted(),
      );
      for (const [nth] of odd.entries())
        assert.equal(
          (await client.query(`select to_regnamespace('fn_0000000${nth}') is null as gone`)).rows[0].gone,
          false,
        );
    });

    it('leaves one that a wrong clock dates into the future, which is none of the newest two', async () => {
      const [ahead, old, newer, newest] = [small('ahead'), small('old'), small('newer'), small('newest')] as const;
      for (const release of [ahead, old, newer, newest]) await installFunctions(client, release);
      await installedAt(client, ownRelease(), hoursAgo(9));
      await installedAt(client, ahead, hoursAgo(-50_000));
      await installedAt(client, old, hoursAgo(4));
      await installedAt(client, newer, hoursAgo(3));
      await installedAt(client, newest, hoursAgo(2));
      assert.deepEqual(await dropUnusedReleases(client), [old.schema]);
      assert(await isThere(ahead));
    });
  });

  it('leaves nothing by half when its process is killed at any moment, and nobody waits for it', async () => {
    for (let nth = 0; nth < 12; nth += 1) {
      const release = releaseOf([
        ...ownRelease().files,
        { path: 'a/sql/nth.sql', text: `create function nth() returns int language sql as 'select ${nth}'` },
      ]);
      const killed = await connect();
      const install = useFunctions(killed, release).catch(() => {});
      for (let query = 0; query < nth * 12; query += 1) await setImmediate();
      (killed as unknown as { connection: { stream: { destroy(): void } } }).connection.stream.destroy();
      await install;
      const successor = await connect();
      await useFunctions(successor, release);
      assert.equal(await installFunctions(client, release), false);
      await client.query(`drop schema ${release.schema} cascade`);
    }
  });

  it('installs releases that start together beside each other, each once', async () => {
    for (let round = 0; round < roundsOf(10, 3); round += 1) {
      const releases = [small(`one_${round}`), small(`two_${round}`), small(`three_${round}`)];
      const users = await Promise.all(
        [...releases, ...releases].map((release) => connectToRelease(database.url, { name: 'carnet-test', release })),
      );
      for (const [nth, release] of [...releases, ...releases].entries()) {
        const { rows } = (await users[nth]?.query('select half(4)')) ?? {};
        assert.deepEqual(rows, [{ half: '2' }]);
        assert.equal(await installFunctions(client, release), false);
      }
      await Promise.all(users.map((user) => user.end()));
    }
  });

  describe('behind a pooler', () => {
    it('that drops the search_path a process does not start, and says why', async () => {
      const pooler = await openPooler(database.url);
      try {
        await assert.rejects(connectToRelease(pooler.url, { name: 'carnet-test' }), (error) => {
          assert(error instanceof StartupFault);
          assert.match(error.message, /pooler.*options.*docs\/operations\.md/);
          return true;
        });
      } finally {
        pooler.close();
      }
    });
  });
});
