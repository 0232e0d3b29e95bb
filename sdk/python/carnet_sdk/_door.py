"""Admits passports offline: keys and the lists of revoked passports are fetched now and then, and kept."""

import base64
import hashlib
import json
import os
import re
import threading
import time
import zlib
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, NotRequired, TypedDict, TypeVar, cast

import httpx
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from ._kept import Fetched, Kept, Unavailable
from .types import PassportClaims, PassportServiceScope

RefusedBecause = Literal["missing", "invalid", "expired", "revoked", "audience", "scope", "constraint", "unknown"]
#: Of the answer to whoever showed it; `unknown` is where keys or list cannot be had.
STATUS = {"scope": 403, "constraint": 403, "audience": 403, "unknown": 503}

#: The service publishes keys for this long; a token is checked anew then, so that a withdrawn key is seen.
KEYS_SECONDS = 300
#: Between two downloads that an unknown key asks for.
UNKNOWN_KEY_PAUSE_SECONDS = 30
#: Between two downloads that a bit beyond the end of a list asks for; a list is at most a second old when it is fetched.
SHORT_LIST_PAUSE_SECONDS = 1
KEPT_TOKENS = 10_000
KEPT_LISTS = 32
FETCH_SECONDS = 5
LARGEST_TOKEN = 16_384
#: 2^27 passports of one day.
LARGEST_LIST = 2**24
TOKEN = re.compile(r"([A-Za-z0-9_-]+)\.([A-Za-z0-9_-]+)\.([A-Za-z0-9_-]+)")
#: What a payload of another shape raises.
UNREADABLE = (ValueError, TypeError, KeyError, AttributeError, RecursionError, zlib.error)

Key = TypeVar("Key")
Value = TypeVar("Value")


class StatusListBit(TypedDict):
    idx: int
    uri: str


class Status(TypedDict):
    status_list: StatusListBit


class Passport(TypedDict):
    """The payload of a passport. Who shows it is `svcns.agent_id`, of the account `svcns.operator_id`."""

    iss: str
    sub: str
    jti: str
    iat: int
    exp: int
    aud: NotRequired[list[str]]
    svcns: PassportClaims
    status: Status


class PassportRefused(Exception):
    """The passport does not count for this call."""

    def __init__(self, because: RefusedBecause, message: str) -> None:
        super().__init__(message)
        self.because: RefusedBecause = because
        self.status = STATUS.get(because, 401)


def door(
    *,
    service_id: str,
    scopes: Sequence[str] = (),
    issuer: str | None = None,
    audience_required: bool = False,
    matches: Callable[[str, str], bool] | None = None,
) -> "Door":
    """
    `service_id` is yours, as passports name it; all `scopes` are needed. `issuer` is the `base_url` of the service, to the
    character; left out: CARNET_BASE_URL. `audience_required` refuses a passport that names no audience, which other services that saw it can show here.
    `matches(pattern, text)` says whether a pattern in RE2's syntax matches a whole text, in linear time; without it `regex`
    never holds.
    """
    address = (issuer or os.environ.get("CARNET_BASE_URL", "")).rstrip("/")
    if not address.startswith(("http://", "https://")):
        raise ValueError("A door needs an issuer that begins with http:// or https://; or set CARNET_BASE_URL.")
    return Door(address, service_id, tuple(scopes), audience_required=audience_required, matches=matches)


