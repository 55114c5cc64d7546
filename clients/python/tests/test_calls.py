from __future__ import annotations

import json
import os
import pickle
import unittest
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from unittest import mock

import tollgate_client
from tollgate_client import Tollgate, models
from tollgate_client.params import PayRequestDict
from tollgate_client.testing import Reply, verify_request

from .shop import (
    GATEWAY,
    MERCHANT,
    PRICE,
    RESET,
    SUCCESS,
    coffee,
    options,
    says,
    sent_times,
    shop,
)


class Calls(unittest.TestCase):
    def test_a_call_is_signed_by_the_merchant_and_its_answer_is_typed(self) -> None:
        client, gateway, _ = shop(Reply(body=SUCCESS.body, headers={"request-id": "trace-1"}))
        answer = client.payments.pay(coffee())
        self.assertIsInstance(answer, models.PayResponse)
        self.assertTrue(answer.is_success)
        self.assertEqual(
            (answer.payment_id, answer.trace_id, answer.attempts), ("p-1", "trace-1", 1)
        )
        sent = verify_request(gateway.requests[0], MERCHANT.public_key)
        self.assertEqual(sent["order"]["orderDescription"], "Zwei Kaffee ☕")
        self.assertTrue(gateway.requests[0].url.endswith("/ams/sandbox/api/v1/payments/pay"))

    def test_a_dictionary_and_a_model_are_the_same_bytes(self) -> None:
        client, gateway, _ = shop(SUCCESS, SUCCESS)
        as_dict: PayRequestDict = {
            "productCode": "CASHIER_PAYMENT",
            "paymentRequestId": "order-1001-attempt-1",
            "order": {
                "referenceOrderId": "order-1001",
                "orderDescription": "Zwei Kaffee ☕",
                "orderAmount": {"currency": "EUR", "value": "1250"},
            },
            "paymentAmount": {"currency": "EUR", "value": "1250"},
            "paymentMethod": {"paymentMethodType": "GCASH"},
            "env": {"terminalType": models.TerminalType.WEB},
        }
        client.payments.pay(as_dict)
        client.payments.pay(coffee())
        one, other = (json.loads(request.body) for request in gateway.requests)
        self.assertEqual(one, other)

    def test_nobody_knows_yet_is_a_value(self) -> None:
        client, _, _ = shop(says("PAYMENT_IN_PROCESS", "U", normalUrl="https://pay.example/1"))
        answer = client.payments.pay(coffee())
        self.assertTrue(answer.is_pending)
        self.assertEqual(answer.normal_url, "https://pay.example/1")

    def test_a_refusal_is_raised_with_what_to_do_and_the_ids(self) -> None:
        client, _, _ = shop(says("USER_BALANCE_NOT_ENOUGH", "F"))
        with self.assertRaises(tollgate_client.DeclinedError) as caught:
            client.payments.pay(coffee())
        error = caught.exception
        self.assertEqual(error.code, models.ResultCode.USER_BALANCE_NOT_ENOUGH)
        self.assertEqual(error.request_id, "order-1001-attempt-1")
        self.assertIn(error.advice, str(error))
        self.assertIn("request order-1001-attempt-1", str(error))

    def test_a_refusal_can_be_a_value_too(self) -> None:
        client, _, _ = shop(says("USER_BALANCE_NOT_ENOUGH", "F"))
        answer = client.payments.pay(coffee(), raise_on_failure=False)
        self.assertTrue(answer.is_failure)

    def test_a_code_that_nobody_knows_yet_is_a_plain_refusal(self) -> None:
        client, _, _ = shop(says("BRAND_NEW", "F"))
        with self.assertRaises(tollgate_client.ResultError) as caught:
            client.payments.pay(coffee())
        self.assertIs(type(caught.exception), tollgate_client.ResultError)

    def test_any_operation_can_be_called_by_its_path(self) -> None:
        client, gateway, _ = shop(says("SUCCESS", "S", newField={"deep": [1]}))
        answer = client.request("vaults/somethingNew", {"vaultRequestId": "v-1", "absent": None})
        self.assertEqual(answer["newField"], {"deep": [1]})
        self.assertEqual(gateway.requests[0].body, b'{"vaultRequestId":"v-1"}')

    def test_what_json_cannot_write_is_said_before_anything_is_sent(self) -> None:
        client, gateway, _ = shop()
        for value in (float("nan"), object(), "\ud800"):
            with self.assertRaises(tollgate_client.ConfigurationError):
                client.request("payments/pay", {"paymentRequestId": value})
        self.assertEqual(gateway.requests, [])

    def test_errors_survive_the_way_between_processes(self) -> None:
        client, _, _ = shop(says("USER_BALANCE_NOT_ENOUGH", "F"), RESET)
        for _ in range(2):
            with self.assertRaises(tollgate_client.GatewayError) as caught:
                client.payments.pay(coffee(), max_retries=0)
            copy = pickle.loads(pickle.dumps(caught.exception))
            self.assertIs(type(copy), type(caught.exception))
            self.assertEqual(str(copy), str(caught.exception))
            self.assertEqual(copy.__dict__, caught.exception.__dict__)


