"""Written by scripts/write-python-types.ts from openapi.json."""

from __future__ import annotations

from typing import Any, Literal, NotRequired, TypedDict


class AgentBlockedNotification(TypedDict):
    id: str
    event_type: Literal["agent.blocked"]
    severity: Literal["critical"]
    payload: AgentBlockedNotificationPayload
    timestamp: str


class AgentBlockedNotificationPayload(TypedDict):
    agent_id: str
    checkout_id: str | None
    reason: str


class AgentUnblockedNotification(TypedDict):
    id: str
    event_type: Literal["agent.unblocked"]
    severity: Literal["warning"]
    payload: AgentUnblockedNotificationPayload
    timestamp: str


class AgentUnblockedNotificationPayload(TypedDict):
    agent_id: str
    unblocked_by: str


class ApiKeyCreatedNotification(TypedDict):
    id: str
    event_type: Literal["api_key.created"]
    severity: Literal["warning"]
    payload: ApiKeyCreatedNotificationPayload
    timestamp: str


class ApiKeyCreatedNotificationPayload(TypedDict):
    key_id: str
    kind: Literal["operator", "agent", "partner"]
    role: Literal["admin", "member"] | None
    agent_id: str | None
    created_by: str


class ApprovalExpiringNotification(TypedDict):
    id: str
    event_type: Literal["approval.expiring"]
    severity: Literal["warning"]
    payload: ApprovalExpiringNotificationPayload
    timestamp: str


class ApprovalExpiringNotificationPayload(TypedDict):
    approval_id: str
    action: str
    requested_by: str
    expires_at: str


class ApprovalRequestedNotification(TypedDict):
    id: str
    event_type: Literal["approval.requested"]
    severity: Literal["warning"]
    payload: ApprovalRequestedNotificationPayload
    timestamp: str


class ApprovalRequestedNotificationPayload(TypedDict):
    approval_id: str
    action: str
    requested_by: str
    expires_at: str


class AuthorityRef(TypedDict):
    binding_id: str
    binding_version: int
    binding_claim_id: str
    binding_digest: str
    receiver_id: str
    receiver_profile_version_id: str
    expires_at: int


class BrowseSkillsAnswer(TypedDict):
    skills: list[ListedSkill]
    total: int
    limit: int
    offset: int
    next_cursor: str | None
    has_more: bool


class ChangedFields(TypedDict):
    description: NotRequired[str]
    version: NotRequired[str]
    input_schema: NotRequired[dict[str, Any]]
    output_schema: NotRequired[dict[str, Any]]


class ConstraintEq(TypedDict):
    param: str
    op: Literal["eq"]
    value: str | float | bool | None


class ConstraintGte(TypedDict):
    param: str
    op: Literal["gte"]
    value: float


class ConstraintIn(TypedDict):
    param: str
    op: Literal["in"]
    value: list[str | float | bool | None]


class ConstraintLte(TypedDict):
    param: str
    op: Literal["lte"]
    value: float


class ConstraintPrefix(TypedDict):
    param: str
    op: Literal["prefix"]
    value: str


class ConstraintRegex(TypedDict):
    param: str
    op: Literal["regex"]
    value: str


class DestinationRecoveredNotification(TypedDict):
    id: str
    event_type: Literal["destination.recovered"]
    severity: Literal["info"]
    payload: DestinationRecoveredNotificationPayload
    timestamp: str


class DestinationRecoveredNotificationPayload(TypedDict):
    destination_id: str


class DestinationSlowNotification(TypedDict):
    id: str
    event_type: Literal["destination.slow"]
    severity: Literal["warning"]
    payload: DestinationSlowNotificationPayload
    timestamp: str


class DestinationSlowNotificationPayload(TypedDict):
    destination_id: str
    places: int
    timeouts_in_row: int


class DestinationVerificationNotification(TypedDict):
    id: str
    event_type: Literal["destination.verification"]
    severity: Literal["info"]
    payload: DestinationVerificationNotificationPayload
    timestamp: str


class DestinationVerificationNotificationPayload(TypedDict):
    code: str
    destination_id: str
    expires_at: str


class EvidencedInvocation(TypedDict):
    id: str
    skill_id: str
    skill_version: str
    skill_revision: int
    status: Literal["pending", "processing", "completed", "failed", "expired"]
    execution_mode: Literal["open", "sealed", "source"]
    input_hash: str
    output_hash: str | None
    error: InvocationFailure | None
    consumer_operator_id: str
    provider_operator_id: str
    agent_id: str | None
    passport_id: str | None
    mission_id: str | None
    price_cents: int
    compute_bound_cents: int
    compute_cents: int
    self_invocation: bool
    trial: bool
    attempt: int
    lease_seconds: float | None
    lease_until: str | None
    created_at: str
    claimed_at: str | None
    completed_at: str | None
    expires_at: str
    contents_purged_at: str | None
    duration_ms: int | None
    input: dict[str, Any] | None
    output: dict[str, Any] | None
    claim_ids: list[str]
    steps: list[ExecutedStep] | None


