import assert from 'node:assert/strict';
import fc from 'fast-check';
import { assertLedger } from '../../../../src/billing/index.ts';
import { HISTORIES, playHistories, SEED } from './histories.ts';
import { modelState, outcomeOf, storedState, sumOfSteps } from './ledger-state.ts';
import { Model } from './model.ts';
import { ProofDatabases, type ProofDatabase } from './proof-database.ts';
import { assertShares } from './shares.ts';
import { isByHand, opening, step, stepText, type Step } from './step.ts';
import { World } from './world.ts';

const file = 'test/billing/ledger/proof/model-histories.test.ts';
const history = fc
  .tuple(opening, fc.array(step, { maxLength: 80, size: 'max' }))
  .map(([first, then]) => [...first, ...then]);

async function play({ pool, lane: open }: ProofDatabase, steps: readonly Step[]): Promise<void> {
  const lane = await open();
  try {
    const world = await World.make(pool);
    const model = new Model();
    for (const [index, each] of steps.entries()) {
      const at = `step ${index + 1}, ${stepText(each)}`;
      assert.equal(await world.play(lane, each), model.play(each), `what came of ${at}`);
      assert.deepEqual(await storedState(pool, world), modelState(model), `what is stored after ${at}`);
      if (isByHand(each)) await assertLedger(pool);
    }
    assert.deepEqual(outcomeOf(modelState(model)), await sumOfSteps(pool, world), 'what the steps add up to');
    await assertLedger(pool);
    await assertShares(pool, world);
  } finally {
    await lane.end();
  }
}

describe('money under any history, one step after another', function () {
  this.timeout(600_000); // a history that fails is played many times to make it small
  const databases = new ProofDatabases();
  after(() => databases.close());

  it(`equals the model in memory after the same history (${HISTORIES} histories, PROOF_SEED=${SEED})`, () =>
    playHistories(history, { file, histories: HISTORIES, show: (steps) => steps.map(stepText) }, async (steps) => {
      try {
        await play(await databases.current(), steps);
      } catch (error) {
        await databases.inspect();
        throw error;
      }
    }));
});
