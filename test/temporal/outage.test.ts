import assert from 'node:assert/strict';
import { Writable } from 'node:stream';
import { pino } from 'pino';
import { sql } from '../../src/database/pool.ts';
import { itInFull } from '../support/cases.ts';
import { eventually } from '../support/eventually.ts';
import { service } from '../support/service.ts';
import { openPool } from '../../src/database/pool.ts';
import { startRig, type Rig } from './rig.ts';
import { runOf } from './runs.ts';
import { temporalServer, type TemporalServer } from './temporal-server.ts';

interface Line {
  level: number;
  msg: string;
}

describe('With parts away', function () {
  this.timeout(600_000);
  let temporal: TemporalServer;
  let rig: Rig;
  let lines: Line[];
  beforeEach(async () => {
    temporal = await temporalServer();
    lines = [];
    const sink = new Writable({
      write: (chunk: Buffer, _encoding, done) => (lines.push(JSON.parse(chunk.toString()) as Line), done()),
    });
    rig = await startRig({ temporalAddress: temporal.address, log: pino({ level: 'debug' }, sink) });
  });
  afterEach(async () => {
    await rig.stop();
    await temporal.remove();
  });

  const logged = (text: RegExp) => lines.filter(({ msg }) => text.test(msg));

  it('commands are answered before Temporal was ever there, and their lives follow when it comes', async () => {
    await rig.startDelivery();
    const worker = rig.startWorker();
    const done = await rig.invoke();
    await rig.claim(done.id);
    await rig.complete(done.id);
    const open = await rig.invoke();
    assert.equal(await rig.temporal.check(), 'degraded');
    await eventually('the outage to be noticed', () => logged(/Temporal does not answer/).length > 0);
    await temporal.start();
    await worker;
    await runOf(rig, done.id).ended();
    await runOf(rig, open.id).showing(/^Waits/);
    await eventually('Temporal to answer within a second', async () => (await rig.temporal.check()) === 'ok');
  });

  itInFull(
    'catches up after Temporal was stopped and started again, with one warning and one line at its return',
    async () => {
      await temporal.start();
      await rig.startDelivery();
      await rig.startWorker();
      const waiting = await rig.invoke();
      await runOf(rig, waiting.id).showing(/^Waits/);
      await temporal.stop();
      const during = await Promise.all(Array.from({ length: 20 }, () => rig.invoke()));
      await rig.claim(waiting.id);
      await rig.complete(waiting.id);
      await eventually('the outage to be noticed', () => logged(/Temporal does not answer/).length > 0);
      const tries = async () =>
        rig.context.pool.oneFirst(sql.unsafe`select sum(attempts)::int from lives`) as Promise<number>;
      await eventually('a few tries', async () => (await tries()) >= 3, { seconds: 60 });
      await temporal.start();
      await runOf(rig, waiting.id).ended();
      for (const { id } of during) await runOf(rig, id).showing(/^Waits/);
      // A message is deleted after its life has it, and after those that were delivered with it.
      await eventually(
        'no message to be left',
        async () =>
          (await rig.context.pool.oneFirst(sql.unsafe`select count(*)::int from lives where epoch is null`)) === 0,
      );
      assert.equal(logged(/Temporal does not answer/).length, 1);
      assert.equal(logged(/Temporal answers again/).length, 1);
    },
  );

  it('a life outlives a database that does not answer', async () => {
    await temporal.start();
    await rig.startDelivery();
    await rig.startWorker();
    const { id } = await rig.invoke();
    const run = runOf(rig, id);
    await run.showing(/^Waits/);
    const database = new URL(rig.config.databaseUrl).pathname.slice(1);
    const server = await openPool(service().databaseUrl, { size: 1, applicationName: 'rig-away' });
    await server.query(sql.unsafe`alter database ${sql.identifier([database])} with allow_connections false`);
    await server.query(sql.unsafe`select pg_terminate_backend(pid) from pg_stat_activity where datname = ${database}`);
    await run.handle.signal('claim');
    await eventually('a failed step', async () => logged(/cannot be read; trying again/).length > 0);
    await server.query(sql.unsafe`alter database ${sql.identifier([database])} with allow_connections true`);
    await server.end();
    await eventually('the claim', async () => (await rig.row(id)).status === 'processing', {
      seconds: 60,
      ignoreErrors: () => true,
    });
    await rig.complete(id);
    await run.ended();
  });
});

describe('A life to which the server suggests to continue as new', function () {
  this.timeout(600_000);

  it('does so with nothing lost, and keeps its attributes', async () => {
    const temporal = await temporalServer(['limit.historyCount.suggestContinueAsNew=20']);
    await temporal.start();
    const rig = await startRig({ temporalAddress: temporal.address });
    await rig.startDelivery();
    await rig.startWorker();
    const { id } = await rig.invoke();
    const run = runOf(rig, id);
    await run.showing(/^Waits/);
    const { runId } = await run.handle.describe();
    await eventually('another run', async () => {
      await run.handle.signal('wake');
      await run.showing(/^Waits/);
      return (await run.handle.describe()).runId !== runId;
    });
    await run.handle.signal('claim');
    await run.handle.signal('complete', { output: { text: 'after all' } });
    await run.ended();
    assert.equal((await rig.row(id)).status, 'completed');
    const { typedSearchAttributes } = await run.handle.describe();
    assert.deepEqual(typedSearchAttributes.getAll().find(({ key }) => key.name === 'LifeStatus')?.value, 'ended');
    await rig.stop();
    await temporal.remove();
  });
});
