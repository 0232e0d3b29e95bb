import assert from 'node:assert/strict';
import { sql, type DatabasePool } from '../../../src/database/pool.ts';
import { newId } from '../../../src/ids/ids.ts';
import { CheckpointBodySchema } from '../../../src/passports/accountability/schema.ts';
import { advanceSession } from '../../../src/passports/accountability/advance-session.ts';
import { submitCheckout, submitCheckpoint } from '../../../src/passports/accountability/submit-report.ts';
import { callOf, ownContext, type OwnContext } from '../../invocations/own-context.ts';
import {
  beforeAge,
  claimsOf,
  eventsOf,
  flagTypes,
  lineageRow,
  newLineage,
  newOperator,
  refreshed,
  run,
  timePasses,
  type Lineage,
  type LineageOptions,
} from '../lineages.ts';

describe('a checkpoint', () => {
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
    CheckpointBodySchema.parse({ services_used: ['GitHub'], actions_count: 3, ...overrides });
  const checkpoint = async (lineage: Lineage, overrides: Record<string, unknown> = {}, jti = lineage.jti) =>
    (
      await submitCheckpoint(own.context, callOf(lineage.operator, 'submitCheckpoint'), {
        jti,
        body: report(overrides),
      })
    ).body;
  const seconds = (text: string | null): number => Date.parse(text ?? '') / 1_000;

  it('is numbered, has a claim, and is due again an interval later', async () => {
    const lineage = await newLineage(db, { operator, missions: ['ms_only'] });
    const first = await checkpoint(lineage, {
      services_used: ['GitHub', 'github'],
      tool_calls: [
        { service: 'GitHub', method: 'repo:read', target: 'x' },
        { service: 'GitHub', method: 'ping' },
      ],
      actions_count: 7.9,
      delegated_to: ['ag_helper'],
      summary: 'Read "everything"',
    });
    assert.match(first.checkpoint.id, /^chk_[0-9A-Z]{26}$/);
    assert.deepEqual(
      { ...first.checkpoint, id: '', submitted_at: '', claim_id: '' },
      {
        id: '',
        jti: lineage.jti,
        sequence: 1,
        services_used: ['GitHub', 'github'],
        tool_calls: [
          { service: 'GitHub', method: 'repo:read', target: 'x' },
          { service: 'GitHub', method: 'ping' },
        ],
        actions_count: 7.9,
        delegated_to: ['ag_helper'],
        summary: 'Read "everything"',
        submitted_at: '',
        claim_id: '',
      },
    );
    assert.deepEqual(first.flags, []);
    assert(Math.abs(seconds(first.next_checkpoint_due_at) - seconds(first.checkpoint.submitted_at) - 300) < 0.01);
    assert.equal((await checkpoint(lineage)).checkpoint.sequence, 2);

    const [claim] = await claimsOf(db, lineage, 'checkpoint_approval');
    assert.deepEqual(
      [claim?.id, claim?.subject, claim?.passport_jti],
      [first.checkpoint.claim_id, `carnet://passport/${lineage.jti}`, lineage.jti],
    );
    assert.deepEqual(claim?.envelope.payload, {
      type: 'checkpoint_approval',
      checkpoint_id: first.checkpoint.id,
      interval_seconds: 300,
      services_used: ['GitHub', 'github'],
      actions_count: 7,
      has_summary: true,
      delegated_to: ['ag_helper'],
      submitted_by: lineage.agent,
      submitted_at: Math.floor(seconds(first.checkpoint.submitted_at)),
      mission_ref: 'ms_only',
    });
  });

  it('wakes the life of its session, and leaves an audit event', async () => {
    const lineage = await newLineage(db, { operator });
    const before = own.deliveries();
    await checkpoint(lineage);
    assert(own.deliveries() > before); // its claim is announced too
    const messages = await db.oneFirst(
      sql.unsafe`select count(*)::int from lives where ready and epoch is null and life = ${`session:${lineage.session}`}`,
    );
    assert.equal(messages, 1);
    const actions = await db.anyFirst(sql.unsafe`select action from audit_events where target = ${lineage.jti}`);
    assert.deepEqual(actions, ['passport.checkpointed']);
  });

  it('on any passport of the lineage counts for all', async () => {
    const lineage = await newLineage(db, { operator });
    const next = await refreshed(db, lineage, 900);
    await checkpoint(lineage);
    const second = await checkpoint(lineage, {}, next);
    assert.deepEqual([second.checkpoint.sequence, second.checkpoint.jti], [2, next]);
  });

  it('of a logged agent without interval is never due', async () => {
    const lineage = await newLineage(db, { operator, accountability: 'logged', interval: null });
    const { next_checkpoint_due_at: due } = await checkpoint(lineage);
    assert.equal(due, null);
    const [claim] = await claimsOf(db, lineage, 'checkpoint_approval');
    assert.equal(claim?.envelope.payload.interval_seconds, null);
  });

  it('gets the same answer for the same Idempotency-Key, and is made once', async () => {
    const lineage = await newLineage(db, { operator });
    const call = {
      ...callOf(operator, 'submitCheckpoint'),
      idempotency: { key: newId('key'), fingerprint: Buffer.from('same') },
    };
    const answers = await Promise.all(
      [1, 2, 3, 4].map(() => submitCheckpoint(own.context, call, { jti: lineage.jti, body: report() })),
    );
    for (const answer of answers) assert.deepEqual(answer.body, answers[0]?.body);
    assert.equal(answers.filter(({ replayed }) => !replayed).length, 1);
    assert.equal((await lineageRow(db, lineage)).checkpoint_count, 1);
  });

  it('is refused for an unknown, standard, revoked, expired or checked out passport', async () => {
    const lineage = await newLineage(db, { operator });
    await assert.rejects(checkpoint(lineage, {}, newId('psp')), { code: 'NOT_FOUND' });
    await assert.rejects(checkpoint({ ...lineage, operator: await newOperator(db) }), { code: 'NOT_FOUND' });
    await assert.rejects(checkpoint(await newLineage(db, { operator, accountability: 'standard' })), {
      code: 'ACCOUNTABILITY_MODE',
    });
    await assert.rejects(checkpoint(await newLineage(db, { operator, ttl: 60, age: 61 })), {
      code: 'PASSPORT_EXPIRED',
    });
    const revoked = await newLineage(db, { operator });
    await run(db, sql.fragment`select revoke_lineages(array[${revoked.jti}], ${revoked.jti}, 'test')`);
    await assert.rejects(checkpoint(revoked), { code: 'PASSPORT_REVOKED' });
    await submitCheckout(own.context, callOf(operator, 'submitCheckout'), { jti: lineage.jti, body: report() });
    await assert.rejects(checkpoint(lineage), { code: 'ALREADY_CHECKED_OUT' });
  });

  describe('and its deadline', () => {
    /** A checkpoint in the last second before a lineage is this old, and the flags that it raised. */
    const madeBefore = async (
      age: number,
      options: Partial<LineageOptions>,
    ): Promise<{ lineage: Lineage; types: string[] }> => {
      const { lineage, done } = await beforeAge(db, age, [
        () => newLineage(db, { operator, age: age - 1, ...options }),
        (one) => checkpoint(one),
      ]);
      return { lineage, types: done.flags.map(({ type }) => type) };
    };

    it('after it was due but within the grace is late', async () => {
      const lineage = await newLineage(db, { operator });
      await timePasses(db, lineage, 310);
      const { flags } = await checkpoint(lineage);
      assert.deepEqual(
        flags.map(({ type, severity, jti }) => [type, severity, jti]),
        [['late_checkpoint', 'warning', lineage.jti]],
      );
      const [event] = await eventsOf(db, lineage);
      assert.deepEqual([event?.event_type, event?.severity], ['passport.flagged', 'warning']);
      assert.deepEqual(event?.payload, {
        jti: lineage.jti,
        agent_id: lineage.agent,
        checkout_id: null,
        flags: flags.map(({ type, severity, message }) => ({ type, severity, message })),
      });
    });

    it('after the grace finds the miss flagged, once an interval, and is not late for the next', async () => {
      assert.deepEqual((await madeBefore(300 + 75, {})).types, ['late_checkpoint'], 'a second before');
      const other = await newLineage(db, { operator });
      await timePasses(db, other, 300 + 75 + 1);
      const { flags, next_checkpoint_due_at, checkpoint: made } = await checkpoint(other);
      assert.deepEqual(
        flags.map(({ type, severity }) => [type, severity]),
        [['missed_checkpoint', 'critical']],
      );
      assert(Math.abs(seconds(next_checkpoint_due_at) - seconds(made.submitted_at) - 300) < 0.01);
      const third = await newLineage(db, { operator });
      await timePasses(db, third, 3 * 300 + 76);
      assert.deepEqual(
        (await checkpoint(third)).flags.map(({ type }) => type),
        ['missed_checkpoint', 'missed_checkpoint', 'missed_checkpoint'],
      );
    });

    it('has a grace of at least 30 s and at most 300 s', async () => {
      const { lineage: often, types: afterLittle } = await madeBefore(60 + 30, { interval: 60 });
      assert.deepEqual(afterLittle, ['late_checkpoint']);
      await timePasses(db, often, 60 + 31);
      assert.deepEqual(
        (await checkpoint(often)).flags.map(({ type }) => type),
        ['missed_checkpoint'],
      );
      const { lineage: seldom, types: afterLong } = await madeBefore(3_600 + 300, { interval: 3_600, ttl: 10_000 });
      assert.deepEqual(afterLong, ['late_checkpoint']);
      await timePasses(db, seldom, 3_600 + 301);
      assert.deepEqual(
        (await checkpoint(seldom)).flags.map(({ type }) => type),
        ['missed_checkpoint'],
      );
    });

    it('is only a warning for a logged agent', async () => {
      const lineage = await newLineage(db, { operator, accountability: 'logged' });
      await timePasses(db, lineage, 400);
      assert.deepEqual(
        (await checkpoint(lineage)).flags.map(({ severity }) => severity),
        ['warning'],
      );
    });

    it('of a logged agent does not lie past the last expiry, and comes back with a refresh', async () => {
      assert.deepEqual((await madeBefore(370, { ttl: 370 })).types, ['late_checkpoint']);
      const silent = await newLineage(db, { operator, accountability: 'logged', ttl: 370 });
      assert.equal((await advanceSession(own.context, silent.session)).waitsFor, 'checkout');
      await timePasses(db, silent, 376);
      await advanceSession(own.context, silent.session);
      assert.deepEqual(await flagTypes(db, silent), []);
      const other = await newLineage(db, { operator, ttl: 370 });
      await timePasses(db, other, 369);
      const next = await refreshed(db, other, 600);
      await timePasses(db, other, 7);
      assert.deepEqual(
        (await checkpoint(other, {}, next)).flags.map(({ type }) => type),
        ['missed_checkpoint'],
      );
    });

    it('answers with all flags since the previous checkpoint', async () => {
      const lineage = await newLineage(db, { operator });
      await timePasses(db, lineage, 400);
      await advanceSession(own.context, lineage.session);
      assert.deepEqual(await flagTypes(db, lineage), ['missed_checkpoint']);
      assert.deepEqual(
        (await checkpoint(lineage)).flags.map(({ type }) => type),
        ['missed_checkpoint'],
      );
      await timePasses(db, lineage, 1);
      assert.deepEqual((await checkpoint(lineage)).flags, []);
    });
  });
});
