import assert from 'node:assert/strict';
import { z } from 'zod';
import { assertLedger, ledgerFaults } from '../../src/billing/index.ts';
import { sql, type DatabasePool } from '../../src/database/pool.ts';
import { claimInvocation } from '../../src/invocations/claim-invocation.ts';
import { completeInvocation } from '../../src/invocations/complete-invocation.ts';
import { failInvocation } from '../../src/invocations/fail-invocation.ts';
import { cancelInvocation } from '../../src/invocations/cancel-invocation.ts';
import { invokeSkill } from '../../src/invocations/invoke-skill.ts';
import { actOf } from '../../src/invocations/act.ts';
import { advanceInvocation } from '../../src/invocations/index.ts';
import { CarnetError } from '../../src/errors/carnet-error.ts';
import { newId } from '../../src/ids/ids.ts';
import { eachWithinOneMonth } from '../billing/metering/counters.ts';
import { newSkill, newWallet, RACE_ROUNDS, run, walletOf } from '../billing/ledger/ledger-world.ts';
import { rivals } from '../support/rivals.ts';
import { callOf, ownContext, type OwnContext } from './own-context.ts';
import { lookAfterLives, makeDue } from '../support/due-lives.ts';

const StatusRow = z.object({
  status: z.string(),
  output: z.string().nullable(),
  hold: z.string(),
  claims: z.number(),
  ends: z.number(),
});

