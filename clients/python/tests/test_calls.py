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
    def test_a_request_is_signed_and_its_response_is_typed(self) -> None:
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

    def test_a_dictionary_and_a_model_give_the_same_bytes(self) -> None:
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

    def test_an_unknown_outcome_is_returned(self) -> None:
        client, _, _ = shop(says("PAYMENT_IN_PROCESS", "U", normalUrl="https://pay.example/1"))
        answer = client.payments.pay(coffee())
        self.assertTrue(answer.is_pending)
        self.assertEqual(answer.normal_url, "https://pay.example/1")

    def test_a_rejection_is_raised_with_advice_and_ids(self) -> None:
        client, _, _ = shop(says("USER_BALANCE_NOT_ENOUGH", "F"))
        with self.assertRaises(tollgate_client.DeclinedError) as caught:
            client.payments.pay(coffee())
        error = caught.exception
        self.assertEqual(error.code, models.ResultCode.USER_BALANCE_NOT_ENOUGH)
        self.assertEqual(error.request_id, "order-1001-attempt-1")
        self.assertIn(error.advice, str(error))
        self.assertIn("request order-1001-attempt-1", str(error))

    def test_a_rejection_can_be_returned(self) -> None:
        client, _, _ = shop(says("USER_BALANCE_NOT_ENOUGH", "F"))
        answer = client.payments.pay(coffee(), raise_on_failure=False)
        self.assertTrue(answer.is_failure)

    def test_an_unknown_code_is_a_plain_result_error(self) -> None:
        client, _, _ = shop(says("BRAND_NEW", "F"))
        with self.assertRaises(tollgate_client.ResultError) as caught:
            client.payments.pay(coffee())
        self.assertIs(type(caught.exception), tollgate_client.ResultError)

    def test_any_operation_can_be_called_by_its_path(self) -> None:
        client, gateway, _ = shop(says("SUCCESS", "S", newField={"deep": [1]}))
        answer = client.request("vaults/somethingNew", {"vaultRequestId": "v-1", "absent": None})
        self.assertEqual(answer["newField"], {"deep": [1]})
        self.assertEqual(gateway.requests[0].body, b'{"vaultRequestId":"v-1"}')

    def test_an_unserialisable_request_is_rejected_before_sending(self) -> None:
        client, gateway, _ = shop()
        for value in (float("nan"), object(), "\ud800"):
            with self.assertRaises(tollgate_client.ConfigurationError):
                client.request("payments/pay", {"paymentRequestId": value})
        self.assertEqual(gateway.requests, [])

    def test_errors_can_be_pickled(self) -> None:
        client, _, _ = shop(says("USER_BALANCE_NOT_ENOUGH", "F"), RESET)
        for _ in range(2):
            with self.assertRaises(tollgate_client.GatewayError) as caught:
                client.payments.pay(coffee(), max_retries=0)
            copy = pickle.loads(pickle.dumps(caught.exception))
            self.assertIs(type(copy), type(caught.exception))
            self.assertEqual(str(copy), str(caught.exception))
            self.assertEqual(copy.__dict__, caught.exception.__dict__)


class Retries(unittest.TestCase):
    def test_a_retry_has_the_same_body_and_a_new_time(self) -> None:
        client, gateway, clock = shop(RESET, Reply(status=503), SUCCESS)
        answer = client.payments.pay(coffee())
        self.assertEqual(answer.attempts, 3)
        self.assertEqual(len({request.body for request in gateway.requests}), 1)
        self.assertEqual(len(sent_times(gateway.requests)), 3)
        for request in gateway.requests:
            verify_request(request, MERCHANT.public_key)
        self.assertTrue(0.05 <= clock.slept[0] <= 0.5 and 0.05 <= clock.slept[1] <= 1.0)

    def test_the_last_error_is_raised_with_its_cause(self) -> None:
        client, gateway, _ = shop(RESET, RESET, RESET)
        with self.assertRaises(tollgate_client.ConnectionError) as caught:
            client.payments.pay(coffee())
        self.assertEqual((caught.exception.attempts, len(gateway.requests)), (3, 3))
        self.assertIsInstance(caught.exception.__cause__, ConnectionResetError)
        self.assertIsInstance(caught.exception, ConnectionError)

    def test_timeouts_are_also_builtin_timeout_errors(self) -> None:
        client, _, _ = shop(Reply(fault=TimeoutError()))
        with self.assertRaises(TimeoutError) as caught:
            client.payments.pay(coffee(), max_retries=0, timeout=2)
        self.assertIsInstance(caught.exception, tollgate_client.TimeoutError)
        self.assertIn("within 2 s", str(caught.exception))

    def test_retry_after_is_respected(self) -> None:
        busy = Reply(status=429, headers={"Retry-After": "7"})
        client, _, clock = shop(busy, SUCCESS)
        client.payments.pay(coffee())
        self.assertEqual(clock.slept, [7.0])

    def test_retry_after_above_a_minute_ends_the_retries(self) -> None:
        client, gateway, _ = shop(Reply(status=429, headers={"retry-after": "61"}), SUCCESS)
        with self.assertRaises(tollgate_client.HttpStatusError):
            client.payments.pay(coffee())
        self.assertEqual(len(gateway.requests), 1)

    def test_a_non_repeatable_request_is_sent_once(self) -> None:
        client, gateway, _ = shop(RESET, SUCCESS)
        with self.assertRaises(tollgate_client.ConnectionError):
            client.tollgate.change_endpoints({})
        self.assertEqual(len(gateway.requests), 1)

    def test_an_invalid_signature_is_not_retried(self) -> None:
        client, gateway, _ = shop(SUCCESS, gateway_public_keys=MERCHANT.public_key)
        with self.assertRaises(tollgate_client.SignatureVerificationError) as caught:
            client.payments.pay(coffee())
        self.assertEqual((caught.exception.reason, len(gateway.requests)), ("MISMATCH", 1))


