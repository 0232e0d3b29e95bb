// Written by scripts/write-sdk.ts from openapi.json: change the routes, and run it again.

export interface AccountabilityReport {
  passport: Passport;
  /** The checkpoints of the passport and all its refreshes */
  checkpoints: Checkpoint[];
  checkout: Checkout | null;
  flags: PassportFlag[];
  review: PassportReview | null;
  /** The passports it was delegated from, the root first */
  chain: string[];
}

export interface ActivePassport {
  jti: string;
  agent_id: string;
  session_id: string;
  /** The `service_id`s that may accept it; null: all that it has scopes for */
  audience: string[] | null;
  delegation_depth: number;
  parent_passport_id: string | null;
  identity_claim_ids: string[];
  authority_refs: AuthorityRef[];
  intent_summary: string | null;
  intent_services: string[];
  intent_refs: string[];
  mission_ids: string[];
  estimated_duration_seconds: number | null;
  checkpoint_interval_seconds: number | null;
  /** The checkpoints of all passports that it was refreshed from or into, counted together */
  checkpoint_count: number;
  last_checkpoint_at: string | null;
  issued_at: string;
  expires_at: string;
}

export interface ActiveToken {
  active: true;
  iss: string;
  sub: string;
  iat: number;
  exp: number;
  jti: string;
  /** The `service_id`s that may accept it */
  aud?: string[];
  /** The agent */
  client_id: string;
  /** The scopes of all services, separated by spaces */
  scope: string;
  token_type: 'Bearer';
  svcns: PassportClaims;
  authority_refs: LiveAuthorityRef[];
  /** null: neither it nor a passport above has one */
  budget: PassportBudget | null;
}

export type AddCoSignature = ClaimCoSignature;

export interface AddMember {
  email: string;
  role: 'owner' | 'admin' | 'member';
}

export interface AdministerOperator {
  tier?: 'free' | 'developer' | 'pro' | 'business' | 'enterprise';
  status?: 'active' | 'suspended';
  commission_bps?: number | null;
}

/** A piece of software that acts for its operator. A disabled agent is retired: its keys are refused. One that is blocked may be retired too, which `retired_at` says. */
export interface Agent {
  id: string;
  operator_id: string;
  name: string;
  accountability: 'standard' | 'logged' | 'enforced';
  held_to: AgentHeldTo;
  public_jwk: PublicJwk | null;
  checkpoint_interval_seconds: number | null;
  /** Most cents that the agent may spend in a UTC month, counted when they are held; null: no limit. */
  monthly_limit_cents: number | null;
  status: 'active' | 'blocked' | 'disabled';
  /** Since when it is retired, also while it is blocked; null: it is not */
  retired_at: string | null;
  /** The partner whose key registered it; null: the operator itself */
  partner_grant_id: string | null;
  created_at: string;
  updated_at: string;
}

/** A decision that the agent gets no passport; unblocking it lifts all of them. */
export interface AgentBlock {
  /** The agent that it binds */
  agent_id: string;
  /** The review in which it was decided; null: in none, or not known */
  checkout_id: string | null;
  /** Who decided it; null: not known */
  blocked_by: string | null;
  reason: string | null;
  blocked_at: string;
}

/** An agent was blocked, by the review of a checkout or without one: it gets no passports. */
export interface AgentBlockedNotification {
  event_type: 'agent.blocked';
  severity: 'critical';
  payload: AgentBlockedNotificationPayload;
  /** When it happened. */
  timestamp: string;
}

export interface AgentBlockedNotificationPayload {
  agent_id: string;
  /** The review that blocked it; null: it was blocked without one. */
  checkout_id: string | null;
  reason: string;
}

export interface AgentConduct {
  agent: Agent;
  /** Those that bind it, the newest first, a hundred at most */
  blocks: AgentBlock[];
  /** How many others bind it, older than these */
  other_blocks: number;
  /** Those that bind other agents of the operator which have or had a public key of it, and by these keys it too; the newest first, a hundred at most */
  twin_blocks: AgentBlock[];
  /** How many others bind these, older than these */
  other_twin_blocks: number;
  /** `reviews`: those that are not approved or are critical, with their flags, notes and report; `unreviewed_flags`; both the newest first, a hundred at most, and how many others there are. `twins`: the same of all other agents of the operator that have or had a public key of it, and who they are, with status, mode and interval */
  conduct: Record<string, unknown>;
  /** A hash of all of it, which `seen` of unblocking repeats */
  digest: string;
}

/** The accountability of new passports of the agent: the strictest mode and the shortest interval of all agents of the operator that have or had a public key of it, and the agent that each comes from, itself where it is as strict; null: there is none, or you may not see it */
export interface AgentHeldTo {
  accountability: 'standard' | 'logged' | 'enforced';
  /** The agent whose mode it is */
  accountability_from: string | null;
  checkpoint_interval_seconds: number | null;
  /** The agent whose interval it is */
  checkpoint_interval_from: string | null;
}

/** A block of an agent was lifted, or what reviews that were blocked hold of it. */
export interface AgentUnblockedNotification {
  event_type: 'agent.unblocked';
  severity: 'warning';
  payload: AgentUnblockedNotificationPayload;
  /** When it happened. */
  timestamp: string;
}

export interface AgentUnblockedNotificationPayload {
  agent_id: string;
  /** The credential or member that did it. */
  unblocked_by: string;
}

export interface Allowance {
  used: number;
  /** null: without limit. */
  included: number | null;
  /** The part of used that was charged to the wallet. */
  overage: number;
}

/** A credential, without its secret. */
export interface ApiKey {
  id: string;
  operator_id: string;
  name: string;
  kind: 'operator' | 'agent' | 'partner';
  role: ApiKeyRole | null;
  agent_id: string | null;
  partner_grant_id: string | null;
  monthly_limit_cents: number | null;
  last4: string;
  expires_at: string | null;
  last_used_at: string | null;
  /** The credential that made it: a member, a key or a token (`oauth:…`); null: the first start. */
  created_by: string | null;
  created_at: string;
}

/** A key was made, of the operator, of an agent or of a partner. */
export interface ApiKeyCreatedNotification {
  event_type: 'api_key.created';
  severity: 'warning';
  payload: ApiKeyCreatedNotificationPayload;
  /** When it happened. */
  timestamp: string;
}

export interface ApiKeyCreatedNotificationPayload {
  key_id: string;
  kind: 'operator' | 'agent' | 'partner';
  /** The role of a key of the operator; null: it is of another kind. */
  role: ApiKeyCreatedNotificationPayloadRole | null;
  agent_id: string | null;
  /** The credential or member that did it. */
  created_by: string;
}

export type ApiKeyCreatedNotificationPayloadRole = 'admin' | 'member';

export type ApiKeyRole = 'admin' | 'member';

/** One request that waits for a person: approved, it may be repeated once with X-Governance-Approval. */
export interface Approval {
  id: string;
  /** The act that a person is to approve. */
  action: string;
  method: string;
  path: string;
  status: 'pending' | 'approved' | 'rejected' | 'expired' | 'consumed';
  /** The credential that made the request. */
  requested_by: string;
  /** The member who decided. */
  decided_by: string | null;
  decided_at: string | null;
  consumed_at: string | null;
  expires_at: string;
  created_at: string;
}

/** A request that nobody has decided lapses soon: within the hour, or in a quarter of its time. */
export interface ApprovalExpiringNotification {
  event_type: 'approval.expiring';
  severity: 'warning';
  payload: ApprovalExpiringNotificationPayload;
  /** When it happened. */
  timestamp: string;
}

export interface ApprovalExpiringNotificationPayload {
  approval_id: string;
  action: string;
  /** The credential or member that did it. */
  requested_by: string;
  expires_at: string;
}

/** A key or token wants to do what a person must approve. */
export interface ApprovalRequestedNotification {
  event_type: 'approval.requested';
  severity: 'warning';
  payload: ApprovalRequestedNotificationPayload;
  /** When it happened. */
  timestamp: string;
}

export interface ApprovalRequestedNotificationPayload {
  approval_id: string;
  action: string;
  /** The credential or member that did it. */
  requested_by: string;
  expires_at: string;
}

export interface ApprovalWithBody {
  id: string;
  /** The act that a person is to approve. */
  action: string;
  method: string;
  path: string;
  status: 'pending' | 'approved' | 'rejected' | 'expired' | 'consumed';
  /** The credential that made the request. */
  requested_by: string;
  /** The member who decided. */
  decided_by: string | null;
  decided_at: string | null;
  consumed_at: string | null;
  expires_at: string;
  created_at: string;
  /** The body of the request; shown to owners and administrators who are signed in, while the service has the key that sealed it. */
  body?: unknown;
  /** The thing that it is about, as it was when it was requested; a change of it makes the approval lapse. Shown as `body` is; null: the request says it all. */
  subject?: unknown;
}

export interface ApproveSkill {
  /** The change of a skill that is approved already, as `pending_change` names it. */
  change_id?: string;
  /** The revision that was read; required where the skill was changed since it was published. */
  revision?: number;
}

/** One change: who did what to what, and in which request. */
export interface AuditEvent {
  id: number;
  /** The API key, the agent, `temporal-signal` or `service`. */
  actor: string;
  action: string;
  target: string;
  detail: Record<string, unknown>;
  request_id: string | null;
  created_at: string;
}

/** An agent, while it has one certain key, may act towards one receiver. */
export interface AuthorityBinding {
  id: string;
  operator_id: string;
  agent_id: string;
  /** RFC 7638, of the key that the agent had when it was bound. */
  key_thumbprint: string;
  receiver_id: string;
  receiver_profile_version_id: string;
  binding_version: number;
  /** `sha256:` and the hex digest of the document in JCS (RFC 8785). */
  binding_digest: string;
  /** The claim of type authority_binding that records it. */
  claim_id: string;
  /** Only an active binding counts; key_changed: the agent has another key now, or none. */
  status: 'active' | 'revoked' | 'expired' | 'key_changed';
  expires_at: string;
  revoked_at: string | null;
  created_at: string;
}

/** An authority binding and the document that it pins. */
export interface AuthorityBindingWithDocument {
  id: string;
  operator_id: string;
  agent_id: string;
  /** RFC 7638, of the key that the agent had when it was bound. */
  key_thumbprint: string;
  receiver_id: string;
  receiver_profile_version_id: string;
  binding_version: number;
  /** `sha256:` and the hex digest of the document in JCS (RFC 8785). */
  binding_digest: string;
  /** The claim of type authority_binding that records it. */
  claim_id: string;
  /** Only an active binding counts; key_changed: the agent has another key now, or none. */
  status: 'active' | 'revoked' | 'expired' | 'key_changed';
  expires_at: string;
  revoked_at: string | null;
  created_at: string;
  document: Record<string, unknown>;
}

export interface AuthorityRef {
  binding_id: string;
  binding_version: number;
  binding_claim_id: string;
  binding_digest: string;
  receiver_id: string;
  receiver_profile_version_id: string;
  expires_at: number;
}

/** Why the request was refused, with 502 */
export interface BadGatewayProblem {
  type: string;
  title: string;
  status: number;
  /** The fault, its place, and what to do */
  detail: string;
  /** The path of the request */
  instance: string;
  request_id: string;
  errors?: FieldFault[];
  code: 'PAYMENT_REFUSED';
  /** PAYMENT_REFUSED: The refund that was refused */
  refund_id?: string;
}

/** Why the request was refused, with 400 */
export interface BadRequestProblem {
  type: string;
  title: string;
  status: number;
  /** The fault, its place, and what to do */
  detail: string;
  /** The path of the request */
  instance: string;
  request_id: string;
  errors?: FieldFault[];
  code:
    | 'VALIDATION_ERROR'
    | 'INVALID_CURSOR'
    | 'INVALID_CODE'
    | 'INVALID_CO_SIGNATURE'
    | 'CODE_EXPIRED'
    | 'CONFIRMATION_REQUIRED'
    | 'DESTINATION_UNVERIFIED'
    | 'FORWARD_URL_FORBIDDEN'
    | 'INVALID_PASSPORT'
    | 'OPERATOR_CHOICE_REQUIRED'
    | 'PASSPORT_TOO_LARGE'
    | 'TTL_EXCEEDS_PARENT'
    | 'UNKNOWN_INTENT'
    | 'INPUT_SCHEMA_MISMATCH'
    | 'OUTPUT_SCHEMA_MISMATCH'
    | 'BALANCE_TOO_LOW'
    | 'BALANCE_BELOW_TOPUP'
    | 'CONTACT_SALES'
    | 'NOT_REFUNDABLE'
    | 'REFUND_WINDOW_EXPIRED'
    | 'SEATS_OUT_OF_RANGE';
  /** INVALID_CODE, CODE_EXPIRED: Always false: the code does not prove the address */
  verified?: boolean;
  /** INVALID_CODE: How often another code can be tried */
  tries_left?: number;
  /** FORWARD_URL_FORBIDDEN: The rule that the URL breaks */
  rule?: string;
  /** INVALID_PASSPORT: Why it does not verify */
  reason?: string;
  /** OPERATOR_CHOICE_REQUIRED: Those that can be named */
  operators?: OperatorChoice[];
  /** PASSPORT_TOO_LARGE: Characters that the token would have */
  token_length?: number;
  /** TTL_EXCEEDS_PARENT: Seconds that the parent is still valid */
  remaining_seconds?: number;
  /** BALANCE_TOO_LOW, BALANCE_BELOW_TOPUP: The available balance, in cents */
  balance_cents?: number;
  /** BALANCE_TOO_LOW: The debt of the wallet, in cents */
  receivable_cents?: number;
  /** BALANCE_BELOW_TOPUP: The rest of the top-up, in cents */
  required_cents?: number;
  /** SEATS_OUT_OF_RANGE: Seats of the tier; null: no limit */
  included_seats?: number | null;
  /** SEATS_OUT_OF_RANGE: The most that the tier can have; null: no limit */
  seat_ceiling?: number | null;
  /** SEATS_OUT_OF_RANGE: Seats that members take */
  seats_in_use?: number;
}

/** The wallet of the calling operator, in US cents. */
export interface Balance {
  /** Paid in and neither spent nor held. Of it reserved_cents is begun to be used. */
  balance_cents: number;
  /** balance_cents as dollars, without thousands separator. */
  balance_usd: string;
  /** Before holds. */
  ledger_balance_cents: number;
  /** Held for open invocations and for refunds under way. */
  held_cents: number;
  /** Begun by meters and not debited yet, in whole cents: promised to nothing else. Part of balance_cents. */
  reserved_cents: number;
  /** The highest price that can be paid now: balance_cents less reserved_cents, and 0 while something is owed. */
  available_cents: number;
  /** Owed since payments were taken back that the wallet could not cover. While it is above zero nothing is spent: money that becomes available pays it first. */
  receivable_cents: number;
  /** The parts of reserved_cents: for each meter what it has charged and no debit has taken yet. */
  remainders: MeterRemainder[];
}

/** Something about money that waits for a person. */
export interface BillingCase {
  /** `differing_payment`: paid, but not as it was requested, and not credited. `receivable`: what a wallet owes. `refund`: pending for more than a day, its amount still held. `life`: what Temporal refuses to wake, as a refund that is not asked for; it is tried again by itself, and ends when it is woken. `alarm`: what no rule decides about, see `alarm`. */
  kind: 'alarm' | 'differing_payment' | 'life' | 'receivable' | 'refund';
  /** `refund_paid_after_all`: the provider has paid a refund that was released here, and the wallet has paid it again. `refunds_unread`: the provider's list of refunds of a payment cannot be read, so nothing moves for them. `dispute_unlisted`: a dispute has a status that this release does not know; only what was moved for it counts. `payout_reversed_in_part`: a part of a payout was taken back from the publisher's account. `upgrade_not_made`: an upgrade was paid and not made; refund it at the provider. `subscription_refund_came_back`: the bank sent back what was refunded of a second subscription; the operator does not have it. `subscription_not_given_back`: an operator may pay for a second subscription, and the provider does not give it back; end and refund it there. `subscription_disputed`: a payment for a subscription is disputed, and the tier stays; decide whether to end it at the provider. `unknown_price`: a subscription that is paid has a price that no setting names, so its tier or seats do not count. Null unless the kind is `alarm`. */
  alarm: BillingCaseAlarm | null;
  id: string;
  operator_id: string;
  /** The sum that it is about, of a receivable what is still owed; null for a life, and where the provider named no amount. */
  amount_cents: number | null;
  currency: string | null;
  /** The top-up of a payment, the transaction of a refund; of an alarm the refund, top-up, dispute, payout, change or subscription; null for a receivable and a life, whose id names what it moves. */
  concerns: string | null;
  since: string;
}

export type BillingCaseAlarm =
  | 'refund_paid_after_all'
  | 'refunds_unread'
  | 'dispute_unlisted'
  | 'payout_reversed_in_part'
  | 'upgrade_not_made'
  | 'subscription_refund_came_back'
  | 'subscription_not_given_back'
  | 'subscription_disputed'
  | 'unknown_price';

export interface BlockAgent {
  /** The reason, for those who may unblock the agent */
  notes?: string;
}

export interface BrowseSkillsAnswer {
  skills: ListedSkill[];
  /** Counted among the skills that the search looks at, 1,000 at most. */
  total: number;
  limit: number;
  offset: number;
  /** null on the last page */
  next_cursor: string | null;
  has_more: boolean;
}

export interface CanceledSubscription {
  /** The tier until the end of the period. */
  tier: 'free' | 'developer' | 'pro' | 'business' | 'enterprise';
  /** abandoned: there was only a checkout that nobody had paid. */
  status: 'canceling' | 'abandoned';
  cancel_at_period_end: boolean;
  current_period_end: string | null;
}

export interface ChangeSkillRequest {
  status?: 'open' | 'closed' | 'fulfilled';
  description?: string;
}

/** The fields that change, with their new values; the skill beside it has those that were approved. */
export interface ChangedFields {
  description?: string;
  version?: string;
  input_schema?: Record<string, unknown>;
  output_schema?: Record<string, unknown>;
}

export interface CheckSkill {
  name: string;
  description: string;
  version: string;
  /** A JSON Schema, draft 2020-12 or draft-07; see the limits in the documentation. */
  input_schema: Record<string, unknown>;
  /** A JSON Schema, draft 2020-12 or draft-07; see the limits in the documentation. */
  output_schema: Record<string, unknown>;
  trust_level_required: 'L0' | 'L1' | 'L2';
  tags?: string[];
  /** Default: `0`. */
  price_per_invocation?: number;
  agent_id?: string;
  /** Default: `"open"`. */
  execution_mode?: 'open' | 'sealed' | 'source';
  /** Default: `"none"`. */
  credential_mode?: 'none' | 'buyer_provides' | 'seller_provides' | 'both';
  /** Default: `[]`. */
  required_credentials?: RequiredCredential[];
  /** The limits of a skill that is not open and has credential_mode seller_provides or both: required, with one of the two at least. */
  seller_credential_limit?: SellerCredentialLimit;
  /** Default: `true`. */
  accepts_requests?: boolean;
  execution_steps?: ExecutionStep[];
  llm_enabled?: boolean;
  llm_provider?: string;
  llm_model?: string;
  llm_config?: LlmConfig;
  execution_script?: string;
  execution_runtime?: 'python' | 'javascript' | 'none';
  dependencies?: string;
  /** Checked against `input_schema`. */
  input?: Record<string, unknown>;
}

export interface CheckTrust {
  passport_claims: CheckTrustPassportClaim[];
}

export interface CheckTrustPassportClaim {
  claim_type: string;
  assurance_level: string | number;
  claim_id?: string;
  provider?: string;
  layer?: string;
  /** Whom the claim is about: an agent or its operator. */
  holder?: string;
  verified_at?: number | null;
  /** Seconds since 1970; a claim that has expired counts nothing. Null or absent: it does not expire. */
  expires_at?: number | null;
  humanity_verified?: boolean;
}

export interface CheckedSkill {
  publishable: true;
}

export interface Checkout {
  id: string;
  jti: string;
  /** It came after it had been flagged as missed */
  late: boolean;
  services_used: string[];
  tool_calls: ReportedToolCall[];
  actions_count: number;
  delegated_to: string[];
  summary: string | null;
  submitted_at: string;
  /** The checkpoint_approval claim that records it */
  claim_id: string;
}

export interface CheckoutAnswer {
  checkout: Checkout;
  /** All that were raised */
  flags: PassportFlag[];
  /** null where nobody reviews (accountability logged) */
  review: CheckoutAnswerReview | null;
}

export interface CheckoutAnswerReview {
  checkout_id: string;
  status: 'pending' | 'approved' | 'blocked';
  /** While a review of risk critical is not approved, the agent gets no new passports */
  risk: 'clean' | 'flagged' | 'critical';
}

export interface CheckoutReport {
  /** Names or ids of the services that were used since the last report */
  services_used: string[];
  /** Default: `[]`. */
  tool_calls?: ToolCall[];
  actions_count: number;
  /** Agents that were given work. Default: `[]`. */
  delegated_to?: string[];
  summary?: string;
}

export interface Checkpoint {
  id: string;
  jti: string;
  sequence: number;
  services_used: string[];
  tool_calls: ReportedToolCall[];
  actions_count: number;
  delegated_to: string[];
  summary: string | null;
  submitted_at: string;
  /** The checkpoint_approval claim that records it */
  claim_id: string;
}

export interface CheckpointAnswer {
  checkpoint: Checkpoint;
  /** Raised since the previous checkpoint, by this one or by a deadline */
  flags: PassportFlag[];
  /** A checkpoint may still come within the grace after it; null: none is due */
  next_checkpoint_due_at: string | null;
}

export interface CheckpointReport {
  /** Names or ids of the services that were used since the last report */
  services_used: string[];
  /** Default: `[]`. */
  tool_calls?: ToolCall[];
  actions_count: number;
  /** Agents that were given work. Default: `[]`. */
  delegated_to?: string[];
  summary?: string;
}

/** A recorded claim. It is never changed; it can be revoked, and its payload can be erased. */
export interface Claim {
  id: string;
  /** `sha256:` and the hash of the canonical JSON (RFC 8785) of the envelope without `receipt` and `co_signatures`. */
  digest: string;
  /** The place in the log; null while it has none. */
  log_index: number | null;
  /** The receipt of the log of this service; null while it has none, or where its proof does not hold. */
  receipt: ClaimReceipt | null;
  revoked_at: string | null;
  /** Since when its payload is gone; digest and place in the log stay. */
  erased_at: string | null;
  /** The claim that records the erasure. */
  tombstone_id: string | null;
  /** As it was submitted; without its payload once that is erased, and empty where the database was changed so that it does not have its digest. */
  envelope: Record<string, unknown>;
  /** The payload with its defaults; null where there is none. */
  payload_effective: unknown;
  /** Those that came with the claim and those that were added later, in the order in which they came. */
  co_signatures: KeptCoSignature[];
  /** Whether the receipt of another registry in the envelope verified when it came; null where there is none. */
  external_receipt_verified: boolean | null;
  /** `none`: the payload of this type has no shape. */
  schema: 'v1' | 'none';
  /** Claims that the payload names and that do not exist here yet. */
  unresolved_refs: string[];
  /** The contradictions: that the issuer said before that the same intent or invocation had ended, or that the claim was changed in the database. */
  warnings: string[];
  revoke_reason: string | null;
  /** By what kind of credential it was submitted first, as the service has it; nobody signs that. `service`: the service states it itself. null: it is from before this was kept. */
  submitter: ClaimSubmitter | null;
  created_at: string;
}

/** All that proves a claim, for verifying it offline, years later. */
export interface ClaimBundle {
  bundle_version: 1;
  claim_id: string;
  digest: string;
  /** As it was submitted; of an erased claim without its payload. */
  envelope: Record<string, unknown>;
  /** The payload is gone. */
  erased?: true;
  /** The leaf of an erased claim: all that the log has of it. */
  leaf_hash?: string;
  co_signatures: ClaimBundleCoSignature[];
  receipt: ClaimReceipt;
  /** The same as a COSE receipt (RFC 9942), base64url. */
  cose_receipt: string;
  /** The signed note of the tree of the receipt. */
  checkpoint: string;
  latest: ClaimBundleLatest;
  /** C2SP tlog-proof: in the newest tree where witnesses have signed that, else in that of the receipt. */
  tlog_proof: string;
  revocation: ClaimBundleRevocation;
  /** By what kind of credential it was submitted first, as the service has it; nobody signs that. `service`: the service states it itself. null: it is from before this was kept. */
  submitter: ClaimBundleSubmitter | null;
  log: ClaimBundleLog;
}

export interface ClaimBundleCoSignature {
  signer_kid: string;
  signer_role: string;
  cose_sign1: string;
  verified: boolean;
  jwk: ClaimBundleCoSignatureJwk | null;
}

export type ClaimBundleCoSignatureJwk = Record<string, unknown>;

export interface ClaimBundleLatest {
  /** The newest signed note that meets the policy of witnesses, else the one that most witnesses have signed, or where none has the newest. */
  checkpoint: string;
  /** From the tree of the receipt to the newest. */
  consistency: string[];
  /** In the newest tree. */
  inclusion: string[];
  /** Who has signed the newest signed note besides the log. */
  witnesses: string[];
  /** Whether these are enough by the policy of the service; null: it has none. */
  quorum: boolean | null;
}

export interface ClaimBundleLog {
  origin: string;
  vkey: string;
  jwk: LogKey;
}

export interface ClaimBundleRevocation {
  revoked_at: string | null;
  reason: string | null;
  as_of: string;
}

export type ClaimBundleSubmitter =
  | 'operator_key'
  | 'operator_token'
  | 'member_session'
  | 'agent_key'
  | 'platform_key'
  | 'service';

export interface ClaimCoSignature {
  signer_kid: string;
  signer_role: 'operator_attestation' | 'agent_self' | 'witness';
  cose_sign1: string;
}

/** That a claim exists, and the hash of its signed bytes. Who is not a reader of it sees no more. */
export interface ClaimDigest {
  id: string;
  /** `sha256:` and the hash of the canonical JSON (RFC 8785) of the envelope without `receipt` and `co_signatures`. */
  digest: string;
  /** The place in the log; null while it has none. */
  log_index: number | null;
  /** The receipt of the log of this service; null while it has none, or where its proof does not hold. */
  receipt: ClaimReceipt | null;
  revoked_at: string | null;
  /** Since when its payload is gone; digest and place in the log stay. */
  erased_at: string | null;
  /** The claim that records the erasure. */
  tombstone_id: string | null;
}

/** A claim: a statement of its issuer about its subject. */
export type ClaimEnvelope =
  | ClaimEnvelopeSvidAttestation
  | ClaimEnvelopeWorkloadAttestation
  | ClaimEnvelopeRatsEvidence
  | ClaimEnvelopeSlsaProvenance
  | ClaimEnvelopeC2paAssertion
  | ClaimEnvelopeAiBomRef
  | ClaimEnvelopeIntentClaim
  | ClaimEnvelopeIntentOutcome
  | ClaimEnvelopeIntentDenial
  | ClaimEnvelopeIntentSimulation
  | ClaimEnvelopeEntityObservation
  | ClaimEnvelopeDetectorSignal
  | ClaimEnvelopeSkillInvocation
  | ClaimEnvelopeCheckpointApproval
  | ClaimEnvelopeOther;

export interface ClaimEnvelopeAiBomRef {
  envelope_version: 1;
  issuer: string;
  subject: string;
  /** When it was issued, in any unit; stored as it is sent. */
  issued_at: number;
  claim_version: number;
  receipt: ClaimReceipt | null;
  /** Default: `[]`. */
  co_signatures?: ClaimCoSignature[];
  claim_type: 'ai_bom_ref';
  payload: ClaimEnvelopeAiBomRefPayload;
}

export interface ClaimEnvelopeAiBomRefPayload {
  type: 'ai_bom_ref';
  bom_format: 'CycloneDX';
  spec_version: string;
  bom_uri: string;
  bom_sha256: string;
  models?: ClaimEnvelopeAiBomRefPayloadModel[];
  training_data_summary?: string;
  attested_at: number;
}

export interface ClaimEnvelopeAiBomRefPayloadModel {
  name: string;
  version?: string;
  source?: string;
  license?: string;
}

export interface ClaimEnvelopeC2paAssertion {
  envelope_version: 1;
  issuer: string;
  subject: string;
  /** When it was issued, in any unit; stored as it is sent. */
  issued_at: number;
  claim_version: number;
  receipt: ClaimReceipt | null;
  /** Default: `[]`. */
  co_signatures?: ClaimCoSignature[];
  claim_type: 'c2pa_assertion';
  payload: ClaimEnvelopeC2paAssertionPayload;
}

export interface ClaimEnvelopeC2paAssertionPayload {
  type: 'c2pa_assertion';
  content_digest: Record<string, string>;
  manifest_uri?: string;
  manifest_sha256?: string;
  claim_generator?: string;
  content_type?: string;
  signature_info?: ClaimEnvelopeC2paAssertionPayloadSignatureInfo;
  attested_at: number;
}

export interface ClaimEnvelopeC2paAssertionPayloadSignatureInfo {
  issuer?: string;
  cert_thumbprint?: string;
  signature_alg?: string;
}

export interface ClaimEnvelopeCheckpointApproval {
  envelope_version: 1;
  issuer: string;
  subject: string;
  /** When it was issued, in any unit; stored as it is sent. */
  issued_at: number;
  claim_version: number;
  receipt: ClaimReceipt | null;
  /** Default: `[]`. */
  co_signatures?: ClaimCoSignature[];
  claim_type: 'checkpoint_approval';
  payload: ClaimEnvelopeCheckpointApprovalPayload;
}

export interface ClaimEnvelopeCheckpointApprovalPayload {
  type: 'checkpoint_approval';
  checkpoint_id: string;
  interval_seconds: number | null;
  /** Default: `[]`. */
  services_used?: string[];
  actions_count: number;
  /** Default: `false`. */
  has_summary?: boolean;
  /** Default: `[]`. */
  delegated_to?: string[];
  submitted_by: string;
  submitted_at: number;
  mission_ref?: string | null;
}