class Door:
    def __init__(
        self,
        issuer: str,
        service_id: str,
        scopes: tuple[str, ...],
        *,
        audience_required: bool,
        matches: Callable[[str, str], bool] | None,
    ) -> None:
        self._issuer = issuer
        self._service_id = service_id
        self._scopes = scopes
        self._audience_required = audience_required
        self._matches = matches
        self._http = httpx.Client(timeout=FETCH_SECONDS)
        self._keys = Kept(self._fetch_keys)
        self._lists: OrderedDict[str, Kept[bytes]] = OrderedDict()
        self._tokens: OrderedDict[bytes, tuple[Passport, float]] = OrderedDict()
        self._lock = threading.Lock()

    def admit(
        self, token: str | None, *, scopes: Sequence[str] = (), params: Mapping[str, Any] | None = None
    ) -> Passport:
        """
        The payload of a passport that counts for this call. `scopes` are needed beside those of the door; `params` are the
        parameters of the call, which the constraints of the passport limit. Raises PassportRefused.
        """
        if not token:
            raise PassportRefused("missing", "A passport is needed, as a bearer token.")
        if len(token) > LARGEST_TOKEN:
            raise PassportRefused("invalid", "The token is longer than any passport.")
        try:
            passport = self._verified(token)
        except Unavailable as error:
            raise PassportRefused("unknown", "The keys of the issuer cannot be had.") from error
        except UNREADABLE as error:
            raise PassportRefused("invalid", "The token is no passport.") from error
        try:
            self._refuse_revoked(passport)
        except (Unavailable, *UNREADABLE) as error:
            message = "The list of revoked passports cannot be had, so nobody knows whether this one is."
            raise PassportRefused("unknown", message) from error
        try:
            self._refuse_beyond(passport, (*self._scopes, *scopes), params or {})
        except UNREADABLE as error:
            raise PassportRefused("invalid", "The passport cannot be read.") from error
        return passport

    def _verified(self, token: str) -> Passport:
        digest = hashlib.sha256(token.encode()).digest()
        kept = self._tokens.get(digest)
        if kept is not None and time.time() < kept[1]:
            return kept[0]
        payload = self._signed(token, "JWT")
        if payload["iss"] != self._issuer:
            raise PassportRefused("invalid", f"The passport is of another issuer than {self._issuer}.")
        if "nbf" in payload and not payload["nbf"] <= time.time():
            raise PassportRefused("invalid", "The passport does not count yet.")
        passport = cast(Passport, payload)
        with self._lock:
            remember(self._tokens, digest, (passport, min(payload["exp"], time.time() + KEYS_SECONDS)), KEPT_TOKENS)
        return passport

    def _signed(self, token: str, typ: str) -> dict[str, Any]:
        """The payload of a token that is signed with a key of the issuer and has not expired."""
        parts = TOKEN.fullmatch(token)
        if parts is None:
            raise ValueError("no token")
        header, payload = json.loads(decode(parts[1])), json.loads(decode(parts[2]))
        if header["alg"] != "EdDSA" or header["typ"] != typ or "crit" in header:
            raise ValueError("another kind of token")
        try:
            self._key(header["kid"]).verify(decode(parts[3]), token[: parts.start(3) - 1].encode())
        except InvalidSignature:
            raise PassportRefused("invalid", "The signature is not right.") from None
        if not payload["exp"] > time.time():
            raise PassportRefused("expired", "The passport has expired.")
        return cast(dict[str, Any], payload)

    def _key(self, kid: str) -> Ed25519PublicKey:
        key = self._keys.get().get(kid) or self._keys.newer(UNKNOWN_KEY_PAUSE_SECONDS).get(kid)
        if key is None:
            raise PassportRefused("invalid", "The token is not signed with a key of the issuer.")
        return key

    def _fetch_keys(self) -> Fetched[dict[str, Ed25519PublicKey]]:
        asked_at = time.time()
        found = json.loads(self._get(f"{self._issuer}/.well-known/jwks.json"))["keys"]
        keys = {
            key["kid"]: Ed25519PublicKey.from_public_bytes(decode(key["x"])) for key in found if key.get("crv") == "Ed25519"
        }
        return Fetched(keys, asked_at + KEYS_SECONDS, asked_at + KEYS_SECONDS)

    def _refuse_revoked(self, passport: Passport) -> None:
        status = passport["status"]["status_list"]
        index, uri = status["idx"], status["uri"]
        # The signer names only its own; what it never signs is not fetched.
        if not uri.startswith(f"{self._issuer}/") or index < 0:
            raise Unavailable
        with self._lock:
            kept = self._lists.get(uri) or Kept(lambda: self._fetch_list(uri))
            remember(self._lists, uri, kept, KEPT_LISTS)
        bits = kept.get()
        # A bit beyond the end is of a passport that is newer than the list.
        if index >= len(bits) * 8:
            bits = kept.newer(SHORT_LIST_PAUSE_SECONDS)
        if index >= len(bits) * 8:
            raise Unavailable
        if bits[index >> 3] >> (index & 7) & 1:
            raise PassportRefused("revoked", "The passport is revoked.")

    def _fetch_list(self, uri: str) -> Fetched[bytes]:
        asked_at = time.time()
        payload = self._signed(self._get(uri).decode("ascii"), "statuslist+jwt")
        if payload["sub"] != uri:
            raise ValueError("another list was answered")
        unzip = zlib.decompressobj()
        bits = unzip.decompress(decode(payload["status_list"]["lst"]), LARGEST_LIST)
        if not unzip.eof:
            raise ValueError("the list has no end")
        return Fetched(bits, min(asked_at + payload["ttl"], payload["exp"]), payload["exp"])

    def _get(self, url: str) -> bytes:
        content = b""
        deadline = time.monotonic() + FETCH_SECONDS
        with self._http.stream("GET", url) as response:
            if response.status_code != 200:
                raise ValueError(f"{url} answered {response.status_code}")
            for chunk in response.iter_bytes():
                content += chunk
                if len(content) > 2 * LARGEST_LIST or time.monotonic() > deadline:
                    raise ValueError(f"{url} answered too much, or too slowly")
        return content

    def _refuse_beyond(self, passport: Passport, scopes: Sequence[str], params: Mapping[str, Any]) -> None:
        own = self._service_id
        audience = passport.get("aud")
        # As text it is one name (RFC 7519), of which a part is another name.
        named = [audience] if isinstance(audience, str) else audience
        if self._audience_required if named is None else own not in named:
            raise PassportRefused("audience", f"The passport is not meant for {own}.")
        here = [one for one in passport["svcns"]["services"] if one["service_id"] == own]
        if not here:
            raise PassportRefused("scope", f"The passport is not good at {own}.")
        needed: Sequence[str | None] = scopes or (None,)
        for scope in needed:
            scoped = [one for one in here if scope is None or scope in one["scopes"]]
            if not scoped:
                raise PassportRefused("scope", f"The passport is not good for {scope} at {own}.")
            if not any(self._allows(one, params) for one in scoped):
                raise PassportRefused("constraint", "The call is beyond the constraints of the passport.")

    def _allows(self, service: PassportServiceScope, params: Mapping[str, Any]) -> bool:
        return all(self._holds(cast(dict[str, Any], one), params) for one in service["constraints"])

    def _holds(self, constraint: Mapping[str, Any], params: Mapping[str, Any]) -> bool:
        if constraint["param"] not in params:
            return False
        given, value = params[constraint["param"]], constraint["value"]
        match constraint["op"]:
            case "eq":
                return same(given, value)
            case "in":
                return any(same(given, allowed) for allowed in value)
            case "lte":
                return is_number(given) and bool(given <= value)
            case "gte":
                return is_number(given) and bool(given >= value)
            case "prefix":
                return isinstance(given, str) and given.startswith(value)
            case "regex":
                return self._matches is not None and isinstance(given, str) and self._matches(value, given) is True
        return False


def remember(kept: OrderedDict[Key, Value], name: Key, value: Value, most: int) -> None:
    """The oldest makes room."""
    kept[name] = value
    kept.move_to_end(name)
    if len(kept) > most:
        kept.popitem(last=False)


def is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def same(one: object, other: object) -> bool:
    """As JSON: in Python alone True would be 1."""
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same(one[name], other[name]) for name in one)
    return one == other and (type(one) is type(other) or (is_number(one) and is_number(other)))


def decode(text: str) -> bytes:
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
