import { z } from 'zod';
import { textArray } from '../../database/columns.ts';
import { sql, type CommonQueryMethods } from '../../database/pool.ts';
import type { OperatorId } from '../../ids/ids.ts';
import { GrantSchema, type Grant, type PutGrant } from './schema.ts';

const grants = sql.fragment`
  select g.agent_id, g.connection_id as service_connection_id, c.service_id, c.service_name, g.scopes, g.constraints,
         g.allow_data_from, g.created_at, g.updated_at
  from grants g join service_connections c on c.id = g.connection_id`;

/** A grant as its operator sees it; null where it is another's. */
export interface GrantOfOperator {
  operatorId: OperatorId;
  agentId: string;
  connectionId: string;
}

export const findGrant = (
  connection: CommonQueryMethods,
  { operatorId, agentId, connectionId }: GrantOfOperator,
): Promise<Grant | null> =>
  connection.maybeOne(sql.type(GrantSchema)`
    ${grants}
    where g.operator_id = ${operatorId} and g.agent_id = ${agentId} and g.connection_id = ${connectionId}`);

/** The grants of one agent, the newest connection first. */
export const listGrants = (
  connection: CommonQueryMethods,
  agentId: string,
  { limit, offset }: { limit: number; offset: number },
): Promise<readonly Grant[]> =>
  connection.any(sql.type(GrantSchema)`
    ${grants} where g.agent_id = ${agentId} order by g.connection_id desc limit ${limit} offset ${offset}`);

export const countGrants = (connection: CommonQueryMethods, agentId: string): Promise<number> =>
  connection.oneFirst(
    sql.type(z.object({ count: z.number() }))`select count(*) from grants where agent_id = ${agentId}`,
  );

/** The agent and the connection must be the operator's. */
export async function putGrant(
  connection: CommonQueryMethods,
  { operatorId, agentId, connectionId }: GrantOfOperator,
  grant: PutGrant,
): Promise<Grant> {
  await connection.query(sql.type(z.object({}))`
    insert into grants (operator_id, agent_id, connection_id, scopes, constraints, allow_data_from)
    values (${operatorId}, ${agentId}, ${connectionId}, ${textArray(grant.scopes)},
            ${JSON.stringify(grant.constraints)}::json, ${textArray(grant.allow_data_from)})
    on conflict (agent_id, connection_id) do update
      set scopes = excluded.scopes, constraints = excluded.constraints, allow_data_from = excluded.allow_data_from,
          updated_at = excluded.updated_at`);
  return connection.one(sql.type(GrantSchema)`
    ${grants} where g.agent_id = ${agentId} and g.connection_id = ${connectionId}`);
}

/** @returns whether there was one to delete. */
export const deleteGrant = async (
  connection: CommonQueryMethods,
  { operatorId, agentId, connectionId }: GrantOfOperator,
): Promise<boolean> =>
  (await connection.maybeOneFirst(sql.type(z.object({ agent_id: z.string() }))`
    delete from grants
    where operator_id = ${operatorId} and agent_id = ${agentId} and connection_id = ${connectionId}
    returning agent_id`)) !== null;
