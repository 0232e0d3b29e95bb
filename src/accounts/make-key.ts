import { credentialName } from '../commands/caller.ts';
import type { CommandCall } from '../commands/command.ts';
import type { Unit } from '../commands/unit.ts';
import type { Context } from '../context/context.ts';
import { newId } from '../ids/ids.ts';
import { personBehind } from './person-behind.ts';
import { deleteKeysOfGrant, insertApiKey, type NewApiKey } from './api-keys/queries.ts';
import type { ApiKey } from './api-keys/schema.ts';
import { newSecret, secretColumns } from './api-keys/secret.ts';

type KeyOfCaller = Omit<NewApiKey, 'id' | 'operator_id' | 'created_by' | 'personId' | 'secretHash' | 'last4'>;

/** Makes a key for a caller, of which people are told. @returns as `storeKey` */
export async function makeKey(
  { recordEvent }: Pick<Context, 'recordEvent'>,
  unit: Unit,
  { call, wanted }: { call: CommandCall; wanted: KeyOfCaller },
): Promise<{ key: ApiKey; secret: string }> {
  const made = await storeKey(unit, call, wanted);
  const { id, kind, role, agent_id } = made.key;
  await recordEvent(unit.connection, {
    operatorId: call.caller.operatorId,
    type: 'api_key.created',
    severity: 'warning',
    payload: { key_id: id, kind, role, agent_id, created_by: credentialName(call.caller) },
  });
  return made;
}

/** Stores a new key of the caller's operator. @returns it, and its secret, which is kept nowhere */
export async function storeKey(
  unit: Unit,
  { caller }: CommandCall,
  wanted: KeyOfCaller,
): Promise<{ key: ApiKey; secret: string }> {
  const secret = newSecret();
  const key = await insertApiKey(unit.connection, {
    ...wanted,
    id: newId('key'),
    operator_id: caller.operatorId,
    created_by: credentialName(caller),
    personId: await personBehind(unit.connection, caller),
    ...secretColumns(secret),
  });
  if (key === null) throw new Error('Two secrets of 32 random bytes were equal.');
  const { name, kind, role, agent_id, partner_grant_id } = key;
  await unit.audit('api_key.created', key.id, { name, kind, role, agent_id, partner_grant_id });
  unit.changed(key.id);
  return { key, secret };
}

/** Deletes the keys of a partner: they are refused from the commit on. @returns their ids */
export async function endKeysOfGrant(unit: Unit, grantId: string): Promise<readonly string[]> {
  const keys = await deleteKeysOfGrant(unit.connection, grantId);
  unit.changed(...keys);
  return keys;
}
