import type { Tier } from '../fields/tiers.ts';
import { ensure } from '../commands/service-call.ts';
import type { Context } from '../context/context.ts';
import type { CommonQueryMethods } from '../database/pool.ts';
import { newId, type AgentId, type OperatorId } from '../ids/ids.ts';
import { findAgent, findAgentByName, insertAgent } from './agents/queries.ts';
import { CreateAgentSchema } from './agents/schema.ts';
import { insertApiKey } from './api-keys/queries.ts';
import { secretColumns } from './api-keys/secret.ts';
import { findFirstOwner, type Membership } from './members/queries.ts';
import { findOperator, findOperatorByEmail } from './operators/queries.ts';
import { createOperator } from './register.ts';

/** The demo operators of an embedded instance; nobody gets mail at their addresses. */
export const demoOperators = {
  publisher: { name: 'Demo publisher', email: 'publisher@carnet.invalid' },
  consumer: { name: 'Demo consumer', email: 'consumer@carnet.invalid' },
} as const;

/** The owner of a demo operator, the first of several; null where it has another address by now, or is suspended. */
export async function findDemoOwner(
  connection: CommonQueryMethods,
  which: keyof typeof demoOperators,
): Promise<Membership | null> {
  const operator = await findOperatorByEmail(connection, demoOperators[which].email);
  return operator === null || operator.status !== 'active' ? null : await findFirstOwner(connection, operator.id);
}

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
    const existing =
      (demo.id === undefined ? null : await findOperator(connection, demo.id)) ??
      (await findOperatorByEmail(connection, demo.email));
    if (existing !== null) return existing.id;
    const { name, email, tier } = demo;
    const operator = await createOperator(unit, { name, email, tier });
    return operator.id;
  });

/** Makes `plaintext` an admin key of the operator, unless it is one already. Only its hash is stored. */
export async function ensureApiKey(
  context: Context,
  demo: { operatorId: OperatorId; plaintext: string; name: string },
): Promise<void> {
  await ensure(context, async (unit) => {
    const key = await insertApiKey(unit.connection, {
      id: newId('key'),
      operator_id: demo.operatorId,
      name: demo.name,
      kind: 'operator',
      role: 'admin',
      agent_id: null,
      partner_grant_id: null,
      monthly_limit_cents: null,
      expires_at: null,
      created_by: null,
      personId: null,
      ...secretColumns(demo.plaintext),
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
  demo: { id?: string | undefined; operatorId: OperatorId; name: string },
): Promise<AgentId> =>
  ensure(context, async (unit) => {
    const { connection } = unit;
    const { operatorId } = demo;
    const existing =
      (demo.id === undefined ? null : await findAgent(connection, { operatorId, agentId: demo.id })) ??
      (await findAgentByName(connection, operatorId, demo.name));
    if (existing !== null) return existing.id;
    const agent = await insertAgent(connection, {
      ...CreateAgentSchema.parse({ name: demo.name }),
      id: newId('ag'),
      operatorId,
      grantId: null,
    });
    await unit.audit('agent.created', agent.id, { name: agent.name, accountability: agent.accountability });
    return agent.id;
  });