describe('rivals at one invocation', () => {
  eachWithinOneMonth(); // an agent has a monthly budget
  let own: OwnContext;
  let db: DatabasePool;
  let provider: string;
  let consumer: string;
  let skill: string;
  before(async () => {
    own = await ownContext();
    db = own.context.pool;
    provider = await newWallet(db);
    consumer = await newWallet(db, 1_000_000);
    skill = await newSkill(db, provider, { price: 10 });
  });
  after(async () => {
    await assertLedger(db);
    await own.close();
  });

  const invoke = async (buyer = consumer): Promise<string> =>
    (await invokeSkill(own.context, callOf(buyer, 'invokeSkill'), { skillId: skill, body: { input: {} } })).body.id;
  const claim = (id: string) =>
    claimInvocation(own.context, actOf(callOf(provider, 'claimInvocation')), { id, body: {} });
  const complete = (id: string, text = 'done') =>
    completeInvocation(own.context, actOf(callOf(provider, 'completeInvocation')), { id, body: { output: { text } } });
  const fail = (id: string) =>
    failInvocation(own.context, actOf(callOf(provider, 'failInvocation')), {
      id,
      body: { error: { code: 'X', message: 'x' } },
    });
  const cancel = (id: string) => cancelInvocation(own.context, actOf(callOf(consumer, 'cancelInvocation')), id);

  /** The outcome of each rival: `ok`, or the code of its refusal; anything else fails the test. */
  const outcomes = async (attempts: Promise<unknown>[]): Promise<string[]> =>
    (await Promise.allSettled(attempts)).map((result) => {
      if (result.status === 'fulfilled') return 'ok';
      if (result.reason instanceof CarnetError) return result.reason.code;
      throw result.reason;
    });
  const count = (results: string[], what: string): number => results.filter((result) => result === what).length;

  const stateOf = (id: string) =>
    db.one(sql.type(StatusRow)`
      select i.status, i.output, h.status as hold,
        (select count(*) from audit_events where target = i.id and action = 'invocation.claimed') as claims,
        (select count(*) from audit_events
          where target = i.id and action in ('invocation.completed', 'invocation.failed', 'invocation.expired', 'invocation.cancelled')) as ends
      from invocations i join holds h on h.cause = i.id where i.id = ${id}`);

  /** One end, its money where it belongs, an output only when completed. */
  const assertEndedOnce = async (id: string): Promise<string> => {
    const { status, output, hold, ends } = await stateOf(id);
    assert.equal(ends, 1, 'exactly one end is recorded');
    assert.equal(hold, status === 'completed' ? 'captured' : 'released');
    assert.equal(output !== null, status === 'completed');
    return status;
  };

  it('fifty claimers: one wins, the others are refused', async () => {
    for (let round = 0; round < RACE_ROUNDS; round += 1) {
      const id = await invoke();
      const results = await outcomes(Array.from({ length: 50 }, () => claim(id)));
      assert.deepEqual([count(results, 'ok'), count(results, 'INVOCATION_NOT_PENDING')], [1, 49]);
      assert.equal((await stateOf(id)).claims, 1);
    }
  });

  it('claim against cancel: one of them', async () => {
    for (let round = 0; round < RACE_ROUNDS; round += 1) {
      const id = await invoke();
      const results = await outcomes([claim(id), cancel(id)]);
      assert.equal(count(results, 'ok'), 1);
      assert.equal(count(results, 'INVOCATION_NOT_PENDING'), 1);
    }
  });

  it('complete against another complete, a fail and the deadline: one end', async () => {
    const seen = new Set<string>();
    for (let round = 0; round < RACE_ROUNDS; round += 1) {
      const id = await invoke();
      await claim(id);
      // The deadline falls into the race.
      await run(
        db,
        sql.fragment`update invocations set expires_at = clock_timestamp() + ${`${round % 8} milliseconds`}::interval where id = ${id}`,
      );
      const acts = [
        () => complete(id, 'one'),
        () => complete(id, 'other'),
        () => fail(id),
        () => advanceInvocation(own.context, id),
      ];
      const shuffled = acts.map((_, at) => acts[(at + round) % acts.length] as () => Promise<unknown>);
      const results = await outcomes(shuffled.map((act) => act()));
      assert(count(results, 'ok') <= 2, 'at most the winner and the life');
      await run(
        db,
        sql.fragment`update invocations set expires_at = clock_timestamp() - interval '1 second' where id = ${id} and status = 'processing'`,
      );
      await advanceInvocation(own.context, id);
      seen.add(await assertEndedOnce(id));
    }
    assert(seen.size > 0);
  });

  it('never completes what had expired when it got the lock', async () => {
    for (let round = 0; round < Math.min(RACE_ROUNDS, 20); round += 1) {
      const id = await invoke();
      await claim(id);
      await run(
        db,
        sql.fragment`update invocations set expires_at = clock_timestamp() + interval '60 milliseconds' where id = ${id}`,
      );
      // Somebody holds the row until after the deadline; complete begins before it.
      const { promise: locked, resolve: tellLocked } = Promise.withResolvers<void>();
      const holding = db.transaction(async (holder) => {
        await run(holder, sql.fragment`select id from invocations where id = ${id} for update`);
        tellLocked();
        await run(
          holder,
          sql.fragment`select pg_sleep_until(expires_at + interval '10 milliseconds') from invocations where id = ${id}`,
        );
      });
      await locked;
      const late = await outcomes([complete(id)]);
      await holding;
      assert.deepEqual(late, ['INVOCATION_EXPIRED']);
      await advanceInvocation(own.context, id);
      assert.equal(await assertEndedOnce(id), 'expired');
    }
  });

  it('a life, a look without a run and the consumer at one late row: it expires once', async () => {
    for (let round = 0; round < RACE_ROUNDS; round += 1) {
      const id = await invoke();
      await run(
        db,
        sql.fragment`update invocations set expires_at = clock_timestamp() - interval '31 seconds' where id = ${id}`,
      );
      const results = await outcomes([
        advanceInvocation(own.context, id),
        makeDue(db, `invocation:${id}`).then(() => lookAfterLives(own.context)),
        advanceInvocation(own.context, id),
        cancel(id),
      ]);
      assert.equal(count(results, 'INVOCATION_EXPIRED'), 1, 'the consumer is refused');
      assert.equal(await assertEndedOnce(id), 'expired');
    }
  });

  it('200 invokes on a wallet that covers 100: exactly 100, and never below zero', async () => {
    for (let round = 0; round < Math.max(1, Math.floor(RACE_ROUNDS / 20)); round += 1) {
      const buyer = await newWallet(db, 1_000);
      let watching = true;
      const watch = (async () => {
        let looks = 0;
        for (; watching; looks += 1) assert.deepEqual(await ledgerFaults(db), [], 'the books hold at every snapshot');
        return looks;
      })();
      const refusals: unknown[] = [];
      const attempt = () =>
        invoke(buyer).catch((error: unknown) => {
          refusals.push(error);
          throw error;
        });
      const results = (await rivals(200, () => outcomes([attempt()]))).flat();
      watching = false;
      assert((await watch) > 0);
      assert.deepEqual([count(results, 'ok'), count(results, 'INSUFFICIENT_CREDITS')], [100, 100]);
      for (const refusal of refusals) {
        assert(refusal instanceof CarnetError);
        const { required_cents, balance_cents, top_up_url } = refusal.extra;
        assert.equal(required_cents, 10);
        assert(typeof balance_cents === 'number' && balance_cents >= 0 && balance_cents < 10);
        assert.equal(top_up_url, `${own.context.config.publicBaseUrl}/docs#/billing/createTopUp`);
      }
      assert.deepEqual(await walletOf(db, buyer), { posted_cents: 1_000, held_cents: 1_000, last_position: 1 });
    }
  });

  it('one budget and many invokes: never above the limit', async () => {
    for (let round = 0; round < RACE_ROUNDS; round += 1) {
      const agent = newId('ag');
      await run(
        db,
        sql.fragment`insert into agents (id, operator_id, name, monthly_limit_cents) values (${agent}, ${consumer}, 'limited', 59)`,
      );
      const results = await outcomes(
        Array.from({ length: 12 }, () =>
          invokeSkill(own.context, callOf(consumer, 'invokeSkill'), {
            skillId: skill,
            body: { input: {}, agent_id: agent },
          }),
        ),
      );
      assert.deepEqual([count(results, 'ok'), count(results, 'AGENT_BUDGET_EXCEEDED')], [5, 7]);
    }
  });

  it('one Idempotency-Key in parallel: one invocation, one answer', async () => {
    for (let round = 0; round < RACE_ROUNDS; round += 1) {
      const call = {
        ...callOf(consumer, 'invokeSkill'),
        idempotency: { key: newId('key'), fingerprint: Buffer.from('same') },
      };
      const answers = await Promise.all(
        Array.from({ length: 20 }, () => invokeSkill(own.context, call, { skillId: skill, body: { input: {} } })),
      );
      assert.equal(answers.filter(({ replayed }) => !replayed).length, 1);
      for (const answer of answers) assert.deepEqual(answer.body, answers[0]?.body);
    }
  });

  it('a skill whose schema changes under the invokes: each is checked against the revision it names', async () => {
    const changing = await newSkill(db, provider, { price: 0 });
    await run(
      db,
      sql.fragment`
      insert into skill_schemas (hash, schema) values ('\\x03', '{"type":"object","required":["n"]}') on conflict do nothing`,
    );
    await invokeSkill(own.context, callOf(consumer, 'invokeSkill'), { skillId: changing, body: { input: {} } });
    const change = run(
      db,
      sql.fragment`update skills set revision = 2, input_schema_hash = '\\x03' where id = ${changing}`,
    );
    const results = await outcomes(
      Array.from({ length: 30 }, () =>
        invokeSkill(own.context, callOf(consumer, 'invokeSkill'), { skillId: changing, body: { input: {} } }),
      ),
    );
    await change;
    assert.deepEqual(
      await outcomes([
        invokeSkill(own.context, callOf(consumer, 'invokeSkill'), { skillId: changing, body: { input: {} } }),
      ]),
      ['INPUT_SCHEMA_MISMATCH'],
    );
    assert.equal(count(results, 'ok') + count(results, 'INPUT_SCHEMA_MISMATCH'), 30);
    const wrong = await db.any(
      sql.type(
        z.object({ id: z.string() }),
      )`select id from invocations where skill_id = ${changing} and skill_revision = 2`,
    );
    assert.deepEqual(wrong, []);
  });
});
