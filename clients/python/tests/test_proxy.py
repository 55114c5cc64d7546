"""Requests through a proxy from the environment or an option."""

from __future__ import annotations

import base64
import socket
import ssl
import unittest
from pathlib import Path
from tempfile import TemporaryDirectory
from unittest import mock

from tollgate_client import ConfigurationError, HttpTransport, HttpxClientTransport

from .test_transport import OK, always, read_request, request, self_signed, server

USER = f"Basic {base64.b64encode(b'me:pass word').decode()}"


class Proxies(unittest.TestCase):
    def test_https_uses_a_connect_tunnel(self) -> None:
        heard: list[bytes] = []
        with TemporaryDirectory() as folder:
            certificate = self_signed(Path(folder))
            serving = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            serving.load_cert_chain(certificate)
            trusting = ssl.create_default_context(cafile=str(certificate))

        def tunnel(line: socket.socket) -> None:
            asked = b""
            while not asked.endswith(b"\r\n\r\n"):
                asked += line.recv(1)
            heard.append(asked)
            line.sendall(b"HTTP/1.1 200 Connection established\r\n\r\n")
            with serving.wrap_socket(line, server_side=True) as encrypted:
                always(encrypted)

        with server(tunnel) as (url, count):
            proxy = url.replace("http://", "http://me:pass%20word@")
            transport = HttpTransport(proxy=proxy, ssl_context=trusting)
            self.addCleanup(transport.close)
            for _ in range(2):
                self.assertEqual(transport.send(request("https://127.0.0.1:4430")).body, b"hi")
        self.assertEqual(count, [1])
        self.assertTrue(heard[0].startswith(b"CONNECT 127.0.0.1:4430 HTTP/1."), heard)
        self.assertIn(f"Proxy-Authorization: {USER}".encode(), heard[0])

    def test_the_environment_sets_the_proxy_but_not_for_loopback(self) -> None:
        heard: list[bytes] = []

        def pass_on(line: socket.socket) -> None:
            heard.append(read_request(line))
            line.sendall(OK)

        with server(pass_on) as (proxy, _), server(always) as (here, count):
            variables = {"http_proxy": proxy, "HTTP_PROXY": proxy, "no_proxy": "", "NO_PROXY": ""}
            with mock.patch.dict("os.environ", variables):
                transport = HttpTransport()
                self.addCleanup(transport.close)
                transport.send(request("http://gateway.example"))
                transport.send(request(here))
        self.assertTrue(heard[0].startswith(b"POST http://gateway.example/path HTTP/1.1"), heard)
        self.assertIn(b"Host: gateway.example\r\n", heard[0])
        self.assertEqual(count, [1])

    def test_no_proxy_and_none_are_respected(self) -> None:
        variables = {"http_proxy": "http://127.0.0.1:1", "no_proxy": "gateway.invalid"}
        with mock.patch.dict("os.environ", variables):
            for transport in (HttpTransport(), HttpTransport(proxy=None)):
                with self.assertRaises(socket.gaierror):
                    transport.send(request("http://gateway.invalid"))

    def test_an_invalid_proxy_is_reported_without_its_password(self) -> None:
        for proxy in ("socks5://me:secret@proxy.example:1080", "http://me:secret@proxy.example:x"):
            with self.assertRaises(ConfigurationError) as caught:
                HttpTransport(proxy=proxy)
            self.assertNotIn("secret", str(caught.exception))


def listen(line: socket.socket) -> None:
    """Sends nothing until the client closes the connection."""
    while line.recv(65536):
        pass


class BroughtClient(unittest.TestCase):
    def test_an_httpx_client_sends_and_its_timeouts_are_converted(self) -> None:
        try:
            import httpx
        except ImportError:
            self.skipTest("httpx is not installed.")
        with httpx.Client() as client, server(always) as (url, _), server(listen) as (nobody, _):
            transport = HttpxClientTransport(client)
            self.assertEqual(transport.send(request(url)).body, b"hi")
            with transport.stream(request(url)) as response:
                self.assertEqual((response.status, b"".join(response.chunks)), (200, b"hi"))
            with self.assertRaises(TimeoutError):
                transport.send(request(nobody, 0.2))
