import { z } from 'zod';
import { sql } from '../../../src/database/pool.ts';
import { newWallet, run } from '../../billing/ledger/ledger-world.ts';
import { modelStep, scriptStep, worldOn } from '../../invocations/execution/execution-world.ts';
import type { Rig } from '../../temporal/rig.ts';
import { runOf } from '../../temporal/runs.ts';
import type { Case, Cases } from './case.ts';

const ECHO = scriptStep('function main(input) { return input; }');
const FAILS = scriptStep('function main() { throw new Error("no"); }');

/** An invocation of a skill that the service executes. @returns its id */
export async function invokeExecuted(rig: Rig, steps: object[], consumer?: string): Promise<string> {
  const { pool } = rig.context;
  const world = worldOn(rig.context);
  const skill = await world.publish(await newWallet(pool), { price: 5, steps });
  return world.invoke(consumer ?? (await newWallet(pool, 1_000)), skill);
}

const executed =
  (stepsOf: (rig: Rig) => object[]): Case =>
  async (rig) => {
    const id = await invokeExecuted(rig, stepsOf(rig));
    rig.context.delivery.messagesCommitted();
    return runOf(rig, id);
  };

/** The step of a model of the rig's settings. */
function modelOf({ config }: Rig): object {
  const [provider] = config.modelProviders;
  if (provider === undefined) throw new Error('This case needs a rig with a provider of models.');
  const [model] = provider.models.keys();
  return { ...modelStep(), llm_provider: provider.slug, llm_model: model };
}

/** Waits for its turn while the consumer has as many executions under way as one may have. */
const waitingForTurn: Case = async (rig) => {
  const { pool } = rig.context;
  const consumer = await newWallet(pool, 1_000);
  const most = await pool.oneFirst(sql.type(z.object({ most: z.number() }))`select most_sealed_runs() as most`);
  const others: string[] = [];
  for (let count = 0; count < most; count += 1) others.push(await invokeExecuted(rig, [ECHO], consumer));
  const ids = sql.array(others, 'text');
  await run(pool, sql.fragment`update invocations set status = 'processing' where id = any(${ids})`);
  await run(pool, sql.fragment`delete from lives where life in (select 'invocation:' || id from unnest(${ids}) as id)`);
  const life = runOf(rig, await invokeExecuted(rig, [ECHO], consumer));
  rig.context.delivery.messagesCommitted();
  await life.showing(/^Waits/);
  await run(
    pool,
    sql.fragment`
      with ended as (update invocations set status = 'pending' where id = any(${ids}) returning id)
      select wake_life('invocation:' || id, ${consumer}) from ended`,
  );
  rig.context.delivery.messagesCommitted();
  return life;
};

export const executions: Cases = {
  'invocation/executed': executed(() => [ECHO, ECHO]),
  'invocation/execution-failed': executed(() => [ECHO, FAILS]),
  'invocation/executed-with-model': executed((rig) => [ECHO, modelOf(rig)]),
  'invocation/execution-waited-for-turn': waitingForTurn,
};
