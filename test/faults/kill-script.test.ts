import assert from 'node:assert/strict';
import { readlinkSync } from 'node:fs';
import { z } from 'zod';
import { createScriptRunner } from '../../activities/sandbox/index.ts';
import { assertLedger } from '../../src/billing/index.ts';
import { sql } from '../../src/database/pool.ts';
import { advanceInvocation, executeSealedStep, type ExecutorContext } from '../../src/invocations/index.ts';
import { costOfScript } from '../../src/skills/execution/cost.ts';
import { newWallet, walletOf } from '../billing/ledger/ledger-world.ts';
import { scriptStep, worldOn, type World } from '../invocations/execution/execution-world.ts';
import { ownContext, type OwnContext } from '../invocations/own-context.ts';
import { processesUnder } from '../sandbox/support.ts';
import { eventually } from '../support/eventually.ts';

const Step = z.object({ attempt: z.number(), status: z.string(), error: z.string().nullable() });
const Charged = z.object({ runs: z.number(), most_ms: z.number(), microcents: z.number() });
/** A script that ends by none of these before it is killed. */
const FAR = { wallMs: 3_600_000, cpuMs: 3_600_000 };

/** Whether a process runs this Node. */
function isNode(pid: number): boolean {
  try {
    return readlinkSync(`/proc/${pid}/exe`) === process.execPath;
  } catch {
    return false; // it ended since it was listed
  }
}

describe('kill -9 of the process of a Python script', function () {
  // A Python starts in two seconds, and in many more where the machine is busy; three of them do.
  this.timeout(400_000);
  let own: OwnContext;
  let world: World;
  before(async () => {
    own = await ownContext();
    world = worldOn(own.context);
  });
  after(() => own.close());

  const executeWith = async (id: string, limits: { wallMs: number; cpuMs: number }, during = async () => {}) => {
    const scripts = createScriptRunner({ log: own.context.log, limits });
    const context: ExecutorContext = { ...world.context, scripts };
    const [executed] = await Promise.allSettled([executeSealedStep(context, id), during()]);
    await scripts.close();
    return executed;
  };
  const stepOf = (id: string) =>
    own.context.pool.one(sql.type(Step)`
      select attempt, status, error_code as error from sealed_steps where invocation_id = ${id}`);
  const chargedFor = (id: string) =>
    own.context.pool.one(sql.type(Charged)`
      select count(*)::int as runs, coalesce(max(duration_ms), 0)::int as most_ms, coalesce(sum(cost_microcents), 0)::int as microcents
      from machine_runs where invocation_id = ${id}`);

  it('in the middle of a run: nothing is charged, it runs again, and that run is charged once', async () => {
    const [consumer, provider] = [await newWallet(own.context.pool, 1_000), await newWallet(own.context.pool)];
    const waits = { ...scriptStep('import time\ndef main(input): time.sleep(3600)'), runtime: 'python' };
    const id = await world.invoke(consumer, await world.publish(provider, { price: 5, steps: [waits] }));
    await advanceInvocation(world.context, id);

    const before = new Set(processesUnder(process.pid));
    const killed = await executeWith(id, FAR, async () => {
      // The next process is started once the first one has been given the script.
      const [first] = await eventually(
        'the process that waits for the next run',
        () => {
          const nodes = processesUnder(process.pid).filter((pid) => !before.has(pid) && isNode(pid));
          return nodes.length >= 2 && nodes.toSorted((one, other) => one - other);
        },
        { seconds: 200 },
      );
      process.kill(first ?? 0, 'SIGKILL');
    });
    assert.equal(killed.status, 'rejected');
    assert.match(String(killed.reason), /ended from outside/);
    assert.deepEqual(await stepOf(id), { attempt: 1, status: 'running', error: null });
    assert.equal((await chargedFor(id)).runs, 0);
    await assertLedger(own.context.pool);

    assert.equal((await executeWith(id, { ...FAR, wallMs: 200 })).status, 'fulfilled');
    assert.deepEqual(await stepOf(id), { attempt: 2, status: 'failed', error: 'SCRIPT_TIME_LIMIT' });
    const { runs, most_ms: ms, microcents } = await chargedFor(id);
    assert.equal(runs, 1);
    assert.equal(microcents, costOfScript(own.context.config, ms));
    const { held_cents: held, posted_cents: posted } = await walletOf(own.context.pool, consumer);
    assert.deepEqual({ held, posted }, { held: 0, posted: 1_000 });
    await assertLedger(own.context.pool);
  });
});
