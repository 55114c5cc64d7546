"""Failures of real connections."""

from __future__ import annotations

import os
import signal
import socket
import ssl
import threading
import time
import unittest
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta, timezone
from http.client import HTTPException
from ipaddress import ip_address
from pathlib import Path
from tempfile import TemporaryDirectory

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import rsa

from tollgate_client import HttpTransport, TransportRequest

Serve = Callable[[socket.socket], None]

OK = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nX-A: 1\r\nx-a: 2\r\n\r\nhi"


@contextmanager
def server(serve: Serve, context: ssl.SSLContext | None = None) -> Iterator[tuple[str, list[int]]]:
    """Starts a server, and returns its URL and the number of connections so far."""
    count = [0]
    with socket.create_server(("127.0.0.1", 0)) as listening:
        threading.Thread(
            target=accept, args=(listening, serve, context, count), daemon=True
        ).start()
        scheme = "https" if context else "http"
        yield f"{scheme}://127.0.0.1:{listening.getsockname()[1]}", count


def accept(
    listening: socket.socket, serve: Serve, context: ssl.SSLContext | None, count: list[int]
) -> None:
    while True:
        try:
            connection, _ = listening.accept()
        except OSError:
            return
        count[0] += 1
        threading.Thread(target=answer, args=(connection, serve, context), daemon=True).start()


def answer(connection: socket.socket, serve: Serve, context: ssl.SSLContext | None) -> None:
    try:
        with context.wrap_socket(connection, server_side=True) if context else connection as line:
            serve(line)
    except OSError:
        pass


def read_request(line: socket.socket) -> bytes:
    """Reads one request with its body. Returns empty bytes at the end of the connection."""
    content = b""
    while not content.endswith(b"{}"):
        piece = line.recv(65536)
        if not piece:
            return b""
        content += piece
    return content


def always(line: socket.socket) -> None:
    while read_request(line):
        line.sendall(OK)


def once(reply: bytes) -> Serve:
    def serve(line: socket.socket) -> None:
        read_request(line)
        line.sendall(reply)

    return serve


def drip(line: socket.socket) -> None:
    """Sends a header from time to time: each part arrives in time, but the whole response is too
    late.
    """
    read_request(line)
    line.sendall(b"HTTP/1.1 200 OK\r\n")
    for number in range(100):
        line.sendall(f"X-{number}: 1\r\n".encode())
        time.sleep(0.05)


def request(url: str, timeout: float = 5.0) -> TransportRequest:
    return TransportRequest(
        url=f"{url}/path", headers={"accept-encoding": "identity"}, body=b"{}", timeout=timeout
    )


class Connections(unittest.TestCase):
    def setUp(self) -> None:
        self.transport = HttpTransport()
        self.addCleanup(self.transport.close)

    def test_a_response_has_its_bytes_and_all_headers(self) -> None:
        with server(always) as (url, _):
            response = self.transport.send(request(url))
        self.assertEqual((response.status, response.body), (200, b"hi"))
        self.assertEqual(list(response.headers)[1:], [("X-A", "1"), ("x-a", "2")])

    def test_a_connection_is_reused(self) -> None:
        with server(always) as (url, count):
            for _ in range(5):
                self.transport.send(request(url))
            self.assertEqual(count, [1])

    def test_threads_do_not_share_a_connection(self) -> None:
        with server(always) as (url, count):
            calls = [
                threading.Thread(target=self.transport.send, args=(request(url),)) for _ in range(8)
            ]
            for call in calls:
                call.start()
            for call in calls:
                call.join()
            before = count[0]
            self.transport.send(request(url))
            self.assertEqual(count[0], before)

    def test_a_closed_connection_is_not_reused(self) -> None:
        with server(once(OK)) as (url, count):
            for _ in range(3):
                self.transport.send(request(url))
                time.sleep(0.05)
            self.assertEqual(count, [3])

    def test_a_response_that_ends_with_the_connection_is_read_completely(self) -> None:
        with server(once(b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nall of it")) as (url, _):
            self.assertEqual(self.transport.send(request(url)).body, b"all of it")

    def test_a_chunked_response_is_reassembled(self) -> None:
        chunks = (
            b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n1\r\n!\r\n0\r\n\r\n"
        )
        with server(once(chunks)) as (url, _):
            self.assertEqual(self.transport.send(request(url)).body, b"hi!")

    @unittest.skipUnless(hasattr(os, "fork"), "This system does not fork.")
    def test_a_forked_process_does_not_use_the_connections_of_its_parent(self) -> None:
        # The server runs in this process, so the forked child must not serve requests.
        with server(always) as (url, count):
            self.transport.send(request(url))
            child = os.fork()
            if child == 0:
                signal.alarm(10)
                os._exit(0 if self.transport.send(request(url)).body == b"hi" else 1)
            self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), 0)
            self.assertEqual(count, [2])
            self.transport.send(request(url))
            self.assertEqual(count, [2])

    def test_a_redirect_is_not_followed(self) -> None:
        moved = b"HTTP/1.1 302 Found\r\nLocation: /other\r\nContent-Length: 0\r\n\r\n"
        with server(once(moved)) as (url, count):
            self.assertEqual(self.transport.send(request(url)).status, 302)
            self.assertEqual(count, [1])


