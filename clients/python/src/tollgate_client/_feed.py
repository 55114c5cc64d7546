"""The feed and other lists, page by page."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator
from typing import TYPE_CHECKING, Any, TypedDict

from . import models
from ._event_stream import EventReader, stream_request
from ._told import Event, read_told
from .errors import ConnectionError, GatewayError, is_passing
from .log import LogEntry
from .transport import AsyncStreamTransport, StreamTransport

if TYPE_CHECKING:
    from ._settings import Settings
    from .async_client import AsyncTollgate
    from .client import Tollgate

FIRST_PAUSE = 1.0
LONGEST_PAUSE = 30.0


class EventsOptions(TypedDict, total=False):
    """Options for reading the feed: where to begin, and when to stop."""

    from_cursor: str | None
    """The cursor of the last event that you have applied. If it is not set, reading starts at the
    beginning; `latest` starts at the end.
    """
    page_size: int
    """The number of events per request (default 100)."""
    follow: bool
    """At the end of the feed, waits for more events. It uses the gateway's stream, or polls every
    second if the transport cannot stream. After a temporary fault, the loop continues after the
    last event.
    """
    stop: Callable[[], bool]
    """Ends a following loop when it returns True. It is called between events, and every 15 s."""


class Reading:
    """The reader's position in the feed, and how long to wait before it continues."""

    def __init__(self, settings: Settings, options: EventsOptions) -> None:
        self.settings = settings
        self.cursor = options.get("from_cursor")
        self.follow = options.get("follow", False)
        self.stop = options.get("stop") or (lambda: False)
        self._limit = options.get("page_size")
        self._pause = FIRST_PAUSE
        self._before = self.cursor
        self.has_more = True

    def request(self) -> models.InquiryEventsRequest:
        return models.InquiryEventsRequest(cursor=self.cursor, limit=self._limit)

    def events(self, page: models.InquiryEventsResponse) -> Iterator[Event]:
        for each in page.events or ():
            event = Event(
                **read_told(each.body.encode("utf-8")),
                cursor=each.cursor,
                notification_id=each.notification_id,
                created_time=each.created_time,
            )
            yield event
            self.cursor = event.cursor
        self.cursor = page.next_cursor or self.cursor
        self.has_more = bool(page.has_more)

    def pause(self, fault: Exception | None) -> float:
        """Returns the seconds to wait before the next request. Raises the fault if it is not
        temporary.
        """
        self.has_more = True
        moved, self._before = self.cursor != self._before, self.cursor
        if fault is None or moved:
            self._pause = FIRST_PAUSE
        else:
            self._pause = min(self._pause * 2, LONGEST_PAUSE)
        if fault is not None:
            if not self.follow or not is_passing(fault):
                raise fault
            where = self.cursor or "its beginning"
            words = f"Reading the feed failed; it continues after {where}: {fault}"
            self.settings.log(LogEntry(event="warning", message=words))
        return self._pause


def events(client: Tollgate, options: EventsOptions) -> Iterator[Event]:
    """Reads pages until the end, because one signature covers a hundred events; then the stream,
    then pages again.
    """
    reading = Reading(client._settings, options)
    while not reading.stop():
        fault: GatewayError | None = None
        try:
            while reading.has_more:
                yield from reading.events(client.tollgate.inquiry_events(reading.request()))
            if not reading.follow:
                return
            if isinstance(client._transport, StreamTransport):
                yield from _streamed(client._transport, reading)
        except GatewayError as passing:
            fault = passing
        client._settings.clock.sleep(reading.pause(fault))


def _streamed(transport: StreamTransport, reading: Reading) -> Iterator[Event]:
    request = stream_request(reading.settings, reading.cursor or "0")
    reader = EventReader(reading.settings, request)
    try:
        with transport.stream(request) as response:
            reader.begin(response.status, response.headers)
            for chunk in response.chunks:
                for event in reader.events(chunk):
                    yield event
                    reading.cursor = event.cursor
                if reading.stop():
                    return
    except GatewayError:
        raise
    except Exception as fault:
        raise _broken(fault) from fault


async def async_events(client: AsyncTollgate, options: EventsOptions) -> AsyncIterator[Event]:
    """The asynchronous form."""
    reading = Reading(client._settings, options)
    while not reading.stop():
        fault: GatewayError | None = None
        try:
            while reading.has_more:
                for event in reading.events(
                    await client.tollgate.inquiry_events(reading.request())
                ):
                    yield event
            if not reading.follow:
                return
            if isinstance(client._transport, AsyncStreamTransport):
                async for event in _async_streamed(client._transport, reading):
                    yield event
        except GatewayError as passing:
            fault = passing
        await client._settings.clock.sleep_async(reading.pause(fault))


async def _async_streamed(
    transport: AsyncStreamTransport, reading: Reading
) -> AsyncIterator[Event]:
    request = stream_request(reading.settings, reading.cursor or "0")
    reader = EventReader(reading.settings, request)
    try:
        async with transport.stream(request) as response:
            reader.begin(response.status, response.headers)
            async for chunk in response.chunks:
                for event in reader.events(chunk):
                    yield event
                    reading.cursor = event.cursor
                if reading.stop():
                    return
    except GatewayError:
        raise
    except Exception as fault:
        raise _broken(fault) from fault


def _broken(fault: Exception) -> ConnectionError:
    return ConnectionError(f"The connection of the stream broke. ({type(fault).__name__}: {fault})")


def next_page(
    request: models.InquiryNotificationsRequest, page: models.InquiryNotificationsResponse
) -> models.InquiryNotificationsRequest | None:
    """The request for the next page of a list; None at its end."""
    if not page.has_more or not page.notifications:
        return None
    fields: dict[str, Any] = {**request.to_dict(), "after": page.notifications[-1].notification_id}
    return models.InquiryNotificationsRequest.from_dict(fields)
