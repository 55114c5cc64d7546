"""What carries the bytes. Bring your own by writing one method."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AbstractContextManager
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

#: Names and values in order; a name may come twice.
Headers = Sequence[tuple[str, str]]


@dataclass(frozen=True, slots=True, kw_only=True)
class TransportRequest:
    """What is sent, to the byte. It is always a POST."""

    url: str
    headers: Mapping[str, str]
    body: bytes
    timeout: float
    """Seconds until the whole answer has to be there."""
    answer_bytes_max: int = 2 * 1024 * 1024
    """Nobody has to read more than one byte beyond: such an answer is refused."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TransportResponse:
    """An answer as it came, whole."""

    status: int
    headers: Headers
    body: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class StreamResponse:
    """An answer that has begun, and whose body goes on."""

    status: int
    headers: Headers
    chunks: Iterator[bytes]


@dataclass(frozen=True, slots=True, kw_only=True)
class AsyncStreamResponse:
    """The same for `AsyncTollgate`."""

    status: int
    headers: Headers
    chunks: AsyncIterator[bytes]


class Transport(Protocol):
    """Sends a request once and follows no redirect.

    Raises `TimeoutError` when the time is over, and anything else when there is no answer or not all
    of it.
    """

    def send(self, request: TransportRequest, /) -> TransportResponse: ...

    def close(self) -> None: ...


@runtime_checkable
class StreamTransport(Protocol):
    """What a transport may have beside, for answers that go on.

    Whoever follows the feed with one that has it not asks every second. `timeout` of the request is how
    long nothing may come.
    """

    def stream(self, request: TransportRequest, /) -> AbstractContextManager[StreamResponse]: ...


class AsyncTransport(Protocol):
    """The same for `AsyncTollgate`."""

    async def send(self, request: TransportRequest, /) -> TransportResponse: ...

    async def close(self) -> None: ...


@runtime_checkable
class AsyncStreamTransport(Protocol):
    """What a transport of `AsyncTollgate` may have beside, for answers that go on."""

    def stream(
        self, request: TransportRequest, /
    ) -> AbstractAsyncContextManager[AsyncStreamResponse]: ...


def header_values(headers: Headers, name: str) -> list[str]:
    """All values of a header, whatever the case of its name."""
    return [value for each, value in headers if each.lower() == name]
