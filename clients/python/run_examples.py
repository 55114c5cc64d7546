"""Runs every example against a gateway that it starts, and plays the buyer.

Examples for frameworks that are not installed are named and left out; with `--all` that is a failure.
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
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from queue import Queue
from socket import create_server
from typing import Any

from tollgate_client import Tollgate

EXAMPLES = Path(__file__).parent / "examples"
ROOT = EXAMPLES.parent.parent.parent
FRAMEWORKS = {"notify_fastapi": "fastapi", "notify_django": "django", "notify_flask": "flask"}


def main() -> None:
    done: list[str] = []
    with gateway() as (ready, variables):
        buyer = Buyer(ready)
        payment_id = pay_and_be_told("notify", variables, buyer)
        for name in [name for name, module in FRAMEWORKS.items() if is_there(module)]:
            pay_and_be_told(name, variables, buyer)
            done += [f"{name}.py"]
        run("refund.py", variables, "SUCCESS", payment_id)
        run("many_at_once.py", variables, "SUCCESS", payment_id)
        run("dictionaries.py", variables, "Cancelled: True")
        run("errors.py", variables, "ORDER_NOT_EXIST for payments/inquiryPayment")
        run("in_store.py", variables, "Paid at the till", buyer.code())
        run("test_shop.py", variables, "")
        done += ["pay.py", "notify.py", "refund.py", "many_at_once.py", "dictionaries.py"]
        done += ["errors.py", "in_store.py", "test_shop.py"]
        if is_there("httpx"):
            run("many_at_once_with_httpx.py", variables, "SUCCESS", payment_id)
            done += ["many_at_once_with_httpx.py"]
    missing = {file.name for file in EXAMPLES.glob("*.py")} - set(done)
    if missing and "--all" in sys.argv:
        raise SystemExit(f"Not run: {', '.join(sorted(missing))}")
    for file in sorted(missing):
        print(f"{file}: left out, because its framework is not installed")
    print(f"python examples: {len(done)} ok")


def is_there(module: str) -> bool:
    return importlib.util.find_spec(module) is not None


@contextmanager
def gateway() -> Iterator[tuple[dict[str, Any], dict[str, str]]]:
    """The whole of Tollgate on this machine, and what the examples have to know of it."""
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


def pay_and_be_told(name: str, variables: dict[str, str], buyer: Buyer) -> str:
    """Pays with pay.py, and has this example take the notification; its payment id."""
    with create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    shop = {**variables, "PORT": str(port), "SHOP_URL": f"http://127.0.0.1:{port}"}
    with started(f"{name}.py", shop) as heard:
        wait_for_port(port)
        with started("pay.py", shop) as said:
            payment_id = expect(said, r"Payment (\S+) waits")
            buyer.approve(payment_id)
            expect(said, f"Paid: ({payment_id})")
        expect(heard, f"notifyPayment ({payment_id}): (?:applied|taken)")
        wait_for_delivery(variables, payment_id)
    return payment_id


def wait_for_delivery(variables: dict[str, str], payment_id: str) -> None:
    """Until the gateway has taken the acknowledgement."""
    client = Tollgate(
        client_id=variables["TOLLGATE_CLIENT_ID"],
        private_key=variables["TOLLGATE_PRIVATE_KEY"],
        gateway_public_keys=variables["TOLLGATE_GATEWAY_PUBLIC_KEY"],
        base_url=variables["TOLLGATE_BASE_URL"],
    )
    for _ in range(50):
        found = client.tollgate.inquiry_notifications({"subjectId": payment_id}).notifications or []
        if any(each.notification_status == "DELIVERED" for each in found):
            return
        threading.Event().wait(0.1)
    raise SystemExit(f"The notification of {payment_id} was not acknowledged.")


def wait_for_port(port: int) -> None:
    for _ in range(100):
        try:
            urllib.request.urlopen(f"http://127.0.0.1:{port}/", timeout=1)
        except urllib.error.HTTPError:
            return
        except OSError:
            threading.Event().wait(0.1)
    raise SystemExit(f"Nobody listens on {port}.")


@contextmanager
def started(file: str, variables: dict[str, str], *parameters: str) -> Iterator[Queue[str | None]]:
    """An example and the lines that it prints; None is their end."""
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
    """Reads until a line has this in it, and gives what is in its first brackets."""
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
