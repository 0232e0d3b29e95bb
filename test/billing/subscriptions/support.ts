import assert from 'node:assert/strict';
import { z } from 'zod';
import type { Subscribed, Subscription } from '../../../src/billing/subscriptions/schema.ts';
import { sql } from '../../../src/database/pool.ts';
import { lifeId } from '../../../src/ids/life-ids.ts';
import { makeDue } from '../../support/due-lives.ts';
import { eventually } from '../../support/eventually.ts';
import { buildOperator, unique, type TestOperator } from '../../support/factories.ts';
import { endLocalPeriod, payLocally } from '../../support/local-payments.ts';
import { assertStatus, database, type Reply, type Requester } from '../../support/service.ts';
import { untilAnswered } from '../../support/until-answered.ts';

/**
 * Subscribes as a client should: where the page was not opened in time, it sends the request again with the same key.
 */
function patiently<Body>(call: (headers: Record<string, string>) => Promise<Reply<Body>>): Promise<Reply<Body>> {
  const headers = { 'idempotency-key': unique('key') };
  return untilAnswered(() => call(headers), 45); // some calls of ten seconds, within what mocha gives a case
}

export const postSubscribe = (
  operator: Requester,
  tier: string,
  headers: Record<string, string> = {},
): Promise<Reply<Subscribed>> =>
  patiently((key) => operator.post<Subscribed>('/v1/billing/subscribe', { tier }, { ...key, ...headers }));

export const openPortal = (
  operator: Requester,
  headers: Record<string, string> = {},
): Promise<Reply<{ url: string }>> =>
  patiently((key) => operator.post<{ url: string }>('/v1/billing/portal', undefined, { ...key, ...headers }));

/** Begins a change that has to be paid. @returns its page */
export async function checkoutFor(operator: Requester, tier: string): Promise<{ url: string; sessionId: string }> {
  const { checkout_url: url, session_id: sessionId } = assertStatus(await postSubscribe(operator, tier), 200);
  assert(url !== null && sessionId !== null, 'there is something to pay');
  return { url, sessionId };
}

export const subscriptionOf = async (operator: Requester): Promise<Subscription> =>
  assertStatus(await operator.get<Subscription>('/v1/billing/subscription'), 200);

/** Waits until the operator sees the subscription in this state. */
export const untilSubscription = (
  operator: Requester,
  what: string,
  isSo: (subscription: Subscription) => boolean,
): Promise<Subscription> =>
  eventually(
    what,
    async () => {
      const subscription = await subscriptionOf(operator);
      return isSo(subscription) && subscription;
    },
    { seconds: 25 },
  );

export async function payFor(operator: Requester, tier: string): Promise<void> {
  await payLocally((await checkoutFor(operator, tier)).url);
  await untilSubscription(
    operator,
    `tier ${tier}`,
    (subscription) => subscription.tier === tier && subscription.pending_change === null,
  );
}

/** An operator who has bought this tier on the local page. */
export async function buildSubscriber(tier = 'pro'): Promise<TestOperator> {
  const operator = await buildOperator();
  await payFor(operator, tier);
  return operator;
}

const Row = z.object({
  status: z.string(),
  subscription_id: z.string(),
  tier: z.string(),
  purchased_seats: z.number(),
  cancel_at_period_end: z.boolean(),
  next_tier: z.string().nullable(),
  revision: z.number(),
  pushed_revision: z.number(),
});

export const rowOf = async ({ operatorId }: TestOperator): Promise<z.infer<typeof Row>> =>
  (await database()).one(sql.type(Row)`
    select status, subscription_id, tier, purchased_seats, cancel_at_period_end, next_tier, revision, pushed_revision
    from subscriptions where operator_id = ${operatorId}`);

/** Waits until everything that the operator decided was pushed to the provider. */
export const untilPushed = (operator: TestOperator): Promise<z.infer<typeof Row>> =>
  eventually('the push to the provider', async () => {
    const row = await rowOf(operator);
    return row.revision === row.pushed_revision && row;
  });

const LocalRow = Row.omit({ subscription_id: true, revision: true, pushed_revision: true });

