import { z } from 'zod';
import { textArray } from '../../../database/columns.ts';
import { sql, type CommonQueryMethods } from '../../../database/pool.ts';
import type { OperatorId, TopUpId } from '../../../ids/ids.ts';
import { topUpActions } from '../step.ts';
import { topUpStatuses } from './schema.ts';

const Nothing = z.object({});

interface NewTopUp {
  id: TopUpId;
  operatorId: OperatorId;
  provider: 'stripe' | 'local';
  amountCents: number;
  /** How long the checkout can be paid. */
  seconds: number;
  /** The address of the service, to which its page leads back. */
  returnTo: string;
}

export async function insertTopUp(
  connection: CommonQueryMethods,
  { id, operatorId, provider, amountCents, seconds, returnTo }: NewTopUp,
): Promise<void> {
  await connection.query(sql.type(Nothing)`
    insert into top_ups (id, operator_id, provider, amount_cents, seconds, return_to, expires_at)
    values (${id}, ${operatorId}, ${provider}, ${amountCents}, ${seconds}, ${returnTo},
      clock_timestamp() + make_interval(secs => ${seconds}))`);
}

/** One more page may be opened, since fewer than `most` wait or one of them gave way. @returns null, or in how many seconds one does */
export const makeRoomForTopUp = (
  connection: CommonQueryMethods,
  { operatorId, most, requestId }: { operatorId: OperatorId; most: number; requestId: string },
): Promise<number | null> =>
  connection.oneFirst(sql.type(z.object({ seconds: z.number().nullable() }))`
    select make_room_for_top_up(${operatorId}, ${most}, ${requestId}) as seconds`);

/** The caller is answered with the page. */
export async function noteGiven(connection: CommonQueryMethods, id: string): Promise<void> {
  await connection.query(sql.type(Nothing)`update top_ups set given_at = clock_timestamp() where id = ${id}`);
}

/** @returns whether it could still be paid */
export const closeTopUpPage = (connection: CommonQueryMethods, id: string): Promise<boolean> =>
  connection.oneFirst(sql.type(z.object({ closed: z.boolean() }))`select close_top_up_page(${id}) as closed`);

const TopUpRow = z.object({
  id: z.string(),
  operator_id: z.string(),
  amount_cents: z.number(),
  status: z.enum(topUpStatuses),
  session_id: z.string().nullable(),
  checkout_url: z.string().nullable(),
  expires_at: z.string(),
  seconds: z.number(),
  return_to: z.string(),
  /** Whether its time to be paid is over, by Postgres' clock. */
  past: z.boolean(),
});
export type TopUpRow = z.infer<typeof TopUpRow>;

const columns = sql.fragment`id, operator_id, amount_cents, status, session_id, checkout_url, expires_at, seconds, return_to,
  expires_at <= clock_timestamp() as past`;

const ListedRow = TopUpRow.pick({
  id: true,
  amount_cents: true,
  status: true,
  checkout_url: true,
  expires_at: true,
  past: true,
}).extend({
  transaction_id: z.string().nullable(),
  created_at: z.string(),
});
/** `checkout_url` is sealed. */
export type ListedTopUpRow = z.infer<typeof ListedRow>;

const listed = sql.fragment`id, amount_cents, status, checkout_url, expires_at, expires_at <= clock_timestamp() as past, transaction_id, created_at`;

/** The newest first. @param page.before the last one of the page before */
export const listTopUpRows = (
  connection: CommonQueryMethods,
  operatorId: OperatorId,
  { before, unpaid, limit }: { before: string | null; unpaid: boolean; limit: number },
): Promise<readonly ListedTopUpRow[]> =>
  connection.any(sql.type(ListedRow)`
    select ${listed} from top_ups
    where operator_id = ${operatorId} and (${before}::text is null or id < ${before})
      ${unpaid ? sql.fragment`and status in ('opening', 'open') and expires_at > clock_timestamp()` : sql.fragment``}
    order by id desc limit ${limit}`);

export const findTopUp = (
  connection: CommonQueryMethods,
  { id, operatorId }: { id: string; operatorId: OperatorId },
): Promise<ListedTopUpRow | null> =>
  connection.maybeOne(
    sql.type(ListedRow)`select ${listed} from top_ups where id = ${id} and operator_id = ${operatorId}`,
  );

/** @throws NotFoundError: rows of top-ups are never deleted. */
export const readTopUp = (connection: CommonQueryMethods, id: string): Promise<TopUpRow> =>
  connection.one(sql.type(TopUpRow)`select ${columns} from top_ups where id = ${id}`);

/** Changes nothing where a webhook came first and the row has moved on. @param url sealed */
export async function saveCheckout(
  connection: CommonQueryMethods,
  id: string,
  { sessionId, url }: { sessionId: string; url: string },
): Promise<void> {
  await connection.query(sql.type(Nothing)`
    update top_ups set status = 'open', session_id = ${sessionId}, checkout_url = ${url}, next_call_at = expires_at
    where id = ${id} and status = 'opening'`);
}

/**
 * Ends a top-up that the provider refused, that was paid otherwise than requested, or that was never opened: nothing more happens by
 * itself.
 */
export async function endTopUp(
  connection: CommonQueryMethods,
  id: string,
  status: 'refused' | 'differs' | 'expired',
): Promise<void> {
  await connection.query(sql.type(Nothing)`
    update top_ups set status = ${status}, checkout_url = null, next_call_at = null
    where id = ${id} and status in ('opening', 'open', 'processing')`);
}

export async function checkTopUpLater(connection: CommonQueryMethods, id: string): Promise<void> {
  await connection.query(sql.type(Nothing)`
    update top_ups set next_call_at = case when status = 'open' and expires_at > clock_timestamp() then expires_at else next_check_at(expires_at) end
    where id = ${id} and next_call_at is not null`);
}

/** @param url sealed; null where the provider has none. */
export async function saveReceipt(connection: CommonQueryMethods, id: string, url: string | null): Promise<void> {
  await connection.query(sql.type(Nothing)`
    update top_ups set receipt_sought = true, receipt_url = ${url} where id = ${id} and status = 'paid'`);
}

const StepRow = z.object({
  status: z.enum([...topUpStatuses, 'gone']),
  action: z.enum(topUpActions),
  wait_ms: z.number().nullable(),
  until: z.string().nullable(),
});

export const advanceTopUpRow = (connection: CommonQueryMethods, id: string): Promise<z.infer<typeof StepRow>> =>
  connection.one(sql.type(StepRow)`select * from advance_top_up(${id})`);

export const describeTopUpRows = (connection: CommonQueryMethods, ids: string[]): Promise<readonly TopUpRow[]> =>
  connection.any(sql.type(TopUpRow)`select ${columns} from top_ups where id = any(${textArray(ids)})`);
