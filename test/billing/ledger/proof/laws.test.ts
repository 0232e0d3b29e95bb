import assert from 'node:assert/strict';
import { ledgerFaults, proveLedger } from '../../../../src/billing/index.ts';
import { ledgerLaws } from '../../../../src/billing/ledger/laws/index.ts';
import { sql } from '../../../../src/database/pool.ts';
import { run } from '../ledger-world.ts';
import { everyRow } from './every-row.ts';
import { ProofDatabases, type ProofDatabase } from './proof-database.ts';

const paid = sql.fragment`(select id from invocations where status = 'completed')`;
const charged = sql.fragment`(select id from disputes where taken_cents > 0)`;

/** For each law a change of a row or two that breaks it. */
const breaks: Record<string, ReturnType<typeof sql.fragment>[]> = {
  'a wallet is the sum of its transfers': [sql.fragment`update wallets set posted_cents = posted_cents + 1`],
  'earnings are the sum of their transfers': [sql.fragment`update earnings set posted_cents = posted_cents + 1`],
  'every account has its row': [
    sql.fragment`
      insert into transfers (id, debit_account, credit_account, amount_cents, kind, cause, description)
      values ('txn_nobody', 'platform:adjustments', 'earnings:op_nobody', 1, 'adjustment', 'nobody', 'x')`,
  ],
  'money moves between the accounts of its kind': [
    sql.fragment`update transfers set credit_account = 'platform:adjustments' where kind = 'identity'`,
  ],
  'balances and platform accounts sum to zero': [sql.fragment`update wallets set posted_cents = posted_cents + 1`],
  'nothing is negative': [
    sql.fragment`alter table wallets drop constraint wallets_never_overdrawn`,
    sql.fragment`update wallets set held_cents = posted_cents + 1`,
  ],
  'positions are dense': [sql.fragment`delete from transfers where cause in ${paid}`],
  'positions are in the order of time': [
    sql.fragment`update transfers set created_at = created_at + interval '1 day' where position = 1`,
  ],
  'held is the sum of the open holds': [
    sql.fragment`update wallets set held_cents = held_cents - 1 where held_cents > 0`,
  ],
  'a captured hold is one transfer of its amount': [
    sql.fragment`update transfers set amount_cents = amount_cents + 1 where cause in ${paid}`,
  ],
  'an invocation is paid from a captured hold': [
    sql.fragment`update holds set status = 'released' where cause in ${paid}`,
  ],
  'a hold follows its invocation': [
    sql.fragment`delete from invocations where status = 'completed' and execution_mode = 'open'`,
  ],
  'a hold follows its classification': [
    sql.fragment`update classification_calls set ended_at = clock_timestamp() where ended_at is null`,
  ],
  'a price has its hold': [sql.fragment`delete from holds where cause in ${paid}`],
  'an execution costs what its steps cost, and no more than was held for it': [
    sql.fragment`update invocations set compute_cents = compute_cents + 1 where execution_mode <> 'open' and status = 'completed'`,
  ],
  'a budget counts what was not given back': [sql.fragment`update agent_spending set cents = cents + 1`],
  'the budget of a passport counts its invocations and those below it, and no more than it is': [
    sql.fragment`update passport_budgets set used_cents = used_cents - 1`,
  ],
  'a charge begins where the one before it ended': [
    sql.fragment`update machine_runs set begins_microcents = begins_microcents - 1`,
  ],
  'charges are in the order of time': [
    sql.fragment`update machine_runs set created_at = created_at - interval '1 day'`,
  ],
  'a debit begins where the one before it of its meter ended': [
    sql.fragment`update transfers set meter_from_cents = meter_from_cents + 1 where meter_from_cents > 0`,
  ],
  'a meter charges what its sources cost': [sql.fragment`update usage_charges set microcents = microcents - 1`],
  'metered actions over the allowance are charged': [
    sql.fragment`update usage_counters set overage = overage + 1 where overage > 0 and meter = 'metered_action'`,
  ],
  'a meter is debited its whole cents': [
    sql.fragment`alter table wallet_remainders drop constraint wallet_remainders_below_a_cent`,
    sql.fragment`update wallet_remainders set debited_cents = debited_cents + 1`,
  ],
  'charges are debits and remainders in total': [sql.fragment`delete from transfers where meter = 'identity'`],
  'model calls have dense places': [sql.fragment`delete from model_calls where call = 1`],
  'model calls stand between the transfers of their time': [
    sql.fragment`update model_calls set position = position - 1`,
  ],
  'a paid top-up is one credit of its amount': [sql.fragment`update top_ups set amount_cents = amount_cents + 1`],
  'a refund holds its money until it is settled': [
    sql.fragment`update holds set status = 'released', closed_at = now() where cause in (select id from refunds where status = 'pending')`,
  ],
  'a refund is paid from a captured hold': [
    sql.fragment`delete from holds where cause in (select cause from transfers where kind = 'refund')`,
  ],
  'a wallet owes its open receivables': [sql.fragment`update wallets set receivable_cents = receivable_cents + 1`],
  'a wallet that owes has nothing available': [
    sql.fragment`update wallets set receivable_cents = receivable_cents + 1 where posted_cents > held_cents`,
  ],
  'a receivable is paid by its transfers': [
    sql.fragment`update receivables set paid_cents = paid_cents - 1 where paid_cents > 0`,
  ],
  'a dispute took what its moves add up to': [
    sql.fragment`update disputes set taken_cents = taken_cents + 1 where id in ${charged}`,
  ],
  'what is known of a paid top-up has been done': [
    sql.fragment`update provider_refunds set cents = cents + 1 where refund_id is null`,
  ],
  'a refund of ours is as the provider lists it': [
    sql.fragment`update provider_refunds set status = 'failed' where refund_id in (select id from refunds where status = 'succeeded')`,
  ],
  'what was refunded without us was taken back': [
    sql.fragment`update refunded_payments set charged_back_cents = charged_back_cents + 1`,
  ],
  'a row leaves the balance that it says': [
    sql.fragment`update transfers set balance_after_cents = balance_after_cents + 1 where balance_after_cents is not null`,
  ],
  'what the payment provider moved has its reason': [sql.fragment`delete from disputes`],
  'a payout is its transfers, and a failed one their return': [
    sql.fragment`delete from transfers where kind = 'commission' and cause in (select id from payouts where status = 'failed')`,
  ],
};

