"""Conventions of Python libraries: keyword arguments, type hints, and immutable responses."""

from __future__ import annotations

import copy
import dataclasses
import inspect
import io
import json
import pickle
import typing
import unittest
from contextlib import redirect_stderr
from typing import Any
from unittest import mock

import tollgate_client
from tollgate_client import AsyncTollgate, Tollgate, areas, keywords, models, params, till

from .shop import PRICE, RESET, SUCCESS, async_shop, coffee, options, says, shop


class Keywords(unittest.TestCase):
    def test_a_request_can_be_its_fields(self) -> None:
        client, gateway, _ = shop(SUCCESS, SUCCESS)
        client.payments.inquiry_payment(payment_id="p-1", timeout=5)
        self.assertEqual(json.loads(gateway.requests[0].body), {"paymentId": "p-1"})
        self.assertEqual(gateway.requests[0].timeout, 5)
        request = coffee()
        client.payments.pay(
            product_code=models.ProductCode.CASHIER_PAYMENT,
            payment_request_id=request.payment_request_id,
            order=request.order,
            payment_amount=PRICE,
            payment_method={"paymentMethodType": "GCASH"},
            env=request.env or models.Env(terminal_type="WEB"),
        )
        self.assertEqual(json.loads(gateway.requests[1].body), request.to_dict())

    def test_missing_unknown_and_duplicate_arguments_are_reported(self) -> None:
        client, gateway, _ = shop()
        wrong: Any = client.payments
        with self.assertRaisesRegex(TypeError, "payment_amount"):
            wrong.pay(product_code="CASHIER_PAYMENT")
        with self.assertRaisesRegex(TypeError, "paymentId"):
            wrong.inquiry_payment(paymentId="p-1")
        with self.assertRaisesRegex(tollgate_client.ConfigurationError, "payment_id"):
            wrong.inquiry_payment({"paymentId": "p-1"}, payment_id="p-2")
        self.assertEqual(gateway.requests, [])

    def test_waiting_accepts_ids(self) -> None:
        client, gateway, _ = shop(says("SUCCESS", "S", paymentStatus="SUCCESS"))
        self.assertEqual(client.payments.wait_for_final(payment_id="p-1").payment_status, "SUCCESS")
        self.assertEqual(json.loads(gateway.requests[0].body), {"paymentId": "p-1"})


class AsyncKeywords(unittest.IsolatedAsyncioTestCase):
    async def test_a_request_can_be_its_fields(self) -> None:
        client, gateway, _ = async_shop(SUCCESS)
        await client.payments.inquiry_payment(payment_request_id="order-1")
        self.assertEqual(json.loads(gateway.requests[0].body), {"paymentRequestId": "order-1"})


class Hints(unittest.TestCase):
    def test_every_model_has_resolvable_type_hints(self) -> None:
        for name in models.__all__:
            typing.get_type_hints(getattr(models, name))
        hints = typing.get_type_hints(models.PayResponse)
        self.assertEqual(hints["payment_amount"], models.Amount | None)
        self.assertEqual(hints["result"], models.Result)

    def test_methods_and_dictionaries_have_resolvable_type_hints(self) -> None:
        classes = [Tollgate, AsyncTollgate, tollgate_client.Webhooks, tollgate_client.Money]
        classes += [type(area) for area in vars(Tollgate(**options())).values()]
        for module in (tollgate_client, models, areas, keywords, params, till):
            members = [getattr(module, name) for name in dir(module) if not name.startswith("_")]
            classes += [each for each in members if inspect.isclass(each)]
        checked = 0
        for each in {each for each in classes if each.__module__.startswith("tollgate_client")}:
            typing.get_type_hints(each)
            for function in vars(each).values():
                if inspect.isfunction(function):
                    typing.get_type_hints(function)
                    checked += 1
        self.assertGreater(checked, 100)
        hints = typing.get_type_hints(areas.PaymentsArea.pay)
        self.assertEqual(hints["return"], models.PayResponse)


