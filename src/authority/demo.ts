import { serviceCaller } from '../commands/caller.ts';
import { runCommand, type CommandCall, type Unit } from '../commands/run.ts';
import type { Context } from '../context/context.ts';
import { newId, type AgentId, type OperatorId, type ServiceConnectionId } from '../ids/ids.ts';
import { findAgent, findAgentByName, insertAgent } from './agents/queries.ts';
import { CreateAgentSchema } from './agents/schema.ts';
import { insertApiKey } from '../accounts/api-keys/queries.ts';
import { findGrant, putGrant, type GrantOfOperator } from './grants/queries.ts';
import { PutGrantSchema } from './grants/schema.ts';
import { findOperator, findOperatorByEmail, insertOperator } from '../accounts/operators/queries.ts';
import type { Tier } from '../accounts/operators/schema.ts';
import { keptOf } from '../accounts/api-keys/secret.ts';
import { findServiceConnection, findServiceConnectionByName, insertServiceConnection } from './connections/queries.ts';
import { CreateServiceConnectionSchema } from './connections/schema.ts';

/** The service itself, as the audit trail of the platform names it. */
const FIRST_START: CommandCall = {
  caller: serviceCaller,
  operation: 'firstStart',
  idempotency: null,
  requestId: 'first-start',
  request: null,
};

const ensure = async <Id extends string>(context: Context, work: (unit: Unit) => Promise<string>): Promise<Id> => {
  const answered = await runCommand(context, FIRST_START, async (unit) => ({ status: 200, body: await work(unit) }));
  return answered.body as Id;
};

/**
 * The demo operator of this id (where an earlier start made it) or this e-mail address, made if there is none; one that
 * exists stays as it is.
 * @returns its id.
 */
export const ensureOperator = (
  context: Context,
  demo: { id?: string | undefined; name: string; email: string; tier: Tier },
): Promise<OperatorId> =>
  ensure(context, async (unit) => {
    const { connection } = unit;
    const known =
      (demo.id === undefined ? null : await findOperator(connection, demo.id)) ??
      (await findOperatorByEmail(connection, demo.email));
    if (known !== null) return known.id;
    const operator = await insertOperator(connection, {
      id: newId('op'),
      name: demo.name,
      email: demo.email,
      tier: demo.tier,
    });
    await unit.audit('operator.registered', operator.id, { name: operator.name });
    return operator.id;
  });

/** Makes `plaintext`, a secret that its holder keeps, an admin key of the operator unless it is one; keeps its hash. */
export async function ensureApiKey(
  context: Context,
  demo: { operatorId: string; plaintext: string; name: string },
): Promise<void> {
  await ensure(context, async (unit) => {
    const key = await insertApiKey(unit.connection, {
      id: newId('key'),
      operator_id: demo.operatorId,
      name: demo.name,
      kind: 'operator',
      role: 'admin',
      agent_id: null,
      monthly_limit_cents: null,
      expires_at: null,
      ...keptOf(demo.plaintext),
    });
    if (key === null) return demo.operatorId;
    await unit.audit('api_key.created', key.id, { name: key.name, kind: key.kind, role: key.role });
    unit.changed(key.id);
    return key.id;
  });
}

/** The demo agent of this id or name, made if there is none. @returns its id. */
export const ensureAgent = (
  context: Context,
  demo: { id?: string | undefined; operatorId: string; name: string },
): Promise<AgentId> =>
  ensure(context, async (unit) => {
    const { connection } = unit;
    const { operatorId } = demo;
    const known =
      (demo.id === undefined ? null : await findAgent(connection, { operatorId, agentId: demo.id })) ??
      (await findAgentByName(connection, operatorId, demo.name));
    if (known !== null) return known.id;
    const agent = await insertAgent(connection, {
      ...CreateAgentSchema.parse({ name: demo.name }),
      id: newId('ag'),
      operatorId,
    });
    await unit.audit('agent.created', agent.id, { name: agent.name, accountability: agent.accountability });
    return agent.id;
  });

/** The demo connection of this id or service name, made if there is none. @returns its id. */
export const ensureServiceConnection = (
  context: Context,
  demo: { id?: string | undefined; operatorId: string; serviceId: string; serviceName: string; scopes: string[] },
): Promise<ServiceConnectionId> =>
  ensure(context, async (unit) => {
    const { connection } = unit;
    const { operatorId, serviceName } = demo;
    const known =
      (demo.id === undefined ? null : await findServiceConnection(connection, { operatorId, connectionId: demo.id })) ??
      (await findServiceConnectionByName(connection, operatorId, serviceName));
    if (known !== null) return known.id;
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
