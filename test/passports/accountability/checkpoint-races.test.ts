import assert from 'node:assert/strict';
import { setTimeout as jitter } from 'node:timers/promises';
import { z } from 'zod';
import { sql, type DatabasePool } from '../../../src/database/pool.ts';
import { CarnetError } from '../../../src/errors/carnet-error.ts';
import { CheckpointBodySchema } from '../../../src/passports/accountability/schema.ts';
import { advanceSession } from '../../../src/passports/accountability/advance-session.ts';
import { lookAfterLives, makeDue } from '../../support/due-lives.ts';
import { lifeId } from '../../../src/ids/life-ids.ts';
import { submitCheckout, submitCheckpoint } from '../../../src/passports/accountability/submit-report.ts';
import { RACE_ROUNDS } from '../../billing/ledger/ledger-world.ts';
import { callOf, ownContext, type OwnContext } from '../../invocations/own-context.ts';
import {
  beforeAge,
  claimsOf,
  eventsOf,
  flagsOf,
  newLineage,
  newOperator,
  refreshed,
  run,
  timePasses,
  type Lineage,
} from '../lineages.ts';

/** A round is about ten statements: ten rounds cost as much as one of the money races. */
const ROUNDS = RACE_ROUNDS * 10;
/** Seconds: a quarter of the interval of 300. */
const CHECKPOINT_GRACE = 75;
const REPORT = CheckpointBodySchema.parse({ services_used: ['GitHub'], actions_count: 1 });

