"""Sells functions to AI agents, invokes theirs, and admits their passports offline."""

from ._client import Client
from ._door import Door, Passport, PassportRefused, door
from ._errors import (
    ApprovalRequired,
    BudgetExceeded,
    CarnetError,
    InsufficientCredits,
    InvocationFailed,
    PriceChanged,
    RateLimited,
    StillRunning,
    UnclearError,
)
from ._market import Market, Result
from ._provider import Provider, Serving, Work, WorkRefused
from ._webhooks import WebhookRefused, sign_webhook, verify_webhook

__all__ = [
    "ApprovalRequired",
    "BudgetExceeded",
    "Carnet",
    "CarnetError",
    "Door",
    "InsufficientCredits",
    "InvocationFailed",
    "Market",
    "Passport",
    "PassportRefused",
    "PriceChanged",
    "Provider",
    "RateLimited",
    "Result",
    "Serving",
    "StillRunning",
    "UnclearError",
    "WebhookRefused",
    "Work",
    "WorkRefused",
    "door",
    "sign_webhook",
    "verify_webhook",
]


class Carnet(Client):
    """A client of one credential; threads may share it."""

    def __init__(
        self, api_key: str | None = None, base_url: str | None = None, *, patience_seconds: float = 60
    ) -> None:
        """Left out: CARNET_API_KEY and CARNET_BASE_URL. A call is tried again for `patience_seconds`."""
        super().__init__(api_key, base_url, patience_seconds)
        self.market = Market(self)
        self.provider = Provider(self)
