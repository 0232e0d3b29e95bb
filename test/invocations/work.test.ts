import assert from 'node:assert/strict';
import { assertLedger } from '../../src/billing/index.ts';
import { sql } from '../../src/database/pool.ts';
import { canonicalJson, sha256Hex } from '../../src/json/canonical.ts';
import type { Invocation } from '../../src/invocations/schema.ts';
import { passDeadline, run } from '../billing/ledger/ledger-world.ts';
import { buildInvocation, buildOperator, buildSkill, unique, type TestOperator } from '../support/factories.ts';
import { anonymous, assertProblem, assertStatus, database, type Requester } from '../support/service.ts';

const output = { text: 'HELLO' };
const error = { code: 'SOURCE_UNREADABLE', message: 'The document could not be read.' };

describe('the work on an invocation', () => {
  let provider: TestOperator;
  let consumer: TestOperator;
  let stranger: TestOperator;
  let skillId: string;
  before(async () => {
    provider = await buildOperator();
    consumer = await buildOperator({ cents: 10_000 });
    stranger = await buildOperator();
    skillId = (await buildSkill(provider, { price_per_invocation: 25 })).id;
  });
  after(async () => assertLedger(await database()));

  const pathOf = (id: string, act: string) => `/v1/skills/invocations/${id}/${act}`;
  const post = (
    who: Requester,
    { id, act, body, headers }: { id: string; act: string; body?: unknown; headers?: Record<string, string> },
  ) => who.post<Invocation>(pathOf(id, act), body, headers);
  const pending = () => buildInvocation(consumer, skillId);
  const claimed = async (body: unknown = {}): Promise<Invocation> =>
    assertStatus(await post(provider, { id: (await pending()).id, act: 'claim', body }), 200);
  const late = async (id: string) => passDeadline(await database(), id);
  const lapse = async (id: string) =>
    run(
      await database(),
      sql.fragment`update invocations set lease_until = clock_timestamp() - interval '1 second' where id = ${id} and status = 'processing'`,
    );
  const balanceOf = async (who: Requester) =>
    (await who.get<{ balance_cents: number; held_cents: number; ledger_balance_cents: number }>('/v1/billing/balance'))
      .body;

  /** This holds for every act of the provider. */
  const refusesOthers = (act: string, body: unknown, prepare: () => Promise<{ id: string }>): void => {
    it('requires authentication', async () => {
      assertProblem(await anonymous().post(pathOf('inv_any', act), body), 'UNAUTHENTICATED');
    });
    it('is for the provider alone: 403 for the consumer, 404 for everybody else', async () => {
      const { id } = await prepare();
      assertProblem(await post(consumer, { id, act, body }), 'NOT_PROVIDER');
      assertProblem(await post(stranger, { id, act, body }), 'NOT_FOUND');
      assertProblem(await post(provider, { id: 'inv_nothing', act, body }), 'NOT_FOUND');
    });
    it('answers 409 past the deadline, timer fired or not', async () => {
      const { id } = await prepare();
      await late(id);
      assertProblem(await post(provider, { id, act, body }), 'INVOCATION_EXPIRED');
    });
  };

  describe('POST /v1/skills/invocations/:id/claim', () => {
    refusesOthers('claim', {}, pending);

    it('moves pending to processing and shows the input', async () => {
      const invocation = await claimed();
      assert.deepEqual([invocation.status, invocation.attempt, invocation.input], ['processing', 1, { text: 'hello' }]);
      assert.deepEqual([invocation.lease_seconds, invocation.lease_until], [null, null]);
      assert(invocation.claimed_at !== null);
    });

    it('takes no body at all', async () => {
      assertStatus(await provider.post(pathOf((await pending()).id, 'claim')), 200);
    });

    it('takes a lease of 5 seconds to an hour', async () => {
      const { lease_until, claimed_at, lease_seconds } = await claimed({ lease_seconds: 30.5 });
      assert.equal(lease_seconds, 30.5);
      assert.equal(Date.parse(lease_until ?? '') - Date.parse(claimed_at ?? ''), 30_500);
      const { id } = await pending();
      for (const wrong of [4, 3_601, '30'])
        assertProblem(
          await post(provider, { id, act: 'claim', body: { lease_seconds: wrong } }),
          'VALIDATION_ERROR',
          'lease_seconds',
        );
    });

    it('gives the loser the current status', async () => {
      const { id } = await claimed();
      const reply = await provider.post(pathOf(id, 'claim'));
      assertProblem(reply, 'INVOCATION_NOT_PENDING');
      assert.equal(reply.body.current_status, 'processing');
    });

    it('takes over a lapsed claim, whether or not its life has noticed', async () => {
      const { id } = await claimed({ lease_seconds: 30 });
      await lapse(id);
      assert.equal(assertStatus(await post(provider, { id, act: 'claim', body: {} }), 200).attempt, 2);
    });

    it('refuses for another attempt than the named one', async () => {
      const { id } = await pending();
      const early = await provider.post(pathOf(id, 'claim'), { attempt: 1 });
      assertProblem(early, 'LEASE_LOST');
      assert.equal(early.body.detail, 'The current attempt is 0, not 1: no claim has had that number yet.');
      assertStatus(await post(provider, { id, act: 'claim', body: { attempt: 0 } }), 200);
    });

    it('answers a repetition from its Idempotency-Key', async () => {
      const { id } = await pending();
      const key = { 'idempotency-key': unique('key') };
      const first = await post(provider, { id, act: 'claim', body: {}, headers: key });
      const again = await post(provider, { id, act: 'claim', body: {}, headers: key });
      assert.equal(assertStatus(again, 200).attempt, 1);
      assert.equal(again.text, first.text);
      assert.equal(again.headers.get('idempotency-replayed'), 'true');
    });
  });

  describe('POST /v1/skills/invocations/:id/complete', () => {
    refusesOthers('complete', { output }, claimed);

    it('delivers the output and moves the price to the provider', async () => {
      const buyer = await buildOperator({ cents: 100 });
      const { id } = await buildInvocation(buyer, skillId);
      assert.deepEqual(await balanceOf(buyer), {
        balance_cents: 75,
        balance_usd: '$0.75',
        ledger_balance_cents: 100,
        held_cents: 25,
        receivable_cents: 0,
        available_cents: 75,
        reserved_cents: 0,
        remainders: [],
      });
      assertStatus(await post(provider, { id, act: 'claim' }), 200);
      const done = assertStatus(await post(provider, { id, act: 'complete', body: { output } }), 200);
      assert.deepEqual(
        [done.status, done.output, done.output_hash],
        ['completed', output, sha256Hex(canonicalJson(output))],
      );
      assert(done.completed_at !== null && done.duration_ms !== null && done.duration_ms >= 0);
      assert.deepEqual(await balanceOf(buyer), {
        balance_cents: 75,
        balance_usd: '$0.75',
        ledger_balance_cents: 75,
        held_cents: 0,
        receivable_cents: 0,
        available_cents: 75,
        reserved_cents: 0,
        remainders: [],
      });
      const {
        claim_ids: evidence,
        steps,
        ...read
      } = (await buyer.get<Invocation & { claim_ids: string[]; steps: null }>(`/v1/skills/invocations/${id}`)).body;
      assert.deepEqual(read, done);
      assert.equal(evidence.length, 2);
      assert.equal(steps, null);
    });

    it('refuses an output that does not fit the schema, and stays processing', async () => {
      const { id } = await claimed();
      assertProblem(await post(provider, { id, act: 'complete', body: {} }), 'VALIDATION_ERROR', 'output');
      assertProblem(await post(provider, { id, act: 'complete', body: { output: [] } }), 'VALIDATION_ERROR', 'output');
      assertProblem(
        await post(provider, { id, act: 'complete', body: { output: { text: 1 } } }),
        'OUTPUT_SCHEMA_MISMATCH',
        'output.text',
      );
      assert.equal((await provider.get<Invocation>(`/v1/skills/invocations/${id}`)).body.status, 'processing');
      assertStatus(await post(provider, { id, act: 'complete', body: { output } }), 200);
    });

    it('checks the output against the schema that was invoked, not against a newer one', async () => {
      const skill = await buildSkill(provider);
      const { id } = await buildInvocation(consumer, skill.id);
      assertStatus(
        await provider.patch(`/v1/skills/${skill.id}`, {
          version: '2.0.0',
          output_schema: { type: 'object', required: ['n'] },
        }),
        200,
      );
      assertStatus(await post(provider, { id, act: 'claim' }), 200);
      assertStatus(await post(provider, { id, act: 'complete', body: { output } }), 200);
    });

    it('answers the same output again, in any order of its members, and pays once', async () => {
      const skill = await buildSkill(provider, { output_schema: { type: 'object' }, price_per_invocation: 10 });
      const buyer = await buildOperator({ cents: 100 });
      const { id } = await buildInvocation(buyer, skill.id);
      assertStatus(await post(provider, { id, act: 'claim' }), 200);
      assertStatus(await post(provider, { id, act: 'complete', body: { output: { a: 1, b: 2 } } }), 200);
      assertStatus(await post(provider, { id, act: 'complete', body: { output: { b: 2, a: 1 } } }), 200);
      const other = await provider.post(pathOf(id, 'complete'), { output: { a: 2 } });
      assertProblem(other, 'INVOCATION_NOT_PROCESSING');
      assert.equal(other.body.current_status, 'completed');
      assert.equal((await balanceOf(buyer)).ledger_balance_cents, 90);
    });

    it('needs a claim', async () => {
      assertProblem(
        await post(provider, { id: (await pending()).id, act: 'complete', body: { output } }),
        'INVOCATION_NOT_PROCESSING',
      );
    });

    it('counts after a lapsed lease while nobody else has claimed', async () => {
      const { id } = await claimed({ lease_seconds: 30 });
      await run(
        await database(),
        sql.fragment`update invocations set lease_until = clock_timestamp() - interval '100 milliseconds' where id = ${id}`,
      );
      const reply = await post(provider, { id, act: 'complete', body: { output, attempt: 1 } });
      // Its life may have noticed meanwhile: then the claim is gone, and completing is refused.
      if (reply.status === 200) assert.equal(reply.body.status, 'completed');
      else assertProblem(reply, 'INVOCATION_NOT_PROCESSING');
    });

    it('refuses a worker whose claim was taken over', async () => {
      const { id } = await claimed({ lease_seconds: 30 });
      await lapse(id);
      assertStatus(await post(provider, { id, act: 'claim' }), 200);
      const second = await provider.post(pathOf(id, 'complete'), { output, attempt: 1 });
      assertProblem(second, 'LEASE_LOST');
      assert.equal(second.body.attempt, 2);
      assert.equal(second.body.detail, 'The current attempt is 2, not 1: the invocation was claimed again since.');
      assertStatus(await post(provider, { id, act: 'complete', body: { output, attempt: 2 } }), 200);
    });
  });

  describe('POST /v1/skills/invocations/:id/fail', () => {
    refusesOthers('fail', { error }, claimed);

    it('records the error and gives the hold back without a wallet row', async () => {
      const buyer = await buildOperator({ cents: 25 });
      const { id } = await buildInvocation(buyer, skillId);
      assertStatus(await post(provider, { id, act: 'claim' }), 200);
      const failed = assertStatus(await post(provider, { id, act: 'fail', body: { error } }), 200);
      assert.deepEqual([failed.status, failed.error, failed.output], ['failed', error, null]);
      assert.deepEqual(await balanceOf(buyer), {
        balance_cents: 25,
        balance_usd: '$0.25',
        ledger_balance_cents: 25,
        held_cents: 0,
        receivable_cents: 0,
        available_cents: 25,
        reserved_cents: 0,
        remainders: [],
      });
    });

    it('needs a claim, a code and a message', async () => {
      assertProblem(
        await post(provider, { id: (await pending()).id, act: 'fail', body: { error } }),
        'INVOCATION_NOT_PROCESSING',
      );
      const { id } = await claimed();
      assertProblem(await post(provider, { id, act: 'fail', body: {} }), 'VALIDATION_ERROR', 'error');
      assertProblem(
        await post(provider, { id, act: 'fail', body: { error: { code: 'X' } } }),
        'VALIDATION_ERROR',
        'error.message',
      );
      assertProblem(
        await post(provider, { id, act: 'fail', body: { error: { ...error, more: 1 } } }),
        'VALIDATION_ERROR',
        'error.more',
      );
    });

    it('answers the same error again, and refuses another', async () => {
      const { id } = await claimed();
      assertStatus(await post(provider, { id, act: 'fail', body: { error } }), 200);
      assertStatus(await post(provider, { id, act: 'fail', body: { error } }), 200);
      assertProblem(
        await post(provider, { id, act: 'fail', body: { error: { ...error, code: 'OTHER' } } }),
        'INVOCATION_NOT_PROCESSING',
      );
    });

    it('refuses a worker whose claim was taken over', async () => {
      const { id } = await claimed();
      assertProblem(await post(provider, { id, act: 'fail', body: { error, attempt: 2 } }), 'LEASE_LOST');
    });
  });

  describe('POST /v1/skills/invocations/:id/heartbeat', () => {
    refusesOthers('heartbeat', {}, () => claimed({ lease_seconds: 30 }));

    it('begins the lease again, with the claim’s length or another', async () => {
      const before = await claimed({ lease_seconds: 30 });
      const longer = assertStatus(
        await post(provider, { id: before.id, act: 'heartbeat', body: { lease_seconds: 600 } }),
        200,
      );
      assert(Date.parse(longer.lease_until ?? '') - Date.parse(before.lease_until ?? '') > 500_000);
      const again = assertStatus(await provider.post<Invocation>(pathOf(before.id, 'heartbeat')), 200);
      assert(Date.parse(again.lease_until ?? '') < Date.parse(longer.lease_until ?? ''));
      assert.equal(again.lease_seconds, 30);
    });

    it('needs a claim with a lease', async () => {
      assertProblem(await post(provider, { id: (await pending()).id, act: 'heartbeat' }), 'INVOCATION_NOT_PROCESSING');
      assertProblem(await post(provider, { id: (await claimed()).id, act: 'heartbeat' }), 'NO_LEASE');
    });

    it('refuses a worker whose claim was taken over', async () => {
      const { id } = await claimed({ lease_seconds: 30 });
      assertProblem(await post(provider, { id, act: 'heartbeat', body: { attempt: 2 } }), 'LEASE_LOST');
    });
  });
});
