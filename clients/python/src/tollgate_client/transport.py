"""What carries the bytes. Bring your own by writing one method."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

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
    status: int
    headers: Headers
    body: bytes


class Transport(Protocol):
    """Sends a request once and follows no redirect.

    Raises `TimeoutError` when the time is over, and anything else when there is no answer or not all
    of it.
    """

    def send(self, request: TransportRequest, /) -> TransportResponse: ...

    def close(self) -> None: ...


class AsyncTransport(Protocol):
    """The same for `AsyncClient`."""

    async def send(self, request: TransportRequest, /) -> TransportResponse: ...

    async def close(self) -> None: ...


def header_values(headers: Headers, name: str) -> list[str]:
    """All values of a header, whatever the case of its name."""
    return [value for each, value in headers if each.lower() == name]
