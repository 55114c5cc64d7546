"""Sends with your own httpx client."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from .transport import StreamResponse, TransportRequest, TransportResponse


class HttpxClientTransport:
    """A transport for `Tollgate` that sends with a `Client` of httpx or httpx2, or with an object
    that has the same methods.

    The client remains yours: close it yourself. For `AsyncTollgate` use `HttpxTransport`.
    """

    def __init__(self, client: Any) -> None:
        self._client = client

    def send(self, request: TransportRequest, /) -> TransportResponse:
        until = time.monotonic() + request.timeout
        with self._open(request) as response:
            body = bytearray()
            for chunk in response.chunks:
                body += chunk
                # This timeout limits the whole response, because httpx limits only the time of each
                # part of a response.
                if time.monotonic() > until:
                    raise TimeoutError("The time is over.")
                if len(body) > request.answer_bytes_max:
                    break
            return TransportResponse(
                status=response.status, headers=response.headers, body=bytes(body)
            )

    @contextmanager
    def stream(self, request: TransportRequest, /) -> Iterator[StreamResponse]:
        """Returns a streaming response; `timeout` of the request is the longest time without data.
        """
        with self._open(request) as response:
            yield response

    def close(self) -> None:
        pass

    @contextmanager
    def _open(self, request: TransportRequest) -> Iterator[StreamResponse]:
        try:
            with self._client.stream("POST", request.url, **sending(request)) as response:
                yield StreamResponse(
                    status=response.status_code,
                    headers=list(response.headers.multi_items()),
                    chunks=response.iter_bytes(),
                )
        except Exception as fault:
            if "Timeout" in type(fault).__name__ and not isinstance(fault, TimeoutError):
                raise TimeoutError(str(fault)) from fault
            raise


def sending(request: TransportRequest) -> dict[str, Any]:
    """The arguments with which httpx sends once and does not follow redirects."""
    return {
        "content": request.body,
        "headers": dict(request.headers),
        "timeout": request.timeout,
        "follow_redirects": False,
    }
