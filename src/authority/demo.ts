import { ensure } from '../commands/service-call.ts';
import type { Context } from '../context/context.ts';
import { newId, type ServiceConnectionId, type OperatorId } from '../ids/ids.ts';
import { findServiceConnection, findServiceConnectionByName, insertServiceConnection } from './connections/queries.ts';
import { CreateServiceConnectionSchema } from './connections/schema.ts';
import { findGrant, putGrant, type GrantOfOperator } from './grants/queries.ts';
import { PutGrantSchema } from './grants/schema.ts';

/** The demo connection of this id or service name, made if there is none. @returns its id. */
export const ensureServiceConnection = (
  context: Context,
  demo: { id?: string | undefined; operatorId: OperatorId; serviceId: string; serviceName: string; scopes: string[] },
): Promise<ServiceConnectionId> =>
  ensure(context, async (unit) => {
    const { connection } = unit;
    const { operatorId, serviceName } = demo;
    const existing =
      (demo.id === undefined ? null : await findServiceConnection(connection, { operatorId, connectionId: demo.id })) ??
      (await findServiceConnectionByName(connection, operatorId, serviceName));
    if (existing !== null) return existing.id;
    const made = await insertServiceConnection(connection, {
      ...CreateServiceConnectionSchema.parse({
        service_id: demo.serviceId,
        service_name: serviceName,
        scopes: demo.scopes,
      }),
      id: newId('con'),
      operatorId,
    });
    await unit.audit('service_connection.created', made.id, { service_id: made.service_id, scopes: made.scopes });
    return made.id;
  });

/** Grants the demo agent all scopes of the connection unless it has a grant on it; one that exists stays as it is. */
export async function ensureGrant(context: Context, demo: GrantOfOperator): Promise<void> {
  await ensure(context, async ({ connection, audit }) => {
    const { agentId, connectionId } = demo;
    if ((await findGrant(connection, demo)) !== null) return agentId;
    const body = PutGrantSchema.parse({ scopes: ['*'] });
    await putGrant(connection, demo, body);
    await audit('grant.set', agentId, { service_connection_id: connectionId, ...body });
    return agentId;
  });
}