describe('races at a deadline', function () {
  this.timeout(300_000);
  let own: OwnContext;
  let db: DatabasePool;
  before(async () => {
    own = await ownContext();
    db = own.context.pool;
  });
  after(() => own.close());

  const checkpoint = ({ operator, jti }: Lineage) =>
    submitCheckpoint(own.context, callOf(operator, 'submitCheckpoint'), { jti, body: REPORT });
  const checkout = ({ operator, jti }: Lineage) =>
    submitCheckout(own.context, callOf(operator, 'submitCheckout'), { jti, body: REPORT });
  const life = ({ session }: Lineage) => advanceSession(own.context, session);
  const revoke = ({ jti }: Lineage) => run(db, sql.fragment`select revoke_lineages(array[${jti}], ${jti}, 'test')`);
  /** At a random moment within the next milliseconds, so that every order occurs. */
  const somewhen = <T>(act: () => Promise<T>): Promise<T> => jitter(Math.random() * 12).then(act);

  /** Lists what was flagged, claimed and announced: each flag has one claim and is in one event. */
  const raised = async (lineage: Lineage): Promise<{ type: string; occasion: string }[]> => {
    const flags = await flagsOf(db, lineage);
    const claims = await claimsOf(db, lineage, 'detector_signal');
    assert.deepEqual(
      claims.map(({ envelope: { payload } }) => [
        payload.detector_key,
        (payload.metadata as { occasion: string }).occasion,
      ]),
      flags.map(({ type, occasion }) => [type, occasion]),
    );
    const events = (await eventsOf(db, lineage)).filter(({ event_type: type }) => type !== 'review.pending');
    const announced = events.flatMap(({ event_type, payload }) =>
      event_type === 'passport.flagged'
        ? (payload.flags as { type: string }[]).map(({ type }) => type)
        : ['missed_checkout'],
    );
    assert.deepEqual(announced.toSorted(), flags.map(({ type }) => type).toSorted());
    return flags.map(({ type, occasion }) => ({ type, occasion }));
  };
  const lookAt = async ({ session }: Lineage): Promise<void> => {
    await makeDue(db, lifeId.session(session));
    await lookAfterLives(own.context);
  };
  const typesOf = async (lineage: Lineage): Promise<string[]> => (await raised(lineage)).map(({ type }) => type);
  const enforced = async (options: Partial<Parameters<typeof newLineage>[1]> = {}): Promise<Lineage> =>
    newLineage(db, { operator: await newOperator(db), ...options });

  it('two lives, a look without a run and a checkpoint at one missed deadline: one flag, which the checkpoint shows', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const lineage = await enforced({ age: 300 + CHECKPOINT_GRACE + 31 });
      const [, , , { body }] = await Promise.all([life(lineage), life(lineage), lookAt(lineage), checkpoint(lineage)]);
      assert.deepEqual(await typesOf(lineage), ['missed_checkpoint']);
      assert.deepEqual(
        body.flags.map(({ type }) => type),
        ['missed_checkpoint'],
      );
    }
  });

  it('a checkpoint around its deadline: late before it, missed after it, always one of both', async () => {
    const seen = { late: 0, missed: 0 };
    // Seconds from the start to the deadline; how many of them let both orders occur depends on the speed of the
    // machine.
    let ahead = 0.01;
    for (let round = 0; round < ROUNDS; round += 1) {
      const lineage = await enforced({ age: 300 + CHECKPOINT_GRACE - ahead });
      const deadline = await db.oneFirst(sql.type(z.object({ at: z.string() }))`
        select iso_time(next_checkpoint_due_at + make_interval(secs => ${CHECKPOINT_GRACE})) as at from passport_lineages where id = ${lineage.jti}`);
      const looks = [1, 2, 3].map(() => somewhen(() => life(lineage)));
      const { body } = await somewhen(() => checkpoint(lineage));
      await Promise.all(looks);
      const flags = await raised(lineage);
      const inTime = body.checkpoint.submitted_at < deadline;
      if (body.checkpoint.submitted_at === deadline) continue; // the same millisecond, so the answer cannot show the order
      assert.deepEqual(
        flags.map(({ type }) => type),
        [inTime ? 'late_checkpoint' : 'missed_checkpoint'],
      );
      assert.deepEqual(
        body.flags.map(({ type }) => type),
        flags.map(({ type }) => type),
      );
      seen[inTime ? 'late' : 'missed'] += 1;
      ahead *= inTime ? 0.8 : 1.25;
    }
    assert(seen.late > 0 && seen.missed > 0, `both orders came up: ${JSON.stringify(seen)}`);
  });

  it('lives, a look without a run and a checkout at a missed checkout: one flag, one event, one review, one checkout', async () => {
    const Row = z.object({ reviews: z.number(), missed: z.boolean(), reported: z.boolean(), risk: z.string() });
    for (let round = 0; round < ROUNDS; round += 1) {
      const lineage = await enforced({ interval: null, ttl: 600, age: 600 + 931 });
      const [, , , first, second] = await Promise.allSettled([
        life(lineage),
        life(lineage),
        lookAt(lineage),
        checkout(lineage),
        checkout(lineage),
      ]);
      const lost = [first, second].filter(({ status }) => status === 'rejected') as PromiseRejectedResult[];
      assert.equal(lost.length, 1);
      assert(lost[0]?.reason instanceof CarnetError && lost[0].reason.code === 'ALREADY_CHECKED_OUT');
      assert.deepEqual(await typesOf(lineage), ['missed_checkout']);
      const row = await db.one(sql.type(Row)`
        select count(*) as reviews, bool_and(missed) as missed, bool_and(submitted_at is not null) as reported, min(risk) as risk
        from checkouts where lineage_id = ${lineage.jti}`);
      assert.deepEqual(row, { reviews: 1, missed: true, reported: true, risk: 'critical' });
    }
  });

  it('a revocation around a deadline: each missed checkpoint raised once, the checkout once', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const lineage = await enforced({ age: 300 + CHECKPOINT_GRACE - 0.005 });
      await Promise.all([
        somewhen(() => life(lineage)),
        somewhen(() => revoke(lineage)),
        somewhen(() => life(lineage)),
      ]);
      const before = await typesOf(lineage);
      assert(before.length <= 1);
      await timePasses(db, lineage, 4_000);
      await life(lineage);
      // The agent may be silent no longer for the revocation: misses go on, each once, until the checkout is missed.
      const after = await raised(lineage);
      assert.equal(new Set(after.map(({ type, occasion }) => `${type} ${occasion}`)).size, after.length);
      const types = after.map(({ type }) => type);
      assert.deepEqual([types.at(-1), types.indexOf('missed_checkout')], ['missed_checkout', types.length - 1]);
      assert(types.length - 1 >= 3, types.join(', '));
    }
  });

  it('a refresh around the last moment: the deadline that it brings back is raised once', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const { lineage, done } = await beforeAge(db, 300 + CHECKPOINT_GRACE, [
        () => enforced({ ttl: 374, age: 373 }),
        async (one) => {
          await Promise.all([
            somewhen(() => life(one)),
            somewhen(() => refreshed(db, one, 600)),
            somewhen(() => life(one)),
          ]);
          return typesOf(one);
        },
      ]);
      assert.deepEqual(done, []);
      await timePasses(db, lineage, 3);
      await Promise.all([life(lineage), life(lineage), lookAt(lineage)]);
      assert.deepEqual(await typesOf(lineage), ['missed_checkpoint']);
    }
  });

  it('many lineages of one session, due together, under many lives: no deadlock, one flag each', async () => {
    for (let round = 0; round < RACE_ROUNDS; round += 1) {
      const root = await enforced({ age: 300 + CHECKPOINT_GRACE + 31 });
      const all = [root];
      for (let nth = 0; nth < 8; nth += 1)
        all.push(await newLineage(db, { operator: root.operator, parent: root, age: 300 + CHECKPOINT_GRACE + 31 }));
      await Promise.all([life(root), lookAt(root), life(root), ...all.map(checkpoint), life(root)]);
      for (const lineage of all)
        assert.deepEqual(
          (await flagsOf(db, lineage)).map(({ type }) => type),
          ['missed_checkpoint'],
        );
    }
  });
});