class Retries(unittest.TestCase):
    def test_a_repeated_call_has_the_same_body_and_a_new_time(self) -> None:
        client, gateway, clock = shop(RESET, Reply(status=503), SUCCESS)
        answer = client.payments.pay(coffee())
        self.assertEqual(answer.attempts, 3)
        self.assertEqual(len({request.body for request in gateway.requests}), 1)
        self.assertEqual(len(sent_times(gateway.requests)), 3)
        for request in gateway.requests:
            verify_request(request, MERCHANT.public_key)
        self.assertTrue(0.05 <= clock.slept[0] <= 0.5 and 0.05 <= clock.slept[1] <= 1.0)

    def test_the_last_fault_is_raised_with_its_cause(self) -> None:
        client, gateway, _ = shop(RESET, RESET, RESET)
        with self.assertRaises(tollgate_client.ConnectionError) as caught:
            client.payments.pay(coffee())
        self.assertEqual((caught.exception.attempts, len(gateway.requests)), (3, 3))
        self.assertIsInstance(caught.exception.__cause__, ConnectionResetError)
        self.assertIsInstance(caught.exception, ConnectionError)

    def test_time_outs_are_the_language_s_own_as_well(self) -> None:
        client, _, _ = shop(Reply(fault=TimeoutError()))
        with self.assertRaises(TimeoutError) as caught:
            client.payments.pay(coffee(), max_retries=0, timeout=2)
        self.assertIsInstance(caught.exception, tollgate_client.TimeoutError)
        self.assertIn("within 2 s", str(caught.exception))

    def test_the_gateway_says_how_long_to_wait(self) -> None:
        busy = Reply(status=429, headers={"Retry-After": "7"})
        client, _, clock = shop(busy, SUCCESS)
        client.payments.pay(coffee())
        self.assertEqual(clock.slept, [7.0])

    def test_nobody_waits_for_more_than_a_minute(self) -> None:
        client, gateway, _ = shop(Reply(status=429, headers={"retry-after": "61"}), SUCCESS)
        with self.assertRaises(tollgate_client.HttpStatusError):
            client.payments.pay(coffee())
        self.assertEqual(len(gateway.requests), 1)

    def test_what_cannot_be_repeated_is_sent_once(self) -> None:
        client, gateway, _ = shop(RESET, SUCCESS)
        with self.assertRaises(tollgate_client.ConnectionError):
            client.tollgate.change_endpoints({})
        self.assertEqual(len(gateway.requests), 1)

    def test_a_signature_that_does_not_hold_is_not_asked_again(self) -> None:
        client, gateway, _ = shop(SUCCESS, gateway_public_keys=MERCHANT.public_key)
        with self.assertRaises(tollgate_client.SignatureVerificationError) as caught:
            client.payments.pay(coffee())
        self.assertEqual((caught.exception.reason, len(gateway.requests)), ("MISMATCH", 1))


class Waiting(unittest.TestCase):
    def test_it_asks_until_the_payment_is_final_and_passing_faults_do_not_end_it(self) -> None:
        processing = says("SUCCESS", "S", paymentStatus="PROCESSING")
        paid = says("SUCCESS", "S", paymentStatus="SUCCESS")
        client, gateway, _ = shop(processing, *[Reply(status=500)] * 3, processing, paid)
        answer = client.payments.wait_for_final({"paymentId": "p-1"})
        self.assertIs(answer.payment_status, models.PaymentStatus.SUCCESS)
        self.assertEqual(len(gateway.requests), 6)

    def test_it_does_not_ask_for_ever(self) -> None:
        processing = says("SUCCESS", "S", refundStatus="PROCESSING")
        client, gateway, _ = shop(*[processing] * 20)
        with self.assertRaisesRegex(tollgate_client.TimeoutError, "refund is not final after 10 s"):
            client.payments.wait_for_final_refund({"refundRequestId": "r-1"}, timeout=10)
        self.assertLess(len(gateway.requests), 20)

    def test_what_is_no_passing_fault_ends_it(self) -> None:
        client, _, _ = shop(says("ORDER_NOT_EXIST", "F"))
        with self.assertRaises(tollgate_client.NotFoundError):
            client.payments.wait_for_final({"paymentId": "p-1"})


