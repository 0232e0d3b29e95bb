import { paidTiers } from '../../fields/tiers.ts';
import { z } from 'zod';
import { sql, type CommonQueryMethods } from '../../database/pool.ts';
import type { OperatorId, SubscriptionChangeId } from '../../ids/ids.ts';

const Nothing = z.object({});

const changeKinds = ['start', 'upgrade', 'downgrade', 'resume'] as const;
export type ChangeKind = (typeof changeKinds)[number];
const changeStatuses = [
  'opening',
  'waiting',
  'done',
  'failed',
  'expired',
  'abandoned',
  'refused',
  'superseded',
] as const;

const ChangeRow = z.object({
  id: z.string(),
  operator_id: z.string(),
  kind: z.enum(changeKinds),
  tier: z.enum(paidTiers),
  status: z.enum(changeStatuses),
  effective_at: z.string().nullable(),
  expires_at: z.string().nullable(),
  seconds: z.number().nullable(),
  return_to: z.string().nullable(),
  attempt: z.number(),
  session_id: z.string().nullable(),
  /** Sealed. */
  checkout_url: z.string().nullable(),
  closing: z.boolean(),
  /** Whether its time to be paid is over, by Postgres' clock. */
  past: z.boolean(),
});
export type ChangeRow = z.infer<typeof ChangeRow>;

const columns = sql.fragment`id, operator_id, kind, tier, status, effective_at, expires_at, seconds, return_to, attempt, session_id,
  checkout_url, closing,
  coalesce(expires_at <= clock_timestamp(), false) as past`;

/** Names what the encrypted address of a checkout is bound to. */
export const changeEncryptionContext = (changeId: string): string => `subscription-change:${changeId}`;

/** @throws NotFoundError: changes are never deleted. */
export const readChange = (connection: CommonQueryMethods, id: string): Promise<ChangeRow> =>
  connection.one(sql.type(ChangeRow)`select ${columns} from subscription_changes where id = ${id}`);

export const findChange = (connection: CommonQueryMethods, id: string): Promise<ChangeRow | null> =>
  connection.maybeOne(sql.type(ChangeRow)`select ${columns} from subscription_changes where id = ${id}`);

/** The only change of an operator that waits for its page or for its payment; null where there is none. */
export const findChangeInFlight = (connection: CommonQueryMethods, operatorId: string): Promise<ChangeRow | null> =>
  connection.maybeOne(sql.type(ChangeRow)`
    select ${columns} from subscription_changes where operator_id = ${operatorId} and status in ('opening', 'waiting')`);

/** Changes of an operator that were given up, and whose page may still be open at the provider. */
export const changesToClose = (connection: CommonQueryMethods, operatorId: string): Promise<readonly string[]> =>
  connection.anyFirst(sql.type(z.object({ id: z.string() }))`
    select id from subscription_changes where operator_id = ${operatorId} and closing order by id`);

interface NewChange {
  id: SubscriptionChangeId;
  operatorId: OperatorId;
  kind: ChangeKind;
  tier: string;
  /** How its page is opened; null: there is nothing to pay, and the change is done. */
  page: { seconds: number; returnTo: string } | null;
  effectiveAt: string | null;
}

/** Inserts the change. One that has to be paid is checked with the provider when its time is over. */
export async function insertChange(connection: CommonQueryMethods, change: NewChange): Promise<void> {
  await connection.query(sql.type(Nothing)`
    insert into subscription_changes (id, operator_id, kind, tier, status, effective_at, seconds, return_to, expires_at)
    values (${change.id}, ${change.operatorId}, ${change.kind}, ${change.tier}, ${change.page === null ? 'done' : 'opening'},
      ${change.effectiveAt}, ${change.page?.seconds ?? null}, ${change.page?.returnTo ?? null},
      ${expiresIn(change.page?.seconds ?? null)})`);
  await planFetchOf(connection, change.id);
}

/** In whole milliseconds: it is sent to the provider, and the same again with each try. */
const expiresIn = (seconds: number | null) =>
  sql.fragment`date_trunc('milliseconds', clock_timestamp()) + make_interval(secs => ${seconds})`;

/** The life, which the caller wakes, fetches when the change can no longer be paid. */
async function planFetchOf(connection: CommonQueryMethods, id: string): Promise<void> {
  await connection.query(sql.type(Nothing)`
    update subscriptions s set next_call_at = least(s.next_call_at, c.expires_at)
    from subscription_changes c where s.operator_id = c.operator_id and c.id = ${id}`);
}

/**
 * Makes the page of a waiting upgrade one that is to be opened again; there is as much time to pay it as at first.
 * @param attempt that of the page that was opened last
 * @returns false where it does not wait, or a rival had it opened
 */
export async function reopenChange(
  connection: CommonQueryMethods,
  { id, attempt }: Pick<ChangeRow, 'id' | 'attempt'>,
): Promise<boolean> {
  const { rowCount } = await connection.query(sql.type(Nothing)`
    update subscription_changes set status = 'opening', session_id = null, checkout_url = null, attempt = attempt + 1,
      expires_at = date_trunc('milliseconds', clock_timestamp()) + make_interval(secs => seconds)
    where id = ${id} and kind = 'upgrade' and status = 'waiting' and attempt = ${attempt}`);
  if (rowCount > 0) await planFetchOf(connection, id);
  return rowCount > 0;
}

/**
 * Marks that the request to open the page is about to be sent to the provider.
 * @returns false where the change was given up meanwhile
 */
export async function beginToOpen(connection: CommonQueryMethods, id: string): Promise<boolean> {
  const { rowCount } = await connection.query(sql.type(Nothing)`
    update subscription_changes set tried = true where id = ${id} and status = 'opening'`);
  return rowCount > 0;
}

/**
 * Stores the page. Of a change that was given up meanwhile only the session is stored, so that the page can be closed.
 * @param page.url sealed
 */
export async function savePage(
  connection: CommonQueryMethods,
  id: string,
  page: { attempt: number; sessionId: string; url: string },
): Promise<void> {
  await connection.query(sql.type(Nothing)`
    update subscription_changes set session_id = ${page.sessionId},
      checkout_url = case when status = 'opening' then ${page.url} end,
      status = case when status = 'opening' then 'waiting' else status end
    where id = ${id} and attempt = ${page.attempt} and session_id is null`);
}

/** Ends a change in flight. @param closing whether its page may still be open at the provider and must be closed */
export async function endChange(
  connection: CommonQueryMethods,
  id: string,
  {
    status,
    closing,
  }: { status: 'done' | 'failed' | 'expired' | 'abandoned' | 'refused' | 'superseded'; closing: boolean },
): Promise<void> {
  await connection.query(sql.type(Nothing)`
    update subscription_changes set status = ${status}, checkout_url = null, closing = ${closing} and tried
    where id = ${id} and status in ('opening', 'waiting')`);
}

/**
 * Has the life look once more at the page of an upgrade that was given up: its payment took days, and has come. A change
 * that is in flight or done is as it should be.
 */
export async function closeAgain(connection: CommonQueryMethods, id: string): Promise<void> {
  await connection.query(sql.type(Nothing)`
    update subscription_changes set closing = true where id = ${id} and kind = 'upgrade' and status not in ('opening', 'waiting', 'done')`);
}

export async function changeIsClosed(connection: CommonQueryMethods, id: string): Promise<void> {
  await connection.query(sql.type(Nothing)`update subscription_changes set closing = false where id = ${id}`);
}
