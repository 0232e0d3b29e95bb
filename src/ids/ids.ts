import { encodeTime, monotonicFactory } from 'ulid';

declare const brand: unique symbol;
type Branded<Name extends string> = string & { readonly [brand]: Name };

export type OperatorId = Branded<'OperatorId'>;
export type AgentId = Branded<'AgentId'>;
export type ApiKeyId = Branded<'ApiKeyId'>;
export type IdentityClaimId = Branded<'IdentityClaimId'>;
export type SkillId = Branded<'SkillId'>;
export type SkillChangeId = Branded<'SkillChangeId'>;
export type InvocationId = Branded<'InvocationId'>;
export type SkillRequestId = Branded<'SkillRequestId'>;
export type HoldId = Branded<'HoldId'>;
export type ClaimId = Branded<'ClaimId'>;
export type ServiceConnectionId = Branded<'ServiceConnectionId'>;
export type MissionId = Branded<'MissionId'>;
export type AuthorityBindingId = Branded<'AuthorityBindingId'>;
export type MemberId = Branded<'MemberId'>;
export type DashboardSessionId = Branded<'DashboardSessionId'>;
export type ApprovalId = Branded<'ApprovalId'>;
export type MailId = Branded<'MailId'>;
export type PassportId = Branded<'PassportId'>;
export type TopUpId = Branded<'TopUpId'>;
export type RefundId = Branded<'RefundId'>;
export type SubscriptionChangeId = Branded<'SubscriptionChangeId'>;
export type PortalId = Branded<'PortalId'>;
export type ModelCallId = Branded<'ModelCallId'>;
export type MachineRunId = Branded<'MachineRunId'>;
export type EventId = Branded<'EventId'>;
export type DestinationId = Branded<'DestinationId'>;
export type VerificationCodeId = Branded<'VerificationCodeId'>;
export type RuleId = Branded<'RuleId'>;
export type DeliveryId = Branded<'DeliveryId'>;
export type InboundEventId = Branded<'InboundEventId'>;
export type PartnerGrantId = Branded<'PartnerGrantId'>;
export type InboundEndpointId = Branded<'InboundEndpointId'>;

/**
 * The prefix of every kind of id; the rest is a ULID, so ids sort by creation. None is `sk_`, which Stripe's secret
 * keys begin with.
 */
interface IdOfPrefix {
  op: OperatorId;
  ag: AgentId;
  key: ApiKeyId;
  idc: IdentityClaimId;
  skl: SkillId;
  sch: SkillChangeId;
  inv: InvocationId;
  rqt: SkillRequestId;
  txn: Branded<'TransactionId'>;
  hld: HoldId;
  pc: ClaimId;
  log: Branded<'LogId'>;
  con: ServiceConnectionId;
  ms: MissionId;
  bnd: AuthorityBindingId;
  mem: MemberId;
  dsh: DashboardSessionId;
  apr: ApprovalId;
  msg: MailId;
  psp: PassportId;
  ses: Branded<'SessionId'>;
  chk: Branded<'CheckpointId'>;
  chko: Branded<'CheckoutId'>;
  evt: EventId;
  dst: DestinationId;
  vcd: VerificationCodeId;
  chn: RuleId;
  dlv: DeliveryId;
  iev: InboundEventId;
  ifw: Branded<'InboundForwardId'>;
  pgr: PartnerGrantId;
  inw: InboundEndpointId;
  top: TopUpId;
  dif: Branded<'DifferingPaymentId'>;
  alm: Branded<'BillingAlarmId'>;
  rfd: RefundId;
  sbc: SubscriptionChangeId;
  prt: PortalId;
  pyt: Branded<'PayoutId'>;
  llm: ModelCallId;
  mch: MachineRunId;
  lpay: Branded<'LocalPaymentId'>;
}

const nextUlid = monotonicFactory();

/** A new id, e.g. `newId('inv')` → `inv_01K…`. */
export const newId = <Prefix extends keyof IdOfPrefix>(prefix: Prefix): IdOfPrefix[Prefix] =>
  `${prefix}_${nextUlid()}` as IdOfPrefix[Prefix];

/** No id of this prefix that was made from this moment on comes before it, and none that was made before comes behind it. */
export const firstIdOf = (prefix: keyof IdOfPrefix, at: Date): string =>
  `${prefix}_${encodeTime(at.getTime(), 10)}${'0'.repeat(16)}`;

/** The operator that PLATFORM_ADMIN_KEY acts for; the first migration makes it. */
export const PLATFORM_OPERATOR_ID = 'op_platform' as OperatorId;

/** How the audit trail, approvals and the rate limit name the platform's key, which has no row. */
export const PLATFORM_KEY_ID = 'key_platform' as ApiKeyId;
