import { z } from 'zod';
import { sql, type CommonQueryMethods } from '../../database/pool.ts';
import type { InboundEndpointId, OperatorId, PartnerGrantId } from '../../ids/ids.ts';
import { EndpointSchema, type BlockAt, type CreateEndpoint } from './schema.ts';

const Nothing = z.object({});

const { policy, counters, receiver_url: _receiverUrl, status: _status, ...columnsOfEndpoint } = EndpointSchema.shape;
const EndpointRow = z.object({ ...columnsOfEndpoint, ...policy.shape, ...counters.shape });
/** An endpoint with its counters; `presentEndpoint` makes of it what is answered. */
export type EndpointRow = z.infer<typeof EndpointRow>;

const select = sql.fragment`
  select e.id, e.operator_id, e.agent_id, e.partner_grant_id, e.provider, e.name, e.slug, e.forward_url, e.block_at, e.mode,
    case when e.old_secret_until > clock_timestamp() then e.old_secret_until end as old_secret_until, e.timeouts_in_row, e.slow_since, e.held_until, e.revoked_at, e.created_at,
    c.received, c.rejected, c.duplicates, c.clean, c.suspicious, c.malicious, c.forwarded, c.blocked, c.forward_failed, c.marked_harmless,
    c.last_event_at
  from inbound_endpoints e join inbound_counters c on c.endpoint_id = e.id`;

/** Names which endpoints are seen: all of an operator, or those alone that were made under this grant. */
export interface EndpointsOf {
  operatorId: OperatorId;
  grantId: PartnerGrantId | null;
}

const isSeen = ({ operatorId, grantId }: EndpointsOf) =>
  sql.fragment`e.operator_id = ${operatorId} and (${grantId}::text is null or e.partner_grant_id = ${grantId})`;

export const findEndpoint = (
  connection: CommonQueryMethods,
  of: EndpointsOf,
  id: string,
): Promise<EndpointRow | null> =>
  connection.maybeOne(sql.type(EndpointRow)`${select} where e.id = ${id} and ${isSeen(of)}`);

/** As `findEndpoint`, with the row locked until the transaction ends: forwards that are being authorised come before or after. */
export const lockEndpoint = (
  connection: CommonQueryMethods,
  of: EndpointsOf,
  id: string,
): Promise<EndpointRow | null> =>
  connection.maybeOne(sql.type(EndpointRow)`${select} where e.id = ${id} and ${isSeen(of)} for no key update of e`);

/** Newest first. */
export const listEndpoints = (
  connection: CommonQueryMethods,
  of: EndpointsOf,
  { limit, offset }: { limit: number; offset: number },
): Promise<readonly EndpointRow[]> =>
  connection.any(sql.type(EndpointRow)`
    ${select} where ${isSeen(of)} order by e.id desc limit ${limit} offset ${offset}`);

const Count = z.object({ count: z.number() });

export const countEndpoints = (connection: CommonQueryMethods, of: EndpointsOf): Promise<number> =>
  connection.oneFirst(sql.type(Count)`select count(*) from inbound_endpoints e where ${isSeen(of)}`);

export const countActiveEndpoints = (connection: CommonQueryMethods, operatorId: OperatorId): Promise<number> =>
  connection.oneFirst(sql.type(Count)`
    select count(*) from inbound_endpoints where operator_id = ${operatorId} and revoked_at is null`);

interface NewEndpoint extends EndpointsOf {
  id: InboundEndpointId;
  slug: string;
  /** Sealed. */
  secret: string;
}

export async function insertEndpoint(
  connection: CommonQueryMethods,
  { id, operatorId, grantId, slug, secret }: NewEndpoint,
  body: CreateEndpoint,
): Promise<void> {
  await connection.query(sql.type(Nothing)`
    insert into inbound_endpoints (id, operator_id, agent_id, provider, name, slug, forward_url, block_at, mode, secret, partner_grant_id)
    values (${id}, ${operatorId}, ${body.agent_id}, ${body.provider}, ${body.name}, ${slug}, ${body.forward_url}, ${body.policy.block_at},
      ${body.policy.mode}, ${secret}, ${grantId})`);
}

/** The columns of an endpoint that may change. */
export interface EndpointChanges {
  name: string | null;
  forward_url: string | null;
  block_at: BlockAt;
  mode: 'enforce' | 'shadow';
}

export async function saveEndpoint(
  connection: CommonQueryMethods,
  id: string,
  { name, forward_url, block_at, mode }: EndpointChanges,
): Promise<void> {
  await connection.query(sql.type(Nothing)`
    update inbound_endpoints set name = ${name}, forward_url = ${forward_url}, block_at = ${block_at}, mode = ${mode},
      -- Another receiver begins with all places.
      timeouts_in_row = case when forward_url is not distinct from ${forward_url} then timeouts_in_row else 0 end,
      slow_since = case when forward_url is not distinct from ${forward_url} then slow_since end,
      held_until = case when forward_url is not distinct from ${forward_url} then held_until end
    where id = ${id}`);
}

export async function revokeEndpointRow(connection: CommonQueryMethods, id: string): Promise<void> {
  await connection.query(
    sql.type(
      Nothing,
    )`update inbound_endpoints set revoked_at = clock_timestamp() where id = ${id} and revoked_at is null`,
  );
}

/** Whether a call to the endpoint's forward_url is under way. */
export const isForwarding = (connection: CommonQueryMethods, id: string): Promise<boolean> =>
  connection.exists(sql.type(Nothing)`select 1 from inbound_forwards where endpoint_id = ${id} and status = 'sending'`);

/** The current secret, sealed. */
export const findEncryptedSecret = (connection: CommonQueryMethods, id: string): Promise<string> =>
  connection.oneFirst(
    sql.type(z.object({ secret: z.string() }))`select secret from inbound_endpoints where id = ${id}`,
  );
