import assert from 'node:assert/strict';
import { z } from 'zod';
import { assertLedger } from '../../src/billing/index.ts';
import { sql } from '../../src/database/pool.ts';
import { newWallet, walletOf } from '../billing/ledger/ledger-world.ts';
import { scriptStep, worldOn, type World } from '../invocations/execution/execution-world.ts';
import { ownContext, type OwnContext } from '../invocations/own-context.ts';
import { MODEL, settingOf, startModels, type ModelDouble } from '../models/model-double.ts';
import { startProgram } from '../support/process.ts';
import { pointsOfSteps } from './fault-points.ts';

const Step = z.object({ step: z.number(), attempt: z.number(), status: z.string() });

describe('kill -9 of a worker that executes a skill', function () {
  this.timeout(120_000);
  let own: OwnContext;
  let world: World;
  let double: ModelDouble;
  before(async () => {
    own = await ownContext();
    double = await startModels('openai', { says: 'short' });
    world = worldOn({ ...own.context, config: { ...own.context.config, modelProviders: [double.provider] } });
  });
  after(async () => {
    await double.stop();
    await own.close();
  });

  const execute = async (id: string, extra: Record<string, string> = {}): Promise<number | string> => {
    const { databaseUrl, platformAdminKey, encryptionKeys } = own.context.config;
    const program = startProgram(
      'test/invocations/execution/execute-once.ts',
      {
        DATABASE_URL: databaseUrl,
        TEMPORAL_ADDRESS: '127.0.0.1:1',
        PLATFORM_ADMIN_KEY: platformAdminKey,
        ENCRYPTION_KEY: encryptionKeys[0]?.toString('base64') ?? '',
        LLM_PROVIDERS: settingOf(double.provider),
        ...extra,
      },
      [id],
    );
    const ended = await program.ended;
    return ended === 0 ? program.output() : ended;
  };
  const stepsOf = (id: string) =>
    own.context.pool.any(sql.type(Step)`
      select step_index as step, attempt, status from sealed_steps where invocation_id = ${id} order by step_index`);
  const sourcesOf = (id: string) =>
    own.context.pool.oneFirst(sql.type(z.object({ count: z.number() }))`
      select (select count(*) from machine_runs where invocation_id = ${id})
        + (select count(*) from model_calls where invocation_id = ${id}) as count`);

  const modelStep = () => ({
    type: 'llm',
    label: 'ask',
    llm_provider: double.provider.slug,
    llm_model: MODEL,
    llm_config: { max_tokens: 100 },
  });

  for (const point of pointsOfSteps('executeSealedStep').filter((name) => !name.startsWith('life:'))) {
    it(`at ${point}, of a script: it runs again, and is charged once`, async () => {
      const [consumer, provider] = [await newWallet(own.context.pool, 1_000), await newWallet(own.context.pool)];
      const skill = await world.publish(provider, { price: 5, steps: [scriptStep(), scriptStep()] });
      const id = await world.invoke(consumer, skill);
      assert.equal(await execute(id, { FAULT_AT: point }), 'SIGKILL');
      await assertLedger(own.context.pool);
      assert.equal(await execute(id), 'completed');
      const first = point.endsWith(':committed') ? 1 : 2;
      assert.deepEqual(await stepsOf(id), [
        { step: 0, attempt: first, status: 'done' },
        { step: 1, attempt: 1, status: 'done' },
      ]);
      assert.equal(await sourcesOf(id), 2);
      assert.deepEqual(await walletOf(own.context.pool, consumer), {
        posted_cents: 995,
        held_cents: 0,
        last_position: 2,
      });
      await assertLedger(own.context.pool);
    });

    it(`at ${point}, of a model: it is asked once, and an answer that was lost costs nothing`, async () => {
      const [consumer, provider] = [await newWallet(own.context.pool, 1_000), await newWallet(own.context.pool)];
      const id = await world.invoke(consumer, await world.publish(provider, { price: 5, steps: [modelStep()] }));
      const before = double.calls();
      assert.equal(await execute(id, { FAULT_AT: point }), 'SIGKILL');
      const isKnown = point.endsWith(':committed');
      const made = point.endsWith(':begun') ? 0 : 1;
      assert.equal(double.calls() - before, made);
      assert.equal(await execute(id), isKnown ? 'completed' : 'failed');
      assert.equal(double.calls() - before, made, 'nobody asks a second time');
      assert.equal(await sourcesOf(id), isKnown ? 1 : 0);
      const { held_cents: held, posted_cents: posted } = await walletOf(own.context.pool, consumer);
      assert.deepEqual({ held, posted }, { held: 0, posted: isKnown ? 995 : 1_000 });
      await assertLedger(own.context.pool);
    });
  }
});
