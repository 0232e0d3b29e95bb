import { z } from 'zod';
import { textArray } from '../../database/columns.ts';
import { sql, type CommonQueryMethods } from '../../database/pool.ts';
import type { OperatorId, ServiceConnectionId } from '../../ids/ids.ts';
import { ServiceConnectionSchema, type CreateServiceConnection, type ServiceConnection } from './schema.ts';

const columns = sql.fragment`
  id, operator_id, service_id, service_name, scopes, credential_ref, status, created_at, updated_at`;

/** A connection as its operator sees it; null where it is another's. */
interface ConnectionOfOperator {
  operatorId: OperatorId;
  connectionId: string;
}

export const findServiceConnection = (
  connection: CommonQueryMethods,
  { operatorId, connectionId }: ConnectionOfOperator,
): Promise<ServiceConnection | null> =>
  connection.maybeOne(sql.type(ServiceConnectionSchema)`
    select ${columns} from service_connections where id = ${connectionId} and operator_id = ${operatorId}`);

/** As `findServiceConnection`, with the row locked until the transaction ends. */
export const lockServiceConnection = (
  connection: CommonQueryMethods,
  { operatorId, connectionId }: ConnectionOfOperator,
): Promise<ServiceConnection | null> =>
  connection.maybeOne(sql.type(ServiceConnectionSchema)`
    select ${columns} from service_connections where id = ${connectionId} and operator_id = ${operatorId}
    for no key update`);

export const findServiceConnectionByName = (
  connection: CommonQueryMethods,
  operatorId: OperatorId,
  serviceName: string,
): Promise<ServiceConnection | null> =>
  connection.maybeOne(sql.type(ServiceConnectionSchema)`
    select ${columns} from service_connections where operator_id = ${operatorId} and service_name = ${serviceName}`);

/** Newest first. */
export const listServiceConnections = (
  connection: CommonQueryMethods,
  operatorId: OperatorId,
  { limit, offset }: { limit: number; offset: number },
): Promise<readonly ServiceConnection[]> =>
  connection.any(sql.type(ServiceConnectionSchema)`
    select ${columns} from service_connections where operator_id = ${operatorId}
    order by id desc limit ${limit} offset ${offset}`);

export const countServiceConnections = (connection: CommonQueryMethods, operatorId: OperatorId): Promise<number> =>
  connection.oneFirst(
    sql.type(z.object({ count: z.number() }))`
      select count(*) from service_connections where operator_id = ${operatorId}`,
  );

export const insertServiceConnection = (
  connection: CommonQueryMethods,
  made: CreateServiceConnection & { id: ServiceConnectionId; operatorId: OperatorId },
): Promise<ServiceConnection> =>
  connection.one(sql.type(ServiceConnectionSchema)`
    insert into service_connections (id, operator_id, service_id, service_name, scopes, credential_ref)
    values (${made.id}, ${made.operatorId}, ${made.service_id}, ${made.service_name}, ${textArray(made.scopes)},
            ${made.credential_ref})
    returning ${columns}`);

export const saveServiceConnection = (
  connection: CommonQueryMethods,
  changed: ServiceConnection,
): Promise<ServiceConnection> =>
  connection.one(sql.type(ServiceConnectionSchema)`
    update service_connections
    set service_id = ${changed.service_id}, service_name = ${changed.service_name},
        scopes = ${textArray(changed.scopes)}, credential_ref = ${changed.credential_ref},
        status = ${changed.status}, updated_at = clock_timestamp()
    where id = ${changed.id}
    returning ${columns}`);

/** Its grants are deleted too. @returns whether there was one to delete. */
export const deleteServiceConnection = async (
  connection: CommonQueryMethods,
  { operatorId, connectionId }: ConnectionOfOperator,
): Promise<boolean> =>
  (await connection.maybeOneFirst(sql.type(z.object({ id: z.string() }))`
    delete from service_connections where id = ${connectionId} and operator_id = ${operatorId} returning id`)) !== null;
