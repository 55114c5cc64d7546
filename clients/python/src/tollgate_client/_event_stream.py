"""The event stream: server-sent events, each signed like a webhook."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import urlsplit

from ._call import signed_request
from ._settings import Settings
from ._told import Event, read_told
from ._verify import Received, Verified, time_problem, verify
from .errors import ConnectionError, MalformedResponseError, SignatureVerificationError
from .transport import Headers, TransportRequest, header_values

# The longest time without data: the gateway sends at least a heartbeat every 15 s.
SILENCE_MAX = 45.0
# The maximum size of a block, because a sender could otherwise fill the memory with an endless
# block.
BLOCK_BYTES_MAX = 4 * 1024 * 1024


def stream_request(settings: Settings, cursor: str) -> TransportRequest:
    fields = {"follow": True, "cursor": cursor}
    return signed_request(settings, "tollgate/inquiryEvents", fields, SILENCE_MAX)


class EventReader:
    """Accepts chunks of bytes, and returns the events that are complete."""

    def __init__(self, settings: Settings, request: TransportRequest) -> None:
        self._settings = settings
        self._path = urlsplit(request.url).path
        self._unread = b""

    def begin(self, status: int, headers: Headers) -> None:
        """The gateway returns an error as a JSON response and not as a stream. The page request
        that follows returns this error with all details.
        """
        kinds = header_values(headers, "content-type")
        if status != 200 or not kinds or not kinds[0].startswith("text/event-stream"):
            raise ConnectionError("The gateway did not respond with a stream.")

    def events(self, chunk: bytes) -> list[Event]:
        *blocks, self._unread = (self._unread + chunk).split(b"\n\n")
        if len(self._unread) > BLOCK_BYTES_MAX:
            raise ConnectionError("An event of the stream is too long.")
        found = [_fields(block) for block in blocks]
        return [self._event(fields) for fields in found if "data" in fields]

    def _event(self, fields: dict[str, str]) -> Event:
        try:
            data = json.loads(fields["data"])
            body = data["body"].encode("utf-8")
            cursor = fields["id"]
        except (AttributeError, KeyError, TypeError, ValueError) as fault:
            raise MalformedResponseError("An event of the stream is malformed.") from fault
        self._verify(data, body)
        return Event(**read_told(body), cursor=cursor)

    def _verify(self, data: dict[str, Any], body: bytes) -> None:
        settings = self._settings
        headers = [("signature", data.get("signature")), ("request-time", data.get("requestTime"))]
        message = Received(
            kind="webhook",
            method="POST",
            path=self._path,
            client_id=settings.client_id,
            headers=[(name, value) for name, value in headers if isinstance(value, str)],
            body=body,
        )
        verified = verify(message, settings.gateway_keys)
        if not isinstance(verified, Verified):
            raise SignatureVerificationError(verified)
        late = time_problem(verified.time, settings.clock.now(), settings.webhook_tolerance_seconds)
        if late == "STALE":
            # The event is too old, because the caller was busy for too long. The caller gets the
            # event from a page instead, which has a new signature.
            raise ConnectionError("The event was read too late: its signature is too old.")
        if late:
            raise SignatureVerificationError(late)


def _fields(block: bytes) -> dict[str, str]:
    """Lines of `name: value`; a line without a name is a heartbeat."""
    lines = [line.partition(":") for line in block.decode("utf-8", "replace").split("\n")]
    return {name: value.removeprefix(" ") for name, _, value in lines}
