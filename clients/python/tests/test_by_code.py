"""Tests of payments at a point of sale that are specific to this language.
clients/conformance/by-code.json tests the steps after each response in all languages.
"""

from __future__ import annotations

import threading
import unittest
from typing import Any

from tollgate_client import ConfigurationError, TransportRequest, TransportResponse, Tollgate, models
from tollgate_client.testing import FakeClock
from tollgate_client.till import Cancelled, OpenCode, OpenedEntryCode, Paid, ShownOrderCode, Unknown

from .shop import RESET, async_shop, coffee, options, says, shop

PENDING = says("PAYMENT_IN_PROCESS", "U", paymentId="p-1")
CANCEL = says("SUCCESS", "S", paymentId="p-1", cancelTime="2026-11-15T09:31:00+00:00")
PAID = says("SUCCESS", "S", paymentId="p-1", paymentStatus="SUCCESS")
PROCESSING = says("SUCCESS", "S", paymentStatus="PROCESSING")
GONE = says("SUCCESS", "S", paymentStatus="CANCELLED")


def scanned(scenario: str = "PaymentCode", **more: Any) -> models.PayRequest:
    factor = models.PaymentFactor(
        in_store_payment_scenario=models.InStorePaymentScenario(scenario)
    )
    return coffee(payment_factor=factor, **more)


def calls(requests: list[TransportRequest]) -> list[str]:
    return [request.url.rsplit("/", 1)[1] for request in requests]


class AtTheTill(unittest.TestCase):
    def test_the_default_pauses_are_used(self) -> None:
        client, gateway, clock = shop(PENDING, *[PROCESSING] * 9, *[RESET] * 6)
        result = client.payments.pay_by_code(scanned())
        self.assertIsInstance(result, Unknown)
        self.assertEqual(clock.slept, [2, 3, 3, 5, 5, 5, 5, 5, 5, 2, 3, 3, 5, 5])
        self.assertEqual(calls(gateway.requests)[-6:], ["cancel"] * 6)

    def test_an_unknown_result_has_the_id_and_the_cause(self) -> None:
        client, _, _ = shop(*[RESET] * 16)
        result = client.payments.pay_by_code(scanned())
        assert isinstance(result, Unknown)
        self.assertEqual(result.payment_request_id, "order-1001-attempt-1")
        self.assertIsInstance(result.cause, ConnectionError)
        self.assertIn("finish_by_code", result.advice)

    def test_an_error_in_a_transport_keeps_the_id(self) -> None:
        class Broken:
            def send(self, request: TransportRequest, /) -> TransportResponse:
                return TransportResponse(status=200, headers=None, body=None)  # type: ignore[arg-type]

            def close(self) -> None:
                pass

        client = Tollgate(transport=Broken(), **options(clock=FakeClock()))
        result = client.payments.pay_by_code(scanned())
        self.assertIsInstance(result, Unknown)
        self.assertEqual(result.payment_request_id, "order-1001-attempt-1")

    def test_a_stop_during_a_pause_cancels_the_payment(self) -> None:
        enough = threading.Event()

        class Impatient(FakeClock):
            def sleep(self, seconds: float, /) -> None:
                super().sleep(seconds)
                enough.set()

        clock = Impatient()
        _, gateway, _ = shop(PENDING, CANCEL, GONE)
        client = Tollgate(transport=gateway, **options(clock=clock))
        result = client.payments.pay_by_code(scanned(), stop=enough.is_set)
        self.assertIsInstance(result, Cancelled)
        self.assertEqual(clock.slept, [0.25])
        self.assertEqual(calls(gateway.requests), ["pay", "cancel", "inquiryPayment"])

    def test_a_display_that_fails_does_not_make_a_payment_fail(self) -> None:
        heard: list[str] = []

        def dark(state: str) -> None:
            heard.append(state)
            raise RuntimeError("The display is dark.")

        client, _, _ = shop(RESET, PAID)
        self.assertIsInstance(client.payments.pay_by_code(scanned(), on_state=dark), Paid)
        self.assertEqual(heard, ["asking", "checking"])

    def test_a_request_of_another_kind_is_not_sent(self) -> None:
        client, gateway, _ = shop()
        payments = client.payments
        never = OpenCode(payment_request_id="1", payment_id=None, ends_at="soon")
        wrong = [
            lambda: payments.pay_by_code(scanned("OrderCode")),
            lambda: payments.show_order_code(scanned("EntryCode")),
            lambda: payments.open_entry_code(scanned("PaymentCode")),
            lambda: payments.pay_by_code(coffee()),
            lambda: payments.pay_by_code(scanned(payment_request_id="")),
            lambda: payments.pay_by_code(scanned(), inquire_after_seconds=[-1]),
            lambda: payments.pay_by_code(scanned(), timeout=0),
            lambda: payments.finish_by_code(""),
            lambda: payments.finish_by_code(never),
        ]
        for each in wrong:
            with self.assertRaises(ConfigurationError):
                each()
        self.assertEqual(gateway.requests, [])

    def test_an_expired_code_is_cancelled(self) -> None:
        text = {"codeValueType": "QRCODE", "displayType": "TEXT", "codeValue": "https://w.example/1"}
        form = {
            "expireTime": "2020-01-01T00:00:20+00:00",
            "paymentMethodType": "GCASH",
            "codeDetails": [text],
        }
        created = "2020-01-01T00:00:00+00:00"
        shown = says("SUCCESS", "S", paymentCreateTime=created, orderCodeForm=form)
        client, gateway, clock = shop(shown, *[PROCESSING] * 6, CANCEL, GONE)
        code = client.payments.show_order_code(scanned("OrderCode"))
        assert isinstance(code, ShownOrderCode)
        self.assertEqual(code.ends_at, "2026-01-01T00:00:20+00:00")
        self.assertNotIn("w.example", repr(code))
        self.assertIsInstance(client.payments.finish_by_code(code), Cancelled)
        self.assertEqual(clock.slept, [2, 3, 3, 5, 5, 2])

    def test_a_code_without_expiry_is_valid_for_three_minutes(self) -> None:
        form = {"method": "GET", "redirectUrl": "https://w.example/p", "actionFormType": "x"}
        client, _, _ = shop(says("SUCCESS", "S", redirectActionForm=form))
        code = client.payments.open_entry_code(scanned("EntryCode"))
        assert isinstance(code, OpenedEntryCode)
        self.assertEqual(code.ends_at, "2026-01-01T00:03:00+00:00")


class AtTheTillWithoutWaiting(unittest.IsolatedAsyncioTestCase):
    async def test_the_async_client_pays_by_code(self) -> None:
        client, gateway, clock = async_shop(RESET, PROCESSING, PAID)
        self.assertIsInstance(await client.payments.pay_by_code(scanned()), Paid)
        self.assertEqual(clock.slept, [2, 3])
        self.assertEqual(calls(gateway.requests), ["pay", "inquiryPayment", "inquiryPayment"])

    async def test_the_async_client_finishes_an_unknown_payment(self) -> None:
        client, _, _ = async_shop(PAID)
        self.assertIsInstance(await client.payments.finish_by_code("order-1001-attempt-1"), Paid)


if __name__ == "__main__":
    unittest.main()