export interface ClaimEnvelopeDetectorSignal {
  envelope_version: 1;
  issuer: string;
  subject: string;
  /** When it was issued, in any unit; stored as it is sent. */
  issued_at: number;
  claim_version: number;
  receipt: ClaimReceipt | null;
  /** Default: `[]`. */
  co_signatures?: ClaimCoSignature[];
  claim_type: 'detector_signal';
  payload: ClaimEnvelopeDetectorSignalPayload;
}

export interface ClaimEnvelopeDetectorSignalPayload {
  type: 'detector_signal';
  detector_key: string;
  severity: 'low' | 'medium' | 'high' | 'critical';
  pipeline: 'heuristic' | 'llm' | 'detection-chain';
  intent_claim_ref?: string;
  agent_id?: string;
  /** Default: `{}`. */
  metadata?: Record<string, unknown>;
  detected_at: number;
  mission_ref?: string | null;
}

export interface ClaimEnvelopeEntityObservation {
  envelope_version: 1;
  issuer: string;
  subject: string;
  /** When it was issued, in any unit; stored as it is sent. */
  issued_at: number;
  claim_version: number;
  receipt: ClaimReceipt | null;
  /** Default: `[]`. */
  co_signatures?: ClaimCoSignature[];
  claim_type: 'entity_observation';
  payload: ClaimEnvelopeEntityObservationPayload;
}

export interface ClaimEnvelopeEntityObservationPayload {
  type: 'entity_observation';
  intent_outcome_ref?: string;
  /** Default: `[]`. */
  entities?: string[];
  /** Default: `[]`. */
  entity_types?: (
    | 'url_host'
    | 'url_path'
    | 'email'
    | 'account_id'
    | 'file_path'
    | 'arn'
    | 'gcp_resource'
    | 'azure_resource'
    | 'phone'
    | 'ip_address'
    | 'other'
  )[];
  agent_id: string;
  source_service?: string;
  /** Default: `[]`. */
  content_fingerprints?: string[];
  /** Default: `{}`. */
  metadata?: Record<string, unknown>;
  observed_at: number;
  mission_ref?: string | null;
}

export interface ClaimEnvelopeIntentClaim {
  envelope_version: 1;
  issuer: string;
  subject: string;
  /** When it was issued, in any unit; stored as it is sent. */
  issued_at: number;
  claim_version: number;
  receipt: ClaimReceipt | null;
  /** Default: `[]`. */
  co_signatures?: ClaimCoSignature[];
  claim_type: 'intent_claim';
  payload: ClaimEnvelopeIntentClaimPayload;
}

/** Refused where it fits `{"properties":{"intent_type":{"const":"http_call"},"target":{"pattern":"://"}}}`. */
export interface ClaimEnvelopeIntentClaimPayload {
  type: 'intent_claim';
  intent_type: 'http_call' | 'mcp_tool' | 'skill_invocation' | 'onchain_tx' | 'task_complete' | 'a2a_dispatch';
  agent_id: string;
  named_intent: string;
  target: string;
  action: string;
  parameters: Record<string, unknown>;
  estimated_cost: ClaimEnvelopeIntentClaimPayloadEstimatedCost;
  /** Default: `"standard"`. */
  accountability?: 'enforced' | 'logged' | 'standard';
  reason: string | null;
  /** Default: `[]`. */
  requires?: string[];
  user_subject: string | null;
  mission_ref: string | null;
  submitted_at: number;
}

export interface ClaimEnvelopeIntentClaimPayloadEstimatedCost {
  wallet_cents: number | null;
  tokens: number | null;
  gas_gwei: number | null;
}

export interface ClaimEnvelopeIntentDenial {
  envelope_version: 1;
  issuer: string;
  subject: string;
  /** When it was issued, in any unit; stored as it is sent. */
  issued_at: number;
  claim_version: number;
  receipt: ClaimReceipt | null;
  /** Default: `[]`. */
  co_signatures?: ClaimCoSignature[];
  claim_type: 'intent_denial';
  payload: ClaimEnvelopeIntentDenialPayload;
}

export interface ClaimEnvelopeIntentDenialPayload {
  type: 'intent_denial';
  attempted_intent: ClaimEnvelopeIntentDenialPayloadAttemptedIntent;
  denial_reason:
    | 'constraint_violation'
    | 'scope_mismatch'
    | 'accountability_monotonicity'
    | 'detector_block'
    | 'tier_limit'
    | 'requires_unmet'
    | 'simulation_failure';
  denying_detector_key?: string;
  message: string;
  parameters_hash: string;
  /** Default: `1`. */
  retry_count?: number;
  /** Default: `{}`. */
  metadata?: Record<string, unknown>;
  denied_at: number;
  mission_ref?: string | null;
}

/** Refused where it fits `{"properties":{"intent_type":{"const":"http_call"},"target":{"pattern":"://"}}}`. */
export interface ClaimEnvelopeIntentDenialPayloadAttemptedIntent {
  type: 'intent_claim';
  intent_type: 'http_call' | 'mcp_tool' | 'skill_invocation' | 'onchain_tx' | 'task_complete' | 'a2a_dispatch';
  agent_id: string;
  named_intent: string;
  target: string;
  action: string;
  parameters: Record<string, unknown>;
  estimated_cost: ClaimEnvelopeIntentDenialPayloadAttemptedIntentEstimatedCost;
  /** Default: `"standard"`. */
  accountability?: 'enforced' | 'logged' | 'standard';
  reason: string | null;
  /** Default: `[]`. */
  requires?: string[];
  user_subject: string | null;
  mission_ref: string | null;
  submitted_at: number;
}

export interface ClaimEnvelopeIntentDenialPayloadAttemptedIntentEstimatedCost {
  wallet_cents: number | null;
  tokens: number | null;
  gas_gwei: number | null;
}

export interface ClaimEnvelopeIntentOutcome {
  envelope_version: 1;
  issuer: string;
  subject: string;
  /** When it was issued, in any unit; stored as it is sent. */
  issued_at: number;
  claim_version: number;
  receipt: ClaimReceipt | null;
  /** Default: `[]`. */
  co_signatures?: ClaimCoSignature[];
  claim_type: 'intent_outcome';
  payload: ClaimEnvelopeIntentOutcomePayload;
}

export type ClaimEnvelopeIntentOutcomePayload =
  | ClaimEnvelopeIntentOutcomePayloadSkillInvocation
  | ClaimEnvelopeIntentOutcomePayloadHttpCall
  | ClaimEnvelopeIntentOutcomePayloadMcpTool
  | ClaimEnvelopeIntentOutcomePayloadOnchainTx
  | ClaimEnvelopeIntentOutcomePayloadTaskComplete
  | ClaimEnvelopeIntentOutcomePayloadA2aDispatch;

export interface ClaimEnvelopeIntentOutcomePayloadA2aDispatch {
  type: 'intent_outcome';
  intent_claim_ref: string;
  status: 'succeeded' | 'failed' | 'cancelled' | 'timeout';
  duration_ms: number;
  cost_actual: ClaimEnvelopeIntentOutcomePayloadA2aDispatchCostActual;
  recorded_at: number;
  mission_ref?: string | null;
  outcome_type: 'a2a_dispatch';
  actual_target_agent: string | null;
  actual_method: string | null;
  actual_args_hash: string | null;
  remote_task_id: string | null;
  task_state: ClaimEnvelopeIntentOutcomePayloadA2aDispatchTaskState | null;
  task_result_envelope_hash: string | null;
}

export interface ClaimEnvelopeIntentOutcomePayloadA2aDispatchCostActual {
  wallet_cents: number | null;
  tokens: number | null;
  gas_gwei: number | null;
}

export type ClaimEnvelopeIntentOutcomePayloadA2aDispatchTaskState =
  | 'pending'
  | 'in_progress'
  | 'completed'
  | 'failed'
  | 'cancelled';

export interface ClaimEnvelopeIntentOutcomePayloadHttpCall {
  type: 'intent_outcome';
  intent_claim_ref: string;
  status: 'succeeded' | 'failed' | 'cancelled' | 'timeout';
  duration_ms: number;
  cost_actual: ClaimEnvelopeIntentOutcomePayloadHttpCallCostActual;
  recorded_at: number;
  mission_ref?: string | null;
  outcome_type: 'http_call';
  actual_target: string | null;
  actual_method_path: string | null;
  actual_parameters_hash: string | null;
  status_code: number | null;
  response_body_hash: string | null;
  latency_ms: number | null;
  /** Default: `0`. */
  redactions_count?: number;
  /** Default: `0`. */
  detector_fires_count?: number;
}

export interface ClaimEnvelopeIntentOutcomePayloadHttpCallCostActual {
  wallet_cents: number | null;
  tokens: number | null;
  gas_gwei: number | null;
}

export interface ClaimEnvelopeIntentOutcomePayloadMcpTool {
  type: 'intent_outcome';
  intent_claim_ref: string;
  status: 'succeeded' | 'failed' | 'cancelled' | 'timeout';
  duration_ms: number;
  cost_actual: ClaimEnvelopeIntentOutcomePayloadMcpToolCostActual;
  recorded_at: number;
  mission_ref?: string | null;
  outcome_type: 'mcp_tool';
  actual_tool_name: string | null;
  actual_args_hash: string | null;
  tool_result_envelope_hash: string | null;
  tool_error_code: string | null;
}

export interface ClaimEnvelopeIntentOutcomePayloadMcpToolCostActual {
  wallet_cents: number | null;
  tokens: number | null;
  gas_gwei: number | null;
}

export interface ClaimEnvelopeIntentOutcomePayloadOnchainTx {
  type: 'intent_outcome';
  intent_claim_ref: string;
  status: 'succeeded' | 'failed' | 'cancelled' | 'timeout';
  duration_ms: number;
  cost_actual: ClaimEnvelopeIntentOutcomePayloadOnchainTxCostActual;
  recorded_at: number;
  mission_ref?: string | null;
  outcome_type: 'onchain_tx';
  actual_contract: string | null;
  actual_function_selector: string | null;
  actual_args_hash: string | null;
  tx_hash: string | null;
  block_number: number | null;
  gas_used: number | null;
  revert_reason: string | null;
}

export interface ClaimEnvelopeIntentOutcomePayloadOnchainTxCostActual {
  wallet_cents: number | null;
  tokens: number | null;
  gas_gwei: number | null;
}

export interface ClaimEnvelopeIntentOutcomePayloadSkillInvocation {
  type: 'intent_outcome';
  intent_claim_ref: string;
  status: 'succeeded' | 'failed' | 'cancelled' | 'timeout';
  duration_ms: number;
  cost_actual: ClaimEnvelopeIntentOutcomePayloadSkillInvocationCostActual;
  recorded_at: number;
  mission_ref?: string | null;
  outcome_type: 'skill_invocation';
  actual_skill_id: string | null;
  actual_input_hash: string | null;
  output_envelope_hash: string | null;
  exit_code: number | null;
}

export interface ClaimEnvelopeIntentOutcomePayloadSkillInvocationCostActual {
  wallet_cents: number | null;
  tokens: number | null;
  gas_gwei: number | null;
}

export interface ClaimEnvelopeIntentOutcomePayloadTaskComplete {
  type: 'intent_outcome';
  intent_claim_ref: string;
  status: 'succeeded' | 'failed' | 'cancelled' | 'timeout';
  duration_ms: number;
  cost_actual: ClaimEnvelopeIntentOutcomePayloadTaskCompleteCostActual;
  recorded_at: number;
  mission_ref?: string | null;
  outcome_type: 'task_complete';
}

export interface ClaimEnvelopeIntentOutcomePayloadTaskCompleteCostActual {
  wallet_cents: number | null;
  tokens: number | null;
  gas_gwei: number | null;
}

export interface ClaimEnvelopeIntentSimulation {
  envelope_version: 1;
  issuer: string;
  subject: string;
  /** When it was issued, in any unit; stored as it is sent. */
  issued_at: number;
  claim_version: number;
  receipt: ClaimReceipt | null;
  /** Default: `[]`. */
  co_signatures?: ClaimCoSignature[];
  claim_type: 'intent_simulation';
  payload: ClaimEnvelopeIntentSimulationPayload;
}

export interface ClaimEnvelopeIntentSimulationPayload {
  type: 'intent_simulation';
  intent_claim_ref?: string;
  allowed: boolean;
  /** Default: `[]`. */
  denial_reasons?: (
    | 'constraint_violation'
    | 'scope_mismatch'
    | 'accountability_monotonicity'
    | 'detector_block'
    | 'tier_limit'
    | 'requires_unmet'
  )[];
  simulated_cost: ClaimEnvelopeIntentSimulationPayloadSimulatedCost;
  /** Default: `[]`. */
  predicted_detector_fires?: ClaimEnvelopeIntentSimulationPayloadPredictedDetectorFire[];
  projected_http?: ClaimEnvelopeIntentSimulationPayloadProjectedHttp;
  simulated_at: number;
  mission_ref?: string | null;
}

export interface ClaimEnvelopeIntentSimulationPayloadPredictedDetectorFire {
  detector_key: string;
  severity: 'low' | 'medium' | 'high' | 'critical';
}

export interface ClaimEnvelopeIntentSimulationPayloadProjectedHttp {
  status_code: number;
  /** Default: `{}`. */
  headers_summary?: Record<string, string>;
}

export interface ClaimEnvelopeIntentSimulationPayloadSimulatedCost {
  wallet_cents: number | null;
  tokens: number | null;
  gas_gwei: number | null;
}

export interface ClaimEnvelopeOther {
  envelope_version: 1;
  issuer: string;
  subject: string;
  /** When it was issued, in any unit; stored as it is sent. */
  issued_at: number;
  claim_version: number;
  receipt: ClaimReceipt | null;
  /** Default: `[]`. */
  co_signatures?: ClaimCoSignature[];
  claim_type:
    | 'identity_claim'
    | 'mission'
    | 'behavioral_genome'
    | 'twin_divergence'
    | 'evidence_pack'
    | 'operator_decision'
    | 'operator_review'
    | 'external_proof_verification'
    | 'authority_binding'
    | 'authority_approval'
    | 'authority_use'
    | 'receiver_transaction_receipt'
    | 'authority_erasure_tombstone'
    | 'passport_color'
    | 'dossier'
    | 'chain_anchor';
  payload?: unknown;
}

export interface ClaimEnvelopeRatsEvidence {
  envelope_version: 1;
  issuer: string;
  subject: string;
  /** When it was issued, in any unit; stored as it is sent. */
  issued_at: number;
  claim_version: number;
  receipt: ClaimReceipt | null;
  /** Default: `[]`. */
  co_signatures?: ClaimCoSignature[];
  claim_type: 'rats_evidence';
  payload: ClaimEnvelopeRatsEvidencePayload;
}

export interface ClaimEnvelopeRatsEvidencePayload {
  type: 'rats_evidence';
  evidence_format: 'cloud-nitro-enclave' | 'tpm-eat' | 'cpu-sev-snp' | 'cpu-tdx' | 'cpu-cca' | 'generic-eat';
  measurements: Record<string, string>;
  pubkey_jwk?: Record<string, unknown>;
  nonce?: string;
  evidence_uri?: string;
  evidence_sha256?: string;
  attested_at: number;
}

export interface ClaimEnvelopeSkillInvocation {
  envelope_version: 1;
  issuer: string;
  subject: string;
  /** When it was issued, in any unit; stored as it is sent. */
  issued_at: number;
  claim_version: number;
  receipt: ClaimReceipt | null;
  /** Default: `[]`. */
  co_signatures?: ClaimCoSignature[];
  claim_type: 'skill_invocation';
  payload: ClaimEnvelopeSkillInvocationPayload;
}

export interface ClaimEnvelopeSkillInvocationPayload {
  type: 'skill_invocation';
  invocation_id: string;
  skill_id: string;
  provider_operator_id: string;
  execution_mode: 'sealed' | 'open' | 'source';
  input_hash: string;
  status: 'submitted' | 'completed' | 'failed';
  output_hash?: string;
  duration_ms?: number;
  cost_actual?: ClaimEnvelopeSkillInvocationPayloadCostActual;
  error?: ClaimEnvelopeSkillInvocationPayloadError;
  at: number;
  mission_ref?: string | null;
}

export interface ClaimEnvelopeSkillInvocationPayloadCostActual {
  wallet_cents: number;
  tokens: number;
  compute_microcents?: number;
}

export interface ClaimEnvelopeSkillInvocationPayloadError {
  code: string;
  message: string;
}

export interface ClaimEnvelopeSlsaProvenance {
  envelope_version: 1;
  issuer: string;
  subject: string;
  /** When it was issued, in any unit; stored as it is sent. */
  issued_at: number;
  claim_version: number;
  receipt: ClaimReceipt | null;
  /** Default: `[]`. */
  co_signatures?: ClaimCoSignature[];
  claim_type: 'slsa_provenance';
  payload: ClaimEnvelopeSlsaProvenancePayload;
}

export interface ClaimEnvelopeSlsaProvenancePayload {
  type: 'slsa_provenance';
  predicate_type: 'https://slsa.dev/provenance/v1';
  build_type: string;
  builder: ClaimEnvelopeSlsaProvenancePayloadBuilder;
  invocation?: ClaimEnvelopeSlsaProvenancePayloadInvocation;
  subject_digest: Record<string, string>;
  slsa_level?: number;
  attested_at: number;
}

export interface ClaimEnvelopeSlsaProvenancePayloadBuilder {
  id: string;
  version?: Record<string, string>;
  builder_dependencies?: ClaimEnvelopeSlsaProvenancePayloadBuilderBuilderDependency[];
}

export interface ClaimEnvelopeSlsaProvenancePayloadBuilderBuilderDependency {
  uri: string;
  digest: Record<string, string>;
}

export interface ClaimEnvelopeSlsaProvenancePayloadInvocation {
  config_source?: ClaimEnvelopeSlsaProvenancePayloadInvocationConfigSource;
  parameters?: Record<string, unknown>;
  environment?: Record<string, unknown>;
}

export interface ClaimEnvelopeSlsaProvenancePayloadInvocationConfigSource {
  uri: string;
  digest: Record<string, string>;
  entry_point?: string;
}

export interface ClaimEnvelopeSvidAttestation {
  envelope_version: 1;
  issuer: string;
  subject: string;
  /** When it was issued, in any unit; stored as it is sent. */
  issued_at: number;
  claim_version: number;
  receipt: ClaimReceipt | null;
  /** Default: `[]`. */
  co_signatures?: ClaimCoSignature[];
  claim_type: 'svid_attestation';
  payload: ClaimEnvelopeSvidAttestationPayload;
}

export interface ClaimEnvelopeSvidAttestationPayload {
  type: 'svid_attestation';
  spiffe_id: string;
  trust_domain: string;
  not_after_svid: number;
  issuer: string;
  attested_at: number;
  svid_format: 'jwt-svid' | 'x509-svid';
}

export interface ClaimEnvelopeWorkloadAttestation {
  envelope_version: 1;
  issuer: string;
  subject: string;
  /** When it was issued, in any unit; stored as it is sent. */
  issued_at: number;
  claim_version: number;
  receipt: ClaimReceipt | null;
  /** Default: `[]`. */
  co_signatures?: ClaimCoSignature[];
  claim_type: 'workload_attestation';
  payload: ClaimEnvelopeWorkloadAttestationPayload;
}

export interface ClaimEnvelopeWorkloadAttestationPayload {
  type: 'workload_attestation';
  workload_id: string;
  issuer: string;
  audience?: string;
  not_after_token: number;
  attested_at: number;
  token_format: 'wimse-wit';
  confirmation_jwk?: Record<string, unknown>;
}

export interface ClaimInvocation {
  /** Without a heartbeat within this time it returns to pending. */
  lease_seconds?: number;
  /** The attempt that you expect to be the current one; another is 409 LEASE_LOST. */
  attempt?: number;
}

export interface ClaimLogReceipt {
  /** Always the same one; null with 202, while the claim waits for its place. */
  receipt: ClaimReceipt | null;
  /** The signed note (C2SP) of the tree of the receipt. */
  checkpoint: string | null;
}

/** That a registry has recorded the claim. */
export interface ClaimReceipt {
  registry: string;
  registered_at: number;
  registry_entry_uri: string | null;
  proof: ClaimReceiptProof | null;
  witnesses: ClaimReceiptWitness[] | null;
}

export interface ClaimReceiptProof {
  format: 'scitt-cose-receipt' | 'rekor-v2-tle' | 'svc-merkle-v1';
  bytes: string;
  log_index: number | null;
  tree_size: number | null;
  root_hash: string | null;
}

export interface ClaimReceiptWitness {
  registry: string;
  registry_entry_uri: string;
  proof_bytes: string | null;
}

/** Every claim type, and where the JSON Schema of its payload is read. */
export interface ClaimSchemas {
  /** Where the JSON Schema of the envelope is read. */
  envelope: string;
  schemas: ClaimSchemasSchema[];
}

export interface ClaimSchemasSchema {
  claim_type: string;
  schema: 'v1' | 'none';
  path: string;
}

export type ClaimSubmitter =
  | 'operator_key'
  | 'operator_token'
  | 'member_session'
  | 'agent_key'
  | 'platform_key'
  | 'service';

export interface ClaimVerification {
  /** `valid`: the claim is in the log as it stands here, and nothing speaks against it. `erased`: its entry is in the log, and nobody can say what it stated, since its payload is gone; who holds the claim sends it as `envelope`. `invalid`: `errors` say why. */
  status: 'valid' | 'erased' | 'invalid';
  /** Whether `status` is `valid`. */
  valid: boolean;
  /** null: no such claim is recorded. */
  claim_id: string | null;
  digest: string | null;
  checks: ClaimVerificationChecks;
  erased_at: string | null;
  errors: ClaimVerificationError[];
}

export interface ClaimVerificationChecks {
  /** Envelope and payload have their shape; null once the payload is erased. */
  schema: boolean | null;
  /** Its signed bytes have the digest under which it is recorded; null once the payload is erased. */
  digest: boolean | null;
  /** The receipt that came along, or else that of this log; null where it waits for the log, or the receipt is of a registry whose key is not known here. */
  receipt: boolean | null;
  /** It is in the published log; null while it waits for that. */
  inclusion: boolean | null;
  /** Each for itself: none of them decides whether the claim is valid. `verified` is false where the key is not known here, and where the signature does not verify. By `claim_id`, for those who read the claim in full. Nobody signs which co-signatures a claim has. */
  co_signatures: ClaimVerificationChecksCoSignature[];
  /** It is not revoked. */
  revocation: boolean | null;
}

export interface ClaimVerificationChecksCoSignature {
  signer_kid: string;
  signer_role: string;
  verified: boolean;
  /** Why it is not verified. */
  warnings: string[];
}

export interface ClaimVerificationError {
  code: 'INVALID_SCHEMA' | 'DIGEST_MISMATCH' | 'INVALID_RECEIPT' | 'NOT_INCLUDED' | 'NOT_LOGGED' | 'REVOKED';
  /** Dotted from the body; null where it is about the whole claim. */
  path: string | null;
  message: string;
}

/** The same for known and unknown addresses. */
export interface CodeSent {
  sent: true;
}

export interface CompleteInvocation {
  output: Record<string, unknown>;
  /** The attempt that you expect to be the current one; another is 409 LEASE_LOST. */
  attempt?: number;
}

/** Why the request was refused, with 409 */
export interface ConflictProblem {
  type: string;
  title: string;
  status: number;
  /** The fault, its place, and what to do */
  detail: string;
  /** The path of the request */
  instance: string;
  request_id: string;
  errors?: FieldFault[];
  code:
    | 'ALREADY_CHECKED_OUT'
    | 'ALREADY_REFUNDED'
    | 'CONFLICT'
    | 'CREDENTIAL_REQUIRED'
    | 'DESTINATION_EXISTS'
    | 'FORWARD_LOOP'
    | 'IDEMPOTENCY_IN_FLIGHT'
    | 'IDEMPOTENCY_KEY_REUSED'
    | 'INVALID_STATE'
    | 'INVOCATION_EXPIRED'
    | 'INVOCATION_NOT_PENDING'
    | 'INVOCATION_NOT_PROCESSING'
    | 'LEASE_LOST'
    | 'NO_EXECUTABLE_CONTENT'
    | 'NO_LEASE'
    | 'NO_SUBSCRIPTION'
    | 'PRICE_CHANGED'
    | 'REVIEW_ALREADY_DECIDED'
    | 'REVIEW_CHANGED'
    | 'SELLER_LIMIT_REACHED'
    | 'SERVICE_EXECUTED'
    | 'SERVICE_NAME_TAKEN'
    | 'SKILL_NAME_TAKEN'
    | 'SKILL_NOT_ACTIVE'
    | 'SUBJECT_CHANGED'
    | 'VERSION_IMMUTABLE';
  /** ALREADY_CHECKED_OUT: When it was checked out */
  checked_out_at?: string;
  /** CONFLICT: Where the open change is paid */
  checkout_url?: string | null;
  /** CREDENTIAL_REQUIRED: The provider of language models that a key is missing for */
  provider?: string;
  /** CREDENTIAL_REQUIRED: Who has to enter it */
  who?: 'buyer' | 'seller' | 'either';
  /** DESTINATION_EXISTS: The destination that has this address */
  destination_id?: string;
  /** INVALID_STATE, INVOCATION_NOT_PENDING, INVOCATION_NOT_PROCESSING, REVIEW_ALREADY_DECIDED: Its status now, which does not allow the request */
  current_status?: string;
  /** INVOCATION_EXPIRED: When it expired */
  expires_at?: string;
  /** LEASE_LOST: The number of the current attempt */
  attempt?: number;
  /** PRICE_CHANGED: The price of the skill now, in cents */
  price_cents?: number;
  /** REVIEW_CHANGED: The digest of the review as it is now. SUBJECT_CHANGED: The digest of `subject` */
  digest?: string;
  /** SELLER_LIMIT_REACHED: Calls a month that the seller allows, where they are used */
  max_calls?: number;
  /** SELLER_LIMIT_REACHED: Cents a month that the seller allows, where less is left than the call may cost */
  max_cost_cents?: number;
  /** SELLER_LIMIT_REACHED: When the next month begins */
  resets_at?: string;
  /** SUBJECT_CHANGED: The thing that the approval is about, as it is now */
  subject?: unknown;
}

/** A limit on one parameter of the calls that are allowed; all limits of a list must hold. Patterns have the syntax of RE2. */
export type Constraint =
  | ConstraintEq
  | ConstraintIn
  | ConstraintLte
  | ConstraintGte
  | ConstraintPrefix
  | ConstraintRegex;

export interface ConstraintEq {
  /** The limited parameter of the call */
  param: string;
  op: 'eq';
  value: string | number | boolean | null;
}

export interface ConstraintGte {
  /** The limited parameter of the call */
  param: string;
  op: 'gte';
  value: number;
}

export interface ConstraintIn {
  /** The limited parameter of the call */
  param: string;
  op: 'in';
  value: (string | number | boolean | null)[];
}

export interface ConstraintLte {
  /** The limited parameter of the call */
  param: string;
  op: 'lte';
  value: number;
}

export interface ConstraintPrefix {
  /** The limited parameter of the call */
  param: string;
  op: 'prefix';
  value: string;
}

export interface ConstraintRegex {
  /** The limited parameter of the call */
  param: string;
  op: 'regex';
  value: string;
}

export interface CreateAdjustment {
  /** Positive puts cents into the wallet, negative takes them out; 0 is refused. */
  amount_cents: number;
  description: string;
}

export interface CreateAgent {
  name: string;
  /** Default: `"standard"`. */
  accountability?: 'standard' | 'logged' | 'enforced';
  /** Default: `null`. */
  public_jwk?: PublicJwk | null;
  /** Default: `null`. */
  checkpoint_interval_seconds?: number | null;
  /** Most cents that the agent may spend in a UTC month, counted when they are held; null: no limit. Default: `null`. */
  monthly_limit_cents?: number | null;
}

export type CreateApiKey = CreateApiKeyOperator | CreateApiKeyAgent | CreateApiKeyPartner;

export interface CreateApiKeyAgent {
  kind: 'agent';
  name: string;
  agent_id: string;
  monthly_limit_cents?: number;
  expires_at?: string;
}

export interface CreateApiKeyOperator {
  kind: 'operator';
  name: string;
  /** Default: `"member"`. */
  role?: 'admin' | 'member';
  expires_at?: string;
}

export interface CreateApiKeyPartner {
  kind: 'partner';
  name: string;
  partner_grant_id: string;
  expires_at?: string;
}

export interface CreateAuthorityBinding {
  agent_id: string;
  receiver_id: string;
  receiver_profile_version_id: string;
  expires_at: string;
  /** The terms that were agreed. Left out: the terms above with the thumbprint of the agent key. */
  document?: Record<string, unknown>;
}

export interface CreateDestination {
  channel_type: 'email' | 'sms' | 'webhook' | 'slack';
  /** An e-mail address, a telephone number in E.164 (+15551230000), an https URL on the internet, or the URL of an incoming webhook of Slack, of which answers show the beginning alone. */
  destination: string;
}

export interface CreateIdentityClaim {
  operator_id?: string;
  agent_id?: string;
  provider: string;
  layer: string;
  claim_type: string;
  assurance_level: string;
  /** Default: `true`. */
  inherit?: boolean;
  /** Default: `false`. */
  humanity_verified?: boolean;
  verified_at?: string;
  expires_at?: string;
  /** The cost of the verification, in millionths of a US cent: charged with 15 % on top to the wallet of the operator it is about. */
  cost_microcents?: number;
}

export interface CreateInboundEndpoint {
  provider: 'mail_provider' | 'generic' | 'github';
  agent_id: string;
  /** An https URL on the internet that verified events are sent to; null: they are scanned and recorded. Default: `null`. */
  forward_url?: string | null;
  /** Default: `null`. */
  name?: string | null;
  policy?: CreateInboundEndpointPolicy;
  /** The signing key that the provider made, as Mailgun and Resend do; absent: one is made here. Only one with `whsec_`, and base64 of at least 16 bytes behind it, keys Standard Webhooks and Svix. */
  secret?: string;
}

/** Default: `{"block_at":"high","mode":"enforce"}`. */
export interface CreateInboundEndpointPolicy {
  /** Default: `"high"`. */
  block_at?: 'low' | 'medium' | 'high' | 'critical';
  /** Default: `"enforce"`. */
  mode?: 'enforce' | 'shadow';
}

