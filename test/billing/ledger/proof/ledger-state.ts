import { z } from 'zod';
import { textArray } from '../../../../src/database/columns.ts';
import { sql, type CommonQueryMethods } from '../../../../src/database/pool.ts';
import { chargeOf, meterOf, USED, type Model } from './model.ts';
import { PRICES } from './step.ts';
import { MICROCENTS } from './wallet-of-model.ts';
import type { World } from './world.ts';

const WalletState = z.object({
  posted: z.number(),
  held: z.number(),
  owes: z.number(),
  positions: z.number(),
  calls: z.number(),
  used: z.number(),
  /** [microcents charged, cents debited], by meter. */
  meters: z.record(z.string(), z.tuple([z.number(), z.number()])),
});
const StateRow = z.object({ wallets: z.array(WalletState), earnings: z.array(z.number()) });

/** Everything that is stored about the wallets and earnings of a history. */
type LedgerState = z.infer<typeof StateRow>;

export const storedState = (db: CommonQueryMethods, { wallets, publishers }: World): Promise<LedgerState> =>
  db.one(sql.type(StateRow)`
    select
      (select json_agg(json_build_object('posted', w.posted_cents, 'held', w.held_cents, 'owes', w.receivable_cents, 'positions', w.last_position,
          'calls', w.last_call, 'used', (select sum(used) from usage_counters c where c.operator_id = w.operator_id and meter = 'metered_action'),
          'meters', (select coalesce(json_object_agg(meter, json_build_array(charged_microcents, debited_cents)), '{}') from wallet_remainders r
            where r.operator_id = w.operator_id and charged_microcents > 0)) order by ids.at)
        from unnest(${textArray(wallets)}) with ordinality ids (id, at) join wallets w on w.operator_id = ids.id) as wallets,
      (select json_agg(e.posted_cents order by ids.at)
        from unnest(${textArray(publishers)}) with ordinality ids (id, at) join earnings e on e.operator_id = ids.id) as earnings`);

export const modelState = ({ wallets, earnings }: Model): LedgerState => ({
  wallets: wallets.map((wallet) => ({
    posted: wallet.posted,
    held: wallet.held,
    owes: wallet.owes,
    positions: wallet.positions,
    calls: wallet.calls,
    used: wallet.used,
    meters: Object.fromEntries([...wallet.meters].map(([meter, { charged, debited }]) => [meter, [charged, debited]])),
  })),
  earnings: [...earnings],
});

const TakenRow = z.object({ operator_id: z.string(), cents: z.number() });
const RefundRow = z.object({ operator_id: z.string(), status: z.string(), cents: z.number() });
const OverageRow = z.object({ operator_id: z.string(), overage: z.number() });
const PaidOutRow = z.object({ operator_id: z.string(), cents: z.number() });

/** The sums of a wallet that do not depend on the order in which things happened. */
interface Outcome {
  wallets: { worth: number; held: number; used: number; meters: Record<string, number> }[];
  earnings: number[];
}

export const outcomeOf = ({ wallets, earnings }: LedgerState): Outcome => ({
  wallets: wallets.map(({ posted, owes, held, used, meters }) => ({
    worth: posted - owes,
    held,
    used,
    meters: Object.fromEntries(Object.entries(meters).map(([meter, [charged]]) => [meter, charged])),
  })),
  earnings,
});

/**
 * The sums of all steps that succeeded. Four facts are in no answer, so they are read from their rows: how each
 * dispute and each refund ended, which action was over the allowance, and which payout moved.
 */
export async function sumOfSteps(db: CommonQueryMethods, { wallets, publishers, deeds }: World): Promise<Outcome> {
  const taken = await db.any(sql.type(TakenRow)`
    select t.operator_id, sum(reversed.cents)::int8 as cents from top_ups t join (
      select payment_id, taken_cents as cents from disputes
      union all select payment_id, charged_back_cents from refunded_payments) reversed on reversed.payment_id = t.payment_id
    where t.operator_id = any(${textArray(wallets)}) group by 1`);
  const overages = await db.any(sql.type(OverageRow)`
    select operator_id, sum(overage)::int8 as overage from usage_counters where operator_id = any(${textArray(wallets)}) group by 1`);
  const paidOut = await db.any(sql.type(PaidOutRow)`
    select operator_id, sum(gross_cents)::int8 as cents from payouts
    where operator_id = any(${textArray(publishers)}) and status in ('transferring', 'paid') group by 1`);

  const refunds = await db.any(sql.type(RefundRow)`
    select operator_id, status, sum(amount_cents)::int8 as cents from refunds
    where operator_id = any(${textArray(wallets)}) group by 1, 2`);

  const sum = <T>(rows: readonly T[], cents: (row: T) => number): number =>
    rows.reduce((total, row) => total + cents(row), 0);
  return {
    wallets: wallets.map((id, wallet) => {
      const here = <T extends { wallet: number }>(rows: readonly T[]): T[] =>
        rows.filter((row) => row.wallet === wallet);
      const invocations = here(deeds.invocations);
      const refundsThat = (status: string): number =>
        sum(
          refunds.filter((row) => row.operator_id === id && row.status === status),
          ({ cents }) => cents,
        );
      const meters: Record<string, number> = {};
      const charge = (meter: string | null, microcents: number): void => {
        if (meter !== null && microcents > 0) meters[meter] = (meters[meter] ?? 0) + microcents;
      };
      for (const { source, cost } of here(deeds.uses)) charge(meterOf[source], chargeOf(source, cost));
      charge(
        'metered_action',
        10_000 *
          sum(
            overages.filter((row) => row.operator_id === id),
            ({ overage }) => overage,
          ),
      );
      return {
        worth:
          sum(here(deeds.topUps), ({ credited }) => credited ?? 0) +
          sum(here(deeds.adjustments), ({ cents }) => cents) +
          sum(here(deeds.closed), ({ cents }) => cents) -
          refundsThat('succeeded') -
          sum(invocations, ({ ended, skill }) => (ended === 'captured' ? (PRICES[skill] ?? 0) : 0)) -
          sum(Object.values(meters), (microcents) => Math.floor(microcents / MICROCENTS)) -
          sum(
            taken.filter((row) => row.operator_id === id),
            ({ cents }) => cents,
          ),
        held:
          sum(invocations, ({ ended, skill }) => (ended === null ? (PRICES[skill] ?? 0) : 0)) + refundsThat('pending'),
        used: (USED[wallet] ?? 0) + here(deeds.actions).length,
        meters,
      };
    }),
    earnings: publishers.map(
      (id, skill) =>
        sum(deeds.invocations, (invocation) =>
          invocation.skill === skill && invocation.ended === 'captured' ? (PRICES[skill] ?? 0) : 0,
        ) -
        sum(
          paidOut.filter((row) => row.operator_id === id),
          ({ cents }) => cents,
        ),
    ),
  };
}
