import { z } from 'zod';
import { canonicalJson } from '../../json/canonical.ts';
import { ConstraintSchema, type Constraint } from '../../authority/index.ts';
import type { JsonValue } from '../../json/value.ts';

/** An intent claim of an agent, as a passport repeats it. */
const IntentEntrySchema = z.strictObject({ claim: z.string(), target: z.string(), action: z.string() });
export type IntentEntry = z.infer<typeof IntentEntrySchema>;

/** The intents of one service as one constraint: a call must serve one of them. */
const IntentConstraintSchema = z
  .strictObject({
    param: z.literal('intent'),
    op: z.literal('in'),
    value: z.array(IntentEntrySchema).min(1),
  })
  .meta({ id: 'IntentConstraint' });

/** A constraint of a passport. */
export const SignedConstraintSchema = z
  .union([IntentConstraintSchema, ConstraintSchema])
  .meta({ id: 'SignedConstraint' });
export type SignedConstraint = z.infer<typeof SignedConstraintSchema>;

export const intentConstraint = (value: IntentEntry[]): SignedConstraint => ({ param: 'intent', op: 'in', value });

/** The intents that these constraints allow; undefined: they do not limit intents. */
export const intentsOf = (constraints: readonly SignedConstraint[]): IntentEntry[] | undefined => {
  const limits = constraints.flatMap((constraint) => {
    const parsed = IntentConstraintSchema.safeParse(constraint);
    return parsed.success ? parsed.data.value : [];
  });
  return limits.length === 0 ? undefined : limits;
};

/**
 * Whether every call that `child` allows is allowed by `parent` too, judged by param and op alone: a tighter bound, a
 * subset, a longer prefix; `eq` and `regex` only when they are equal.
 */
export function isAsTight(child: SignedConstraint, parent: SignedConstraint): boolean {
  if (child.param !== parent.param) return false;
  if (child.op === 'lte' && parent.op === 'lte') return child.value <= parent.value;
  if (child.op === 'gte' && parent.op === 'gte') return child.value >= parent.value;
  if (child.op === 'prefix' && parent.op === 'prefix') return child.value.startsWith(parent.value);
  if (child.op === 'in' && parent.op === 'in') {
    const allowed = new Set(parent.value.map(canonicalKey));
    return child.value.every((value) => allowed.has(canonicalKey(value)));
  }
  return canonicalKey(child) === canonicalKey(parent);
}

/**
 * The first of `parents` that `child` would loosen. A constraint of another op or param loosens nothing, and neither
 * does one that repeats a parent.
 */
export function findLoosened(
  child: SignedConstraint,
  parents: readonly SignedConstraint[],
): SignedConstraint | undefined {
  const sameKind = parents.filter(({ param, op }) => param === child.param && op === child.op);
  if (sameKind.some((parent) => canonicalKey(parent) === canonicalKey(child))) return undefined;
  return sameKind.find((parent) => !isAsTight(child, parent));
}

/** All constraints of both sets, each once: all of a set must hold, so the result is never looser than a parent. */
export function combineConstraints(
  parents: readonly SignedConstraint[],
  children: readonly SignedConstraint[],
): SignedConstraint[] {
  const all = new Map([...parents, ...children].map((constraint) => [canonicalKey(constraint), constraint]));
  return [...all.values()];
}

/** Whether the signed constraints include every one of `current`, as it is or tighter. */
export const includesEveryLimit = (
  signed: readonly SignedConstraint[],
  current: readonly SignedConstraint[],
): boolean => current.every((limit) => signed.some((constraint) => isAsTight(constraint, limit)));

const canonicalKey = (value: JsonValue | SignedConstraint): string => canonicalJson(value);

/** The constraints of a request by the path of each list. */
export const constraintsOf = (
  items: readonly { constraints?: readonly Constraint[] | undefined }[],
): [at: string, constraints: readonly Constraint[]][] =>
  items.map(({ constraints = [] }, index) => [`scopes.${index}.constraints`, constraints]);
