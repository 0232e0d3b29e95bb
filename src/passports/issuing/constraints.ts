import { z } from 'zod';
import { canonicalJson } from '../../json/canonical.ts';
import { ConstraintSchema } from '../../authority/index.ts';
import type { JsonValue } from '../../json/value.ts';

/** What an agent said it means to do, as a passport pins it. */
const IntentEntrySchema = z.strictObject({ claim: z.string(), target: z.string(), action: z.string() });
export type IntentEntry = z.infer<typeof IntentEntrySchema>;

/** The intents of one service as one limit: the call serves one of them (decisions A8). */
const IntentConstraintSchema = z.strictObject({
  param: z.literal('intent'),
  op: z.literal('in'),
  value: z.array(IntentEntrySchema).min(1),
});

/** A limit as a passport carries it. */
export const SignedConstraintSchema = z.union([IntentConstraintSchema, ConstraintSchema]);
export type SignedConstraint = z.infer<typeof SignedConstraintSchema>;

export const intentConstraint = (value: IntentEntry[]): SignedConstraint => ({ param: 'intent', op: 'in', value });

/** The intents that these constraints are limited to; undefined where they are not limited by intent. */
export const intentsOf = (constraints: readonly SignedConstraint[]): IntentEntry[] | undefined => {
  const limits = constraints.flatMap((constraint) => {
    const parsed = IntentConstraintSchema.safeParse(constraint);
    return parsed.success ? parsed.data.value : [];
  });
  return limits.length === 0 ? undefined : limits;
};

/**
 * Whether whatever keeps `child` keeps `parent` too, as far as one param and op can tell (decisions A7): a smaller bound, a
 * subset, an extended prefix; `eq` and `regex` only when they are the same.
 */
export function isAsTight(child: SignedConstraint, parent: SignedConstraint): boolean {
  if (child.param !== parent.param) return false;
  if (child.op === 'lte' && parent.op === 'lte') return child.value <= parent.value;
  if (child.op === 'gte' && parent.op === 'gte') return child.value >= parent.value;
  if (child.op === 'prefix' && parent.op === 'prefix') return child.value.startsWith(parent.value);
  if (child.op === 'in' && parent.op === 'in') {
    const allowed = new Set(parent.value.map(keyOf));
    return child.value.every((value) => allowed.has(keyOf(value)));
  }
  return keyOf(child) === keyOf(parent);
}

/** The first of `parents` that `child` would loosen; another op or param loosens nothing, and saying a parent again neither. */
export function loosenedBy(
  child: SignedConstraint,
  parents: readonly SignedConstraint[],
): SignedConstraint | undefined {
  const rivals = parents.filter(({ param, op }) => param === child.param && op === child.op);
  if (rivals.some((parent) => keyOf(parent) === keyOf(child))) return undefined;
  return rivals.find((parent) => !isAsTight(child, parent));
}

/** Both sets, since all of a set holds: every limit of the parent stands, each once. */
export function conjoined(
  parents: readonly SignedConstraint[],
  children: readonly SignedConstraint[],
): SignedConstraint[] {
  const all = new Map([...parents, ...children].map((constraint) => [keyOf(constraint), constraint]));
  return [...all.values()];
}

/** Whether a signed set still holds every limit of `now`, each as it is or tighter. */
export const keepsEvery = (signed: readonly SignedConstraint[], now: readonly SignedConstraint[]): boolean =>
  now.every((limit) => signed.some((constraint) => isAsTight(constraint, limit)));

const keyOf = (value: JsonValue | SignedConstraint): string => canonicalJson(value);
