import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { freePort } from '../../src/embedded/ports.ts';
import { itInFull } from '../support/cases.ts';
import { eventually } from '../support/eventually.ts';
import { awaitDatabase } from '../../src/database/await-database.ts';
import { migrate } from '../../src/database/migrations.ts';
import { StartupFault } from '../../src/errors/startup-fault.ts';
import { emptyDatabase } from '../support/empty-database.ts';
import { newDataDir, removeDataDir } from '../support/data-dir.ts';
import { startProgram, type Started } from '../support/process.ts';
import { settingsBeside } from '../support/role.ts';
import { service } from '../support/service.ts';

describe('A process that starts while Postgres is away', function () {
  this.timeout(180_000);
  const started: Started[] = [];
  const sockets: Socket[] = [];
  let back: Server | undefined;
  afterEach(async () => {
    await Promise.all(started.splice(0).map((one) => one.stop()));
    for (const socket of sockets.splice(0)) socket.destroy();
    back?.close();
  });

  /** Where nobody listens until `comeBack` lets the suite's Postgres answer there. */
  const absentDatabase = async (present = service().databaseUrl) => {
    const port = await freePort();
    const url = new URL(present);
    const { hostname, port: there } = url;
    url.port = String(port);
    url.hostname = '127.0.0.1';
    return {
      url: url.href,
      async comeBack() {
        back = createServer((socket) => {
          const upstream = connect(Number(there), hostname);
          sockets.push(socket, upstream);
          for (const one of [socket, upstream]) one.on('error', () => {});
          socket.pipe(upstream).pipe(socket);
        }).listen(port, '127.0.0.1');
        await once(back, 'listening');
      },
    };
  };

  const settingsOf = async (databaseUrl: string): Promise<Record<string, string>> => ({
    ...(await settingsBeside(service())),
    DATABASE_URL: databaseUrl,
    PUBLIC_BASE_URL: 'http://127.0.0.1:1',
    WORKER_PORT: '0',
    DRAIN_SECONDS: '0',
    LOG_LEVEL: 'info',
  });

  it('lives, says that it is not ready, and serves when Postgres is there', async () => {
    const database = await absentDatabase();
    const port = await freePort();
    const settings = await settingsOf(database.url);
    const api = startProgram('src/api.ts', { ...settings, PORT: String(port) });
    const worker = startProgram('src/worker.ts', { ...settings, PORT: '0' });
    started.push(api, worker);
    const get = (path: string) => fetch(`http://127.0.0.1:${port}${path}`);
    const live = await eventually('the API to live', () => get('/livez'), { seconds: 60, ignoreErrors: () => true });
    assert.equal(live.status, 200);
    const ready = await get('/readyz');
    assert.deepEqual([ready.status, await ready.json()], [503, { status: 'unavailable', database: 'unreachable' }]);
    const other = await get('/v1/skills');
    assert.equal(other.status, 503);
    assert(Number(other.headers.get('retry-after')) >= 1);
    assert.equal(((await other.json()) as { code: string }).code, 'TEMPORARILY_UNAVAILABLE');
    const page = await fetch(`http://127.0.0.1:${port}/dashboard`, { headers: { accept: 'text/html' } });
    assert.deepEqual([page.status, page.headers.get('connection')], [503, 'close']);
    const text = await page.text();
    assert.match(text, /The database does not answer yet/);
    assert.equal((await get(/href="([^"]+\.css[^"]*)"/.exec(text)?.[1] ?? '/')).status, 200);
    await eventually('the worker to wait', () => worker.output().includes('waits for it'), { seconds: 60 });

    await database.comeBack();
    await eventually('the API to be ready', async () => (await get('/readyz')).status === 200, {
      seconds: 60,
      ignoreErrors: () => true,
    });
    await eventually('the worker to be ready', () => worker.output().includes('"msg":"ready"'), { seconds: 60 });
    assert(api.alive() && worker.alive());
  });

  it('ends immediately when it is told to, or where waiting would change nothing', async () => {
    const database = await absentDatabase();
    const settings = await settingsOf(database.url);
    const waiting = startProgram('src/worker.ts', settings);
    await eventually('it to wait', () => waiting.output().includes('waits for it'), { seconds: 60 });
    assert.equal(await waiting.stop(), 0);
    const url = new URL(service().databaseUrl);
    url.pathname = '/no_such_database';
    const wrong = startProgram('src/worker.ts', { ...settings, DATABASE_URL: url.href });
    assert.equal(await wrong.ended, 1);
    assert.match(wrong.output(), /no_such_database/);
  });

  it('waits as the step that migrates, which says so', async () => {
    const empty = await emptyDatabase();
    const database = await absentDatabase(empty.url);
    const step = startProgram('src/database/migrate.ts', { DATABASE_URL: database.url });
    started.push(step);
    const words = /does not answer \(connect ECONNREFUSED [^)]*\); waiting for it, 60 seconds at most/;
    await eventually('it to wait', () => words.test(step.output()), { seconds: 60 });
    await database.comeBack();
    assert.equal(await step.ended, 0, step.output());
    assert.match(step.output(), /Applied 0001-shared\.sql/);
    await empty.drop();
  });

  itInFull('waits as npm start on a database of its own, and is ready without Temporal too', async () => {
    const empty = await emptyDatabase();
    const database = await absentDatabase(empty.url);
    const dataDir = await newDataDir();
    const main = startProgram('src/main.ts', {
      TEMPORAL_PORT: '0',
      TEMPORAL_UI_PORT: '0',
      DATA_DIR: dataDir,
      PORT: '0',
      DRAIN_SECONDS: '0',
      DATABASE_URL: database.url,
      TEMPORAL_ADDRESS: '127.0.0.1:1',
    });
    started.push(main);
    await eventually('it to wait', () => main.output().includes('waiting for it, 60 seconds at most'), { seconds: 60 });
    await database.comeBack();
    await eventually('it to be ready', () => main.output().includes('Carnet is ready'), { seconds: 60 });
    assert.equal(await main.stop(), 0, main.output());
    await empty.drop();
    await removeDataDir(dataDir);
  });

  it('ends as a step in one sentence when it has waited long enough', async () => {
    const url = 'postgres://nobody:secret@127.0.0.1:1/carnet';
    let said = '';
    await assert.rejects(
      awaitDatabase(url, { seconds: 1, onAway: (why) => void (said = why) }),
      (error: unknown) =>
        error instanceof StartupFault &&
        /^The database cannot be reached \(connect ECONNREFUSED [^)]*\), for 1 seconds now; check DATABASE_URL/.test(
          error.message,
        ) &&
        !error.message.includes('secret'),
    );
    assert.match(said, /ECONNREFUSED/);
  });

  it('does not hang where something takes the connection and never answers', async () => {
    const mute = createServer((socket) => void sockets.push(socket)).listen(0, '127.0.0.1');
    back = mute;
    await once(mute, 'listening');
    const { port } = mute.address() as AddressInfo;
    const url = `postgres://nobody:secret@127.0.0.1:${port}/carnet`;
    await Promise.all([
      assert.rejects(migrate(url), /cannot be reached \(timeout expired\)/),
      assert.rejects(awaitDatabase(url, { seconds: 1, onAway() {} }), /cannot be reached \(timeout expired\)/),
    ]);
  });
});