class Waiting(unittest.TestCase):
    def test_polling_continues_after_temporary_faults_until_final(self) -> None:
        processing = says("SUCCESS", "S", paymentStatus="PROCESSING")
        paid = says("SUCCESS", "S", paymentStatus="SUCCESS")
        client, gateway, _ = shop(processing, *[Reply(status=500)] * 3, processing, paid)
        answer = client.payments.wait_for_final({"paymentId": "p-1"})
        self.assertIs(answer.payment_status, models.PaymentStatus.SUCCESS)
        self.assertEqual(len(gateway.requests), 6)

    def test_polling_has_a_time_limit(self) -> None:
        processing = says("SUCCESS", "S", refundStatus="PROCESSING")
        client, gateway, _ = shop(*[processing] * 20)
        with self.assertRaisesRegex(tollgate_client.TimeoutError, "refund is not final after 10 s"):
            client.payments.wait_for_final_refund({"refundRequestId": "r-1"}, timeout=10)
        self.assertLess(len(gateway.requests), 20)

    def test_a_permanent_fault_ends_polling(self) -> None:
        client, _, _ = shop(says("ORDER_NOT_EXIST", "F"))
        with self.assertRaises(tollgate_client.NotFoundError):
            client.payments.wait_for_final({"paymentId": "p-1"})


class Options(unittest.TestCase):
    def test_missing_options_come_from_the_environment(self) -> None:
        variables = {
            "TOLLGATE_CLIENT_ID": "5YLIVE",
            "TOLLGATE_PRIVATE_KEY": MERCHANT.private_key,
            "TOLLGATE_GATEWAY_PUBLIC_KEY": GATEWAY.public_key,
            "TOLLGATE_BASE_URL": "https://gateway.example/",
            "TOLLGATE_KEY_VERSION": "3",
        }
        with mock.patch.dict(os.environ, variables):
            self.assertEqual(repr(Tollgate()), "Tollgate('5YLIVE', 'https://gateway.example')")

    def test_keys_can_be_in_files_and_an_option_takes_precedence(self) -> None:
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

    def test_missing_options_are_reported(self) -> None:
        with mock.patch.dict(os.environ, clear=True):
            with self.assertRaisesRegex(
                tollgate_client.ConfigurationError, "set TOLLGATE_CLIENT_ID"
            ):
                Tollgate()
            with self.assertRaisesRegex(
                tollgate_client.ConfigurationError, "TOLLGATE_GATEWAY_PUBLIC_KEY"
            ):
                Tollgate(client_id="5Y", private_key=MERCHANT.private_key)

    def test_invalid_options_are_rejected_with_a_message(self) -> None:
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

    def test_ones_own_key_as_the_gateways_key_logs_a_warning(self) -> None:
        entries: list[tollgate_client.LogEntry] = []
        Tollgate(**options(gateway_public_keys=MERCHANT.public_key, logger=entries.append))
        self.assertEqual([entry.event for entry in entries], ["warning"])

    def test_a_loopback_gateway_may_use_http_and_ipv6(self) -> None:
        for url in ("http://127.0.0.1:8080", "http://localhost:8080/", "http://[::1]:8080"):
            client = Tollgate(**options(base_url=url))
            self.assertIn(url.rstrip("/"), repr(client))

    def test_amounts_are_shown_and_keys_are_not(self) -> None:
        self.assertEqual(repr(PRICE), "Amount(currency='EUR', value='1250')")
        client, _, _ = shop()
        self.assertNotIn(MERCHANT.private_key[40:80], repr(vars(client)))


if __name__ == "__main__":
    unittest.main()
