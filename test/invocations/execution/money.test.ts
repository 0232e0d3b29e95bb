import assert from 'node:assert/strict';
import { z } from 'zod';
import { JSON_FORM, readStatementPage } from '../../../src/billing/statement/queries.ts';
import { StatementSchema } from '../../../src/billing/statement/schema.ts';
import { sql } from '../../../src/database/pool.ts';
import { newId, type OperatorId } from '../../../src/ids/ids.ts';
import { boundOfRun } from '../../../src/skills/execution/cost.ts';
import { boundOfSkill } from '../../../src/skills/index.ts';
import { advanceInvocation, executeSealedStep } from '../../../src/invocations/index.ts';
import { costOfCall } from '../../../src/models/cost.ts';
import { cancel, claim, complete, newPassport, newWallet, run, walletOf } from '../../billing/ledger/ledger-world.ts';
import {
  answered,
  modelStep,
  overdue,
  PROVIDER,
  returned,
  scriptStep,
  threw,
  eachExecution,
  type Execution,
} from './execution-world.ts';

const Source = z.object({ step: z.number(), microcents: z.number(), cost: z.number(), meter: z.string().nullable() });

/** 100 ms at 5,000 microcents a second are 500, with the fee 575. */
const SCRIPT_CHARGE = 575;
/** 50 tokens read at 2 and 20 written at 10 are 300, with the fee 345. */
const MODEL_CHARGE = 345;

