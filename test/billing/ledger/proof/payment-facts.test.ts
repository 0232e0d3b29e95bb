import assert from 'node:assert/strict';
import { z } from 'zod';
import { assertLedger } from '../../../../src/billing/index.ts';
import { sql } from '../../../../src/database/pool.ts';
import { newId } from '../../../../src/ids/ids.ts';
import { eventually } from '../../../support/eventually.ts';
import { newWallet, run, walletOf } from '../ledger-world.ts';
import { ProofDatabases, type Lane, type ProofDatabase } from './proof-database.ts';

const Count = z.object({ count: z.number() });

describe('two facts of one payment in parallel', () => {
  const databases = new ProofDatabases();
  let proof: ProofDatabase;
  let lanes: [credit: Lane, other: Lane];
  before(async () => {
    proof = await databases.current();
    lanes = [await proof.lane(), await proof.lane()];
  });
  after(async () => {
    await Promise.all(lanes.map((lane) => lane.end()));
    await databases.close();
  });

  /**
   * Runs the other fact while a credit of 1,000 cents is written but not committed.
   * @returns the cents of the wallet afterwards
   */
  async function creditBeside(other: (lane: Lane, payment: string) => Promise<unknown>): Promise<number> {
    const [credit, rival] = lanes;
    const [wallet, topUp, payment] = [await newWallet(proof.pool), newId('top'), newId('txn')];
    await run(
      proof.pool,
      sql.fragment`
      insert into top_ups (id, operator_id, provider, amount_cents, seconds, return_to, expires_at) values (${topUp}, ${wallet}, 'local', 1000, 86400, 'http://carnet.test', now() + interval '1 day')`,
    );
    await credit.query('begin', []);
    await credit.query(`select settle_top_up($1, 'paid', 'cs_' || $1, 1000, 'usd', $2, null)`, [topUp, payment]);
    let over = false;
    const done = other(rival, payment).finally(() => (over = true));
    const waits = async (): Promise<boolean> =>
      over ||
      (await proof.pool.oneFirst(sql.type(Count)`
        select count(*) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`)) > 0;
    await eventually('the other fact to be done, or to wait for the credit', waits);
    await credit.query('commit', []);
    await done;
    await assertLedger(proof.pool);
    return (await walletOf(proof.pool, wallet)).posted_cents;
  }

  it('a credit and a dispute: the wallet has lost what the bank took back', async () => {
    const left = await creditBeside((lane, payment) =>
      lane.query(`select record_dispute($1, $2, 1000, 'needs_response', 'taken', 3, clock_timestamp(), null, null)`, [
        newId('txn'),
        payment,
      ]),
    );
    assert.equal(left, 0);
  });

  it('a credit and a report of a refund: its life reads the list as soon as it is credited', async () => {
    let reported = '';
    await creditBeside((lane, payment) => lane.query('select report_refunds($1)', [(reported = payment)]));
    const isDue = sql.unsafe`select from top_ups where payment_id = ${reported} and refunds_look_at is not null`;
    assert.equal(await proof.pool.exists(isDue), true);
  });
});
