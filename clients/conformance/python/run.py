"""Runs every case of the conformance files, and prints a verdict for each."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import json
import math
import os
import secrets
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from urllib.parse import quote

from tollgate_client import (
    AsyncTollgate,
    ConfigurationError,
    GatewayError,
    InvalidKeyError,
    Money,
    Tollgate,
    models,
)
from tollgate_client._environment_key import key_from
from tollgate_client._keys import PublicKey, private_key_of, public_key_of
from tollgate_client._signature import signed_text, write_signature_header
from tollgate_client._verify import Received, Verified, time_problem, verify
from tollgate_client._wire_time import parse_wire_time

from by_code import by_code_problem

FOLDER = Path(__file__).parent.parent
GATEWAY = os.environ.get("CONFORMANCE_URL", "")

Case = dict[str, Any]


def read(name: str) -> dict[str, Any]:
    content: dict[str, Any] = json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))
    return content


KEYS = read("keys")
KEYS = KEYS.get("keys", KEYS)


def difference(actual: object, expected: object) -> str | None:
    """Compares two JSON values. Returns nothing if they are equal in any order of fields."""
    one, other = (
        json.dumps(each, sort_keys=True, ensure_ascii=False) for each in (actual, expected)
    )
    return None if one == other else f"{one} is not {other}"


def sign(case: Case) -> str | None:
    text = signed_text(
        method=case["method"],
        path=case["path"],
        client_id=case["clientId"],
        time=case["time"],
        body=base64.b64decode(case["bodyBase64"]),
    )
    if hashlib.sha256(text).hexdigest() != case["contentSha256"]:
        return "the signed text differs"
    signature = private_key_of(KEYS[case["key"]]["privatePkcs8"]).sign(text)
    if base64.b64encode(signature).decode() != case["signature"]:
        return "the signature differs"
    return difference(write_signature_header(case["keyVersion"], signature), case["header"])


def verify_case(case: Case) -> str | None:
    def keys(version: int) -> PublicKey | None:
        name = case["publicKeys"].get(str(version))
        return public_key_of(KEYS[name]["publicSpki"]) if name else None

    message = Received(
        kind=case["kind"],
        method=case["method"],
        path=case["path"],
        client_id=case["expectedClientId"],
        headers=[(name, value) for name, value in case["headers"]],
        body=base64.b64decode(case["bodyBase64"]),
    )
    verified = verify(message, keys)
    if not isinstance(verified, Verified):
        return difference(verified, case["expect"])
    now = parse_wire_time(case["now"])
    assert now is not None
    is_webhook = case["kind"] == "webhook"
    late = time_problem(verified.time, now, case["toleranceSeconds"]) if is_webhook else None
    replayed = "REPLAYED" if verified.replay_key in case.get("seen", []) else "OK"
    return difference(late or replayed, case["expect"])


KEYLOAD = read("keyload")


def signs_rightly(text: str) -> bool:
    signature = base64.b64decode(KEYLOAD["signature"])
    return private_key_of(text).sign(KEYLOAD["text"].encode()) == signature


def verifies_rightly(text: str) -> bool:
    signature = base64.b64decode(KEYLOAD["signature"])
    return public_key_of(text).verify(KEYLOAD["text"].encode(), signature)


def keyload(case: Case) -> str | None:
    if case in KEYLOAD["settings"]:
        return key_setting(case)
    works = signs_rightly if case["half"] == "private" else verifies_rightly
    try:
        is_right = works(case["text"])
    except InvalidKeyError as error:
        if "MII" in str(error):
            return "the key is in the message"
        return difference(error.reason, case["expect"])
    return difference("OK" if is_right else "another key", case["expect"])


def key_setting(case: Case) -> str | None:
    is_private = case["half"] == "private"
    name = "TOLLGATE_PRIVATE_KEY" if is_private else "TOLLGATE_GATEWAY_PUBLIC_KEY"
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "key.pem"
        if case.get("place") == "folder":
            file.mkdir()
        if "file" in case:
            file.write_text(case["file"], encoding="utf-8")
        variables = {name: case["variable"]} if "variable" in case else {}
        if "file" in case or "place" in case:
            variables[f"{name}_FILE"] = str(file)
        try:
            works = key_from(name, signs_rightly if is_private else verifies_rightly, variables)
        except ConfigurationError as error:
            reason = error.reason if isinstance(error, InvalidKeyError) else "CONFIGURATION"
            sentence = case["message"].replace("{file}", str(file)).replace("{folder}", os.getcwd())
            return difference([reason, str(error)], [case["expect"], sentence])
    verdict = {None: "ABSENT", True: "OK", False: "another key"}[works]
    return difference(verdict, case["expect"])


def money(case: Case) -> str | None:
    try:
        back = Money.from_amount(Money.of(case["currency"], case["decimal"]).to_amount())
    except ValueError:
        return difference("REFUSED", case["expect"])
    found = [back.to_amount().value, str(back.to_decimal()), "OK"]
    return difference(found, [case.get("value"), case.get("written"), case["expect"]])


def model(case: Case) -> str | None:
    found = getattr(models, case["type"]).from_dict(case["json"])
    # The model must survive a round trip: reading the written JSON again must give the same model.
    again = type(found).from_dict(found.to_dict())
    if again != found:
        return "reading the written JSON gives another value"
    return difference(json.loads(json.dumps(found.to_dict())), case["expect"])


def payment_outcome(case: Case) -> str | None:
    found = getattr(models, case["type"]).from_dict(case["json"])
    words = {
        "PAID": found.is_paid,
        "AUTHORIZED": found.is_authorized,
        "PENDING": found.is_pending,
        "FAILED": found.is_failed,
    }
    # Reads all four outcome properties: exactly one must be true.
    return difference([word for word, holds in words.items() if holds], [case["outcome"]])


HTTP = read("http")


def http(case: Case) -> str | None:
    """Runs the case with the synchronous and the asynchronous client. Both must pass, each with its
    own run.
    """
    for name, call in (("sync", call_sync), ("async", call_async)):
        run = f"python/{case['id']}/{name}-{secrets.token_hex(8)}"
        started = time.monotonic()
        found = outcome(lambda run=run, call=call: call(case, run))  # type: ignore[misc]
        if "message" not in case["expect"]:
            found.pop("message", None)
        took_ms = round((time.monotonic() - started) * 1000)
        if took_ms > case["expect"].get("withinMs", math.inf):
            return f"{name}: it took {took_ms} ms"
        problem = difference(found, expectation(case["expect"], found)) or unseen(case, run)
        if problem:
            return f"{name}: {problem}"
    return None


def unseen(case: Case, run: str) -> str | None:
    with urllib.request.urlopen(f"{GATEWAY}/seen?run={quote(run, safe='')}") as answer:
        seen = json.load(answer)
    # The number of polls is not compared, because it depends on the speed of the machine.
    if "wait" in case:
        return difference(seen["problems"], [])
    return difference(seen, {"attempts": case["expect"]["attempts"], "problems": []})


OPTION_NAMES = {
    "agentToken": "agent_token",
    "allowInsecure": "allow_insecure",
    "allowUnsignedRefusals": "allow_unsigned_refusals",
    "baseUrl": "base_url",
    "environment": "environment",
    "headers": "headers",
    "maxRetries": "max_retries",
    "throwOnFailure": "raise_on_failure",
    "timeoutMs": "timeout",
    "deadlineMs": "deadline",
}


def in_python(options: Case) -> Any:
    return {
        OPTION_NAMES[name]: value / 1000 if name.endswith("Ms") else value
        for name, value in options.items()
    }


def options_of(case: Case) -> Any:
    return {
        "client_id": case.get("clientId", HTTP["clientId"]),
        "private_key": KEYS[HTTP["key"]]["privatePkcs8"],
        "key_version": HTTP["keyVersion"],
        "gateway_public_keys": {
            int(version): KEYS[name]["publicSpki"]
            for version, name in HTTP["gatewayPublicKeys"].items()
        },
        "base_url": GATEWAY,
        **in_python(case.get("client", {})),
    }


def call_sync(case: Case, run: str) -> Any:
    with Tollgate(**options_of(case)) as client:
        if "wait" in case:
            seconds = case["wait"]["timeoutMs"] / 1000
            return client.payments.wait_for_final({"paymentRequestId": run}, timeout=seconds)
        options = in_python(case.get("call", {}))
        return client.request(case["operation"], {"paymentRequestId": run}, **options)


def call_async(case: Case, run: str) -> Any:
    async def call() -> Any:
        async with AsyncTollgate(**options_of(case)) as client:
            if "wait" in case:
                seconds = case["wait"]["timeoutMs"] / 1000
                asked = {"paymentRequestId": run}
                return await client.payments.wait_for_final(asked, timeout=seconds)
            options = in_python(case.get("call", {}))
            return await client.request(case["operation"], {"paymentRequestId": run}, **options)

    return asyncio.run(call())


def outcome(call: Callable[[], Any]) -> Case:
    try:
        answer = call()
    except GatewayError as error:
        facts = {
            "code": "code",
            "isSigned": "is_signed",
            "reason": "reason",
            "httpStatus": "status",
        }
        is_result = hasattr(error, "code")
        return {
            "outcome": "error",
            "class": type(error).__name__,
            "message": error.message,
            "attempts": error.attempts or 0,
            **{
                name: getattr(error, attribute)
                for name, attribute in facts.items()
                if hasattr(error, attribute) and not (is_result and name == "httpStatus")
            },
        }
    words = {"S": answer.is_success, "F": answer.is_failure, "U": answer.is_pending}
    return {
        "outcome": "answer",
        "code": answer.result.result_code,
        "resultStatus": "".join(status for status, holds in words.items() if holds),
        "attempts": answer.attempts,
        "fields": answer.to_dict(),
    }


def expectation(expect: Case, found: Case) -> Case:
    """The expected values; of the response only the fields that the case names."""
    wanted = {
        name: value
        for name, value in expect.items()
        if name not in ("fields", "absent", "path", "sent", "waitMs", "withinMs")
    }
    if found["outcome"] != "answer":
        return wanted
    fields = {**found["fields"], **expect.get("fields", {})}
    absent = expect.get("absent", [])
    return {**wanted, "fields": {name: fields[name] for name in fields if name not in absent}}


BY_CODE = read("by-code")


def by_code(case: Case) -> str | None:
    return by_code_problem(case, BY_CODE, options_of({}), difference)


def judged(run: Callable[[Case], str | None], case: Case) -> str:
    try:
        problem = run(case)
    except Exception as fault:  # noqa: BLE001 - A fault is a verdict too.
        problem = f"{type(fault).__name__}: {fault}"
    return "ok" if problem is None else f"FAILED {' '.join(problem.split())}"


def main() -> None:
    has_failed = False
    runs: dict[str, Callable[[Case], str | None]] = {
        "sign": sign,
        "verify": verify_case,
        "keyload": keyload,
        "money": money,
        "models": model,
        "outcomes": payment_outcome,
        "http": http,
        "by-code": by_code,
    }
    for file, run in runs.items():
        content = read(file)
        cases = content["cases"] + content.get("settings", [])
        with ThreadPoolExecutor(8 if file in ("http", "by-code") else 1) as threads:
            verdicts = threads.map(lambda case, run=run: judged(run, case), cases)
            for case, verdict in zip(cases, verdicts, strict=True):
                print(f"{file}/{case['id']} {verdict}", flush=True)
                has_failed = has_failed or verdict != "ok"
    sys.exit(1 if has_failed else 0)


main()
