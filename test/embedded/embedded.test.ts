import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { cp, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { defineSearchAttributeKey, TypedSearchAttributes } from '@temporalio/common';
import type { Embedded } from '../../src/embedded/index.ts';
import { freePort } from '../../src/embedded/ports.ts';
import { findTemporal } from '../../src/embedded/temporal-binary.ts';
import { newDataDir, removeDataDir } from '../support/data-dir.ts';
import { eventually } from '../support/eventually.ts';
import { processesNaming, query, start, startParent } from './support.ts';
import type { Parent } from './support.ts';

const OperatorId = defineSearchAttributeKey('OperatorId', 'KEYWORD_LIST');
const LifeStatus = defineSearchAttributeKey('LifeStatus', 'KEYWORD');

const connected = async <T>(address: string, use: (client: Client) => Promise<T>): Promise<T> => {
  const connection = await Connection.connect({ address });
  try {
    return await use(new Client({ connection }));
  } finally {
    await connection.close();
  }
};

const pidIn = async (file: string): Promise<number> => Number.parseInt(await readFile(file, 'utf8'), 10);

const nobodyLeft = (dataDir: string): Promise<true | string> =>
  eventually(`no process names ${dataDir}`, () => processesNaming(dataDir).length === 0);

/** One line for a process that waits until the start is over. */
const assertOneSentence = (message: string, ...patterns: RegExp[]): void => {
  assert.doesNotMatch(message, /\n/);
  assert.match(message, /^[A-Z].*\.$/);
  for (const pattern of patterns) assert.match(message, pattern);
};

describe('embedded parts', function () {
  this.timeout(600_000);
  const dataDirs: string[] = [];
  const stops: (() => Promise<unknown>)[] = [];

  const freshDataDir = async (): Promise<string> => {
    const dataDir = await newDataDir();
    dataDirs.push(dataDir);
    return dataDir;
  };

  /** The data of an earlier start that was stopped regularly. */
  let whole: string;
  const usedDataDir = async (): Promise<string> => {
    const dataDir = await freshDataDir();
    await cp(whole, dataDir, { recursive: true });
    return dataDir;
  };

  const stopLater = <T extends Embedded>(embedded: T): T => {
    stops.push(() => embedded.stop());
    return embedded;
  };

  const killLater = (parent: Parent): Parent => {
    stops.push(async () => parent.process.kill('SIGKILL'));
    return parent;
  };

  // A machine that never fetched a Temporal server does so now, in the worst case by Go.
  before(async function () {
    this.timeout(20 * 60_000);
    whole = await freshDataDir();
    await (await start(whole)).stop();
  });

  afterEach(async () => {
    for (const stop of stops.splice(0)) await stop();
  });

  after(async () => {
    for (const dataDir of dataDirs) {
      await nobodyLeft(dataDir);
      await removeDataDir(dataDir);
    }
  });

  it('serves Postgres with a password of its own and Temporal with its retention, attributes and web UI', async () => {
    const dataDir = await freshDataDir();
    const embedded = stopLater(await start(dataDir, { searchAttributes: [OperatorId, LifeStatus] }));

    const [settings] = await query(
      embedded.databaseUrl,
      `select current_database() as name, current_setting('synchronous_commit') as commit, current_setting('fsync') as fsync`,
    );
    assert.deepEqual(settings, { name: 'carnet', commit: 'on', fsync: 'on' });
    const guess = new URL(embedded.databaseUrl);
    guess.password = 'guess';
    await assert.rejects(query(guess.href, 'select 1'), { code: '28P01' });
    assert.equal((await stat(dataDir)).mode & 0o077, 0);
    assert.equal((await stat(join(dataDir, 'postgres/password'))).mode & 0o077, 0);

    await connected(embedded.temporalAddress, async (client) => {
      const { config } = await client.workflowService.describeNamespace({ namespace: 'default' });
      assert.equal(Number(config?.workflowExecutionRetentionTtl?.seconds), 30 * 24 * 60 * 60);
      const pairs = [
        { key: OperatorId, value: ['op_1', 'op_2'] },
        { key: LifeStatus, value: 'open' },
      ];
      const typedSearchAttributes = new TypedSearchAttributes(pairs);
      await client.workflow.start('any', { workflowId: 'one', taskQueue: 'nobody', typedSearchAttributes });
    });
    const page = await fetch(embedded.temporalUiUrl);
    assert.match(await page.text(), /<html/);
  });

  it('keeps rows and runs over a restart, and registers search attributes that a later version adds', async () => {
    const dataDir = await usedDataDir();
    const first = stopLater(await start(dataDir));
    await query(first.databaseUrl, 'create table kept as select 7 as number');
    await connected(first.temporalAddress, (client) =>
      client.workflow.start('any', { workflowId: 'kept', taskQueue: 'nobody' }),
    );
    await first.stop();

    const second = stopLater(await start(dataDir, { searchAttributes: [LifeStatus] }));
    assert.deepEqual(await query(second.databaseUrl, 'select number from kept'), [{ number: 7 }]);
    await connected(second.temporalAddress, async (client) => {
      assert.equal((await client.workflow.getHandle('kept').describe()).status.name, 'RUNNING');
      const typedSearchAttributes = new TypedSearchAttributes([{ key: LifeStatus, value: 'open' }]);
      await client.workflow.start('any', { workflowId: 'later', taskQueue: 'nobody', typedSearchAttributes });
    });
  });

  it('leaves no process when its parent is killed, and keeps what was committed', async () => {
    const dataDir = await usedDataDir();
    const parent = killLater(await startParent(dataDir));
    await query(parent.printed.databaseUrl, 'create table kept as select 7 as number');
    parent.process.kill('SIGKILL');
    await nobodyLeft(dataDir);

    const again = stopLater(await start(dataDir));
    assert.deepEqual(await query(again.databaseUrl, 'select number from kept'), [{ number: 7 }]);
  });

  it('ends with npm, even if that is killed', async () => {
    const dataDir = await usedDataDir();
    const npm = killLater(await startParent(dataDir, ['sh', '-c', '"$@"; exit', 'npm']));
    npm.process.kill('SIGKILL');
    await nobodyLeft(dataDir);
    assert.equal(existsSync(join(dataDir, 'running.json')), false);
  });

  it('stops parts that outlived their wrappers before it starts its own', async () => {
    const dataDir = await usedDataDir();
    const parent = killLater(await startParent(dataDir));
    // Stopped by a signal, so that it can't restart what it misses.
    parent.process.kill('SIGSTOP');
    const wrappers = processesNaming(dataDir).filter(({ command }) => command.startsWith('sh -c'));
    for (const { pid } of wrappers) process.kill(pid, 'SIGKILL');
    parent.process.kill('SIGKILL');
    await once(parent.process, 'exit');
    const orphans = new Set(processesNaming(dataDir).map(({ pid }) => pid));
    assert(orphans.has(await pidIn(join(dataDir, 'postgres/data/postmaster.pid'))));
    assert(orphans.has(await pidIn(join(dataDir, 'temporal/server.pid'))));

    const again = stopLater(await start(dataDir));
    assert.deepEqual(await query(again.databaseUrl, 'select 1 as one'), [{ one: 1 }]);
    for (const { pid } of processesNaming(dataDir)) assert(!orphans.has(pid));
  });

  it('starts in spite of a pid file that names an unrelated process', async () => {
    const dataDir = await usedDataDir();
    const stranger = spawn('sleep', ['600']);
    stops.push(async () => stranger.kill());
    await writeFile(join(dataDir, 'postgres/data/postmaster.pid'), `${stranger.pid}\n`);
    await writeFile(join(dataDir, 'temporal/server.pid'), `${stranger.pid}\n`);
    stopLater(await start(dataDir));
    assert.deepEqual([stranger.exitCode, stranger.signalCode], [null, null]);
  });

  it('restarts a part that died, on the same port', async () => {
    const dataDir = await usedDataDir();
    const lost: string[] = [];
    const embedded = stopLater(await start(dataDir, { onLost: (part) => lost.push(part) }));
    await query(embedded.databaseUrl, 'create table kept as select 7 as number');
    process.kill(await pidIn(join(dataDir, 'postgres/data/postmaster.pid')), 'SIGKILL');
    process.kill(await pidIn(join(dataDir, 'temporal/server.pid')), 'SIGKILL');
    await eventually('both are missed', () => lost.length === 2);
    assert.deepEqual(lost.toSorted(), ['postgres', 'temporal']);

    const rows = await eventually(
      'Postgres serves again',
      () => query(embedded.databaseUrl, 'select number from kept'),
      { ignoreErrors: () => true },
    );
    assert.deepEqual(rows, [{ number: 7 }]);
    await eventually(
      'Temporal serves again',
      () => connected(embedded.temporalAddress, (client) => client.workflowService.getSystemInfo({})),
      { ignoreErrors: () => true },
    );
  });

  it('restarts a Temporal server that lost a port to another program, and gives up when that always happens', async () => {
    const [folder, path] = [await freshDataDir(), process.env.PATH];
    const real = await findTemporal({ dataDir: folder, progress: () => undefined });
    const unlucky = (when: string): string =>
      `#!/bin/sh\nif [ "$1" = server ] && ${when}; then echo 'panic: listen tcp 127.0.0.1:4: bind: address already in use' >&2; exit 2; fi\nPATH='${path}'\nexec '${real}' "$@"\n`;
    const startWith = async (when: string): Promise<Embedded> => {
      await writeFile(join(folder, 'temporal'), unlucky(when), { mode: 0o755 });
      process.env.PATH = `${folder}:${path}`;
      return start(await usedDataDir(), { postgres: false }).finally(() => (process.env.PATH = path));
    };
    stopLater(await startWith(`mkdir '${folder}/first'`));
    await assert.rejects(startWith('true'), ({ name, message }: Error) => {
      assert.equal(name, 'StartupFault');
      assertOneSentence(message, /port/, /start again/);
      return true;
    });
  });

  it('refuses a data directory that another process has locked, in one sentence with its pid and address', async () => {
    const dataDir = await usedDataDir();
    const parent = killLater(await startParent(dataDir));
    await assert.rejects(start(dataDir), ({ name, message }: Error) => {
      assert.equal(name, 'StartupFault');
      const pid = new RegExp(`process ${parent.process.pid}\\b`);
      assertOneSentence(message, pid, /http:\/\/127\.0\.0\.1:4100/, /DATA_DIR/);
      return true;
    });
    assert.deepEqual(await query(parent.printed.databaseUrl, 'select 1 as one'), [{ one: 1 }]);
    // Ctrl-C arrives from the terminal and from npm.
    parent.process.kill('SIGINT');
    parent.process.kill('SIGINT');
    assert.deepEqual(await once(parent.process, 'exit'), [0, null]);
  });

  it('has Postgres on the port wished for, at each start, and on a free one where another program has it', async () => {
    const postgresPort = await freePort();
    const startOn = async (dataDir: string): Promise<number> => {
      const { databaseUrl } = stopLater(await start(dataDir, { temporal: false, postgresPort }));
      assert.deepEqual(await query(databaseUrl, 'select 1 as one'), [{ one: 1 }]);
      return Number(new URL(databaseUrl).port);
    };
    assert.equal(await startOn(await usedDataDir()), postgresPort);
    assert.notEqual(await startOn(await usedDataDir()), postgresPort);
  });

  it('has Temporal and its UI on the ports wished for, at each start, and on free ones where another program has them', async () => {
    const temporalPorts = { port: await freePort(), uiPort: await freePort() };
    const asWished = [`127.0.0.1:${temporalPorts.port}`, `http://127.0.0.1:${temporalPorts.uiPort}`];
    const startOn = async (dataDir: string): Promise<Required<Embedded>> =>
      stopLater(await start(dataDir, { postgres: false, temporalPorts }));
    const [mine, theirs] = [await usedDataDir(), await usedDataDir()];
    const first = await startOn(mine);
    assert.deepEqual([first.temporalAddress, first.temporalUiUrl], asWished);
    const beside = await startOn(theirs);
    assert.notEqual(beside.temporalAddress, first.temporalAddress);
    assert.notEqual(beside.temporalUiUrl, first.temporalUiUrl);
    await connected(beside.temporalAddress, (client) => client.workflowService.getSystemInfo({}));
    await first.stop();
    const again = await startOn(mine);
    assert.deepEqual([again.temporalAddress, again.temporalUiUrl], asWished);
  });

  it('runs beside another instance', async () => {
    const startNew = async (): Promise<Required<Embedded>> => stopLater(await start(await usedDataDir()));
    const [one, other] = await Promise.all([startNew(), startNew()]);
    await query(one.databaseUrl, 'create table only_here ()');
    assert.deepEqual(await query(other.databaseUrl, `select to_regclass('only_here') as here`), [{ here: null }]);
    assert.notEqual(one.temporalAddress, other.temporalAddress);
  });

  const spoilTemporal = async (folder: string): Promise<void> => {
    await rm(join(folder, 'server.db-wal'));
    await writeFile(join(folder, 'server.db'), 'x'.repeat(5_000));
  };

  const damages: [string, string, (folder: string) => Promise<unknown>, RegExp][] = [
    ['a cut control file', 'postgres', (dir) => truncate(join(dir, 'data/global/pg_control'), 100), /pg_control/],
    ['a missing version', 'postgres', (dir) => rm(join(dir, 'data/PG_VERSION')), /PG_VERSION is missing/],
    ['another version', 'postgres', (dir) => writeFile(join(dir, 'data/PG_VERSION'), '16\n'), /by Postgres 16/],
    ['a wrong password', 'postgres', (dir) => writeFile(join(dir, 'password'), 'guess\n'), /password/],
    ['a Temporal file that is none', 'temporal', spoilTemporal, /not a database/],
  ];

  describe('on damaged data', () => {
    for (const [what, where, damage, why] of damages) {
      it(`explains in one sentence what to do about ${what}`, async () => {
        const dataDir = await usedDataDir();
        await damage(join(dataDir, where));
        const only = { postgres: where === 'postgres', temporal: where !== 'postgres' };
        await assert.rejects(start(dataDir, only), ({ name, message }: Error) => {
          assert.equal(name, 'StartupFault');
          assertOneSentence(message, why, new RegExp(`${join(dataDir, where)}\\b`), /move it away/);
          return true;
        });
        assert.deepEqual(processesNaming(dataDir), []);
      });
    }
  });
});