class Options(unittest.TestCase):
    def test_what_is_left_out_comes_from_the_environment(self) -> None:
        variables = {
            "TOLLGATE_CLIENT_ID": "5YLIVE",
            "TOLLGATE_PRIVATE_KEY": MERCHANT.private_key,
            "TOLLGATE_GATEWAY_PUBLIC_KEY": GATEWAY.public_key,
            "TOLLGATE_BASE_URL": "https://gateway.example/",
            "TOLLGATE_KEY_VERSION": "3",
        }
        with mock.patch.dict(os.environ, variables):
            self.assertEqual(repr(Tollgate()), "Tollgate('5YLIVE', 'https://gateway.example')")

    def test_keys_can_stand_in_files_and_an_option_counts_before_them(self) -> None:
        with TemporaryDirectory() as folder:
            own, theirs = Path(folder) / "own.pem", Path(folder) / "theirs.pem"
            own.write_text(MERCHANT.private_key)
            theirs.write_text(GATEWAY.public_key)
            variables = {
                "TOLLGATE_CLIENT_ID": "5YLIVE",
                "TOLLGATE_PRIVATE_KEY_FILE": str(own),
                "TOLLGATE_GATEWAY_PUBLIC_KEY_FILE": str(theirs),
                "TOLLGATE_BASE_URL": "https://gateway.example/",
            }
            with mock.patch.dict(os.environ, variables):
                Tollgate()
                own.unlink()
                with self.assertRaisesRegex(
                    tollgate_client.ConfigurationError, "TOLLGATE_PRIVATE_KEY_FILE names .*own.pem"
                ):
                    Tollgate()
                Tollgate(private_key=MERCHANT.private_key)

    def test_what_is_missing_is_named(self) -> None:
        with mock.patch.dict(os.environ, clear=True):
            with self.assertRaisesRegex(
                tollgate_client.ConfigurationError, "set TOLLGATE_CLIENT_ID"
            ):
                Tollgate()
            with self.assertRaisesRegex(
                tollgate_client.ConfigurationError, "TOLLGATE_GATEWAY_PUBLIC_KEY"
            ):
                Tollgate(client_id="5Y", private_key=MERCHANT.private_key)

    def test_wrong_options_are_refused_with_a_sentence(self) -> None:
        wrong: dict[str, Any] = {
            "base_url": "http://gateway.example",
            "client_id": "two words",
            "key_version": 0,
            "timeout": 0,
            "max_retries": -1,
            "environment": "moon",
            "agent_token": "a\r\nb",
            "gateway_public_keys": {},
            "webhook_tolerance_seconds": -1,
        }
        for name, value in wrong.items():
            with self.subTest(name), self.assertRaises(tollgate_client.ConfigurationError):
                Tollgate(**options(**{name: value}))

    def test_a_key_may_be_a_file(self) -> None:
        with TemporaryDirectory() as folder:
            file = Path(folder, "key.pem")
            file.write_text(MERCHANT.private_key, encoding="ascii")
            client, gateway, _ = shop(SUCCESS, private_key=file)
            client.payments.pay(coffee())
        verify_request(gateway.requests[0], MERCHANT.public_key)

    def test_the_own_key_in_place_of_the_gateway_s_is_warned_of(self) -> None:
        entries: list[tollgate_client.LogEntry] = []
        Tollgate(**options(gateway_public_keys=MERCHANT.public_key, logger=entries.append))
        self.assertEqual([entry.event for entry in entries], ["warning"])

    def test_a_loopback_gateway_may_be_plain_and_an_address_of_version_six(self) -> None:
        for url in ("http://127.0.0.1:8080", "http://localhost:8080/", "http://[::1]:8080"):
            client = Tollgate(**options(base_url=url))
            self.assertIn(url.rstrip("/"), repr(client))

    def test_amounts_are_shown_and_keys_are_not(self) -> None:
        self.assertEqual(repr(PRICE), "Amount(currency='EUR', value='1250')")
        client, _, _ = shop()
        self.assertNotIn(MERCHANT.private_key[40:80], repr(vars(client)))


if __name__ == "__main__":
    unittest.main()
