from __future__ import annotations

import json
import threading
import unittest
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import tollgate_client
from tollgate_client import Event, Tollgate, models
from tollgate_client.testing import Reply, test_keys

from .shop import GATEWAY, RESET, async_shop, options, says, shop

STRANGER = test_keys()


def body_of(number: int) -> str:
    """The webhook body for the fourth change of a payment."""
    result = {"resultCode": "SUCCESS", "resultStatus": "S", "resultMessage": "success."}
    told = {"notifyType": "PAYMENT_RESULT", "result": result, "paymentId": f"p-{number}"}
    times = {"paymentCreateTime": "2026-11-15T09:30:00+00:00", "sequence": 4}
    return json.dumps({**told, "paymentRequestId": "o-1", **times})


def event_of(number: int) -> dict[str, Any]:
    return {
        "cursor": str(number),
        "notificationId": f"n-{number}",
        "kind": "notifyPayment",
        "subjectId": f"p-{number}",
        "sequence": 4,
        "createdTime": "2026-11-15T09:30:04+00:00",
        "body": body_of(number),
    }


def page(numbers: list[int], next_cursor: str, has_more: bool = False) -> Reply:
    events = [event_of(number) for number in numbers]
    return says("SUCCESS", "S", events=events, nextCursor=next_cursor, hasMore=has_more)


def asked(requests: Any) -> list[Any]:
    return [json.loads(request.body) for request in requests]


class Feed(unittest.TestCase):
    def test_the_feed_is_read_page_by_page_from_the_cursor(self) -> None:
        client, gateway, _ = shop(page([8, 9], "9", True), page([10], "10"))
        events = list(client.tollgate.events(from_cursor="7", page_size=2))
        self.assertEqual(
            asked(gateway.requests), [{"cursor": "7", "limit": 2}, {"cursor": "9", "limit": 2}]
        )
        self.assertEqual(
            [(event.cursor, event.subject, event.sequence) for event in events],
            [(str(number), f"notifyPayment p-{number}", 4) for number in (8, 9, 10)],
        )
        self.assertIsInstance(events[0].body, models.PaymentNotification)
        self.assertEqual(events[0].notification_id, "n-8")

    def test_a_rejection_ends_the_loop(self) -> None:
        client, _, _ = shop(page([1], "1", True), says("PARAM_ILLEGAL", "F"))
        heard: list[Event] = []
        with self.assertRaises(tollgate_client.ResultError):
            heard.extend(client.tollgate.events())
        self.assertEqual([event.cursor for event in heard], ["1"])

    def test_following_without_a_stream_polls_with_backoff(self) -> None:
        faults = [RESET] * 6
        client, gateway, clock = shop(page([1], "1"), page([], "1"), *faults, page([2], "2"))
        heard: list[str] = []
        for event in client.tollgate.events(follow=True, stop=lambda: "2" in heard):
            heard.append(event.cursor)
        self.assertEqual(heard, ["1", "2"])
        self.assertEqual(len(gateway.requests), 9)
        whole = [seconds for seconds in clock.slept if seconds in (1.0, 2.0, 4.0)]
        self.assertEqual(whole[:4], [1.0, 1.0, 2.0, 4.0])

    def test_webhooks_are_listed_page_by_page(self) -> None:
        def sent(*ids: str) -> list[dict[str, Any]]:
            return [{"notificationId": each, "attempts": []} for each in ids]

        client, gateway, _ = shop(
            says("SUCCESS", "S", notifications=sent("n-1", "n-2"), hasMore=True),
            says("SUCCESS", "S", notifications=sent("n-3"), hasMore=False),
        )
        found = client.tollgate.notifications({"subjectId": "p-1"})
        self.assertEqual([each.notification_id for each in found], ["n-1", "n-2", "n-3"])
        self.assertEqual(asked(gateway.requests)[1], {"subjectId": "p-1", "after": "n-2"})


class AsyncFeed(unittest.IsolatedAsyncioTestCase):
    async def test_pages_and_lists_work_asynchronously(self) -> None:
        client, _, _ = async_shop(page([1, 2], "2", True), page([3], "3"))
        self.assertEqual(
            [event.cursor async for event in client.tollgate.events()], ["1", "2", "3"]
        )
        client, _, _ = async_shop(says("SUCCESS", "S", notifications=[], hasMore=False))
        self.assertEqual([each async for each in client.tollgate.notifications()], [])


