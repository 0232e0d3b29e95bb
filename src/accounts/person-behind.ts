import type { Caller } from '../commands/caller.ts';
import type { CommonQueryMethods } from '../database/pool.ts';
import { findPersonOfKey } from './api-keys/queries.ts';
import { findMemberOfSubject } from './members/queries.ts';

/**
 * The member behind a caller, as far as it can be told: who is signed in, who made the key, or whose id or address the
 * subject of the access token is.
 * @returns null where it cannot be told: a key that the platform made, an opaque subject.
 */
export async function personBehind(connection: CommonQueryMethods, caller: Caller): Promise<string | null> {
  if (caller.kind === 'passport') return null;
  if (caller.kind !== 'operator') return await findPersonOfKey(connection, caller.keyId);
  const { operatorId, by } = caller;
  if (by.kind === 'session') return by.memberId;
  return by.kind === 'key'
    ? await findPersonOfKey(connection, by.keyId)
    : await findMemberOfSubject(connection, operatorId, by.subject);
}
