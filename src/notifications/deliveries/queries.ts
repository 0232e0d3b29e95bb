import { z } from 'zod';
import { sql, type CommonQueryMethods } from '../../database/pool.ts';
import { textArray } from '../../database/columns.ts';
import type { DeliveryId, OperatorId } from '../../ids/ids.ts';
import { eventTypesOf } from '../../events/index.ts';
import type { Sending } from '../../outbound/outcomes.ts';
import { ChannelTypeSchema } from '../channels/kinds.ts';
import { DeliverySchema, type Delivery, type DeliveryFilter } from './schema.ts';

const Nothing = z.object({});

const columns = sql.fragment`
  id, event_id, event_type, destination_id, channel_type, ordinal, status, reason, status_code, error, left_out, latency_ms, created_at, started_at, ended_at`;

const filtered = (operatorId: OperatorId, filter: DeliveryFilter) => {
  const conditions = [sql.fragment`operator_id = ${operatorId}`];
  if (filter.destination_id !== undefined) conditions.push(sql.fragment`destination_id = ${filter.destination_id}`);
  if (filter.event_id !== undefined) conditions.push(sql.fragment`event_id = ${filter.event_id}`);
  if (filter.event_type !== undefined)
    conditions.push(sql.fragment`event_type = any(${textArray(eventTypesOf(filter.event_type))})`);
  if (filter.status !== undefined) conditions.push(sql.fragment`status = ${filter.status}`);
  return sql.join(conditions, sql.fragment` and `);
};

/** Newest first. @param before the id of the last one on the page before, null on the first page */
export const listDeliveries = (
  connection: CommonQueryMethods,
  operatorId: OperatorId,
  { filter, limit, before }: { filter: DeliveryFilter; limit: number; before: string | null },
): Promise<readonly Delivery[]> =>
  connection.any(sql.type(DeliverySchema)`
    select ${columns} from deliveries
    where ${filtered(operatorId, filter)} and (${before}::text is null or id < ${before})
    order by id desc limit ${limit}`);

/** Null where it is another operator's. */
export const findDelivery = (
  connection: CommonQueryMethods,
  operatorId: OperatorId,
  id: string,
): Promise<Delivery | null> =>
  connection.maybeOne(
    sql.type(DeliverySchema)`select ${columns} from deliveries where id = ${id} and operator_id = ${operatorId}`,
  );

const TargetRow = z.object({ id: z.string(), verified: z.boolean(), hindrance: z.string().nullable() });
type Target = z.infer<typeof TargetRow>;

/** A destination of the operator, locked until the transaction ends, and why nothing may be sent to it now; null where there is none. */
export const lockTarget = (
  connection: CommonQueryMethods,
  operatorId: OperatorId,
  id: string,
): Promise<Target | null> =>
  connection.maybeOne(sql.type(TargetRow)`
    select d.id, d.verified_at is not null as verified, hindrance_of_queue(d) as hindrance from destinations d
    where d.id = ${id} and d.operator_id = ${operatorId} for no key update`);

const BegunRow = z.object({ waits: z.boolean() });

/** @returns whether it waits to be sent; otherwise it has failed already, and says why. */
export const beginTest = (connection: CommonQueryMethods, id: string, destinationId: string): Promise<boolean> =>
  connection.oneFirst(
    sql.type(BegunRow)`select begin_test(${id}, d) as waits from destinations d where d.id = ${destinationId}`,
  );

/** Makes another delivery of what this one was of. */
export async function insertRedelivery(connection: CommonQueryMethods, id: DeliveryId, of: string): Promise<Delivery> {
  await connection.query(sql.type(Nothing)`select redeliver(${id}, ${of})`);
  return connection.one(sql.type(DeliverySchema)`select ${columns} from deliveries where id = ${id}`);
}

const RecoveredRow = z.object({ recovered: z.number(), has_more: z.boolean(), until: z.string() });

interface Range {
  destinationId: string;
  /** Instants, and ids between which the deliveries of that time lie. */
  since: string;
  until: string;
  first: string;
  end: string;
  statuses: readonly string[];
  limit: number;
}