export interface CreateMission {
  declared_intent: string;
  agent_id?: string;
  expires_at?: string;
}

export interface CreateNotificationRule {
  /** Verified destinations. */
  destination_ids: string[];
  /** Left out: passport.flagged, passport.blocked, agent.blocked and passport.missed_checkout. Others are optional: `invocation.*` for example. */
  events?: (
    | 'passport.flagged'
    | 'passport.blocked'
    | 'agent.blocked'
    | 'passport.missed_checkout'
    | 'approval.requested'
    | 'approval.expiring'
    | 'review.pending'
    | 'member.invited'
    | 'api_key.created'
    | 'operator.address_changed'
    | 'agent.unblocked'
    | 'invocation.created'
    | 'invocation.completed'
    | 'invocation.failed'
    | 'invocation.expired'
    | 'invocation.cancelled'
    | 'wallet.low_balance'
    | 'inbound.blocked'
    | 'inbound.slow'
    | 'inbound.recovered'
    | 'destination.slow'
    | 'destination.recovered'
    | 'passport.*'
    | 'agent.*'
    | 'approval.*'
    | 'review.*'
    | 'member.*'
    | 'api_key.*'
    | 'operator.*'
    | 'invocation.*'
    | 'wallet.*'
    | 'inbound.*'
    | 'destination.*'
  )[];
  /** Default: `"info"`. */
  min_severity?: 'info' | 'warning' | 'critical';
}

export interface CreatePartnerGrant {
  name: string;
  providers: ('mail_provider' | 'generic' | 'github')[];
  /** When its key expires; without it, never. */
  expires_at?: string;
}

export interface CreateServiceConnection {
  service_id: string;
  /** Unique among the services of the operator. */
  service_name: string;
  scopes: string[];
  /** Where the holder of a passport finds the credential of the service; never the credential. Default: `null`. */
  credential_ref?: string | null;
}

export interface CreateTopUp {
  /** US cents, $10 to $10,000. */
  amount_cents: number;
}

/** A new credential with its secret. */
export interface CreatedApiKey {
  id: string;
  operator_id: string;
  name: string;
  kind: 'operator' | 'agent' | 'partner';
  role: CreatedApiKeyRole | null;
  agent_id: string | null;
  partner_grant_id: string | null;
  monthly_limit_cents: number | null;
  last4: string;
  expires_at: string | null;
  last_used_at: string | null;
  /** The credential that made it: a member, a key or a token (`oauth:…`); null: the first start. */
  created_by: string | null;
  created_at: string;
  /** The secret; shown only once. */
  key: string;
}

export type CreatedApiKeyRole = 'admin' | 'member';

/** A new destination; that of a webhook with its secret. */
export interface CreatedDestination {
  id: string;
  operator_id: string;
  channel_type: 'email' | 'sms' | 'webhook' | 'slack';
  destination: string;
  /** Nothing but codes is sent before. */
  verified: boolean;
  /** The tier has no deliveries by this channel. */
  paused: boolean;
  failures_in_row: number;
  /** Nothing is sent since then, until it is enabled. */
  disabled_at: string | null;
  disabled_reason: string | null;
  /** Calls to it that timed out one after another; an answer ends the row. */
  timeouts_in_row: number;
  /** It hangs: after three timeouts in a row it has one place at most, until it answers. */
  slow_since: string | null;
  /** After six timeouts in a row nothing is sent before; then one call tries it. */
  held_until: string | null;
  /** The last code, for a day; null where it is verified too */
  code: VerificationCode | null;
  created_at: string;
  /** The secret of a webhook, only in this answer; the same request with the same Idempotency-Key shows it again for 24 hours. */
  webhook_secret?: string;
}

/** A new endpoint with its secret. */
export interface CreatedInboundEndpoint {
  id: string;
  operator_id: string;
  agent_id: string;
  /** The partner whose key made it; null: the operator itself */
  partner_grant_id: string | null;
  provider: 'mail_provider' | 'generic' | 'github';
  name: string | null;
  slug: string;
  /** Where the provider sends its events to */
  receiver_url: string;
  /** null: events are scanned and recorded */
  forward_url: string | null;
  policy: InboundPolicy;
  status: 'active' | 'revoked';
  /** Calls to it that timed out one after another; an answer ends the row. */
  timeouts_in_row: number;
  /** It hangs: after three timeouts in a row it has one place at most, until it answers. */
  slow_since: string | null;
  /** After six timeouts in a row nothing is sent before; then one call tries it. */
  held_until: string | null;
  /** Until then the secret before the current one verifies too. */
  old_secret_until: string | null;
  revoked_at: string | null;
  created_at: string;
  counters: InboundCounters;
  /** Shown only once; the same request with the same Idempotency-Key shows it again for 24 hours. */
  secret: string;
}

/** A new grant with its key. */
export interface CreatedPartnerGrant {
  id: string;
  operator_id: string;
  name: string;
  /** Whom its endpoints may receive from */
  providers: ('mail_provider' | 'generic' | 'github')[];
  created_at: string;
  /** The key for the partner; shown only once. */
  api_key: string;
  api_key_id: string;
  /** When that key expires; null: never. */
  expires_at: string | null;
}

/** A key of the operator for a provider of language models; the key itself is in no answer. */
export interface Credential {
  /** The provider of language models that the key is for. */
  provider: string;
  label: string | null;
  /** The last four characters of the key. */
  last_four: string;
  created_at: string;
  /** When the key was entered last. */
  updated_at: string;
  /** When it was last given to a call of a model, to the minute. */
  last_used_at: string | null;
}

export interface DailySum {
  /** In UTC. */
  day: string;
  type: 'topup' | 'refund' | 'invocation' | 'compute' | 'identity' | 'overage' | 'adjustment';
  in_cents: number;
  out_cents: number;
}

/** The money that came into a wallet and went out of it, by day and type. */
export interface DailySums {
  /** From this instant on every row counts: the beginning of the first day, or later where `complete` is false. */
  since: string;
  /** false: there are more rows than are read, so the first days are missing or are not whole. */
  complete: boolean;
  /** The oldest day first; days on which nothing moved are absent. */
  sums: DailySum[];
}

/** Who is signed in. The token of the session is in the cookie alone. */
export interface DashboardSession {
  id: string;
  member: DashboardSessionMember;
  operator: DashboardSessionOperator;
  created_at: string;
  expires_at: string;
}

export interface DashboardSessionMember {
  id: string;
  email: string;
  role: 'owner' | 'admin' | 'member';
}

export interface DashboardSessionOperator {
  id: string;
  name: string;
}

/** The sources of a debit, oldest first; a page has both kinds. */
export interface DebitSources {
  llm_sources: ModelCallSource[];
  machine_sources: MachineSource[];
  /** null on the last page */
  next_cursor: string | null;
  has_more: boolean;
}

export interface DecideBillingCase {
  /** Why, for the audit trail. */
  reason: string;
}

export interface DecideReview {
  decision: 'approved' | 'blocked';
  notes?: string;
  /** With blocked, also where it was decided as blocked before: revoke the passport with its refreshes and delegations, and block the agent until a person unblocks it; with approved it means nothing. Default: `false`. */
  block_future?: boolean;
  /** The digest of the review that you looked at; where a report, flag or decision has come since, this is 409 REVIEW_CHANGED */
  seen?: string;
}

export interface DecidedBillingCase {
  kind: 'alarm' | 'differing_payment' | 'life' | 'receivable' | 'refund';
  id: string;
  operator_id: string;
  outcome: 'succeeded' | 'failed' | 'closed' | 'taken' | 'dismissed';
  /** The row of the wallet that it made; null where none was. */
  transaction_id: string | null;
}

export interface DelegatePassport {
  parent_passport_token: string;
  child_agent_id: string;
  scopes: PassportScopeItem[];
  /** Each one of the child's services, or the `iss` of passports; left out, if the parent has an audience: all of them that are in it */
  audience?: string[];
  /** At most what remains of each budget above, which also counts what is spent of this one */
  budget?: RequestedBudget;
  /** Left out: 900, or less if the parent expires sooner */
  ttl_seconds?: number;
}

export interface Deleted {
  deleted: true;
}

/** The outcome of one event at one destination. Deliveries are kept for 30 days. */
export interface Delivery {
  id: string;
  /** `webhook-id` of the request: every delivery of one event has the same. */
  event_id: string;
  event_type: string;
  destination_id: string;
  channel_type: 'email' | 'sms' | 'webhook' | 'slack';
  /** The number of the delivery of this event at this destination: 0, and one more for each redelivery. */
  ordinal: number;
  /** `sending`: it waits for its turn, or its one call is under way. `delivered`: the receiver answered 2xx, or the mail server or SMS provider took it. `failed`: it was not delivered. `unknown`: it may have been. `suppressed_cap`: the month has no more of them. */
  status: 'sending' | 'delivered' | 'failed' | 'unknown' | 'suppressed_cap';
  /** Why it was not delivered, one word; docs/notifications.md lists them. */
  reason: string | null;
  /** The HTTP status of the receiver, where it gave one. */
  status_code: number | null;
  /** A sentence about what went wrong. */
  error: string | null;
  /** Of `queue_full`: further events that the full queue left out within a minute of this one, at least; the feed has them. 0 otherwise. */
  left_out: number;
  /** From the beginning of the call to its end. */
  latency_ms: number | null;
  created_at: string;
  /** null: it has not begun, or never will. */
  started_at: string | null;
  ended_at: string | null;
}

/** Where an operator is notified. The secret of a webhook is in no list. */
export interface Destination {
  id: string;
  operator_id: string;
  channel_type: 'email' | 'sms' | 'webhook' | 'slack';
  destination: string;
  /** Nothing but codes is sent before. */
  verified: boolean;
  /** The tier has no deliveries by this channel. */
  paused: boolean;
  failures_in_row: number;
  /** Nothing is sent since then, until it is enabled. */
  disabled_at: string | null;
  disabled_reason: string | null;
  /** Calls to it that timed out one after another; an answer ends the row. */
  timeouts_in_row: number;
  /** It hangs: after three timeouts in a row it has one place at most, until it answers. */
  slow_since: string | null;
  /** After six timeouts in a row nothing is sent before; then one call tries it. */
  held_until: string | null;
  /** The last code, for a day; null where it is verified too */
  code: VerificationCode | null;
  created_at: string;
}

/** A destination that hung has answered, no matter what: its places are back. */
export interface DestinationRecoveredNotification {
  event_type: 'destination.recovered';
  severity: 'info';
  payload: DestinationRecoveredNotificationPayload;
  /** When it happened. */
  timestamp: string;
}

export interface DestinationRecoveredNotificationPayload {
  destination_id: string;
}

/** A destination hangs: after three timeouts in a row deliveries to it have one place, after three more none for a minute at a time. */
export interface DestinationSlowNotification {
  event_type: 'destination.slow';
  severity: 'warning';
  payload: DestinationSlowNotificationPayload;
  /** When it happened. */
  timestamp: string;
}

export interface DestinationSlowNotificationPayload {
  destination_id: string;
  /** 0: nothing is sent to it for a minute at a time. */
  places: number;
  timeouts_in_row: number;
}

/** A webhook was named or another code was requested: enter the code. It is no event of the feed; its `webhook-id` is `vcd_…`. */
export interface DestinationVerificationNotification {
  event_type: 'destination.verification';
  severity: 'info';
  payload: DestinationVerificationNotificationPayload;
  /** When it happened. */
  timestamp: string;
}

export interface DestinationVerificationNotificationPayload {
  code: string;
  destination_id: string;
  expires_at: string;
}

/** A payment that came in and is not the one that was requested: nothing is credited before a person takes it. */
export interface DifferingPayment {
  id: string;
  /** The top-up that it was paid for. */
  top_up_id: string;
  /** `amount`: another sum or currency. `session`: another checkout. */
  differs: 'amount' | 'session';
  /** The sum that was paid, in hundredths of `currency`. */
  amount_cents: number | null;
  currency: string | null;
  /** `open`: it waits for a person of the platform. `taken`: credited. `dismissed`: given back at the provider. */
  status: 'open' | 'taken' | 'dismissed';
  /** The credit of one that was taken. */
  transaction_id: string | null;
  created_at: string;
  decided_at: string | null;
}

/** A payment that was disputed at the bank of its payer. */
export interface Dispute {
  /** The payment provider's. */
  id: string;
  /** In the provider's words, e.g. `needs_response`, `won` or `lost`. */
  status: string;
  /** The disputed sum. */
  amount_cents: number;
  /** The sum that it has taken of the wallet, what the wallet owes for it included, less what came back. */
  taken_cents: number;
  /** The top-up whose payment is disputed; null: a payment for a subscription. */
  top_up: TopUpReference | null;
  /** The provider's, where a payment for a subscription is disputed. */
  subscription_id: string | null;
  /** When the provider last said something about it. */
  reported_at: string;
}

export interface DisputeReference {
  /** The payment provider's. */
  id: string;
  /** In the provider's words. */
  status: string;
}

/** The money that others paid for the skills of the calling operator, in US cents. It is not part of the wallet. */
export interface Earnings {
  /** Captured and not paid out; before commission. */
  available_cents: number;
  /** The part of available_cents that was paid by top-ups that are too young for a statement that would be made now (PAYOUT_TOPUP_AGE_DAYS, 7 unless set); it waits for the next one. */
  young_cents: number;
  /** In a transfer whose outcome is not known yet; no longer in available_cents. */
  pending_cents: number;
  /** Everything ever captured: available, pending and paid out, before commission. */
  lifetime_cents: number;
}

export interface EraseClaim {
  /** Stands in the tombstone, for ever. */
  reason?: string;
}

/** A request to purge all contents that an operator kept until then. Hashes, statuses and money stay. */
export interface Erasure {
  /** Everything older is purged. */
  kept_from: string;
  /** When nothing of it was left; null: it is under way. */
  purged_at: string | null;
}

/** An event that an operator is told of. A webhook is sent the same members, without `id`. */
export interface Event {
  /** Also the `webhook-id` of each delivery of it. */
  id: string;
  event_type: string;
  severity: 'info' | 'warning' | 'critical';
  /** Its schema is that of `GET /v1/notifications/event-types`. */
  payload: Record<string, unknown>;
  /** When it happened. */
  timestamp: string;
}

/** A kind of event. */
export interface EventType {
  event_type: string;
  description: string;
  severities: ('info' | 'warning' | 'critical')[];
  /** Whether rules can name it; false: it is sent by itself, to the destination that it is about. */
  for_rules: boolean;
  /** Written for operators alone that have a rule which names it; a rule without `events` does not. */
  optional: boolean;
  /** JSON Schema 2020-12 of the payload. Members that it does not name may be added. */
  payload_schema: Record<string, unknown>;
  sample: EventTypeSample;
}

/** The body that a webhook is sent. */
export interface EventTypeSample {
  event_type: string;
  severity: 'info' | 'warning' | 'critical';
  /** Its schema is that of `GET /v1/notifications/event-types`. */
  payload: Record<string, unknown>;
  /** When it happened. */
  timestamp: string;
}

/** An invocation, with the claims that are evidence of it. */
export interface EvidencedInvocation {
  id: string;
  skill_id: string;
  skill_version: string;
  /** The revision whose schemas hold for input and output. */
  skill_revision: number;
  status: 'pending' | 'processing' | 'completed' | 'failed' | 'expired';
  execution_mode: 'open' | 'sealed' | 'source';
  /** SHA-256 of the canonical JSON (RFC 8785) of the input, in hex. */
  input_hash: string;
  output_hash: string | null;
  error: InvocationFailure | null;
  consumer_operator_id: string;
  provider_operator_id: string;
  agent_id: string | null;
  /** The passport it was invoked with. Null for the provider. */
  passport_id: string | null;
  /** The mission it is for. Null for the provider. */
  mission_id: string | null;
  /** Held when invoked, captured when completed, else given back. US cents. */
  price_cents: number;
  /** Held beside the price where the service executes the skill: the most that its steps can cost. US cents. */
  compute_bound_cents: number;
  /** The cost of the steps, rounded up to a cent, as budgets count it; the wallet pays once microcents have gathered to a cent, and the statement has each. */
  compute_cents: number;
  /** A test run of your own skill: free and not counted. */
  self_invocation: boolean;
  /** Its owner tries it, whether it is public or not. */
  trial: boolean;
  /** How many times it was claimed. */
  attempt: number;
  lease_seconds: number | null;
  /** Until when the claim holds without a heartbeat; null: until expires_at. */
  lease_until: string | null;
  created_at: string;
  claimed_at: string | null;
  /** When it ended, whichever way. */
  completed_at: string | null;
  expires_at: string;
  /** When input and output were purged: both are null since then, and their hashes stay. */
  contents_purged_at: string | null;
  /** From the last claim to the end. */
  duration_ms: number | null;
  /** Null for the provider where the service executes the skill: it is between its consumer and the service. Null for both once it was purged. */
  input: EvidencedInvocationInput | null;
  /** Null until it is completed, and once it was purged; for the provider as `input`. */
  output: EvidencedInvocationOutput | null;
  /** The claims of the service about it: that it was submitted, and how it ended. */
  claim_ids: string[];
  /** Null where its provider does the work. */
  steps: ExecutedStep[] | null;
}

export type EvidencedInvocationInput = Record<string, unknown>;

export type EvidencedInvocationOutput = Record<string, unknown>;

/** A passport, with its rights and the claims that are evidence of its session. */
export interface EvidencedPassport {
  jti: string;
  agent_id: string;
  session_id: string;
  /** The `service_id`s that may accept it; null: all that it has scopes for */
  audience: string[] | null;
  delegation_depth: number;
  parent_passport_id: string | null;
  identity_claim_ids: string[];
  authority_refs: AuthorityRef[];
  intent_summary: string | null;
  intent_services: string[];
  intent_refs: string[];
  mission_ids: string[];
  estimated_duration_seconds: number | null;
  checkpoint_interval_seconds: number | null;
  /** The checkpoints of all passports that it was refreshed from or into, counted together */
  checkpoint_count: number;
  last_checkpoint_at: string | null;
  issued_at: string;
  expires_at: string;
  status: 'active' | 'expired' | 'revoked';
  revoked_at: string | null;
  revoke_reason: string | null;
  /** null: neither it nor a passport above has one. */
  budget: PassportBudget | null;
  /** Its rights at each service. */
  services: PassportServiceScope[];
  /** The claims of the service about it: checkpoints, checkout, flags, reviews. The first thousand. */
  claim_ids: string[];
}

export interface ExecutedStep {
  /** Counts from 0. */
  index: number;
  kind: 'script' | 'llm';
  /** For callers who may see the code. */
  label: string | null;
  status: 'running' | 'done' | 'failed';
  duration_ms: number | null;
  /** Once the invocation has ended. */
  charged_microcents: number;
  /** That a model read and wrote. */
  tokens: number | null;
  error: ExecutedStepError | null;
  /** The output of a failed script to its console, for the owner of the skill; for a run that is not theirs the kind of the exception and its lines. */
  console: string | null;
}

export interface ExecutedStepError {
  code: string;
  message: string;
}

/** A script step or a model step of a pipeline; the output of one is the input of the next. */
export type ExecutionStep = ExecutionStepScript | ExecutionStepLlm;

export interface ExecutionStepLlm {
  type: 'llm';
  label: string;
  llm_provider: string;
  llm_model: string;
  llm_config?: LlmConfig;
}

export interface ExecutionStepScript {
  type: 'script';
  label: string;
  runtime: 'javascript' | 'python';
  script: string;
}

export interface FailInvocation {
  error: FailInvocationError;
  /** The attempt that you expect to be the current one; another is 409 LEASE_LOST. */
  attempt?: number;
}

export interface FailInvocationError {
  code: string;
  message: string;
}

export interface Favorited {
  favorited: boolean;
}

export interface FieldFault {
  /** Dotted from the root of the body, or `query.…`, `header.…`; ends in the property. */
  path: string;
  code: string;
  message: string;
}

/** Why the request was refused, with 403 */
export interface ForbiddenProblem {
  type: string;
  title: string;
  status: number;
  /** The fault, its place, and what to do */
  detail: string;
  /** The path of the request */
  instance: string;
  request_id: string;
  errors?: FieldFault[];
  code:
    | 'ADMIN_REQUIRED'
    | 'ACCOUNTABILITY_MODE'
    | 'AGENT_BLOCKED'
    | 'AGENT_BUDGET_EXCEEDED'
    | 'AGENT_CLAIM_FORBIDDEN'
    | 'AGENT_CREDENTIAL_FORBIDDEN'
    | 'AGENT_REVIEW_PENDING'
    | 'AUTHORITY_BINDING_INVALID'
    | 'DASHBOARD_SESSION_REQUIRED'
    | 'DELEGATION_DEPTH_EXCEEDED'
    | 'GOVERNANCE_APPROVAL_REQUIRED'
    | 'ISSUER_MISMATCH'
    | 'NOT_OWNER'
    | 'NOT_PROVIDER'
    | 'OPERATOR_SCOPE_REQUIRED'
    | 'OPERATOR_SUSPENDED'
    | 'ORIGIN_FORBIDDEN'
    | 'PARTNER_SCOPE'
    | 'PASSPORT_BUDGET_EXCEEDED'
    | 'PASSPORT_EXPIRED'
    | 'PASSPORT_REVOKED'
    | 'PROVIDER_NOT_ALLOWED'
    | 'SCOPE_ESCALATION'
    | 'SCOPE_NOT_GRANTED'
    | 'SELF_RATING'
    | 'TIER_LIMIT_EXCEEDED'
    | 'TRUST_LEVEL_INSUFFICIENT';
  /** AGENT_BLOCKED: The blocked agent. AGENT_REVIEW_PENDING: The agent whose review is not approved */
  agent_id?: string;
  /** AGENT_BUDGET_EXCEEDED: The cents that the key may spend in a month, in cents. TIER_LIMIT_EXCEEDED: How many there may be */
  limit?: number;
  /** AGENT_BUDGET_EXCEEDED: The cents that it has spent, in cents. TIER_LIMIT_EXCEEDED: How many there are */
  used?: number;
  /** AUTHORITY_BINDING_INVALID: The binding that is not active */
  binding_id?: string;
  /** GOVERNANCE_APPROVAL_REQUIRED: For the header X-Governance-Approval of the same request, once a person has approved it */
  approval_id?: string;
  /** GOVERNANCE_APPROVAL_REQUIRED: The page on which a person decides; GET /v1/governance/approvals/{id} has the same as JSON */
  approval_url?: string;
  /** GOVERNANCE_APPROVAL_REQUIRED: When the approval ends. PASSPORT_EXPIRED: When it expired */
  expires_at?: string;
  /** GOVERNANCE_APPROVAL_REQUIRED: Why the approval that was sent does not count */
  approval_status?: string;
  /** PASSPORT_BUDGET_EXCEEDED: The passport, here or above, that has the budget */
  jti?: string;
  /** PASSPORT_BUDGET_EXCEEDED: The budget, in cents */
  amount_cents?: number;
  /** PASSPORT_BUDGET_EXCEEDED: The rest of it, in cents */
  remaining_cents?: number;
  /** PASSPORT_BUDGET_EXCEEDED: The cents that the request needs, in cents */
  required_cents?: number;
  /** PROVIDER_NOT_ALLOWED: Those that the grant includes */
  providers?: string[];
  /** SCOPE_NOT_GRANTED: The connection that was not granted */
  connection_id?: string;
  /** TRUST_LEVEL_INSUFFICIENT: The level that the skill requires */
  required?: string;
  /** TRUST_LEVEL_INSUFFICIENT: The level that the caller has */
  effective?: string;
}

export interface ForwardedEvent {
  event_id: string;
  endpoint_id: string;
  agent_id: string;
  provider: 'mail_provider' | 'generic' | 'github';
  received_at: string;
  /** false: the signature of the provider does not cover the body. */
  body_authenticated: boolean;
  verdict: InboundVerdict;
  /** Headers of the request of the provider, as far as they are forwarded. */
  headers: Record<string, string>;
  /** The body of the provider: its JSON, or the parts of a mail or a form. */
  payload: unknown;
}

/** The scopes of a connected service that an agent may use; its passports can never allow more. */
export interface Grant {
  agent_id: string;
  service_connection_id: string;
  service_id: string;
  service_name: string;
  /** `*`: all that the connection has when a passport is signed. */
  scopes: string[];
  constraints: Constraint[];
  /** Names of services whose content may flow into this one; `*`: all that are granted to the agent when a passport is signed. Empty: none. */
  allow_data_from: string[];
  created_at: string;
  updated_at: string;
}

export interface HeartbeatInvocation {
  /** Left out: as long as the claim requested. */
  lease_seconds?: number;
  /** The attempt that you expect to be the current one; another is 409 LEASE_LOST. */
  attempt?: number;
}

/** An event that is held, with the name of its endpoint. */
export interface HeldInboundEvent {
  id: string;
  endpoint_id: string;
  agent_id: string;
  provider: 'mail_provider' | 'generic' | 'github';
  /** `received` and `scanning`: it is being worked on. `recorded`: scanned, and nothing is to be forwarded. `forwarded`: the receiver answered 2xx. `blocked`: the policy holds it, or it was not scanned as a whole. `forward_failed`: no 2xx came back, and no second call is made; the forward says whether it was sent. `forward_blocked`: the address may not be called. `revoked`: the endpoint was revoked before it left. `failed`: it could not be scanned; the next delivery of it is another attempt. */
  status:
    | 'received'
    | 'scanning'
    | 'recorded'
    | 'forwarded'
    | 'blocked'
    | 'forward_failed'
    | 'forward_blocked'
    | 'revoked'
    | 'failed';
  /** A word for why it was not forwarded, or failed. */
  reason: string | null;
  error: string | null;
  /** A failed event that comes again is another attempt, and so is a replay. */
  attempt: number;
  verdict: InboundVerdictOutput | null;
  /** Findings, counted from 0, that a person has marked as harmless. */
  harmless: number[];
  /** The claims of the service about what was found in it, of every attempt. */
  claim_ids: string[];
  /** The question to a language model about it: nothing was asked (`none`), not yet (`wanted`, `calling`), answered (`done`), no answer to use (`failed`), not paid for (`unavailable`). */
  classification: 'none' | 'wanted' | 'calling' | 'done' | 'failed' | 'unavailable';
  /** How it was signed. */
  scheme: 'standard_webhooks' | 'hex' | 'mailgun';
  /** false: the signature of this scheme does not cover the body. */
  body_authenticated: boolean;
  body_sha256: string;
  /** Bytes of the body. */
  size: number;
  /** false: the tier keeps the content no longer, and it cannot be replayed. */
  content_kept: boolean;
  forwards: InboundForward[];
  received_at: string;
  scanned_at: string | null;
  ended_at: string | null;
  endpoint_name: string | null;
}

/** Money that is promised and has not moved yet: one of the parts of held_cents. */
export interface Hold {
  id: string;
  amount_cents: number;
  /** The open invocation that it is for: its price, and the most that its execution can cost. */
  invocation_id: string | null;
  /** The refund under way that it is for. */
  refund_id: string | null;
  /** The classification by a model that it is for. */
  model_call_id: string | null;
  created_at: string;
}

/** A fact that a provider attested about an operator or an agent; it decides the trust level of invocations. */
export interface IdentityClaim {
  id: string;
  operator_id: string;
  /** The agent it is about; null: the account itself. */
  agent_id: string | null;
  provider: string;
  layer: string;
  claim_type: string;
  assurance_level: string;
  inherit: boolean;
  humanity_verified: boolean;
  verified_at: string;
  expires_at: string | null;
  revoked_at: string | null;
  created_at: string;
}

export interface InactiveToken {
  active: false;
}

/** The policy of an inbound endpoint holds an event that a provider sent; it was not forwarded. */
export interface InboundBlockedNotification {
  event_type: 'inbound.blocked';
  severity: 'warning' | 'critical';
  payload: InboundBlockedNotificationPayload;
  /** When it happened. */
  timestamp: string;
}

export interface InboundBlockedNotificationPayload {
  event_id: string;
  endpoint_id: string;
  agent_id: string;
  verdict: 'clean' | 'suspicious' | 'malicious';
  severity: 'low' | 'medium' | 'high' | 'critical';
  detectors: string[];
}

/** The content of an event, for a person who decides about it. */
export interface InboundContent {
  event_id: string;
  endpoint_id: string;
  attempt: number;
  /** The hash of the text that was read; null: none was. */
  body_sha256: string | null;
  /** `raw`: it could not be read, and its beginning is shown as it came. `purged`: the tier keeps it no longer. `key_unavailable`: the service has no key any more that opens it. */
  state: 'read' | 'raw' | 'purged' | 'key_unavailable';
  /** Why it is not `read`, in a sentence. */
  explanation: string | null;
  /** The beginning of each place as far as there is room, and what stands around each finding. */
  passages: InboundPassage[];
  places_left_out: number;
}

export interface InboundCounters {
  /** Events, each once */
  received: number;
  /** Requests that were refused, of which nothing is kept */
  rejected: number;
  duplicates: number;
  clean: number;
  suspicious: number;
  malicious: number;
  forwarded: number;
  /** Held by the policy */
  blocked: number;
  forward_failed: number;
  /** Findings that a person has marked as harmless, each once */
  marked_harmless: number;
  last_event_at: string | null;
}

/** Takes what one provider sends for one agent. Its secret is in no list. */
export interface InboundEndpoint {
  id: string;
  operator_id: string;
  agent_id: string;
  /** The partner whose key made it; null: the operator itself */
  partner_grant_id: string | null;
  provider: 'mail_provider' | 'generic' | 'github';
  name: string | null;
  slug: string;
  /** Where the provider sends its events to */
  receiver_url: string;
  /** null: events are scanned and recorded */
  forward_url: string | null;
  policy: InboundPolicy;
  status: 'active' | 'revoked';
  /** Calls to it that timed out one after another; an answer ends the row. */
  timeouts_in_row: number;
  /** It hangs: after three timeouts in a row it has one place at most, until it answers. */
  slow_since: string | null;
  /** After six timeouts in a row nothing is sent before; then one call tries it. */
  held_until: string | null;
  /** Until then the secret before the current one verifies too. */
  old_secret_until: string | null;
  revoked_at: string | null;
  created_at: string;
  counters: InboundCounters;
}

