import assert from 'node:assert/strict';
import { z } from 'zod';
import { sql } from '../../../src/database/pool.ts';
import { beginSealedStep, endSealedStep, type StepResult } from '../../../src/invocations/execution/queries.ts';
import { advanceInvocation, executeSealedStep } from '../../../src/invocations/index.ts';
import type { ScriptRun } from '../../../src/sandbox/script-runner.ts';
import { boundOfRun } from '../../../src/skills/execution/cost.ts';
import { newWallet, run } from '../../billing/ledger/ledger-world.ts';
import {
  answered,
  modelStep,
  overdue,
  returned,
  scriptStep,
  threw,
  eachExecution,
  type Execution,
} from './execution-world.ts';

describe('what guards the steps of an execution', () => {
  let { own, db, world, consumer, provider } = {} as Execution;
  eachExecution({ consumer: 1_000, provider: 100 }, (made) => ({ own, db, world, consumer, provider } = made));

  it('let a consumer have a dollar an hour of calls that nobody pays, and ask no model beyond', async () => {
    const unanswered = () =>
      db.maybeOneFirst(sql.type(z.object({ cents: z.number() }))`
        select sum(cents)::int as cents from unanswered_model_calls where operator_id = ${consumer}`);
    const skill = await world.publish(provider, { steps: [modelStep()] });
    world.doubles.models.push({ outcome: 'unknown', sentence: 'No answer.' });
    await world.live(await world.invoke(consumer, skill));
    assert.equal(await unanswered(), 1);
    await run(db, sql.fragment`update unanswered_model_calls set cents = 100 where operator_id = ${consumer}`);
    const refused = await world.invoke(consumer, skill);
    assert.equal(await world.live(refused), 'failed');
    assert.match((await world.show(refused)).error ?? '', /MODEL_UNAVAILABLE/);
    assert.equal(world.doubles.asked.length, 1);
    world.doubles.models.push(answered('short'));
    assert.equal(await world.live(await world.invoke(await newWallet(db, 100), skill)), 'completed');
  });

  const begin = (id: string, index: number) =>
    beginSealedStep(db, { id, index, kind: 'script', stepId: `mch_${id}_${index}`, model: null });
  const end = (id: string, attempt: number) => {
    const result: StepResult = {
      cost_microcents: 500,
      duration_ms: 100,
      asked: false,
      model_call: null,
      output: '{}',
      error_code: null,
      error_message: null,
      console: null,
    };
    return endSealedStep(db, {
      id,
      index: 0,
      attempt,
      result,
      isLast: true,
      outputHash: 'hash',
      transferId: `txn_${id}`,
    });
  };

  it('gives a run 15 minutes from its beginning, no matter what its time to live was', async () => {
    const id = await world.invoke(consumer, await world.publish(provider, {}));
    await advanceInvocation(own.context, id);
    const minutes = await db.oneFirst(sql.type(z.object({ minutes: z.number() }))`
      select round(extract(epoch from expires_at - claimed_at) / 60)::int as minutes from invocations where id = ${id}`);
    assert.equal(minutes, 15);
    world.doubles.scripts.push(returned({}));
    assert.equal(await world.live(id), 'completed');
  });

  it('begins no step once the time is over, also where nobody has ended the run yet', async () => {
    const id = await world.invoke(consumer, await world.publish(provider, {}));
    await advanceInvocation(own.context, id);
    await overdue(own.context, id);
    await executeSealedStep(world.context, id);
    assert.equal(world.doubles.ran, 0);
    assert.equal(await world.live(id), 'expired');
  });

  it('begins no step before the one that gives its input', async () => {
    const id = await world.invoke(consumer, await world.publish(provider, { steps: [scriptStep(), scriptStep()] }));
    await advanceInvocation(own.context, id);
    assert.equal(await begin(id, 1), null);
    await begin(id, 0);
    assert.equal(await begin(id, 1), null);
    const rows = await db.any(sql.type(z.object({ at: z.number() }))`
      select step_index as at from sealed_steps where invocation_id = ${id}`);
    assert.deepEqual(rows, [{ at: 0 }]);
  });

  it('takes the end of a step from the attempt that runs, and from no earlier one', async () => {
    const id = await world.invoke(consumer, await world.publish(provider, {}));
    await advanceInvocation(own.context, id);
    await begin(id, 0);
    assert.equal((await begin(id, 0))?.attempt, 2);
    assert.equal(await end(id, 1), false);
    assert.equal((await world.show(id)).status, 'processing');
    assert.equal(await end(id, 2), true);
    assert.equal((await world.show(id)).status, 'completed');
  });

  it('holds ten seconds of each script', () => {
    const script = { kind: 'script', label: null, runtime: 'javascript', script: '', dependencies: [] } as const;
    const prices = { computeMicrocentsPerSecond: 1_000_000, modelProviders: [] };
    assert.equal(boundOfRun(prices, [{ ...script, dependencies: [] }]), 12);
    assert.equal(
      boundOfRun(prices, [
        { ...script, dependencies: [] },
        { ...script, dependencies: [] },
      ]),
      23,
    );
  });

  it('asks a model with what its author set', async () => {
    const config = { system_prompt: 'Count.', temperature: 0.3, max_tokens: 77 };
    world.doubles.models.push(answered('six'));
    const id = await world.invoke(consumer, await world.publish(provider, { steps: [modelStep(config)] }));
    assert.equal(await world.live(id), 'completed');
    const { system, temperature, maxTokens, provider: slug, model } = world.doubles.asked[0] ?? {};
    assert.deepEqual(
      { system, temperature, maxTokens, slug, model },
      { system: 'Count.', temperature: 0.3, maxTokens: 77, slug: 'tiny', model: 'one' },
    );
  });

  it('charges an answer that was cut off', async () => {
    world.doubles.models.push({ ...answered('half'), isWhole: false } as ReturnType<typeof answered>);
    const id = await world.invoke(consumer, await world.publish(provider, { steps: [modelStep()] }));
    assert.equal(await world.live(id), 'failed');
    const charged = await db.oneFirst(sql.type(z.object({ charged: z.number() }))`
      select microcents as charged from model_calls where invocation_id = ${id}`);
    assert.equal(charged, 345);
  });

  it('runs the single script and the single model of a skill without steps', async () => {
    const ran: Pick<ScriptRun, 'runtime' | 'script'>[] = [];
    world.doubles.scripts.push(async ({ runtime, script }) => {
      ran.push({ runtime, script });
      return returned({ n: 1 });
    });
    const single = {
      execution_steps: undefined,
      execution_script: 'def main(x): return x',
      execution_runtime: 'python',
    };
    const scripted = await world.invoke(consumer, await world.publish(provider, { more: single }));
    assert.equal(await world.live(scripted), 'completed');
    assert.deepEqual(ran, [{ runtime: 'python', script: 'def main(x): return x' }]);
    assert.equal((await world.show(scripted)).output, '{"n":1}');

    world.doubles.models.push(answered('six'));
    const more = {
      execution_steps: undefined,
      llm_enabled: true,
      llm_provider: 'tiny',
      llm_model: 'one',
      llm_config: { system_prompt: 'Count.', max_tokens: 9 },
    };
    const asked = await world.invoke(consumer, await world.publish(provider, { more }));
    assert.equal(await world.live(asked), 'completed');
    assert.deepEqual([world.doubles.asked[0]?.system, world.doubles.asked[0]?.maxTokens], ['Count.', 9]);
  });

  const newAgent = async (): Promise<string> => {
    const agent = `ag_of_${consumer}`;
    await run(
      db,
      sql.fragment`insert into agents (id, operator_id, name, accountability) values (${agent}, ${consumer}, 'a', 'standard')`,
    );
    return agent;
  };

  it('gives back to the budget of an agent what was promised and not charged, of free runs and failed ones too', async () => {
    const agent = await newAgent();
    const spent = () =>
      db.oneFirst(sql.type(z.object({ cents: z.number() }))`select cents from agent_spending where subject = ${agent}`);
    const steps = [modelStep({ max_tokens: 1_000_000 }), scriptStep()];
    const free = await world.publish(provider, { steps });
    world.doubles.models.push(answered('a'), answered('b'), answered('c'));
    world.doubles.scripts.push(returned({}), threw());
    const id = await world.invoke(consumer, free, { agent });
    const { compute_bound_cents: bound } = await world.show(id);
    assert(bound > 10);
    assert.equal(await spent(), bound);
    assert.equal(await world.live(id), 'completed');
    assert.equal(await spent(), 1);
    const failing = await world.invoke(consumer, await world.publish(provider, { price: 25, steps }), { agent });
    assert.equal(await spent(), 1 + 25 + bound);
    assert.equal(await world.live(failing), 'failed');
    assert.equal(await spent(), 2);
    // Where the platform pays the steps, their cents go back too.
    world.doubles.scripts.push(async () => {
      await run(db, sql.fragment`update wallets set receivable_cents = 5 where operator_id = ${consumer}`);
      return returned({});
    });
    const covered = await world.invoke(consumer, await world.publish(provider, { price: 25, steps }), { agent });
    assert.equal(await world.live(covered), 'completed');
    assert.equal(await spent(), 2 + 25);
    await run(db, sql.fragment`update wallets set receivable_cents = 0 where operator_id = ${consumer}`);
  });

  it('records of each step for whom and what for it was', async () => {
    const agent = await newAgent();
    const [mission, passport] = [`ms_of_${consumer}`, `pp_of_${consumer}`];
    await run(
      db,
      sql.fragment`insert into missions (id, operator_id, declared_intent, claim_id) values (${mission}, ${consumer}, 'The mission', 'pc_1')`,
    );
    await run(
      db,
      sql.fragment`
        insert into passport_lineages (id, session_id, operator_id, agent_id, root_agent_id, depth, accountability, intent, mission_ids, started_at, latest_expiry)
        values (${passport}, 'ses_1', ${consumer}, ${agent}, ${agent}, 0, 'standard', '{"summary":"The passport","services":[]}', '{}', now(), now())`,
    );
    await run(
      db,
      sql.fragment`
        insert into passports (jti, lineage_id, session_id, operator_id, agent_id, depth, kid, issued_at, expires_at, payload, status_day, status_index)
        values (${passport}, ${passport}, 'ses_1', ${consumer}, ${agent}, 0, 'kid', now(), now(), '{}', current_date, 0)`,
    );
    const skill = await world.publish(provider, { steps: [scriptStep(), modelStep()] });
    const recordOf = async (by: { mission?: string; passport?: string }) => {
      world.doubles.scripts.push(returned({}, 123));
      world.doubles.models.push(answered('short'));
      const id = await world.invoke(consumer, skill, { agent });
      await run(
        db,
        sql.fragment`update invocations set mission_id = ${by.mission ?? null}, passport_id = ${by.passport ?? null} where id = ${id}`,
      );
      assert.equal(await world.live(id), 'completed');
      const machine = await db.one(sql.type(
        z.object({ skill_id: z.string(), operator_id: z.string(), duration_ms: z.number(), at: z.number() }),
      )`
        select skill_id, operator_id, duration_ms, sealed_step_index as at from machine_runs where invocation_id = ${id}`);
      assert.deepEqual(machine, { skill_id: skill, operator_id: consumer, duration_ms: 123, at: 0 });
      return db.one(sql.type(
        z.object({ agent: z.string().nullable(), mission: z.string().nullable(), purpose: z.string().nullable() }),
      )`
        select agent_id as agent, mission_id as mission, declared_purpose as purpose from model_calls
        where invocation_id = ${id} and skill_id = ${skill} and operator_id = ${consumer} and sealed_step_index = 1`);
    };
    assert.deepEqual(await recordOf({ mission }), { agent, mission, purpose: 'The mission' });
    assert.deepEqual(await recordOf({ passport }), { agent, mission: null, purpose: 'The passport' });
  });
});
