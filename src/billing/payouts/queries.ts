import { z } from 'zod';
import { textArray } from '../../database/columns.ts';
import { sql, type CommonQueryMethods } from '../../database/pool.ts';
import { EarningsSchema, PayoutSchema, type Earnings, type Payout, type PayoutState } from './schema.ts';

/** @param ageDays what was paid with a younger top-up waits */
export const findEarnings = (
  connection: CommonQueryMethods,
  { operatorId, ageDays }: { operatorId: string; ageDays: number },
): Promise<Earnings> =>
  connection.one(sql.type(EarningsSchema)`
    select posted_cents as available_cents, least(posted_cents, young_earnings(operator_id, ${ageDays}, clock_timestamp())) as young_cents,
      pending as pending_cents, posted_cents + pending + paid as lifetime_cents
    from earnings, lateral (
      select coalesce(sum(gross_cents) filter (where status = 'transferring'), 0)::int8 as pending,
        coalesce(sum(gross_cents) filter (where status = 'paid'), 0)::int8 as paid
      from payouts where operator_id = earnings.operator_id) moved
    where operator_id = ${operatorId}`);

/** As `findEarnings`, the amounts alone that are kept as such: earned and not paid out, and in a transfer. */
export const readEarned = (
  connection: CommonQueryMethods,
  operatorId: string,
): Promise<Pick<Earnings, 'available_cents' | 'pending_cents'>> =>
  connection.one(sql.type(EarningsSchema.pick({ available_cents: true, pending_cents: true }))`
    select posted_cents as available_cents, coalesce((
        select sum(gross_cents) from payouts p where p.operator_id = earnings.operator_id and status = 'transferring'), 0)::int8 as pending_cents
    from earnings where operator_id = ${operatorId}`);

/** The newest month first. @param before only months before this one */
export const findPayouts = (
  connection: CommonQueryMethods,
  operatorId: string,
  { before, limit }: { before: string | null; limit: number },
): Promise<readonly Payout[]> =>
  connection.any(sql.type(PayoutSchema)`
    select id, month, gross_cents, commission_cents, net_cents, status, created_at, paid_at from payouts
    where operator_id = ${operatorId} and (${before}::text is null or month < ${before}) order by month desc limit ${limit}`);

/** How far a run of the monthly schedule has come: the month of its statements, and the last operator. */
export interface PayoutsProgress {
  /** `YYYY-MM`; null: the one before this one, by Postgres' clock. */
  month: string | null;
  after: string;
}

const Opened = z.object({ month: z.string(), last: z.string().nullable(), opened: z.number(), due: z.number() });
export type OpenedPayouts = z.infer<typeof Opened>;

export const openPayoutRows = (
  connection: CommonQueryMethods,
  progress: PayoutsProgress & { limit: number; commissionBps: number; minimumCents: number; ageDays: number },
): Promise<OpenedPayouts> =>
  connection.one(sql.type(Opened)`
    select * from open_payouts(${progress.month}, ${progress.after}, ${progress.limit}, ${progress.commissionBps}, ${progress.minimumCents},
      ${progress.ageDays})`);

const Status = z.object({ status: z.custom<PayoutState>() });

/** @param payoutId `op_…:YYYY-MM`, here and below */
export const advancePayoutRow = (
  connection: CommonQueryMethods,
  { payoutId, configured }: { payoutId: string; configured: boolean },
): Promise<PayoutState> =>
  connection.oneFirst(sql.type(Status)`select advance_payout(${payoutId}, ${configured}) as status`);

const Transferring = z.object({
  operator_id: z.string(),
  account: z.string(),
  net_cents: z.number(),
  tries: z.number(),
});

/** Reads what is to be transferred; null where that is over. */
export const findTransferringPayout = (
  connection: CommonQueryMethods,
  payoutId: string,
): Promise<z.infer<typeof Transferring> | null> =>
  connection.maybeOne(sql.type(Transferring)`
    select operator_id, account, net_cents, tries from payouts
    where operator_id = split_part(${payoutId}, ':', 1) and month = split_part(${payoutId}, ':', 2) and status = 'transferring'`);

/** The provider answered a try and has not done it: the next one has another key. A rival that came first has counted it. */
export async function countPayoutTry(connection: CommonQueryMethods, payoutId: string, tries: number): Promise<void> {
  await connection.query(sql.type(z.object({}))`
    update payouts set tries = tries + 1
    where operator_id = split_part(${payoutId}, ':', 1) and month = split_part(${payoutId}, ':', 2) and status = 'transferring'
      and tries = ${tries}`);
}

/** @param providerTransferId null: refused for good */
export async function settlePayoutRow(
  connection: CommonQueryMethods,
  payoutId: string,
  providerTransferId: string | null,
): Promise<void> {
  await connection.query(sql.type(z.object({}))`select settle_payout(${payoutId}, ${providerTransferId})`);
}

const DescriptionRow = z.object({ id: z.string(), operator_id: z.string(), month: z.string(), net_cents: z.number() });

export const describePayoutRows = (
  connection: CommonQueryMethods,
  payoutIds: string[],
): Promise<readonly z.infer<typeof DescriptionRow>[]> =>
  connection.any(sql.type(DescriptionRow)`
    select operator_id || ':' || month as id, operator_id, month, net_cents from payouts
    where (operator_id, month) in (
      select split_part(id, ':', 1), split_part(id, ':', 2) from unnest(${textArray(payoutIds)}) as ids (id))`);