describe('what executing a skill costs', () => {
  let { own, db, world, consumer, provider } = {} as Execution;
  eachExecution({ consumer: 1_000, provider: 100 }, (made) => ({ own, db, world, consumer, provider } = made));

  const moneyOf = async (operator: string) => {
    const { posted_cents: posted, held_cents: held } = await walletOf(db, operator);
    return { posted, held };
  };
  const sourcesOf = (id: string) =>
    db.any(sql.type(Source)`
      select sealed_step_index as step, microcents, cost_microcents as cost, meter from machine_runs where invocation_id = ${id}
      union all
      select sealed_step_index, microcents, cost_microcents, meter from model_calls where invocation_id = ${id}
      order by step`);

  it('holds the price and the most that the steps can cost, and says both where the wallet has less', async () => {
    const skill = await world.publish(provider, { price: 25, steps: [scriptStep(), modelStep()] });
    const bound = boundOfRun({ ...world.context.config }, [
      { kind: 'script', label: null, runtime: 'javascript', script: '', dependencies: [] },
      {
        kind: 'llm',
        label: null,
        provider: 'tiny',
        model: 'one',
        system: 'Summarise.',
        maxTokens: 100,
        temperature: undefined,
      },
    ]);
    assert(bound !== null && bound > 0);
    const id = await world.invoke(consumer, skill);
    assert.deepEqual(await moneyOf(consumer), { posted: 1_000, held: 25 + bound });
    assert.equal((await world.show(id)).compute_bound_cents, bound);

    const poor = await newWallet(db, 25);
    await assert.rejects(world.invoke(poor, skill), (error: { detail: string }) => {
      const { extra } = JSON.parse(error.detail) as { extra: object };
      assert.deepEqual(extra, {
        required_cents: 25 + bound,
        balance_cents: 25,
        price_cents: 25,
        compute_bound_cents: bound,
      });
      return true;
    });
    assert.deepEqual(await moneyOf(poor), { posted: 25, held: 0 });
  });

  it('charges each step what it cost and 15 %, releases the rest, and pays the price', async () => {
    const skill = await world.publish(provider, { price: 25, steps: [scriptStep(), modelStep()] });
    world.doubles.scripts.push(returned({ a: 1 }));
    world.doubles.models.push(answered('short'));
    const id = await world.invoke(consumer, skill);
    assert.equal(await world.live(id), 'completed');
    assert.deepEqual(await sourcesOf(id), [
      { step: 0, microcents: SCRIPT_CHARGE, cost: 500, meter: 'sealed_execution' },
      { step: 1, microcents: MODEL_CHARGE, cost: 300, meter: 'sealed_execution' },
    ]);
    const shown = await world.show(id);
    assert.deepEqual([shown.output, shown.compute_cents], ['{"text":"short"}', 1]);
    assert.deepEqual(await moneyOf(consumer), { posted: 975, held: 0 });
    const { system, user } = world.doubles.asked.at(-1) ?? {};
    assert.deepEqual({ system, user }, { system: 'Summarise.', user: '{"a":1}' });
  });

  it('stands in the statement from its end on: of each step all that it was charged, for whom and what', async () => {
    const [agent, mission] = [newId('ag'), newId('ms')];
    await run(db, sql.fragment`insert into agents (id, operator_id, name) values (${agent}, ${consumer}, 'a')`);
    await run(
      db,
      sql.fragment`insert into missions (id, operator_id, declared_intent, claim_id) values (${mission}, ${consumer}, 'Pay invoices', 'pc_1')`,
    );
    const skill = await world.publish(provider, { price: 25, steps: [scriptStep(), modelStep()] });
    world.doubles.scripts.push(returned({}));
    world.doubles.models.push(answered('short'));
    const id = await world.invoke(consumer, skill, { agent, mission });
    assert.equal(await world.live(id), 'completed');
    const { remainders } = await readStatementPage(
      db,
      { operatorId: consumer as OperatorId, filters: {}, place: null, limit: 50 },
      JSON_FORM,
    );
    const [remainder, ...more] = StatementSchema.shape.remainders.parse(JSON.parse(remainders ?? 'null')) ?? [];
    assert.deepEqual([remainder?.meter, more], ['sealed_execution', []]);
    assert.deepEqual(
      [...(remainder?.machine_sources ?? []), ...(remainder?.llm_sources ?? [])].map((source) => ({
        step: source.sealed_step_index,
        charged: source.charged_microcents,
        invocation: source.invocation,
        agent: source.agent?.id,
        mission: source.mission?.id,
        purpose: source.declared_purpose,
      })),
      [SCRIPT_CHARGE, MODEL_CHARGE].map((charged, step) => ({
        step,
        charged,
        invocation: { id, status: 'completed' },
        agent,
        mission,
        purpose: 'Pay invoices',
      })),
    );
  });

  it('holds and charges the steps of what is free, and of one’s own skill', async () => {
    const skill = await world.publish(provider, { price: 25 });
    world.doubles.scripts.push(returned({}, 10_000), returned({}));
    const ownRun = await world.invoke(provider, skill);
    const { compute_bound_cents: bound, price_cents: price } = await world.show(ownRun);
    assert.deepEqual([price, bound > 0], [0, true]);
    assert.deepEqual(await moneyOf(provider), { posted: 100, held: bound });
    assert.equal(await world.live(ownRun), 'completed');
    assert.deepEqual(
      (await sourcesOf(ownRun)).map(({ microcents }) => microcents),
      [57_500],
    );
    const free = await world.invoke(consumer, await world.publish(provider, { price: 0 }));
    assert.equal(await world.live(free), 'completed');
    assert.deepEqual(await moneyOf(consumer), { posted: 1_000, held: 0 });
  });

  it('charges the steps of an execution that fails, and gives the price back', async () => {
    const skill = await world.publish(provider, { price: 25, steps: [modelStep(), scriptStep()] });
    world.doubles.models.push(answered('a', 60_000_000, 5_000));
    world.doubles.scripts.push(threw());
    const id = await world.invoke(consumer, skill);
    const { compute_bound_cents: bound } = await world.show(id);
    assert.equal(await world.live(id), 'failed');
    const [asked, ran] = await sourcesOf(id);
    // A provider that reports more than the question can have is not believed.
    const most = costOfCall(
      {
        promptTokens: 'Summarise.'.length + '{"text":"hello"}'.length + 64,
        completionTokens: 100,
        cachedPromptTokens: null,
      },
      PROVIDER.models.get('one') ?? { input: 0, cached: 0, output: 0 },
    );
    assert.equal(asked?.cost, most);
    assert.equal(ran?.microcents, SCRIPT_CHARGE);
    const shown = await world.show(id);
    assert.deepEqual(JSON.parse(shown.error ?? ''), {
      code: 'SCRIPT_FAILED',
      message: 'Step 1: The script threw an exception.',
    });
    assert(shown.compute_cents <= bound);
    assert.deepEqual(await moneyOf(consumer), { posted: 1_000, held: 0 }); // less than a cent
  });

  it('charges what was done before the time was over, and nothing of what was under way', async () => {
    const skill = await world.publish(provider, { price: 25, steps: [scriptStep(), scriptStep()] });
    const id = await world.invoke(consumer, skill);
    world.doubles.scripts.push(returned({}), async () => {
      await overdue(own.context, id);
      assert.equal((await advanceInvocation(own.context, id)).status, 'expired');
      return returned({});
    });
    assert.equal(await world.live(id), 'expired');
    assert.deepEqual(
      (await sourcesOf(id)).map(({ step }) => step),
      [0],
    );
    assert.match((await world.show(id)).error ?? '', /EXECUTION_TIME_LIMIT/);
    assert.deepEqual(await moneyOf(consumer), { posted: 1_000, held: 0 });
  });

  it('counts against the budget of an agent what the steps cost, and price and bound while it is open', async () => {
    const agent = `ag_of_${consumer}`;
    await run(
      db,
      sql.fragment`insert into agents (id, operator_id, name, accountability) values (${agent}, ${consumer}, 'a', 'standard')`,
    );
    const spent = () =>
      db.oneFirst(sql.type(z.object({ cents: z.number() }))`select cents from agent_spending where subject = ${agent}`);
    const skill = await world.publish(provider, { price: 25 });
    world.doubles.scripts.push(returned({}, 10_000));
    const id = await world.invoke(consumer, skill, { agent });
    assert.equal(await spent(), 25 + (await world.show(id)).compute_bound_cents);
    assert.equal(await world.live(id), 'completed');
    assert.equal(await spent(), 26);
  });

  it('counts against each budget of a chain price and bound while it is open, then what it cost, and gives back the rest', async () => {
    const agent = newId('ag');
    await run(db, sql.fragment`insert into agents (id, operator_id, name) values (${agent}, ${consumer}, 'a')`);
    const skill = await world.publish(provider, {
      price: 25,
      steps: [scriptStep(), modelStep({ max_tokens: 400_000 })],
    });
    const bound = (await boundOfSkill(world.context, skill)) ?? 0;
    assert(bound > 2);
    const above = await newPassport(db, { operator: consumer, agent, budget: 2 * (25 + bound) });
    const passport = await newPassport(db, { operator: consumer, agent, budget: 25 + bound + 27, parent: above });
    const used = () =>
      db.anyFirst(sql.type(z.object({ used: z.number() }))`
        select used_cents as used from passport_budgets where jti in (${above}, ${passport}) order by amount_cents desc`);
    const invoke = () => world.invoke(consumer, skill, { passport });

    const completed = await invoke();
    assert.deepEqual(await used(), [25 + bound, 25 + bound]);
    await assert.rejects(invoke(), /PASSPORT_BUDGET_EXCEEDED|The budget of the passport/);
    world.doubles.scripts.push(returned({}, 10_000));
    world.doubles.models.push(answered('short'));
    assert.equal(await world.live(completed), 'completed');
    assert.deepEqual(await used(), [26, 26]);

    const failed = await invoke();
    assert.deepEqual(await used(), [51 + bound, 51 + bound], 'the difference can be spent again');
    world.doubles.scripts.push(threw());
    assert.equal(await world.live(failed), 'failed');
    assert.deepEqual(await used(), [27, 27], 'no price, and a cent for the step that ran');

    const late = await invoke();
    await overdue(world.context, late);
    assert.equal(await world.live(late), 'expired');
    assert.deepEqual(await used(), [27, 27]);
  });

  it('is paid by the platform where a payment was charged back meanwhile, and the provider by the buyer', async () => {
    const skill = await world.publish(provider, { price: 25 });
    const id = await world.invoke(consumer, skill);
    world.doubles.scripts.push(async () => {
      await run(db, sql.fragment`update wallets set receivable_cents = 5 where operator_id = ${consumer}`);
      return returned({});
    });
    assert.equal(await world.live(id), 'completed');
    assert.deepEqual(await sourcesOf(id), []);
    assert.equal((await world.show(id)).compute_cents, 0);
    assert.equal((await moneyOf(consumer)).posted, 975);
    await run(db, sql.fragment`update wallets set receivable_cents = 0 where operator_id = ${consumer}`);
  });

  it('says in the claim what it took and how many tokens', async () => {
    const skill = await world.publish(provider, { price: 25, steps: [modelStep()] });
    world.doubles.models.push(answered('short'));
    const id = await world.invoke(consumer, skill);
    await world.live(id);
    assert.deepEqual(await costOf(id), { compute_microcents: MODEL_CHARGE, tokens: 70, wallet_cents: 25 });
  });

  it('says in the claim the cents that left the wallet, of which a run may complete those that others began', async () => {
    const skill = await world.publish(provider, { price: 25 });
    // 10 s cost 57,500 microcents with the fee: the 18th run completes the first cent.
    const taken: number[] = [];
    for (let count = 1; count <= 18; count += 1) {
      world.doubles.scripts.push(count === 18 ? threw('', 10_000) : returned({}, 10_000));
      const { posted } = await moneyOf(consumer);
      const id = await world.invoke(consumer, skill);
      await world.live(id);
      const left = posted - (await moneyOf(consumer)).posted;
      assert.deepEqual(await costOf(id), { compute_microcents: 57_500, tokens: 0, wallet_cents: left });
      taken.push(left);
    }
    assert.deepEqual([taken.at(0), taken.at(-1)], [25, 1]);
  });

  const costOf = async (id: string): Promise<object> => {
    const payloads = await db.any(sql.type(z.object({ payload: z.string() }))`
      select (envelope::json -> 'payload')::text as payload from claims where subject = ${`carnet://invocation/${id}`} order by seq`);
    const last = JSON.parse(payloads.at(-1)?.payload ?? '{}') as { cost_actual: object };
    return last.cost_actual;
  };

  it('is not done by its provider, nor withdrawn once it runs', async () => {
    const skill = await world.publish(provider, { price: 25 });
    const id = await world.invoke(consumer, skill);
    const refused = (code: string) => (error: unknown) => String((error as Error).cause ?? error).includes(code);
    for (const act of [() => claim(db, { provider, id }), () => complete(db, { provider, id })]) {
      await assert.rejects(act, refused('SERVICE_EXECUTED'));
    }
    world.doubles.scripts.push(async () => {
      await assert.rejects(cancel(db, consumer, id), refused('INVOCATION_NOT_PENDING'));
      await assert.rejects(complete(db, { provider, id }), refused('SERVICE_EXECUTED'));
      return returned({});
    });
    assert.equal(await world.live(id), 'completed');
    const withdrawn = await world.invoke(consumer, skill);
    await cancel(db, consumer, withdrawn);
    await executeSealedStep(world.context, withdrawn);
    assert.equal(await world.live(withdrawn), 'failed');
    assert.deepEqual(await moneyOf(consumer), { posted: 975, held: 0 });
  });
});