export const recoverRange = (
  connection: CommonQueryMethods,
  { destinationId, since, until, first, end, statuses, limit }: Range,
): Promise<z.infer<typeof RecoveredRow>> =>
  connection.one(sql.type(RecoveredRow)`
    select * from recover_deliveries(${destinationId}, ${first}, ${end}, ${since}, ${until}, ${textArray(statuses)}, ${limit})`);

const StepRow = z.object({
  status: z.enum(['send', 'turn', 'calls', 'idle']),
  waiting: z.string().nullable(),
  wait_ms: z.number().nullable(),
  until: z.string().nullable(),
  woken: z.number(),
});

export const advanceNotificationRow = (
  connection: CommonQueryMethods,
  destinationId: string,
): Promise<z.infer<typeof StepRow>> =>
  connection.one(sql.type(StepRow)`select * from advance_notification(${destinationId})`);

const StartedRow = z.object({
  id: z.string(),
  operator_id: z.string(),
  destination_id: z.string(),
  channel_type: ChannelTypeSchema,
  /** As it was verified: normalised. */
  address: z.string(),
  secret: z.string().nullable(),
  old_secret: z.string().nullable(),
  event_id: z.string(),
  event_type: z.string(),
  severity: z.string(),
  payload: z.string(),
  occurred_at: z.string(),
  /** That of the command that the event is about; null: it is not traced. */
  trace: z.string().nullable(),
});
/** A delivery that was begun: its one call is its reader's to make. `payload` is JSON, secrets are sealed. */
export type StartedDelivery = z.infer<typeof StartedRow>;

export const startDeliveries = (
  connection: CommonQueryMethods,
  destinationId: string,
  { limit, emailMicrocents }: { limit: number; emailMicrocents: number },
): Promise<readonly StartedDelivery[]> =>
  connection.any(sql.type(StartedRow)`select * from start_deliveries(${destinationId}, ${limit}, ${emailMicrocents})`);

const SettledRow = z.object({
  failures: z.number().nullable(),
  failing_since: z.string().nullable(),
  disabled: z.boolean().nullable(),
});
/** Where the destination stands after a call; all null where the delivery had ended already. */
export type Settled = z.infer<typeof SettledRow>;

/** The words of a delivery: that an address is refused for good is said by its reason. */
export const DELIVERY_STATUS = {
  delivered: 'delivered',
  refused: 'failed',
  failed: 'failed',
  unknown: 'unknown',
} as const satisfies Record<Sending['status'], string>;

export const settleDelivery = (
  connection: CommonQueryMethods,
  id: string,
  {
    status,
    reason,
    statusCode,
    error,
    latencyMs,
    receiversFault,
  }: Sending & { latencyMs: number; receiversFault: boolean },
): Promise<Settled> =>
  connection.one(sql.type(SettledRow)`
    select * from settle_delivery(${id}, ${DELIVERY_STATUS[status]}, ${reason}, ${statusCode}, ${error}, ${latencyMs}, ${receiversFault})`);

const DescribedRow = z.object({ id: z.string(), operator_id: z.string(), channel_type: ChannelTypeSchema });

export const describeDestinationRows = (
  connection: CommonQueryMethods,
  ids: string[],
): Promise<readonly z.infer<typeof DescribedRow>[]> =>
  connection.any(sql.type(DescribedRow)`
    select id, operator_id, channel_type from destinations where id = any(${textArray(ids)})`);

/** Whether a mail may warn that a destination keeps failing; it counts for the limit of a day then. */
export const takeWarning = (connection: CommonQueryMethods, destinationId: string): Promise<boolean> =>
  connection.oneFirst(sql.type(z.object({ taken: z.boolean() }))`select take_warning(${destinationId}) as taken`);

/** Notes which of the destinations of these lives have a full queue, and has the lives delivered. */
export async function noteFullQueues(connection: CommonQueryMethods, lives: string[]): Promise<void> {
  await connection.query(sql.type(z.object({}))`
    select note_full_queues(array(select split_part(life, ':', 2) from unnest(${textArray(lives)}) as life))`);
  // In a transaction of its own: a look locks the life first, and the destination then.
  await connection.query(sql.type(z.object({}))`select deliver_lives(${textArray(lives)})`);
}
