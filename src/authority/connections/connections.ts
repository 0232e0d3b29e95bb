import type { Caller } from '../../commands/caller.ts';
import type { Answered, CommandCall } from '../../commands/command.ts';
import { runCommand } from '../../commands/run.ts';
import type { Context } from '../../context/context.ts';
import { assertThat, notFound } from '../../errors/carnet-error.ts';
import { newId } from '../../ids/ids.ts';
import {
  countServiceConnections,
  deleteServiceConnection,
  findServiceConnection,
  insertServiceConnection,
  listServiceConnections,
  lockServiceConnection,
  saveServiceConnection,
} from './queries.ts';
import type { CreateServiceConnection, ServiceConnection, UpdateServiceConnection } from './schema.ts';

/** @throws CarnetError SERVICE_NAME_TAKEN where the operator has a connection of this name already. */
export const createServiceConnection = (
  context: Context,
  call: CommandCall,
  body: CreateServiceConnection,
): Promise<Answered<ServiceConnection>> =>
  runCommand(context, call, async ({ connection, audit }) => {
    const made = await insertServiceConnection(connection, {
      ...body,
      id: newId('con'),
      operatorId: call.caller.operatorId,
    });
    await audit('service_connection.created', made.id, { service_id: made.service_id, scopes: made.scopes });
    return { status: 201, body: made, location: `/v1/service-connections/${made.id}` };
  });

/** @throws CarnetError NOT_FOUND for an unknown or foreign connection. */
export async function readServiceConnection(
  context: Context,
  { operatorId }: Caller,
  connectionId: string,
): Promise<ServiceConnection> {
  const service = await findServiceConnection(context.pool, { operatorId, connectionId });
  assertThat(service, () => notFound('service connection'));
  return service;
}

export async function pageOfServiceConnections(
  context: Context,
  { operatorId }: Caller,
  page: { limit: number; offset: number },
): Promise<{ items: ServiceConnection[]; total: number }> {
  const [items, total] = await Promise.all([
    listServiceConnections(context.pool, operatorId, page),
    countServiceConnections(context.pool, operatorId),
  ]);
  return { items: [...items], total };
}

/**
 * Changes a connection. Grants stay as they are, but the next passport is signed with the scopes that the connection
 * has then: scopes removed here, and disabled connections, are in no later passport.
 * @throws CarnetError NOT_FOUND; SERVICE_NAME_TAKEN.
 */
export const updateServiceConnection = (
  context: Context,
  call: CommandCall,
  { connectionId, patch }: { connectionId: string; patch: UpdateServiceConnection },
): Promise<Answered<ServiceConnection>> =>
  runCommand(context, call, async ({ connection, audit }) => {
    const before = await lockServiceConnection(connection, { operatorId: call.caller.operatorId, connectionId });
    assertThat(before, () => notFound('service connection'));
    const changed = await saveServiceConnection(connection, {
      ...before,
      service_id: patch.service_id ?? before.service_id,
      service_name: patch.service_name ?? before.service_name,
      scopes: patch.scopes ?? before.scopes,
      credential_ref: patch.credential_ref === undefined ? before.credential_ref : patch.credential_ref,
      status: patch.status ?? before.status,
    });
    await audit('service_connection.updated', changed.id, patch);
    return { status: 200, body: changed };
  });

/**
 * Deletes a connection and its grants; passports that were signed before stay as they are.
 * @throws CarnetError NOT_FOUND
 */
export const removeServiceConnection = (
  context: Context,
  call: CommandCall,
  connectionId: string,
): Promise<Answered<{ deleted: true }>> =>
  runCommand(context, call, async ({ connection, audit }) => {
    const deleted = await deleteServiceConnection(connection, { operatorId: call.caller.operatorId, connectionId });
    assertThat(deleted, () => notFound('service connection'));
    await audit('service_connection.deleted', connectionId);
    return { status: 200, body: { deleted: true } };
  });
