"""Shared by the tests: keys, clients and a small payment."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tollgate_client import AsyncTollgate, Tollgate
from tollgate_client.models import Amount, Env, Order, PaymentMethod, PayRequest
from tollgate_client.testing import AsyncFakeGateway, FakeClock, FakeGateway, Reply, test_keys

MERCHANT = test_keys()
GATEWAY = test_keys()
CLIENT_ID = "SANDBOX_5YTEST"
PRICE = Amount(currency="EUR", value="1250")


def options(**more: Any) -> Any:
    return {
        "client_id": CLIENT_ID,
        "private_key": MERCHANT.private_key,
        "gateway_public_keys": GATEWAY.public_key,
        "base_url": "https://gateway.example",
        **more,
    }


def shop(*replies: Reply, **more: Any) -> tuple[Tollgate, FakeGateway, FakeClock]:
    gateway, clock = FakeGateway(replies, GATEWAY.private_key), FakeClock()
    return Tollgate(transport=gateway, **options(clock=clock, **more)), gateway, clock


def async_shop(*replies: Reply) -> tuple[AsyncTollgate, AsyncFakeGateway, FakeClock]:
    gateway, clock = AsyncFakeGateway(replies, GATEWAY.private_key), FakeClock()
    return AsyncTollgate(transport=gateway, **options(clock=clock)), gateway, clock


def says(code: str, status: str, **more: Any) -> Reply:
    result = {"resultCode": code, "resultStatus": status, "resultMessage": "words"}
    return Reply(body={"result": result, **more})


SUCCESS = says("SUCCESS", "S", paymentId="p-1")
RESET = Reply(fault=ConnectionResetError("reset"))


def coffee(**more: Any) -> PayRequest:
    fields: dict[str, Any] = {
        "product_code": "CASHIER_PAYMENT",
        "payment_request_id": "order-1001-attempt-1",
        "order": Order(
            reference_order_id="order-1001", order_description="Zwei Kaffee ☕", order_amount=PRICE
        ),
        "payment_amount": PRICE,
        "payment_method": PaymentMethod(payment_method_type="GCASH"),
        "env": Env(terminal_type="WEB"),
        **more,
    }
    return PayRequest(**fields)


def sent_times(requests: Sequence[Any]) -> set[str]:
    return {request.headers["request-time"] for request in requests}
