"""Written by scripts/write-python-types.ts from openapi.json."""

from __future__ import annotations

from typing import Any, Literal, NotRequired, TypedDict


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
