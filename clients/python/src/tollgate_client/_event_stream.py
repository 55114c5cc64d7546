"""Events as they happen: server-sent events, each signed like a notification."""

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

#: The gateway says something every 15 s, if only that it is there.
SILENCE_MAX = 45.0
#: Whoever sends lines without end must not fill the memory.
BLOCK_BYTES_MAX = 4 * 1024 * 1024


def stream_request(settings: Settings, cursor: str) -> TransportRequest:
    fields = {"follow": True, "cursor": cursor}
    return signed_request(settings, "tollgate/inquiryEvents", fields, SILENCE_MAX)


class EventReader:
    """Takes what comes, and gives the events that are complete."""

    def __init__(self, settings: Settings, request: TransportRequest) -> None:
        self._settings = settings
        self._path = urlsplit(request.url).path
        self._unread = b""

    def begin(self, status: int, headers: Headers) -> None:
        """A refusal is no stream: the pages that are read next tell it with all that belongs to it."""
        kinds = header_values(headers, "content-type")
        if status != 200 or not kinds or not kinds[0].startswith("text/event-stream"):
            raise ConnectionError("The gateway answered with no stream.")

    def events(self, chunk: bytes) -> list[Event]:
        *blocks, self._unread = (self._unread + chunk).split(b"\n\n")
        if len(self._unread) > BLOCK_BYTES_MAX:
            raise ConnectionError("The stream has an event without end.")
        found = [_fields(block) for block in blocks]
        return [self._event(fields) for fields in found if "data" in fields]

    def _event(self, fields: dict[str, str]) -> Event:
        try:
            data = json.loads(fields["data"])
            body = data["body"].encode("utf-8")
            cursor = fields["id"]
        except (AttributeError, KeyError, TypeError, ValueError) as fault:
            raise MalformedResponseError("The stream has an event that is none.") from fault
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
            # Whoever was busy for so long reads it from a page, which is signed anew.
            raise ConnectionError("The stream has grown old while nobody read it.")
        if late:
            raise SignatureVerificationError(late)


def _fields(block: bytes) -> dict[str, str]:
    """Lines of `name: value`; one without a name is a sign of life."""
    lines = [line.partition(":") for line in block.decode("utf-8", "replace").split("\n")]
    return {name: value.removeprefix(" ") for name, _, value in lines}
