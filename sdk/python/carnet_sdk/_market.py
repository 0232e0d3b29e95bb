"""Finds and invokes skills."""

import math
import time
import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal
from urllib.parse import quote

from ._client import Client
from ._errors import InvocationFailed, StillRunning, UnclearError
from .types import EvidencedInvocation, Invocation, ListedSkill, Skill

#: The service waits no longer in one call.
LONGEST_WAIT = 60
MICROCENTS = 1_000_000
Sort = Literal["relevance", "price", "rating", "newest", "most_used"]


@dataclass(frozen=True)
class Result:
    id: str
    output: dict[str, Any]
    cost_microcents: int
    """What it cost, of which 1,000,000 are a cent."""


class Market:
    def __init__(self, client: Client) -> None:
        self._client = client

    def find(
        self, words: str, *, max_price_cents: int | None = None, sort: Sort | None = None, limit: int | None = None
    ) -> list[ListedSkill]:
        """Finds skills by any of these words, best first; dearer ones are left out."""
        query = {"q": words, "max_price_cents": max_price_cents, "sort": sort, "limit": limit}
        skills: list[ListedSkill] = self._client.call("GET", "/v1/skills", query=query)["skills"]
        return skills

    def invoke(
        self,
        skill: str | ListedSkill | Skill,
        input: Mapping[str, Any],
        *,
        max_price_cents: int | None = None,
        idempotency_key: str | None = None,
        wait_seconds: float = LONGEST_WAIT,
        passport_id: str | None = None,
        mission_id: str | None = None,
    ) -> Result:
        """
        Invokes a skill and waits for its output. It is paid at most once, however often it is sent; keep an
        `idempotency_key` of your own to repeat the call in another process.
        Raises CarnetError for a refusal, InvocationFailed, StillRunning; UnclearError where nobody knows.
        """
        key = idempotency_key or str(uuid.uuid4())
        until = time.monotonic() + wait_seconds
        optional = {"max_price_cents": max_price_cents, "passport_id": passport_id, "mission_id": mission_id}
        body = {"input": input, **{name: value for name, value in optional.items() if value is not None}}
        path = f"/v1/skills/{quote(skill if isinstance(skill, str) else skill['id'], safe='')}/invoke"
        wait = min(LONGEST_WAIT, math.floor(wait_seconds))
        invoked: Invocation = self._client.call("POST", path, body, idempotency_key=key, wait=wait)
        match invoked:
            case {"id": str(), "status": str()}:
                pass
            case _:
                raise UnclearError(f"POST {path}", "The answer is no invocation.", key, True)
        # What the service executes has its cost in its steps, which are read by the id alone.
        if has_ended(invoked) and invoked["execution_mode"] == "open":
            return outcome_of(invoked, 0)
        try:
            return self.result(invoked["id"], wait_seconds=until - time.monotonic())
        except UnclearError as error:
            raise UnclearError(f"POST {path}", error, key, True) from error

    def result(self, id: str, *, wait_seconds: float = LONGEST_WAIT) -> Result:
        """Waits on for an invocation."""
        until = time.monotonic() + wait_seconds
        while True:
            wait = min(LONGEST_WAIT, math.ceil(until - time.monotonic()))
            path = f"/v1/skills/invocations/{quote(id, safe='')}"
            invocation: EvidencedInvocation = self._client.call("GET", path, wait=wait)
            if invocation.get("id") != id:
                raise UnclearError(f"GET {path}", "The answer is no invocation.", None, False)
            if has_ended(invocation):
                return outcome_of(invocation, sum(step["charged_microcents"] for step in invocation["steps"] or []))
            if time.monotonic() >= until:
                raise StillRunning(id)


def has_ended(invocation: Invocation | EvidencedInvocation) -> bool:
    return invocation["status"] not in ("pending", "processing")


def outcome_of(invocation: Invocation | EvidencedInvocation, executed_microcents: int) -> Result:
    """Raises InvocationFailed."""
    id, status, error = invocation["id"], invocation["status"], invocation["error"]
    if status != "completed":
        code, message = (error["code"], error["message"]) if error else ("EXPIRED", "Nobody completed it in time.")
        raise InvocationFailed(id, status, code, message)
    # A try of one's own skill has no price, and its steps cost as those of any other.
    price = 0 if invocation["self_invocation"] or invocation["trial"] else invocation["price_cents"]
    return Result(id, dict(invocation["output"] or {}), price * MICROCENTS + executed_microcents)