class ExecutedStep(TypedDict):
    index: int
    kind: Literal["script", "llm"]
    label: str | None
    status: Literal["running", "done", "failed"]
    duration_ms: int | None
    charged_microcents: int
    tokens: int | None
    error: ExecutedStepError | None
    console: str | None


class ExecutedStepError(TypedDict):
    code: str
    message: str


class ExecutionStepLlm(TypedDict):
    type: Literal["llm"]
    label: str
    llm_provider: str
    llm_model: str
    llm_config: NotRequired[LlmConfig]


class ExecutionStepScript(TypedDict):
    type: Literal["script"]
    label: str
    runtime: Literal["javascript", "python"]
    script: str


class InboundBlockedNotification(TypedDict):
    id: str
    event_type: Literal["inbound.blocked"]
    severity: Literal["warning", "critical"]
    payload: InboundBlockedNotificationPayload
    timestamp: str


class InboundBlockedNotificationPayload(TypedDict):
    event_id: str
    endpoint_id: str
    agent_id: str
    verdict: Literal["clean", "suspicious", "malicious"]
    severity: Literal["low", "medium", "high", "critical"]
    detectors: list[str]


class InboundRecoveredNotification(TypedDict):
    id: str
    event_type: Literal["inbound.recovered"]
    severity: Literal["info"]
    payload: InboundRecoveredNotificationPayload
    timestamp: str


class InboundRecoveredNotificationPayload(TypedDict):
    endpoint_id: str
    agent_id: str


class InboundSlowNotification(TypedDict):
    id: str
    event_type: Literal["inbound.slow"]
    severity: Literal["warning"]
    payload: InboundSlowNotificationPayload
    timestamp: str


class InboundSlowNotificationPayload(TypedDict):
    endpoint_id: str
    agent_id: str
    places: int
    timeouts_in_row: int


class IntentConstraint(TypedDict):
    param: Literal["intent"]
    op: Literal["in"]
    value: list[IntentConstraintValue]


class IntentConstraintValue(TypedDict):
    claim: str
    target: str
    action: str


class Invocation(TypedDict):
    id: str
    skill_id: str
    skill_version: str
    skill_revision: int
    status: Literal["pending", "processing", "completed", "failed", "expired"]
    execution_mode: Literal["open", "sealed", "source"]
    input_hash: str
    output_hash: str | None
    error: InvocationFailure | None
    consumer_operator_id: str
    provider_operator_id: str
    agent_id: str | None
    passport_id: str | None
    mission_id: str | None
    price_cents: int
    compute_bound_cents: int
    compute_cents: int
    self_invocation: bool
    trial: bool
    attempt: int
    lease_seconds: float | None
    lease_until: str | None
    created_at: str
    claimed_at: str | None
    completed_at: str | None
    expires_at: str
    contents_purged_at: str | None
    duration_ms: int | None
    input: dict[str, Any] | None
    output: dict[str, Any] | None


class InvocationCancelledNotification(TypedDict):
    id: str
    event_type: Literal["invocation.cancelled"]
    severity: Literal["info"]
    payload: InvocationCancelledNotificationPayload
    timestamp: str


class InvocationCancelledNotificationPayload(TypedDict):
    invocation_id: str
    skill_id: str
    skill_version: str
    status: Literal["pending", "completed", "failed", "expired"]
    consumer_operator_id: str
    provider_operator_id: str
    agent_id: str | None


class InvocationCompletedNotification(TypedDict):
    id: str
    event_type: Literal["invocation.completed"]
    severity: Literal["info"]
    payload: InvocationCompletedNotificationPayload
    timestamp: str


class InvocationCompletedNotificationPayload(TypedDict):
    invocation_id: str
    skill_id: str
    skill_version: str
    status: Literal["pending", "completed", "failed", "expired"]
    consumer_operator_id: str
    provider_operator_id: str
    agent_id: str | None


class InvocationCreatedNotification(TypedDict):
    id: str
    event_type: Literal["invocation.created"]
    severity: Literal["info"]
    payload: InvocationCreatedNotificationPayload
    timestamp: str


class InvocationCreatedNotificationPayload(TypedDict):
    invocation_id: str
    skill_id: str
    skill_version: str
    status: Literal["pending", "completed", "failed", "expired"]
    consumer_operator_id: str
    provider_operator_id: str
    agent_id: str | None


class InvocationExpiredNotification(TypedDict):
    id: str
    event_type: Literal["invocation.expired"]
    severity: Literal["warning"]
    payload: InvocationExpiredNotificationPayload
    timestamp: str


