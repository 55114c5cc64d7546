"""Tests with a complete gateway, as a shop would write them: `pytest gateway_tests`."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
import urllib.error
import urllib.request
from unittest import mock

import pytest

from tollgate_client import Money, new_request_id
from tollgate_client.models import PaymentStatus
from tollgate_client.start_tollgate import StartedTollgate, start_tollgate


def pay(tollgate: StartedTollgate) -> str:
    price = Money.of("EUR", "12.50").to_amount().to_dict()
    answer = tollgate.client.request(
        "payments/pay",
        {
            "productCode": "CASHIER_PAYMENT",
            "paymentRequestId": new_request_id("test"),
            "order": {
                "referenceOrderId": "order-1",
                "orderDescription": "Two coffees",
                "orderAmount": price,
            },
            "paymentAmount": price,
            "paymentMethod": {"paymentMethodType": "GCASH"},
            "paymentRedirectUrl": "https://shop.example/thanks",
            "env": {"terminalType": "WEB"},
        },
    )
    return str(answer.to_dict()["paymentId"])


def test_the_buyer_pays(tollgate: StartedTollgate) -> None:
    payment_id = pay(tollgate)
    tollgate.approve(payment_id)
    payment = tollgate.client.payments.wait_for_final({"paymentId": payment_id})
    assert payment.payment_status == PaymentStatus.SUCCESS


def test_the_buyer_declines(tollgate: StartedTollgate) -> None:
    payment_id = pay(tollgate)
    tollgate.decline(payment_id)
    payment = tollgate.client.payments.wait_for_final({"paymentId": payment_id})
    assert payment.payment_status == PaymentStatus.FAIL
    with pytest.raises(RuntimeError, match="could not approve payment none"):
        tollgate.approve("none")


def test_a_second_start_returns_the_same_gateway(tollgate: StartedTollgate) -> None:
    with start_tollgate("false") as again:
        assert again.base_url == tollgate.base_url
    assert pay(tollgate)


@pytest.mark.parametrize("named", ["in a line of JSON", "by the settings in .env"])
def test_a_run_on_a_running_gateway_has_its_own_merchant(
    tollgate: StartedTollgate, named: str
) -> None:
    gateway = json.loads(os.environ["TOLLGATE_DEV"])
    settings = {
        "TOLLGATE_BASE_URL": gateway["baseUrl"],
        "TOLLGATE_CONTROL_SECRET": gateway["controlSecret"],
    }
    line = {"TOLLGATE_DEV": json.dumps({**gateway, "isOfThisRun": False})}
    shared = line if named == "in a line of JSON" else {"TOLLGATE_DEV": "", **settings}
    with mock.patch.dict(os.environ, shared):
        with start_tollgate("false") as own, start_tollgate("false") as again:
            assert own.client_id == again.client_id != tollgate.client_id
            assert own.client_id in open_universes(gateway)
            payment_id = pay(own)
            own.approve(payment_id)
            payment = again.client.payments.wait_for_final({"paymentId": payment_id})
            assert payment.payment_status == PaymentStatus.SUCCESS
        assert os.environ["TOLLGATE_DEV"] == shared["TOLLGATE_DEV"]
    assert own.client_id not in open_universes(gateway)
    assert not os.path.exists(own.variables["TOLLGATE_PRIVATE_KEY_FILE"])
    assert pay(tollgate)


def test_an_unreachable_configured_gateway_is_an_error(tollgate: StartedTollgate) -> None:
    gateway = json.loads(os.environ["TOLLGATE_DEV"])
    dead = {**gateway, "baseUrl": "http://127.0.0.1:9", "isOfThisRun": False}
    guessed = {"TOLLGATE_CONTROL_SECRET": "guessed"}
    for variables, sentence in [
        ({"TOLLGATE_DEV": json.dumps(dead)}, "names http://127.0.0.1:9, but no gateway listens there"),
        ({"TOLLGATE_BASE_URL": gateway["baseUrl"], **guessed}, "no isolated test merchant: .*control secret"),
        # These settings are of a `tollgate dev` that has stopped, so a new gateway is started.
        ({"TOLLGATE_BASE_URL": "http://127.0.0.1:9", **guessed}, "Tollgate ended with 3"),
    ]:
        with (
            mock.patch.dict(os.environ, {"TOLLGATE_DEV": "", **variables}),
            pytest.raises(RuntimeError, match=sentence),
        ):
            start_tollgate("exit 3;")


def open_universes(gateway: dict[str, str]) -> list[str]:
    request = urllib.request.Request(
        f"{gateway['baseUrl']}/sandbox/universes",
        headers={"authorization": f"Bearer {gateway['controlSecret']}"},
    )
    with urllib.request.urlopen(request) as answer:
        return [universe["clientId"] for universe in json.load(answer)["universes"]]


def test_a_killed_run_leaves_no_gateway_running(tollgate: StartedTollgate) -> None:
    code = (
        "import os, signal\n"
        "from tollgate_client.start_tollgate import start_tollgate\n"
        "print(start_tollgate().base_url, flush=True)\n"
        "os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    env = {name: value for name, value in os.environ.items() if name != "TOLLGATE_DEV"}
    run = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True)
    base_url = run.stdout.strip()
    assert base_url.startswith("http"), run.stderr
    give_up_at = time.monotonic() + 10
    while is_up(base_url):
        assert time.monotonic() < give_up_at, "it is still there"
        time.sleep(0.05)


def test_a_command_that_does_not_start_is_reported_with_a_fix() -> None:
    with mock.patch.dict(os.environ):
        os.environ.pop("TOLLGATE_DEV", None)
        with pytest.raises(RuntimeError, match="(?s)ended with 3 .*TOLLGATE_COMMAND.*\nNever heard of"):
            start_tollgate("echo Never heard of >&2; exit 3;")


def is_up(url: str) -> bool:
    try:
        urllib.request.urlopen(url).close()
    except urllib.error.HTTPError:
        return True
    except OSError:
        return False
    return True
