import { findIntentClaims } from '../../claims/index.ts';
import type { Context } from '../../context/context.ts';
import { CarnetError, invalid } from '../../errors/carnet-error.ts';
import type { OperatorId } from '../../ids/ids.ts';
import type { IntentEntry } from './constraints.ts';
import type { AskedScope } from './narrowing.ts';
import type { ScopeItem } from '../schema.ts';

/** Whose intents may be named. */
interface Intending {
  operatorId: OperatorId;
  agentId: string;
  /** Intents that a parent passport already pins, by claim: these may be named again, whoever's they are. */
  pinned?: ReadonlyMap<string, IntentEntry>;
}

/**
 * The scopes asked for with each intent read from its claim (decisions A8).
 * @param refs further claims that are only referred to
 * @throws CarnetError UNKNOWN_INTENT for what is no unrevoked intent claim of the operator; VALIDATION_ERROR for another agent's
 */
export async function withIntents(
  context: Context,
  items: readonly ScopeItem[],
  refs: readonly string[],
  { operatorId, agentId, pinned = new Map<string, IntentEntry>() }: Intending,
): Promise<AskedScope[]> {
  const named = items.flatMap(({ intents = [] }, item) =>
    intents.map((id, index) => ({ id, path: `scopes.${item}.intents.${index}` })),
  );
  const referred = refs.flatMap((id, index) => (id.startsWith('pc_') ? [{ id, path: `intent.refs.${index}` }] : []));
  const wanted = [...named.filter(({ id }) => !pinned.has(id)), ...referred];
  if (wanted.length === 0 && named.length === 0) return items.map((item) => ({ ...item, intents: undefined }));

  const claims = await findIntentClaims(
    context.pool,
    operatorId,
    wanted.map(({ id }) => id),
  );
  const known = new Map(claims.map((claim) => [claim.id as string, claim]));
  for (const { id, path } of wanted) {
    const claim = known.get(id);
    if (claim === undefined) {
      const message = `${id} is not an intent claim of yours that holds`;
      throw new CarnetError('UNKNOWN_INTENT', `${path}: ${message}.`, {
        errors: [{ path, message, code: 'unknown_intent' }],
      });
    }
    if (claim.agentId !== agentId) {
      throw invalid({ path, code: 'invalid_reference', message: `${id} is the intent of another agent` });
    }
  }
  const entries = new Map(pinned);
  for (const { id, target, action } of claims) entries.set(id, { claim: id, target, action });
  return items.map((item) => ({ ...item, intents: item.intents?.flatMap((id) => entries.get(id) ?? []) }));
}
