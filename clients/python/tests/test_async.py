from __future__ import annotations

import asyncio
import unittest
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import tollgate_client
from tollgate_client import HttpxTransport, ThreadTransport, TransportRequest, models
from tollgate_client.testing import Reply, verify_request

from .shop import MERCHANT, RESET, SUCCESS, async_shop, coffee, says
from .test_transport import always, drip, request, server


class AsyncCalls(unittest.IsolatedAsyncioTestCase):
    async def test_the_async_client_retries_and_responds_like_the_sync_client(self) -> None:
        client, gateway, clock = async_shop(RESET, SUCCESS)
        answer = await client.payments.pay(coffee())
        self.assertIsInstance(answer, models.PayResponse)
        self.assertEqual((answer.payment_id, answer.attempts), ("p-1", 2))
        self.assertEqual(len(clock.slept), 1)
        for sent in gateway.requests:
            verify_request(sent, MERCHANT.public_key)

    async def test_a_rejection_is_raised(self) -> None:
        client, _, _ = async_shop(says("ORDER_NOT_EXIST", "F"))
        with self.assertRaises(tollgate_client.NotFoundError):
            await client.payments.inquiry_payment({"paymentId": "p-1"})

    async def test_polling_ends_when_the_payment_is_final(self) -> None:
        processing = says("SUCCESS", "S", paymentStatus="PROCESSING")
        client, _, _ = async_shop(processing, says("SUCCESS", "S", paymentStatus="FAIL"))
        answer = await client.payments.wait_for_final({"paymentId": "p-1"})
        self.assertIs(answer.payment_status, models.PaymentStatus.FAIL)

    async def test_any_operation_can_be_called_by_its_path(self) -> None:
        client, _, _ = async_shop(SUCCESS)
        async with client:
            self.assertEqual((await client.request("payments/pay", {}))["paymentId"], "p-1")


class Threads(unittest.IsolatedAsyncioTestCase):
    async def test_many_requests_run_concurrently(self) -> None:
        transport = ThreadTransport()
        self.addAsyncCleanup(transport.close)
        with server(always) as (url, _):
            responses = await asyncio.gather(*[transport.send(request(url)) for _ in range(40)])
        self.assertEqual({response.body for response in responses}, {b"hi"})

    async def test_a_cancelled_task_returns_at_once(self) -> None:
        transport = ThreadTransport()
        self.addAsyncCleanup(transport.close)
        with server(drip) as (url, _), self.assertRaises(asyncio.TimeoutError):
            await asyncio.wait_for(transport.send(request(url, timeout=1.0)), 0.1)


class Pairs(dict[str, str]):
    def multi_items(self) -> list[tuple[str, str]]:
        return list(self.items())


class BorrowedResponse:
    status_code = 200
    headers = Pairs({"x": "1"})

    async def aiter_bytes(self) -> AsyncIterator[bytes]:
        for chunk in (b"h", b"i"):
            yield chunk


class ReadTimeout(Exception):
    pass


class BorrowedClient:
    """A test double of an asynchronous HTTP client, with the methods that the transport uses."""

    def __init__(self, fault: Exception | None = None, seconds: float = 0.0) -> None:
        self.sent: list[Any] = []
        self.fault = fault
        self.seconds = seconds

    @asynccontextmanager
    async def stream(
        self, method: str, url: str, **options: Any
    ) -> AsyncIterator[BorrowedResponse]:
        self.sent.append((url, {**options, "method": method}))
        await asyncio.sleep(self.seconds)
        if self.fault:
            raise self.fault
        yield BorrowedResponse()


class Borrowed(unittest.IsolatedAsyncioTestCase):
    sending = TransportRequest(url="https://gateway.example/a", headers={}, body=b"{}", timeout=0.2)

    async def test_requests_use_the_given_httpx_client(self) -> None:
        client = BorrowedClient()
        response = await HttpxTransport(client).send(self.sending)
        self.assertEqual((response.status, response.body), (200, b"hi"))
        self.assertEqual(client.sent[0][1]["content"], b"{}")
        self.assertFalse(client.sent[0][1]["follow_redirects"])

    async def test_httpx_timeouts_are_converted(self) -> None:
        for client in (BorrowedClient(ReadTimeout()), BorrowedClient(seconds=5)):
            with self.assertRaises(TimeoutError):
                await HttpxTransport(client).send(self.sending)

    async def test_other_httpx_errors_are_unchanged(self) -> None:
        with self.assertRaises(ConnectionResetError):
            await HttpxTransport(BorrowedClient(ConnectionResetError())).send(self.sending)

    async def test_replies_may_be_timeouts(self) -> None:
        client, _, _ = async_shop(Reply(fault=TimeoutError()))
        with self.assertRaises(tollgate_client.TimeoutError):
            await client.payments.pay(coffee(), max_retries=0)


if __name__ == "__main__":
    unittest.main()