/** An event of a provider: its verdict and its outcome, without its content. */
export interface InboundEvent {
  id: string;
  endpoint_id: string;
  agent_id: string;
  provider: 'mail_provider' | 'generic' | 'github';
  /** `received` and `scanning`: it is being worked on. `recorded`: scanned, and nothing is to be forwarded. `forwarded`: the receiver answered 2xx. `blocked`: the policy holds it, or it was not scanned as a whole. `forward_failed`: no 2xx came back, and no second call is made; the forward says whether it was sent. `forward_blocked`: the address may not be called. `revoked`: the endpoint was revoked before it left. `failed`: it could not be scanned; the next delivery of it is another attempt. */
  status:
    | 'received'
    | 'scanning'
    | 'recorded'
    | 'forwarded'
    | 'blocked'
    | 'forward_failed'
    | 'forward_blocked'
    | 'revoked'
    | 'failed';
  /** A word for why it was not forwarded, or failed. */
  reason: string | null;
  error: string | null;
  /** A failed event that comes again is another attempt, and so is a replay. */
  attempt: number;
  verdict: InboundVerdictOutput | null;
  /** Findings, counted from 0, that a person has marked as harmless. */
  harmless: number[];
  /** The claims of the service about what was found in it, of every attempt. */
  claim_ids: string[];
  /** The question to a language model about it: nothing was asked (`none`), not yet (`wanted`, `calling`), answered (`done`), no answer to use (`failed`), not paid for (`unavailable`). */
  classification: 'none' | 'wanted' | 'calling' | 'done' | 'failed' | 'unavailable';
  /** How it was signed. */
  scheme: 'standard_webhooks' | 'hex' | 'mailgun';
  /** false: the signature of this scheme does not cover the body. */
  body_authenticated: boolean;
  body_sha256: string;
  /** Bytes of the body. */
  size: number;
  /** false: the tier keeps the content no longer, and it cannot be replayed. */
  content_kept: boolean;
  forwards: InboundForward[];
  received_at: string;
  scanned_at: string | null;
  ended_at: string | null;
}

export interface InboundFinding {
  detector_key: string;
  severity: 'low' | 'medium' | 'high' | 'critical';
  /** Where it was found: a part of a mail, or a JSON pointer into the body. */
  place: string;
  span: InboundFindingSpan;
  reason: string;
}

export interface InboundFindingOutput {
  detector_key: string;
  severity: 'low' | 'medium' | 'high' | 'critical';
  /** Where it was found: a part of a mail, or a JSON pointer into the body. */
  place: string;
  span: InboundFindingOutputSpan;
  reason: string;
}

/** Characters of that place. */
export interface InboundFindingOutputSpan {
  start: number;
  end: number;
}

/** Characters of that place. */
export interface InboundFindingSpan {
  start: number;
  end: number;
}

export interface InboundForward {
  id: string;
  attempt: number;
  /** `unknown`: the call was begun, and whether the receiver has it is not known; `refused`: its address may not be called. */
  status: 'sending' | 'forwarded' | 'failed' | 'unknown' | 'refused';
  reason: string | null;
  /** The HTTP status that the receiver answered. */
  status_code: number | null;
  error: string | null;
  latency_ms: number | null;
  started_at: string;
  ended_at: string | null;
}

export interface InboundPassage {
  /** As findings name it. */
  place: string;
  parts: InboundPassagePart[];
}

export interface InboundPassagePart {
  /** With what is not seen, or turns the direction of a text, as `[U+202E]`. */
  text: string;
  /** Findings of the verdict that mark this part, counted from 0. */
  findings: number[];
  /** Characters of the place that are not shown behind this part. */
  left_out: number;
}

export interface InboundPolicy {
  /** An event of this severity or a graver one is not forwarded. */
  block_at: 'low' | 'medium' | 'high' | 'critical';
  /** `shadow`: it is forwarded all the same, with its verdict. */
  mode: 'enforce' | 'shadow';
}

/** The receiver of an inbound endpoint that hung has answered, no matter what: its places are back. */
export interface InboundRecoveredNotification {
  event_type: 'inbound.recovered';
  severity: 'info';
  payload: InboundRecoveredNotificationPayload;
  /** When it happened. */
  timestamp: string;
}

export interface InboundRecoveredNotificationPayload {
  endpoint_id: string;
  agent_id: string;
}

/** An event as the provider of an endpoint would send it. Sending it twice is a duplicate. */
export interface InboundSample {
  /** With the signatures, which verify for five minutes */
  headers: Record<string, string>;
  /** The bytes that are signed */
  body: string;
  /** The command that sends it, for a shell */
  curl: string;
}

/** The receiver of an inbound endpoint hangs: after three timeouts in a row forwards to it have one place, after three more none for a minute at a time. */
export interface InboundSlowNotification {
  event_type: 'inbound.slow';
  severity: 'warning';
  payload: InboundSlowNotificationPayload;
  /** When it happened. */
  timestamp: string;
}

export interface InboundSlowNotificationPayload {
  endpoint_id: string;
  agent_id: string;
  /** 0: nothing is sent to it for a minute at a time. */
  places: number;
  timeouts_in_row: number;
}

/** The findings of the scanner, the gravest first. */
export interface InboundVerdict {
  verdict: 'clean' | 'suspicious' | 'malicious';
  severity: 'none' | 'low' | 'medium' | 'high' | 'critical';
  findings: InboundFinding[];
}

/** The findings of the scanner, the gravest first. */
export interface InboundVerdictOutput {
  verdict: 'clean' | 'suspicious' | 'malicious';
  severity: 'none' | 'low' | 'medium' | 'high' | 'critical';
  findings: InboundFindingOutput[];
}

export interface IntentConstraint {
  param: 'intent';
  op: 'in';
  value: IntentConstraintValue[];
}

export interface IntentConstraintValue {
  claim: string;
  target: string;
  action: string;
}

export interface IntrospectPassport {
  token: string;
  /** Ignored: there is only one type of token */
  token_type_hint?: string;
}

export interface InvalidPassport {
  valid: false;
  /** The first that applies, in this order */
  reason:
    | 'malformed'
    | 'unknown_key'
    | 'bad_signature'
    | 'revoked'
    | 'ancestor_revoked'
    | 'expired'
    | 'wrong_audience'
    | 'service_not_in_scope';
}

/** One piece of work ordered from a skill. */
export interface Invocation {
  id: string;
  skill_id: string;
  skill_version: string;
  /** The revision whose schemas hold for input and output. */
  skill_revision: number;
  status: 'pending' | 'processing' | 'completed' | 'failed' | 'expired';
  execution_mode: 'open' | 'sealed' | 'source';
  /** SHA-256 of the canonical JSON (RFC 8785) of the input, in hex. */
  input_hash: string;
  output_hash: string | null;
  error: InvocationFailure | null;
  consumer_operator_id: string;
  provider_operator_id: string;
  agent_id: string | null;
  /** The passport it was invoked with. Null for the provider. */
  passport_id: string | null;
  /** The mission it is for. Null for the provider. */
  mission_id: string | null;
  /** Held when invoked, captured when completed, else given back. US cents. */
  price_cents: number;
  /** Held beside the price where the service executes the skill: the most that its steps can cost. US cents. */
  compute_bound_cents: number;
  /** The cost of the steps, rounded up to a cent, as budgets count it; the wallet pays once microcents have gathered to a cent, and the statement has each. */
  compute_cents: number;
  /** A test run of your own skill: free and not counted. */
  self_invocation: boolean;
  /** Its owner tries it, whether it is public or not. */
  trial: boolean;
  /** How many times it was claimed. */
  attempt: number;
  lease_seconds: number | null;
  /** Until when the claim holds without a heartbeat; null: until expires_at. */
  lease_until: string | null;
  created_at: string;
  claimed_at: string | null;
  /** When it ended, whichever way. */
  completed_at: string | null;
  expires_at: string;
  /** When input and output were purged: both are null since then, and their hashes stay. */
  contents_purged_at: string | null;
  /** From the last claim to the end. */
  duration_ms: number | null;
  /** Null for the provider where the service executes the skill: it is between its consumer and the service. Null for both once it was purged. */
  input: InvocationInput | null;
  /** Null until it is completed, and once it was purged; for the provider as `input`. */
  output: InvocationOutput | null;
}

/** The consumer cancelled it before it was done; its status is `failed`. */
export interface InvocationCancelledNotification {
  event_type: 'invocation.cancelled';
  severity: 'info';
  payload: InvocationCancelledNotificationPayload;
  /** When it happened. */
  timestamp: string;
}

export interface InvocationCancelledNotificationPayload {
  invocation_id: string;
  skill_id: string;
  skill_version: string;
  status: 'pending' | 'completed' | 'failed' | 'expired';
  consumer_operator_id: string;
  provider_operator_id: string;
  /** The agent of the consumer that invoked; null: none. */
  agent_id: string | null;
}

/** The provider delivered the output. */
export interface InvocationCompletedNotification {
  event_type: 'invocation.completed';
  severity: 'info';
  payload: InvocationCompletedNotificationPayload;
  /** When it happened. */
  timestamp: string;
}

export interface InvocationCompletedNotificationPayload {
  invocation_id: string;
  skill_id: string;
  skill_version: string;
  status: 'pending' | 'completed' | 'failed' | 'expired';
  consumer_operator_id: string;
  provider_operator_id: string;
  /** The agent of the consumer that invoked; null: none. */
  agent_id: string | null;
}

/** A skill was invoked. */
export interface InvocationCreatedNotification {
  event_type: 'invocation.created';
  severity: 'info';
  payload: InvocationCreatedNotificationPayload;
  /** When it happened. */
  timestamp: string;
}

export interface InvocationCreatedNotificationPayload {
  invocation_id: string;
  skill_id: string;
  skill_version: string;
  status: 'pending' | 'completed' | 'failed' | 'expired';
  consumer_operator_id: string;
  provider_operator_id: string;
  /** The agent of the consumer that invoked; null: none. */
  agent_id: string | null;
}

/** The time to live was over before it was completed. */
export interface InvocationExpiredNotification {
  event_type: 'invocation.expired';
  severity: 'warning';
  payload: InvocationExpiredNotificationPayload;
  /** When it happened. */
  timestamp: string;
}

export interface InvocationExpiredNotificationPayload {
  invocation_id: string;
  skill_id: string;
  skill_version: string;
  status: 'pending' | 'completed' | 'failed' | 'expired';
  consumer_operator_id: string;
  provider_operator_id: string;
  /** The agent of the consumer that invoked; null: none. */
  agent_id: string | null;
}

/** The provider gave up. */
export interface InvocationFailedNotification {
  event_type: 'invocation.failed';
  severity: 'warning';
  payload: InvocationFailedNotificationPayload;
  /** When it happened. */
  timestamp: string;
}

export interface InvocationFailedNotificationPayload {
  invocation_id: string;
  skill_id: string;
  skill_version: string;
  status: 'pending' | 'completed' | 'failed' | 'expired';
  consumer_operator_id: string;
  provider_operator_id: string;
  /** The agent of the consumer that invoked; null: none. */
  agent_id: string | null;
}

export interface InvocationFailure {
  code: string;
  message: string;
}

export type InvocationInput = Record<string, unknown>;

export type InvocationOutput = Record<string, unknown>;

export interface InvocationReference {
  id: string;
  status: string;
}

/** An invocation without its input and output. */
export interface InvocationSummary {
  id: string;
  skill_id: string;
  skill_version: string;
  /** The revision whose schemas hold for input and output. */
  skill_revision: number;
  status: 'pending' | 'processing' | 'completed' | 'failed' | 'expired';
  execution_mode: 'open' | 'sealed' | 'source';
  /** SHA-256 of the canonical JSON (RFC 8785) of the input, in hex. */
  input_hash: string;
  output_hash: string | null;
  error: InvocationFailure | null;
  consumer_operator_id: string;
  provider_operator_id: string;
  agent_id: string | null;
  /** The passport it was invoked with. Null for the provider. */
  passport_id: string | null;
  /** The mission it is for. Null for the provider. */
  mission_id: string | null;
  /** Held when invoked, captured when completed, else given back. US cents. */
  price_cents: number;
  /** Held beside the price where the service executes the skill: the most that its steps can cost. US cents. */
  compute_bound_cents: number;
  /** The cost of the steps, rounded up to a cent, as budgets count it; the wallet pays once microcents have gathered to a cent, and the statement has each. */
  compute_cents: number;
  /** A test run of your own skill: free and not counted. */
  self_invocation: boolean;
  /** Its owner tries it, whether it is public or not. */
  trial: boolean;
  /** How many times it was claimed. */
  attempt: number;
  lease_seconds: number | null;
  /** Until when the claim holds without a heartbeat; null: until expires_at. */
  lease_until: string | null;
  created_at: string;
  claimed_at: string | null;
  /** When it ended, whichever way. */
  completed_at: string | null;
  expires_at: string;
  /** When input and output were purged: both are null since then, and their hashes stay. */
  contents_purged_at: string | null;
  /** From the last claim to the end. */
  duration_ms: number | null;
}

export interface InvokeSkill {
  input: Record<string, unknown>;
  agent_id?: string;
  /** A passport of yours (its jti); its agent invokes. */
  passport_id?: string;
  /** The mission it is for, an active one of yours. Left out: that of the passport, if it names exactly one. */
  mission_id?: string;
  ttl_seconds?: number;
  /** Refuse instead of paying more than this (409 PRICE_CHANGED). */
  max_price_cents?: number;
}

export interface IssuePassport {
  agent_id: string;
  /** Default: `900`. */
  ttl_seconds?: number;
  /** Left out: everything that is granted to the agent, of the services in `audience` where that is given */
  scopes?: PassportScopeItem[];
  /** The `service_id`s that may accept the passport, each one of its services, or the `iss` of passports: this service, at which it may then invoke; left out: all of its services may accept it */
  audience?: string[];
  /** The most that its invocations, and those of all that come of it, may cost; left out: only the limits of agent and key hold */
  budget?: RequestedBudget;
  identity_claim_ids?: string[];
  /** Default: `[]`. */
  authority_binding_ids?: string[];
  intent?: PassportIntent;
  checkpoint_interval_seconds?: number;
  /** Default: `[]`. */
  mission_ids?: string[];
}

/** The keys whose passports count: the one that signs, the next one, and those that stopped recently. */
export interface Jwks {
  keys: JwksKey[];
}

export interface JwksKey {
  kty: 'OKP';
  crv: 'Ed25519';
  x: string;
  kid: string;
  alg: 'EdDSA';
  use: 'sig';
}

/** Somebody else signed the bytes that the digest of the claim is of. */
export interface KeptCoSignature {
  signer_kid: string;
  signer_role: 'operator_attestation' | 'agent_self' | 'witness';
  cose_sign1: string;
  /** Whether the key was known here when it was sent, and the signature is by it. Sending it again when the key is known verifies it. */
  verified: boolean;
  /** The key that verified it; null where none did. */
  public_jwk: KeptCoSignaturePublicJwk | null;
  verified_at: string | null;
  /** Why it is not verified, and what mends that. */
  warnings: string[];
  created_at: string;
}

export type KeptCoSignaturePublicJwk = Record<string, unknown>;

export interface Life {
  /** Its workflow id, `<kind>:<id of the row>` */
  id: string;
  kind: string;
  /** The operator, or the recipient of a mail, in whose turn it is delivered; null: nothing of it is due, now or later */
  turn_of: string | null;
  /** How many messages nobody has looked at yet */
  messages: number;
  /** Whether it is to be delivered to Temporal as soon as it is due */
  is_ready: boolean;
  /** When somebody looks at the latest; null: nothing of it is due, or only once lives are kept in another store */
  due_at: string | null;
  /** When it was looked at last; null: not yet, or it is over */
  seen_at: string | null;
  /** How often it was delivered, or looked at without a run, since a run looked */
  attempts: number;
  /** Since when Temporal refuses to wake it */
  refused_at: string | null;
  /** Why it could not be delivered or looked at, last */
  failure: string | null;
  /** Its newest run; null: it has none, or Temporal has forgotten it */
  run: LifeRun | null;
}

export interface LifeRun {
  run_id: string;
  /** Temporal's word for it: `RUNNING`, `COMPLETED`, `TERMINATED` … */
  status: string;
  started_at: string;
  closed_at: string | null;
  /** Its page in the Temporal UI, where its address is known */
  url: string | null;
}

export interface ListAgentsAnswer {
  agents: Agent[];
  total: number;
  limit: number;
  offset: number;
}

export interface ListApiKeysAnswer {
  api_keys: ApiKey[];
  total: number;
  limit: number;
  offset: number;
}

export interface ListApprovalsAnswer {
  approvals: Approval[];
  total: number;
  limit: number;
  offset: number;
}

export interface ListAuditEventsAnswer {
  audit_events: AuditEvent[];
  /** null on the last page */
  next_cursor: string | null;
  has_more: boolean;
}

export interface ListAuthorityBindingsAnswer {
  authority_bindings: AuthorityBinding[];
  total: number;
  limit: number;
  offset: number;
}

export interface ListBillingCasesAnswer {
  cases: BillingCase[];
  /** null on the last page */
  next_cursor: string | null;
  has_more: boolean;
}

export interface ListClaimsAnswer {
  claims: Claim[];
  /** null on the last page */
  next_cursor: string | null;
  has_more: boolean;
}

export interface ListCredentialsAnswer {
  credentials: Credential[];
  total: number;
  limit: number;
  offset: number;
}

export interface ListDeliveriesAnswer {
  deliveries: Delivery[];
  /** null on the last page */
  next_cursor: string | null;
  has_more: boolean;
}

export interface ListDestinationsAnswer {
  destinations: Destination[];
  total: number;
  limit: number;
  offset: number;
}

export interface ListDifferingPaymentsAnswer {
  differing_payments: DifferingPayment[];
  /** null on the last page */
  next_cursor: string | null;
  has_more: boolean;
}

export interface ListDisputesAnswer {
  disputes: Dispute[];
  /** null on the last page */
  next_cursor: string | null;
  has_more: boolean;
}

export interface ListEventTypesAnswer {
  event_types: EventType[];
}

export interface ListEventsAnswer {
  events: Event[];
  /** Where to read on, now or later. */
  next_cursor: string;
  /** Whether there is more already. */
  has_more: boolean;
}

export interface ListFavoriteSkillsAnswer {
  skills: ListedSkill[];
  /** null on the last page */
  next_cursor: string | null;
  has_more: boolean;
}

export interface ListGrantsAnswer {
  grants: Grant[];
  total: number;
  limit: number;
  offset: number;
}

export interface ListHeldInboundEventsAnswer {
  events: HeldInboundEvent[];
  /** null on the last page */
  next_cursor: string | null;
  has_more: boolean;
}

export interface ListHoldsAnswer {
  holds: Hold[];
  /** null on the last page */
  next_cursor: string | null;
  has_more: boolean;
}

export interface ListIdentityClaimsAnswer {
  identity_claims: IdentityClaim[];
  total: number;
  limit: number;
  offset: number;
}

export interface ListInboundEndpointsAnswer {
  inbound_webhooks: InboundEndpoint[];
  total: number;
  limit: number;
  offset: number;
}

export interface ListInboundEventsAnswer {
  events: InboundEvent[];
  /** null on the last page */
  next_cursor: string | null;
  has_more: boolean;
}

export interface ListMembersAnswer {
  members: Member[];
  total: number;
  limit: number;
  offset: number;
}

export interface ListMissionsAnswer {
  missions: Mission[];
  total: number;
  limit: number;
  offset: number;
}

export interface ListMyInvocationsAnswer {
  invocations: InvocationSummary[];
  /** null on the last page */
  next_cursor: string | null;
  has_more: boolean;
}

export interface ListNotificationRulesAnswer {
  channels: ListedNotificationRule[];
}

export interface ListOperatorsAnswer {
  operators: Operator[];
  /** null on the last page */
  next_cursor: string | null;
  has_more: boolean;
}

export interface ListOutboxAnswer {
  messages: OutboxMessage[];
  total: number;
  limit: number;
  offset: number;
}

export interface ListOwnSkillsAnswer {
  skills: ListedSkill[];
  /** null on the last page */
  next_cursor: string | null;
  has_more: boolean;
}

export interface ListPartnerGrantsAnswer {
  partner_grants: PartnerGrant[];
  total: number;
  limit: number;
  offset: number;
}

export interface ListPassportsAnswer {
  passports: Passport[];
  /** null on the last page */
  next_cursor: string | null;
  has_more: boolean;
}

export interface ListPayoutsAnswer {
  payouts: Payout[];
  /** null on the last page */
  next_cursor: string | null;
  has_more: boolean;
}

export interface ListPendingInvocationsAnswer {
  invocations: InvocationSummary[];
  /** null on the last page */
  next_cursor: string | null;
  has_more: boolean;
}

export interface ListPendingSkillReviewsAnswer {
  skills: SkillToReview[];
  /** null on the last page */
  next_cursor: string | null;
  has_more: boolean;
}

export interface ListProvidedInvocationsAnswer {
  invocations: InvocationSummary[];
  /** null on the last page */
  next_cursor: string | null;
  has_more: boolean;
}

export interface ListReceivablesAnswer {
  receivables: Receivable[];
  /** null on the last page */
  next_cursor: string | null;
  has_more: boolean;
}

export interface ListRefundsAnswer {
  refunds: Refund[];
  /** null on the last page */
  next_cursor: string | null;
  has_more: boolean;
}

export interface ListServiceConnectionsAnswer {
  service_connections: ServiceConnection[];
  total: number;
  limit: number;
  offset: number;
}

export interface ListSessionsAnswer {
  sessions: OwnSession[];
  total: number;
  limit: number;
  offset: number;
}

export interface ListSkillRequestsAnswer {
  skill_requests: ListedSkillRequest[];
  total: number;
  limit: number;
  offset: number;
}

export interface ListSkillVersionsAnswer {
  versions: SkillVersion[];
  /** null on the last page */
  next_cursor: string | null;
  has_more: boolean;
}

export interface ListTopUpsAnswer {
  top_ups: ListedTopUp[];
  /** null on the last page */
  next_cursor: string | null;
  has_more: boolean;
}

export type ListTransactionsAnswer = Statement | Timeline;

/** A rule with its destinations. */
export interface ListedNotificationRule {
  id: string;
  operator_id: string;
  /** The id of the first destination, as the two below; null: none is left. */
  channel_type: ListedNotificationRuleChannelType | null;
  destination: string | null;
  destination_id: string | null;
  destination_ids: string[];
  events: string[];
  min_severity: 'info' | 'warning' | 'critical';
  /** Whether all of its destinations are. */
  verified: boolean;
  /** false: all of its destinations were deleted. */
  active: boolean;
  created_at: string;
  /** Its destinations. */
  delivery_methods: Destination[];
}

export type ListedNotificationRuleChannelType = 'email' | 'sms' | 'webhook' | 'slack';

/** A skill in a list; its schemas are read with it alone. */
export interface ListedSkill {
  id: string;
  operator_id: string;
  seller: SkillSeller;
  name: string;
  description: string;
  version: string;
  /** Goes up by one with every change. */
  revision: number;
  status: 'active' | 'suspended' | 'unlisted' | 'pending_review';
  trust_level_required: 'L0' | 'L1' | 'L2';
  tags: string[];
  /** USD cents */
  price_per_invocation: number;
  agent_id: string | null;
  execution_mode: 'open' | 'sealed' | 'source';
  credential_mode: 'none' | 'buyer_provides' | 'seller_provides' | 'both';
  required_credentials: RequiredCredential[];
  seller_credential_limit: SellerCredentialLimit | null;
  accepts_requests: boolean;
  /** Rounded to hundredths; null before the first rating. */
  average_rating: number | null;
  rating_count: number;
  /** Completed invocations by other operators. */
  invocation_count: number;
  review: SkillReview;
  created_at: string;
  updated_at: string;
}

/** A request in a list; its schemas are read with it alone. */
export interface ListedSkillRequest {
  id: string;
  operator_id: string;
  description: string;
  max_price_cents: number | null;
  tags: string[];
  status: 'open' | 'closed' | 'fulfilled';
  created_at: string;
  updated_at: string;
}

export interface ListedTopUp {
  id: string;
  amount_cents: number;
  /** `opening`: its page is being opened. `open`: it can be paid. `processing`: it was paid in a way that takes days. `expired`: it can no longer be paid, by its time or since it was ended. `refused`: the provider refused to open it. `differs`: what was paid is not what was requested, see the differing payments. */
  status: 'opening' | 'open' | 'processing' | 'paid' | 'failed' | 'expired' | 'refused' | 'differs';
  /** Where a person pays; null unless it is `open`. */
  checkout_url: string | null;
  expires_at: string;
  /** The credit of one that was paid. */
  transaction_id: string | null;
  created_at: string;
}

export interface LiveAuthorityRef {
  binding_id: string;
  binding_version: number;
  binding_claim_id: string;
  binding_digest: string;
  receiver_id: string;
  receiver_profile_version_id: string;
  expires_at: number;
  /** Whether the binding still holds */
  active: boolean;
}

export interface LlmConfig {
  temperature?: number;
  max_tokens?: number;
  system_prompt?: string;
}

/** A signed note (C2SP tlog-checkpoint): origin, size and root of the published tree. */
export type LogCheckpoint = string;

export interface LogConsistency {
  from: number;
  to: number;
  /** 64 lower-case hex digits. */
  from_root: string;
  /** 64 lower-case hex digits. */
  to_root: string;
  /** As RFC 9162 §2.1.4 has them; none where `from` is 0 or `to`. */
  hashes: string[];
}

export interface LogInclusion {
  log_index: number;
  tree_size: number;
  /** 64 lower-case hex digits. */
  leaf_hash: string;
  /** 64 lower-case hex digits. */
  root_hash: string;
  /** From the sibling of the leaf up (RFC 9162 §2.1.3). */
  hashes: string[];
}

export interface LogKey {
  kty: 'OKP';
  crv: 'Ed25519';
  x: string;
  kid: string;
  alg: 'EdDSA';
  use: 'sig';
}

/** The key that signs checkpoints and receipts of the log. */
export interface LogKeys {
  keys: LogKey[];
}

/** A verifier key (C2SP signed-note): name, id and base64 of the public key. */
export type LogVerifierKey = string;

/** A step of sealed execution whose machine time contributed to a debit or a remainder. */
export interface MachineSource {
  id: string;
  created_at: string;
  duration_ms: number;
  /** The purpose of the mission or passport it was made under; never a prompt. */
  declared_purpose: string | null;
  /** Its whole charge, the fee included. */
  charged_microcents: number;
  /** Its exact share in this debit or remainder; the rest is in the debits before and after. */
  allocated_microcents: number;
  agent: NamedReference | null;
  mission: MissionReference | null;
  skill: NamedReference | null;
  invocation: InvocationReference | null;
  sealed_step_index: number | null;
}

export interface MakeInboundSample {
  kind: 'harmless' | 'hostile';
}

export interface MarkInboundFindingHarmless {
  finding: number;
}

/** A person who works for an operator and signs in to its dashboard; each takes a seat. */
export interface Member {
  id: string;
  operator_id: string;
  email: string;
  role: 'owner' | 'admin' | 'member';
  /** invited: they have not signed in to this operator yet, and decide nothing. */
  status: 'invited' | 'joined';
  created_at: string;
}

/** Somebody was invited to be a member. */
export interface MemberInvitedNotification {
  event_type: 'member.invited';
  severity: 'warning';
  payload: MemberInvitedNotificationPayload;
  /** When it happened. */
  timestamp: string;
}

export interface MemberInvitedNotificationPayload {
  member_id: string;
  role: 'owner' | 'admin' | 'member';
  /** The credential or member that did it. */
  invited_by: string;
}

export interface MeterRemainder {
  meter: 'sealed_execution' | 'llm_gateway' | 'identity' | 'metered_action' | 'sms' | 'email' | 'l3';
  /** Less than a cent. */
  microcents: number;
}

/** The purpose that an operator has declared, for passports to refer to while it is active. */
export interface Mission {
  id: string;
  operator_id: string;
  /** The agent it is for; null: any agent of the operator. */
  agent_id: string | null;
  declared_intent: string;
  status: 'active' | 'completed' | 'expired';
  /** The claim of type mission that records it. */
  claim_id: string;
  expires_at: string | null;
  completed_at: string | null;
  created_at: string;
}

export interface MissionReference {
  id: string;
  declared_intent: string;
}

/** A model call that contributed to a debit or a remainder. */
export interface ModelCallSource {
  id: string;
  created_at: string;
  operation: string;
  /** The purpose of the mission or passport it was made under; never a prompt. */
  declared_purpose: string | null;
  provider: string;
  model: string;
  prompt_tokens: number;
  completion_tokens: number;
  total_tokens: number;
  cached_prompt_tokens: number | null;
  streaming: boolean;
  /** Its whole charge, the fee included. */
  charged_microcents: number;
  /** Its exact share in this debit or remainder; the rest is in the debits before and after. */
  allocated_microcents: number;
  agent: NamedReference | null;
  mission: MissionReference | null;
  skill: NamedReference | null;
  invocation: InvocationReference | null;
  sealed_step_index: number | null;
}

export interface NamedReference {
  id: string;
  name: string;
}

/** Which events an operator is notified of, and where. */
export interface NotificationRule {
  id: string;
  operator_id: string;
  /** The id of the first destination, as the two below; null: none is left. */
  channel_type: NotificationRuleChannelType | null;
  destination: string | null;
  destination_id: string | null;
  destination_ids: string[];
  events: string[];
  min_severity: 'info' | 'warning' | 'critical';
  /** Whether all of its destinations are. */
  verified: boolean;
  /** false: all of its destinations were deleted. */
  active: boolean;
  created_at: string;
}

export type NotificationRuleChannelType = 'email' | 'sms' | 'webhook' | 'slack';

/** Somebody has sent a test to this destination. */
export interface NotificationTestNotification {
  event_type: 'notification.test';
  severity: 'info';
  payload: NotificationTestNotificationPayload;
  /** When it happened. */
  timestamp: string;
}

export interface NotificationTestNotificationPayload {
  destination_id: string;
}

