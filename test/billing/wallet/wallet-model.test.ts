import assert from 'node:assert/strict';
import fc from 'fast-check';
import { z } from 'zod';
import { assertLedger } from '../../../src/billing/index.ts';
import { sql, type DatabasePool } from '../../../src/database/pool.ts';
import { newId } from '../../../src/ids/ids.ts';
import { roundsOf } from '../../support/cases.ts';
import {
  advance,
  cancel,
  charge,
  claim,
  complete,
  credit,
  debit,
  fail,
  invoke,
  newSkill,
  newWallet,
  passDeadline,
  walletOf,
} from '../ledger/ledger-world.ts';
import { ownDatabase, type OwnDatabase } from './own-database.ts';

const HISTORIES = Number(process.env.MODEL_HISTORIES ?? roundsOf(25, 8));
const PRICE = 30;
const MICROCENTS = 1_000_000;

/** A wallet and the skill of one provider in memory; the database must equal it. */
interface Model {
  posted: number;
  held: number;
  positions: number;
  earned: number;
  charged: number;
  open: string[];
}

interface Real {
  db: DatabasePool;
  consumer: string;
  provider: string;
  skill: string;
}

type Step =
  | { kind: 'credit' | 'debit' | 'charge'; amount: number }
  | { kind: 'invoke' }
  | { kind: 'end'; how: 'complete' | 'fail' | 'cancel' | 'expire'; pick: number };

const cents = fc.integer({ min: 1, max: 120 });
const history = fc.array(
  fc.oneof(
    { weight: 2, arbitrary: fc.record({ kind: fc.constantFrom('credit' as const, 'debit' as const), amount: cents }) },
    {
      weight: 1,
      arbitrary: fc.record({
        kind: fc.constant('charge' as const),
        amount: fc.integer({ min: 1, max: 3 * MICROCENTS }),
      }),
    },
    { weight: 3, arbitrary: fc.record({ kind: fc.constant('invoke' as const) }) },
    {
      weight: 3,
      arbitrary: fc.record({
        kind: fc.constant('end' as const),
        how: fc.constantFrom('complete' as const, 'fail' as const, 'cancel' as const, 'expire' as const),
        pick: fc.nat(),
      }),
    },
  ),
  { maxLength: 40 },
);

async function play(model: Model, { db, consumer, provider, skill }: Real, step: Step): Promise<void> {
  const available = model.posted - model.held;
  const move = (amount: number): void => {
    model.posted += amount;
    model.positions += 1;
  };
  if (step.kind === 'credit') {
    await credit(db, consumer, { cents: step.amount, cause: newId('txn') });
    move(step.amount);
  } else if (step.kind === 'debit') {
    const done = await debit(db, consumer, { cents: step.amount });
    assert.equal(done !== null, available >= step.amount);
    if (done !== null) move(-step.amount);
  } else if (step.kind === 'charge') {
    const due = Math.floor((model.charged + step.amount) / MICROCENTS) - Math.floor(model.charged / MICROCENTS);
    const begins = await charge(db, consumer, step.amount);
    const covered = available * MICROCENTS - (model.charged % MICROCENTS) >= step.amount;
    assert.equal(begins, covered ? model.charged : null);
    if (begins !== null) model.charged += step.amount;
    if (begins !== null && due > 0) move(-due);
  } else if (step.kind === 'invoke') {
    if (available < PRICE + (model.charged % MICROCENTS > 0 ? 1 : 0)) {
      await assert.rejects(invoke(db, { consumer, skill }), { message: /^INSUFFICIENT_CREDITS/ });
    } else {
      model.open.push(await invoke(db, { consumer, skill }));
      model.held += PRICE;
    }
  } else if (step.kind === 'end' && model.open.length > 0) {
    const [id] = model.open.splice(step.pick % model.open.length, 1);
    assert(id !== undefined);
    model.held -= PRICE;
    if (step.how === 'complete' || step.how === 'fail') await claim(db, { provider, id });
    if (step.how === 'complete') {
      await complete(db, { provider, id });
      move(-PRICE);
      model.earned += PRICE;
    }
    if (step.how === 'fail') await fail(db, { provider, id });
    if (step.how === 'cancel') await cancel(db, consumer, id);
    if (step.how === 'expire') {
      await passDeadline(db, id);
      assert.equal((await advance(db, id)).status, 'expired');
    }
  }
}

describe('a wallet under any history', () => {
  let own: OwnDatabase;
  before(async () => {
    own = await ownDatabase();
  });
  after(() => own.drop());

  it('equals the model in memory after the same history', async () => {
    const db = own.pool;
    await fc.assert(
      fc.asyncProperty(history, async (steps) => {
        const [consumer, provider] = [await newWallet(db), await newWallet(db)];
        const real = { db, consumer, provider, skill: await newSkill(db, provider, { price: PRICE }) };
        const model: Model = { posted: 0, held: 0, positions: 0, earned: 0, charged: 0, open: [] };
        for (const step of steps) {
          await play(model, real, step);
          assert.deepEqual(await walletOf(db, consumer), {
            posted_cents: model.posted,
            held_cents: model.held,
            last_position: model.positions,
          });
        }
        const earned = await db.oneFirst(sql.type(z.object({ posted_cents: z.number() }))`
          select posted_cents from earnings where operator_id = ${provider}`);
        assert.equal(earned, model.earned);
      }),
      { numRuns: HISTORIES },
    );
    await assertLedger(db);
  });
});
