import assert from 'node:assert/strict';
import { z } from 'zod';
import { sql, type CommonQueryMethods } from '../../src/database/pool.ts';

type LocalOutcome = 'paid' | 'failed' | 'expired';

export interface LocalReply {
  status: number;
  headers: Headers;
  text: string;
}

const replyOf = async (response: Response): Promise<LocalReply> => ({
  status: response.status,
  headers: response.headers,
  text: await response.text(),
});

/** Fetches a page of the local provider, as a browser without script does. @param url e.g. a `checkout_url` */
export const openLocalPage = async (url: string): Promise<LocalReply> =>
  replyOf(await fetch(url, { redirect: 'manual' }));

/** Sends the form of the page with an outcome; returns the answer without following redirections. */
export const postOutcome = async (url: string, form: Record<string, string> | string): Promise<LocalReply> =>
  replyOf(await fetch(url, { method: 'POST', body: new URLSearchParams(form), redirect: 'manual' }));

/** Presses a button of the checkout page. When this returns, the webhook has been sent once, and usually accepted. */
export async function settleLocally(url: string, outcome: LocalOutcome): Promise<void> {
  const reply = await postOutcome(url, { outcome });
  assert.equal(reply.status, 303, `expected 303, got ${reply.status} ${reply.text.slice(0, 400)}`);
}

export const payLocally = (url: string): Promise<void> => settleLocally(url, 'paid');
export const failLocally = (url: string): Promise<void> => settleLocally(url, 'failed');
export const expireLocally = (url: string): Promise<void> => settleLocally(url, 'expired');

/**
 * Moves the current period of a subscription of the local provider into the past, so that it ended a second ago. The
 * next read from the provider finds it renewed, or ended.
 */
export async function endLocalPeriod(connection: CommonQueryMethods, subscriptionId: string): Promise<void> {
  const { rowCount } = await connection.query(sql.type(z.object({}))`
    update local_subscriptions s
    set started_at = s.started_at - past.by, period_start = s.period_start - past.by, period_end = s.period_end - past.by
    from (select period_end - clock_timestamp() + interval '1 second' as by from local_subscriptions where id = ${subscriptionId}) past
    where s.id = ${subscriptionId}`);
  assert.equal(rowCount, 1, `there is no local subscription ${subscriptionId}`);
}