/** A person or company whose agents, skills and wallet live here. */
export interface Operator {
  id: string;
  name: string;
  email: string;
  status: 'active' | 'suspended';
  tier: 'free' | 'developer' | 'pro' | 'business' | 'enterprise';
  /** Commission on earnings, in hundredths of a percent; null: the service-wide rate. */
  commission_bps: number | null;
  /** Its account at the payment provider, to which earnings are paid out; null: they accumulate until there is one. */
  payout_account: string | null;
  /** With less than this available the wallet is low: `wallet.low_balance` is an event of rules that name it. null: never. */
  low_balance_cents: number | null;
  /** Whether a passport that has a budget, and is for this service alone, may invoke for its agent without a key. */
  passports_may_invoke: boolean;
  /** The keys by which it co-signs claims. */
  public_jwks: PublicJwk[];
  created_at: string;
  updated_at: string;
}

/** The e-mail address of the operator was changed. */
export interface OperatorAddressChangedNotification {
  event_type: 'operator.address_changed';
  severity: 'warning';
  payload: OperatorAddressChangedNotificationPayload;
  /** When it happened. */
  timestamp: string;
}

export interface OperatorAddressChangedNotificationPayload {
  /** The credential or member that did it. */
  changed_by: string;
}

export interface OperatorChoice {
  id: string;
  name: string;
  role: string;
  status: 'invited' | 'joined';
}

/** A mail or an SMS that was not sent, because the service has nobody who sends it. */
export interface OutboxMessage {
  id: string;
  channel: 'email' | 'sms';
  to: string;
  /** null: an SMS has none */
  subject: string | null;
  text: string;
  created_at: string;
}

/** An invocation as the platform sees it: state, times, ids and money. */
export interface OverseenInvocation {
  id: string;
  skill_id: string;
  skill_version: string;
  /** The revision whose schemas hold for input and output. */
  skill_revision: number;
  status: 'pending' | 'processing' | 'completed' | 'failed' | 'expired';
  execution_mode: 'open' | 'sealed' | 'source';
  consumer_operator_id: string;
  provider_operator_id: string;
  agent_id: string | null;
  /** The passport it was invoked with. Null for the provider. */
  passport_id: string | null;
  /** The mission it is for. Null for the provider. */
  mission_id: string | null;
  /** Held when invoked, captured when completed, else given back. US cents. */
  price_cents: number;
  /** Held beside the price where the service executes the skill: the most that its steps can cost. US cents. */
  compute_bound_cents: number;
  /** The cost of the steps, rounded up to a cent, as budgets count it; the wallet pays once microcents have gathered to a cent, and the statement has each. */
  compute_cents: number;
  /** A test run of your own skill: free and not counted. */
  self_invocation: boolean;
  /** Its owner tries it, whether it is public or not. */
  trial: boolean;
  /** How many times it was claimed. */
  attempt: number;
  lease_seconds: number | null;
  /** Until when the claim holds without a heartbeat; null: until expires_at. */
  lease_until: string | null;
  created_at: string;
  claimed_at: string | null;
  /** When it ended, whichever way. */
  completed_at: string | null;
  expires_at: string;
  /** When input and output were purged: both are null since then, and their hashes stay. */
  contents_purged_at: string | null;
  /** From the last claim to the end. */
  duration_ms: number | null;
  /** Why it failed, without the message of its provider. */
  error_code: string | null;
}

/** A browser in which the person is signed in. */
export interface OwnSession {
  id: string;
  created_at: string;
  expires_at: string;
  /** Whether it is the one that asks */
  current: boolean;
}

/** Leave for somebody outside of the operator to register agents and make inbound endpoints for them. Its keys see nothing else. */
export interface PartnerGrant {
  id: string;
  operator_id: string;
  name: string;
  /** Whom its endpoints may receive from */
  providers: ('mail_provider' | 'generic' | 'github')[];
  created_at: string;
}

export interface Passport {
  jti: string;
  agent_id: string;
  session_id: string;
  /** The `service_id`s that may accept it; null: all that it has scopes for */
  audience: string[] | null;
  delegation_depth: number;
  parent_passport_id: string | null;
  identity_claim_ids: string[];
  authority_refs: AuthorityRef[];
  intent_summary: string | null;
  intent_services: string[];
  intent_refs: string[];
  mission_ids: string[];
  estimated_duration_seconds: number | null;
  checkpoint_interval_seconds: number | null;
  /** The checkpoints of all passports that it was refreshed from or into, counted together */
  checkpoint_count: number;
  last_checkpoint_at: string | null;
  issued_at: string;
  expires_at: string;
  status: 'active' | 'expired' | 'revoked';
  revoked_at: string | null;
  revoke_reason: string | null;
}

/** A person has blocked a passport when they reviewed its checkout. */
export interface PassportBlockedNotification {
  event_type: 'passport.blocked';
  severity: 'critical';
  payload: PassportBlockedNotificationPayload;
  /** When it happened. */
  timestamp: string;
}

export interface PassportBlockedNotificationPayload {
  jti: string;
  agent_id: string;
  checkout_id: string;
  reason: string;
}

export interface PassportBudget {
  /** Its own budget, or the nearest above */
  amount_cents: number;
  /** The cents that it can spend now: the least that remains of it and of those above */
  remaining_cents: number;
}

export interface PassportClaims {
  operator_id: string;
  agent_id: string;
  agent_name: string;
  services: PassportServiceScope[];
  identity_claims: PassportIdentityClaim[];
  authority_refs: AuthorityRef[];
  delegation_depth: number;
  session_id: string;
  accountability: 'standard' | 'logged' | 'enforced';
  intent_summary?: string;
  intent_services?: string[];
  checkpoint_interval?: number;
  mission_ids: string[];
  /** The passports it was delegated from, the root first */
  chain: string[];
}

/** A fault that was found in how a passport was used. */
export interface PassportFlag {
  type:
    | 'undeclared_service'
    | 'scope_violation'
    | 'undeclared_delegation'
    | 'late_checkpoint'
    | 'missed_checkpoint'
    | 'duration_exceeded'
    | 'missed_checkout';
  severity: 'warning' | 'critical';
  message: string;
  raised_at: string;
  jti: string;
}

/** A session of an agent was flagged; one event for the flags that were raised together, as severe as the worst of them. */
export interface PassportFlaggedNotification {
  event_type: 'passport.flagged';
  severity: 'warning' | 'critical';
  payload: PassportFlaggedNotificationPayload;
  /** When it happened. */
  timestamp: string;
}

export interface PassportFlaggedNotificationPayload {
  jti: string;
  agent_id: string;
  /** The review that waits for a decision; null: none. */
  checkout_id: string | null;
  flags: PassportFlaggedNotificationPayloadFlag[];
}

export interface PassportFlaggedNotificationPayloadFlag {
  type: string;
  severity: 'warning' | 'critical';
  message: string;
}

export interface PassportIdentityClaim {
  claim_id: string;
  provider: string;
  layer: string;
  claim_type: string;
  assurance_level: string;
  verified_at: number | null;
  expires_at: number | null;
  humanity_verified: boolean;
  /** Who the claim is about: an agent, or the operator for a claim about the account; not in passports that an earlier release signed */
  holder?: string;
}

export interface PassportIntent {
  summary: string;
  services: string[];
  will_delegate?: boolean;
  estimated_duration_seconds?: number;
  /** A ref that begins with `pc_` is an intent claim of the agent */
  refs?: string[];
}

/** Token introspection (RFC 7662) with the claims of the passport. */
export type PassportIntrospection = ActiveToken | InactiveToken;

/** A session ended, and its checkout did not come in time; critical where the agent is enforced. */
export interface PassportMissedCheckoutNotification {
  event_type: 'passport.missed_checkout';
  severity: 'warning' | 'critical';
  payload: PassportMissedCheckoutNotificationPayload;
  /** When it happened. */
  timestamp: string;
}

export interface PassportMissedCheckoutNotificationPayload {
  jti: string;
  agent_id: string;
  expected_by: string;
  /** The review that it made; null: the agent is not enforced. */
  checkout_id: string | null;
}

export interface PassportReview {
  checkout_id: string;
  jti: string;
  agent_id: string;
  status: 'pending' | 'approved' | 'blocked';
  /** While a review of risk critical is not approved, the agent gets no new passports */
  risk: 'clean' | 'flagged' | 'critical';
  /** The checkout did not come in time */
  missed: boolean;
  /** Whether it holds the agent: it is critical and not approved, and nobody has unblocked the agent since it was blocked */
  holds: boolean;
  flags: PassportFlag[];
  notes: string | null;
  created_at: string;
  decided_at: string | null;
  /** A hash of risk, flags, report and decision; another one when any of them has come since */
  digest: string;
}

export interface PassportReviews {
  reviews: PassportReview[];
  page: number;
  limit: number;
  total: number;
  has_more: boolean;
}

export interface PassportScopeItem {
  service_connection_id: string;
  /** `*`: everything that may be passed on */
  scopes: string[];
  /** Limits added to those that apply already */
  constraints?: Constraint[];
  /** Intent claims (`pc_…`): the calls must serve one of them */
  intents?: string[];
  /** Services whose content may flow into this one; left out: all that may be passed on; `[]`: none */
  allow_data_from?: string[];
}

export interface PassportServiceScope {
  service_id: string;
  service_name: string;
  scopes: string[];
  credential_ref: string | null;
  connection_id: string;
  /** Names of the services whose content may flow into this one */
  allow_data_from: string[];
  /** Limits on the calls; all of them hold */
  constraints: SignedConstraint[];
}

/** Whether the passport counts now; for one that does not, the answer has only the reason. */
export type PassportVerification = ValidPassport | InvalidPassport;

/** Why the request was refused, with 402 */
export interface PaymentRequiredProblem {
  type: string;
  title: string;
  status: number;
  /** The fault, its place, and what to do */
  detail: string;
  /** The path of the request */
  instance: string;
  request_id: string;
  errors?: FieldFault[];
  code: 'INSUFFICIENT_CREDITS';
  /** INSUFFICIENT_CREDITS: The cents that the request needs, in cents */
  required_cents: number;
  /** INSUFFICIENT_CREDITS: The price, a part of it, in cents */
  price_cents?: number;
  /** INSUFFICIENT_CREDITS: The most that executing the skill can cost, a part of it, in cents */
  compute_bound_cents?: number;
  /** INSUFFICIENT_CREDITS: The available balance, in cents */
  balance_cents: number;
  /** INSUFFICIENT_CREDITS: The debt of the wallet since a payment was taken back, in cents */
  receivable_cents?: number;
  /** INSUFFICIENT_CREDITS: The page of the call that tops up, `POST /v1/billing/topup`, to read and to make it */
  top_up_url?: string;
}

export interface PaymentWebhookReceived {
  received: true;
}

/** The statement of a month, in US cents, and the state of its payout. */
export interface Payout {
  id: string;
  /** YYYY-MM. The statement counts earnings up to the end of this month, in UTC. */
  month: string;
  /** Captured and not paid out before, including what earlier months carried over, without what was paid by top-ups that are too young. */
  gross_cents: number;
  /** Rounded down. Taken when the statement is paid out, so once from every cent. */
  commission_cents: number;
  net_cents: number;
  /** rolled_over: below the minimum, so it is part of the next month; pending_account: there is no payout_account yet, so it is part of the next month; due: the transfer has not begun yet; failed: refused for good, the amount is back in the earnings. */
  status: 'rolled_over' | 'pending_account' | 'due' | 'transferring' | 'paid' | 'failed';
  created_at: string;
  paid_at: string | null;
}

export interface PendingChange {
  id: string;
  fields: ChangedFields;
  proposed_at: string;
}

/** The page of the payment provider for invoices and payment methods. */
export interface Portal {
  /** Open it in a browser soon: it is valid for minutes. */
  url: string;
}

export interface PostSkillRequest {
  description: string;
  /** A JSON Schema; skills are compared with its properties, required and type. */
  desired_input_schema?: Record<string, unknown>;
  /** A JSON Schema; skills are compared with its properties, required and type. */
  desired_output_schema?: Record<string, unknown>;
  /** USD cents per invocation */
  max_price_cents?: number;
  tags?: string[];
}

/** Why the request was refused */
export interface Problem {
  type: string;
  title: string;
  status: number;
  /** The fault, its place, and what to do */
  detail: string;
  /** The path of the request */
  instance: string;
  request_id: string;
  errors?: FieldFault[];
  code:
    | 'UNAUTHENTICATED'
    | 'INVALID_SIGNATURE'
    | 'NOT_FOUND'
    | 'METHOD_NOT_ALLOWED'
    | 'REQUEST_TIMEOUT'
    | 'ENDPOINT_REVOKED'
    | 'BODY_TOO_LARGE'
    | 'UNSUPPORTED_MEDIA_TYPE'
    | 'EXPECTATION_FAILED'
    | 'HEADERS_TOO_LARGE'
    | 'INTERNAL_ERROR'
    | 'EXECUTION_UNAVAILABLE'
    | 'KEY_UNAVAILABLE'
    | 'PAYMENTS_NOT_CONFIGURED'
    | 'SCAN_FAILED'
    | 'SMS_NOT_CONFIGURED'
    | 'OVERLOADED'
    | 'TEMPORARILY_UNAVAILABLE';
}

/** The Ed25519 public key of an agent, as a JWK (RFC 8037). Never send the private member `d`. */
export interface PublicJwk {
  kty: 'OKP';
  crv: 'Ed25519';
  x: string;
  kid?: string;
  alg?: 'EdDSA' | 'Ed25519';
  use?: 'sig';
}

export interface PublishSkill {
  name: string;
  description: string;
  version: string;
  /** A JSON Schema, draft 2020-12 or draft-07; see the limits in the documentation. */
  input_schema: Record<string, unknown>;
  /** A JSON Schema, draft 2020-12 or draft-07; see the limits in the documentation. */
  output_schema: Record<string, unknown>;
  trust_level_required: 'L0' | 'L1' | 'L2';
  tags?: string[];
  /** Default: `0`. */
  price_per_invocation?: number;
  agent_id?: string;
  /** Default: `"open"`. */
  execution_mode?: 'open' | 'sealed' | 'source';
  /** Default: `"none"`. */
  credential_mode?: 'none' | 'buyer_provides' | 'seller_provides' | 'both';
  /** Default: `[]`. */
  required_credentials?: RequiredCredential[];
  /** The limits of a skill that is not open and has credential_mode seller_provides or both: required, with one of the two at least. */
  seller_credential_limit?: SellerCredentialLimit;
  /** Default: `true`. */
  accepts_requests?: boolean;
  execution_steps?: ExecutionStep[];
  llm_enabled?: boolean;
  llm_provider?: string;
  llm_model?: string;
  llm_config?: LlmConfig;
  execution_script?: string;
  execution_runtime?: 'python' | 'javascript' | 'none';
  dependencies?: string;
}

/** The whole credential: a label that is left out is none. */
export interface PutCredential {
  /** As the provider has shown it. It is in no answer. */
  api_key: string;
  label?: string;
}

/** The whole grant: a list that is left out is empty. */
export interface PutGrant {
  scopes: string[];
  /** Default: `[]`. */
  constraints?: Constraint[];
  /** Default: `[]`. */
  allow_data_from?: string[];
}

export interface RateSkill {
  rating: number;
  invocation_id?: string;
}

export interface Rated {
  rating: number;
  /** The rating operator has a completed invocation of the skill. */
  verified: boolean;
  average_rating: number | null;
  rating_count: number;
}

export interface RatingSummary {
  average_rating: number | null;
  rating_count: number;
  /** How many have given each rating, from `1` to `5`. */
  distribution: Record<string, number>;
  verified_count: number;
}

export type ReadClaimAnswer = Claim | ClaimDigest;

export type ReadClaimBundleAnswer = ClaimBundle | WaitingBundle;

/** JSON Schema 2020-12 */
export type ReadClaimSchemaAnswer = Record<string, unknown>;

/** An event that is held, with what a person tells it by. */
export interface ReadHeldInboundEvent {
  id: string;
  endpoint_id: string;
  agent_id: string;
  provider: 'mail_provider' | 'generic' | 'github';
  /** `received` and `scanning`: it is being worked on. `recorded`: scanned, and nothing is to be forwarded. `forwarded`: the receiver answered 2xx. `blocked`: the policy holds it, or it was not scanned as a whole. `forward_failed`: no 2xx came back, and no second call is made; the forward says whether it was sent. `forward_blocked`: the address may not be called. `revoked`: the endpoint was revoked before it left. `failed`: it could not be scanned; the next delivery of it is another attempt. */
  status:
    | 'received'
    | 'scanning'
    | 'recorded'
    | 'forwarded'
    | 'blocked'
    | 'forward_failed'
    | 'forward_blocked'
    | 'revoked'
    | 'failed';
  /** A word for why it was not forwarded, or failed. */
  reason: string | null;
  error: string | null;
  /** A failed event that comes again is another attempt, and so is a replay. */
  attempt: number;
  verdict: InboundVerdictOutput | null;
  /** Findings, counted from 0, that a person has marked as harmless. */
  harmless: number[];
  /** The claims of the service about what was found in it, of every attempt. */
  claim_ids: string[];
  /** The question to a language model about it: nothing was asked (`none`), not yet (`wanted`, `calling`), answered (`done`), no answer to use (`failed`), not paid for (`unavailable`). */
  classification: 'none' | 'wanted' | 'calling' | 'done' | 'failed' | 'unavailable';
  /** How it was signed. */
  scheme: 'standard_webhooks' | 'hex' | 'mailgun';
  /** false: the signature of this scheme does not cover the body. */
  body_authenticated: boolean;
  body_sha256: string;
  /** Bytes of the body. */
  size: number;
  /** false: the tier keeps the content no longer, and it cannot be replayed. */
  content_kept: boolean;
  forwards: InboundForward[];
  received_at: string;
  scanned_at: string | null;
  ended_at: string | null;
  endpoint_name: string | null;
  /** The sender of a mail, as its header From has it; the beginning, with invisible characters as `[U+202E]`. */
  sender: string | null;
  /** The subject of a mail, written as `sender` is. */
  subject: string | null;
}

export interface ReadHeldInboundEventsAnswer {
  events: ReadHeldInboundEvent[];
  /** null on the last page */
  next_cursor: string | null;
  has_more: boolean;
}

/** A debt of a wallet, open or paid, since a payment was taken back. */
export interface Receivable {
  id: string;
  /** The sum that the wallet could not pay when the money was taken back, less what was cancelled since. */
  amount_cents: number;
  paid_cents: number;
  /** The sum that is still owed: one of the parts of receivable_cents. */
  owed_cents: number;
  /** The top-up whose payment was taken back. */
  top_up: TopUpReference | null;
  /** The dispute by which it was taken back; null: by a refund at the provider. */
  dispute: DisputeReference | null;
  created_at: string;
}

/** The outcome of a request of a provider. */
export interface ReceivedInboundEvent {
  event_id: string;
  /** It was received before; nothing is done a second time. */
  duplicate: boolean;
  /** `received` and `scanning`: it is being worked on. `recorded`: scanned, and nothing is to be forwarded. `forwarded`: the receiver answered 2xx. `blocked`: the policy holds it, or it was not scanned as a whole. `forward_failed`: no 2xx came back, and no second call is made; the forward says whether it was sent. `forward_blocked`: the address may not be called. `revoked`: the endpoint was revoked before it left. `failed`: it could not be scanned; the next delivery of it is another attempt. */
  status:
    | 'received'
    | 'scanning'
    | 'recorded'
    | 'forwarded'
    | 'blocked'
    | 'forward_failed'
    | 'forward_blocked'
    | 'revoked'
    | 'failed';
  verdict: InboundVerdictOutput;
  forwarded: boolean;
}

export interface RecoverDeliveries {
  destination_id: string;
  /** Deliveries made from here on. */
  since: string;
  /** And before this moment, or that of the call where it is earlier. */
  until: string;
  /** Which of them are made again. Default: `["failed","unknown"]`. */
  statuses?: ('failed' | 'unknown' | 'suppressed_cap')[];
}

export interface RecoveredDeliveries {
  /** How many deliveries were made, at most 1,000 a call. */
  recovered: number;
  /** The same call with this `until` makes the next ones, once those that wait were sent. */
  has_more: boolean;
  /** The end of the time that was looked at: `until` of the call, or its moment. What was made again is not in it, so a next call with it makes nothing twice. */
  until: string;
}

export interface RefreshPassport {
  token: string;
  /** Default: `900`. */
  ttl_seconds?: number;
}

/** A top-up on its way back to the original payment method. Its amount is held in the wallet until the refund has succeeded. */
export interface Refund {
  refund_id: string;
  /** The top-up that is refunded. */
  transaction_id: string;
  amount_cents: number;
  status: 'pending' | 'succeeded' | 'failed';
  created_at: string;
}

export interface RegisterOperator {
  name: string;
  email: string;
}

export interface RegisteredOperator {
  operator: Operator;
  /** Its first key, of role admin; shown only once. */
  api_key: string;
}

/** A version of a skill as a server of an MCP registry. */
export interface RegistryServer {
  /** As the `server.json` of 2025-12-11: name (the host of the service backwards, and the id of the skill), title (the name of the skill), description, version, remotes, _meta. */
  server: Record<string, unknown>;
  _meta: RegistryServerMeta;
}

export interface RegistryServerList {
  servers: RegistryServer[];
  metadata: RegistryServerListMetadata;
}

export interface RegistryServerListMetadata {
  /** Absent on the last page. */
  nextCursor?: string;
  /** Servers of this page. */
  count: number;
}

export interface RegistryServerMeta {
  'io.modelcontextprotocol.registry/official': RegistryServerMetaIoModelcontextprotocolRegistryOfficial;
}

export interface RegistryServerMetaIoModelcontextprotocolRegistryOfficial {
  /** deprecated: an earlier version. */
  status: 'active' | 'deprecated';
  publishedAt: string;
  updatedAt: string;
  isLatest: boolean;
}

export interface RejectApprovals {
  /** Ids of requests to reject, and of approvals to withdraw */
  ids: string[];
}

export interface RejectRequestsAnswer {
  approvals: Approval[];
}

export interface RejectSkill {
  /** Default: `"Rejected by admin"`. */
  reason?: string;
  /** The change of a skill that is approved already, as `pending_change` names it. */
  change_id?: string;
}

/** The charge of a meter that no debit has taken yet: the next debit of it begins with these sources. */
export interface Remainder {
  meter: 'sealed_execution' | 'llm_gateway' | 'identity' | 'metered_action' | 'sms' | 'email' | 'l3';
  /** Less than a cent. */
  microcents: number;
  /** The newest 200. */
  llm_sources: ModelCallSource[];
  /** The newest 200. */
  machine_sources: MachineSource[];
}

export interface ReportedToolCall {
  service: string;
  method: string;
  target?: string;
}

export interface RequestCode {
  email: string;
}

/** US cents */
export interface RequestedBudget {
  amount_cents: number;
}

export interface RequiredCredential {
  provider: string;
  scopes: string[];
}

export interface ReviewDecision {
  review: PassportReview;
  /** Passports that the decision revoked */
  revoked_count: number;
  agent_status: 'active' | 'blocked' | 'disabled';
}

/** The checkout of an enforced agent waits for the review of a person. */
export interface ReviewPendingNotification {
  event_type: 'review.pending';
  severity: 'warning' | 'critical';
  payload: ReviewPendingNotificationPayload;
  /** When it happened. */
  timestamp: string;
}

export interface ReviewPendingNotificationPayload {
  checkout_id: string;
  jti: string;
  agent_id: string;
  risk: 'clean' | 'flagged' | 'critical';
}

export interface RevokeAllPassports {
  /** Must be true */
  confirm?: true;
  /** Default: `"Revoked by operator"`. */
  reason?: string;
}

export interface RevokeClaim {
  reason?: string;
}

export interface RevokePassport {
  jti: string;
  /** Default: `"Revoked by operator"`. */
  reason?: string;
}

export interface RevokePassports {
  /** Default: `"Revoked by operator"`. */
  reason?: string;
}

export interface RevokedPassport {
  success: true;
  jti: string;
  /** Other passports revoked: refreshed from it or before it, and delegated */
  cascaded_count: number;
  revoked_claims_count: number;
}

export interface RevokedPassports {
  success: true;
  revoked_count: number;
}

export interface RotateInboundSecret {
  /** The secret before ends immediately; else it verifies for another 24 hours. Default: `false`. */
  immediate?: boolean;
  /** The signing key that the provider made, as Mailgun and Resend do; absent: one is made here. Only one with `whsec_`, and base64 of at least 16 bytes behind it, keys Standard Webhooks and Svix. */
  secret?: string;
}

export interface RotateSigningKeys {
  /** Withdraw the active key: everything that it has signed is refused from now on. Default: `false`. */
  immediate?: boolean;
  /** Withdraw these keys, retired ones too; the active key signs on unless it is one of them */
  kids?: string[];
  /** Withdraw every key that there is. Default: `false`. */
  all?: boolean;
}

export interface RotatedInboundSecret {
  id: string;
  /** Shown only once; the same request with the same Idempotency-Key shows it again for 24 hours. */
  secret: string;
}

/** A webhook with its new secret. */
export interface RotatedSecret {
  id: string;
  operator_id: string;
  channel_type: 'email' | 'sms' | 'webhook' | 'slack';
  destination: string;
  /** Nothing but codes is sent before. */
  verified: boolean;
  /** The tier has no deliveries by this channel. */
  paused: boolean;
  failures_in_row: number;
  /** Nothing is sent since then, until it is enabled. */
  disabled_at: string | null;
  disabled_reason: string | null;
  /** Calls to it that timed out one after another; an answer ends the row. */
  timeouts_in_row: number;
  /** It hangs: after three timeouts in a row it has one place at most, until it answers. */
  slow_since: string | null;
  /** After six timeouts in a row nothing is sent before; then one call tries it. */
  held_until: string | null;
  /** The last code, for a day; null where it is verified too */
  code: VerificationCode | null;
  created_at: string;
  /** The secret of a webhook, only in this answer; the same request with the same Idempotency-Key shows it again for 24 hours. */
  webhook_secret: string;
}

export interface Seats {
  /** Seats that come with the tier, including the one of the owner; null: without limit. */
  included_seats: number | null;
  purchased_seats: number;
  total_seats: number | null;
  /** The most that total_seats can reach by buying; null: without limit. */
  seat_ceiling: number | null;
  seats_in_use: number;
}

export interface SellerCredentialLimit {
  max_calls?: number;
  max_cost_cents?: number;
}

export interface SellerCredentialUse {
  calls: number;
  /** By the price list of the service; calls under way count at the most that they can cost. */
  cost_microcents: number;
  /** When the next calendar month of UTC begins. */
  resets_at: string;
}

export interface SentCode {
  /** It is on its way. */
  sent: true;
  /** Until then the code counts. */
  expires_at: string;
}

/** A service that the operator has connected. Grants decide what agents may use of it. */
export interface ServiceConnection {
  id: string;
  operator_id: string;
  service_id: string;
  service_name: string;
  scopes: string[];
  credential_ref: string | null;
  status: 'active' | 'disabled';
  created_at: string;
  updated_at: string;
}

export interface SessionsEnded {
  /** How many there were */
  ended: number;
}

export interface SetSeats {
  /** All seats bought in addition to those of the tier; not a difference. */
  purchased_seats: number;
}

export interface SettleRefund {
  /** `succeeded`: the provider has paid it, and what is held is taken. `failed`: the wallet has it again. The provider's list of refunds is read after that, and has the last word. */
  outcome: 'succeeded' | 'failed';
  /** Why, for the audit trail. */
  reason: string;
}

export interface SignIn {
  email: string;
  code: string;
  /** Needed by people who work for several operators; OPERATOR_CHOICE_REQUIRED lists them. Naming one that has invited you accepts the invitation. */
  operator_id?: string;
}

export type SignedConstraint = IntentConstraint | Constraint;

/** The token is not stored: it is signed again from its row when a request is repeated. */
export interface SignedPassport {
  token: string;
  jti: string;
  expires_at: string;
}

/** The keys of the service by status, each by its thumbprint (RFC 7638). */
export interface SigningKeys {
  active: string;
  next: string;
  /** No longer signing; their passports count until they expire */
  retired: string[];
  /** Their passports are revoked */
  withdrawn: string[];
}

export interface SimilarSkill {
  skill: ListedSkill;
  /** From 0 to 1: half for the required inputs of it that the other takes as well, half for the outputs of the other that it gives as well. What the schemas do not name is left out. */
  score: number;
}

export interface SimilarSkills {
  skills: SimilarSkill[];
}

/** A published capability. Steps, script, runtime, dependencies and the settings of a model are shown to its owner, and to everybody where execution_mode is `source`. */
export interface Skill {
  id: string;
  operator_id: string;
  seller: SkillSeller;
  name: string;
  description: string;
  version: string;
  /** Goes up by one with every change. */
  revision: number;
  status: 'active' | 'suspended' | 'unlisted' | 'pending_review';
  trust_level_required: 'L0' | 'L1' | 'L2';
  tags: string[];
  /** USD cents */
  price_per_invocation: number;
  agent_id: string | null;
  execution_mode: 'open' | 'sealed' | 'source';
  credential_mode: 'none' | 'buyer_provides' | 'seller_provides' | 'both';
  required_credentials: RequiredCredential[];
  seller_credential_limit: SellerCredentialLimit | null;
  accepts_requests: boolean;
  /** Rounded to hundredths; null before the first rating. */
  average_rating: number | null;
  rating_count: number;
  /** Completed invocations by other operators. */
  invocation_count: number;
  review: SkillReview;
  created_at: string;
  updated_at: string;
  input_schema: Record<string, unknown>;
  output_schema: Record<string, unknown>;
  /** The most that executing it can cost beside its price, USD cents: held when it is invoked. Null where its provider does the work, or where it cannot be executed now. */
  max_compute_cents: number | null;
  /** A change that waits for an administrator; for the owner and the platform. What was approved can be invoked meanwhile. A PATCH back to what was approved withdraws it. */
  pending_change?: PendingChange | null;
  /** Calls of models by the key of the owner in this month; for the owner, when they read a skill that may be answered by it. */
  seller_credential_use?: SellerCredentialUse;
  execution_steps?: StoredExecutionStep[] | null;
  execution_script?: string | null;
  execution_runtime?: string | null;
  dependencies?: string | null;
  llm_enabled?: boolean | null;
  llm_provider?: string | null;
  llm_model?: string | null;
  llm_config?: StoredLlmConfig | null;
}

