"""Payments at a point of sale, over a real connection to the scripted gateway."""

from __future__ import annotations

import asyncio
import json
import re
import secrets
import time
import urllib.request
from collections.abc import Callable
from typing import Any
from urllib.parse import quote

from tollgate_client import AsyncTollgate, Tollgate
from tollgate_client._model import plain
from tollgate_client._wire_time import parse_wire_time
from tollgate_client.till import OpenCode

Case = dict[str, Any]
METHODS = {
    "payByCode": "pay_by_code",
    "showOrderCode": "show_order_code",
    "openEntryCode": "open_entry_code",
    "finishByCode": "finish_by_code",
}
OPTIONS = {
    "inquireAfterSeconds": ("inquire_after_seconds", 1),
    "cancelAfterSeconds": ("cancel_after_seconds", 1),
    "timeoutMs": ("timeout", 1000),
}


class JumpingClock:
    """A clock whose `sleep` returns at once and advances the clock by the requested duration."""

    def __init__(self) -> None:
        self.slept: list[float] = []

    def now(self) -> float:
        return time.time() + sum(self.slept)

    def sleep(self, seconds: float, /) -> None:
        self.slept.append(seconds)

    async def sleep_async(self, seconds: float, /) -> None:
        self.sleep(seconds)


class Run:
    """One case with one client."""

    def __init__(self, case: Case, who: str, requests: Case) -> None:
        self.case = case
        self.id = f"python/{case['id']}/{who}-{secrets.token_hex(8)}"
        self.clock = JumpingClock()
        self.states: list[str] = []
        self.is_stopped = False
        self.opened = 0.0
        call = case["call"]
        request = {**requests.get(call, {}), "paymentRequestId": self.id}
        self.asked = self.id if call == "finishByCode" else request
        self.method = METHODS[call]

    def options(self) -> Any:
        given = self.case.get("options", {})
        named = {
            OPTIONS[name][0]: value if isinstance(value, list) else value / OPTIONS[name][1]
            for name, value in given.items()
        }
        stop = {"stop": lambda: self.is_stopped} if "stopAt" in self.case else {}
        return {**named, **stop, "on_state": self._hear}

    def _hear(self, state: str) -> None:
        self.states.append(state)
        self.is_stopped = self.is_stopped or state == self.case.get("stopAt")

    def sync(self, options: Any) -> tuple[Any, Any]:
        with Tollgate(**options, clock=self.clock) as client:
            first = getattr(client.payments, self.method)(self.asked, **self.options())
            self.opened = self.clock.now()
            if isinstance(first, OpenCode) and self.case.get("finish"):
                return first, client.payments.finish_by_code(first, **self.options())
            return first, None

    def wait(self, options: Any) -> tuple[Any, Any]:
        async def run() -> tuple[Any, Any]:
            async with AsyncTollgate(**options, clock=self.clock) as client:
                first = await getattr(client.payments, self.method)(self.asked, **self.options())
                self.opened = self.clock.now()
                if isinstance(first, OpenCode) and self.case.get("finish"):
                    return first, await client.payments.finish_by_code(first, **self.options())
                return first, None

        return asyncio.run(run())


def by_code_problem(
    case: Case, file: Case, options: Any, difference: Callable[[object, object], str | None]
) -> str | None:
    """Runs the case with the synchronous and the asynchronous client. Both must pass, each with its
    own run.
    """
    for who in ("sync", "wait"):
        run = Run(case, who, file["requests"])
        first, last = getattr(run, who)(options)
        is_open = isinstance(first, OpenCode)
        result = last if is_open else first
        with urllib.request.urlopen(f"{options['base_url']}/seen?run={quote(run.id, safe='')}") as answer:
            seen = json.load(answer)
        expect = case["expect"]
        states = run.states
        absent = expect.get("absent", [])
        found = {
            **seen,
            "absent": [name for name in absent if facts(result)[name] is None],
            "open": named(open_facts(first, run.opened) if is_open else None, expect.get("open")),
            "result": named(result and facts(result), expect.get("result")),
            "ids": all(each.payment_request_id == run.id for each in (first, last) if each),
            "states": [each for at, each in enumerate(states) if at == 0 or each != states[at - 1]],
            "sleptSeconds": [float(each) for each in run.clock.slept] if "sleptSeconds" in expect else None,
        }
        slept = expect.get("sleptSeconds")
        wanted = {
            "open": None,
            "result": None,
            "absent": [],
            **expect,
            "ids": True,
            "problems": [],
            "sleptSeconds": None if slept is None else [float(each) for each in slept],
        }
        problem = difference(found, wanted)
        if problem:
            return f"{who}: {problem}"
    return None


def facts(value: Any) -> Case:
    """With wire names."""
    names = {name for each in type(value).__mro__ for name in getattr(each, "__slots__", ())}
    return {re.sub("_(.)", lambda found: found[1].upper(), name): plain(getattr(value, name)) for name in names}


def open_facts(code: OpenCode, opened: float) -> Case:
    """Rounds the expiry of a code to ten seconds, because the API writes times in whole seconds."""
    ends = parse_wire_time(code.ends_at)
    assert ends is not None
    return {**facts(code), "endsInSeconds": round((ends - opened) / 10) * 10}


def named(found: Case | None, expected: Case | None) -> object:
    """Returns the fields of the result that the case names. A field that the case sets to null must
    be absent.
    """
    if found is None or expected is None:
        return None if found is None else "there"
    return {name: found.get(name) for name in expected}
