"""The steps of a call without input and output, so that the synchronous and the asynchronous client
run the same steps.
"""

from __future__ import annotations

import builtins
import dataclasses
import json
import math
import random
import re
from collections.abc import Generator, Mapping
from dataclasses import dataclass
from typing import Any

from ._area import AnswerT
from ._model import Model, plain
from ._operations import OPERATIONS
from ._options import CallOptions
from ._read_answer import Expected, Outcome, read_answer, refusal_error
from ._retry import retry_delay
from ._settings import Settings, checked_headers, not_negative, positive
from ._signature import signed_text, write_signature_header
from .errors import CallFacts, ConfigurationError, ConnectionError, TimeoutError
from .log import LogEntry, is_secret, redacted
from .observer import ObservedCall, Watch
from .transport import TransportRequest, TransportResponse

Received = TransportResponse | Exception | None

#: Yields a request to send and receives its response; or yields seconds to wait.
Steps = Generator[TransportRequest | float, Received, AnswerT]


@dataclass(frozen=True, slots=True, kw_only=True)
class Prepared:
    """One call of one operation: the parts that are equal in all of its attempts."""

    path: str
    body: bytes
    headers: Mapping[str, str]
    facts: CallFacts
    timeout: float
    max_retries: int
    until: float
    """The deadline, as a time of the client's clock. No attempt starts after it."""
    answer_bytes_max: int
    subject: Mapping[str, str]
    """The request's own ids."""


ANSWER_BYTES_MAX = 2 * 1024 * 1024
# Larger response size limits, for operations that return a file.
ANSWER_BYTES_MAX_OF = {"payments/downloadDisputeEvidence": 4 * 1024 * 1024}


def call_steps(
    settings: Settings,
    operation: str,
    request: Model | Mapping[str, Any],
    answer: type[AnswerT],
    options: CallOptions,
) -> Steps[AnswerT]:
    """Serialises the body once. Then signs, sends, verifies and reads, and retries if that is
    useful and safe.
    """
    fields = plain(request)
    prepared = _prepare(settings, operation, fields, options)
    _log(settings, prepared.facts, event="request", attempt=1, body=redacted(fields))
    about = ObservedCall(
        operation=operation, request_id=prepared.facts.request_id, base_url=settings.base_url
    )
    watch = Watch(settings.observer, about, settings.clock)
    outcome = yield from _repeat(settings, prepared)
    if outcome.body is None:
        assert outcome.error is not None
        watch.end(outcome.name, outcome.facts, outcome.error)
        raise outcome.error
    found = answer.from_dict(outcome.body)
    error = None
    if found.is_failure and options.get("raise_on_failure", True):
        error = refusal_error(outcome.body, outcome.facts, is_signed=True)
    watch.end(outcome.name, outcome.facts, error)
    if error is not None:
        raise error
    # The response is immutable, but it is not shared yet, so its fields may still be set.
    object.__setattr__(found, "trace_id", outcome.facts.trace_id)
    object.__setattr__(found, "attempts", outcome.facts.attempts or 1)
    return found


def signed_request(
    settings: Settings, operation: str, fields: dict[str, Any], timeout: float
) -> TransportRequest:
    """A signed request that is sent once, for a streaming response."""
    prepared = _prepare(settings, operation, fields, {"timeout": timeout})
    return _signed_request(settings, prepared)


def _repeat(
    settings: Settings, prepared: Prepared
) -> Generator[TransportRequest | float, Received, Outcome]:
    retries = 0
    while True:
        outcome = yield from _attempt(settings, prepared, retries + 1)
        if not outcome.is_retryable or retries >= prepared.max_retries:
            return outcome
        delay = retry_delay(retries, outcome.retry_after, random.random)
        if delay is None or settings.clock.now() + delay >= prepared.until:
            return outcome
        retries += 1
        _log(
            settings,
            prepared.facts,
            event="retry",
            attempt=retries + 1,
            delay=round(delay, 3),
            outcome=outcome.name,
        )
        yield delay


def _attempt(
    settings: Settings, prepared: Prepared, number: int
) -> Generator[TransportRequest | float, Received, Outcome]:
    started = settings.clock.now()
    facts = dataclasses.replace(prepared.facts, attempts=number)
    request = _signed_request(settings, prepared)
    received = yield request
    outcome = _outcome_of(received, settings, prepared, facts, request.timeout)
    _log(
        settings,
        outcome.facts,
        event="response",
        attempt=number,
        duration=round(settings.clock.now() - started, 6),
        outcome=outcome.name,
    )
    return outcome


