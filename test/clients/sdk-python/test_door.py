"""A door and an issuer of our own over a socket, so that keys, lists and the clock can be as wrong as they like."""

import base64
import json
import threading
import time
import unittest
import zlib
from collections.abc import Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from unittest import mock

import re2  # type: ignore[import-untyped]
from carnet_sdk import Door, PassportRefused, WebhookRefused, door, sign_webhook, verify_webhook
from carnet_sdk.fastapi import admit
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from fastapi import Depends, FastAPI
from fastapi.testclient import TestClient


def encode(content: bytes) -> str:
    return base64.urlsafe_b64encode(content).rstrip(b"=").decode()


class Issuer:
    def __init__(self) -> None:
        self.keys = {"one": Ed25519PrivateKey.generate()}
        self.bits = bytes(16)
        self.exp_seconds = 300
        self.sub: str | None = None
        self.down = False
        self.asked: list[str] = []
        issuer = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                issuer.asked.append(self.path)
                content = b"" if issuer.down else issuer.answer(self.path)
                self.send_response(503 if issuer.down else 200)
                self.send_header("content-length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)

            def log_message(self, *_: Any) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def answer(self, path: str) -> bytes:
        if path == "/.well-known/jwks.json":
            keys = [
                {"kty": "OKP", "crv": "Ed25519", "kid": kid, "x": encode(key.public_key().public_bytes_raw())}
                for kid, key in self.keys.items()
            ]
            return json.dumps({"keys": keys}).encode()
        listed = {
            "sub": self.sub or self.url + path,
            "exp": time.time() + self.exp_seconds,
            "ttl": 60,
            "status_list": {"bits": 1, "lst": encode(zlib.compress(self.bits))},
        }
        return self.sign(listed, typ="statuslist+jwt").encode()

    def sign(self, payload: Mapping[str, Any], **header: Any) -> str:
        head = {"alg": "EdDSA", "typ": "JWT", "kid": "one", **header}
        text = f"{encode(json.dumps(head).encode())}.{encode(json.dumps(payload).encode())}"
        return f"{text}.{encode(self.keys[head['kid']].sign(text.encode()))}"

    def passport(self, index: int = 3, constraints: list[Any] | None = None, **more: Any) -> str:
        service = {"service_id": "github", "scopes": ["read"], "constraints": constraints or []}
        status = {"status_list": {"idx": index, "uri": f"{self.url}/lists/1"}}
        payload = {"iss": self.url, "jti": "psp_1", "exp": time.time() + 3600, "svcns": {"services": [service]}}
        return self.sign({**payload, "status": status, **more})


class DoorTest(unittest.TestCase):
    def setUp(self) -> None:
        self.issuer = Issuer()
        self.gate = self.opened()
        self.addCleanup(self.issuer.server.server_close)
        self.addCleanup(self.issuer.server.shutdown)

    def opened(self, **more: Any) -> Door:
        return door(**{"issuer": self.issuer.url, "service_id": "github", "scopes": ["read"], **more})

    def outcome(self, token: str | None, gate: Door | None = None, **call: Any) -> str:
        try:
            (gate or self.gate).admit(token, **call)
        except PassportRefused as refused:
            return refused.because
        return "admitted"

    def later(self, seconds: float) -> Any:
        now = time.time()
        return mock.patch("time.time", lambda: now + seconds)

    def test_admits_and_fetches_once(self) -> None:
        for index in range(20):
            self.assertEqual(self.outcome(self.issuer.passport(index)), "admitted")
        self.assertEqual(sorted(self.issuer.asked), ["/.well-known/jwks.json", "/lists/1"])

    def test_refuses_what_is_no_passport(self) -> None:
        good = self.issuer.passport()
        header, payload, signature = good.split(".")
        bent = signature[:20] + ("B" if signature[20] == "A" else "A") + signature[21:]
        none = encode(b'{"alg":"none","typ":"JWT","kid":"one"}')
        deep = encode(b"[" * 9_000)
        wrong = ["x", "a.b.c", f"{header}.{payload}.{bent}", f"{none}.{payload}.AA", f"{deep}.{payload}.{signature}"]
        wrong += ["a" * 20_000, f"{good}\n", "é.é.é", self.issuer.passport(iss="http://elsewhere")]
        wrong += [self.issuer.sign({}), self.issuer.sign({"exp": "x"}), self.issuer.sign({"exp": 9e9}, crit=["b64"])]
        wrong += [self.issuer.sign(json.loads(base64.urlsafe_b64decode(payload + "==")), typ="statuslist+jwt")]
        wrong += [self.issuer.passport(nbf=time.time() + 60)]
        for token in wrong:
            self.assertEqual(self.outcome(token), "invalid", token[:60])
        self.assertEqual(self.outcome(None), "missing")
        self.assertEqual(self.outcome(self.issuer.passport(exp=time.time() - 1)), "expired")

    def test_refuses_another_service_scope_and_audience(self) -> None:
        token = self.issuer.passport()
        self.assertEqual(self.outcome(token, self.opened(service_id="jira")), "scope")
        self.assertEqual(self.outcome(token, scopes=["delete"]), "scope")
        self.assertEqual(self.outcome(token, self.opened(audience_required=True)), "audience")
        self.assertEqual(self.outcome(self.issuer.passport(aud=["jira"])), "audience")
        self.assertEqual(self.outcome(self.issuer.passport(aud=[])), "audience")
        self.assertEqual(self.outcome(self.issuer.passport(aud=["github"])), "admitted")

    def test_holds_a_call_to_each_constraint(self) -> None:
        cases: list[tuple[str, Any, list[Any], list[Any]]] = [
            ("eq", 1, [1, 1.0], [True, "1", 2]),
            ("eq", {"a": [1]}, [{"a": [1]}], [{"a": [True]}, {"a": [1, 2]}, {}]),
            ("in", ["a", 0], ["a", 0], ["b", False]),
            ("lte", 10, [10, 9.5], [11, "3", True, None]),
            ("gte", 10, [10], [9, False]),
            ("prefix", "ada/", ["ada/site"], ["eve/site", 3]),
            ("regex", "v[0-9]+", ["v12"], ["v12\n", "xv12", 3]),
            ("unknown", 1, [], [1]),
        ]
        gate = self.opened(matches=lambda pattern, text: re2.fullmatch(pattern, text) is not None)
        for op, value, good, bad in cases:
            token = self.issuer.passport(constraints=[{"param": "p", "op": op, "value": value}])
            for given in good:
                self.assertEqual(self.outcome(token, gate, params={"p": given}), "admitted", (op, given))
            for given in bad:
                self.assertEqual(self.outcome(token, gate, params={"p": given}), "constraint", (op, given))
            self.assertEqual(self.outcome(token, gate), "constraint")
        self.assertEqual(self.outcome(self.issuer.passport(constraints=[{"param": "p", "op": "regex", "value": "v"}]), params={"p": "v"}), "constraint")

    def test_sees_a_revocation_once_the_list_is_old(self) -> None:
        token = self.issuer.passport()
        self.assertEqual(self.outcome(token), "admitted")
        self.issuer.bits = bytes([1 << 3]) + bytes(15)
        with self.later(59):
            self.assertEqual(self.outcome(token), "admitted")
        with self.later(61):
            self.assertEqual(self.outcome(token), "revoked")

    def test_keeps_a_list_until_it_expires_where_the_issuer_is_down(self) -> None:
        token = self.issuer.passport(exp=time.time() + 9_000)
        self.assertEqual(self.outcome(token), "admitted")
        self.issuer.down = True
        with self.later(200):
            self.assertEqual(self.outcome(token), "admitted")
            asked = len(self.issuer.asked)
            self.outcome(token)
            self.assertEqual(len(self.issuer.asked), asked, "asked again at once")
        with self.later(301):
            self.assertEqual(self.outcome(token), "unknown")
        self.assertEqual(self.outcome(token, self.opened()), "unknown")

    def test_never_uses_a_list_past_its_exp(self) -> None:
        self.issuer.exp_seconds = 30
        token = self.issuer.passport()
        self.assertEqual(self.outcome(token), "admitted")
        self.issuer.down = True
        with self.later(31):
            self.assertEqual(self.outcome(token), "unknown")

    def test_fetches_a_list_again_that_is_too_short(self) -> None:
        self.assertEqual(self.outcome(self.issuer.passport()), "admitted")
        self.issuer.bits = bytes(400)
        with self.later(2):
            self.assertEqual(self.outcome(self.issuer.passport(2_000)), "admitted")
        with self.later(4):
            self.assertEqual(self.outcome(self.issuer.passport(9_999)), "unknown")

    def test_refuses_another_list_and_a_list_of_strangers(self) -> None:
        self.issuer.sub = "http://elsewhere/lists/1"
        self.assertEqual(self.outcome(self.issuer.passport()), "unknown")
        foreign = {"status_list": {"idx": 0, "uri": "http://127.0.0.1:1/list"}}
        self.assertEqual(self.outcome(self.issuer.passport(status=foreign)), "unknown")
        self.assertEqual(self.outcome(self.issuer.passport(status=None)), "unknown")

    def test_fetches_the_keys_again_for_an_unknown_one_but_not_at_each(self) -> None:
        self.assertEqual(self.outcome(self.issuer.passport()), "admitted")
        self.issuer.keys["two"] = Ed25519PrivateKey.generate()
        status = {"status_list": {"idx": 1, "uri": f"{self.issuer.url}/lists/1"}}
        service = {"service_id": "github", "scopes": ["read"], "constraints": []}
        payload = {"iss": self.issuer.url, "exp": time.time() + 3600, "svcns": {"services": [service]}, "status": status}
        fresh = self.issuer.sign(payload, kid="two")
        for _ in range(5):
            self.assertEqual(self.outcome(fresh), "invalid")
        self.assertEqual(self.issuer.asked.count("/.well-known/jwks.json"), 1)
        with self.later(31):
            self.assertEqual(self.outcome(fresh), "admitted")

    def test_drops_a_key_that_was_withdrawn(self) -> None:
        token = self.issuer.passport(exp=time.time() + 9_000)
        self.assertEqual(self.outcome(token), "admitted")
        withdrawn = self.issuer.keys.pop("one")
        self.issuer.keys["two"] = withdrawn
        with self.later(301):
            self.assertEqual(self.outcome(token), "invalid")

    def test_is_a_dependency_of_fastapi(self) -> None:
        app = FastAPI()

        @app.get("/{repository}", dependencies=[Depends(admit(self.gate, lambda request: request.path_params))])
        def read(repository: str) -> str:
            return repository

        client = TestClient(app)
        limited = self.issuer.passport(constraints=[{"param": "repository", "op": "eq", "value": "site"}])

        def ask(path: str, token: str | None) -> tuple[int, str | None]:
            answer = client.get(path, headers={"authorization": f"Bearer {token}"} if token else {})
            return answer.status_code, answer.headers.get("www-authenticate")

        self.assertEqual(ask("/site", limited), (200, None))
        self.assertEqual(ask("/other", limited), (403, 'Bearer error="insufficient_scope"'))
        self.assertEqual(ask("/site", None), (401, "Bearer"))
        self.assertEqual(ask("/site", "x"), (401, 'Bearer error="invalid_token"'))
        self.issuer.down = True
        with self.later(3_000):
            self.assertEqual(ask("/site", self.issuer.passport()), (503, None))


class WebhookTest(unittest.TestCase):
    SECRET = "whsec_" + base64.b64encode(bytes(range(32))).decode()
    BODY = b'{"event_type":"passport.flagged","payload":{"jti":"\xc3\xa9"}}'

    def headers(self, **more: str) -> dict[str, str]:
        now = int(time.time())
        signed = sign_webhook("evt_1", now, self.BODY, self.SECRET)
        named = {"Webhook-Id": "evt_1", "Webhook-Timestamp": str(now), "Webhook-Signature": f"v1,AAAA {signed}"}
        return {**named, **more}

    def test_reads_what_was_signed(self) -> None:
        event = verify_webhook(self.headers(), self.BODY, self.SECRET)
        self.assertEqual((event["id"], event["event_type"]), ("evt_1", "passport.flagged"))
        self.assertEqual(verify_webhook(self.headers(), self.BODY.decode(), self.SECRET), event)

    def test_refuses_all_else(self) -> None:
        old = str(int(time.time()) - 400)
        wrong = [{"Webhook-Id": "evt_2"}, {"Webhook-Timestamp": old}, {"Webhook-Timestamp": "nan"}]
        for more in [*wrong, {"Webhook-Signature": ""}, {"Webhook-Signature": "v1,é"}]:
            with self.assertRaises(WebhookRefused):
                verify_webhook(self.headers(**more), self.BODY, self.SECRET)
        with self.assertRaises(WebhookRefused):
            verify_webhook({}, self.BODY, self.SECRET)
        with self.assertRaises(WebhookRefused):
            verify_webhook(self.headers(), self.BODY + b" ", self.SECRET)


if __name__ == "__main__":
    unittest.main()
