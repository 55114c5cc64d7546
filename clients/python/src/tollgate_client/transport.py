"""Transports send the bytes. To use your own, implement one method."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AbstractContextManager
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

#: Names and values in order; a name can occur twice.
Headers = Sequence[tuple[str, str]]


@dataclass(frozen=True, slots=True, kw_only=True)
class TransportRequest:
    """The request, byte for byte. The method is always POST."""

    url: str
    headers: Mapping[str, str]
    body: bytes
    timeout: float
    """Seconds until the complete response must have arrived."""
    answer_bytes_max: int = 2 * 1024 * 1024
    """The maximum size of the response in bytes. A transport can stop after one more byte, because
    the library rejects a longer response.
    """


@dataclass(frozen=True, slots=True, kw_only=True)
class TransportResponse:
    """A complete response, unmodified."""

    status: int
    headers: Headers
    body: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class StreamResponse:
    """A streaming response, whose body is still arriving."""

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
    """Sends a request once and does not follow redirects.

    Raises `TimeoutError` when the time is over, and any other exception if there is no complete
    response.
    """

    def send(self, request: TransportRequest, /) -> TransportResponse: ...

    def close(self) -> None: ...


@runtime_checkable
class StreamTransport(Protocol):
    """An optional method of a transport, for streaming responses.

    If a transport has this method, followers of the feed do not poll. `timeout` of the request is
    the longest time without data.
    """

    def stream(self, request: TransportRequest, /) -> AbstractContextManager[StreamResponse]: ...


class AsyncTransport(Protocol):
    """The same for `AsyncTollgate`."""

    async def send(self, request: TransportRequest, /) -> TransportResponse: ...

    async def close(self) -> None: ...


@runtime_checkable
class AsyncStreamTransport(Protocol):
    """An optional method of a transport of `AsyncTollgate`, for streaming responses."""

    def stream(
        self, request: TransportRequest, /
    ) -> AbstractAsyncContextManager[AsyncStreamResponse]: ...


def header_values(headers: Headers, name: str) -> list[str]:
    """All values of a header; the name is case-insensitive."""
    return [value for each, value in headers if each.lower() == name]
