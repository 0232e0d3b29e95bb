"""One call of the service: its headers, its tries, and what its answer means."""

import json
import os
import random
import re
import threading
import time
import uuid
from collections.abc import Mapping
from types import TracebackType
from typing import Any, Self

import httpx

from ._errors import KINDS, CarnetError, UnclearError

#: An answer takes this long at most, beside the seconds that the service was asked to wait.
ANSWER_SECONDS = 30
FIRST_PAUSE_SECONDS = 0.2
LONGEST_PAUSE_SECONDS = 15
#: Bytes; no answer of the service is a tenth as long.
LARGEST_ANSWER = 2**26
#: Refused for now: nothing was done, and the same call may succeed a little later.
FOR_NOW = {"RATE_LIMITED", "IDEMPOTENCY_IN_FLIGHT", "OVERLOADED", "TEMPORARILY_UNAVAILABLE", "REQUEST_TIMEOUT"}


class Unanswered(Exception):
    """A try gave no answer, or none of the service's: of a proxy, or cut."""

    def __init__(self, reason: object, sent: bool = True) -> None:
        super().__init__(str(reason))
        self.sent = sent


class Cancelled(Exception):
    """The caller needs the answer no more."""


class Client:
    def __init__(self, api_key: str | None, base_url: str | None, patience_seconds: float) -> None:
        address = (base_url or os.environ.get("CARNET_BASE_URL", "")).rstrip("/")
        if not address.startswith(("http://", "https://")):
            raise ValueError(
                "Carnet needs a base_url that begins with http:// or https://; or set CARNET_BASE_URL."
            )
        key = api_key or os.environ.get("CARNET_API_KEY")
        # The refusal names no value: it is a secret.
        if key and re.fullmatch(r"[\x21-\x7e]+", key) is None:
            raise ValueError("The API key has a character that no key has, as a space or a line break.")
        self.base_url = address
        self._patience_seconds = patience_seconds
        # Redirects are not followed: elsewhere the key would be sent to a stranger.
        self._http = httpx.Client(
            headers={"accept": "application/json", **({"authorization": f"Bearer {key}"} if key else {})},
            limits=httpx.Limits(max_connections=None),
        )

    def close(self) -> None:
        """Closes its connections."""
        self._http.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def call(
        self,
        method: str,
        path: str,
        body: Mapping[str, Any] | None = None,
        *,
        query: Mapping[str, str | int | None] | None = None,
        idempotency_key: str | None = None,
        wait: int = 0,
        patience_seconds: float | None = None,
        cancelled: threading.Event | None = None,
    ) -> Any:
        """
        The answer of any route, as `call("GET", "/v1/billing/balance")`. A change has an idempotency key, which is made where
        it is left out and kept over the tries, so each try is safe. `wait` is that of `Prefer`, in seconds.
        Raises CarnetError for a refusal, UnclearError where no answer came.
        """
        key = None if method == "GET" else idempotency_key or str(uuid.uuid4())
        request = self._request(method, path, body, query=query, key=key, wait=wait)
        patience = self._patience_seconds if patience_seconds is None else patience_seconds
        until = time.monotonic() + patience
        may_have_happened = False
        tries = 0
        while True:
            if cancelled is not None and cancelled.is_set():
                raise Cancelled
            try:
                return self._attempt(request, wait)
            except Unanswered as failed:
                failure: Unanswered | CarnetError = failed
                may_have_happened = may_have_happened or (failed.sent and key is not None)
            except CarnetError as failed:
                if failed.code not in FOR_NOW and failed.status < 500:
                    raise
                failure = failed
            pause = pause_before(tries, failure)
            tries += 1
            if time.monotonic() + pause > until:
                # A refusal for now says nothing about an earlier try that had no answer.
                if isinstance(failure, CarnetError) and not may_have_happened:
                    raise failure
                raise UnclearError(f"{method} {path}", failure, key, may_have_happened) from failure
            (cancelled or threading.Event()).wait(pause)

    def _request(
        self,
        method: str,
        path: str,
        body: Mapping[str, Any] | None,
        *,
        query: Mapping[str, str | int | None] | None,
        key: str | None,
        wait: int,
    ) -> httpx.Request:
        # A dot or two would be taken out of the path, and another route be called.
        if any(part in ("", ".", "..") for part in path.split("/")[1:]):
            raise ValueError(f"{path} is no path of the service")
        headers: dict[str, str] = {}
        if key is not None:
            headers["idempotency-key"] = key
        if wait >= 1:
            headers["prefer"] = f"wait={wait}"
        content = None
        if body is not None:
            headers["content-type"] = "application/json"
            content = json.dumps(body, allow_nan=False).encode()
        given = {name: value for name, value in (query or {}).items() if value is not None}
        timeout = httpx.Timeout(ANSWER_SECONDS, read=ANSWER_SECONDS + wait)
        return self._http.build_request(
            method, self.base_url + path, params=given, headers=headers, content=content, timeout=timeout
        )

    def _attempt(self, request: httpx.Request, wait: int) -> Any:
        deadline = time.monotonic() + ANSWER_SECONDS + wait
        try:
            response = self._http.send(request, stream=True)
            try:
                chunks = []
                length = 0
                for chunk in response.iter_bytes():
                    chunks.append(chunk)
                    length += len(chunk)
                    if length > LARGEST_ANSWER:
                        raise Unanswered("The answer is too long.")
                    if time.monotonic() > deadline:
                        raise Unanswered("The answer takes too long.")
            finally:
                response.close()
        except (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout) as error:
            raise Unanswered(error, sent=False) from error
        except (httpx.TransportError, httpx.DecodingError) as error:
            raise Unanswered(error) from error
        return read(response, b"".join(chunks))


def read(response: httpx.Response, content: bytes) -> Any:
    """Raises CarnetError for a refusal, Unanswered where nothing of the service can be read."""
    if response.status_code == 204:
        return None
    try:
        value = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise Unanswered(f"{response.status_code} was answered, and no JSON.") from error
    if not isinstance(value, dict):
        raise Unanswered("The answer is no object.")
    if response.is_success:
        return value
    match value:
        case {"code": str(), "detail": str()}:
            if value["code"] == "UNAUTHENTICATED" and "authorization" not in response.request.headers:
                value = {**value, "detail": "Carnet needs an api_key here; or set CARNET_API_KEY."}
            kind = KINDS.get(value["code"], CarnetError)
            raise kind(value, response.status_code, seconds_of(response.headers.get("retry-after", "")))
    raise Unanswered(f"{response.status_code} was answered, without a reason.")


def seconds_of(text: str) -> float | None:
    """Digits alone: `inf`, `nan` and dates are no numbers of seconds."""
    return float(text) if text.isascii() and text.isdigit() and len(text) < 9 else None


def pause_before(tries: int, failure: Unanswered | CarnetError) -> float:
    """Doubles, with chance in it so that many clients do not come back together; never earlier than the service says."""
    doubled: float = min(LONGEST_PAUSE_SECONDS, FIRST_PAUSE_SECONDS * 2.0 ** min(tries, 10))
    asked = failure.retry_after if isinstance(failure, CarnetError) else None
    return (asked or 0) + doubled * random.uniform(0.5, 1)
