"""HTTP with the standard library: connections are kept alive, certificates are verified, and one
time limit covers the whole response.
"""

from __future__ import annotations

import io
import os
import select
import socket
import ssl
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPConnection, HTTPResponse, HTTPSConnection
from typing import Any
from urllib.parse import SplitResult, urlsplit
from weakref import WeakSet

from ._proxy import Proxy, ProxyInput, proxy_for, read_proxy
from .transport import StreamResponse, TransportRequest, TransportResponse

CONNECT_TIMEOUT = 15.0
#: Shorter than the gateway's idle timeout, so that the gateway does not close a connection that is
#: being reused.
IDLE_SECONDS_MAX = 30.0


class HttpTransport:
    """Sends with `http.client`. It is thread-safe."""

    def __init__(
        self,
        *,
        ssl_context: ssl.SSLContext | None = None,
        connections_kept: int = 16,
        proxy: ProxyInput = "environment",
    ) -> None:
        """Pass an `ssl_context` to trust your own certificate. It must verify host names.

        `proxy` is a URL such as `http://proxy.example:3128`, or None for no proxy. The default
        comes from HTTPS_PROXY, HTTP_PROXY and NO_PROXY.
        """
        self._ssl_context = ssl_context
        if proxy not in ("environment", None):
            # An invalid proxy fails here, and not with the first payment.
            read_proxy(proxy)
        self._proxy: ProxyInput = proxy
        self._connections_kept = connections_kept
        self._idle: list[_Connection] = []
        self._lock = threading.Lock()
        _all_transports.add(self)

    def send(self, request: TransportRequest, /) -> TransportResponse:
        deadline = _Deadline(request.timeout)
        url = urlsplit(request.url)
        with self._connection(url, deadline) as connection:
            return connection.exchange(url, request, deadline)

    @contextmanager
    def stream(self, request: TransportRequest, /) -> Iterator[StreamResponse]:
        """A streaming response, over its own connection; `timeout` is the longest time without
        data.
        """
        url = urlsplit(request.url)
        connection = self._open(url, _Deadline(request.timeout))
        try:
            yield connection.stream(url, request)
        finally:
            connection.close()

    def close(self) -> None:
        """Closes the idle connections. A connection in use closes after its request."""
        with self._lock:
            idle, self._idle, self._connections_kept = self._idle, [], 0
        for connection in idle:
            connection.close()

    def forget_connections(self) -> None:
        """Drops all connections and the lock after a fork, because the child process must not use
        those of its parent.
        """
        idle, self._idle, self._lock = self._idle, [], threading.Lock()
        for connection in idle:
            connection.close()

    @contextmanager
    def _connection(self, url: SplitResult, deadline: _Deadline) -> Iterator[_Connection]:
        connection = self._take(url) or self._open(url, deadline)
        try:
            yield connection
        except BaseException:
            connection.close()
            raise
        self._give_back(connection)

    def _take(self, url: SplitResult) -> _Connection | None:
        """Takes the idle connection that was used last, so that unused connections expire."""
        while True:
            with self._lock:
                fitting = [each for each in self._idle if each.leads_to(url)]
                if not fitting:
                    return None
                connection = fitting[-1]
                self._idle.remove(connection)
            if connection.is_fresh():
                return connection
            connection.close()

    def _give_back(self, connection: _Connection) -> None:
        with self._lock:
            is_kept = connection.is_open() and len(self._idle) < self._connections_kept
            if is_kept:
                self._idle.append(connection)
        if not is_kept:
            connection.close()

    def _open(self, url: SplitResult, deadline: _Deadline) -> _Connection:
        timeout = min(CONNECT_TIMEOUT, deadline.left())
        proxy = proxy_for(url, self._proxy)
        host, port = (proxy.host, proxy.port) if proxy else (url.hostname or "", url.port)
        http: HTTPConnection
        if url.scheme == "https":
            http = HTTPSConnection(host, port, timeout=timeout, context=self._context())
            if proxy:
                # TLS is between the client and the gateway; the proxy only forwards bytes.
                http.set_tunnel(url.hostname or "", url.port or 443, headers=proxy.headers)
        else:
            http = HTTPConnection(host, port, timeout=timeout)
        try:
            http.connect()
        except BaseException:
            http.close()
            raise
        # Only an unencrypted request needs the proxy afterwards: it contains the destination URL
        # and the proxy's password.
        through = proxy if url.scheme == "http" else None
        return _Connection(http, (url.scheme, url.netloc), through)

    def _context(self) -> ssl.SSLContext:
        if self._ssl_context is None:
            # The TLS context is created once, because loading the system's certificates is slow.
            self._ssl_context = ssl.create_default_context()
        return self._ssl_context


