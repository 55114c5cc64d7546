"""Reads a response: the HTTP status first, then the signature, and only then the body."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NoReturn

from ._retry import read_retry_after
from ._verify import GatewayKeys, Received, Verified, time_problem, verify
from .errors import (
    CallFacts,
    GatewayError,
    HttpStatusError,
    MalformedResponseError,
    Refusal,
    SignatureVerificationError,
    code_facts,
    result_error,
)
from .transport import TransportResponse, header_values

Body = dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """The outcome of one attempt, and whether a retry is allowed."""

    facts: CallFacts
    body: Body | None = None
    """The signed JSON body with a `result`; None if there is an error."""
    error: GatewayError | None = None
    is_retryable: bool = False
    retry_after: float | None = None
    """Seconds."""

    @property
    def name(self) -> str:
        """The result code, or the name of the error."""
        if self.body is not None:
            return str(self.body["result"]["resultCode"])
        return type(self.error).__name__


@dataclass(frozen=True, slots=True, kw_only=True)
class Expected:
    path: str
    client_id: str
    keys: GatewayKeys
    allow_unsigned_refusals: bool
    now: float
    bytes_max: int
    subject: Mapping[str, str]
    """The request's own ids."""


# The maximum age of a response: allows for network delay and clock skew.
AGE_SECONDS_MAX = 600


def read_answer(response: TransportResponse, expected: Expected, known: CallFacts) -> Outcome:
    trace_ids = header_values(response.headers, "request-id")
    facts = dataclasses.replace(known, trace_id=trace_ids[0] if trace_ids else None)
    waits = header_values(response.headers, "retry-after")
    outcome = _outcome_of(response, expected, facts)
    retry_after = read_retry_after(waits[0] if waits else None, expected.now)
    return dataclasses.replace(outcome, retry_after=retry_after)


def _outcome_of(response: TransportResponse, expected: Expected, facts: CallFacts) -> Outcome:
    if response.status != 200:
        text = response.body[:2000].decode("utf-8", errors="replace")
        is_passing = response.status == 429 or response.status >= 500
        error = HttpStatusError(response.status, text, facts)
        return Outcome(facts=facts, error=error, is_retryable=is_passing)
    if len(response.body) > expected.bytes_max:
        words = f"The gateway's response is longer than {expected.bytes_max} bytes."
        return Outcome(facts=facts, error=MalformedResponseError(words, facts))
    message = Received(
        kind="response",
        method="POST",
        path=expected.path,
        client_id=expected.client_id,
        headers=response.headers,
        body=response.body,
    )
    verified = verify(message, expected.keys)
    if isinstance(verified, Verified):
        late = time_problem(verified.time, expected.now, AGE_SECONDS_MAX)
        if late is not None:
            return Outcome(facts=facts, error=SignatureVerificationError(late, facts))
        return _signed_outcome(response.body, facts, expected.subject)
    unsigned = _unsigned_outcome(response, facts) if expected.allow_unsigned_refusals else None
    return unsigned or Outcome(facts=facts, error=SignatureVerificationError(verified, facts))


def _is_about_other(body: Body, subject: Mapping[str, str]) -> bool:
    """Whether a response has another id than the request.

    The signature covers path, client, time and body, but not the request. Only the ids show which
    request a response belongs to. An attacker could otherwise replay a signed response about
    another payment.
    """
    return any(name in body and body[name] != value for name, value in subject.items())


def _signed_outcome(content: bytes, facts: CallFacts, subject: Mapping[str, str]) -> Outcome:
    body = body_in(content)
    if body is None:
        words = "The gateway's response is not JSON with a `result`."
        return Outcome(facts=facts, error=MalformedResponseError(words, facts))
    if _is_about_other(body, subject):
        return Outcome(facts=facts, error=SignatureVerificationError("OTHER_SUBJECT", facts))
    is_unknown = body["result"]["resultStatus"] == "U"
    code = code_facts(body["result"]["resultCode"])
    is_retryable = is_unknown and code is not None and code.is_retryable
    # A rate-limited request had no effect, so its outcome is known.
    if is_unknown and code is not None and code.error == "RateLimitError":
        error = refusal_error(body, facts, is_signed=True)
        return Outcome(facts=facts, error=error, is_retryable=is_retryable)
    return Outcome(facts=facts, body=body, is_retryable=is_retryable)


def _unsigned_outcome(response: TransportResponse, facts: CallFacts) -> Outcome | None:
    """Reads an unsigned response: the gateway may send it before it authenticates the client. An
    unsigned response never contains information about money.
    """
    names = ("signature", "response-time")
    if any(header_values(response.headers, name) for name in names):
        return None
    body = body_in(response.body)
    if body is None or body["result"]["resultStatus"] == "S":
        return None
    code = code_facts(body["result"]["resultCode"])
    if code is None or not code.may_be_unsigned:
        return None
    error = refusal_error(body, facts, is_signed=False)
    return Outcome(facts=facts, error=error, is_retryable=code.is_retryable)


def body_in(content: bytes) -> Body | None:
    """A JSON object whose `result` has a code and a status, or None."""
    body = object_in(content)
    result = body.get("result") if body is not None else None
    if body is None or not isinstance(result, dict):
        return None
    is_whole = isinstance(result.get("resultCode"), str) and result.get("resultStatus") in list(
        "SFU"
    )
    return {**body, "result": {"resultMessage": "", **result}} if is_whole else None


def object_in(content: bytes) -> Body | None:
    """Returns the JSON object in the bytes, without nulls; None if they are anything else."""
    try:
        body = json.loads(
            content.decode("utf-8"), object_hook=_without_nulls, parse_constant=_refuse
        )
    except (ValueError, RecursionError):
        return None
    return body if isinstance(body, dict) else None


def _without_nulls(fields: Body) -> Body:
    return {name: value for name, value in fields.items() if value is not None}


def _refuse(constant: str) -> NoReturn:
    """Rejects NaN and infinity, which Python's reader accepts, although they are not JSON."""
    raise ValueError(f"{constant} is not JSON.")


def refusal_error(body: Body, facts: CallFacts, *, is_signed: bool) -> GatewayError:
    result = body["result"]
    refusal = Refusal(
        code=result["resultCode"],
        status=result["resultStatus"],
        result_message=str(result.get("resultMessage", "")),
        is_signed=is_signed,
        raw=body,
    )
    return result_error(refusal, facts)
