import { monotonicFactory } from 'ulid';

declare const brand: unique symbol;
type Branded<Name extends string> = string & { readonly [brand]: Name };

export type OperatorId = Branded<'OperatorId'>;
export type AgentId = Branded<'AgentId'>;
export type ApiKeyId = Branded<'ApiKeyId'>;
export type IdentityClaimId = Branded<'IdentityClaimId'>;
export type SkillId = Branded<'SkillId'>;
export type InvocationId = Branded<'InvocationId'>;
export type SkillRequestId = Branded<'SkillRequestId'>;
export type TransactionId = Branded<'TransactionId'>;
export type HoldId = Branded<'HoldId'>;

/** The prefix of every kind of id (decisions §1); the rest is a ULID, so ids sort by creation. None starts with `sk_`. */
interface IdOfPrefix {
  op: OperatorId;
  ag: AgentId;
  key: ApiKeyId;
  idc: IdentityClaimId;
  skl: SkillId;
  inv: InvocationId;
  rqt: SkillRequestId;
  txn: TransactionId;
  hld: HoldId;
}

const nextUlid = monotonicFactory();

/** A new id, e.g. `newId('inv')` → `inv_01K…`. */
export const newId = <Prefix extends keyof IdOfPrefix>(prefix: Prefix): IdOfPrefix[Prefix] =>
  `${prefix}_${nextUlid()}` as IdOfPrefix[Prefix];

/** The operator made by the first migration, to which the platform key belongs (decisions C5). */
export const PLATFORM_OPERATOR_ID = 'op_platform' as OperatorId;