export interface SkillMatch {
  skill: ListedSkill;
  /** From 0 to 1: half for tags in common, a quarter each for input and output. What the request does not name is left out. */
  score: number;
  reasons: string[];
}

export interface SkillMatches {
  matches: SkillMatch[];
}

/** A skill that an operator looks for. */
export interface SkillRequest {
  id: string;
  operator_id: string;
  description: string;
  max_price_cents: number | null;
  tags: string[];
  status: 'open' | 'closed' | 'fulfilled';
  created_at: string;
  updated_at: string;
  desired_input_schema: SkillRequestDesiredInputSchema | null;
  desired_output_schema: SkillRequestDesiredOutputSchema | null;
}

export type SkillRequestDesiredInputSchema = Record<string, unknown>;

export type SkillRequestDesiredOutputSchema = Record<string, unknown>;

export interface SkillReview {
  status: 'exempt' | 'pending' | 'approved' | 'rejected' | 'taken_down';
  /** The reason of a rejection or a take-down; shown to the owner. */
  rejection_reason: string | null;
  reviewed_at: string | null;
}

/** The operator that published the skill. */
export interface SkillSeller {
  /** As the operator calls itself. */
  name: string;
  /** Whether an identity claim about the operator itself is in force, which the platform recorded. The name alone proves nothing. */
  verified: boolean;
}

export interface SkillSuggestion {
  /** In order; what a step requires is in the desired input or given by a step before it. */
  steps: SkillSuggestionStep[];
  total_price_cents: number;
  /** Share of the desired outputs that the steps give. */
  coverage: number;
}

export interface SkillSuggestionStep {
  skill_id: string;
  skill: ListedSkill;
}

export interface SkillSuggestions {
  suggestions: SkillSuggestion[];
}

export interface SkillToReview {
  id: string;
  operator_id: string;
  seller: SkillSeller;
  name: string;
  description: string;
  version: string;
  /** Goes up by one with every change. */
  revision: number;
  status: 'active' | 'suspended' | 'unlisted' | 'pending_review';
  trust_level_required: 'L0' | 'L1' | 'L2';
  tags: string[];
  /** USD cents */
  price_per_invocation: number;
  agent_id: string | null;
  execution_mode: 'open' | 'sealed' | 'source';
  credential_mode: 'none' | 'buyer_provides' | 'seller_provides' | 'both';
  required_credentials: RequiredCredential[];
  seller_credential_limit: SellerCredentialLimit | null;
  accepts_requests: boolean;
  /** Rounded to hundredths; null before the first rating. */
  average_rating: number | null;
  rating_count: number;
  /** Completed invocations by other operators. */
  invocation_count: number;
  review: SkillReview;
  created_at: string;
  updated_at: string;
  /** The change that waits, of a skill that is approved; null where the skill itself waits. */
  pending_change: PendingChange | null;
}

export interface SkillVersion {
  revision: number;
  version: string;
  input_schema: Record<string, unknown>;
  output_schema: Record<string, unknown>;
  price_per_invocation: number;
  created_at: string;
}

/** Rows of your wallet, newest first. */
export interface Statement {
  /** Rows under these filters when the first page was read; with type or direction they are counted up to 10000, which then stands for as many or more. */
  total: number;
  /** The debt of the wallet now: no row shows it before it is paid. */
  receivable_cents: number;
  /** By meter, regardless of the filters, when the first page was read; null on later pages. */
  remainders: Remainder[] | null;
  /** null on the last page */
  next_cursor: string | null;
  has_more: boolean;
  transactions: WalletTransaction[];
}

/** A JWT of type `statuslist+jwt` (draft-ietf-oauth-status-list), signed as passports are. `status_list.lst` is zlib in base64url; bit 0 is the least significant of byte 0; a bit of 1 means that the passport is revoked. */
export type StatusListToken = string;

/** Where it is full, nothing new is taken that would be kept: 403 TIER_LIMIT_EXCEEDED. */
export interface Storage {
  /** Inputs, outputs, claims and inbound contents that are kept, as they were counted last night. */
  used_bytes: number;
  /** null: without limit. */
  included_bytes: number | null;
}

export type StoredExecutionStep = StoredExecutionStepScript | StoredExecutionStepLlm;

export interface StoredExecutionStepLlm {
  type: 'llm';
  label: string;
  llm_provider: string;
  llm_model: string;
  llm_config?: StoredLlmConfig;
}

export interface StoredExecutionStepScript {
  type: 'script';
  label: string;
  runtime: 'javascript' | 'python';
  script: string;
}

export interface StoredLlmConfig {
  temperature?: number;
  max_tokens?: number;
  system_prompt?: string;
}

export interface Subscribe {
  /** developer, pro or business. */
  tier: 'developer' | 'pro' | 'business';
}

/** A change of the subscription. A larger tier counts as soon as it is paid. */
export interface Subscribed {
  /** The page where a person pays; null where nothing is to be paid now. */
  checkout_url: string | null;
  session_id: string | null;
  /** The tier that was requested. */
  tier: 'free' | 'developer' | 'pro' | 'business' | 'enterprise';
  /** For a change to a smaller tier the end of the period. null: at the payment, or now. */
  effective_at: string | null;
}

export interface Subscription {
  /** The tier that counts now, bought or given by the platform. */
  tier: 'free' | 'developer' | 'pro' | 'business' | 'enterprise';
  /** none: nothing is bought. past_due keeps the tier; unpaid does not, until the invoice is paid in the portal. */
  status: 'none' | 'active' | 'canceling' | 'past_due' | 'unpaid';
  billing_period: SubscriptionBillingPeriod;
  cancel_at_period_end: boolean;
  /** The tier from the end of the period on; null: the same. */
  next_tier: SubscriptionNextTier | null;
  purchased_seats: number;
  /** A change that waits to be paid. Only administrators see its checkout_url, which of an upgrade lives for minutes: POST /v1/billing/subscription/change/checkout opens it again. */
  pending_change: SubscriptionPendingChange | null;
}

/** Without a subscription the UTC calendar month. */
export interface SubscriptionBillingPeriod {
  start: string;
  end: string;
}

export type SubscriptionNextTier = 'free' | 'developer' | 'pro' | 'business' | 'enterprise';

export interface SubscriptionPendingChange {
  tier: 'free' | 'developer' | 'pro' | 'business' | 'enterprise';
  checkout_url: string | null;
  expires_at: string;
}

export interface TakeDownSkill {
  reason: string;
}

export interface TestedDestination {
  delivered: boolean;
  delivery_id: string;
  /** `sending`: it waits for its turn, or its one call is under way. `delivered`: the receiver answered 2xx, or the mail server or SMS provider took it. `failed`: it was not delivered. `unknown`: it may have been. `suppressed_cap`: the month has no more of them. */
  status: 'sending' | 'delivered' | 'failed' | 'unknown' | 'suppressed_cap';
  status_code: number | null;
  reason: string | null;
  error: string | null;
}

/** Wallet rows and standalone model calls, newest first. A call of which a debit has taken a part stands under that debit, in `details.llm_sources`. */
export interface Timeline {
  /** When the first page was read: no page shows what happened later. */
  snapshot_at: string;
  /** null on the last page */
  next_cursor: string | null;
  has_more: boolean;
  rows: TimelineRow[];
}

export interface TimelineCall {
  id: string;
  operation: string;
  provider: string;
  model: string;
  total_tokens: number;
  price: TimelineCallPrice;
  created_at: string;
}

export interface TimelineCallPrice {
  state: 'wallet_price' | 'included' | 'covered' | 'unavailable';
  /** The charge to the wallet, or the cost that the platform covers. */
  amount_microcents: number | null;
}

export type TimelineRow = TimelineRowWalletTransaction | TimelineRowLlmCall;

export interface TimelineRowLlmCall {
  kind: 'llm_call';
  call: TimelineCall;
}

export interface TimelineRowWalletTransaction {
  kind: 'wallet_transaction';
  transaction: TimelineTransaction;
}

export interface TimelineTransaction {
  id: string;
  type: 'topup' | 'refund' | 'invocation' | 'compute' | 'identity' | 'overage' | 'adjustment';
  amount_cents: number;
  /** The same amount in the unit of the prices of calls. */
  amount_microcents: number;
  created_at: string;
}

/** Why the request was refused, with 429 */
export interface TooManyRequestsProblem {
  type: string;
  title: string;
  status: number;
  /** The fault, its place, and what to do */
  detail: string;
  /** The path of the request */
  instance: string;
  request_id: string;
  errors?: FieldFault[];
  code: 'RATE_LIMITED';
  /** RATE_LIMITED: Always false: the code does not prove the address */
  verified?: boolean;
}

export interface ToolCall {
  service: string;
  method: string;
  target?: string;
}

/** A hosted checkout. The wallet is credited when the checkout is paid, typically within seconds: poll the balance. */
export interface TopUp {
  /** Where a person pays; open it in a browser. */
  checkout_url: string;
  session_id: string;
}

export interface TopUpReference {
  id: string;
  /** Its credit; null: it was not paid. */
  transaction_id: string | null;
}

export interface TrustEvaluation {
  allowed: boolean;
  required: 'L0' | 'L1' | 'L2';
  effective: 'L0' | 'L1' | 'L2' | 'L3';
  reasons: string[];
}

export interface UnblockAgent {
  /** The digest of GET /v1/agents/{id}/conduct as you looked at it, which a person who is signed in has to send; where anything has come since, this is 409 SUBJECT_CHANGED */
  seen?: string;
}

/** Fields that are absent stay; null clears the ones that may be null. */
export interface UpdateAgent {
  name?: string;
  accountability?: 'standard' | 'logged' | 'enforced';
  public_jwk?: PublicJwk | null;
  checkpoint_interval_seconds?: number | null;
  /** Most cents that the agent may spend in a UTC month, counted when they are held; null: no limit. */
  monthly_limit_cents?: number | null;
  status?: 'active' | 'disabled';
}

/** Fields that are absent stay; null clears the ones that may be null. */
export interface UpdateInboundEndpoint {
  /** An https URL on the internet that verified events are sent to; null: they are scanned and recorded. */
  forward_url?: string | null;
  name?: string | null;
  policy?: UpdateInboundEndpointPolicy;
}

export interface UpdateInboundEndpointPolicy {
  block_at?: 'low' | 'medium' | 'high' | 'critical';
  mode?: 'enforce' | 'shadow';
}

export interface UpdateNotificationRule {
  /** Verified destinations. */
  destination_ids?: string[];
  /** Types of GET /v1/notifications/event-types, or all of a family, `invocation.*`. */
  events?: (
    | 'passport.flagged'
    | 'passport.blocked'
    | 'agent.blocked'
    | 'passport.missed_checkout'
    | 'approval.requested'
    | 'approval.expiring'
    | 'review.pending'
    | 'member.invited'
    | 'api_key.created'
    | 'operator.address_changed'
    | 'agent.unblocked'
    | 'invocation.created'
    | 'invocation.completed'
    | 'invocation.failed'
    | 'invocation.expired'
    | 'invocation.cancelled'
    | 'wallet.low_balance'
    | 'inbound.blocked'
    | 'inbound.slow'
    | 'inbound.recovered'
    | 'destination.slow'
    | 'destination.recovered'
    | 'passport.*'
    | 'agent.*'
    | 'approval.*'
    | 'review.*'
    | 'member.*'
    | 'api_key.*'
    | 'operator.*'
    | 'invocation.*'
    | 'wallet.*'
    | 'inbound.*'
    | 'destination.*'
  )[];
  min_severity?: 'info' | 'warning' | 'critical';
}

export interface UpdateOperator {
  name?: string;
  email?: string;
  /** Only an owner changes it: in a dashboard session, or by approving the change. */
  payout_account?: string | null;
  low_balance_cents?: number | null;
  /** Allowing it needs the approval of a person. */
  passports_may_invoke?: boolean;
  /** All keys by which it co-signs claims: those that are left out are removed. `signer_kid` is the RFC 7638 thumbprint of a key. */
  public_jwks?: PublicJwk[];
}

/** Fields that are absent stay. Scopes that are removed are left out of every later passport. */
export interface UpdateServiceConnection {
  service_id?: string;
  /** Unique among the services of the operator. */
  service_name?: string;
  scopes?: string[];
  /** Where the holder of a passport finds the credential of the service; never the credential. */
  credential_ref?: string | null;
  status?: 'active' | 'disabled';
}

/** Only the fields given change. The name and what the skill executes cannot. */
export interface UpdateSkill {
  description?: string;
  version?: string;
  /** A JSON Schema, draft 2020-12 or draft-07; see the limits in the documentation. */
  input_schema?: Record<string, unknown>;
  /** A JSON Schema, draft 2020-12 or draft-07; see the limits in the documentation. */
  output_schema?: Record<string, unknown>;
  trust_level_required?: 'L0' | 'L1' | 'L2';
  tags?: string[];
  price_per_invocation?: number;
}

/** The use of the calling operator, beside what its tier includes. */
export interface Usage {
  tier: string;
  billing_period: UsageBillingPeriod;
  allowance_period: UsageAllowancePeriod;
  usage: UsageCounts;
  allowances: UsageAllowances;
  seats: UsageSeats;
  storage: Storage;
}

/** The calendar month (UTC), with which allowances start again. */
export interface UsageAllowancePeriod {
  start: string;
  /** Exclusive. */
  end: string;
}

export interface UsageAllowances {
  /** Passports issued, delegated and refreshed, checkpoints, checkouts, invocations and submitted claims. */
  metered_actions: Allowance;
  l3_classifications: Allowance;
  sms: Allowance;
  email: Allowance;
}

/** The period of the subscription; on tier free the calendar month. */
export interface UsageBillingPeriod {
  start: string;
  /** Exclusive. */
  end: string;
}

export interface UsageCounts {
  /** Passports issued, delegated and refreshed in the allowance period. */
  passports: number;
  /** Agents that exist now. */
  agents: number;
  drop_offs: number;
  /** Invocations that you made in the allowance period. */
  skill_invocations: number;
  /** Skills that can be invoked now, listed or not. */
  published_skills: number;
}

export interface UsageSeats {
  /** null: without limit. */
  included_seats: number | null;
  purchased_seats: number;
  /** null: without limit. */
  total_seats: number | null;
  /** null: without limit. */
  seat_ceiling: number | null;
  seats_in_use: number;
}

export interface ValidPassport {
  valid: true;
  jti: string;
  agent_id: string;
  expires_at: string;
  /** The `service_id`s that may accept it; null: all that it has scopes for */
  audience: string[] | null;
  claims: PassportClaims;
  authority_refs: LiveAuthorityRef[];
  /** null: neither it nor a passport above has one */
  budget: PassportBudget | null;
}

/** The outcome of a code; the code itself is in no answer. */
export interface VerificationCode {
  /** `sent`: a webhook answered with 2xx, the provider of SMS or the mail server took it. `unknown`: it may have arrived. */
  status: 'waiting' | 'sending' | 'sent' | 'failed' | 'unknown';
  /** Why it was not sent, one word: `expired`, `replaced`, `destination_deleted` or `interrupted`, or one of those that a delivery has; docs/notifications.md lists them. */
  reason: string | null;
  /** A sentence about what went wrong with the call. */
  error: string | null;
  requested_at: string;
  expires_at: string;
}

export interface Verified {
  verified: true;
}

export interface VerifyClaim {
  /** A claim as you hold it, its receipt and co-signatures included. */
  envelope?: unknown;
  /** A claim that is recorded here. */
  claim_id?: string;
}

export interface VerifyDestination {
  code: string;
}

export interface VerifyPassport {
  token: string;
  /** Also check that the passport is for this service: has scopes for it, and names it in its audience, if any */
  service_id?: string;
}

export interface WaitingBundle {
  claim_id: string;
  /** Always `null`. */
  log_index: unknown;
}

/** The available balance has passed below `low_balance_cents` of the operator (`PATCH /v1/operators/me`); again only after it was at or above it. */
export interface WalletLowBalanceNotification {
  event_type: 'wallet.low_balance';
  severity: 'warning';
  payload: WalletLowBalanceNotificationPayload;
  /** When it happened. */
  timestamp: string;
}

export interface WalletLowBalanceNotificationPayload {
  balance_cents: number;
  low_balance_cents: number;
}

/** One movement of money into or out of a wallet. */
export interface WalletTransaction {
  id: string;
  type: 'topup' | 'refund' | 'invocation' | 'compute' | 'identity' | 'overage' | 'adjustment';
  /** Negative for debits. */
  amount_cents: number;
  /** `ledger_balance_cents` right after this row, regardless of the filters. null: a row that an older release wrote during an upgrade. */
  balance_after_cents: number | null;
  meter: WalletTransactionMeter | null;
  description: string;
  created_at: string;
  /** The payment provider's receipt, for a top-up that has one. */
  receipt_url: string | null;
  details: WalletTransactionDetails;
}

export interface WalletTransactionDetails {
  /** For usage: the skill whose charge completed the cent; the same holds for invocation_id. */
  skill_id: string | null;
  invocation_id: string | null;
  mission_id: string | null;
  skill: NamedReference | null;
  invocation: InvocationReference | null;
  mission: MissionReference | null;
  /** The top-up that a credit, a refund, a dispute, a return or the payment of a debt is about; of others null. */
  top_up: TopUpReference | null;
  /** The refund that the row pays, or that came back; null where it was made without us. */
  refund_id: string | null;
  /** The dispute that took the money, or gave it back, and its status today. */
  dispute: DisputeReference | null;
  /** The newest 200. */
  llm_sources: ModelCallSource[];
  /** The newest 200. */
  machine_sources: MachineSource[];
  /** The number of sources of both kinds, also of those that are not shown: `GET /v1/billing/transactions/{id}/sources` has all of them. */
  source_count: number;
  /** The sum of all machine sources, shown or not. */
  machine_cost_microcents: number | null;
  /** `recorded`: the sources make up the whole debit. null: rows of this kind have no sources. */
  source_status: WalletTransactionDetailsSourceStatus | null;
}

export type WalletTransactionDetailsSourceStatus = 'recorded' | 'not_recorded';

export type WalletTransactionMeter =
  | 'sealed_execution'
  | 'llm_gateway'
  | 'identity'
  | 'metered_action'
  | 'sms'
  | 'email'
  | 'l3';

export interface WitnessSignaturesReceived {
  /** The size of the tree whose checkpoint was signed. */
  tree_size: number;
  /** Those whose signatures are kept. */
  witnesses: string[];
}

/** The body of a notification; its `event_type` tells which. */
export type Notification =
  | PassportFlaggedNotification
  | PassportBlockedNotification
  | AgentBlockedNotification
  | PassportMissedCheckoutNotification
  | ApprovalRequestedNotification
  | ApprovalExpiringNotification
  | ReviewPendingNotification
  | MemberInvitedNotification
  | ApiKeyCreatedNotification
  | OperatorAddressChangedNotification
  | AgentUnblockedNotification
  | InvocationCreatedNotification
  | InvocationCompletedNotification
  | InvocationFailedNotification
  | InvocationExpiredNotification
  | InvocationCancelledNotification
  | WalletLowBalanceNotification
  | InboundBlockedNotification
  | InboundSlowNotification
  | InboundRecoveredNotification
  | DestinationSlowNotification
  | DestinationRecoveredNotification
  | NotificationTestNotification
  | DestinationVerificationNotification;

