import { z } from 'zod';
import { textArray } from '../../src/database/columns.ts';
import { sql, type CommonQueryMethods } from '../../src/database/pool.ts';
import { standardEventTypes } from '../../src/events/index.ts';
import { newId } from '../../src/ids/ids.ts';
import type { ListedRule } from '../../src/notifications/rules/schema.ts';
import { unique, type TestOperator } from '../support/factories.ts';
import { assertStatus, database, type Requester } from '../support/service.ts';

/** A destination of channel email, made by SQL alone. @returns its id */
export async function insertDestination(operatorId: string, { verified = true } = {}): Promise<string> {
  const id = newId('dst');
  const address = `${unique('notified')}@example.test`;
  const pool = await database();
  await pool.query(sql.type(z.object({}))`
    insert into destinations (id, operator_id, channel_type, destination, address, verified_at)
    values (${id}, ${operatorId}, 'email', ${address}, ${address}, case when ${verified} then clock_timestamp() end)`);
  return id;
}

/** A rule of the operator by a person who may, on a destination of its own where none is named. */
export async function buildRule(
  person: Requester,
  { operatorId }: Pick<TestOperator, 'operatorId'>,
  body: Record<string, unknown> = {},
): Promise<ListedRule> {
  const destinations = { destination_ids: [await insertDestination(operatorId)] };
  return assertStatus(await person.post<ListedRule>('/v1/notifications/channels', { ...destinations, ...body }), 201);
}

/** The destinations to which an event of this type and severity is delivered, in the order of their ids. */
export async function deliveredTo(operatorId: string, type: string, severity = 'info'): Promise<string[]> {
  const pool = await database();
  await pool.query(sql.type(z.object({}))`select record_service_event(${operatorId}, ${type}, ${severity}, '{}')`);
  return [
    ...(await pool.anyFirst(sql.type(z.object({ destination_id: z.string() }))`
      select destination_id from deliveries
      where event_id = (select id from service_events where operator_id = ${operatorId} order by seq desc limit 1)
      order by destination_id`)),
  ];
}

/** A rule of all severities, of the four events where none is named, made by SQL alone. @returns its id */
export async function insertRule(
  operatorId: string,
  destinationId: string,
  events: readonly string[] = standardEventTypes,
  connection?: CommonQueryMethods,
): Promise<string> {
  const id = newId('chn');
  const db = connection ?? (await database());
  await db.query(sql.type(z.object({}))`
    with rule as (
      insert into notification_rules (id, operator_id, events, min_severity)
      values (${id}, ${operatorId}, ${textArray(events)}, 'info') returning id
    ) insert into rule_destinations (rule_id, destination_id, position) select id, ${destinationId}, 1 from rule`);
  return id;
}
