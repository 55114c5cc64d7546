"""A complete gateway for tests: `with start_tollgate() as tollgate: …`, or the fixture of
`pytest_plugin`.
"""

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
from contextlib import ExitStack
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any
from urllib.parse import quote

from ._settings import ClientOptions
from ._test_universe import open_universe
from .client import Tollgate

START_TIMEOUT_SECONDS = 60
# The variable that passes a running gateway to child processes, such as the workers of a test
# runner.
HANDED_DOWN = "TOLLGATE_DEV"


@dataclass(frozen=True, slots=True)
class StartedTollgate:
    """A gateway for tests, with its own merchant and a simulated buyer."""

    base_url: str
    client_id: str
    client: Tollgate
    variables: Mapping[str, str]
    """Environment variables for a program under test: base URL, client id and keys, as every
    library reads them.
    """
    _running: Mapping[str, Any] = field(repr=False)
    _at_the_end: ExitStack = field(repr=False)

    def approve(self, payment_id: str) -> None:
        """The buyer pays."""
        self._decide(payment_id, "approve")

    def decline(self, payment_id: str) -> None:
        """The buyer declines to pay."""
        self._decide(payment_id, "decline")

    def stop(self) -> None:
        """Stops the gateway that was started here, or deletes this run's isolated test merchant on
        a shared gateway.
        """
        self.client.close()
        self._at_the_end.close()

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
        """Acts as the buyer, through the sandbox provider's API for tests."""
        url = f"{self._running['walletUrl']}/control/payments/{quote(payment_id, safe='')}/{word}"
        headers = {"authorization": f"Bearer {self._running['controlSecret']}"}
        request = urllib.request.Request(url, method="POST", headers=headers)
        try:
            urllib.request.urlopen(request).close()
        except urllib.error.HTTPError as error:
            said = error.read().decode("utf-8", errors="replace")
            raise RuntimeError(
                f"The sandbox provider could not {word} payment {payment_id}: {said}"
            ) from None


def start_tollgate(command: str | None = None) -> StartedTollgate:
    """Starts a complete gateway for tests.

    If one is running already (`TOLLGATE_DEV`; or `TOLLGATE_BASE_URL` and `TOLLGATE_CONTROL_SECRET`,
    as in the .env of `tollgate dev`), it creates an isolated test merchant there instead. A gateway
    that a parent process of the same run started is shared.

    `command` runs `tollgate`: by default `TOLLGATE_COMMAND`, or the command that is installed in
    the project.
    """
    handed = json.loads(os.environ.get(HANDED_DOWN) or "null")
    if handed and handed.get("isOfThisRun"):
        return _started(handed, ExitStack())
    at_the_end = ExitStack()
    running = _join(handed, at_the_end) or _start_dev(
        command or os.environ.get("TOLLGATE_COMMAND") or "npx --no tollgate", at_the_end
    )
    _hand_down({**running, "isOfThisRun": True}, at_the_end)
    started = _started(running, at_the_end)
    atexit.register(started.stop)
    at_the_end.callback(atexit.unregister, started.stop)
    return started


def _join(handed: Mapping[str, Any] | None, at_the_end: ExitStack) -> Mapping[str, Any] | None:
    """Creates an isolated test merchant on the configured gateway. Returns None if no gateway is
    configured or none listens at its address.
    """
    shared = handed or _named_by_environment()
    joined = open_universe(shared, at_the_end) if shared else None
    if handed and not joined:
        raise RuntimeError(f"{HANDED_DOWN} names {handed['baseUrl']}, but no gateway listens there.")
    # The settings in .env do not count as a running gateway: they remain after their `tollgate dev`
    # has stopped.
    return joined


def _named_by_environment() -> Mapping[str, Any] | None:
    """The sandbox in the settings that `tollgate dev` writes to .env."""
    base_url = os.environ.get("TOLLGATE_BASE_URL")
    secret = os.environ.get("TOLLGATE_CONTROL_SECRET")
    if not base_url or not secret:
        return None
    provider_url = os.environ.get("TOLLGATE_WALLET_URL")
    return {"baseUrl": base_url, "controlSecret": secret, "walletUrl": provider_url}


def _hand_down(running: Mapping[str, Any], at_the_end: ExitStack) -> None:
    before = os.environ.get(HANDED_DOWN)
    os.environ[HANDED_DOWN] = json.dumps(running)
    if before is None:
        at_the_end.callback(os.environ.pop, HANDED_DOWN, None)
    else:
        at_the_end.callback(os.environ.__setitem__, HANDED_DOWN, before)


def _merchant_of(running: Mapping[str, Any]) -> ClientOptions:
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


def _started(running: Mapping[str, Any], at_the_end: ExitStack) -> StartedTollgate:
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
        _at_the_end=at_the_end,
    )


def _start_dev(command: str, at_the_end: ExitStack) -> Mapping[str, Any]:
    # The gateway exits when the pipe to its standard input closes, so it is not left running,
    # however this process ends.
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
            at_the_end.callback(_leave, process)
            running: Mapping[str, Any] = json.loads(line)
            return running
        _leave(process)
        errors.seek(0)
        raise RuntimeError(
            f"Tollgate ended with {process.returncode} before it was ready. The command was `{command}`; "
            "is it installed? TOLLGATE_COMMAND can set another command.\n"
            + errors.read()[-2000:].strip()
        )


def _leave(process: subprocess.Popen[str]) -> None:
    assert process.stdin is not None and process.stdout is not None
    process.stdin.close()
    process.wait()
    process.stdout.close()
