"""A whole gateway for tests: `with start_tollgate() as tollgate: …`, or the fixture of `pytest_plugin`."""

from __future__ import annotations

import atexit
import json
import os
import subprocess
import tempfile
import threading
import urllib.error
import urllib.request
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any
from urllib.parse import quote

from ._settings import ClientOptions
from .client import Tollgate

START_TIMEOUT_SECONDS = 60
#: Under this name a running one is handed down to child processes, such as the workers of a test runner.
HANDED_DOWN = "TOLLGATE_DEV"


@dataclass(frozen=True, slots=True)
class StartedTollgate:
    """A gateway for tests, with a merchant of its own and a buyer who does as he is told."""

    base_url: str
    client_id: str
    client: Tollgate
    variables: Mapping[str, str]
    """For a program under test: address, client id and keys, as every library reads them from its environment."""
    _running: Mapping[str, Any] = field(repr=False)
    _process: subprocess.Popen[str] | None = field(repr=False)

    def approve(self, payment_id: str) -> None:
        """The buyer pays."""
        self._decide(payment_id, "approve")

    def decline(self, payment_id: str) -> None:
        """The buyer refuses to pay."""
        self._decide(payment_id, "decline")

    def stop(self) -> None:
        """Ends it, if it was started here; one that is shared is ended by whoever started it."""
        self.client.close()
        if self._process is not None and self._process.poll() is None:
            os.environ.pop(HANDED_DOWN, None)
            _leave(self._process)
            atexit.unregister(self.stop)

    def __enter__(self) -> StartedTollgate:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()

    def _decide(self, payment_id: str, word: str) -> None:
        """By the sandbox wallet's door for tests."""
        url = f"{self._running['walletUrl']}/control/payments/{quote(payment_id, safe='')}/{word}"
        headers = {"authorization": f"Bearer {self._running['controlSecret']}"}
        request = urllib.request.Request(url, method="POST", headers=headers)
        try:
            urllib.request.urlopen(request).close()
        except urllib.error.HTTPError as error:
            said = error.read().decode("utf-8", errors="replace")
            raise RuntimeError(
                f"The wallet does not {word} payment {payment_id}: {said}"
            ) from None


def start_tollgate(command: str | None = None) -> StartedTollgate:
    """Starts a whole gateway for tests, or finds the one that a parent process has started.

    `command` is how `tollgate` is called: `TOLLGATE_COMMAND`, or the one that is installed in the project.
    """
    shared = os.environ.get(HANDED_DOWN)
    if shared:
        return _started(json.loads(shared), None)
    process, line = _start_dev(
        command or os.environ.get("TOLLGATE_COMMAND") or "npx --no tollgate"
    )
    os.environ[HANDED_DOWN] = line
    started = _started(json.loads(line), process)
    atexit.register(started.stop)
    return started


def _merchant_of(running: Mapping[str, Any]) -> ClientOptions:
    """The merchant that the caller works as: the only one there is.

    A gateway that gives every caller an isolated one would be asked for it here.
    """
    with (
        open(running["merchantPrivateKeyFile"], encoding="utf-8") as own,
        open(running["gatewayPublicKeyFile"], encoding="utf-8") as theirs,
    ):
        return {
            "client_id": running["clientId"],
            "key_version": running["keyVersion"],
            "private_key": own.read(),
            "gateway_public_keys": theirs.read(),
        }


def _started(running: Mapping[str, Any], process: subprocess.Popen[str] | None) -> StartedTollgate:
    return StartedTollgate(
        base_url=running["baseUrl"],
        client_id=running["clientId"],
        client=Tollgate(**_merchant_of(running), base_url=running["baseUrl"]),
        variables={
            "TOLLGATE_BASE_URL": running["baseUrl"],
            "TOLLGATE_CLIENT_ID": running["clientId"],
            "TOLLGATE_KEY_VERSION": str(running["keyVersion"]),
            "TOLLGATE_PRIVATE_KEY_FILE": running["merchantPrivateKeyFile"],
            "TOLLGATE_GATEWAY_PUBLIC_KEY_FILE": running["gatewayPublicKeyFile"],
        },
        _running=running,
        _process=process,
    )


def _start_dev(command: str) -> tuple[subprocess.Popen[str], str]:
    # It leaves when the pipe to its standard input closes, so none is left behind, however this process ends.
    with tempfile.TemporaryFile("w+", encoding="utf-8") as errors:
        process = subprocess.Popen(
            f"{command} dev --json --ephemeral --until-stdin-closes",
            shell=True,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
            encoding="utf-8",
        )
        assert process.stdin is not None and process.stdout is not None
        timer = threading.Timer(START_TIMEOUT_SECONDS, process.stdin.close)
        timer.start()
        line = process.stdout.readline()
        timer.cancel()
        if line:
            return process, line
        _leave(process)
        errors.seek(0)
        raise RuntimeError(
            f"Tollgate ended with {process.returncode} before it was ready. It was called as `{command}`; "
            "is that installed here? TOLLGATE_COMMAND names another way to call it.\n"
            + errors.read()[-2000:].strip()
        )


def _leave(process: subprocess.Popen[str]) -> None:
    assert process.stdin is not None and process.stdout is not None
    process.stdin.close()
    process.wait()
    process.stdout.close()
