"""A value that is fetched now and then, and kept; threads share it."""

import threading
import time
from collections.abc import Callable
from typing import Generic, NamedTuple, TypeVar

Value = TypeVar("Value")


class Fetched(NamedTuple, Generic[Value]):
    value: Value
    #: Fetched again afterwards; kept on where that fails.
    fresh_until: float
    #: Never used afterwards.
    expires: float


class Kept(Generic[Value]):
    #: Between two tries where the last one failed: an issuer that does not answer is not asked at each request.
    FAILURE_PAUSE_SECONDS = 1

    def __init__(self, fetch: Callable[[], Fetched[Value]]) -> None:
        self._fetch = fetch
        self._lock = threading.Lock()
        self._kept: Fetched[Value] | None = None
        self._fetched_at = 0.0
        self._failed_at = 0.0

    def get(self) -> Value:
        """Raises where there is none that may be used."""
        kept = self._kept
        if kept is not None and time.time() < kept.fresh_until:
            return kept.value
        with self._lock:
            # Another thread may have fetched it meanwhile.
            if self._kept is None or time.time() >= self._kept.fresh_until:
                self._refetch()
            return self._usable()

    def newer(self, pause_seconds: float) -> Value:
        """Fetched again, unless that was done in the last `pause_seconds`: what strangers show asks for it."""
        with self._lock:
            if time.time() >= self._fetched_at + pause_seconds:
                self._refetch()
            return self._usable()

    def _refetch(self) -> None:
        now = time.time()
        if now < self._failed_at + self.FAILURE_PAUSE_SECONDS:
            return
        try:
            self._kept = self._fetch()
            self._fetched_at = now
        except Exception as error:
            self._failed_at = time.time()
            if self._kept is None or time.time() >= self._kept.expires:
                raise Unavailable from error

    def _usable(self) -> Value:
        if self._kept is None or time.time() >= self._kept.expires:
            raise Unavailable
        return self._kept.value


class Unavailable(Exception):
    """It cannot be had, and none that was kept may be used."""
