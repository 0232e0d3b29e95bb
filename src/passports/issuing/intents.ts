import { findIntentClaims } from '../../claims/index.ts';
import type { Context } from '../../context/context.ts';
import { CarnetError, invalid } from '../../errors/carnet-error.ts';
import type { OperatorId } from '../../ids/ids.ts';
import type { IntentEntry } from './constraints.ts';
import type { RequestedScope } from './narrowing.ts';
import type { ScopeItem } from '../schema.ts';

interface IntentRequest {
  items: readonly ScopeItem[];
  /** Further claims that the intent refers to. */
  refs: readonly string[];
  operatorId: OperatorId;
  /** Intents of this agent may be named. */
  agentId: string;
  /** Intents that the parent passport has, by claim: these may be named no matter which agent they are of. */
  pinned?: ReadonlyMap<string, IntentEntry>;
}

/**
 * The requested scopes with each intent read from its claim.
 * @throws CarnetError UNKNOWN_INTENT for an id that is no unrevoked intent claim of the operator; VALIDATION_ERROR for
 *   an intent of another agent.
 */
export async function resolveIntents(
  context: Context,
  { items, refs, operatorId, agentId, pinned = new Map<string, IntentEntry>() }: IntentRequest,
): Promise<RequestedScope[]> {
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
  const byId = new Map(claims.map((claim) => [claim.id as string, claim]));
  for (const { id, path } of wanted) {
    const claim = byId.get(id);
    if (claim === undefined) {
      const message = `${id} is not a valid intent claim of yours`;
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
