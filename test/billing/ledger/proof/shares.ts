import assert from 'node:assert/strict';
import { z } from 'zod';
import { textArray } from '../../../../src/database/columns.ts';
import { sql, type CommonQueryMethods } from '../../../../src/database/pool.ts';
import { MICROCENTS } from './wallet-of-model.ts';
import type { World } from './world.ts';

const Row = z.object({ id: z.string(), stream: z.string(), begins: z.number(), microcents: z.number() });
type Part = z.infer<typeof Row>;

/** Microcents that two sections of one stream have in common. */
const common = (a: Part, b: Part): number =>
  Math.max(0, Math.min(a.begins + a.microcents, b.begins + b.microcents) - Math.max(a.begins, b.begins));

/**
 * The same identities as the laws of the ledger, computed another way, charge by charge: the shares of a charge in all
 * debits and in the remainder add up to it, the shares in a debit add up to that debit, and no debit has a share of a
 * charge before all earlier charges are debited in full.
 */
export async function assertShares(db: CommonQueryMethods, { wallets }: World): Promise<void> {
  const charges = await db.any(sql.type(Row)`
    select id, operator_id || ' ' || meter as stream, begins_microcents as begins, microcents, created_at from model_calls
      where meter is not null and operator_id = any(${textArray(wallets)})
    union all
    select id, operator_id || ' ' || meter, begins_microcents, microcents, created_at from machine_runs
      where meter is not null and operator_id = any(${textArray(wallets)})
    union all
    select source, operator_id || ' ' || meter, begins_microcents, microcents, created_at from usage_charges
      where begins_microcents is not null and operator_id = any(${textArray(wallets)})
    order by created_at`);
  const debits = await db.any(sql.type(Row)`
    select id, wallet || ' ' || meter as stream, meter_from_cents * 1000000 as begins, amount_cents * 1000000 as microcents from transfers
    where meter <> 'metered_action' and wallet = any(${textArray(wallets)}) order by wallet, position`);

  for (const stream of new Set([...charges, ...debits].map((part) => part.stream))) {
    const charged = charges.filter((part) => part.stream === stream);
    const debited = debits.filter((part) => part.stream === stream);
    const whole = new Map(charged.map(({ id }) => [id, 0]));
    for (const debit of debited) {
      let earlierAreWhole = true;
      let covered = 0;
      for (const charge of charged) {
        const share = common(charge, debit);
        assert(
          share === 0 || earlierAreWhole,
          `${debit.id} takes from ${charge.id} before what was charged earlier is whole`,
        );
        const sum = (whole.get(charge.id) ?? 0) + share;
        whole.set(charge.id, sum);
        earlierAreWhole &&= sum === charge.microcents;
        covered += share;
      }
      assert.equal(covered, debit.microcents, `${debit.id} stands for charges of its own amount`);
    }
    const taken = debited.reduce((sum, { microcents }) => sum + microcents, 0);
    const left: Part = { id: 'remainder', stream, begins: taken, microcents: MICROCENTS };
    for (const charge of charged)
      assert.equal(
        (whole.get(charge.id) ?? 0) + common(charge, left),
        charge.microcents,
        `${charge.id} is its shares and what is left of it`,
      );
  }
}
