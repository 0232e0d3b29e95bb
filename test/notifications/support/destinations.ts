import { z } from 'zod';
import type { Context } from '../../../src/context/context.ts';
import { sql, type CommonQueryMethods } from '../../../src/database/pool.ts';
import { newId, type DestinationId } from '../../../src/ids/ids.ts';
import { destinationSecrets } from '../../../src/notifications/channels/secrets.ts';
import { newWebhookSecret } from '../../../src/webhooks/secrets.ts';
import { run } from '../../billing/ledger/ledger-world.ts';
import { eventually } from '../../support/eventually.ts';

export interface TestDestination {
  id: DestinationId;
  operatorId: string;
  /** The secret of a webhook. */
  secret: string;
}

interface Options {
  operatorId: string;
  channel?: 'email' | 'sms' | 'webhook';
  destination: string;
  /** Where it differs from how it was given. */
  normalised?: string;
  verified?: boolean;
}

/** An operator, inserted by SQL only. @returns its id */
export async function newOperator({ pool }: Pick<Context, 'pool'>, tier = 'developer'): Promise<string> {
  const id = newId('op');
  await run(
    pool,
    sql.fragment`insert into operators (id, name, email, tier) values (${id}, ${id}, ${`${id}@example.test`}, ${tier})`,
  );
  return id;
}

/** A destination, inserted by SQL only; without encryption nothing opens the secret of a webhook. */
export async function newDestination(
  { pool, encryption }: Pick<Context, 'pool'> & Partial<Pick<Context, 'encryption'>>,
  { operatorId, channel = 'webhook', destination, normalised, verified = true }: Options,
): Promise<TestDestination> {
  const id = newId('dst');
  const secret = newWebhookSecret();
  // An operator has one destination of an address; here several lead to one receiver.
  const address =
    channel === 'webhook' ? `${destination}${destination.includes('?') ? '&' : '?'}${id}` : (normalised ?? destination);
  const sealed = encryption === undefined ? 'sealed' : destinationSecrets.encrypt(encryption, { id, secret });
  await run(
    pool,
    sql.fragment`
    insert into destinations (id, operator_id, channel_type, destination, address, verified_at, secret)
    values (${id}, ${operatorId}, ${channel}, ${destination}, ${address}, case when ${verified}::boolean then now() end, ${channel === 'webhook' ? sealed : null})`,
  );
  return { id, operatorId, secret };
}

interface RuleOptions {
  destinations: { id: string; operatorId: string }[];
  /** Where it has no destination yet. */
  operatorId?: string;
  events?: readonly string[];
}

/** A rule that brings these events of all severities to these destinations of one operator, inserted by SQL only. @returns its id */
export async function newRule(
  { pool }: { pool: CommonQueryMethods },
  { destinations, operatorId = destinations[0]?.operatorId ?? '', events = ['passport.flagged'] }: RuleOptions,
): Promise<string> {
  const id = newId('chn');
  await run(
    pool,
    sql.fragment`
    insert into notification_rules (id, operator_id, events, min_severity) values (${id}, ${operatorId}, ${sql.array([...events], 'text')}, 'info')`,
  );
  for (const [position, { id: destination }] of destinations.entries()) {
    await run(
      pool,
      sql.fragment`insert into rule_destinations (rule_id, destination_id, position) values (${id}, ${destination}, ${position})`,
    );
  }
  return id;
}

/** A webhook with a rule for `passport.flagged`. */
export async function newWebhook(
  context: Context,
  url: string,
  { operatorId, tier }: { operatorId?: string; tier?: string } = {},
): Promise<TestDestination> {
  const destination = await newDestination(context, {
    operatorId: operatorId ?? (await newOperator(context, tier)),
    destination: url,
  });
  await newRule(context, { destinations: [destination] });
  return destination;
}

interface EventOptions {
  count?: number;
  type?: string;
  severity?: string;
  /** Besides `jti`, `agent_id` and `flags`. */
  payload?: object;
}

/** Records events of one operator in one transaction, as a command does. @returns their ids, in their order */
export async function recordEvents(
  { pool, delivery }: Pick<Context, 'pool' | 'delivery'>,
  operatorId: string,
  { count = 1, type = 'passport.flagged', severity = 'critical', payload = {} }: EventOptions = {},
): Promise<string[]> {
  const text = JSON.stringify({ jti: 'psp_1', agent_id: 'ag_1', flags: [], ...payload });
  const rows = await pool.any(sql.type(z.object({ id: z.string() }))`
    select record_service_event(${operatorId}, ${type}, ${severity}, ${text}::json) as id from generate_series(1, ${count})`);
  delivery.messagesCommitted();
  return rows.map(({ id }) => id);
}

const Row = z.object({
  id: z.string(),
  event_id: z.string(),
  ordinal: z.number(),
  status: z.string(),
  reason: z.string().nullable(),
  status_code: z.number().nullable(),
  error: z.string().nullable(),
  latency_ms: z.number().nullable(),
  started: z.boolean(),
  left_out: z.number(),
});
type DeliveryRow = z.infer<typeof Row>;

/** In the order of their ids. */
export const deliveriesOf = (
  { pool }: Pick<Context, 'pool'>,
  { id }: TestDestination,
): Promise<readonly DeliveryRow[]> =>
  pool.any(sql.type(Row)`
    select id, event_id, ordinal, status, reason, status_code, error, latency_ms, started_at is not null as started, left_out
    from deliveries where destination_id = ${id} order by id`);

/** Waits until so many deliveries of a destination have ended. */
export const haveEnded = (
  context: Pick<Context, 'pool'>,
  destination: TestDestination,
  count: number,
): Promise<unknown> =>
  eventually(`${count} deliveries of ${destination.id} to have ended`, async () => {
    const rows = await deliveriesOf(context, destination);
    return rows.filter(({ status }) => status !== 'sending').length >= count;
  });

/** How many there are of each status and reason, as `failed destination_paused`. */
export async function countsOf(context: Context, destination: TestDestination): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const { status, reason } of await deliveriesOf(context, destination)) {
    const name = reason === null ? status : `${status} ${reason}`;
    counts[name] = (counts[name] ?? 0) + 1;
  }
  return counts;
}

const StandingRow = z.object({
  failures_in_row: z.number(),
  failing: z.boolean(),
  disabled_reason: z.string().nullable(),
  sends: z.boolean(),
});

export const standingOf = ({ pool }: Context, { id }: TestDestination) =>
  pool.one(sql.type(StandingRow)`
    select failures_in_row, failing_since is not null as failing, disabled_reason, coalesce(sending_until > clock_timestamp(), false) as sends
    from destinations where id = ${id}`);