_all_transports: WeakSet[HttpTransport] = WeakSet()


def _after_fork() -> None:
    for transport in list(_all_transports):
        transport.forget_connections()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)


class _Deadline:
    def __init__(self, seconds: float) -> None:
        self._until = time.monotonic() + seconds

    def left(self) -> float:
        left = self._until - time.monotonic()
        if left <= 0:
            raise TimeoutError("The time is over.")
        return left


class _Connection:
    """An open connection, and the time when it was last used."""

    def __init__(
        self, http: HTTPConnection, destination: tuple[str, str], through: Proxy | None
    ) -> None:
        self._http = http
        self._through = through
        self._destination = destination
        self._used_at = time.monotonic()

    def leads_to(self, url: SplitResult) -> bool:
        return self._destination == (url.scheme, url.netloc)

    def is_open(self) -> bool:
        return self._http.sock is not None

    def is_fresh(self) -> bool:
        """Whether the connection can be used again. The server sends nothing before a request, so
        readable data means that the connection is closed.
        """
        if self._http.sock is None or time.monotonic() - self._used_at > IDLE_SECONDS_MAX:
            return False
        return not _is_readable(self._http.sock)

    def close(self) -> None:
        self._http.close()

    def exchange(
        self, url: SplitResult, request: TransportRequest, deadline: _Deadline
    ) -> TransportResponse:
        http = self._http
        assert isinstance(http.sock, socket.socket)
        http.sock.settimeout(deadline.left())
        self._request(url, request)
        reader = _TimedReader(http.sock, deadline)
        http.response_class = _reading_from(reader)
        response = http.getresponse()
        if reader.is_at_end:
            # Without this check, truncated headers would be accepted as complete.
            raise ConnectionResetError("The connection was closed within the headers.")
        body = response.read(request.answer_bytes_max + 1)
        if len(body) > request.answer_bytes_max:
            # The connection is closed, because the rest of the response is still arriving and is
            # not needed.
            http.close()
        elif response.length:
            raise ConnectionResetError("The connection was closed within the response.")
        self._used_at = time.monotonic()
        return TransportResponse(status=response.status, headers=response.getheaders(), body=body)

    def _request(self, url: SplitResult, request: TransportRequest) -> None:
        target = request.url if self._through else url.path or "/"
        headers = {**request.headers, **(self._through.headers if self._through else {})}
        self._http.request("POST", target, body=request.body, headers=headers)

    def stream(self, url: SplitResult, request: TransportRequest) -> StreamResponse:
        http = self._http
        http.sock.settimeout(request.timeout)
        self._request(url, request)
        response = http.getresponse()
        return StreamResponse(
            status=response.status,
            headers=response.getheaders(),
            chunks=iter(lambda: response.read1(65_536), b""),
        )


def _is_readable(sock: Any) -> bool:
    if isinstance(sock, ssl.SSLSocket) and sock.pending() > 0:
        return True
    if hasattr(select, "poll"):
        poll = select.poll()
        poll.register(sock, select.POLLIN)
        return bool(poll.poll(0))
    return bool(select.select([sock], [], [], 0)[0])


def _reading_from(reader: _TimedReader) -> Any:
    """Makes `http.client` read responses from this reader instead of the socket."""

    def response_class(sock: socket.socket, *args: Any, **options: Any) -> HTTPResponse:
        response = HTTPResponse(sock, *args, **options)
        response.fp.close()
        response.fp = io.BufferedReader(reader)
        return response

    return response_class


class _TimedReader(io.RawIOBase):
    """Limits the time of the whole response, not of each part."""

    def __init__(self, sock: socket.socket, deadline: _Deadline) -> None:
        self._sock = sock
        # The file keeps the socket open until the response is read, even if the connection is
        # dropped.
        self._file = sock.makefile("rb", buffering=0)
        self._deadline = deadline
        self.is_at_end = False

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any, /) -> int | None:
        self._sock.settimeout(self._deadline.left())
        count = self._file.readinto(buffer)
        self.is_at_end = count == 0
        return count

    def close(self) -> None:
        self._file.close()
        super().close()
