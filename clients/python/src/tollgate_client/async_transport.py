"""Two ways to send without waiting: in threads, or with an asynchronous client that you bring."""

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
    """Sends with another transport in threads of its own. What is cancelled is still sent to its end."""

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
    """Sends with an `AsyncClient` of httpx or httpx2, or anything that is used like it.

    The client stays yours: close it yourself.
    """

    def __init__(self, client: Any) -> None:
        self._client = client

    async def send(self, request: TransportRequest, /) -> TransportResponse:
        # Their limits are for each piece of an answer, and ours is for all of it.
        try:
            return await asyncio.wait_for(self._post(request), request.timeout)
        except asyncio.TimeoutError as fault:
            # Before Python 3.11 this is another class than the one of the language.
            raise TimeoutError("The time is over.") from fault

    async def close(self) -> None:
        pass

    @asynccontextmanager
    async def stream(self, request: TransportRequest, /) -> AsyncIterator[AsyncStreamResponse]:
        """An answer that goes on; `timeout` is how long nothing may come."""
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