class InvocationExpiredNotificationPayload(TypedDict):
    invocation_id: str
    skill_id: str
    skill_version: str
    status: Literal["pending", "completed", "failed", "expired"]
    consumer_operator_id: str
    provider_operator_id: str
    agent_id: str | None


class InvocationFailedNotification(TypedDict):
    id: str
    event_type: Literal["invocation.failed"]
    severity: Literal["warning"]
    payload: InvocationFailedNotificationPayload
    timestamp: str


class InvocationFailedNotificationPayload(TypedDict):
    invocation_id: str
    skill_id: str
    skill_version: str
    status: Literal["pending", "completed", "failed", "expired"]
    consumer_operator_id: str
    provider_operator_id: str
    agent_id: str | None


class InvocationFailure(TypedDict):
    code: str
    message: str


class ListedSkill(TypedDict):
    id: str
    operator_id: str
    seller: SkillSeller
    name: str
    description: str
    version: str
    revision: int
    status: Literal["active", "suspended", "unlisted", "pending_review"]
    trust_level_required: Literal["L0", "L1", "L2"]
    tags: list[str]
    price_per_invocation: int
    agent_id: str | None
    execution_mode: Literal["open", "sealed", "source"]
    credential_mode: Literal["none", "buyer_provides", "seller_provides", "both"]
    required_credentials: list[RequiredCredential]
    seller_credential_limit: SellerCredentialLimit | None
    accepts_requests: bool
    average_rating: float | None
    rating_count: int
    invocation_count: int
    review: SkillReview
    created_at: str
    updated_at: str


class LlmConfig(TypedDict):
    temperature: NotRequired[float]
    max_tokens: NotRequired[int]
    system_prompt: NotRequired[str]


class MemberInvitedNotification(TypedDict):
    id: str
    event_type: Literal["member.invited"]
    severity: Literal["warning"]
    payload: MemberInvitedNotificationPayload
    timestamp: str


class MemberInvitedNotificationPayload(TypedDict):
    member_id: str
    role: Literal["owner", "admin", "member"]
    invited_by: str


class NotificationTestNotification(TypedDict):
    id: str
    event_type: Literal["notification.test"]
    severity: Literal["info"]
    payload: NotificationTestNotificationPayload
    timestamp: str


class NotificationTestNotificationPayload(TypedDict):
    destination_id: str


class OperatorAddressChangedNotification(TypedDict):
    id: str
    event_type: Literal["operator.address_changed"]
    severity: Literal["warning"]
    payload: OperatorAddressChangedNotificationPayload
    timestamp: str


class OperatorAddressChangedNotificationPayload(TypedDict):
    changed_by: str


class PassportBlockedNotification(TypedDict):
    id: str
    event_type: Literal["passport.blocked"]
    severity: Literal["critical"]
    payload: PassportBlockedNotificationPayload
    timestamp: str


class PassportBlockedNotificationPayload(TypedDict):
    jti: str
    agent_id: str
    checkout_id: str
    reason: str


class PassportClaims(TypedDict):
    operator_id: str
    agent_id: str
    agent_name: str
    services: list[PassportServiceScope]
    identity_claims: list[PassportIdentityClaim]
    authority_refs: list[AuthorityRef]
    delegation_depth: int
    session_id: str
    accountability: Literal["standard", "logged", "enforced"]
    intent_summary: NotRequired[str]
    intent_services: NotRequired[list[str]]
    checkpoint_interval: NotRequired[int]
    mission_ids: list[str]
    chain: list[str]


class PassportFlaggedNotification(TypedDict):
    id: str
    event_type: Literal["passport.flagged"]
    severity: Literal["warning", "critical"]
    payload: PassportFlaggedNotificationPayload
    timestamp: str


class PassportFlaggedNotificationPayload(TypedDict):
    jti: str
    agent_id: str
    checkout_id: str | None
    flags: list[PassportFlaggedNotificationPayloadFlag]


class PassportFlaggedNotificationPayloadFlag(TypedDict):
    type: str
    severity: Literal["warning", "critical"]
    message: str


class PassportIdentityClaim(TypedDict):
    claim_id: str
    provider: str
    layer: str
    claim_type: str
    assurance_level: str
    verified_at: int | None
    expires_at: int | None
    humanity_verified: bool
    holder: NotRequired[str]


class PassportMissedCheckoutNotification(TypedDict):
    id: str
    event_type: Literal["passport.missed_checkout"]
    severity: Literal["warning", "critical"]
    payload: PassportMissedCheckoutNotificationPayload
    timestamp: str


class PassportMissedCheckoutNotificationPayload(TypedDict):
    jti: str
    agent_id: str
    expected_by: str
    checkout_id: str | None


