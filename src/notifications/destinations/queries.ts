import { z } from 'zod';
import { textArray } from '../../database/columns.ts';
import { sql, type CommonQueryMethods } from '../../database/pool.ts';
import type { DestinationId, OperatorId } from '../../ids/ids.ts';
import { ChannelTypeSchema, type ChannelType } from '../channels/kinds.ts';
import { VerificationCodeSchema } from './schema.ts';

const Nothing = z.object({});

const DestinationRow = z.object({
  id: z.string(),
  operator_id: z.string(),
  channel_type: ChannelTypeSchema,
  destination: z.string(),
  address: z.string(),
  verified_at: z.string().nullable(),
  paused: z.boolean(),
  failures_in_row: z.number(),
  disabled_at: z.string().nullable(),
  disabled_reason: z.string().nullable(),
  timeouts_in_row: z.number(),
  slow_since: z.string().nullable(),
  held_until: z.string().nullable(),
  created_at: z.string(),
  code_status: VerificationCodeSchema.shape.status.nullable(),
  code_reason: z.string().nullable(),
  code_error: z.string().nullable(),
  /** The outcome of the mail that has its code, while that is kept. */
  mail_status: z.enum(['outbox', 'waiting', 'sent', 'refused', 'unknown', 'expired']).nullable(),
  code_requested_at: z.string().nullable(),
  code_expires_at: z.string().nullable(),
});
/** A destination with its last code; `presentDestination` makes of it what is answered. */
export type DestinationRow = z.infer<typeof DestinationRow>;

const columns = sql.fragment`
  d.id, d.operator_id, d.channel_type, d.destination, d.address, d.verified_at,
  is_destination_paused(d.channel_type, t.tier) as paused, d.failures_in_row, d.disabled_at, d.disabled_reason, d.timeouts_in_row, d.slow_since, d.held_until, d.created_at,
  c.status as code_status, c.reason as code_reason, c.error as code_error, c.mail_status, c.requested_at as code_requested_at,
  c.expires_at as code_expires_at`;

const from = sql.fragment`
  destinations d join operator_tiers t on t.operator_id = d.operator_id
  left join lateral (
    select code.status, code.reason, code.error, requested_at, code.expires_at, mail.status as mail_status
    from verification_codes code left join mail_outcomes mail on mail.id = code.mail_id
    where destination_id = d.id order by requested_at desc limit 1) c on true`;

/** A destination as its operator sees it; null where it is another's. */
interface DestinationOfOperator {
  operatorId: OperatorId;
  destinationId: string;
}

export const findDestination = (
  connection: CommonQueryMethods,
  { operatorId, destinationId }: DestinationOfOperator,
): Promise<DestinationRow | null> =>
  connection.maybeOne(sql.type(DestinationRow)`
    select ${columns} from ${from} where d.id = ${destinationId} and d.operator_id = ${operatorId}`);

/** As `findDestination`, with the row locked until the transaction ends: tries of a code are judged in turn. Of its last code it shows an earlier state. */
export const lockDestination = (
  connection: CommonQueryMethods,
  { operatorId, destinationId }: DestinationOfOperator,
): Promise<DestinationRow | null> =>
  connection.maybeOne(sql.type(DestinationRow)`
    select ${columns} from ${from} where d.id = ${destinationId} and d.operator_id = ${operatorId} for no key update of d`);

/** Newest first. */
export const listDestinations = (
  connection: CommonQueryMethods,
  operatorId: OperatorId,
  { limit, offset }: { limit: number; offset: number },
): Promise<readonly DestinationRow[]> =>
  connection.any(sql.type(DestinationRow)`
    select ${columns} from ${from} where d.operator_id = ${operatorId} order by d.id desc limit ${limit} offset ${offset}`);

/** Those of the operator among these ids, in no order. */
export const listDestinationsById = (
  connection: CommonQueryMethods,
  operatorId: OperatorId,
  ids: readonly string[],
): Promise<readonly DestinationRow[]> =>
  connection.any(sql.type(DestinationRow)`
    select ${columns} from ${from} where d.operator_id = ${operatorId} and d.id = any(${textArray(ids)})`);

