import assert from 'node:assert/strict';
import fc from 'fast-check';
import { assertLedger } from '../../../../src/billing/index.ts';
import { eventually } from '../../../support/eventually.ts';
import { newWallet } from '../ledger-world.ts';
import { HISTORIES, playHistories, REPEATS, SEED } from './histories.ts';
import { outcomeOf, storedState, sumOfSteps } from './ledger-state.ts';
import { ProofDatabases, type ProofDatabase } from './proof-database.ts';
import { assertShares } from './shares.ts';
import { opening, step, stepText, type Step } from './step.ts';
import { World } from './world.ts';

const file = 'test/billing/ledger/proof/rival-histories.test.ts';

/** The steps of one connection, in order; each transaction stays open for `linger` round trips after its work. */
type LaneSteps = { step: Step; linger: number }[];
interface History {
  /** Whether all lanes use the same wallet, and all usage the same meter of it. */
  hot: boolean;
  opening: readonly Step[];
  lanes: LaneSteps[];
}

const laneSteps = fc.array(fc.record({ step, linger: fc.nat(3) }), { maxLength: 30, size: 'max' });
const history: fc.Arbitrary<History> = fc.record({
  hot: fc.boolean(),
  opening,
  lanes: fc.array(laneSteps, { minLength: 2, maxLength: 5, size: 'max' }),
});

function hotter(each: Step): Step {
  if (each.do === 'use') return { ...each, wallet: 0, source: each.cost % 2 === 0 ? 'sealed call' : 'machine run' };
  return 'wallet' in each ? { ...each, wallet: 0 } : each;
}
/** The lanes as they are played. */
const played = ({ hot, lanes }: Pick<History, 'hot' | 'lanes'>): LaneSteps[] =>
  hot ? lanes.map((steps) => steps.map(({ step: each, linger }) => ({ step: hotter(each), linger }))) : lanes;

const show = ({ opening: first, ...rest }: History): string[] => [
  ...first.map((each) => `first ${stepText(each)}`),
  ...played(rest).flatMap((steps, lane) =>
    steps.map(({ step: each, linger }) => `lane ${lane}, lingering ${linger}: ${stepText(each)}`),
  ),
];

async function play(database: ProofDatabase, { opening: first, ...rest }: History): Promise<void> {
  const lanes = played(rest);
  const { pool } = database;
  const world = await World.make(pool);
  const connections = await Promise.all([first, ...lanes].map(() => database.lane()));
  const [opener] = connections;
  assert(opener !== undefined);
  let running = true;
  const run = async (steps: LaneSteps, index: number): Promise<void> => {
    for (const { step: each, linger } of steps) await world.play(connections[index + 1] ?? opener, each, linger);
  };
  /** As `npm run check:ledger` would at any moment: one snapshot after another. */
  const watch = async (): Promise<void> => {
    while (running) await assertLedger(pool);
  };
  try {
    for (const each of first) await world.play(opener, each);
    const rivals = Promise.all(lanes.map(run)).finally(() => (running = false));
    const results = await Promise.allSettled([rivals, watch()]);
    for (const result of results) if (result.status === 'rejected') throw result.reason;
    assert.deepEqual(
      outcomeOf(await storedState(pool, world)),
      await sumOfSteps(pool, world),
      'what the steps add up to',
    );
    await assertLedger(pool);
    await assertShares(pool, world);
  } finally {
    running = false;
    await Promise.allSettled(connections.map((connection) => connection.end()));
  }
}

describe('money under histories of rivals', function () {
  this.timeout(600_000);
  const databases = new ProofDatabases();
  after(() => databases.close());

  it(`is the sum of the steps that succeeded, and keeps every law at every snapshot (${HISTORIES} histories, PROOF_SEED=${SEED})`, () =>
    playHistories(history, { file, histories: HISTORIES, show }, async (each) => {
      try {
        for (let round = 0; round < REPEATS; round += 1) await play(await databases.current(), each);
      } catch (error) {
        await databases.inspect();
        throw error;
      }
    }));

  it('has no deadlock', async () => {
    const database = await databases.current();
    assert.equal(await database.deadlocks(), 0);
  });

  it('would have counted a deadlock: two transactions that wait for each other are counted', async () => {
    const database = await databases.current();
    const wallets = [await newWallet(database.pool), await newWallet(database.pool)];
    const rivals = await Promise.all(wallets.map(() => database.lane()));
    const lock = (rival: number, wallet: number) =>
      rivals[rival]?.query('select from wallets where operator_id = $1 for update', [wallets[wallet]]);
    await Promise.all(rivals.map((rival) => rival.query('begin', [])));
    await Promise.all([lock(0, 0), lock(1, 1)]);
    const results = await Promise.allSettled([lock(0, 1), lock(1, 0)]);
    const refused = results.flatMap((result) =>
      result.status === 'rejected' ? [result.reason as { code: string }] : [],
    );
    assert.deepEqual(
      refused.map(({ code }) => code),
      ['40P01'],
      'the history would have failed',
    );
    await Promise.all(rivals.map((rival) => rival.end()));
    await eventually('the server to have counted it', async () => (await database.deadlocks()) === 1);
  });
});