describe('the laws of the ledger', () => {
  class RollBack extends Error {}
  const databases = new ProofDatabases();
  let proof: ProofDatabase;
  before(async function () {
    this.timeout(120_000);
    proof = await databases.current();
    const lane = await proof.lane();
    await everyRow(proof.pool, lane);
    await lane.end();
  });
  after(() => databases.close());

  it('hold, and each has checked some rows', async () => {
    const proofs = await proveLedger(proof.pool);
    assert.deepEqual(
      proofs.flatMap(({ faults }) => faults),
      [],
    );
    assert.deepEqual(
      proofs.filter(({ lookedAt }) => lookedAt === 0).map(({ law }) => law),
      [],
    );
  });

  for (const { law } of ledgerLaws) {
    it(`find a row that breaks: ${law}`, async () => {
      const broken = await proof.pool
        .transaction(async (connection) => {
          for (const change of breaks[law] ?? assert.fail('this law has no test that breaks it'))
            await run(connection, change);
          throw Object.assign(new RollBack(), { faults: await ledgerFaults(connection) });
        })
        .catch((error: unknown) => {
          if (error instanceof RollBack && 'faults' in error)
            return error.faults as Awaited<ReturnType<typeof ledgerFaults>>;
          throw error;
        });
      assert(
        broken.some((fault) => fault.law === law),
        `found broken: ${[...new Set(broken.map((fault) => fault.law))].join('; ') || 'nothing'}`,
      );
    });
  }
});
