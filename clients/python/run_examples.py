"""Runs every example against a gateway that it starts, and acts as the buyer.

Examples for frameworks that are not installed are listed and skipped; with `--all` this is a
failure.
"""

from __future__ import annotations

import importlib.util
import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from queue import Queue
from socket import create_server
from tempfile import TemporaryDirectory
from typing import Any

from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
)

EXAMPLES = Path(__file__).parent / "examples"
ROOT = EXAMPLES.parent.parent.parent
LIFE = ROOT / "clients/life"
NEEDED = {
    "notify": [],
    "notify_fastapi": ["fastapi", "uvicorn", "psycopg"],
    "notify_django": ["django"],
    "notify_flask": ["flask"],
}


def main() -> None:
    done: list[str] = []
    with gateway() as (ready, variables), database() as more:
        buyer = Buyer(ready)
        for name in [name for name, modules in NEEDED.items() if all(map(is_there, modules))]:
            put_on_trial(f"{name}.py", {**variables, **more}, ready)
            check_conformance(f"{name}.py", {**variables, **more})
            done += [f"{name}.py"]
            if name == "notify":
                # The webhooks have already updated the orders, so the feed has no new events for
                # these orders.
                run("feed.py", {**variables, **more}, "old news")
                done += ["feed.py"]
        payment_id = pay(variables, buyer)
        run("refund.py", variables, "SUCCESS", payment_id)
        run("many_at_once.py", variables, "SUCCESS", payment_id)
        run("dictionaries.py", variables, "Cancelled: True")
        run("errors.py", variables, "ORDER_NOT_EXIST for payments/inquiryPayment")
        run("in_store.py", variables, "Paid at the till", buyer.code())
        run("test_shop.py", variables, "")
        done += ["pay.py", "shop.py", "refund.py", "many_at_once.py", "dictionaries.py"]
        done += ["errors.py", "in_store.py", "test_shop.py"]
        if is_there("httpx"):
            run("many_at_once_with_httpx.py", variables, "SUCCESS", payment_id)
            done += ["many_at_once_with_httpx.py"]
    missing = {file.name for file in EXAMPLES.glob("*.py")} - set(done)
    if missing and "--all" in sys.argv:
        raise SystemExit(f"Not run: {', '.join(sorted(missing))}")
    for file in sorted(missing):
        print(f"{file}: skipped, because its framework is not installed")
    print(f"python examples: {len(done)} ok")


def is_there(module: str) -> bool:
    return importlib.util.find_spec(module) is not None


