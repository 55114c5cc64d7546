"""Two asynchronous transports: in threads, or with an asynchronous client that you pass."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from typing import Any

from .http_transport import HttpTransport
from .httpx_transport import sending
from .transport import AsyncStreamResponse, Transport, TransportRequest, TransportResponse


class ThreadTransport:
    """Sends with another transport in its own threads. A cancelled request is still sent
    completely.
    """

    def __init__(self, transport: Transport | None = None, *, threads: int = 32) -> None:
        self._transport = transport or HttpTransport(connections_kept=threads)
        self._threads = ThreadPoolExecutor(threads, thread_name_prefix="tollgate")

    async def send(self, request: TransportRequest, /) -> TransportResponse:
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._threads, self._transport.send, request)

    async def close(self) -> None:
        self._transport.close()
        self._threads.shutdown(wait=False)


class HttpxTransport:
    """Sends with an `AsyncClient` of httpx or httpx2, or with an object that has the same methods.

    The client remains yours: close it yourself.
    """

    def __init__(self, client: Any) -> None:
        self._client = client

    async def send(self, request: TransportRequest, /) -> TransportResponse:
        # This timeout limits the whole response, because httpx limits only the time of each part of
        # a response.
        try:
            return await asyncio.wait_for(self._post(request), request.timeout)
        except asyncio.TimeoutError as fault:
            # `asyncio.TimeoutError` is caught by its name, because before Python 3.11 it is a
            # different class from the built-in one.
            raise TimeoutError("The time is over.") from fault

    async def close(self) -> None:
        pass

    @asynccontextmanager
    async def stream(self, request: TransportRequest, /) -> AsyncIterator[AsyncStreamResponse]:
        """Returns a streaming response; `timeout` of the request is the longest time without data.
        """
        async with self._client.stream("POST", request.url, **sending(request)) as response:
            yield AsyncStreamResponse(
                status=response.status_code,
                headers=list(response.headers.multi_items()),
                chunks=response.aiter_bytes(),
            )

    async def _post(self, request: TransportRequest) -> TransportResponse:
        try:
            async with self._client.stream("POST", request.url, **sending(request)) as response:
                body = bytearray()
                async for chunk in response.aiter_bytes():
                    body += chunk
                    if len(body) > request.answer_bytes_max:
                        break
                headers = list(response.headers.multi_items())
                return TransportResponse(
                    status=response.status_code, headers=headers, body=bytes(body)
                )
        except Exception as fault:
            if "Timeout" in type(fault).__name__:
                raise TimeoutError(str(fault)) from fault
            raise