/** The same subscription in the tables of the local provider. */
export const atProvider = async (operator: TestOperator): Promise<z.infer<typeof LocalRow>> => {
  const { subscription_id: id } = await rowOf(operator);
  return (await database()).one(sql.type(LocalRow)`
    select status, tier, purchased_seats, cancel_at_period_end, next_tier from local_subscriptions where id = ${id}`);
};

/** Ends the period by the clocks of provider and service, and wakes the life. */
export async function endPeriod(operator: TestOperator): Promise<void> {
  await passPeriod(operator);
  await (await database()).query(sql.type(z.object({}))`select wake_life(${lifeId.subscription(operator.operatorId)})`);
}

/**
 * As `endPeriod`, but the timer has not fired and the sweep finds the row. The life has fetched everything before, so
 * that none of its answers is from a time when the period still ran.
 * @returns the end of the period that is over.
 */
export async function passPeriod(operator: TestOperator): Promise<string> {
  const db = await database();
  const { operatorId } = operator;
  await eventually('the life to have fetched from the provider', () =>
    db.oneFirst(sql.type(z.object({ fetched: z.boolean() }))`
      select coalesce(next_call_at > clock_timestamp(), false) as fetched from subscriptions where operator_id = ${operatorId}`),
  );
  const { subscription_id: id } = await rowOf(operator);
  const ended = await db.transaction(async (both) => {
    await endLocalPeriod(both, id);
    return both.oneFirst(sql.type(z.object({ period_end: z.string() }))`
      update subscriptions s set period_start = l.period_start, period_end = l.period_end,
        next_call_at = clock_timestamp()
      from local_subscriptions l where l.id = ${id} and s.operator_id = ${operatorId} returning s.period_end`);
  });
  await makeDue(db, lifeId.subscription(operatorId));
  return ended;
}

/** Ends the time of the waiting checkout. */
export async function endCheckout(operator: TestOperator): Promise<void> {
  const db = await database();
  await db.query(sql.type(z.object({}))`
    update subscription_changes set expires_at = clock_timestamp() where operator_id = ${operator.operatorId} and status = 'waiting'`);
  await db.query(sql.type(z.object({}))`
    update subscriptions set next_call_at = clock_timestamp() where operator_id = ${operator.operatorId}`);
  await db.query(sql.type(z.object({}))`select wake_life(${lifeId.subscription(operator.operatorId)})`);
}

const Change = z.object({
  kind: z.string(),
  tier: z.string(),
  status: z.string(),
  closing: z.boolean(),
  checkout_url: z.string().nullable(),
});

/** The changes, oldest first. */
export const changesOf = async ({ operatorId }: TestOperator): Promise<readonly z.infer<typeof Change>[]> =>
  (await database()).any(sql.type(Change)`
    select kind, tier, status, closing, checkout_url from subscription_changes where operator_id = ${operatorId} order by id`);

/** The checkouts that the local provider has ever opened for an operator, with their status. */
export const checkoutsOf = async ({ operatorId }: TestOperator): Promise<readonly string[]> =>
  (await database()).anyFirst(sql.type(z.object({ status: z.string() }))`
    select c.status from local_checkouts c join local_customers u on u.id = c.customer_id where u.operator_id = ${operatorId} order by c.id`);

/** The audit events of an operator about its subscription, oldest first. */
export const auditOf = async ({ operatorId }: TestOperator): Promise<readonly string[]> =>
  (await database()).anyFirst(sql.type(z.object({ action: z.string() }))`
    select action from audit_events where operator_id = ${operatorId} and action ~ '^(subscription|seats|portal)\.' order by id`);

export const seats = (operator: Requester, purchased: unknown): Promise<Reply> =>
  operator.post('/v1/billing/seats', { purchased_seats: purchased });

export const cancel = (operator: Requester): Promise<Reply> => operator.post('/v1/billing/cancel-subscription');

export const addMember = (operator: Requester): Promise<Reply> =>
  operator.post('/v1/members', { email: `${unique('person')}@example.test`, role: 'member' });

/** @param people members to add in addition to the owner */
export async function addMembers(operator: Requester, people: number): Promise<void> {
  for (let person = 0; person < people; person += 1) assertStatus(await addMember(operator), 201);
}
