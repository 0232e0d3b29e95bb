import assert from 'node:assert/strict';
import { z } from 'zod';
import { translateDatabaseError } from '../../../src/database/errors.ts';
import { sql, type DatabasePool } from '../../../src/database/pool.ts';
import { CarnetError } from '../../../src/errors/carnet-error.ts';
import { newId } from '../../../src/ids/ids.ts';
import { CheckoutBodySchema } from '../../../src/passports/accountability/schema.ts';
import { advanceSession } from '../../../src/passports/accountability/advance-session.ts';
import { submitCheckout, submitCheckpoint } from '../../../src/passports/accountability/submit-report.ts';
import { callOf, ownContext, type OwnContext } from '../../invocations/own-context.ts';
import {
  beforeAge,
  claimsOf,
  eventsOf,
  flagsOf,
  flagTypes,
  lineageRow,
  newLineage,
  newOperator,
  refreshed,
  run,
  timePasses,
  type Lineage,
} from '../lineages.ts';

const ReviewRow = z.object({
  id: z.string(),
  review_status: z.string().nullable(),
  risk: z.string().nullable(),
  missed: z.boolean(),
});
const DAY = 86_400;

describe('a checkout', () => {
  let own: OwnContext;
  let db: DatabasePool;
  let operator: string;
  before(async () => {
    own = await ownContext();
    db = own.context.pool;
  });
  after(() => own.close());
  beforeEach(async () => {
    operator = await newOperator(db);
  });

  const report = (overrides: Record<string, unknown> = {}) =>
    CheckoutBodySchema.parse({ services_used: ['GitHub'], actions_count: 9, ...overrides });
  const checkout = async (lineage: Lineage, overrides: Record<string, unknown> = {}, jti = lineage.jti) =>
    (await submitCheckout(own.context, callOf(lineage.operator, 'submitCheckout'), { jti, body: report(overrides) }))
      .body;
  const reviewOf = ({ jti }: Lineage) =>
    db.maybeOne(sql.type(ReviewRow)`select id, review_status, risk, missed from checkouts where lineage_id = ${jti}`);
  const held = ({ agent }: Lineage): Promise<boolean> =>
    db.query(sql.type(z.object({}))`select from refuse_agents_bound(array[${agent}])`).then(
      () => false,
      (error: unknown) => {
        const refused = translateDatabaseError(error);
        assert(refused instanceof CarnetError && refused.code === 'AGENT_REVIEW_PENDING', String(error));
        return true;
      },
    );

  it('of an enforced agent makes a review, clean where nothing was flagged, and does not hold the agent', async () => {
    const lineage = await newLineage(db, { operator });
    const { checkout: made, flags, review } = await checkout(lineage, { summary: 'x'.repeat(2_000) });
    assert.match(made.id, /^chko_[0-9A-Z]{26}$/);
    assert.deepEqual([made.jti, made.late, made.actions_count, flags], [lineage.jti, false, 9, []]);
    assert.deepEqual(review, { checkout_id: made.id, status: 'pending', risk: 'clean' });
    assert.equal(await held(lineage), false);
    const row = await lineageRow(db, lineage);
    assert.deepEqual([row.next_checkpoint_due_at, row.checked_out_at], [null, made.submitted_at]);
    const [claim] = await claimsOf(db, lineage, 'checkpoint_approval');
    assert.deepEqual(
      [claim?.id, claim?.envelope.payload.checkpoint_id],
      [made.claim_id, made.id.replace('chko_', 'chk_')],
    );
  });

  it('of a logged agent makes no review', async () => {
    const lineage = await newLineage(db, { operator, accountability: 'logged', interval: null });
    const { review } = await checkout(lineage, { services_used: ['jira'] });
    assert.equal(review, null);
    assert.equal(await held(lineage), false, 'logged never holds');
  });

  it('counts every flag of the lineage, and holds the agent where one is critical', async () => {
    const warned = await newLineage(db, { operator });
    await timePasses(db, warned, 310);
    await submitCheckpoint(own.context, callOf(operator, 'submitCheckpoint'), { jti: warned.jti, body: report() });
    const { flags, review } = await checkout(warned);
    assert.deepEqual([flags.map(({ type }) => type), review?.risk], [['late_checkpoint'], 'flagged']);
    assert.equal(await held(warned), false);

    const bad = await newLineage(db, { operator });
    await submitCheckpoint(own.context, callOf(operator, 'submitCheckpoint'), {
      jti: bad.jti,
      body: report({ services_used: ['jira'] }),
    });
    assert.equal(await held(bad), false, 'a flag before the checkout does not hold the agent');
    assert.equal((await checkout(bad)).review?.risk, 'critical');
    assert.equal(await held(bad), true);
  });

  it('flags a checkpoint that was missed before it', async () => {
    const lineage = await newLineage(db, { operator });
    await timePasses(db, lineage, 376);
    const { flags, review } = await checkout(lineage);
    assert.deepEqual([flags.map(({ type }) => type), review?.risk], [['missed_checkpoint'], 'critical']);
  });

  it('counts once for the lineage, by any of its passports', async () => {
    const lineage = await newLineage(db, { operator });
    const next = await refreshed(db, lineage, 600);
    assert.equal((await checkout(lineage, {}, next)).checkout.jti, next);
    await assert.rejects(checkout(lineage), { code: 'ALREADY_CHECKED_OUT' });
    await assert.rejects(checkout(lineage, {}, next), { code: 'ALREADY_CHECKED_OUT' });
  });

  it('ends every deadline', async () => {
    const lineage = await newLineage(db, { operator, accountability: 'logged' });
    await checkout(lineage);
    await timePasses(db, lineage, 2 * DAY);
    const step = await advanceSession(own.context, lineage.session);
    assert.deepEqual([step.open, await flagTypes(db, lineage)], [false, []]);
  });

  it('is accepted until 24 hours after the last expiry, revoked or not', async () => {
    const revoked = await newLineage(db, { operator });
    await run(db, sql.fragment`select revoke_lineages(array[${revoked.jti}], ${revoked.jti}, 'test')`);
    assert.equal((await checkout(revoked)).review?.status, 'pending', 'a revocation does not erase the review');
    const expired = () => newLineage(db, { operator, accountability: 'logged', ttl: 60, age: DAY + 59 });
    assert.equal((await beforeAge(db, DAY + 60, [expired, (one) => checkout(one)])).done.checkout.late, true);
    await assert.rejects(checkout(await newLineage(db, { operator, ttl: 60, age: DAY + 61 })), {
      code: 'PASSPORT_EXPIRED',
    });
  });

  it('is refused for an unknown, foreign or standard passport', async () => {
    const lineage = await newLineage(db, { operator });
    await assert.rejects(checkout(lineage, {}, newId('psp')), { code: 'NOT_FOUND' });
    await assert.rejects(checkout({ ...lineage, operator: await newOperator(db) }), { code: 'NOT_FOUND' });
    await assert.rejects(checkout(await newLineage(db, { operator, accountability: 'standard' })), {
      code: 'ACCOUNTABILITY_MODE',
    });
  });

  it('gets the same answer for the same Idempotency-Key', async () => {
    const lineage = await newLineage(db, { operator });
    const call = {
      ...callOf(operator, 'submitCheckout'),
      idempotency: { key: newId('key'), fingerprint: Buffer.from('same') },
    };
    const answers = await Promise.all(
      [1, 2, 3].map(() => submitCheckout(own.context, call, { jti: lineage.jti, body: report() })),
    );
    for (const answer of answers) assert.deepEqual(answer.body, answers[0]?.body);
    assert.equal(answers.filter(({ replayed }) => !replayed).length, 1);
  });

  describe('that is missed', () => {
    it('makes the review of an enforced agent, with risk critical', async () => {
      const { lineage, done } = await beforeAge(db, 600 + 900, [
        async () => newLineage(db, { operator: await newOperator(db), interval: null, ttl: 600, age: 600 + 899 }),
        async (one) => [(await advanceSession(own.context, one.session)).waitsFor, await reviewOf(one)],
      ]);
      assert.deepEqual(done, ['checkout', null]);
      await timePasses(db, lineage, 2);
      const step = await advanceSession(own.context, lineage.session);
      const review = await reviewOf(lineage);
      assert.deepEqual({ ...review, id: '' }, { id: '', review_status: 'pending', risk: 'critical', missed: true });
      assert.deepEqual([step.open, step.waitMs, step.reviews], [true, null, [review?.id]]);
      assert.deepEqual(
        (await flagsOf(db, lineage)).map(({ type, severity, jti }) => [type, severity, jti]),
        [['missed_checkout', 'critical', lineage.jti]],
      );
      const [waits, event] = await eventsOf(db, lineage);
      assert.deepEqual([waits?.event_type, waits?.payload['checkout_id']], ['review.pending', review?.id]);
      assert.deepEqual([event?.event_type, event?.severity], ['passport.missed_checkout', 'critical']);
      assert.deepEqual(Object.keys(event?.payload ?? {}), ['jti', 'agent_id', 'expected_by', 'checkout_id']);
      assert.equal(event?.payload['checkout_id'], review?.id);
      assert.equal(await held(lineage), true);
      assert.equal((await eventsOf(db, lineage)).length, 2, 'no passport.flagged for the same thing');
    });

    it('is a warning for a logged agent, and nothing more is awaited', async () => {
      const lineage = await newLineage(db, { operator, accountability: 'logged', interval: null, ttl: 600 });
      await timePasses(db, lineage, 1_501);
      assert.equal((await advanceSession(own.context, lineage.session)).open, false);
      assert.deepEqual(
        (await flagsOf(db, lineage)).map(({ severity }) => severity),
        ['warning'],
      );
      assert.deepEqual(
        (await eventsOf(db, lineage)).map(({ severity }) => severity),
        ['warning'],
      );
      assert.equal(await reviewOf(lineage), null);
      assert.equal(await held(lineage), false);
    });

    it('was expected by the estimated end if that is later than the expiry', async () => {
      const intent = { summary: 'Long', services: [], estimated_duration_seconds: 5_000 };
      const { lineage, done } = await beforeAge(db, 5_000 + 900, [
        () => newLineage(db, { operator, interval: null, ttl: 600, intent, age: 5_000 + 899 }),
        async (one) => {
          await advanceSession(own.context, one.session);
          return flagTypes(db, one);
        },
      ]);
      assert.deepEqual(done, []);
      await timePasses(db, lineage, 2);
      await advanceSession(own.context, lineage.session);
      assert.deepEqual(await flagTypes(db, lineage), ['missed_checkout']);
    });

    it('was expected by the expiry once a critical flag is raised, no matter what was estimated', async () => {
      const intent = { summary: 'Long', services: [], estimated_duration_seconds: DAY };
      const { lineage, done } = await beforeAge(db, 600 + 900, [
        () => newLineage(db, { operator, ttl: 600, intent, age: 600 + 899 }),
        async (one) => {
          await advanceSession(own.context, one.session);
          return flagTypes(db, one);
        },
      ]);
      // At 375, 675, 975 and 1,275 seconds: the agent may be silent no longer for the expiry.
      const misses = Array.from({ length: 4 }, () => 'missed_checkpoint');
      assert.deepEqual(done, misses);
      await timePasses(db, lineage, 2);
      await advanceSession(own.context, lineage.session);
      assert.deepEqual(await flagTypes(db, lineage), [...misses, 'missed_checkout']);
      assert.equal(await held(lineage), true);
    });

    it('and comes later is added to its review: late, the same review, still critical', async () => {
      const lineage = await newLineage(db, { operator, interval: null, ttl: 600 });
      await timePasses(db, lineage, 1_501);
      await advanceSession(own.context, lineage.session);
      const before = await reviewOf(lineage);
      const { checkout: made, review, flags } = await checkout(lineage);
      assert.deepEqual([made.id, made.late], [before?.id, true]);
      assert.deepEqual(review, { checkout_id: before?.id, status: 'pending', risk: 'critical' });
      assert.deepEqual(
        flags.map(({ type }) => type),
        ['missed_checkout'],
      );
      assert.notEqual((await lineageRow(db, lineage)).checked_out_at, null);
      await assert.rejects(checkout(lineage), { code: 'ALREADY_CHECKED_OUT' });
    });

    it('is handled alike when the checkout itself finds it missed', async () => {
      const lineage = await newLineage(db, { operator, interval: null, ttl: 600 });
      await timePasses(db, lineage, 1_501);
      const { checkout: made, review } = await checkout(lineage);
      assert.deepEqual([made.late, review?.risk, (await reviewOf(lineage))?.missed], [true, 'critical', true]);
      assert.deepEqual(await flagTypes(db, lineage), ['missed_checkout']);
    });

    it('is missed on a revoked passport too, since a revocation ends no obligation', async () => {
      const lineage = await newLineage(db, { operator, ttl: 600 });
      await run(db, sql.fragment`select revoke_lineages(array[${lineage.jti}], ${lineage.jti}, 'test')`);
      const step = await advanceSession(own.context, lineage.session);
      assert.deepEqual([step.open, step.waitsFor], [true, 'checkpoint'], 'the agent may be silent no longer for it');
      await timePasses(db, lineage, 901);
      await advanceSession(own.context, lineage.session);
      assert.deepEqual(
        await flagTypes(db, lineage),
        ['missed_checkpoint', 'missed_checkpoint', 'missed_checkout'],
        'due at the revocation, not at the expiry',
      );
      const review = await reviewOf(lineage);
      assert.deepEqual({ ...review, id: '' }, { id: '', review_status: 'pending', risk: 'critical', missed: true });
      assert.equal(await held(lineage), true);
    });

    it('was expected by the expiry where the passport was revoked after it', async () => {
      const { lineage, done } = await beforeAge(db, 600 + 900, [
        async () => {
          const one = await newLineage(db, { operator, interval: null, ttl: 600, age: 600 + 898 });
          await run(db, sql.fragment`select revoke_lineages(array[${one.jti}], ${one.jti}, 'test')`);
          return one;
        },
        async (one) => {
          await advanceSession(own.context, one.session);
          return flagTypes(db, one);
        },
      ]);
      assert.deepEqual(done, []);
      await timePasses(db, lineage, 3);
      await advanceSession(own.context, lineage.session);
      assert.deepEqual(await flagTypes(db, lineage), ['missed_checkout']);
    });

    it('is flagged beside the checkpoint that was missed before the revocation and that nobody had asked for yet', async () => {
      const lineage = await newLineage(db, { operator });
      await timePasses(db, lineage, 376);
      await run(db, sql.fragment`select revoke_lineages(array[${lineage.jti}], ${lineage.jti}, 'test')`);
      assert.deepEqual(await flagTypes(db, lineage), ['missed_checkpoint']);
      const { review } = await checkout(lineage);
      assert.equal(review?.risk, 'critical');
      assert.deepEqual(await flagTypes(db, lineage), ['missed_checkpoint']);
    });
  });
});