def _outcome_of(
    received: Received, settings: Settings, prepared: Prepared, facts: CallFacts, timeout: float
) -> Outcome:
    if isinstance(received, TransportResponse):
        expected = Expected(
            path=prepared.path,
            client_id=settings.client_id,
            keys=settings.gateway_keys,
            allow_unsigned_refusals=settings.allow_unsigned_refusals,
            now=settings.clock.now(),
            bytes_max=prepared.answer_bytes_max,
            subject=prepared.subject,
        )
        return read_answer(received, expected, facts)
    error: ConnectionError | TimeoutError
    # `TimeoutError` without `builtins` is the library's own error. A transport may raise this error
    # or Python's.
    if isinstance(received, builtins.TimeoutError):
        error = TimeoutError(f"The gateway did not answer within {timeout:g} s.", facts)
    else:
        words = "The gateway could not be reached, or the connection broke."
        error = ConnectionError(f"{words} {_cause(received)}".strip(), facts)
    error.__cause__ = received
    return Outcome(facts=facts, error=error, is_retryable=True)


def _cause(fault: Exception | None) -> str:
    return f"({type(fault).__name__}: {fault})" if fault is not None and str(fault) else ""


def _signed_request(settings: Settings, prepared: Prepared) -> TransportRequest:
    """Creates the request of one attempt: each attempt has a new time, and so a new signature."""
    time = str(round(settings.clock.now() * 1000))
    text = signed_text(
        method="POST",
        path=prepared.path,
        client_id=settings.client_id,
        time=time,
        body=prepared.body,
    )
    signature = write_signature_header(settings.key_version, settings.private_key.sign(text))
    return TransportRequest(
        url=settings.base_url + prepared.path,
        headers={
            **prepared.headers,
            "client-id": settings.client_id,
            "request-time": time,
            "signature": signature,
        },
        body=prepared.body,
        timeout=max(0.001, min(prepared.timeout, prepared.until - settings.clock.now())),
        answer_bytes_max=prepared.answer_bytes_max,
    )


def _prepare(
    settings: Settings, operation: str, fields: dict[str, Any], options: CallOptions
) -> Prepared:
    if not re.fullmatch("[A-Za-z0-9]+(?:/[A-Za-z0-9]+)+", operation):
        raise ConfigurationError(
            f"The operation must be a path such as payments/pay, not {operation}."
        )
    known = OPERATIONS.get(operation)
    retries = int(not_negative("max_retries", options.get("max_retries", settings.max_retries)))
    request_id = _request_id_in(fields, known.idempotency_field if known else None)
    return Prepared(
        path=f"/ams/{'sandbox/' if settings.is_sandbox else ''}api/v1/{operation}",
        body=_written(fields),
        headers={**settings.headers, **checked_headers(options.get("headers", {}))},
        facts=CallFacts(operation=operation, request_id=request_id),
        timeout=positive("timeout", options.get("timeout", settings.timeout)),
        max_retries=retries if known and known.is_repeatable else 0,
        until=settings.clock.now() + not_negative("deadline", options.get("deadline", math.inf)),
        answer_bytes_max=ANSWER_BYTES_MAX_OF.get(operation, ANSWER_BYTES_MAX),
        subject=_ids_in(fields),
    )


def _ids_in(fields: dict[str, Any]) -> dict[str, str]:
    """The ids in the request. A response with one of these fields must have the same value."""
    return {
        name: value
        for name, value in fields.items()
        if name.endswith("Id") and isinstance(value, str)
    }


def _written(fields: dict[str, Any]) -> bytes:
    try:
        text = json.dumps(fields, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
        return text.encode("utf-8")
    except (TypeError, ValueError) as fault:
        raise ConfigurationError(f"The request cannot be written as JSON: {fault}.") from fault


def _request_id_in(fields: dict[str, Any], idempotency_field: str | None) -> str | None:
    """The merchant's id of the request: the idempotency key, or else the first id in the request.
    It is never a token.
    """
    names = [name for name in fields if not is_secret(name)]
    found = (
        [name for name in names if name == idempotency_field]
        + [name for name in names if name.endswith("RequestId")]
        + [name for name in names if name.endswith("Id")]
    )
    value = fields[found[0]] if found else None
    return value if isinstance(value, str) else None


def _log(settings: Settings, facts: CallFacts, **words: Any) -> None:
    entry = LogEntry(
        operation=facts.operation, request_id=facts.request_id, trace_id=facts.trace_id, **words
    )
    settings.log(entry)
