"""A provider and a market against the running service, whose address and keys are in the environment."""

import os
import threading
import unittest
import uuid
from typing import Any

from carnet_sdk import (
    Carnet,
    CarnetError,
    InsufficientCredits,
    InvocationFailed,
    PriceChanged,
    Serving,
    StillRunning,
    UnclearError,
    Work,
    WorkRefused,
)
from carnet_sdk.types import PublishSkill

#: Of a machine that is busy.
PATIENCE_SECONDS = 120
TEXT = {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]}


def offer() -> PublishSkill:
    return {
        "name": f"shout-{uuid.uuid4().hex[:12]}",
        "description": "Shouts a text",
        "version": "1.0.0",
        "input_schema": TEXT,
        "output_schema": TEXT,
        "trust_level_required": "L0",
        "price_per_invocation": 7,
    }


def shout(input: dict[str, Any], work: Work) -> dict[str, Any]:
    return {"text": input["text"].upper()}


class ServiceTest(unittest.TestCase):
    def setUp(self) -> None:
        self.seller = Carnet(os.environ["SELLER_KEY"])
        self.buyer = Carnet(os.environ["BUYER_KEY"])
        self.addCleanup(self.seller.close)
        self.addCleanup(self.buyer.close)

    def invoke(self, serving: Serving) -> Any:
        return self.buyer.market.invoke(serving.skill, {"text": "hello"}, wait_seconds=PATIENCE_SECONDS)

    def test_publishes_by_version(self) -> None:
        first = offer()
        made = self.seller.provider.publish(first)
        self.assertEqual(self.seller.provider.publish(first)["revision"], made["revision"])
        changed: PublishSkill = {**first, "version": "1.1.0", "price_per_invocation": 9}
        published = self.seller.provider.publish(changed)
        self.assertEqual((published["id"], published["price_per_invocation"]), (made["id"], 9))
        with self.assertRaisesRegex(CarnetError, "VERSION_IMMUTABLE.*description"):
            self.seller.provider.publish({**changed, "description": "Whispers"})
        with self.assertRaisesRegex(CarnetError, "accepts_requests .* cannot change"):
            self.seller.provider.publish({**changed, "version": "2.0.0", "accepts_requests": False})

    def test_sells_finds_and_buys(self) -> None:
        with self.seller.provider.serve(offer(), shout) as serving:
            result = self.invoke(serving)
            self.assertEqual((result.output, result.cost_microcents), ({"text": "HELLO"}, 7_000_000))
            name = serving.skill["name"]
            self.assertIn(name, [one["name"] for one in self.buyer.market.find(name, max_price_cents=7)])
            self.assertNotIn(name, [one["name"] for one in self.buyer.market.find(name, max_price_cents=6)])

    def test_works_on_many_at_once_and_finishes_them_when_it_is_stopped(self) -> None:
        together = threading.Barrier(3)

        def meet(input: dict[str, Any], work: Work) -> dict[str, Any]:
            together.wait(PATIENCE_SECONDS)
            return shout(input, work)

        serving = self.seller.provider.serve(offer(), meet, concurrency=3)
        started: list[str] = []
        for _ in range(3):
            with self.assertRaises(StillRunning) as running:
                self.buyer.market.invoke(serving.skill["id"], {"text": "hello"}, wait_seconds=0)
            started.append(running.exception.id)
        outcomes = [self.buyer.market.result(id, wait_seconds=PATIENCE_SECONDS).output for id in started]
        self.assertEqual(outcomes, [{"text": "HELLO"}] * 3)
        serving.stop()
        with self.assertRaises(StillRunning):
            self.buyer.market.invoke(serving.skill["id"], {"text": "hello"}, wait_seconds=0)

    def test_finishes_what_is_under_way_when_it_is_stopped(self) -> None:
        begun, go_on = threading.Event(), threading.Event()

        def slow(input: dict[str, Any], work: Work) -> dict[str, Any]:
            begun.set()
            go_on.wait(PATIENCE_SECONDS)
            return shout(input, work)

        serving = self.seller.provider.serve(offer(), slow)
        with self.assertRaises(StillRunning) as running:
            self.buyer.market.invoke(serving.skill, {"text": "hello"}, wait_seconds=0)
        self.assertTrue(begun.wait(PATIENCE_SECONDS))
        stopping = threading.Thread(target=serving.stop)
        stopping.start()
        go_on.set()
        stopping.join()
        self.assertEqual(self.buyer.market.result(running.exception.id).output, {"text": "HELLO"})

    def test_tells_a_consumer_no_more_than_a_handler_wants_to(self) -> None:
        def refuse(input: dict[str, Any], work: Work) -> dict[str, Any]:
            raise WorkRefused("NO_IDEA", "Sorry.")

        def leak(input: dict[str, Any], work: Work) -> dict[str, Any]:
            raise RuntimeError("password=hunter2")

        outputs: list[Any] = [{"text": 3}, {"text": float("nan")}, None]
        wrong = [lambda input, work, output=output: output for output in outputs]
        codes = ["NO_IDEA", "PROVIDER_FAILED", "OUTPUT_SCHEMA_MISMATCH", "PROVIDER_FAILED", "PROVIDER_FAILED"]
        for handler, code in zip([refuse, leak, *wrong], codes, strict=True):
            with self.seller.provider.serve(offer(), handler) as serving, self.assertRaises(InvocationFailed) as failed:
                self.invoke(serving)
            self.assertEqual(failed.exception.code, code)
            self.assertNotIn("hunter2", str(failed.exception))

    def test_tells_the_handler_that_its_result_counts_no_more(self) -> None:
        seen = threading.Event()

        def wait(input: dict[str, Any], work: Work) -> dict[str, Any]:
            body = {"error": {"code": "ELSEWHERE", "message": "Another process has failed it."}}
            self.seller.call("POST", f"/v1/skills/invocations/{work.invocation['id']}/fail", body)
            if work.cancelled.wait(PATIENCE_SECONDS):
                seen.set()
            return shout(input, work)

        with self.seller.provider.serve(offer(), wait, lease_seconds=6) as serving:
            with self.assertRaisesRegex(InvocationFailed, "ELSEWHERE"):
                self.invoke(serving)
            self.assertTrue(seen.wait(PATIENCE_SECONDS))

    def test_keeps_the_lease_of_a_handler_that_takes_longer(self) -> None:
        calls: list[str] = []

        def outlast(input: dict[str, Any], work: Work) -> dict[str, Any]:
            calls.append(work.invocation["id"])
            first = work.invocation["lease_until"]
            path = f"/v1/skills/invocations/{work.invocation['id']}"
            while self.seller.call("GET", path)["lease_until"] == first and not work.cancelled.wait(1):
                pass
            return shout(input, work)

        with self.seller.provider.serve(offer(), outlast, lease_seconds=15) as serving:
            self.assertEqual(self.invoke(serving).output, {"text": "HELLO"})
        self.assertEqual(len(calls), 1)

    def test_ends_with_a_key_that_counts_no_more(self) -> None:
        serving = self.seller.provider.serve(offer(), shout)
        self.seller._http.headers["authorization"] = "Bearer svc_live_nobody"
        with self.assertRaisesRegex(CarnetError, "UNAUTHENTICATED"):
            serving.wait()

    def test_says_where_a_key_is_missing(self) -> None:
        key = os.environ.pop("CARNET_API_KEY")
        try:
            with Carnet() as nobody, self.assertRaisesRegex(CarnetError, "UNAUTHENTICATED: .* set CARNET_API_KEY"):
                nobody.provider.publish(offer())
        finally:
            os.environ["CARNET_API_KEY"] = key

    def test_raises_a_refusal_as_the_error_of_its_code(self) -> None:
        skill = self.seller.provider.publish(offer())
        with Carnet(os.environ["POOR_KEY"]) as poor, self.assertRaises(InsufficientCredits) as broke:
            poor.market.invoke(skill, {"text": "hello"})
        self.assertEqual((broke.exception.status, broke.exception.required_cents, broke.exception.balance_cents), (402, 7, 3))
        with self.assertRaises(PriceChanged):
            self.buyer.market.invoke(skill, {"text": "hello"}, max_price_cents=6)
        with self.assertRaises(CarnetError) as wrong:
            self.buyer.market.invoke(skill, {"nothing": 1})
        self.assertEqual(wrong.exception.code, "INPUT_SCHEMA_MISMATCH")
        self.assertRegex(str(wrong.exception.field), "^input")

    def test_says_that_nothing_happened_where_nobody_was_reached(self) -> None:
        with Carnet("x", "http://127.0.0.1:1", patience_seconds=0) as nobody, self.assertRaises(UnclearError) as unclear:
            nobody.market.invoke("skl_1", {})
        self.assertFalse(unclear.exception.may_have_happened)

    def test_refuses_an_id_that_would_lead_elsewhere(self) -> None:
        for id in ["..", ".", ""]:
            with self.assertRaises(ValueError):
                self.buyer.market.invoke(id, {})
        with self.assertRaises(ValueError):
            Carnet("x", "ftp://elsewhere")


if __name__ == "__main__":
    unittest.main()