class PassportServiceScope(TypedDict):
    service_id: str
    service_name: str
    scopes: list[str]
    credential_ref: str | None
    connection_id: str
    allow_data_from: list[str]
    constraints: list[IntentConstraint | ConstraintEq | ConstraintIn | ConstraintLte | ConstraintGte | ConstraintPrefix | ConstraintRegex]


class PendingChange(TypedDict):
    id: str
    fields: ChangedFields
    proposed_at: str


class PublishSkill(TypedDict):
    name: str
    description: str
    version: str
    input_schema: dict[str, Any]
    output_schema: dict[str, Any]
    trust_level_required: Literal["L0", "L1", "L2"]
    tags: NotRequired[list[str]]
    price_per_invocation: NotRequired[int]
    agent_id: NotRequired[str]
    execution_mode: NotRequired[Literal["open", "sealed", "source"]]
    credential_mode: NotRequired[Literal["none", "buyer_provides", "seller_provides", "both"]]
    required_credentials: NotRequired[list[RequiredCredential]]
    seller_credential_limit: NotRequired[SellerCredentialLimit]
    accepts_requests: NotRequired[bool]
    execution_steps: NotRequired[list[ExecutionStepScript | ExecutionStepLlm]]
    llm_enabled: NotRequired[bool]
    llm_provider: NotRequired[str]
    llm_model: NotRequired[str]
    llm_config: NotRequired[LlmConfig]
    execution_script: NotRequired[str]
    execution_runtime: NotRequired[Literal["python", "javascript", "none"]]
    dependencies: NotRequired[str]


class RequiredCredential(TypedDict):
    provider: str
    scopes: list[str]


class ReviewPendingNotification(TypedDict):
    id: str
    event_type: Literal["review.pending"]
    severity: Literal["warning", "critical"]
    payload: ReviewPendingNotificationPayload
    timestamp: str


class ReviewPendingNotificationPayload(TypedDict):
    checkout_id: str
    jti: str
    agent_id: str
    risk: Literal["clean", "flagged", "critical"]


class SellerCredentialLimit(TypedDict):
    max_calls: NotRequired[float]
    max_cost_cents: NotRequired[float]


class SellerCredentialUse(TypedDict):
    calls: int
    cost_microcents: int
    resets_at: str


class Skill(TypedDict):
    id: str
    operator_id: str
    seller: SkillSeller
    name: str
    description: str
    version: str
    revision: int
    status: Literal["active", "suspended", "unlisted", "pending_review"]
    trust_level_required: Literal["L0", "L1", "L2"]
    tags: list[str]
    price_per_invocation: int
    agent_id: str | None
    execution_mode: Literal["open", "sealed", "source"]
    credential_mode: Literal["none", "buyer_provides", "seller_provides", "both"]
    required_credentials: list[RequiredCredential]
    seller_credential_limit: SellerCredentialLimit | None
    accepts_requests: bool
    average_rating: float | None
    rating_count: int
    invocation_count: int
    review: SkillReview
    created_at: str
    updated_at: str
    input_schema: dict[str, Any]
    output_schema: dict[str, Any]
    max_compute_cents: int | None
    pending_change: NotRequired[PendingChange | None]
    seller_credential_use: NotRequired[SellerCredentialUse]
    execution_steps: NotRequired[list[StoredExecutionStepScript | StoredExecutionStepLlm] | None]
    execution_script: NotRequired[str | None]
    execution_runtime: NotRequired[str | None]
    dependencies: NotRequired[str | None]
    llm_enabled: NotRequired[bool | None]
    llm_provider: NotRequired[str | None]
    llm_model: NotRequired[str | None]
    llm_config: NotRequired[StoredLlmConfig | None]


class SkillReview(TypedDict):
    status: Literal["exempt", "pending", "approved", "rejected", "taken_down"]
    rejection_reason: str | None
    reviewed_at: str | None


class SkillSeller(TypedDict):
    name: str
    verified: bool


class StoredExecutionStepLlm(TypedDict):
    type: Literal["llm"]
    label: str
    llm_provider: str
    llm_model: str
    llm_config: NotRequired[StoredLlmConfig]


class StoredExecutionStepScript(TypedDict):
    type: Literal["script"]
    label: str
    runtime: Literal["javascript", "python"]
    script: str


class StoredLlmConfig(TypedDict):
    temperature: NotRequired[float]
    max_tokens: NotRequired[float]
    system_prompt: NotRequired[str]


class WalletLowBalanceNotification(TypedDict):
    id: str
    event_type: Literal["wallet.low_balance"]
    severity: Literal["warning"]
    payload: WalletLowBalanceNotificationPayload
    timestamp: str


class WalletLowBalanceNotificationPayload(TypedDict):
    balance_cents: int
    low_balance_cents: int


#: A notification that was verified; its `event_type` tells which.
Notification = (
    PassportFlaggedNotification
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
    | DestinationVerificationNotification
)
