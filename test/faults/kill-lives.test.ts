import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { sql } from '../../src/database/pool.ts';
import { lifeId } from '../../temporal/workflow-ids.ts';
import { invocationSignals } from '../../workflows/skill-invocation.ts';
import { ownDatabase, type OwnDatabase } from '../billing/own-database.ts';
import { eventually } from '../support/eventually.ts';
import { assertInvariants, settled } from '../support/invariants.ts';
import { livesOf, type Lives } from '../support/lives.ts';
import { openMarket, type Market } from '../support/market.ts';
import { startRole, type Role } from '../support/role.ts';
import { temporalServer, type TemporalServer } from '../temporal/temporal-server.ts';
import { pointsOfLives, pointsOfStep, stepOf, stepsKilled } from './fault-points.ts';

/** A task whose worker died is given to another after this long; ten seconds as Temporal comes. */
const TASK_TIMEOUT = 'history.defaultWorkflowTaskTimeout="2s"';

describe('kill -9 of a worker', function () {
  this.timeout(120_000);
  let temporal: TemporalServer;
  let database: OwnDatabase;
  let settings: Record<string, string>;
  let api: Role;
  let market: Market;
  let lives: Lives;
  const touched: string[] = [];

  before(async () => {
    temporal = await temporalServer([TASK_TIMEOUT]);
    database = await ownDatabase();
    settings = {
      DATABASE_URL: database.url,
      TEMPORAL_ADDRESS: temporal.address,
      PLATFORM_ADMIN_KEY: randomBytes(18).toString('hex'),
      ENCRYPTION_KEY: randomBytes(32).toString('base64'),
      LOCAL_PROVIDERS: 'true',
    };
    await temporal.start();
    api = await startRole('api', settings);
    market = await openMarket({ baseUrl: api.baseUrl, adminKey: settings.PLATFORM_ADMIN_KEY ?? '' });
    lives = livesOf({ temporal_address: temporal.address, temporal_namespace: 'default' });
  });
  after(async () => {
    await lives.close();
    await api.stop();
    await database.drop();
    await temporal.remove();
  });

  /** An invocation whose deadline is over before its life has taken the first step, which therefore expires it. */
  const overdue = async (): Promise<string> => {
    const id = await market.pending();
    await database.pool.query(sql.unsafe`update invocations set expires_at = clock_timestamp() where id = ${id}`);
    return id;
  };
  /** Claimed and completed by signals from outside, the steps in which the worker acts for somebody. */
  const signalled = async (): Promise<string> => {
    const id = await market.pending();
    const run = lives.client.workflow.getHandle(lifeId.invocation(id));
    await eventually('the life to take a signal', () => run.signal(invocationSignals.claim).then(() => true), { ignoreErrors: () => true });
    await run.signal(invocationSignals.complete, { output: { text: 'HELLO' } });
    return id;
  };

  const cases = [
    ...pointsOfStep('advanceInvocation').map((point) => ({ point, provoke: overdue, ends: 'expired' })),
    ...pointsOfStep('actOnInvocationSignal').map((point) => ({ point, provoke: signalled, ends: 'completed' })),
  ];

  it('is tried at the points of every step that a life has, here or in a test beside this one', () => {
    assert.deepEqual(stepsKilled(), new Set(pointsOfLives().map(stepOf)));
  });

  for (const { point, provoke, ends } of cases) {
    it(`at ${point}: the next worker brings the life to the same end, once`, async () => {
      const dying = await startRole('worker', { ...settings, FAULT_AT: point });
      const id = await provoke();
      touched.push(id);
      assert.equal(await dying.ended, 'SIGKILL');

      const next = await startRole('worker', settings);
      await eventually('the end of the invocation', async () => (await market.show(id)).status === ends);
      await settled(database.pool, [id]);
      await lives.closed([id]);
      await assertInvariants(database.pool, touched);
      await next.kill();
    });
  }

  it('has held no cent back and given none twice', async () => {
    const completed = Number(await database.pool.oneFirst(sql.unsafe`select count(*)::int from invocations where status = 'completed'`));
    assert(completed > 0);
    const { balance_cents: balance, held_cents: held } = await market.balance();
    assert.deepEqual({ balance, held }, { balance: 10_000 - completed * market.price, held: 0 });
  });
});
