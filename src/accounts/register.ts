import type { Tier } from '../fields/tiers.ts';
import { credentialName } from '../commands/caller.ts';
import type { Answered, CommandCall } from '../commands/command.ts';
import { runKeptCommand } from '../commands/run.ts';
import type { Unit } from '../commands/unit.ts';
import type { Context } from '../context/context.ts';
import { newId } from '../ids/ids.ts';
import { insertApiKey } from './api-keys/queries.ts';
import { secretColumns, newSecret } from './api-keys/secret.ts';
import { insertMember } from './members/queries.ts';
import { insertOperator } from './operators/queries.ts';
import type { Operator, RegisteredOperator, RegisterOperator } from './operators/schema.ts';

/** Makes an operator with an open wallet; the holder of its e-mail address is the first member, its owner. */
export async function createOperator(unit: Unit, wanted: RegisterOperator & { tier: Tier }): Promise<Operator> {
  const operatorId = newId('op');
  const operator = await insertOperator(unit.connection, { ...wanted, id: operatorId });
  await insertMember(unit.connection, {
    operatorId,
    email: operator.email,
    role: 'owner',
    joined: true,
    invitedBy: null,
  });
  await unit.audit('operator.registered', operator.id, { name: operator.name });
  unit.changed(operator.id);
  return operator;
}

/** Makes an operator of tier free with one admin key, which is in this answer only. */
export const registerOperator = (
  context: Context,
  call: CommandCall,
  body: RegisterOperator,
): Promise<Answered<RegisteredOperator>> =>
  runKeptCommand(context, call, {
    secret: true,
    work: async (unit) => {
      const secret = newSecret();
      const operator = await createOperator(unit, { ...body, tier: 'free' });
      await insertApiKey(unit.connection, {
        id: newId('key'),
        operator_id: operator.id,
        name: 'first key',
        kind: 'operator',
        role: 'admin',
        agent_id: null,
        partner_grant_id: null,
        monthly_limit_cents: null,
        expires_at: null,
        created_by: credentialName(call.caller),
        personId: null,
        ...secretColumns(secret),
      });
      return { status: 201, body: { operator, api_key: secret } };
    },
  });
