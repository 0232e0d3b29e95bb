"""Webhooks by Standard Webhooks."""

import base64
import hashlib
import hmac
import json
import re
import time
from collections.abc import Mapping
from typing import cast

from .types import Notification

#: A request that is older, or newer, was not sent now.
TOLERANCE_SECONDS = 300
#: A secret of the service has 32 bytes; one that is empty or was left out would let anybody sign.
SHORTEST_SECRET = 16


class WebhookRefused(Exception):
    """It was not sent by whoever has the secret, or not now."""


def sign_webhook(id: str, sent_at: int, body: bytes, secret: str) -> str:
    """Keyed with what is behind `whsec_`. Raises ValueError where that is no secret."""
    key = base64.b64decode(secret.removeprefix("whsec_"))
    if len(key) < SHORTEST_SECRET:
        raise ValueError("The secret of a webhook is whsec_ and base64 of 16 bytes or more.")
    made = hmac.new(key, f"{id}.{sent_at}.".encode() + body, hashlib.sha256).digest()
    return f"v1,{base64.b64encode(made).decode()}"


def verify_webhook(headers: Mapping[str, str], body: bytes | str, secret: str) -> Notification:
    """
    The event of a webhook with its `id`, typed by its `event_type`, once one of its signatures is that of the secret. `body` is as it came, not parsed.
    Store the event under its id and refuse an id that you have: within five minutes anybody who saw the request can send it
    again. Raises WebhookRefused.
    """
    given = {name.lower(): value for name, value in headers.items()}
    id, sent = given.get("webhook-id", ""), given.get("webhook-timestamp", "")
    if not id or not re.fullmatch("[0-9]{1,15}", sent):
        raise WebhookRefused("There is no webhook-id, or no webhook-timestamp.")
    if abs(time.time() - int(sent)) > TOLERANCE_SECONDS:
        raise WebhookRefused("The webhook was not sent within the last five minutes.")
    raw = body.encode() if isinstance(body, str) else body
    wanted = sign_webhook(id, int(sent), raw, secret).encode()
    signatures = given.get("webhook-signature", "").encode().split(b" ")
    if not any(hmac.compare_digest(one, wanted) for one in signatures):
        raise WebhookRefused("No signature is that of the secret.")
    return cast(Notification, {**json.loads(raw), "id": id})