@contextmanager
def gateway() -> Iterator[tuple[dict[str, Any], dict[str, str]]]:
    """A complete local Tollgate, and the environment variables for the examples."""
    command = ["node", str(ROOT / "scripts/dev.ts"), "--json"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout
            ready = json.loads(process.stdout.readline())
            yield (
                ready,
                {
                    "TOLLGATE_CLIENT_ID": ready["clientId"],
                    "TOLLGATE_BASE_URL": ready["baseUrl"],
                    "TOLLGATE_KEY_VERSION": str(ready["keyVersion"]),
                    "TOLLGATE_PRIVATE_KEY": Path(ready["merchantPrivateKeyFile"]).read_text(),
                    "TOLLGATE_GATEWAY_PUBLIC_KEY": Path(ready["gatewayPublicKeyFile"]).read_text(),
                },
            )
        finally:
            process.send_signal(signal.SIGTERM)


@contextmanager
def database() -> Iterator[dict[str, str]]:
    """The shops' databases: a file for SQLite, and a temporary PostgreSQL database."""
    command = ["node", str(LIFE / "shop-database.ts")]
    with (
        TemporaryDirectory() as folder,
        subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process,
    ):
        try:
            assert process.stdout
            url = process.stdout.readline().strip()
            yield {"DATABASE_URL": url, "DATABASE_FILE": f"{folder}/shop.sqlite"}
        finally:
            process.send_signal(signal.SIGTERM)


class Buyer:
    def __init__(self, ready: dict[str, Any]) -> None:
        self._ready = ready

    def approve(self, payment_id: str) -> None:
        self._control(f"payments/{payment_id}/approve")

    def code(self) -> str:
        return str(self._control("payment-codes")["paymentCode"])

    def _control(self, path: str) -> Any:
        request = urllib.request.Request(
            f"{self._ready['walletUrl']}/control/{path}",
            data=b"{}",
            headers={"authorization": f"Bearer {self._ready['controlSecret']}"},
        )
        with urllib.request.urlopen(request) as answer:
            return json.loads(answer.read())


def pay(variables: dict[str, str], buyer: Buyer) -> str:
    """Pays with pay.py; returns the payment id."""
    with started("pay.py", variables) as said:
        payment_id = expect(said, r"Payment (\S+) waits")
        buyer.approve(payment_id)
        return expect(said, f"Paid: ({payment_id})")


def put_on_trial(file: str, variables: dict[str, str], ready: dict[str, Any]) -> None:
    """Runs the webhook tests that every receiver must pass, in every language."""
    with create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    with started(file, {**variables, "PORT": str(port)}) as said:
        trial = subprocess.run(
            ["node", str(LIFE / "receiver-tests.ts"), f"http://127.0.0.1:{port}"],
            check=False,
            env={**os.environ, "TOLLGATE_DEV": json.dumps(ready)},
            capture_output=True,
            text=True,
        )
        if trial.returncode != 0:
            lines = [str(said.get()) for _ in range(said.qsize())]
            heard = "\n".join(lines[-40:])
            raise SystemExit(f"{file} failed the webhook tests: {trial.stderr}\nOutput:\n{heard}")


def check_conformance(file: str, variables: dict[str, str]) -> None:
    """Runs `tollgate conform receiver`: valid and invalid webhooks, signed with its own test keys.
    """
    with create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    url = f"http://127.0.0.1:{port}"
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    public = key.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
    with TemporaryDirectory() as folder:
        file_of_key = Path(folder) / "conform.pem"
        private = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
        file_of_key.write_bytes(private)
        command = ["node", str(ROOT / "cli/src/start.ts"), "conform", "receiver", f"{url}/notify"]
        command += ["--orders-url", f"{url}/orders", "--private-key", str(file_of_key)]
        command += ["--client-id", variables["TOLLGATE_CLIENT_ID"]]
        more = {
            "PORT": str(port),
            "TOLLGATE_GATEWAY_PUBLIC_KEY": public.decode(),
            "DATABASE_FILE": f"{folder}/shop.sqlite",
        }
        with started(file, {**variables, **more}):
            until_open(f"{url}/orders")
            checked = subprocess.run(command, check=False, capture_output=True, text=True)
            if checked.returncode != 0:
                raise SystemExit(f"{file} does not conform:\n{checked.stdout}{checked.stderr}")


def until_open(url: str) -> None:
    order = json.dumps({"paymentRequestId": "first"}).encode()
    request = urllib.request.Request(url, order, {"content-type": "application/json"})
    give_up_at = time.monotonic() + 60
    while True:
        try:
            return urllib.request.urlopen(request).close()
        except urllib.error.URLError:
            if time.monotonic() > give_up_at:
                raise
            time.sleep(0.1)


@contextmanager
def started(file: str, variables: dict[str, str], *parameters: str) -> Iterator[Queue[str | None]]:
    """Runs an example and collects the lines that it prints; None marks the end."""
    lines: Queue[str | None] = Queue()
    with subprocess.Popen(
        [sys.executable, str(EXAMPLES / file), *parameters],
        env={**os.environ, **variables},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    ) as process:
        threading.Thread(target=read_lines, args=(process, lines.put), daemon=True).start()
        try:
            yield lines
        finally:
            process.terminate()


def read_lines(process: subprocess.Popen[str], put: Callable[[str | None], None]) -> None:
    assert process.stdout
    for line in process.stdout:
        put(line.rstrip())
    put(None)


def expect(lines: Queue[str | None], pattern: str) -> str:
    """Reads until a line contains this pattern, and returns the pattern's first group."""
    read: list[str] = []
    while True:
        line = lines.get(timeout=60)
        if line is None:
            raise SystemExit("\n".join([*read, f"No line with {pattern}."]))
        read.append(line)
        if match := re.search(pattern, line):
            return match[1]


def run(file: str, variables: dict[str, str], words: str, *parameters: str) -> None:
    ended = subprocess.run(
        [sys.executable, str(EXAMPLES / file), *parameters],
        check=False,
        env={**os.environ, **variables},
        capture_output=True,
        text=True,
        timeout=120,
    )
    if ended.returncode != 0 or words not in ended.stdout:
        raise SystemExit(f"{file} failed:\n{ended.stdout}{ended.stderr}")


main()