class StreamingGateway:
    """A gateway whose feed has `last()` events in pages, and then streams events from the script.
    """

    def __init__(self, last: Callable[[], int], stream: Callable[[StreamingGateway, Any], None]):
        self.asked: list[dict[str, Any]] = []
        self._sign = Tollgate(**options()).webhooks.sign
        gateway = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["content-length"])))
                gateway.asked.append(body)
                self.send_response(200)
                if body.get("follow"):
                    self.send_header("content-type", "text/event-stream")
                    self.end_headers()
                    self.wfile.write(b"retry: 1000\n\n:\n\n")
                    self.wfile.flush()
                    stream(gateway, self)
                    return
                numbers = range(int(body.get("cursor", 0)) + 1, last() + 1)
                result = {"resultCode": "SUCCESS", "resultStatus": "S", "resultMessage": ""}
                events = [event_of(number) for number in numbers]
                text = json.dumps(
                    {
                        "result": result,
                        "events": events,
                        "nextCursor": str(last()),
                        "hasMore": False,
                    }
                )
                signed = gateway.signed(self.path, text, GATEWAY.private_key)
                self.send_header("response-time", signed["request-time"])
                self.send_header("signature", signed["signature"])
                self.send_header("content-length", str(len(text)))
                self.end_headers()
                self.wfile.write(text.encode())

            def log_message(self, *_: Any) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{self._server.server_port}"

    def signed(self, path: str, body: str, private_key: str) -> dict[str, str]:
        return self._sign(path=path, body=body, private_key=private_key)

    def write(self, handler: Any, number: int, private_key: str = GATEWAY.private_key) -> None:
        body = body_of(number)
        signed = self.signed(handler.path, body, private_key)
        data = {
            "requestTime": signed["request-time"],
            "signature": signed["signature"],
            "body": body,
        }
        text = f"id: {number}\nevent: notifyPayment\ndata: {json.dumps(data)}\n\n"
        handler.wfile.write(text.encode())
        handler.wfile.flush()

    def stop(self) -> None:
        self._server.shutdown()
        self._server.server_close()


class Impatient(tollgate_client.SystemClock):
    def sleep(self, seconds: float, /) -> None:
        pass


class Stream(unittest.TestCase):
    def start(
        self, last: Callable[[], int], stream: Callable[[StreamingGateway, Any], None]
    ) -> StreamingGateway:
        gateway = StreamingGateway(last, stream)
        self.addCleanup(gateway.stop)
        return gateway

    def test_the_stream_delivers_events_and_continues_after_a_disconnect(self) -> None:
        streams: list[int] = []

        def stream(gateway: StreamingGateway, handler: Any) -> None:
            streams.append(1)
            gateway.write(handler, 3 if len(streams) == 1 else 5)

        gateway = self.start(lambda: 4 if streams else 2, stream)
        heard: list[str] = []
        with Tollgate(**options(base_url=gateway.url, clock=Impatient())) as client:
            for event in client.tollgate.events(follow=True):
                heard.append(f"{event.cursor} {event.subject}")
                if event.cursor == "5":
                    break
        self.assertEqual(heard, [f"{number} notifyPayment p-{number}" for number in range(1, 6)])
        self.assertEqual(
            gateway.asked,
            [{}, {"follow": True, "cursor": "2"}, {"cursor": "3"}, {"follow": True, "cursor": "4"}],
        )

    def test_an_event_with_an_invalid_signature_ends_the_loop(self) -> None:
        def stream(gateway: StreamingGateway, handler: Any) -> None:
            gateway.write(handler, 1, STRANGER.private_key)

        gateway = self.start(lambda: 0, stream)
        with (
            Tollgate(**options(base_url=gateway.url)) as client,
            self.assertRaises(tollgate_client.SignatureVerificationError) as caught,
        ):
            next(iter(client.tollgate.events(follow=True)))
        self.assertEqual(caught.exception.reason, "MISMATCH")
