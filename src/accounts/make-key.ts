import { credentialName, type Caller } from '../commands/caller.ts';
import type { CommandCall } from '../commands/command.ts';
import type { Unit } from '../commands/unit.ts';
import type { CommonQueryMethods } from '../database/pool.ts';
import { newId } from '../ids/ids.ts';
import { personBehind } from './person-behind.ts';
import { deleteKeysOfGrant, findApiKey, insertApiKey, type NewApiKey } from './api-keys/queries.ts';
import type { ApiKey } from './api-keys/schema.ts';
import { newSecret, secretColumns } from './api-keys/secret.ts';

/** Whether a key with this end (ISO 8601; null: it has none) would go on when the credential that makes it has ended. */
export async function outlivesMaker(
  connection: CommonQueryMethods,
  caller: Caller,
  end: string | null,
): Promise<boolean> {
  const endOfThat = await endOfMaker(connection, caller);
  return endOfThat !== null && (end === null || Date.parse(end) > Date.parse(endOfThat));
}

/** When the credential that makes a key expires, ISO 8601; null: never, or a person makes it. */
async function endOfMaker(connection: CommonQueryMethods, caller: Caller): Promise<string | null> {
  if (caller.kind !== 'operator' || caller.by.kind === 'session' || caller.platform) return null;
  if (caller.by.kind === 'oauth') return caller.by.endsAt;
  const maker = await findApiKey(connection, caller.operatorId, caller.by.keyId);
  // A key that was deleted while it was remembered has ended.
  return maker === null ? new Date(0).toISOString() : maker.expires_at;
}

type KeyOfCaller = Omit<NewApiKey, 'id' | 'operator_id' | 'created_by' | 'personId' | 'secretHash' | 'last4'>;

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
