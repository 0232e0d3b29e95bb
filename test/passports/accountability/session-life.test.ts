import assert from 'node:assert/strict';
import { z } from 'zod';
import { sql, type DatabasePool } from '../../../src/database/pool.ts';
import { newId } from '../../../src/ids/ids.ts';
import { lifeId } from '../../../src/ids/life-ids.ts';
import { wake } from '../../../workflows/life.ts';
import { eventually } from '../../support/eventually.ts';
import { startRig, type Rig } from '../../temporal/rig.ts';
import { runOf } from '../../temporal/runs.ts';
import { temporalServer, type TemporalServer } from '../../temporal/temporal-server.ts';
import { ageOf, beforeAge, flagsOf, flagTypes, timePasses, type Lineage } from '../lineages.ts';
import { beginSession, INTENT, SUMMARY, wakeSession, type Session } from './sessions.ts';

/** When a checkpoint counts as missed, in seconds after its session has begun: an interval of 300 and its grace. */
const MISSED = 375;

/** When the report that a life waits for counts as missed. */
const until = (text: string): string => /until (\S+Z)/.exec(text)?.[1] ?? assert.fail(text);

describe('The life of a session', () => {
  let rig: Rig;
  let db: DatabasePool;
  before(async () => {
    rig = await startRig();
    db = rig.context.pool;
    await rig.startDelivery();
    await rig.startWorker();
  });
  after(() => rig.stop());

  /**
   * Does something with a session whose life waits for a checkpoint that is missed in a few seconds; again with another
   * session and more seconds where the machine was too slow.
   */
  const beforeItIsMissed = async <T>(act: (session: Session) => Promise<T>): Promise<{ session: Session; done: T }> => {
    let seconds = 1;
    const begin = async (): Promise<Session> => {
      seconds *= 2;
      const session = await beginSession(rig, { age: MISSED - seconds });
      await eventually('the life to have begun', () => seen(session)); // a query of the run itself would cost it a task
      return session;
    };
    const { lineage: session, done } = await beforeAge(db, MISSED, [begin, act]);
    return { session, done };
  };
  /** If one was missed meanwhile, the life waits for the second. */
  const waitsForTheFirst = async ({ life }: Session): Promise<void> =>
    assert.match(await life.showing(/^Waits for checkpoint/), /^Waits for checkpoint 1 of/);
  /** Whether its life has read it. */
  const seen = ({ session }: Lineage): Promise<boolean> =>
    db.exists(sql.unsafe`select from lives where life = ${lifeId.session(session)} and epoch is not null`);
  /** So many seconds after the session has begun. */
  const instant = ({ jti }: Lineage, seconds: number): Promise<string> =>
    db.oneFirst(sql.type(z.object({ at: z.string() }))`
      select iso_time(started_at + make_interval(secs => ${seconds})) as at from passport_lineages where id = ${jti}`);

  it('shows what it waits for and until when, through checkpoints, a revocation and the checkout', async () => {
    const session = await beginSession(rig);
    const first = await session.life.showing(new RegExp(`^Waits for checkpoint 1 of ${session.agent} until \\d{4}-`));
    assert.equal(until(first), await instant(session, MISSED));
    await session.checkpoint();
    await session.life.showing(/^Waits for checkpoint 2 of/);
    // Past the expiry the agent may be silent no longer than before it.
    await session.revoke();
    await session.passes(10);
    await session.life.showing(new RegExp(`^Waits for checkpoint 2 of ${session.agent} until \\d{4}-`));
    await session.checkout();
    const reviewing = await session.life.showing(/^Waits for review of chko_\w+ by a person: POST /);
    const [, checkoutId = ''] = /(chko_\w+)/.exec(reviewing) ?? [];
    await session.block(checkoutId);
    await session.life.ended();
    await session.life.showing(/^Ended: nothing is owed any more\.$/);
  });

  it('can be found by operator, agent and whether it is open', async () => {
    const session = await beginSession(rig, { accountability: 'logged' });
    await session.life.showing(/^Waits/);
    const found = async (status: string): Promise<boolean> => {
      const query = `AgentId = "${session.agent}" AND OperatorId = "${session.operator}" AND LifeStatus = "${status}"`;
      for await (const { workflowId } of rig.temporal.client.workflow.list({ query }))
        return workflowId === lifeId.session(session.session);
      return false;
    };
    await eventually('the open life to be listed', () => found('open'));
    const description = await session.life.handle.describe();
    assert.equal(await description.staticSummary(), `Session of ${session.agent} for ${session.operator}`);
    assert.match((await description.staticDetails()) ?? '', new RegExp(`first passport \`${session.jti}\``));
    await session.checkout();
    await session.life.ended();
    await eventually('the ended life to be listed', () => found('ended'));
  });

  it('flags a missed checkpoint by its own timer, once, and waits for the next', async () => {
    const { session, done } = await beforeItIsMissed(async (one) => {
      await waitsForTheFirst(one);
      return flagTypes(db, one);
    });
    assert.deepEqual(done, []);
    await eventually('the flag', async () => (await flagTypes(db, session)).length > 0);
    const next = await instant(session, MISSED + 300);
    await eventually('the life to wait for the next', async () => until(await session.life.showing(/^Waits/)) === next);
    assert.deepEqual(
      (await flagsOf(db, session)).map(({ type, severity }) => [type, severity]),
      [['missed_checkpoint', 'critical']],
    );
  });

  it('does not flag a checkpoint that came in time, though its timer fires', async () => {
    const { session } = await beforeItIsMissed(async (one) => {
      await waitsForTheFirst(one);
      await one.checkpoint();
    });
    await session.life.showing(/^Waits for checkpoint 2 of/);
    await eventually('the deadline to pass', async () => (await ageOf(db, session)) > MISSED + 1);
    assert.deepEqual(await flagTypes(db, session), ['late_checkpoint']);
  });

  it('makes the review of a missed checkout, and waits for its decision without a timer', async () => {
    const session = await beginSession(rig, { interval: null, ttl: 600 });
    await session.life.showing(/^Waits for checkout of/);
    await session.passes(600 + 901);
    await session.life.showing(/^Waits for review of chko_/);
    assert.deepEqual(await flagTypes(db, session), ['missed_checkout']);
    assert.equal(
      (await session.life.events()).filter((name) => name === 'TimerStarted').length,
      1,
      'the one of the checkout',
    );
    const review = await session.checkout();
    await session.life.showing(new RegExp(`^Waits for review of ${review}`));
    await session.block(String(review), true);
    await session.life.ended();
  });

  it('waits for the checkouts of passports that are revoked, and for the reviews of those that never come', async () => {
    const session = await beginSession(rig);
    const child = await beginSession(rig, {
      operator: session.operator,
      parent: session,
      accountability: 'logged',
      interval: 60,
      age: -5,
    });
    await session.life.showing(new RegExp(`^Waits for checkpoint 1 of ${child.agent} until`));
    await child.revoke();
    await session.life.showing(new RegExp(`^Waits for checkpoint 1 of ${session.agent} until`));
    await session.revoke();
    await session.life.showing(new RegExp(`^Waits for checkpoint 1 of ${session.agent} until`));
    await child.passes(901);
    await session.passes(901);
    const reviewing = await session.life.showing(/^Waits for review of chko_\w+ by a person: POST /);
    const [, review = ''] = /(chko_\w+)/.exec(reviewing) ?? [];
    await session.block(review);
    await session.life.ended();
    assert.deepEqual(await flagTypes(db, child), ['missed_checkout'], 'logged: flagged, and nobody reviews');
  });

  it('needs one workflow task for each deadline', async () => {
    const { session } = await beforeItIsMissed(async () => {});
    await eventually('the flag', async () => (await flagTypes(db, session)).length === 1);
    await eventually(
      'two timers',
      async () => (await session.life.events()).filter((name) => name === 'TimerStarted').length === 2,
    );
    assert.equal(await session.life.tasks(), 2);
  });

  it('survives a request to cancel the run, and refuses signals it does not know', async () => {
    const session = await beginSession(rig, { accountability: 'logged' });
    await session.life.showing(/^Waits/);
    await session.life.handle.cancel();
    await session.life.showing(/Refused to cancel this run: it ends by itself/);
    await session.life.handle.signal('checkpoint', {});
    await session.life.showing(/Refused signal checkpoint: /);
    await session.checkout();
    await session.life.ended();
  });

  it('continues from the rows when it is woken after it was terminated', async () => {
    const session = await beginSession(rig);
    await session.life.showing(/^Waits/);
    const { runId } = await session.life.handle.describe();
    await session.life.handle.terminate('by hand');
    await session.checkpoint();
    await eventually('another run', async () => (await session.life.handle.describe()).runId !== runId);
    await session.life.showing(/^Waits for checkpoint 2 of/);
  });

  it('ends in its first task where there is no such session', async () => {
    const session = newId('ses');
    await wakeSession(rig, session);
    const life = runOf(rig, lifeId.session(session));
    await life.ended();
    assert.equal(await life.tasks(), 1);
    await life.showing(/^Ended: there is no such session\.$/);
  });

  it('keeps intents and summaries out of its history', async () => {
    const session = await beginSession(rig, { accountability: 'logged' });
    await session.life.showing(/^Waits/);
    await session.checkpoint();
    await session.life.showing(/^Waits for checkpoint 2/);
    await session.checkout();
    await session.life.ended();
    const text = await session.life.text();
    assert(text.includes(session.agent), 'the payloads are read');
    assert(!text.includes(SUMMARY) && !text.includes(INTENT.summary));
  });
});

describe('The life of a long session', function () {
  this.timeout(60_000);
  let temporal: TemporalServer;
  let rig: Rig;
  before(async () => {
    temporal = await temporalServer(['limit.historyCount.suggestContinueAsNew=20']);
    await temporal.start();
    rig = await startRig({ temporalAddress: temporal.address });
    await rig.startDelivery();
    await rig.startWorker();
  });
  after(async () => {
    await rig.stop();
    await temporal.remove();
  });

  it('continues as new, and misses nothing', async () => {
    const session = await beginSession(rig, { ttl: 7_000 });
    await session.life.showing(/^Waits/);
    const { runId } = await session.life.handle.describe();
    await eventually('another run', async () => {
      await session.life.handle.signal(wake);
      return (await session.life.handle.describe()).runId !== runId;
    });
    await timePasses(rig.context.pool, session, 376);
    await session.life.handle.signal(wake);
    await eventually('the flag', async () => (await flagTypes(rig.context.pool, session)).length === 1);
    await session.life.showing(/^Waits for checkpoint 1 of/);
  });
});
