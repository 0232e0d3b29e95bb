import assert from 'node:assert/strict';
import type { DatabasePool } from '../../../../src/database/pool.ts';
import { sql } from '../../../../src/database/pool.ts';
import { newId } from '../../../../src/ids/ids.ts';
import { invoke, newPassport, newSkill, newWallet, run } from '../ledger-world.ts';
import type { Lane } from './proof-database.ts';
import { MICROCENTS } from './wallet-of-model.ts';
import { World } from './world.ts';
import type { Step } from './step.ts';

/** Steps after which every law of the ledger has rows to check; each with its expected outcome. */
const steps: [Step, outcome: string][] = [
  [{ do: 'open a top-up', wallet: 0, cents: 2_000 }, 'ok'],
  [{ do: 'top-up event', topUp: 0, as: 'paid' }, 'paid'],
  [{ do: 'open a top-up', wallet: 1, cents: 1_000 }, 'ok'],
  [{ do: 'top-up event', topUp: 1, as: 'paid' }, 'paid'],
  [{ do: 'adjust', wallet: 2, cents: 400 }, 'ok'],
  [{ do: 'use', wallet: 0, source: 'sealed call', cost: 2 * MICROCENTS }, 'charged 2300000'],
  [{ do: 'use', wallet: 0, source: 'machine run', cost: MICROCENTS }, 'charged 1150000'],
  [{ do: 'use', wallet: 0, source: 'gateway call', cost: 10 * MICROCENTS }, 'charged 1500000'],
  [{ do: 'use', wallet: 0, source: 'gateway call', cost: 10 * MICROCENTS }, 'charged 1500000'],
  [{ do: 'use', wallet: 0, source: 'included call', cost: 7 }, 'charged 0'],
  [{ do: 'use', wallet: 0, source: 'identity', cost: MICROCENTS }, 'charged 1150000'],
  [{ do: 'act', wallet: 2, action: 'claim' }, 'ok'],
  [{ do: 'invoke', wallet: 0, skill: 0 }, 'ok'],
  [{ do: 'end an invocation', invocation: 0, as: 'complete' }, 'ok'],
  [{ do: 'invoke', wallet: 0, skill: 1 }, 'ok'],
  [{ do: 'state payouts' }, 'ok'],
  [{ do: 'begin a payout', payout: 0 }, 'transferring'],
  [{ do: 'payout answer', payout: 0, as: 'refused' }, 'ok'],
  [{ do: 'state payouts' }, 'ok'],
  [{ do: 'begin a payout', payout: 1 }, 'transferring'],
  [{ do: 'refund', topUp: 1 }, 'ok'],
  [{ do: 'refund event', refund: 0, as: 'succeeded' }, 'read'],
  [{ do: 'open a top-up', wallet: 1, cents: 1_000 }, 'ok'],
  [{ do: 'top-up event', topUp: 2, as: 'paid' }, 'paid'],
  [{ do: 'refund', topUp: 2 }, 'ok'],
  [{ do: 'refund event', refund: 1, as: 'succeeded' }, 'read'],
  [{ do: 'refund event', refund: 1, as: 'failed' }, 'read'],
  [{ do: 'refund', topUp: 2 }, 'ok'],
  [{ do: 'open a top-up', wallet: 1, cents: 1_000 }, 'ok'],
  [{ do: 'a refund without us', topUp: 3, quarters: 2 }, 'unpaid'],
  [{ do: 'top-up event', topUp: 3, as: 'paid' }, 'paid'],
  [{ do: 'a refund without us', topUp: 3, quarters: 1 }, 'read'],
  [{ do: 'a refund without us comes back', topUp: 3 }, 'read'],
  [{ do: 'dispute event', topUp: 0, which: 0, as: 'needs_response', minute: 0, moved: null }, 'needs_response'],
  [{ do: 'adjust', wallet: 0, cents: 50 }, 'ok'],
  [{ do: 'dispute event', topUp: 0, which: 0, as: 'won', minute: 1, moved: { withdrawn: 4, reinstated: 3 } }, 'won'],
  [{ do: 'dispute event', topUp: 0, which: 1, as: 'needs_response', minute: 0, moved: null }, 'needs_response'],
];

/** A world in which every table of money has rows, and a budget too. */
export async function everyRow(db: DatabasePool, lane: Lane): Promise<World> {
  const world = await World.make(db);
  for (const [step, outcome] of steps)
    assert.equal(await world.play(lane, step), outcome, `what comes of "${step.do}"`);
  const [consumer, provider, agent] = [await newWallet(db, 200), await newWallet(db), newId('ag')];
  await run(
    db,
    sql.fragment`insert into agents (id, operator_id, name) values (${agent}, ${consumer}, 'of the proof')`,
  );
  await invoke(db, { consumer, skill: await newSkill(db, provider, { price: 25 }) }, { agent });
  const passport = await newPassport(db, { operator: consumer, agent, budget: 30 });
  await invoke(db, { consumer, skill: await newSkill(db, provider, { price: 25 }) }, { agent, passport });
  await execute(
    db,
    await invoke(
      db,
      { consumer, skill: await newSkill(db, provider, { price: 25, mode: 'sealed' }) },
      { agent, computeBound: 5 },
    ),
    [
      { kind: 'script', code: null },
      { kind: 'llm', code: null },
    ],
  );
  await execute(
    db,
    await invoke(
      db,
      { consumer, skill: await newSkill(db, provider, { price: 25, mode: 'source' }) },
      { agent, computeBound: 5 },
    ),
    [{ kind: 'script', code: 'SCRIPT_FAILED' }],
  );
  await run(db, sql.fragment`select begin_classification_call(${newId('txn')}, ${newId('llm')}, ${consumer}, 1000)`);
  return world;
}

/** Plays the steps of an execution; a step with a code fails and is the last one. */
async function execute(
  db: DatabasePool,
  id: string,
  played: { kind: 'script' | 'llm'; code: string | null }[],
): Promise<void> {
  await run(db, sql.fragment`select advance_invocation(${id})`);
  for (const [index, { kind, code }] of played.entries()) {
    const isModel = kind === 'llm';
    const result = {
      cost_microcents: MICROCENTS,
      duration_ms: 1,
      model_call: isModel ? modelCall : null,
      output: code === null ? '{}' : null,
      error_code: code,
      error_message: code,
      console: null,
    };
    await run(
      db,
      sql.fragment`select begin_sealed_step(${id}, ${index}, ${kind}, ${newId(isModel ? 'llm' : 'mch')}, ${isModel ? 'a-provider' : null},
        ${isModel ? MICROCENTS : null})`,
    );
    await run(
      db,
      sql.fragment`select end_sealed_step(${id}, ${index}, 1, ${JSON.stringify(result)}::jsonb, ${index === played.length - 1}, 'hash', ${newId('txn')})`,
    );
  }
}

const modelCall = {
  operation: 'sealed_step',
  provider: 'a-provider',
  model: 'a-model',
  prompt_tokens: 1,
  completion_tokens: 1,
  total_tokens: 2,
  streaming: false,
};
