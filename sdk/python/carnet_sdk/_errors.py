"""The errors that callers can tell apart."""

from collections.abc import Mapping
from typing import Any


class CarnetError(Exception):
    """A refusal of the service: nothing was done. `code` stays the same over versions; `detail` says what to do."""

    def __init__(self, problem: Mapping[str, Any], status: int, retry_after: float | None = None) -> None:
        super().__init__(f"{problem['code']}: {problem['detail']}")
        self.code: str = problem["code"]
        self.status = status
        self.detail: str = problem["detail"]
        #: Every member of the answer, those of a code alone among them.
        self.problem = dict(problem)
        #: Seconds after which it may be tried again.
        self.retry_after = retry_after

    @property
    def field(self) -> str | None:
        """The first fault of a request that was not valid, dotted from the root of the body."""
        match self.problem.get("errors"):
            case [{"path": str(path)}, *_]:
                return path
        return None


class InsufficientCredits(CarnetError):
    """402: the wallet does not cover the price."""

    @property
    def required_cents(self) -> int:
        return int(self.problem["required_cents"])

    @property
    def balance_cents(self) -> int:
        return int(self.problem["balance_cents"])


class PriceChanged(CarnetError):
    """The price is above `max_price_cents`."""


class BudgetExceeded(CarnetError):
    """A budget is used up: of the agent in this month, or of the passport."""


class RateLimited(CarnetError):
    """Still 429 after all tries."""


class ApprovalRequired(CarnetError):
    """A person must approve this first; `approval_id` names what they decide about."""

    @property
    def approval_id(self) -> str:
        return str(self.problem["approval_id"])


KINDS: Mapping[str, type[CarnetError]] = {
    "INSUFFICIENT_CREDITS": InsufficientCredits,
    "PRICE_CHANGED": PriceChanged,
    "AGENT_BUDGET_EXCEEDED": BudgetExceeded,
    "PASSPORT_BUDGET_EXCEEDED": BudgetExceeded,
    "RATE_LIMITED": RateLimited,
    "GOVERNANCE_APPROVAL_REQUIRED": ApprovalRequired,
}


class UnclearError(Exception):
    """
    No answer that can be read came, after all tries. Where `may_have_happened`, call again with the same `idempotency_key`:
    what was done is answered again, and is not done twice.
    """

    def __init__(self, operation: str, reason: object, idempotency_key: str | None, may_have_happened: bool) -> None:
        advice = (
            "it may have been performed, so repeat it with the same idempotency key"
            if may_have_happened
            else "nothing was performed"
        )
        super().__init__(f"{operation} was not answered: {advice}. {reason}")
        self.operation = operation
        self.idempotency_key = idempotency_key
        #: False where no try reached a service.
        self.may_have_happened = may_have_happened


class InvocationFailed(Exception):
    """The invocation ended without an output; its price was given back."""

    def __init__(self, id: str, status: str, code: str, message: str) -> None:
        super().__init__(f"{code}: {message}")
        self.id = id
        self.status = status
        self.code = code


class StillRunning(Exception):
    """The invocation has not ended yet; `market.result(id)` waits on."""

    def __init__(self, id: str) -> None:
        super().__init__(f"Invocation {id} has not ended yet; wait on with market.result({id!r}).")
        self.id = id
