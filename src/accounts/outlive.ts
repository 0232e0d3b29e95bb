import type { Caller } from '../commands/caller.ts';
import type { GovernedAct } from '../commands/governed-acts.ts';
import type { CommonQueryMethods } from '../database/pool.ts';
import { lockApiKey } from './api-keys/queries.ts';

/** By which a person lets something that gives access last longer than the bearer that makes it. */
type Outliving = Extract<GovernedAct, `${string}.outlives_maker`>;

/**
 * The one rule of everything that gives access (decision O6): nothing outlives the bearer that makes, replaces or extends it, unless a
 * person approves. What is there already and stays as it is asks nothing.
 * @param end of what is made, ISO 8601; null: it has none
 * @returns the act for the gate; null: it ends no later than the bearer, or the bearer has no end, or a person makes it
 */
export async function actToOutlive(
  connection: CommonQueryMethods,
  caller: Caller,
  { act, end }: { act: Outliving; end: string | null },
): Promise<Outliving | null> {
  const endOfThat = await endOfBearer(connection, caller);
  const outlives = endOfThat !== null && (end === null || Date.parse(end) > Date.parse(endOfThat));
  return outlives ? act : null;
}

/** When the credential of a caller expires, ISO 8601; null: never, or it is a person's. */
async function endOfBearer(connection: CommonQueryMethods, caller: Caller): Promise<string | null> {
  // A passport makes nothing that gives access, and would have ended before anything of it.
  if (caller.kind === 'passport') return ENDED;
  if (caller.kind !== 'operator') return await endOfKey(connection, caller);
  const { operatorId, platform, by } = caller;
  if (by.kind === 'session' || platform) return null;
  return by.kind === 'oauth' ? by.endsAt : await endOfKey(connection, { operatorId, keyId: by.keyId });
}

/** A key that was deleted while it was remembered has ended; one that is being deleted waits for what is made by it. */
async function endOfKey(
  connection: CommonQueryMethods,
  { operatorId, keyId }: Pick<Extract<Caller, { kind: 'agent' }>, 'operatorId' | 'keyId'>,
): Promise<string | null> {
  const key = await lockApiKey(connection, operatorId, keyId);
  return key === null ? ENDED : key.expires_at;
}

const ENDED = new Date(0).toISOString();