export const countDestinations = (connection: CommonQueryMethods, operatorId: OperatorId): Promise<number> =>
  connection.oneFirst(
    sql.type(z.object({ count: z.number() }))`select count(*) from destinations where operator_id = ${operatorId}`,
  );

/** The id of the operator's destination of this address; null where there is none. */
export const findDestinationByAddress = (
  connection: CommonQueryMethods,
  operatorId: OperatorId,
  { channel, address }: { channel: ChannelType; address: string },
): Promise<string | null> =>
  connection.maybeOneFirst(sql.type(z.object({ id: z.string() }))`
    select id from destinations where operator_id = ${operatorId} and channel_type = ${channel} and address = ${address}`);

const NamingRule = z.object({
  id: z.string(),
  events: z.array(z.string()),
  min_severity: z.string(),
  active: z.boolean(),
  /** Where else it sends them. */
  other_destination_ids: z.array(z.string()),
});

/** The rules that send events to a destination. */
export const rulesNaming = (
  connection: CommonQueryMethods,
  destinationId: string,
): Promise<readonly z.infer<typeof NamingRule>[]> =>
  connection.any(sql.type(NamingRule)`
    select r.id, r.events, r.min_severity, r.active,
      array(select destination_id from rule_destinations where rule_id = r.id and destination_id <> ${destinationId} order by position) as other_destination_ids
    from notification_rules r join rule_destinations named on named.rule_id = r.id
    where named.destination_id = ${destinationId} order by r.id`);

const BesideRow = z.object({ id: z.string(), channel_type: ChannelTypeSchema, destination: z.string() });

/** Every destination of an operator, as somebody looks at them who decides about another one. */
export const listAddresses = (
  connection: CommonQueryMethods,
  operatorId: OperatorId,
): Promise<readonly z.infer<typeof BesideRow>[]> =>
  connection.any(sql.type(BesideRow)`
    select id, channel_type, destination from destinations where operator_id = ${operatorId} order by id`);

interface NewDestination {
  id: DestinationId;
  operatorId: OperatorId;
  channel: ChannelType;
  destination: string;
  address: string;
  verified: boolean;
  /** Sealed; null: the channel has none. */
  secret: string | null;
}

export async function insertDestination(
  connection: CommonQueryMethods,
  { id, operatorId, channel, destination, address, verified, secret }: NewDestination,
): Promise<void> {
  await connection.query(sql.type(Nothing)`
    insert into destinations (id, operator_id, channel_type, destination, address, verified_at, secret)
    values (${id}, ${operatorId}, ${channel}, ${destination}, ${address},
      case when ${verified}::boolean then clock_timestamp() end, ${secret})`);
}

export async function deleteDestination(connection: CommonQueryMethods, id: string): Promise<void> {
  await connection.query(sql.type(Nothing)`select delete_destination(${id})`);
}

export async function markVerified(connection: CommonQueryMethods, id: string): Promise<void> {
  await connection.query(
    sql.type(Nothing)`update destinations set verified_at = clock_timestamp() where id = ${id} and verified_at is null`,
  );
}

/**
 * Nothing is sent to an e-mail address whose holder wants nothing, until it is enabled and they enter a new code.
 * @returns the address; null: they had ended it before, or there is no such destination
 */
export const endByRecipient = (connection: CommonQueryMethods, id: string): Promise<string | null> =>
  connection.maybeOneFirst(sql.type(z.object({ address: z.string() }))`
    update destinations set verified_at = null, disabled_at = clock_timestamp(), disabled_reason = 'unsubscribed'
    where id = ${id} and channel_type = 'email' and disabled_reason is distinct from 'unsubscribed' returning address`);

export const findOperatorOfDestination = (connection: CommonQueryMethods, id: string): Promise<string | null> =>
  connection.maybeOneFirst(sql.type(z.object({ operator_id: z.string() }))`
    select operator_id from destinations where id = ${id}`);

/** Failures count again, and deliveries begin again. */
export async function enableDestinationRow(connection: CommonQueryMethods, id: string): Promise<void> {
  await connection.query(sql.type(Nothing)`
    update destinations set failures_in_row = 0, failing_since = null, disabled_at = null, disabled_reason = null where id = ${id}`);
}