/** Each operation: what it takes, and what it answers. */
export interface Operations {
  /** Register an operator and make its first key */
  registerOperator: {
    arguments: {
      body: RegisterOperator;
    };
    answer: RegisteredOperator;
  };
  /** Show the operator that the key belongs to */
  getOwnOperator: { arguments: {}; answer: Operator };
  /** Change the name, the e-mail address, the payout account, the low balance, the public keys or what passports may do of the operator */
  updateOwnOperator: {
    arguments: {
      body: UpdateOperator;
    };
    answer: Operator;
  };
  /** Make an API key */
  createApiKey: {
    arguments: {
      body: CreateApiKey;
    };
    answer: CreatedApiKey;
  };
  /** List the API keys of the operator, newest first */
  listApiKeys: {
    arguments: {
      query?: {
        /** Default: `20`. */
        limit?: number;
        /** Default: `0`. */
        offset?: number;
        /** Those of this agent alone. */
        agent_id?: string;
      };
    };
    answer: ListApiKeysAnswer;
  };
  /** Read an API key, without its secret */
  getApiKey: {
    arguments: {
      path: {
        id: string;
      };
    };
    answer: ApiKey;
  };
  /** Delete an API key */
  deleteApiKey: {
    arguments: {
      path: {
        id: string;
      };
    };
    answer: Deleted;
  };
  /** Invite a person to work for this operator */
  addMember: {
    arguments: {
      body: AddMember;
    };
    answer: Member;
  };
  /** List the members of the operator and those it has invited, newest first */
  listMembers: {
    arguments: {
      query?: {
        /** Default: `20`. */
        limit?: number;
        /** Default: `0`. */
        offset?: number;
      };
    };
    answer: ListMembersAnswer;
  };
  /** Show a member */
  getMember: {
    arguments: {
      path: {
        id: string;
      };
    };
    answer: Member;
  };
  /** Remove a member and end their dashboard sessions */
  deleteMember: {
    arguments: {
      path: {
        id: string;
      };
    };
    answer: Deleted;
  };
  /** Register an agent */
  createAgent: {
    arguments: {
      body: CreateAgent;
    };
    answer: Agent;
  };
  /** List the agents of the operator, newest first */
  listAgents: {
    arguments: {
      query?: {
        /** Default: `20`. */
        limit?: number;
        /** Default: `0`. */
        offset?: number;
      };
    };
    answer: ListAgentsAnswer;
  };
  /** Show an agent */
  getAgent: {
    arguments: {
      path: {
        id: string;
      };
    };
    answer: Agent;
  };
  /** Change or retire an agent */
  updateAgent: {
    arguments: {
      path: {
        id: string;
      };
      body: UpdateAgent;
    };
    answer: Agent;
  };
  /** Show what an agent has to answer for: its blocks, reviews and flags */
  getAgentConduct: {
    arguments: {
      path: {
        id: string;
      };
    };
    answer: AgentConduct;
  };
  /** Lift the blocks of an agent, and what blocked reviews hold of it */
  unblockAgent: {
    arguments: {
      path: {
        id: string;
      };
      body?: UnblockAgent;
    };
    answer: Agent;
  };
  /** Let a partner make agents and inbound endpoints */
  createPartnerGrant: {
    arguments: {
      body: CreatePartnerGrant;
    };
    answer: CreatedPartnerGrant;
  };
  /** List the partner grants of the operator, newest first */
  listPartnerGrants: {
    arguments: {
      query?: {
        /** Default: `20`. */
        limit?: number;
        /** Default: `0`. */
        offset?: number;
      };
    };
    answer: ListPartnerGrantsAnswer;
  };
  /** Show a partner grant */
  getPartnerGrant: {
    arguments: {
      path: {
        id: string;
      };
    };
    answer: PartnerGrant;
  };
  /** Delete a partner grant */
  deletePartnerGrant: {
    arguments: {
      path: {
        id: string;
      };
    };
    answer: Deleted;
  };
  /** List what was changed, by whom, newest first */
  listAuditEvents: {
    arguments: {
      query?: {
        /** Default: `50`. */
        limit?: number;
        /** next_cursor of the page before */
        cursor?: string;
        /** Only what this credential or part of the service did. */
        actor?: string;
        /** Only acts whose name begins so: `agent.`, or `member.invited`. */
        action?: string;
        /** Only what was done to this. */
        target?: string;
      };
    };
    answer: ListAuditEventsAnswer;
  };
  /** List the operators, newest first */
  listOperators: {
    arguments: {
      query?: {
        /** Default: `50`. */
        limit?: number;
        /** next_cursor of the page before */
        cursor?: string;
        /** Those whose name begins so, without regard to case. */
        name?: string;
        /** Those with this e-mail address, without regard to case. */
        email?: string;
        status?: 'active' | 'suspended';
      };
    };
    answer: ListOperatorsAnswer;
  };
  /** Show an operator */
  getOperator: {
    arguments: {
      path: {
        id: string;
      };
    };
    answer: Operator;
  };
  /** Set tier, suspension or commission of an operator */
  administerOperator: {
    arguments: {
      path: {
        id: string;
      };
      body: AdministerOperator;
    };
    answer: Operator;
  };
  /** Connect a service */
  createServiceConnection: {
    arguments: {
      body: CreateServiceConnection;
    };
    answer: ServiceConnection;
  };
  /** List the connected services of the operator, newest first */
  listServiceConnections: {
    arguments: {
      query?: {
        /** Default: `20`. */
        limit?: number;
        /** Default: `0`. */
        offset?: number;
      };
    };
    answer: ListServiceConnectionsAnswer;
  };
  /** Show a connected service */
  getServiceConnection: {
    arguments: {
      path: {
        id: string;
      };
    };
    answer: ServiceConnection;
  };
  /** Change or disable a connected service */
  updateServiceConnection: {
    arguments: {
      path: {
        id: string;
      };
      body: UpdateServiceConnection;
    };
    answer: ServiceConnection;
  };
  /** Disconnect a service */
  deleteServiceConnection: {
    arguments: {
      path: {
        id: string;
      };
    };
    answer: Deleted;
  };
  /** Set what an agent may use of a connected service */
  putGrant: {
    arguments: {
      path: {
        id: string;
        service_connection_id: string;
      };
      body: PutGrant;
    };
    answer: Grant;
  };
  /** Show what an agent may use of a connected service */
  getGrant: {
    arguments: {
      path: {
        id: string;
        service_connection_id: string;
      };
    };
    answer: Grant;
  };
  /** Take a connected service away from an agent */
  deleteGrant: {
    arguments: {
      path: {
        id: string;
        service_connection_id: string;
      };
    };
    answer: Deleted;
  };
  /** List what an agent may use, the newest connection first */
  listGrants: {
    arguments: {
      path: {
        id: string;
      };
      query?: {
        /** Default: `20`. */
        limit?: number;
        /** Default: `0`. */
        offset?: number;
      };
    };
    answer: ListGrantsAnswer;
  };
  /** Declare a mission */
  createMission: {
    arguments: {
      body: CreateMission;
    };
    answer: Mission;
  };
  /** List the missions of the operator, newest first */
  listMissions: {
    arguments: {
      query?: {
        /** Default: `20`. */
        limit?: number;
        /** Default: `0`. */
        offset?: number;
      };
    };
    answer: ListMissionsAnswer;
  };
  /** Show a mission */
  getMission: {
    arguments: {
      path: {
        id: string;
      };
    };
    answer: Mission;
  };
  /** Complete a mission */
  completeMission: {
    arguments: {
      path: {
        id: string;
      };
    };
    answer: Mission;
  };
  /** Bind an agent and its current key to a receiver */
  createAuthorityBinding: {
    arguments: {
      body: CreateAuthorityBinding;
    };
    answer: AuthorityBindingWithDocument;
  };
  /** List the authority bindings of the operator, newest first, without their documents */
  listAuthorityBindings: {
    arguments: {
      query?: {
        /** Default: `20`. */
        limit?: number;
        /** Default: `0`. */
        offset?: number;
      };
    };
    answer: ListAuthorityBindingsAnswer;
  };
  /** Show an authority binding */
  getAuthorityBinding: {
    arguments: {
      path: {
        id: string;
      };
    };
    answer: AuthorityBindingWithDocument;
  };
  /** Revoke an authority binding */
  revokeAuthorityBinding: {
    arguments: {
      path: {
        id: string;
      };
    };
    answer: AuthorityBindingWithDocument;
  };
  /** Attest something about an operator or an agent */
  createIdentityClaim: {
    arguments: {
      body: CreateIdentityClaim;
    };
    answer: IdentityClaim;
  };
  /** List the identity claims of the operator and its agents, newest first */
  listIdentityClaims: {
    arguments: {
      query?: {
        /** Default: `20`. */
        limit?: number;
        /** Default: `0`. */
        offset?: number;
        operator_id?: string;
        agent_id?: string;
      };
    };
    answer: ListIdentityClaimsAnswer;
  };
  /** Read an identity claim of the operator or of its agents */
  getIdentityClaim: {
    arguments: {
      path: {
        id: string;
      };
    };
    answer: IdentityClaim;
  };
  /** Revoke an identity claim */
  deleteIdentityClaim: {
    arguments: {
      path: {
        id: string;
      };
    };
    answer: Deleted;
  };
  /** Publish a skill */
  publishSkill: {
    arguments: {
      body: PublishSkill;
    };
    answer: Skill;
  };
  /** Browse and search the marketplace */
  browseSkills: {
    arguments: {
      query?: {
        /** Words of name, description and tags, any of them: what has more of them, and rarer ones, comes first. The last one may be a beginning, and a misspelt one is found. */
        q?: string;
        /** The same as `q`, by its earlier name. */
        search?: string;
        /** Best match, lowest price, best rated, last published or most completed invocations first. Without words and tags, relevance is newest. */
        sort?: 'relevance' | 'price' | 'rating' | 'newest' | 'most_used';
        max_price_cents?: number;
        /** Other than active: skills of your own. */
        status?: 'active' | 'suspended' | 'unlisted' | 'pending_review';
        /** The level required, exactly. */
        trust_level?: 'L0' | 'L1' | 'L2';
        /** The level required, at most. */
        max_trust_level?: 'L0' | 'L1' | 'L2';
        /** Repeated or separated by commas; skills with any of them, most in common first. */
        tags?: string[];
        /** Default: `"any"`. */
        tags_match?: 'any' | 'all';
        /** Default: `20`. */
        limit?: number;
        /** Default: `0`. */
        offset?: number;
        /** next_cursor of the page before */
        cursor?: string;
      };
    };
    answer: BrowseSkillsAnswer;
  };
  /** List the skills you published, in every status */
  listOwnSkills: {
    arguments: {
      query?: {
        /** Default: `1000`. */
        limit?: number;
        /** next_cursor of the page before */
        cursor?: string;
      };
    };
    answer: ListOwnSkillsAnswer;
  };
  /** List your favourite skills, last added first */
  listFavoriteSkills: {
    arguments: {
      query?: {
        /** Default: `1000`. */
        limit?: number;
        /** next_cursor of the page before */
        cursor?: string;
        /** This skill alone: the list is empty where it is no favourite. */
        skill_id?: string;
      };
    };
    answer: ListFavoriteSkillsAnswer;
  };
  /** List the revisions of a skill, newest first */
  listSkillVersions: {
    arguments: {
      path: {
        id: string;
      };
      query?: {
        /** Default: `1000`. */
        limit?: number;
        /** next_cursor of the page before */
        cursor?: string;
      };
    };
    answer: ListSkillVersionsAnswer;
  };
  /** List the skills that wait for review, and those with a change that does, longest waiting first */
  listPendingSkillReviews: {
    arguments: {
      query?: {
        /** Default: `1000`. */
        limit?: number;
        /** next_cursor of the page before */
        cursor?: string;
      };
    };
    answer: ListPendingSkillReviewsAnswer;
  };
  /** Approve a skill that waits for review, or a change of one */
  approveSkill: {
    arguments: {
      path: {
        id: string;
      };
      body?: ApproveSkill;
    };
    answer: Skill;
  };
  /** Reject a skill that waits for review, or a change of one */
  rejectSkill: {
    arguments: {
      path: {
        id: string;
      };
      body?: RejectSkill;
    };
    answer: Skill;
  };
  /** Take a skill down; its owner cannot bring it back without a review */
  takeDownSkill: {
    arguments: {
      path: {
        id: string;
      };
      body: TakeDownSkill;
    };
    answer: Skill;
  };
  /** List the skills on the market as servers of an MCP registry */
  listRegistryServers: {
    arguments: {
      query?: {
        /** Default: `30`. */
        limit?: number;
        /** metadata.nextCursor of the page before */
        cursor?: string;
        /** A part of the name of the skill, or the whole name or id of the server. */
        search?: string;
        updated_since?: string;
        /** `latest`, or what the present version must be. */
        version?: string;
        /** Changes nothing: what is not on the market is not shown. */
        include_deleted?: 'true' | 'false';
      };
    };
    answer: RegistryServerList;
  };
  /** List the versions of a server of the registry */
  listRegistryServerVersions: {
    arguments: {
      path: {
        name: string;
      };
      query?: {
        /** Changes nothing: what is not on the market is not shown. */
        include_deleted?: 'true' | 'false';
      };
    };
    answer: RegistryServerList;
  };
  /** Read a version of a server of the registry */
  readRegistryServer: {
    arguments: {
      path: {
        name: string;
        version: string;
      };
      query?: {
        /** Changes nothing: what is not on the market is not shown. */
        include_deleted?: 'true' | 'false';
      };
    };
    answer: RegistryServer;
  };
  /** Read a skill */
  readSkill: {
    arguments: {
      path: {
        id: string;
      };
    };
    answer: Skill;
  };
  /** Change a skill */
  updateSkill: {
    arguments: {
      path: {
        id: string;
      };
      body: UpdateSkill;
    };
    answer: Skill;
  };
  /** Take a skill offline */
  suspendSkill: {
    arguments: {
      path: {
        id: string;
      };
    };
    answer: Skill;
  };
  /** Bring a skill back */
  activateSkill: {
    arguments: {
      path: {
        id: string;
      };
    };
    answer: Skill;
  };
  /** Remove a skill from browsing; it can still be invoked by id */
  unlistSkill: {
    arguments: {
      path: {
        id: string;
      };
    };
    answer: Skill;
  };
  /** Add a skill to the favourites */
  favoriteSkill: {
    arguments: {
      path: {
        id: string;
      };
    };
    answer: Favorited;
  };
  /** Remove a skill from the favourites */
  unfavoriteSkill: {
    arguments: {
      path: {
        id: string;
      };
    };
    answer: Favorited;
  };
  /** Rate a skill */
  rateSkill: {
    arguments: {
      path: {
        id: string;
      };
      body: RateSkill;
    };
    answer: Rated;
  };
  /** Read the rating summary of a skill */
  readSkillRatings: {
    arguments: {
      path: {
        id: string;
      };
    };
    answer: RatingSummary;
  };
  /** Find skills that could stand in for a skill */
  findSimilarSkills: {
    arguments: {
      path: {
        id: string;
      };
    };
    answer: SimilarSkills;
  };
  /** Check whether claims satisfy the trust level of a skill */
  checkSkillTrust: {
    arguments: {
      path: {
        id: string;
      };
      body: CheckTrust;
    };
    answer: TrustEvaluation;
  };
  /** Check a skill before it is published */
  checkSkill: {
    arguments: {
      body: CheckSkill;
    };
    answer: CheckedSkill;
  };
  /** Enter your own key for a provider of language models, or replace it */
  putCredential: {
    arguments: {
      path: {
        provider: string;
      };
      body: PutCredential;
    };
    answer: Credential;
  };
  /** Show your key for a provider of language models by its last characters */
  getCredential: {
    arguments: {
      path: {
        provider: string;
      };
    };
    answer: Credential;
  };
  /** Delete your key for a provider of language models */
  deleteCredential: {
    arguments: {
      path: {
        provider: string;
      };
    };
    answer: Deleted;
  };
  /** List your keys for providers of language models, by provider */
  listCredentials: {
    arguments: {
      query?: {
        /** Default: `20`. */
        limit?: number;
        /** Default: `0`. */
        offset?: number;
      };
    };
    answer: ListCredentialsAnswer;
  };
  /** List what you invoked, newest first */
  listMyInvocations: {
    arguments: {
      query?: {
        /** Default: `1000`. */
        limit?: number;
        /** next_cursor of the page before */
        cursor?: string;
        status?: 'pending' | 'processing' | 'completed' | 'failed' | 'expired';
        skill_id?: string;
      };
    };
    answer: ListMyInvocationsAnswer;
  };
  /** List what was invoked of your skills, newest first */
  listProvidedInvocations: {
    arguments: {
      query?: {
        /** Default: `1000`. */
        limit?: number;
        /** next_cursor of the page before */
        cursor?: string;
        status?: 'pending' | 'processing' | 'completed' | 'failed' | 'expired';
        skill_id?: string;
      };
    };
    answer: ListProvidedInvocationsAnswer;
  };
  /** List work waiting for your skills, oldest first */
  listPendingInvocations: {
    arguments: {
      query?: {
        /** Default: `1000`. */
        limit?: number;
        /** next_cursor of the page before */
        cursor?: string;
        skill_id?: string;
      };
    };
    answer: ListPendingInvocationsAnswer;
  };
  /** Read an invocation as its consumer or provider */
  getInvocation: {
    arguments: {
      path: {
        id: string;
      };
    };
    answer: EvidencedInvocation;
  };
  /** Show where an invocation of any operator stands */
  overseeInvocation: {
    arguments: {
      path: {
        id: string;
      };
    };
    answer: OverseenInvocation;
  };
  /** Claim a pending invocation of your skill */
  claimInvocation: {
    arguments: {
      path: {
        id: string;
      };
      body?: ClaimInvocation;
    };
    answer: Invocation;
  };
  /** Deliver the output of an invocation you claimed */
  completeInvocation: {
    arguments: {
      path: {
        id: string;
      };
      body: CompleteInvocation;
    };
    answer: Invocation;
  };
  /** Give up an invocation you claimed */
  failInvocation: {
    arguments: {
      path: {
        id: string;
      };
      body: FailInvocation;
    };
    answer: Invocation;
  };
  /** Withdraw an invocation that nobody has claimed */
  cancelInvocation: {
    arguments: {
      path: {
        id: string;
      };
    };
    answer: Invocation;
  };
  /** Keep the lease of an invocation you claimed */
  heartbeatInvocation: {
    arguments: {
      path: {
        id: string;
      };
      body?: HeartbeatInvocation;
    };
    answer: Invocation;
  };
  /** Invoke a skill */
  invokeSkill: {
    arguments: {
      path: {
        id: string;
      };
      body: InvokeSkill;
    };
    answer: Invocation;
  };
  /** Try a skill of yours that the service executes, also before its review */
  trySkill: {
    arguments: {
      path: {
        id: string;
      };
      body: InvokeSkill;
    };
    answer: Invocation;
  };
  /** Post a request for a skill */
  postSkillRequest: {
    arguments: {
      body: PostSkillRequest;
    };
    answer: SkillRequest;
  };
  /** Read the request board, newest first */
  listSkillRequests: {
    arguments: {
      query?: {
        status?: 'open' | 'closed' | 'fulfilled';
        /** Default: `20`. */
        limit?: number;
        /** Default: `0`. */
        offset?: number;
      };
    };
    answer: ListSkillRequestsAnswer;
  };
  /** Read a request */
  readSkillRequest: {
    arguments: {
      path: {
        id: string;
      };
    };
    answer: SkillRequest;
  };
  /** Change the status or the description of your request */
  updateSkillRequest: {
    arguments: {
      path: {
        id: string;
      };
      body: ChangeSkillRequest;
    };
    answer: SkillRequest;
  };
  /** Find skills that fit a request, with score and reasons */
  matchSkillRequest: {
    arguments: {
      path: {
        id: string;
      };
    };
    answer: SkillMatches;
  };
  /** Suggest skills that together give what a request needs */
  suggestForSkillRequest: {
    arguments: {
      path: {
        id: string;
      };
    };
    answer: SkillSuggestions;
  };
  /** Check a passport: signature, expiry, revocation */
  verifyPassport: {
    arguments: {
      body: VerifyPassport;
    };
    answer: PassportVerification;
  };
  /** Introspect a passport (RFC 7662) */
  introspectPassport: {
    arguments: {
      body: IntrospectPassport;
    };
    answer: PassportIntrospection;
  };
  /** Issue a passport for an agent */
  issuePassport: {
    arguments: {
      body: IssuePassport;
    };
    answer: SignedPassport;
  };
  /** Give another agent a narrower passport */
  delegatePassport: {
    arguments: {
      body: DelegatePassport;
    };
    answer: SignedPassport;
  };
  /** Continue a passport under a new jti */
  refreshPassport: {
    arguments: {
      body: RefreshPassport;
    };
    answer: SignedPassport;
  };
  /** Revoke a passport with its refreshes and delegations */
  revokePassport: {
    arguments: {
      body: RevokePassport;
    };
    answer: RevokedPassport;
  };
  /** Revoke all passports of an agent */
  revokeAgentPassports: {
    arguments: {
      path: {
        agentId: string;
      };
      body?: RevokePassports;
    };
    answer: RevokedPassports;
  };
  /** Revoke all passports of a session: of one call of issue */
  revokeSessionPassports: {
    arguments: {
      path: {
        sessionId: string;
      };
      body?: RevokePassports;
    };
    answer: RevokedPassports;
  };
  /** Revoke every active passport of the operator */
  revokeAllPassports: {
    arguments: {
      body?: RevokeAllPassports;
    };
    answer: RevokedPassports;
  };
  /** List the active passports, newest first */
  listActivePassports: {
    arguments: {
      query?: {
        agent_id?: string;
        session_id?: string;
      };
    };
    answer: ActivePassport[];
  };
  /** List passports, newest first */
  listPassports: {
    arguments: {
      query?: {
        /** Default: `20`. */
        limit?: number;
        /** next_cursor of the page before */
        cursor?: string;
        agent_id?: string;
        session_id?: string;
        status?: 'active' | 'expired' | 'revoked';
      };
    };
    answer: ListPassportsAnswer;
  };
  /** Show the public keys of passports */
  getJwks: { arguments: {}; answer: Jwks };
  /** Show which passports of today are revoked */
  getStatusList: { arguments: {}; answer: string };
  /** Show which passports of a day are revoked */
  getStatusListOfDay: {
    arguments: {
      path: {
        day: string;
      };
    };
    answer: string;
  };
  /** Sign passports with the next key from now on */
  rotateSigningKeys: {
    arguments: {
      body?: RotateSigningKeys;
    };
    answer: SigningKeys;
  };
  /** List the reviews that wait for a decision, or those decided in one way, newest first */
  listPassportReviews: {
    arguments: {
      query?: {
        /** Left out: those that wait for a decision */
        status?: 'pending' | 'approved' | 'blocked';
        /** Default: `1`. */
        page?: number;
        /** Default: `20`. */
        limit?: number;
      };
    };
    answer: PassportReviews;
  };
  /** Decide a review */
  decidePassportReview: {
    arguments: {
      path: {
        checkoutId: string;
      };
      body: DecideReview;
    };
    answer: ReviewDecision;
  };
  /** Report what was done with a passport since the last checkpoint */
  submitCheckpoint: {
    arguments: {
      path: {
        jti: string;
      };
      body: CheckpointReport;
    };
    answer: CheckpointAnswer;
  };
  /** Report that the work is done */
  submitCheckout: {
    arguments: {
      path: {
        jti: string;
      };
      body: CheckoutReport;
    };
    answer: CheckoutAnswer;
  };
  /** Read the accountability report of a passport */
  readAccountabilityReport: {
    arguments: {
      path: {
        jti: string;
      };
    };
    answer: AccountabilityReport;
  };
  /** Block an agent without a review */
  blockAgent: {
    arguments: {
      path: {
        id: string;
      };
      body?: BlockAgent;
    };
    answer: Agent;
  };
  /** Show a passport */
  getPassport: {
    arguments: {
      path: {
        jti: string;
      };
    };
    answer: EvidencedPassport;
  };
  /** Read the balance of your wallet */
  getBalance: { arguments: {}; answer: Balance };
  /** Put cents into the wallet of an operator, or take them out */
  createAdjustment: {
    arguments: {
      path: {
        id: string;
      };
      body: CreateAdjustment;
    };
    answer: WalletTransaction;
  };
  /** List what is held of your wallet, and for what, newest first */
  listHolds: {
    arguments: {
      query?: {
        /** Default: `20`. */
        limit?: number;
        /** next_cursor of the page before */
        cursor?: string;
      };
    };
    answer: ListHoldsAnswer;
  };
  /** List what your wallet owes or has owed, newest first */
  listReceivables: {
    arguments: {
      query?: {
        /** Default: `20`. */
        limit?: number;
        /** next_cursor of the page before */
        cursor?: string;
      };
    };
    answer: ListReceivablesAnswer;
  };
  /** Read the statement of your wallet, newest first */
  listTransactions: {
    arguments: {
      query?: {
        /** 50 unless given; 2000 as CSV. */
        limit?: number;
        /** next_cursor of the page before */
        cursor?: string;
        /** Wallet rows and model calls in one order. */
        view?: 'timeline';
        /** Which rows of the timeline to show; ignored without it. */
        entry_kind?: 'all' | 'wallet' | 'llm';
        /** On the timeline it leaves wallet rows only, as direction does: a model call has neither. */
        type?: 'topup' | 'refund' | 'invocation' | 'compute' | 'identity' | 'overage' | 'adjustment';
        /** `in`: credits. `out`: debits, refunds of top-ups among them. */
        direction?: 'in' | 'out';
        /** At that instant or later. */
        since?: string;
        /** Before that instant. */
        until?: string;
      };
    };
    answer: ListTransactionsAnswer | string;
  };
  /** Read what moved in your wallet by day and type, over the last 30 days */
  getDailySums: { arguments: {}; answer: DailySums };
  /** Read a row of your wallet */
  getTransaction: {
    arguments: {
      path: {
        id: string;
      };
    };
    answer: WalletTransaction;
  };
  /** List the model calls and machine runs that a debit stands for, oldest first */
  listTransactionSources: {
    arguments: {
      path: {
        id: string;
      };
      query?: {
        /** Default: `200`. */
        limit?: number;
        /** next_cursor of the page before */
        cursor?: string;
      };
    };
    answer: DebitSources;
  };
  /** Read what you used of what your tier includes */
  getUsage: { arguments: {}; answer: Usage };
  /** Read what your skills have earned */
  getEarnings: { arguments: {}; answer: Earnings };
  /** List the monthly statements of your earnings, newest first */
  listPayouts: {
    arguments: {
      query?: {
        /** Default: `20`. */
        limit?: number;
        /** next_cursor of the page before */
        cursor?: string;
      };
    };
    answer: ListPayoutsAnswer;
  };
  /** Change to another tier */
  subscribe: {
    arguments: {
      body: Subscribe;
    };
    answer: Subscribed;
  };
  /** End the subscription at the end of its period, and give up a change that is not paid */
  cancelSubscription: { arguments: {}; answer: CanceledSubscription };
  /** Give up a change that waits to be paid; a subscription that runs goes on */
  giveUpSubscriptionChange: { arguments: {}; answer: Deleted };
  /** Open the page of a change that waits to be paid */
  openSubscriptionChange: { arguments: {}; answer: Subscribed };
  /** Read your subscription */
  getSubscription: { arguments: {}; answer: Subscription };
  /** Set how many seats you buy in addition to those of your tier */
  setSeats: {
    arguments: {
      body: SetSeats;
    };
    answer: Seats;
  };
  /** Open the page for invoices and payment methods */
  openPortal: { arguments: {}; answer: Portal };
  /** Top up your wallet */
  createTopUp: {
    arguments: {
      body: CreateTopUp;
    };
    answer: TopUp;
  };
  /** List your top-ups with the addresses of their pages, newest first */
  listTopUps: {
    arguments: {
      query?: {
        /** Default: `20`. */
        limit?: number;
        /** next_cursor of the page before */
        cursor?: string;
        /** Only those that can still be paid. */
        state?: 'unpaid';
      };
    };
    answer: ListTopUpsAnswer;
  };
  /** End the page of a top-up that nobody has paid */
  endTopUp: {
    arguments: {
      path: {
        id: string;
      };
    };
    answer: ListedTopUp;
  };
  /** Refund a top-up to the original payment method */
  refundTransaction: {
    arguments: {
      path: {
        transactionId: string;
      };
    };
    answer: Refund;
  };
  /** List the refunds that you requested, newest first */
  listRefunds: {
    arguments: {
      query?: {
        /** Default: `20`. */
        limit?: number;
        /** next_cursor of the page before */
        cursor?: string;
        /** Those of this top-up alone, by its row of the wallet. */
        transaction_id?: string;
      };
    };
    answer: ListRefundsAnswer;
  };
  /** Read a refund */
  getRefund: {
    arguments: {
      path: {
        id: string;
      };
    };
    answer: Refund;
  };
  /** List the disputes of your payments */
  listDisputes: {
    arguments: {
      query?: {
        /** Default: `20`. */
        limit?: number;
        /** next_cursor of the page before */
        cursor?: string;
      };
    };
    answer: ListDisputesAnswer;
  };
  /** List your payments that are not the ones requested, newest first */
  listDifferingPayments: {
    arguments: {
      query?: {
        /** Default: `20`. */
        limit?: number;
        /** next_cursor of the page before */
        cursor?: string;
      };
    };
    answer: ListDifferingPaymentsAnswer;
  };
  /** Receive an event of the payment provider */
  receivePaymentWebhook: {
    arguments: {
      body: unknown;
    };
    answer: PaymentWebhookReceived;
  };
  /** List what waits for a person: refunds and lives that hang, payments that differ, debts, alarms */
  listBillingCases: {
    arguments: {
      query?: {
        /** Default: `50`. */
        limit?: number;
        /** next_cursor of the page before */
        cursor?: string;
        operator_id?: string;
      };
    };
    answer: ListBillingCasesAnswer;
  };
  /** Settle a refund that is still pending, or release what it holds */
  settleRefund: {
    arguments: {
      path: {
        id: string;
      };
      body: SettleRefund;
    };
    answer: DecidedBillingCase;
  };
  /** Give up what is still owed of a receivable */
  closeReceivable: {
    arguments: {
      path: {
        id: string;
      };
      body: DecideBillingCase;
    };
    answer: DecidedBillingCase;
  };
  /** Credit a payment that is not the one requested, by what was paid */
  takeDifferingPayment: {
    arguments: {
      path: {
        id: string;
      };
      body: DecideBillingCase;
    };
    answer: DecidedBillingCase;
  };
  /** Note that a payment that is not the one requested was settled elsewhere */
  dismissDifferingPayment: {
    arguments: {
      path: {
        id: string;
      };
      body: DecideBillingCase;
    };
    answer: DecidedBillingCase;
  };
  /** Note that a person has looked at an alarm */
  dismissBillingAlarm: {
    arguments: {
      path: {
        id: string;
      };
      body: DecideBillingCase;
    };
    answer: DecidedBillingCase;
  };
  /** List what waits for a person, and what was decided, newest first */
  listApprovals: {
    arguments: {
      query?: {
        /** Default: `20`. */
        limit?: number;
        /** Default: `0`. */
        offset?: number;
        status?: 'pending' | 'approved' | 'rejected' | 'expired' | 'consumed';
      };
    };
    answer: ListApprovalsAnswer;
  };
  /** Show an approval */
  getApproval: {
    arguments: {
      path: {
        id: string;
      };
    };
    answer: ApprovalWithBody;
  };
  /** Reject many requests together */
  rejectRequests: {
    arguments: {
      body: RejectApprovals;
    };
    answer: RejectRequestsAnswer;
  };
  /** Approve a request, once */
  approveRequest: {
    arguments: {
      path: {
        id: string;
      };
    };
    answer: Approval;
  };
  /** Reject a request, or withdraw an approval that is not used yet */
  rejectRequest: {
    arguments: {
      path: {
        id: string;
      };
    };
    answer: Approval;
  };
  /** Mail a one-time code to sign in with */
  sendSignInCode: {
    arguments: {
      body: RequestCode;
    };
    answer: CodeSent;
  };
  /** List where you are signed in, newest first */
  listSessions: {
    arguments: {
      query?: {
        /** Default: `20`. */
        limit?: number;
        /** Default: `0`. */
        offset?: number;
      };
    };
    answer: ListSessionsAnswer;
  };
  /** End all of your sessions but the one that asks */
  endOtherSessions: { arguments: {}; answer: SessionsEnded };
  /** Sign in with the code of the mail */
  signIn: {
    arguments: {
      body: SignIn;
    };
    answer: DashboardSession;
  };
  /** Show who is signed in */
  getCurrentSession: { arguments: {}; answer: DashboardSession };
  /** Sign out */
  signOut: { arguments: {}; answer: Deleted };
  /** End one of your sessions */
  endSession: {
    arguments: {
      path: {
        id: string;
      };
    };
    answer: Deleted;
  };
  /** Show when a life is looked at next, its newest run in Temporal, and why it could not be delivered */
  getLife: {
    arguments: {
      path: {
        id: string;
      };
    };
    answer: Life;
  };
  /** List the mails and SMS that stay here while nobody is configured who sends them, newest first */
  listOutbox: {
    arguments: {
      query?: {
        /** Default: `20`. */
        limit?: number;
        /** Default: `0`. */
        offset?: number;
        /** Only those to this e-mail address or number */
        to?: string;
      };
    };
    answer: ListOutboxAnswer;
  };
  /** Submit a claim */
  submitClaim: {
    arguments: {
      body: ClaimEnvelope;
    };
    answer: Claim;
  };
  /** List the claims that the operator issued and those that concern it, newest first */
  listClaims: {
    arguments: {
      query?: {
        /** Left out: 20, of an export 1000. */
        limit?: number;
        /** next_cursor of the page before */
        cursor?: string;
        issuer?: string;
        subject?: string;
        claim_type?:
          | 'svid_attestation'
          | 'workload_attestation'
          | 'rats_evidence'
          | 'slsa_provenance'
          | 'c2pa_assertion'
          | 'ai_bom_ref'
          | 'intent_claim'
          | 'intent_outcome'
          | 'intent_denial'
          | 'intent_simulation'
          | 'entity_observation'
          | 'detector_signal'
          | 'skill_invocation'
          | 'checkpoint_approval'
          | 'identity_claim'
          | 'mission'
          | 'behavioral_genome'
          | 'twin_divergence'
          | 'evidence_pack'
          | 'operator_decision'
          | 'operator_review'
          | 'external_proof_verification'
          | 'authority_binding'
          | 'authority_approval'
          | 'authority_use'
          | 'receiver_transaction_receipt'
          | 'authority_erasure_tombstone'
          | 'passport_color'
          | 'dossier'
          | 'chain_anchor';
        /** The agent in the payload, or the one that a claim of the service is about. */
        agent_id?: string;
        mission_ref?: string;
        /** Issued then or later; issued_at of 1e11 and more counts as milliseconds. */
        since?: string;
        /** Issued before. */
        until?: string;
        /** Claims whose payload names this claim. */
        ref?: string;
      };
    };
    answer: ListClaimsAnswer | string;
  };
  /** List the claim types and their schemas */
  listClaimSchemas: { arguments: {}; answer: ClaimSchemas };
  /** Read the JSON Schema of the payload of a claim type, or of the `envelope` */
  readClaimSchema: {
    arguments: {
      path: {
        type: string;
      };
    };
    answer: ReadClaimSchemaAnswer;
  };
  /** Read a claim */
  readClaim: {
    arguments: {
      path: {
        id: string;
      };
    };
    answer: ReadClaimAnswer;
  };
  /** Verify a claim that you hold, or one that is recorded here */
  verifyClaim: {
    arguments: {
      body: VerifyClaim;
    };
    answer: ClaimVerification;
  };
  /** Revoke a claim that you issued */
  revokeClaim: {
    arguments: {
      path: {
        id: string;
      };
      body?: RevokeClaim;
    };
    answer: Claim;
  };
  /** Erase the payload of a claim that you issued */
  eraseClaim: {
    arguments: {
      path: {
        id: string;
      };
      body?: EraseClaim;
    };
    answer: Claim;
  };
  /** Add a co-signature to a claim that you read in full */
  addClaimCoSignature: {
    arguments: {
      path: {
        id: string;
      };
      body: AddCoSignature;
    };
    answer: KeptCoSignature;
  };
  /** Read the receipt of a claim: the proof that it is in the log */
  readClaimReceipt: {
    arguments: {
      path: {
        id: string;
      };
    };
    answer: ClaimLogReceipt | Uint8Array;
  };
  /** Read everything that proves a claim, in one file for verifying it offline */
  readClaimBundle: {
    arguments: {
      path: {
        id: string;
      };
    };
    answer: ReadClaimBundleAnswer;
  };
  /** Read the newest checkpoint of the log that enough witnesses have signed */
  readLogCheckpoint: { arguments: {}; answer: string };
  /** Read the newest checkpoint of the log, no matter which witnesses have signed it */
  readNewestLogCheckpoint: { arguments: {}; answer: string };
  /** Prove that a claim is in the log, in a tree of any size that was published */
  proveLogInclusion: {
    arguments: {
      query: {
        claim_id: string;
        /** The size of the tree in which it is proven; the published one unless given. */
        tree_size?: number;
      };
    };
    answer: LogInclusion;
  };
  /** Prove that one published tree of the log is the beginning of another */
  proveLogConsistency: {
    arguments: {
      query: {
        from: number;
        to: number;
      };
    };
    answer: LogConsistency;
  };
  /** Show the public key of the log */
  listLogKeys: { arguments: {}; answer: LogKeys };
  /** Read the verifier key of the log: one line of text */
  readLogVerifierKey: { arguments: {}; answer: string };
  /** Show a public key of the log by its id */
  readLogKey: {
    arguments: {
      path: {
        kid: string;
      };
    };
    answer: LogKey;
  };
  /** Read the entries of a tile of the log: the signed bytes of its claims */
  readLogEntries: {
    arguments: {
      path: {
        element_a: string;
      };
    };
    answer: Uint8Array;
  };
  /** Read the entries of a tile of the log: the signed bytes of its claims */
  readLogEntriesOfTwoElements: {
    arguments: {
      path: {
        element_a: string;
        element_b: string;
      };
    };
    answer: Uint8Array;
  };
  /** Read the entries of a tile of the log: the signed bytes of its claims */
  readLogEntriesOfThreeElements: {
    arguments: {
      path: {
        element_a: string;
        element_b: string;
        element_c: string;
      };
    };
    answer: Uint8Array;
  };
  /** Read the entries of a tile of the log: the signed bytes of its claims */
  readLogEntriesOfFourElements: {
    arguments: {
      path: {
        element_a: string;
        element_b: string;
        element_c: string;
        element_d: string;
      };
    };
    answer: Uint8Array;
  };
  /** Read a tile of the hashes of the log (C2SP tlog-tiles) */
  readLogTile: {
    arguments: {
      path: {
        level: string;
        element_a: string;
      };
    };
    answer: Uint8Array;
  };
  /** Read a tile of the hashes of the log (C2SP tlog-tiles) */
  readLogTileOfTwoElements: {
    arguments: {
      path: {
        level: string;
        element_a: string;
        element_b: string;
      };
    };
    answer: Uint8Array;
  };
  /** Read a tile of the hashes of the log (C2SP tlog-tiles) */
  readLogTileOfThreeElements: {
    arguments: {
      path: {
        level: string;
        element_a: string;
        element_b: string;
        element_c: string;
      };
    };
    answer: Uint8Array;
  };
  /** Read a tile of the hashes of the log (C2SP tlog-tiles) */
  readLogTileOfFourElements: {
    arguments: {
      path: {
        level: string;
        element_a: string;
        element_b: string;
        element_c: string;
        element_d: string;
      };
    };
    answer: Uint8Array;
  };
  /** Receive what witnesses signed of a checkpoint of the log */
  receiveWitnessSignatures: {
    arguments: {
      body: string;
    };
    answer: WitnessSignaturesReceived;
  };
  /** List the kinds of events, with the schema of the payload and a sample of each */
  listEventTypes: { arguments: {}; answer: ListEventTypesAnswer };
  /** Read what happened, oldest first, from where you were; or newest first */
  listEvents: {
    arguments: {
      query?: {
        /** Default: `50`. */
        limit?: number;
        /** next_cursor of the page before */
        cursor?: string;
        /** A type of GET /v1/notifications/event-types, or all of a family, `invocation.*`. */
        event_type?:
          | 'passport.flagged'
          | 'passport.blocked'
          | 'agent.blocked'
          | 'passport.missed_checkout'
          | 'approval.requested'
          | 'approval.expiring'
          | 'review.pending'
          | 'member.invited'
          | 'api_key.created'
          | 'operator.address_changed'
          | 'agent.unblocked'
          | 'invocation.created'
          | 'invocation.completed'
          | 'invocation.failed'
          | 'invocation.expired'
          | 'invocation.cancelled'
          | 'wallet.low_balance'
          | 'inbound.blocked'
          | 'inbound.slow'
          | 'inbound.recovered'
          | 'destination.slow'
          | 'destination.recovered'
          | 'passport.*'
          | 'agent.*'
          | 'approval.*'
          | 'review.*'
          | 'member.*'
          | 'api_key.*'
          | 'operator.*'
          | 'invocation.*'
          | 'wallet.*'
          | 'inbound.*'
          | 'destination.*'
          | 'notification.test';
        severity?: 'info' | 'warning' | 'critical';
        /** Which events come first. */
        order?: 'oldest' | 'newest';
        /** Events of this moment and later ones. For the first page: beside `cursor`, which has it, it does nothing. */
        since?: string;
      };
    };
    answer: ListEventsAnswer;
  };
  /** Show an event */
  getEvent: {
    arguments: {
      path: {
        id: string;
      };
    };
    answer: Event;
  };
  /** Add an address that notifications are sent to */
  createDestination: {
    arguments: {
      body: CreateDestination;
    };
    answer: CreatedDestination;
  };
  /** List the destinations of the operator, newest first */
  listDestinations: {
    arguments: {
      query?: {
        /** Default: `20`. */
        limit?: number;
        /** Default: `0`. */
        offset?: number;
      };
    };
    answer: ListDestinationsAnswer;
  };
  /** Show a destination, and the outcome of its last code */
  getDestination: {
    arguments: {
      path: {
        id: string;
      };
    };
    answer: Destination;
  };
  /** Delete a destination */
  deleteDestination: {
    arguments: {
      path: {
        id: string;
      };
    };
    answer: Deleted;
  };
  /** Replace the secret of a webhook */
  rotateDestinationSecret: {
    arguments: {
      path: {
        id: string;
      };
    };
    answer: RotatedSecret;
  };
  /** Send another code to a destination that is not verified */
  sendDestinationCode: {
    arguments: {
      path: {
        id: string;
      };
    };
    answer: SentCode;
  };
  /** Enter the code that was sent to a destination */
  verifyDestination: {
    arguments: {
      path: {
        id: string;
      };
      body: VerifyDestination;
    };
    answer: Verified;
  };
  /** Send again to a destination that was disabled since it kept failing */
  enableDestination: {
    arguments: {
      path: {
        id: string;
      };
    };
    answer: Destination;
  };
  /** Be notified of events at some destinations */
  createNotificationRule: {
    arguments: {
      body: CreateNotificationRule;
    };
    answer: NotificationRule;
  };
  /** List all notification rules with their destinations, newest first */
  listNotificationRules: { arguments: {}; answer: ListNotificationRulesAnswer };
  /** Show a notification rule */
  getNotificationRule: {
    arguments: {
      path: {
        id: string;
      };
    };
    answer: ListedNotificationRule;
  };
  /** Change the destinations, the events or the least severity of a notification rule */
  updateNotificationRule: {
    arguments: {
      path: {
        id: string;
      };
      body: UpdateNotificationRule;
    };
    answer: NotificationRule;
  };
  /** Delete a notification rule */
  deleteNotificationRule: {
    arguments: {
      path: {
        id: string;
      };
    };
    answer: Deleted;
  };
  /** List the outcome of each event at each destination, newest first */
  listDeliveries: {
    arguments: {
      query?: {
        /** Default: `50`. */
        limit?: number;
        /** next_cursor of the page before */
        cursor?: string;
        destination_id?: string;
        event_id?: string;
        /** A type of GET /v1/notifications/event-types, or all of a family, `invocation.*`. */
        event_type?:
          | 'passport.flagged'
          | 'passport.blocked'
          | 'agent.blocked'
          | 'passport.missed_checkout'
          | 'approval.requested'
          | 'approval.expiring'
          | 'review.pending'
          | 'member.invited'
          | 'api_key.created'
          | 'operator.address_changed'
          | 'agent.unblocked'
          | 'invocation.created'
          | 'invocation.completed'
          | 'invocation.failed'
          | 'invocation.expired'
          | 'invocation.cancelled'
          | 'wallet.low_balance'
          | 'inbound.blocked'
          | 'inbound.slow'
          | 'inbound.recovered'
          | 'destination.slow'
          | 'destination.recovered'
          | 'passport.*'
          | 'agent.*'
          | 'approval.*'
          | 'review.*'
          | 'member.*'
          | 'api_key.*'
          | 'operator.*'
          | 'invocation.*'
          | 'wallet.*'
          | 'inbound.*'
          | 'destination.*'
          | 'notification.test';
        /** `sending`: it waits for its turn, or its one call is under way. `delivered`: the receiver answered 2xx, or the mail server or SMS provider took it. `failed`: it was not delivered. `unknown`: it may have been. `suppressed_cap`: the month has no more of them. */
        status?: 'sending' | 'delivered' | 'failed' | 'unknown' | 'suppressed_cap';
      };
    };
    answer: ListDeliveriesAnswer;
  };
  /** Show a delivery */
  getDelivery: {
    arguments: {
      path: {
        id: string;
      };
    };
    answer: Delivery;
  };
  /** Send again what was not delivered to a destination in a time */
  recoverDeliveries: {
    arguments: {
      body: RecoverDeliveries;
    };
    answer: RecoveredDeliveries;
  };
  /** Send an event to a destination again */
  redeliver: {
    arguments: {
      path: {
        id: string;
      };
    };
    answer: Delivery;
  };
  /** Send a test to a verified destination, and wait for what becomes of it */
  testDestination: {
    arguments: {
      path: {
        id: string;
      };
    };
    answer: TestedDestination;
  };
  /** Make an endpoint that takes what a provider sends for an agent */
  createInboundEndpoint: {
    arguments: {
      body: CreateInboundEndpoint;
    };
    answer: CreatedInboundEndpoint;
  };
  /** List the inbound endpoints, active and revoked, newest first */
  listInboundEndpoints: {
    arguments: {
      query?: {
        /** Default: `20`. */
        limit?: number;
        /** Default: `0`. */
        offset?: number;
      };
    };
    answer: ListInboundEndpointsAnswer;
  };
  /** Show an inbound endpoint with its counters */
  getInboundEndpoint: {
    arguments: {
      path: {
        id: string;
      };
    };
    answer: InboundEndpoint;
  };
  /** Change where an endpoint forwards to, its policy or its name */
  updateInboundEndpoint: {
    arguments: {
      path: {
        id: string;
      };
      body: UpdateInboundEndpoint;
    };
    answer: InboundEndpoint;
  };
  /** Revoke an inbound endpoint for good */
  revokeInboundEndpoint: {
    arguments: {
      path: {
        id: string;
      };
    };
    answer: InboundEndpoint;
  };
  /** Replace the secret of an inbound endpoint */
  rotateInboundSecret: {
    arguments: {
      path: {
        id: string;
      };
      body?: RotateInboundSecret;
    };
    answer: RotatedInboundSecret;
  };
  /** Make a signed sample event to try an inbound endpoint with */
  makeInboundSample: {
    arguments: {
      path: {
        id: string;
      };
      body: MakeInboundSample;
    };
    answer: InboundSample;
  };
  /** List what came to an endpoint, newest first */
  listInboundEvents: {
    arguments: {
      path: {
        id: string;
      };
      query?: {
        /** Default: `50`. */
        limit?: number;
        /** next_cursor of the page before */
        cursor?: string;
        /** `received` and `scanning`: it is being worked on. `recorded`: scanned, and nothing is to be forwarded. `forwarded`: the receiver answered 2xx. `blocked`: the policy holds it, or it was not scanned as a whole. `forward_failed`: no 2xx came back, and no second call is made; the forward says whether it was sent. `forward_blocked`: the address may not be called. `revoked`: the endpoint was revoked before it left. `failed`: it could not be scanned; the next delivery of it is another attempt. */
        status?:
          | 'received'
          | 'scanning'
          | 'recorded'
          | 'forwarded'
          | 'blocked'
          | 'forward_failed'
          | 'forward_blocked'
          | 'revoked'
          | 'failed';
        verdict?: 'clean' | 'suspicious' | 'malicious';
        /** That some finding of it has. */
        detector_key?: string;
        since?: string;
        until?: string;
      };
    };
    answer: ListInboundEventsAnswer;
  };
  /** Show an event with its verdict and its forwards */
  getInboundEvent: {
    arguments: {
      path: {
        id: string;
        eventId: string;
      };
    };
    answer: InboundEvent;
  };
  /** Read what came of an event, with its findings marked */
  getInboundEventContent: {
    arguments: {
      path: {
        id: string;
        eventId: string;
      };
    };
    answer: InboundContent;
  };
  /** Scan an event again, and forward it where the policy lets it pass */
  replayInboundEvent: {
    arguments: {
      path: {
        id: string;
        eventId: string;
      };
    };
    answer: InboundEvent;
  };
  /** Mark a finding as harmless */
  markInboundFindingHarmless: {
    arguments: {
      path: {
        id: string;
        eventId: string;
      };
      body: MarkInboundFindingHarmless;
    };
    answer: InboundEvent;
  };
  /** List what is held at all endpoints, newest first */
  listHeldInboundEvents: {
    arguments: {
      query?: {
        /** Default: `25`. */
        limit?: number;
        /** next_cursor of the page before */
        cursor?: string;
      };
    };
    answer: ListHeldInboundEventsAnswer;
  };
  /** List what is held, with senders and subjects */
  readHeldInboundEvents: {
    arguments: {
      query?: {
        /** Default: `10`. */
        limit?: number;
        /** next_cursor of the page before */
        cursor?: string;
      };
    };
    answer: ReadHeldInboundEventsAnswer;
  };
  /** Receive what a provider sends to an endpoint */
  receiveInbound: {
    arguments: {
      path: {
        provider: string;
        slug: string;
      };
      body: unknown;
    };
    answer: ReceivedInboundEvent;
  };
  /** Erase all contents that the operator keeps */
  eraseContents: { arguments: {}; answer: Erasure };
  /** Read what came of the last erasure of contents */
  getErasure: { arguments: {}; answer: Erasure };
}

