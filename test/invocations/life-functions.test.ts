import assert from 'node:assert/strict';
import { z } from 'zod';
import { assertLedger } from '../../src/billing/index.ts';
import { sql, type DatabasePool } from '../../src/database/pool.ts';
import { newId, type OperatorId } from '../../src/ids/ids.ts';
import { actOnSignal, advanceInvocation, describeInvocations } from '../../src/invocations/index.ts';
import { listPending } from '../../src/invocations/queries.ts';
import {
  cancel,
  claim,
  complete,
  invoke,
  newSkill,
  newWallet,
  passDeadline,
  run,
  walletOf,
} from '../billing/ledger/ledger-world.ts';
import { eventually } from '../support/eventually.ts';
import { ownContext, type OwnContext } from './own-context.ts';

const MessagesRow = z.object({ count: z.number() });
const StatusRow = z.object({ status: z.string(), attempt: z.number(), audits: z.number() });

describe('the life of an invocation, step by step', () => {
  let own: OwnContext;
  let db: DatabasePool;
  let consumer: string;
  let provider: string;
  let skill: string;
  before(async () => {
    own = await ownContext();
    db = own.context.pool;
  });
  after(() => own.close());
  beforeEach(async () => {
    consumer = await newWallet(db, 100);
    provider = await newWallet(db);
    skill = await newSkill(db, provider, { price: 25 });
  });
  afterEach(() => assertLedger(db));

  const messagesOf = (id: string) =>
    db.oneFirst(
      sql.type(MessagesRow)`select count(*)::int from lives where epoch is null and life = ${`invocation:${id}`}`,
    );
  const countOf = (skillId: string) =>
    db.oneFirst(
      sql.type(
        z.object({ count: z.number() }),
      )`select invocation_count as count from skill_counts where skill_id = ${skillId}`,
    );
  const rowOf = (id: string) =>
    db.one(sql.type(StatusRow)`
      select status, attempt, (select count(*) from audit_events where target = ${id}) as audits from invocations where id = ${id}`);

  describe('listPending', () => {
    const pending = async () => {
      const work = await listPending(db, { operatorId: provider as OperatorId, after: null, limit: 10 });
      return work.map(({ id, status, lease_until }) => [id, status, lease_until]);
    };
    const lapse = (id: string) =>
      run(db, sql.fragment`update invocations set lease_until = clock_timestamp() where id = ${id}`);

    it('shows a claim whose lease has lapsed as pending, before its life returns it to pending', async () => {
      const id = await invoke(db, { consumer, skill });
      await claim(db, { provider, id, leaseSeconds: 20 });
      assert.deepEqual(await pending(), []);
      await lapse(id);
      assert.deepEqual(await pending(), [[id, 'pending', null]]);
      await claim(db, { provider, id });
      assert.deepEqual(await pending(), []);
    });

    it('leaves out a lapsed claim that is past its deadline', async () => {
      const id = await invoke(db, { consumer, skill });
      await claim(db, { provider, id, leaseSeconds: 20 });
      await lapse(id);
      await passDeadline(db, id);
      assert.deepEqual(await pending(), []);
    });
  });

  describe('advanceInvocation', () => {
    it('waits for the deadline and forgets the messages that woke it', async () => {
      const id = await invoke(db, { consumer, skill }, { ttlSeconds: 100 });
      assert.deepEqual(await messagesOf(id), 1);
      const step = await advanceInvocation(own.context, id);
      assert.equal(step.status, 'pending');
      assert(
        step.open && step.waitMs !== null && step.waitMs > 90_000 && step.waitMs <= 100_000,
        `about 100 s, not ${step.waitMs}`,
      );
      assert.deepEqual(await messagesOf(id), 0);
    });

    it('waits for the lease where that ends first, and at least a second', async () => {
      const id = await invoke(db, { consumer, skill }, { ttlSeconds: 100 });
      await claim(db, { provider, id, leaseSeconds: 20 });
      const step = await advanceInvocation(own.context, id);
      assert(step.waitMs !== null && step.waitMs <= 20_000 && step.waitMs > 10_000);
      const late = await eventually('a look within the last second of a lease', async () => {
        await run(
          db,
          sql.fragment`
            update invocations set status = 'processing', lease_until = clock_timestamp() + interval '900 milliseconds' where id = ${id}`,
        );
        const look = await advanceInvocation(own.context, id);
        return look.status === 'processing' && look;
      });
      assert.equal(late.waitMs, 1_000);
    });

    it('expires what is past its deadline and gives the hold back, once', async () => {
      const id = await invoke(db, { consumer, skill });
      assert.equal((await walletOf(db, consumer)).held_cents, 25);
      await passDeadline(db, id);
      const steps = await Promise.all([1, 2, 3].map(() => advanceInvocation(own.context, id)));
      assert.deepEqual(
        steps.map(({ status, open, waitMs }) => ({ status, open, waitMs })),
        steps.map(() => ({ status: 'expired', open: false, waitMs: null })),
      );
      assert.deepEqual(await walletOf(db, consumer), { posted_cents: 100, held_cents: 0, last_position: 1 });
      assert.equal((await rowOf(id)).audits, 2, 'created and expired');
    });

    it('returns a lapsed claim to pending, for the next attempt', async () => {
      const id = await invoke(db, { consumer, skill });
      await claim(db, { provider, id, leaseSeconds: 5 });
      await run(
        db,
        sql.fragment`update invocations set lease_until = clock_timestamp() - interval '1 second' where id = ${id}`,
      );
      const step = await advanceInvocation(own.context, id);
      assert.deepEqual(
        { status: step.status, attempt: step.attempt, leaseUntil: step.leaseUntil },
        { status: 'pending', attempt: 1, leaseUntil: null },
      );
      await claim(db, { provider, id });
      assert.equal((await rowOf(id)).attempt, 2);
    });

    it('counts a completed invocation once, however often it runs', async () => {
      const id = await invoke(db, { consumer, skill });
      await claim(db, { provider, id });
      await complete(db, { provider, id });
      assert.equal(await countOf(skill), 0, 'complete itself counts nothing');
      await Promise.all([1, 2, 3].map(() => advanceInvocation(own.context, id)));
      assert.equal(await countOf(skill), 1);
    });

    it('counts neither tests of the owner nor what did not complete', async () => {
      const self = await invoke(db, { consumer: provider, skill });
      await claim(db, { provider, id: self });
      await complete(db, { provider, id: self });
      const cancelled = await invoke(db, { consumer, skill });
      await cancel(db, consumer, cancelled);
      await advanceInvocation(own.context, self);
      await advanceInvocation(own.context, cancelled);
      assert.equal(await countOf(skill), 0);
    });

    it('returns gone for a missing row', async () => {
      const step = await advanceInvocation(own.context, newId('inv'));
      assert.deepEqual(
        { status: step.status, open: step.open, waitMs: step.waitMs },
        { status: 'gone', open: false, waitMs: null },
      );
    });
  });

  describe('actOnSignal', () => {
    const signalId = () => `run/${newId('inv')}`;

    it('claims and completes as REST does, money included', async () => {
      const id = await invoke(db, { consumer, skill });
      const { refused, answer } = await actOnSignal(own.context, id, {
        kind: 'claim',
        argument: { lease_seconds: 30 },
        signalId: signalId(),
      });
      assert.equal(refused, null);
      assert.deepEqual({ ...answer, lease_until: null }, { status: 'processing', attempt: 1, lease_until: null });
      assert(answer?.lease_until, 'the lease is answered, input and output are not');
      const done = await actOnSignal(own.context, id, {
        kind: 'complete',
        argument: { output: { text: 'HELLO' } },
        signalId: signalId(),
      });
      assert.deepEqual(done, { refused: null, answer: { status: 'completed', attempt: 1, lease_until: null } });
      assert.equal((await rowOf(id)).status, 'completed');
      assert.deepEqual(await walletOf(db, consumer), { posted_cents: 75, held_cents: 0, last_position: 2 });
    });

    it('acts once for one signal, however often it is delivered', async () => {
      const id = await invoke(db, { consumer, skill });
      const act = { kind: 'claim', argument: undefined, signalId: signalId() } as const;
      for (const outcome of await Promise.all([1, 2, 3].map(() => actOnSignal(own.context, id, act))))
        assert.deepEqual(outcome, { refused: null, answer: { status: 'processing', attempt: 1, lease_until: null } });
      assert.deepEqual(await rowOf(id), { status: 'processing', attempt: 1, audits: 2 });
    });

    it('cancels and fails', async () => {
      const [one, other] = [await invoke(db, { consumer, skill }), await invoke(db, { consumer, skill })];
      assert.deepEqual(await actOnSignal(own.context, one, { kind: 'cancel', argument: null, signalId: signalId() }), {
        refused: null,
        answer: { status: 'failed', attempt: 0, lease_until: null },
      });
      await actOnSignal(own.context, other, { kind: 'claim', argument: {}, signalId: signalId() });
      const failed = await actOnSignal(own.context, other, {
        kind: 'fail',
        argument: { error: { code: 'X', message: 'x' } },
        signalId: signalId(),
      });
      assert.deepEqual(failed, { refused: null, answer: { status: 'failed', attempt: 1, lease_until: null } });
      assert.deepEqual([(await rowOf(one)).status, (await rowOf(other)).status], ['failed', 'failed']);
      assert.equal((await walletOf(db, consumer)).held_cents, 0);
    });

    it('answers a refusal instead of throwing', async () => {
      const id = await invoke(db, { consumer, skill });
      const refusedWith = async (kind: 'claim' | 'complete' | 'fail' | 'cancel', argument: unknown, target = id) =>
        (await actOnSignal(own.context, target, { kind, argument, signalId: signalId() })).refused?.code;
      assert.equal(await refusedWith('complete', { output: {} }), 'INVOCATION_NOT_PROCESSING');
      assert.equal(await refusedWith('claim', { lease_seconds: 4 }), 'VALIDATION_ERROR');
      assert.equal(await refusedWith('claim', 'now'), 'VALIDATION_ERROR');
      assert.equal(await refusedWith('complete', { output: { text: '\ud800' } }), 'VALIDATION_ERROR');
      assert.equal(await refusedWith('complete', { output: { text: 'x'.repeat(257 * 1024) } }), 'BODY_TOO_LARGE');
      assert.equal(await refusedWith('cancel', {}, newId('inv')), 'NOT_FOUND');
      assert.deepEqual(await rowOf(id), { status: 'pending', attempt: 0, audits: 1 });
    });

    it('checks the output against the schema', async () => {
      await run(
        db,
        sql.fragment`insert into skill_schemas (hash, schema) values ('\\x02', '{"type":"object","required":["text"]}') on conflict do nothing`,
      );
      await run(db, sql.fragment`update skill_revisions set output_schema_hash = '\\x02' where skill_id = ${skill}`);
      const id = await invoke(db, { consumer, skill });
      await claim(db, { provider, id });
      const { refused } = await actOnSignal(own.context, id, {
        kind: 'complete',
        argument: { output: {} },
        signalId: signalId(),
      });
      assert.equal(refused?.code, 'OUTPUT_SCHEMA_MISMATCH');
      assert.equal((await rowOf(id)).status, 'processing');
    });
  });

  it('describes invocations for the people who look at their runs', async () => {
    const id = await invoke(db, { consumer, skill });
    const described = await describeInvocations(own.context, [id, newId('inv')]);
    assert.deepEqual([...described.keys()], [id]);
    const description = described.get(id);
    assert.deepEqual(description?.operatorIds, [consumer, provider]);
    assert.equal(description?.skillId, skill);
    assert.match(description?.details ?? '', /price 25 cents/);
  });
});
