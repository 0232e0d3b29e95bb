import { isJsonObject, type JsonValue } from '../json/value.ts';

/** The ids of claims that a payload names, each once; a denial names those of the intent within it, too. */
export function refsOf(payload: JsonValue | undefined): string[] {
  if (!isJsonObject(payload)) return [];
  const { intent_claim_ref: intent, intent_outcome_ref: outcome, requires, attempted_intent: attempted } = payload;
  const named = [intent, outcome, ...(Array.isArray(requires) ? requires : []), ...refsOf(attempted)];
  return [...new Set(named.filter((ref) => typeof ref === 'string'))];
}

/** The intent or invocation that a claim says has ended: each status of an outcome is an end. */
export function endOf(type: string, payload: JsonValue | undefined): string | null {
  if (!isJsonObject(payload)) return null;
  const { intent_claim_ref: intent, invocation_id: invocation, status } = payload;
  if (type === 'intent_outcome') return typeof intent === 'string' ? intent : null;
  const hasEnded = type === 'skill_invocation' && status !== 'submitted';
  return hasEnded && typeof invocation === 'string' ? invocation : null;
}
