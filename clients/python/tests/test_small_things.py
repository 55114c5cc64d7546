from __future__ import annotations

import base64
import logging
import unittest
from decimal import Decimal

import tollgate_client
from tollgate_client import InvalidKeyError, Money, Tollgate, new_request_id
from tollgate_client._wire_time import parse_wire_time, to_wire_time
from tollgate_client.models import Amount

from .shop import MERCHANT, RESET, SUCCESS, coffee, options, shop


class Sums(unittest.TestCase):
    def test_an_amount_has_the_decimals_of_its_currency(self) -> None:
        self.assertEqual(Money.of("EUR", "12.50").to_amount(), Amount(currency="EUR", value="1250"))
        self.assertEqual(str(Money.of("JPY", 1250)), "JPY 1250")
        self.assertEqual(Money.of("KWD", Decimal("1.5")).to_decimal(), Decimal("1.500"))

    def test_amounts_of_different_currencies_are_not_combined(self) -> None:
        five, three = Money.of("EUR", "5"), Money.of("EUR", "3")
        self.assertEqual((five - three, five + three), (Money("EUR", 200), Money("EUR", 800)))
        self.assertTrue(three < five and five >= three and max(three, five) == five)
        self.assertEqual(str(three - five), "EUR -2.00")
        with self.assertRaises(ValueError):
            five.add(Money.of("USD", "1"))

    def test_floats_are_rejected(self) -> None:
        with self.assertRaises(TypeError):
            Money.of("EUR", 12.5)  # type: ignore[arg-type]
        with self.assertRaises(TypeError):
            Money("EUR", 12.5)  # type: ignore[arg-type]

    def test_a_negative_amount_is_not_sent(self) -> None:
        with self.assertRaises(ValueError):
            Money.of("EUR", "-1").to_amount()

    def test_both_forms_of_an_amount_are_read(self) -> None:
        expected = Money.of("EUR", "12.50")
        self.assertEqual(Money.from_amount({"currency": "EUR", "value": "1250"}), expected)
        self.assertEqual(Money.from_amount(Amount(currency="EUR", value="1250")), expected)


class Logs(unittest.TestCase):
    def test_a_hook_sees_requests_retries_and_responses_without_secrets(self) -> None:
        entries: list[tollgate_client.LogEntry] = []
        client, _, _ = shop(RESET, SUCCESS, logger=entries.append)
        method = {"paymentMethodType": "CONNECT_WALLET", "paymentMethodId": "28100002"}
        fields = {**coffee().to_dict(), "paymentMethod": method}
        client.request("payments/pay", fields)
        events = [entry.event for entry in entries]
        self.assertEqual(events, ["request", "response", "retry", "response"])
        self.assertEqual(entries[0].body["paymentMethod"]["paymentMethodId"], "[hidden]")
        self.assertNotIn("28100002", repr(entries))
        self.assertEqual([entries[1].outcome, entries[3].outcome], ["ConnectionError", "SUCCESS"])

    def test_a_standard_logger_is_accepted(self) -> None:
        logger = logging.getLogger("tollgate.test")
        client, _, _ = shop(SUCCESS, logger=logger)
        with self.assertLogs(logger, "INFO") as caught:
            client.payments.pay(coffee())
        self.assertIn("outcome=SUCCESS", caught.output[0])

    def test_a_log_that_fails_does_not_make_a_payment_fail(self) -> None:
        def fail(entry: tollgate_client.LogEntry) -> None:
            raise OSError("The disk is full.")

        client, _, _ = shop(SUCCESS, logger=fail)
        self.assertTrue(client.payments.pay(coffee()).is_success)


class Times(unittest.TestCase):
    def test_every_time_format_gives_the_same_time(self) -> None:
        forms = (
            "1794697099000",
            "2026-11-14T22:58:19Z",
            "2026-11-14T22:58:19.000000000+00:00",
            "2026-11-15T06:58:19+0800",
            "2026-11-14T17:28:19-05:30",
        )
        self.assertEqual({parse_wire_time(form) for form in forms}, {1794697099.0})
        self.assertEqual(to_wire_time(1794697099.9), "2026-11-14T22:58:19+00:00")

    def test_an_invalid_time_is_none(self) -> None:
        wrong = "2026-02-30T00:00:00Z 2026-11-14T22:58:19 2026-11-14T24:00:00Z 179469709900 now"
        for text in [*wrong.split(), "2026-11-14T22:58:19+15:00", "", "2026-11-14T22:58:19Z\n"]:
            self.assertIsNone(parse_wire_time(text), text)


class SmallThings(unittest.TestCase):
    def test_ids_are_unique(self) -> None:
        self.assertRegex(new_request_id("order-7"), "^order-7-[0-9a-f]{32}$")
        self.assertNotEqual(new_request_id(), new_request_id())
        for prefix in ("", "two words", "x" * 31):
            with self.assertRaises(ValueError):
                new_request_id(prefix)

    def test_a_wrong_key_is_reported_and_not_shown(self) -> None:
        with self.assertRaisesRegex(InvalidKeyError, "this is a public key") as caught:
            Tollgate(**options(private_key=MERCHANT.public_key))
        self.assertEqual(caught.exception.reason, "PUBLIC_INSTEAD_OF_PRIVATE")
        self.assertNotIn(MERCHANT.public_key[:20], str(caught.exception))

    def test_a_key_with_inconsistent_numbers_is_rejected(self) -> None:
        der = bytearray(base64.b64decode(MERCHANT.private_key))
        # A byte in the modulus.
        der[100] ^= 1
        with self.assertRaises(InvalidKeyError) as caught:
            Tollgate(**options(private_key=base64.b64encode(der)))
        self.assertEqual(caught.exception.reason, "NOT_A_KEY")

    def test_every_exported_name_exists(self) -> None:
        for name in tollgate_client.__all__:
            self.assertTrue(hasattr(tollgate_client, name), name)


if __name__ == "__main__":
    unittest.main()
