"""Publishes skills, and works on what is invoked."""

import json
import logging
import random
import threading
import time
from collections.abc import Callable, Mapping
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from datetime import datetime
from types import TracebackType
from typing import Any, Self
from urllib.parse import quote

from ._client import Cancelled, Client
from ._errors import CarnetError, UnclearError
from .types import Invocation, PublishSkill, Skill

#: Told every error: of a handler, and of a call that is tried again.
log = logging.getLogger("carnet_sdk")
#: A call of httpx cannot be ended from another thread, so this is also how long a stop may take.
POLL_SECONDS = 5
LONGEST_PAUSE_SECONDS = 30
CHANGEABLE = {
    "description",
    "version",
    "input_schema",
    "output_schema",
    "trust_level_required",
    "tags",
    "price_per_invocation",
}
#: With these the work belongs to somebody else, or to nobody.
LOST = {
    "LEASE_LOST",
    "NO_LEASE",
    "INVOCATION_EXPIRED",
    "INVOCATION_NOT_PROCESSING",
    "INVOCATION_NOT_PENDING",
    "NOT_FOUND",
}


class WorkRefused(Exception):
    """Raised by a handler, it is shown to the consumer; the message of any other error stays here."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


@dataclass(frozen=True)
class Work:
    invocation: Invocation
    #: Set when the result counts no more: the lease is lost, it was ended elsewhere, or its time is over.
    cancelled: threading.Event = field(default_factory=threading.Event)


Handler = Callable[[dict[str, Any], Work], Mapping[str, Any]]


class Provider:
    def __init__(self, client: Client) -> None:
        self._client = client

    def publish(self, skill: PublishSkill) -> Skill:
        """Publishes what is not there yet; another version of a skill that is there becomes its next one."""
        there = self._own(skill["name"])
        if there is None:
            published: Skill = self._client.call("POST", "/v1/skills", skill)
            return published
        changed = {name: value for name, value in skill.items() if there.get(name) != value}
        if not changed:
            return there
        names = ", ".join(changed)
        if "version" not in changed:
            raise refused_here(
                "VERSION_IMMUTABLE",
                f"Version {skill['version']} of {skill['name']} is published with another {names}; "
                "give what you publish a new version.",
            )
        fixed = ", ".join(name for name in changed if name not in CHANGEABLE)
        if fixed:
            detail = f"{fixed} of {skill['name']} cannot change; publish it under another name."
            raise refused_here("INVALID_STATE", detail)
        updated: Skill = self._client.call("PATCH", f"/v1/skills/{there['id']}", changed)
        return updated

    def _own(self, name: str) -> Skill | None:
        cursor: str | None = None
        while True:
            page = self._client.call("GET", "/v1/skills/mine", query={"cursor": cursor})
            for one in page["skills"]:
                if one["name"] == name:
                    found: Skill = self._client.call("GET", f"/v1/skills/{one['id']}")
                    return found
            cursor = page["next_cursor"]
            if cursor is None:
                return None

    def serve(
        self, skill: PublishSkill, handler: Handler, *, concurrency: int = 1, lease_seconds: int = 60
    ) -> "Serving":
        """
        Publishes, then works on what is invoked until it is stopped, `concurrency` invocations at a time, each in a thread.
        Without a heartbeat in `lease_seconds` another worker gets the work; one is sent each third of it.
        """
        return Serving(
            self._client, self.publish(skill), handler, concurrency=concurrency, lease_seconds=lease_seconds
        )


def refused_here(code: str, detail: str) -> CarnetError:
    return CarnetError({"code": code, "detail": detail}, 409)


class Serving:
    """What is being served. `with` stops it at its end; `wait()` blocks."""

    def __init__(
        self, client: Client, skill: Skill, handler: Handler, *, concurrency: int, lease_seconds: int
    ) -> None:
        self.skill = skill
        self._client = client
        self._handler = handler
        self._concurrency = concurrency
        self._lease_seconds = lease_seconds
        self._stopping = threading.Event()
        self._running: dict[str, Future[None]] = {}
        self._failure: CarnetError | None = None
        self._threads = ThreadPoolExecutor(concurrency, "carnet-work")
        self._loop = threading.Thread(target=self._take_until_stopped, name="carnet-serve")
        self._loop.start()

    def stop(self) -> None:
        """Takes no more work, and waits until what is under way is done."""
        self._stopping.set()
        self._loop.join()
        if self._failure is not None:
            raise self._failure

    def wait(self) -> None:
        """Blocks until it cannot go on, as with a key that was revoked, and raises why; Ctrl-C stops it cleanly."""
        try:
            self._loop.join()
        finally:
            self.stop()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def _take_until_stopped(self) -> None:
        failures = 0
        with self._threads:
            while not self._stopping.is_set():
                try:
                    self._take_work()
                    failures = 0
                except Cancelled:
                    return
                except Exception as error:
                    # A credential that counts no more, or a skill that is somebody else's: waiting changes nothing.
                    if isinstance(error, CarnetError) and 400 <= error.status < 500 and error.status not in (408, 409, 429):
                        self._failure = error
                        log.error("serving %s ends: %s", self.skill["name"], error)
                        return
                    log.warning("serving %s: %s", self.skill["name"], error)
                    pause = min(LONGEST_PAUSE_SECONDS, 0.5 * 2 ** min(failures, 10))
                    failures += 1
                    self._stopping.wait(pause * random.uniform(0.5, 1))

    def _take_work(self) -> None:
        self._running = {id: one for id, one in self._running.items() if not one.done()}
        free = self._concurrency - len(self._running)
        if free <= 0:
            wait(self._running.values(), return_when=FIRST_COMPLETED)
            return
        pending = self._client.call(
            "GET",
            "/v1/skills/invocations/pending",
            query={"skill_id": self.skill["id"], "limit": free},
            wait=POLL_SECONDS,
            cancelled=self._stopping,
        )
        for one in pending["invocations"][:free]:
            if not self._stopping.is_set():
                self._claim(one["id"])

    def _claim(self, id: str) -> None:
        """A claim that somebody else has won is none of ours."""
        try:
            invocation: Invocation = self._client.call("POST", path_of(id, "claim"), {"lease_seconds": self._lease_seconds})
        except CarnetError as error:
            if error.code not in LOST:
                raise
            return
        self._running[id] = self._threads.submit(self._work, Work(invocation))

    def _work(self, work: Work) -> None:
        id = work.invocation["id"]
        ended = threading.Event()
        heartbeats = threading.Thread(target=self._keep_lease, args=(work, ended), name="carnet-heartbeat", daemon=True)
        heartbeats.start()
        try:
            action, body = self._made(work)
            try:
                self._deliver(work, action, body)
            except CarnetError as error:
                # An output that the service refuses would else stay open until its time is over.
                if action == "fail" or error.code in LOST or error.status not in (400, 413, 422):
                    raise
                log.error("the output for %s is refused: %s", id, error)
                message = "The output of the provider does not match its schema."
                self._deliver(work, "fail", {"error": {"code": "OUTPUT_SCHEMA_MISMATCH", "message": message}})
        except Cancelled:
            log.warning("the result for %s counts no more", id)
        except Exception as error:
            log.error("the result for %s was not taken: %s", id, error)
        finally:
            ended.set()

    def _made(self, work: Work) -> tuple[str, dict[str, Any]]:
        try:
            output = dict(self._handler(work.invocation["input"] or {}, work))
            json.dumps(output, allow_nan=False)
            return "complete", {"output": output}
        except WorkRefused as error:
            return "fail", {"error": {"code": error.code, "message": str(error)}}
        except Exception:
            log.exception("the handler failed on %s", work.invocation["id"])
            return "fail", {"error": {"code": "PROVIDER_FAILED", "message": "The provider could not do this."}}

    def _deliver(self, work: Work, action: str, body: dict[str, Any]) -> None:
        """As long as it counts, no matter how long the service is away."""
        id, attempt = work.invocation["id"], work.invocation["attempt"]
        left = datetime.fromisoformat(work.invocation["expires_at"]).timestamp() - time.time()
        self._client.call(
            "POST",
            path_of(id, action),
            {**body, "attempt": attempt},
            patience_seconds=max(0, left),
            cancelled=work.cancelled,
        )

    def _keep_lease(self, work: Work, ended: threading.Event) -> None:
        """Renews the lease until the work has ended; one that is lost cancels the work."""
        third = self._lease_seconds / 3
        path = path_of(work.invocation["id"], "heartbeat")
        while not ended.wait(third):
            try:
                body = {"attempt": work.invocation["attempt"]}
                self._client.call("POST", path, body, patience_seconds=third, cancelled=ended)
            except Cancelled:
                return
            except CarnetError as error:
                if error.code in LOST:
                    work.cancelled.set()
                    return
                log.warning("heartbeat: %s", error)
            except UnclearError as error:
                log.warning("heartbeat: %s", error)


def path_of(id: str, action: str) -> str:
    return f"/v1/skills/invocations/{quote(id, safe='')}/{action}"