/** Method, path, whether it takes an Idempotency-Key, and the type of its body. */
export const OPERATIONS: Record<keyof Operations, readonly [string, string, boolean, string | null]> = {
  registerOperator: ['POST', '/v1/operators', true, 'application/json'],
  getOwnOperator: ['GET', '/v1/operators/me', false, null],
  updateOwnOperator: ['PATCH', '/v1/operators/me', true, 'application/json'],
  createApiKey: ['POST', '/v1/api-keys', true, 'application/json'],
  listApiKeys: ['GET', '/v1/api-keys', false, null],
  getApiKey: ['GET', '/v1/api-keys/{id}', false, null],
  deleteApiKey: ['DELETE', '/v1/api-keys/{id}', false, null],
  addMember: ['POST', '/v1/members', true, 'application/json'],
  listMembers: ['GET', '/v1/members', false, null],
  getMember: ['GET', '/v1/members/{id}', false, null],
  deleteMember: ['DELETE', '/v1/members/{id}', false, null],
  createAgent: ['POST', '/v1/agents', true, 'application/json'],
  listAgents: ['GET', '/v1/agents', false, null],
  getAgent: ['GET', '/v1/agents/{id}', false, null],
  updateAgent: ['PATCH', '/v1/agents/{id}', true, 'application/json'],
  getAgentConduct: ['GET', '/v1/agents/{id}/conduct', false, null],
  unblockAgent: ['POST', '/v1/agents/{id}/unblock', true, 'application/json'],
  createPartnerGrant: ['POST', '/v1/partner-grants', true, 'application/json'],
  listPartnerGrants: ['GET', '/v1/partner-grants', false, null],
  getPartnerGrant: ['GET', '/v1/partner-grants/{id}', false, null],
  deletePartnerGrant: ['DELETE', '/v1/partner-grants/{id}', false, null],
  listAuditEvents: ['GET', '/v1/audit-events', false, null],
  listOperators: ['GET', '/v1/admin/operators', false, null],
  getOperator: ['GET', '/v1/admin/operators/{id}', false, null],
  administerOperator: ['PATCH', '/v1/admin/operators/{id}', true, 'application/json'],
  createServiceConnection: ['POST', '/v1/service-connections', true, 'application/json'],
  listServiceConnections: ['GET', '/v1/service-connections', false, null],
  getServiceConnection: ['GET', '/v1/service-connections/{id}', false, null],
  updateServiceConnection: ['PATCH', '/v1/service-connections/{id}', true, 'application/json'],
  deleteServiceConnection: ['DELETE', '/v1/service-connections/{id}', false, null],
  putGrant: ['PUT', '/v1/agents/{id}/grants/{service_connection_id}', true, 'application/json'],
  getGrant: ['GET', '/v1/agents/{id}/grants/{service_connection_id}', false, null],
  deleteGrant: ['DELETE', '/v1/agents/{id}/grants/{service_connection_id}', false, null],
  listGrants: ['GET', '/v1/agents/{id}/grants', false, null],
  createMission: ['POST', '/v1/missions', true, 'application/json'],
  listMissions: ['GET', '/v1/missions', false, null],
  getMission: ['GET', '/v1/missions/{id}', false, null],
  completeMission: ['POST', '/v1/missions/{id}/complete', true, null],
  createAuthorityBinding: ['POST', '/v1/authority-bindings', true, 'application/json'],
  listAuthorityBindings: ['GET', '/v1/authority-bindings', false, null],
  getAuthorityBinding: ['GET', '/v1/authority-bindings/{id}', false, null],
  revokeAuthorityBinding: ['POST', '/v1/authority-bindings/{id}/revoke', true, null],
  createIdentityClaim: ['POST', '/v1/identity-claims', true, 'application/json'],
  listIdentityClaims: ['GET', '/v1/identity-claims', false, null],
  getIdentityClaim: ['GET', '/v1/identity-claims/{id}', false, null],
  deleteIdentityClaim: ['DELETE', '/v1/identity-claims/{id}', false, null],
  publishSkill: ['POST', '/v1/skills', true, 'application/json'],
  browseSkills: ['GET', '/v1/skills', false, null],
  listOwnSkills: ['GET', '/v1/skills/mine', false, null],
  listFavoriteSkills: ['GET', '/v1/skills/favorites', false, null],
  listSkillVersions: ['GET', '/v1/skills/{id}/versions', false, null],
  listPendingSkillReviews: ['GET', '/v1/skills/pending-reviews', false, null],
  approveSkill: ['POST', '/v1/skills/{id}/approve', true, 'application/json'],
  rejectSkill: ['POST', '/v1/skills/{id}/reject', true, 'application/json'],
  takeDownSkill: ['POST', '/v1/admin/skills/{id}/suspend', true, 'application/json'],
  listRegistryServers: ['GET', '/v1/registry/servers', false, null],
  listRegistryServerVersions: ['GET', '/v1/registry/servers/{name}/versions', false, null],
  readRegistryServer: ['GET', '/v1/registry/servers/{name}/versions/{version}', false, null],
  readSkill: ['GET', '/v1/skills/{id}', false, null],
  updateSkill: ['PATCH', '/v1/skills/{id}', true, 'application/json'],
  suspendSkill: ['POST', '/v1/skills/{id}/suspend', true, null],
  activateSkill: ['POST', '/v1/skills/{id}/activate', true, null],
  unlistSkill: ['POST', '/v1/skills/{id}/unlist', true, null],
  favoriteSkill: ['POST', '/v1/skills/{id}/favorite', true, null],
  unfavoriteSkill: ['DELETE', '/v1/skills/{id}/favorite', false, null],
  rateSkill: ['POST', '/v1/skills/{id}/rate', true, 'application/json'],
  readSkillRatings: ['GET', '/v1/skills/{id}/ratings', false, null],
  findSimilarSkills: ['GET', '/v1/skills/{id}/similar', false, null],
  checkSkillTrust: ['POST', '/v1/skills/{id}/check-trust', true, 'application/json'],
  checkSkill: ['POST', '/v1/skills/check', true, 'application/json'],
  putCredential: ['PUT', '/v1/credentials/{provider}', true, 'application/json'],
  getCredential: ['GET', '/v1/credentials/{provider}', false, null],
  deleteCredential: ['DELETE', '/v1/credentials/{provider}', false, null],
  listCredentials: ['GET', '/v1/credentials', false, null],
  listMyInvocations: ['GET', '/v1/skills/invocations/mine', false, null],
  listProvidedInvocations: ['GET', '/v1/skills/invocations/provided', false, null],
  listPendingInvocations: ['GET', '/v1/skills/invocations/pending', false, null],
  getInvocation: ['GET', '/v1/skills/invocations/{id}', false, null],
  overseeInvocation: ['GET', '/v1/admin/invocations/{id}', false, null],
  claimInvocation: ['POST', '/v1/skills/invocations/{id}/claim', true, 'application/json'],
  completeInvocation: ['POST', '/v1/skills/invocations/{id}/complete', true, 'application/json'],
  failInvocation: ['POST', '/v1/skills/invocations/{id}/fail', true, 'application/json'],
  cancelInvocation: ['POST', '/v1/skills/invocations/{id}/cancel', true, null],
  heartbeatInvocation: ['POST', '/v1/skills/invocations/{id}/heartbeat', true, 'application/json'],
  invokeSkill: ['POST', '/v1/skills/{id}/invoke', true, 'application/json'],
  trySkill: ['POST', '/v1/skills/{id}/try', true, 'application/json'],
  postSkillRequest: ['POST', '/v1/skill-requests', true, 'application/json'],
  listSkillRequests: ['GET', '/v1/skill-requests', false, null],
  readSkillRequest: ['GET', '/v1/skill-requests/{id}', false, null],
  updateSkillRequest: ['PATCH', '/v1/skill-requests/{id}', true, 'application/json'],
  matchSkillRequest: ['GET', '/v1/skill-requests/{id}/matches', false, null],
  suggestForSkillRequest: ['GET', '/v1/skill-requests/{id}/suggest', false, null],
  verifyPassport: ['POST', '/v1/passports/verify', false, 'application/json'],
  introspectPassport: ['POST', '/v1/passports/introspect', false, 'application/json'],
  issuePassport: ['POST', '/v1/passports/issue', true, 'application/json'],
  delegatePassport: ['POST', '/v1/passports/delegate', true, 'application/json'],
  refreshPassport: ['POST', '/v1/passports/refresh', true, 'application/json'],
  revokePassport: ['POST', '/v1/passports/revoke', true, 'application/json'],
  revokeAgentPassports: ['POST', '/v1/passports/revoke-agent/{agentId}', true, 'application/json'],
  revokeSessionPassports: ['POST', '/v1/passports/revoke-session/{sessionId}', true, 'application/json'],
  revokeAllPassports: ['POST', '/v1/passports/revoke-all', true, 'application/json'],
  listActivePassports: ['GET', '/v1/passports/active', false, null],
  listPassports: ['GET', '/v1/passports', false, null],
  getJwks: ['GET', '/v1/.well-known/jwks.json', false, null],
  getStatusList: ['GET', '/v1/passports/status-list', false, null],
  getStatusListOfDay: ['GET', '/v1/passports/status-list/{day}', false, null],
  rotateSigningKeys: ['POST', '/v1/admin/signing-keys/rotate', true, 'application/json'],
  listPassportReviews: ['GET', '/v1/passports/reviews', false, null],
  decidePassportReview: ['POST', '/v1/passports/reviews/{checkoutId}/decide', true, 'application/json'],
  submitCheckpoint: ['POST', '/v1/passports/{jti}/checkpoint', true, 'application/json'],
  submitCheckout: ['POST', '/v1/passports/{jti}/checkout', true, 'application/json'],
  readAccountabilityReport: ['GET', '/v1/passports/{jti}/report', false, null],
  blockAgent: ['POST', '/v1/agents/{id}/block', true, 'application/json'],
  getPassport: ['GET', '/v1/passports/{jti}', false, null],
  getBalance: ['GET', '/v1/billing/balance', false, null],
  createAdjustment: ['POST', '/v1/admin/operators/{id}/adjustments', true, 'application/json'],
  listHolds: ['GET', '/v1/billing/holds', false, null],
  listReceivables: ['GET', '/v1/billing/receivables', false, null],
  listTransactions: ['GET', '/v1/billing/transactions', false, null],
  getDailySums: ['GET', '/v1/billing/days', false, null],
  getTransaction: ['GET', '/v1/billing/transactions/{id}', false, null],
  listTransactionSources: ['GET', '/v1/billing/transactions/{id}/sources', false, null],
  getUsage: ['GET', '/v1/billing/usage', false, null],
  getEarnings: ['GET', '/v1/earnings', false, null],
  listPayouts: ['GET', '/v1/payouts', false, null],
  subscribe: ['POST', '/v1/billing/subscribe', true, 'application/json'],
  cancelSubscription: ['POST', '/v1/billing/cancel-subscription', true, null],
  giveUpSubscriptionChange: ['DELETE', '/v1/billing/subscription/change', false, null],
  openSubscriptionChange: ['POST', '/v1/billing/subscription/change/checkout', true, null],
  getSubscription: ['GET', '/v1/billing/subscription', false, null],
  setSeats: ['POST', '/v1/billing/seats', true, 'application/json'],
  openPortal: ['POST', '/v1/billing/portal', true, null],
  createTopUp: ['POST', '/v1/billing/topup', true, 'application/json'],
  listTopUps: ['GET', '/v1/billing/topups', false, null],
  endTopUp: ['DELETE', '/v1/billing/topups/{id}', false, null],
  refundTransaction: ['POST', '/v1/billing/refund/{transactionId}', true, null],
  listRefunds: ['GET', '/v1/billing/refunds', false, null],
  getRefund: ['GET', '/v1/billing/refunds/{id}', false, null],
  listDisputes: ['GET', '/v1/billing/disputes', false, null],
  listDifferingPayments: ['GET', '/v1/billing/differing-payments', false, null],
  receivePaymentWebhook: ['POST', '/v1/billing/webhooks/stripe', false, 'application/json'],
  listBillingCases: ['GET', '/v1/admin/billing/cases', false, null],
  settleRefund: ['POST', '/v1/admin/billing/refunds/{id}/settle', true, 'application/json'],
  closeReceivable: ['POST', '/v1/admin/billing/receivables/{id}/close', true, 'application/json'],
  takeDifferingPayment: ['POST', '/v1/admin/billing/differing-payments/{id}/take', true, 'application/json'],
  dismissDifferingPayment: ['POST', '/v1/admin/billing/differing-payments/{id}/dismiss', true, 'application/json'],
  dismissBillingAlarm: ['POST', '/v1/admin/billing/alarms/{id}/dismiss', true, 'application/json'],
  listApprovals: ['GET', '/v1/governance/approvals', false, null],
  getApproval: ['GET', '/v1/governance/approvals/{id}', false, null],
  rejectRequests: ['POST', '/v1/governance/approvals/reject', true, 'application/json'],
  approveRequest: ['POST', '/v1/governance/approvals/{id}/approve', true, null],
  rejectRequest: ['POST', '/v1/governance/approvals/{id}/reject', true, null],
  sendSignInCode: ['POST', '/v1/dashboard/sessions', false, 'application/json'],
  listSessions: ['GET', '/v1/dashboard/sessions', false, null],
  endOtherSessions: ['DELETE', '/v1/dashboard/sessions', false, null],
  signIn: ['POST', '/v1/dashboard/sessions/verify', false, 'application/json'],
  getCurrentSession: ['GET', '/v1/dashboard/sessions/current', false, null],
  signOut: ['DELETE', '/v1/dashboard/sessions/current', false, null],
  endSession: ['DELETE', '/v1/dashboard/sessions/{id}', false, null],
  getLife: ['GET', '/v1/admin/lives/{id}', false, null],
  listOutbox: ['GET', '/v1/admin/outbox', false, null],
  submitClaim: ['POST', '/v1/claims', true, 'application/json'],
  listClaims: ['GET', '/v1/claims', false, null],
  listClaimSchemas: ['GET', '/v1/claims/schemas', false, null],
  readClaimSchema: ['GET', '/v1/claims/schemas/{type}', false, null],
  readClaim: ['GET', '/v1/claims/{id}', false, null],
  verifyClaim: ['POST', '/v1/claims/verify', false, 'application/json'],
  revokeClaim: ['POST', '/v1/claims/{id}/revoke', true, 'application/json'],
  eraseClaim: ['POST', '/v1/claims/{id}/erase', true, 'application/json'],
  addClaimCoSignature: ['POST', '/v1/claims/{id}/co-signatures', true, 'application/json'],
  readClaimReceipt: ['GET', '/v1/claims/{id}/receipt', false, null],
  readClaimBundle: ['GET', '/v1/claims/{id}/bundle', false, null],
  readLogCheckpoint: ['GET', '/v1/log/checkpoint', false, null],
  readNewestLogCheckpoint: ['GET', '/v1/log/checkpoint/newest', false, null],
  proveLogInclusion: ['GET', '/v1/log/proofs/inclusion', false, null],
  proveLogConsistency: ['GET', '/v1/log/proofs/consistency', false, null],
  listLogKeys: ['GET', '/v1/.well-known/scitt-keys', false, null],
  readLogVerifierKey: ['GET', '/v1/log/vkey', false, null],
  readLogKey: ['GET', '/v1/.well-known/scitt-keys/{kid}', false, null],
  readLogEntries: ['GET', '/v1/log/tile/entries/{element_a}', false, null],
  readLogEntriesOfTwoElements: ['GET', '/v1/log/tile/entries/{element_a}/{element_b}', false, null],
  readLogEntriesOfThreeElements: ['GET', '/v1/log/tile/entries/{element_a}/{element_b}/{element_c}', false, null],
  readLogEntriesOfFourElements: [
    'GET',
    '/v1/log/tile/entries/{element_a}/{element_b}/{element_c}/{element_d}',
    false,
    null,
  ],
  readLogTile: ['GET', '/v1/log/tile/{level}/{element_a}', false, null],
  readLogTileOfTwoElements: ['GET', '/v1/log/tile/{level}/{element_a}/{element_b}', false, null],
  readLogTileOfThreeElements: ['GET', '/v1/log/tile/{level}/{element_a}/{element_b}/{element_c}', false, null],
  readLogTileOfFourElements: [
    'GET',
    '/v1/log/tile/{level}/{element_a}/{element_b}/{element_c}/{element_d}',
    false,
    null,
  ],
  receiveWitnessSignatures: ['POST', '/v1/log/witness-signatures', false, 'text/plain'],
  listEventTypes: ['GET', '/v1/notifications/event-types', false, null],
  listEvents: ['GET', '/v1/events', false, null],
  getEvent: ['GET', '/v1/events/{id}', false, null],
  createDestination: ['POST', '/v1/notifications/destinations', true, 'application/json'],
  listDestinations: ['GET', '/v1/notifications/destinations', false, null],
  getDestination: ['GET', '/v1/notifications/destinations/{id}', false, null],
  deleteDestination: ['DELETE', '/v1/notifications/destinations/{id}', false, null],
  rotateDestinationSecret: ['POST', '/v1/notifications/destinations/{id}/rotate-secret', true, null],
  sendDestinationCode: ['POST', '/v1/notifications/destinations/{id}/send-code', true, null],
  verifyDestination: ['POST', '/v1/notifications/destinations/{id}/verify', true, 'application/json'],
  enableDestination: ['POST', '/v1/notifications/destinations/{id}/enable', true, null],
  createNotificationRule: ['POST', '/v1/notifications/channels', true, 'application/json'],
  listNotificationRules: ['GET', '/v1/notifications/channels', false, null],
  getNotificationRule: ['GET', '/v1/notifications/channels/{id}', false, null],
  updateNotificationRule: ['PATCH', '/v1/notifications/channels/{id}', true, 'application/json'],
  deleteNotificationRule: ['DELETE', '/v1/notifications/channels/{id}', false, null],
  listDeliveries: ['GET', '/v1/notifications/deliveries', false, null],
  getDelivery: ['GET', '/v1/notifications/deliveries/{id}', false, null],
  recoverDeliveries: ['POST', '/v1/notifications/deliveries/recover', true, 'application/json'],
  redeliver: ['POST', '/v1/notifications/deliveries/{id}/redeliver', true, null],
  testDestination: ['POST', '/v1/notifications/destinations/{id}/test', true, null],
  createInboundEndpoint: ['POST', '/v1/operator/inbound-webhooks', true, 'application/json'],
  listInboundEndpoints: ['GET', '/v1/operator/inbound-webhooks', false, null],
  getInboundEndpoint: ['GET', '/v1/operator/inbound-webhooks/{id}', false, null],
  updateInboundEndpoint: ['PATCH', '/v1/operator/inbound-webhooks/{id}', true, 'application/json'],
  revokeInboundEndpoint: ['DELETE', '/v1/operator/inbound-webhooks/{id}', false, null],
  rotateInboundSecret: ['POST', '/v1/operator/inbound-webhooks/{id}/rotate-secret', true, 'application/json'],
  makeInboundSample: ['POST', '/v1/operator/inbound-webhooks/{id}/sample', true, 'application/json'],
  listInboundEvents: ['GET', '/v1/operator/inbound-webhooks/{id}/events', false, null],
  getInboundEvent: ['GET', '/v1/operator/inbound-webhooks/{id}/events/{eventId}', false, null],
  getInboundEventContent: ['GET', '/v1/operator/inbound-webhooks/{id}/events/{eventId}/content', false, null],
  replayInboundEvent: ['POST', '/v1/operator/inbound-webhooks/{id}/events/{eventId}/replay', true, null],
  markInboundFindingHarmless: [
    'POST',
    '/v1/operator/inbound-webhooks/{id}/events/{eventId}/harmless',
    true,
    'application/json',
  ],
  listHeldInboundEvents: ['GET', '/v1/operator/held-inbound-events', false, null],
  readHeldInboundEvents: ['GET', '/v1/operator/held-inbound-events/read', false, null],
  receiveInbound: ['POST', '/v1/inbound/{provider}/{slug}', false, 'application/json'],
  eraseContents: ['POST', '/v1/operators/me/erasure', true, null],
  getErasure: ['GET', '/v1/operators/me/erasure', false, null],
};
