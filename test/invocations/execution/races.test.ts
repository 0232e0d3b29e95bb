import assert from 'node:assert/strict';
import { z } from 'zod';
import { sql } from '../../../src/database/pool.ts';
import { credentialEncryptionContext } from '../../../src/credentials/encryption.ts';
import { newId, type OperatorId } from '../../../src/ids/ids.ts';
import { advanceInvocation, executeSealedStep } from '../../../src/invocations/index.ts';
import { boundOfCode } from '../../../src/skills/execution/cost.ts';
import { NO_CODE } from '../../../src/skills/skill-code.ts';
import { cancel, newWallet, run, walletOf } from '../../billing/ledger/ledger-world.ts';
import {
  answered,
  modelStep,
  overdue,
  returned,
  scriptStep,
  eachExecution,
  type Execution,
} from './execution-world.ts';

describe('An execution, while something else happens to it', () => {
  let { own, db, world, consumer, provider } = {} as Execution;
  eachExecution({ consumer: 10_000, provider: 0 }, (made) => ({ own, db, world, consumer, provider } = made));

  const codeOf = async (id: string): Promise<string | undefined> =>
    (JSON.parse((await world.show(id)).error ?? '{}') as { code?: string }).code;
  const heldOf = async (operator: string): Promise<number> => (await walletOf(db, operator)).held_cents;
  const chargesOf = (id: string) =>
    db.any(sql.type(z.object({ step: z.number(), meter: z.string().nullable(), microcents: z.number() }))`
      select sealed_step_index as step, meter, microcents from machine_runs where invocation_id = ${id}
      union all select sealed_step_index, meter, microcents from model_calls where invocation_id = ${id} order by step`);
  const wokenOf = async (ids: string[]): Promise<string[]> => {
    const rows = await db.any(sql.type(z.object({ life: z.string() }))`
      select distinct life from lives where epoch is null and life = any(${sql.array(
        ids.map((id) => `invocation:${id}`),
        'text',
      )}) order by life`);
    return rows.map(({ life }) => life.slice('invocation:'.length));
  };
  const look = (id: string) => advanceInvocation(own.context, id);

  it('costs no more than was held where prices have risen since, and the platform pays what is over', async () => {
    const agent = newId('ag');
    await run(db, sql.fragment`insert into agents (id, operator_id, name) values (${agent}, ${consumer}, 'a')`);
    const id = await world.invoke(
      consumer,
      await world.publish(provider, { price: 25, steps: [scriptStep(), modelStep(), scriptStep()] }),
      { agent },
    );
    const { compute_bound_cents: bound } = await world.show(id);
    const context = {
      ...world.context,
      config: {
        ...world.context.config,
        computeMicrocentsPerSecond: world.context.config.computeMicrocentsPerSecond * 1_000,
      },
    };
    world.doubles.scripts.push(returned({}, 10), returned({}, 10_000));
    world.doubles.models.push(answered('short'));
    while ((await advanceInvocation(context, id)).stepsDone !== null) await executeSealedStep(context, id);
    const { status, compute_cents: cents } = await world.show(id);
    assert.equal(status, 'completed');
    assert(cents <= bound, `${cents} of ${bound}`);
    assert.deepEqual(
      (await chargesOf(id)).map(({ step }) => step),
      [0, 1],
      'the third would come to 57.5 cents',
    );
    assert.equal(await heldOf(consumer), 0);
    const spent = await db.oneFirst(
      sql.type(z.object({ cents: z.number() }))`select cents from agent_spending where subject = ${agent}`,
    );
    assert.equal(spent, 25 + cents);
  });

  it('is not completed by a step that ends behind its deadline, before its life has seen that', async () => {
    const id = await world.invoke(consumer, await world.publish(provider, { price: 25 }));
    world.doubles.scripts.push(async () => {
      await overdue(own.context, id);
      return returned({});
    });
    assert.equal(await world.live(id), 'expired');
    assert.equal(await codeOf(id), 'EXECUTION_TIME_LIMIT');
    assert.deepEqual(await chargesOf(id), []);
    assert.deepEqual(await walletOf(db, consumer), { posted_cents: 10_000, held_cents: 0, last_position: 1 });
  });

  for (const [what, change] of [
    [
      'its skill is taken offline',
      (skill: string) => sql.fragment`update skills set status = 'suspended' where id = ${skill}`,
    ],
    [
      'its skill is taken down',
      (skill: string) =>
        sql.fragment`update skills set status = 'suspended', review_status = 'taken_down', rejection_reason = 'no' where id = ${skill}`,
    ],
    [
      'its provider is suspended',
      (skill: string) =>
        sql.fragment`update operators set status = 'suspended' where id = (select operator_id from skills where id = ${skill})`,
    ],
  ] as const) {
    it(`does not begin where ${what} before it does, and gives everything back`, async () => {
      const skill = await world.publish(provider, { price: 25 });
      const id = await world.invoke(consumer, skill);
      await run(db, change(skill));
      assert.equal(await world.live(id), 'failed');
      assert.equal(await codeOf(id), 'SKILL_NOT_ACTIVE');
      assert.deepEqual(await walletOf(db, consumer), { posted_cents: 10_000, held_cents: 0, last_position: 1 });
    });

    it(`goes to its end where ${what} while it runs`, async () => {
      const skill = await world.publish(provider, { price: 25, steps: [scriptStep(), scriptStep()] });
      const id = await world.invoke(consumer, skill);
      world.doubles.scripts.push(async () => {
        await run(db, change(skill));
        return returned({});
      }, returned({}));
      assert.equal(await world.live(id), 'completed');
    });
  }

  it('is tried by its owner regardless of the status of the skill', async () => {
    const owner = await newWallet(db, 100);
    const skill = await world.publish(owner, { review: true });
    world.doubles.scripts.push(returned({}));
    assert.equal(await world.live(await world.invoke(owner, skill, { trial: true })), 'completed');
  });

  describe('that waits for its turn', () => {
    let ids: string[];
    const MAX = 8;
    beforeEach(async () => {
      const skill = await world.publish(provider, { price: 5 });
      ids = [];
      for (let count = 0; count < MAX + 3; count += 1) ids.push(await world.invoke(consumer, skill));
      for (const id of ids) await look(id);
    });
    const finish = async (id = ''): Promise<void> => {
      world.doubles.scripts.push(returned({}));
      await executeSealedStep(world.context, id);
    };

    it('begins when several end before the one that was woken does: all places are taken', async () => {
      for (const id of ids.slice(0, MAX)) await finish(id);
      const waiting = ids.slice(MAX);
      assert.deepEqual(await wokenOf(waiting), [waiting[0]]);
      for (const [at, id] of waiting.entries()) {
        assert.equal((await look(id)).status, 'processing');
        const next = waiting[at + 1];
        assert.deepEqual(await wokenOf(waiting), next === undefined ? [] : [next]);
      }
      for (const id of waiting) await finish(id);
    });

    it('begins when the one that was woken is cancelled, or expires, before it does', async () => {
      const [first = '', second = '', third = ''] = ids.slice(MAX);
      await finish(ids[0]);
      assert.deepEqual(await wokenOf([second, third]), []);
      await cancel(db, consumer, first);
      assert.deepEqual(await wokenOf([second, third]), [second]);
      await overdue(own.context, second);
      assert.equal((await look(second)).status, 'expired');
      assert.deepEqual(await wokenOf([third]), [third]);
      assert.equal((await look(third)).status, 'processing');
      for (const id of [...ids.slice(1, MAX), third]) await finish(id);
    });
  });

  describe('whose model is asked by a key of a customer', () => {
    const withKey = (operator: string) =>
      run(
        db,
        sql.fragment`
        insert into model_credentials (operator_id, provider, secret, last_four)
        values (${operator}, 'tiny', ${own.context.encryption.encrypt('sk-not-a-real-key-1111', credentialEncryptionContext({ operatorId: operator as OperatorId, provider: 'tiny' }))}, '1111')`,
      );
    const publish = async (mode: string, limit: object | null = null): Promise<string> => {
      const skill = await world.publish(provider, { price: 25, steps: [modelStep()] });
      await run(
        db,
        sql.fragment`update skills set credential_mode = ${mode}, required_credentials = '[{"provider": "tiny", "scopes": []}]',
          seller_credential_limit = ${limit === null ? null : JSON.stringify(limit)} where id = ${skill}`,
      );
      return skill;
    };
    const useOf = (skill: string) =>
      db.maybeOne(sql.type(z.object({ calls: z.number(), cost_microcents: z.number() }))`
        select calls, cost_microcents from seller_credential_use where skill_id = ${skill}`);
    /** 50 tokens read at 2 and 20 written at 10 are 300, and 15 % of it are 45. */
    const FEE = 45;

    for (const mode of ['buyer_provides', 'seller_provides'] as const)
      it(`pays the fee alone, by the meter llm_gateway, in mode ${mode}`, async () => {
        await withKey(mode === 'buyer_provides' ? consumer : provider);
        const skill = await publish(mode);
        const id = await world.invoke(consumer, skill);
        world.doubles.models.push(answered('short'));
        assert.equal(await world.live(id), 'completed');
        assert.deepEqual(await chargesOf(id), [{ step: 0, meter: 'llm_gateway', microcents: FEE }]);
        assert.deepEqual(await useOf(skill), mode === 'seller_provides' ? { calls: 1, cost_microcents: 300 } : null);
      });

    it('fails where the key is taken back before it is asked, and then no call is counted', async () => {
      await withKey(provider);
      const skill = await publish('seller_provides', { max_calls: 1 });
      const id = await world.invoke(consumer, skill);
      await look(id);
      await run(db, sql.fragment`delete from model_credentials where operator_id = ${provider}`);
      assert.equal(await world.live(id), 'failed');
      assert.equal(await codeOf(id), 'CREDENTIAL_REQUIRED');
      assert.equal(world.doubles.asked.length, 0);
      assert.equal(await useOf(skill), null);
    });

    it('uses up no call of the seller by input that no model is given', async () => {
      await withKey(provider);
      const skill = await publish('seller_provides', { max_calls: 1 });
      for (let times = 0; times < 3; times += 1) {
        const id = await world.invoke(consumer, skill, { input: JSON.stringify({ text: 'x'.repeat(65_536) }) });
        assert.equal(await world.live(id), 'failed');
        assert.equal(await codeOf(id), 'MODEL_INPUT_TOO_LARGE');
      }
      assert.deepEqual(await useOf(skill), { calls: 0, cost_microcents: 0 });
    });
  });

  it('has a bound no matter which number of tokens its author names', () => {
    const config = world.context.config;
    const bound = (max_tokens: number) =>
      boundOfCode(config, {
        ...NO_CODE,
        llm_enabled: true,
        llm_provider: 'tiny',
        llm_model: 'one',
        llm_config: { max_tokens },
      });
    assert(Number.isSafeInteger(bound(1e300)));
    assert.equal(bound(1e300), bound(1_000_000));
  });
});