class Faults(unittest.TestCase):
    def setUp(self) -> None:
        self.transport = HttpTransport()
        self.addCleanup(self.transport.close)

    def test_a_truncated_response_is_an_error(self) -> None:
        for half in (
            b"HTTP/1.1 200 OK\r\nContent-Length: 20\r\n\r\nhalf",
            b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n9\r\nhalf",
            b"HTTP/1.1 200 OK\r\nContent-Le",
            b"",
        ):
            with (
                self.subTest(half),
                server(once(half)) as (url, _),
                self.assertRaises((HTTPException, ConnectionError)),
            ):
                self.transport.send(request(url))

    def test_the_timeout_covers_the_whole_response(self) -> None:
        with server(drip) as (url, _):
            started = time.monotonic()
            with self.assertRaises(TimeoutError):
                self.transport.send(request(url, timeout=0.4))
            self.assertLess(time.monotonic() - started, 1.5)

    def test_a_gateway_without_response_times_out(self) -> None:
        silent = server(lambda line: time.sleep(2))
        with silent as (url, _), self.assertRaises(TimeoutError):
            self.transport.send(request(url, timeout=0.2))

    def test_a_refused_connection_is_a_connection_error(self) -> None:
        with socket.create_server(("127.0.0.1", 0)) as listening:
            port = listening.getsockname()[1]
        with self.assertRaises(ConnectionRefusedError):
            self.transport.send(request(f"http://127.0.0.1:{port}"))


class Encryption(unittest.TestCase):
    folder: TemporaryDirectory[str]
    certificate: Path
    serving: ssl.SSLContext

    @classmethod
    def setUpClass(cls) -> None:
        cls.folder = TemporaryDirectory()
        cls.certificate = self_signed(Path(cls.folder.name))
        cls.serving = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        cls.serving.load_cert_chain(cls.certificate)

    @classmethod
    def tearDownClass(cls) -> None:
        cls.folder.cleanup()

    def test_an_untrusted_certificate_is_rejected(self) -> None:
        serving = server(always, self.serving)
        with serving as (url, _), self.assertRaises(ssl.SSLCertVerificationError):
            HttpTransport().send(request(url))

    def test_a_certificate_for_another_host_is_rejected(self) -> None:
        trusting = ssl.create_default_context(cafile=str(self.certificate))
        serving = server(always, self.serving)
        with serving as (url, _), self.assertRaises(ssl.SSLCertVerificationError):
            elsewhere = url.replace("127.0.0.1", "localhost")
            HttpTransport(ssl_context=trusting).send(request(elsewhere))

    def test_a_trusted_certificate_is_accepted_and_the_connection_is_kept_alive(self) -> None:
        trusting = ssl.create_default_context(cafile=str(self.certificate))
        transport = HttpTransport(ssl_context=trusting)
        self.addCleanup(transport.close)
        with server(always, self.serving) as (url, count):
            for _ in range(3):
                self.assertEqual(transport.send(request(url)).body, b"hi")
            self.assertEqual(count, [1])


def self_signed(folder: Path) -> Path:
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "test")])
    now = datetime.now(timezone.utc)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(
            x509.SubjectAlternativeName([x509.IPAddress(ip_address("127.0.0.1"))]), False
        )
        .sign(key, hashes.SHA256())
    )
    file = folder / "server.pem"
    private = key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )
    file.write_bytes(private + certificate.public_bytes(serialization.Encoding.PEM))
    return file


if __name__ == "__main__":
    unittest.main()
