"""Measures cold start, and requests per second against a plain `http.client` in the same run.

`python benchmark.py [SECONDS]`, with the package installed. The server always sends the same signed
bytes, so only the client is measured: it creates and verifies one RSA signature for each request.
"""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable
from http.client import HTTPConnection
from multiprocessing import Pipe, Process
from multiprocessing.connection import Connection
from typing import Any

from tollgate_client import AsyncTollgate, Tollgate
from tollgate_client.testing import FakeGateway, Reply, TestKeys, test_keys
from tollgate_client.transport import TransportRequest

PATH = "/ams/api/v1/payments/inquiryPayment"
RESULT = {"resultCode": "SUCCESS", "resultStatus": "S", "resultMessage": "success"}
ANSWER = {"result": RESULT, "paymentStatus": "SUCCESS", "paymentId": "p-1"}


def main() -> None:
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 2.0
    merchant, gateway = test_keys(), test_keys()
    here, there = Pipe()
    server = Process(target=serve, args=(there, signed_answer(gateway)), daemon=True)
    server.start()
    port: int = here.recv()
    options = client_options(merchant, gateway, port)
    cold_start(options)
    bare = per_second(bare_post(port), seconds)
    print(f"bare http.client       {bare:8.0f} requests/s")
    with Tollgate(**options) as client:
        found = per_second(lambda: client.payments.inquiry_payment({"paymentId": "p-1"}), seconds)
    print(
        f"Tollgate               {found:8.0f} requests/s, {1e3 / found - 1e3 / bare:.2f} ms more each"
    )
    found = asyncio.run(async_per_second(options, seconds))
    print(f"AsyncTollgate, 16 wide {found:8.0f} requests/s")
    server.terminate()


def client_options(merchant: TestKeys, gateway: TestKeys, port: int) -> Any:
    return {
        "client_id": "5YBENCH",
        "private_key": merchant.private_key,
        "gateway_public_keys": gateway.public_key,
        "base_url": f"http://127.0.0.1:{port}",
    }


def signed_answer(gateway: TestKeys) -> bytes:
    request = TransportRequest(
        url=f"http://127.0.0.1{PATH}", headers={"client-id": "5YBENCH"}, body=b"", timeout=1
    )
    signed = FakeGateway([Reply(body=ANSWER)], gateway.private_key).send(request)
    lines = [f"{name}: {value}" for name, value in signed.headers]
    head = ["HTTP/1.1 200 OK", f"content-length: {len(signed.body)}", *lines, "", ""]
    return "\r\n".join(head).encode() + signed.body


def serve(pipe: Connection, answer: bytes) -> None:
    """A minimal server: it only finds the end of a request."""

    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while True:
                head = await reader.readuntil(b"\r\n\r\n")
                length = head.lower().split(b"content-length: ")[1].split(b"\r\n")[0]
                await reader.readexactly(int(length))
                writer.write(answer)
        except (asyncio.IncompleteReadError, ConnectionError):
            writer.close()

    async def run() -> None:
        server = await asyncio.start_server(talk, "127.0.0.1", 0)
        pipe.send(server.sockets[0].getsockname()[1])
        await server.serve_forever()

    asyncio.run(run())


def per_second(act: Callable[[], object], seconds: float) -> float:
    for _ in range(20):
        act()
    started, count = time.perf_counter(), 0
    while time.perf_counter() - started < seconds:
        act()
        count += 1
    return count / (time.perf_counter() - started)


def bare_post(port: int) -> Callable[[], object]:
    connection = HTTPConnection("127.0.0.1", port)

    def post() -> object:
        connection.request("POST", PATH, body=b'{"paymentId":"p-1"}')
        return json.loads(connection.getresponse().read())

    return post


async def async_per_second(options: Any, seconds: float) -> float:
    async with AsyncTollgate(**options) as client:
        return await in_parallel(
            lambda: client.payments.inquiry_payment({"paymentId": "p-1"}), seconds
        )


async def in_parallel(act: Callable[[], Awaitable[object]], seconds: float) -> float:
    until = time.perf_counter() + seconds
    count = 0

    async def work() -> None:
        nonlocal count
        while time.perf_counter() < until:
            await act()
            count += 1

    started = time.perf_counter()
    await asyncio.gather(*[work() for _ in range(16)])
    return count / (time.perf_counter() - started)


COLD = """
import time; started = time.perf_counter()
from tollgate_client import Tollgate
imported = time.perf_counter()
client = Tollgate(); made = time.perf_counter()
client.payments.inquiry_payment({"paymentId": "p-1"}); done = time.perf_counter()
print(*(round(each * 1e3, 1) for each in (imported - started, made - imported, done - made)))
"""

BARE = """
import time; started = time.perf_counter()
import json, ssl, http.client
from cryptography.hazmat.primitives.serialization import load_der_private_key
imported = time.perf_counter()
connection = http.client.HTTPConnection("127.0.0.1", PORT)
connection.request("POST", "PATH", body=b"{}"); json.loads(connection.getresponse().read())
print(*(round(each * 1e3, 1) for each in (imported - started, time.perf_counter() - imported)))
"""


def cold_start(options: Any) -> None:
    variables = {
        "TOLLGATE_CLIENT_ID": options["client_id"],
        "TOLLGATE_PRIVATE_KEY": options["private_key"],
        "TOLLGATE_GATEWAY_PUBLIC_KEY": options["gateway_public_keys"],
        "TOLLGATE_BASE_URL": options["base_url"],
    }
    bare = BARE.replace("PORT", options["base_url"].split(":")[-1]).replace("PATH", PATH)
    imports, first = fastest(bare, variables)
    print(
        f"cold start, bare       import {imports} ms (with cryptography), first request {first} ms"
    )
    imports, made, first = fastest(COLD, variables)
    print(f"cold start, Tollgate   import {imports} ms, client {made} ms, first request {first} ms")


def fastest(code: str, variables: dict[str, str]) -> list[float]:
    """Returns the best of seven runs: other programs on the machine make a run longer, and nothing
    makes it shorter.
    """
    command = [sys.executable, "-c", code]
    printed = [
        subprocess.check_output(command, env={**os.environ, **variables}, text=True)
        for _ in range(7)
    ]
    return min(([float(each) for each in line.split()] for line in printed), key=sum)


if __name__ == "__main__":
    main()
