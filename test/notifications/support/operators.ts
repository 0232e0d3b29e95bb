import { z } from 'zod';
import { sql } from '../../../src/database/pool.ts';
import type { CreatedDestination, Destination } from '../../../src/notifications/destinations/schema.ts';
import type { DestinationId } from '../../../src/ids/ids.ts';
import type { ListedRule } from '../../../src/notifications/rules/schema.ts';
import { buildOperator, unique, type TestOperator } from '../../support/factories.ts';
import { mailsTo, signIn, type Message, type Person } from '../../support/people.ts';
import { assertStatus, database, requester, type Requester } from '../../support/service.ts';
import { newDestination } from './destinations.ts';

export const DESTINATIONS = '/v1/notifications/destinations';

export interface Watched {
  /** Its admin key. */
  operator: TestOperator;
  /** Its owner, who needs no approval. */
  owner: Person;
}

/** An operator with its owner at hand, of a tier with every channel. */
export async function buildWatched(tier = 'pro'): Promise<Watched> {
  const operator = await buildOperator({ tier });
  return { operator, owner: await signIn(operator.email) };
}

/** Another admin key of the operator. */
export async function anotherKey(owner: Requester): Promise<Requester> {
  const key = { name: unique('key'), kind: 'operator', role: 'admin' };
  return requester(assertStatus(await owner.post<{ key: string }>('/v1/api-keys', key), 201).key);
}

export const newAddress = (): string => `${unique('reader')}@example.test`;

/** Numbers of no one: +1 555 01xx is kept free, and we need more. */
export const newNumber = (): string => `+1555${String(Math.floor(Math.random() * 1e7)).padStart(7, '0')}`;

export const create = (
  by: Requester,
  { channel, destination, headers }: { channel: string; destination: string; headers?: Record<string, string> },
) => by.post<CreatedDestination>(DESTINATIONS, { channel_type: channel, destination }, headers);

export const made = async (by: Requester, channel: string, destination: string): Promise<CreatedDestination> =>
  assertStatus(await create(by, { channel, destination }), 201);

export const shown = async (by: Requester, id: string): Promise<Destination> =>
  assertStatus(await by.get<Destination>(`${DESTINATIONS}/${id}`), 200);

export const enter = (by: Requester, id: string, code: string) => by.post(`${DESTINATIONS}/${id}/verify`, { code });

export const sendCode = (by: Requester, id: string) =>
  by.post<{ sent: boolean; expires_at: string }>(`${DESTINATIONS}/${id}/send-code`);

/** The newest code among messages to an address or number. */
export async function codeTo(address: string): Promise<string> {
  const [message] = await mailsTo(address);
  return codeIn(message);
}

export function codeIn(message: Message | undefined): string {
  const code = /\b\d{6}\b/.exec(message?.text ?? '')?.[0];
  if (code === undefined) throw new Error(`There is no code in ${JSON.stringify(message)}.`);
  return code;
}

/** A code that is not this one. */
export const otherThan = (code: string): string => (code === '000000' ? '000001' : '000000');

/** Moves the codes of a destination into the past. */
export async function codesAge(destinationId: string, seconds: number): Promise<void> {
  const pool = await database();
  await pool.query(sql.type(z.object({}))`
    update verification_codes
    set requested_at = requested_at - make_interval(secs => ${seconds}), expires_at = expires_at - make_interval(secs => ${seconds})
    where destination_id = ${destinationId}`);
}

/** As if the address had been verified. */
export async function verifyByHand(destinationId: string): Promise<void> {
  const pool = await database();
  await pool.query(
    sql.type(z.object({}))`update destinations set verified_at = clock_timestamp() where id = ${destinationId}`,
  );
}

/** A verified destination of channel email. @returns its id */
export async function insertDestination(operatorId: string, { verified = true } = {}): Promise<DestinationId> {
  const pool = await database();
  const options = { operatorId, channel: 'email', destination: newAddress(), verified } as const;
  return (await newDestination({ pool }, options)).id;
}

/** A verified webhook that nobody listens at. @returns its id */
export async function insertWebhook(operatorId: string): Promise<DestinationId> {
  const pool = await database();
  return (await newDestination({ pool }, { operatorId, destination: 'https://hooks.example.com/x' })).id;
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

export const execute = async (statement: ReturnType<typeof sql.fragment>): Promise<void> => {
  const pool = await database();
  await pool.query(sql.type(z.object({}))`${statement}`);
};
