"""Sends with a client of httpx that you bring."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from .transport import StreamResponse, TransportRequest, TransportResponse


class HttpxClientTransport:
    """For `Tollgate`: sends with a `Client` of httpx or httpx2, or anything that is used like it.

    The client stays yours: close it yourself. For `AsyncTollgate` there is `HttpxTransport`.
    """

    def __init__(self, client: Any) -> None:
        self._client = client

    def send(self, request: TransportRequest, /) -> TransportResponse:
        until = time.monotonic() + request.timeout
        with self._open(request) as response:
            body = bytearray()
            for chunk in response.chunks:
                body += chunk
                # Their limits are for each piece of an answer, and ours is for all of it.
                if time.monotonic() > until:
                    raise TimeoutError("The time is over.")
                if len(body) > request.answer_bytes_max:
                    break
            return TransportResponse(
                status=response.status, headers=response.headers, body=bytes(body)
            )

    @contextmanager
    def stream(self, request: TransportRequest, /) -> Iterator[StreamResponse]:
        """An answer that goes on; `timeout` is how long nothing may come."""
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
    """How httpx is told what to send, once and without a redirect."""
    return {
        "content": request.body,
        "headers": dict(request.headers),
        "timeout": request.timeout,
        "follow_redirects": False,
    }