class Frozen(unittest.TestCase):
    def answer(self) -> models.InquiryPaymentResponse:
        transactions = [{"transactionType": "REFUND", "newField": {"a": []}}]
        reply = says("SUCCESS", "S", paymentId="p-1", transactions=transactions, novel=[1])
        return shop(reply)[0].payments.inquiry_payment(payment_id="p-1")

    def test_a_response_is_immutable(self) -> None:
        answer: Any = self.answer()
        with self.assertRaises(dataclasses.FrozenInstanceError):
            answer.payment_id = "p-2"
        self.assertIsInstance(answer.transactions, tuple)
        self.assertEqual(dataclasses.replace(answer, payment_id="p-2").payment_id, "p-2")

    def test_a_response_is_hashable_and_can_be_pickled(self) -> None:
        answer = self.answer()
        self.assertEqual(len({answer, self.answer()}), 1)
        for other in (pickle.loads(pickle.dumps(answer)), copy.deepcopy(answer)):
            self.assertEqual(other, answer)
            self.assertEqual(other.extra, {"novel": [1]})


class LookingOn(unittest.TestCase):
    def test_an_observer_receives_start_and_end(self) -> None:
        begun: list[tollgate_client.ObservedCall] = []
        ended: list[tollgate_client.ObservedEnd] = []

        def observer(call: tollgate_client.ObservedCall) -> Any:
            begun.append(call)
            return ended.append

        client, _, _ = shop(RESET, SUCCESS, says("ORDER_NOT_EXIST", "F"), observer=observer)
        client.payments.inquiry_payment(payment_request_id="o-1")
        with self.assertRaises(tollgate_client.NotFoundError):
            client.payments.inquiry_payment(payment_request_id="o-2")
        self.assertEqual([call.request_id for call in begun], ["o-1", "o-2"])
        self.assertEqual(
            [(end.outcome, end.attempts, type(end.error).__name__) for end in ended],
            [("SUCCESS", 2, "NoneType"), ("ORDER_NOT_EXIST", 1, "NotFoundError")],
        )
        self.assertGreater(ended[0].duration, 0)

    def test_an_observer_that_raises_does_not_make_a_payment_fail(self) -> None:
        def fail(_: Any) -> Any:
            raise RuntimeError("The collector is away.")

        observers: list[Any] = [fail, lambda _: fail]
        for observer in observers:
            client, _, _ = shop(SUCCESS, observer=observer)
            self.assertTrue(client.payments.inquiry_payment(payment_id="p-1").is_success)

    def test_tollgate_log_enables_logging(self) -> None:
        for level, expected in (
            ("debug", ["request", "response"]),
            ("info", ["response"]),
            ("warn", []),
        ):
            with mock.patch.dict("os.environ", TOLLGATE_LOG=level):
                client, _, _ = shop(SUCCESS)
            with redirect_stderr(io.StringIO()) as said:
                client.payments.inquiry_payment(payment_id="p-1")
            self.assertEqual([line.split()[1] for line in said.getvalue().splitlines()], expected)
        with (
            mock.patch.dict("os.environ", TOLLGATE_LOG="loud"),
            self.assertRaises(tollgate_client.ConfigurationError),
        ):
            shop()


class Times(unittest.TestCase):
    def test_times_are_parsed_and_formatted_as_the_api_requires(self) -> None:
        at = tollgate_client.parse_time("2026-11-15T09:30:07+02:00")
        self.assertEqual(at.isoformat(), "2026-11-15T07:30:07+00:00")
        self.assertEqual(tollgate_client.format_time(at), "2026-11-15T07:30:07+00:00")
        with self.assertRaises(tollgate_client.ConfigurationError):
            tollgate_client.parse_time("soon")
        with self.assertRaises(tollgate_client.ConfigurationError):
            tollgate_client.format_time(at.replace(tzinfo=None))
