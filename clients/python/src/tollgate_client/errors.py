"""The exceptions of this library. Each message says what to do."""

from __future__ import annotations

import builtins
from dataclasses import dataclass
from typing import Any, Literal

from ._result_codes import RESULT_CODES, CodeFacts


@dataclass(frozen=True, slots=True, kw_only=True)
class CallFacts:
    """The facts about a call. All of them are safe to log."""

    operation: str | None = None
    """`payments/pay`."""
    request_id: str | None = None
    """Your own id of the request, such as its `paymentRequestId`. Retry with the same id."""
    trace_id: str | None = None
    """The gateway's id of the request. Give it to support."""
    attempts: int | None = None


NO_FACTS = CallFacts()


class GatewayError(Exception):
    """The base class of all errors of this library."""

    def __init__(self, message: str, facts: CallFacts = NO_FACTS) -> None:
        super().__init__(message)
        self.message = message
        self.operation = facts.operation
        self.request_id = facts.request_id
        self.trace_id = facts.trace_id
        self.attempts = facts.attempts

    def __str__(self) -> str:
        """Includes the ids, because a traceback shows only this text."""
        ids = [
            self.operation,
            self.request_id and f"request {self.request_id}",
            self.trace_id and f"trace {self.trace_id}",
        ]
        known = ", ".join(each for each in ids if each)
        return f"{self.message} [{known}]" if known else self.message

    def __reduce__(self) -> tuple[Any, ...]:
        """Makes exceptions picklable, so that they can be passed between processes."""
        return _restored, (type(self), self.message, self.__dict__)


def _restored(kind: type[GatewayError], message: str, state: dict[str, Any]) -> GatewayError:
    error = kind.__new__(kind, message)
    GatewayError.__init__(error, message)
    error.__dict__.update(state)
    return error


class ConfigurationError(GatewayError):
    """The client's configuration is invalid. No request was sent."""


KeyProblem = Literal[
    "EMPTY",
    "NOT_BASE64",
    "NOT_A_KEY",
    "ENCRYPTED",
    "NOT_RSA",
    "PUBLIC_INSTEAD_OF_PRIVATE",
    "PRIVATE_INSTEAD_OF_PUBLIC",
    "WRONG_SIZE",
]


class InvalidKeyError(ConfigurationError):
    """A key is invalid. The message says what the key's text contains instead."""

    def __init__(self, reason: KeyProblem, message: str) -> None:
        super().__init__(message)
        self.reason: KeyProblem = reason


class ConnectionError(GatewayError, builtins.ConnectionError):
    """The gateway could not be reached, or the connection broke. Whether the request took effect
    is unknown.
    """


class TimeoutError(GatewayError, builtins.TimeoutError):
    """No response arrived in time. Whether the request took effect is unknown."""


class HttpStatusError(GatewayError):
    """The response has an HTTP status other than 200, so it is not a result from the gateway."""

    def __init__(self, status: int, body: str, facts: CallFacts) -> None:
        super().__init__(f"The gateway answered with HTTP {status}.", facts)
        self.status = status
        self.body = body
        """The beginning of the response body. It is not signed."""


SignatureProblem = Literal[
    "MISSING_SIGNATURE",
    "MISSING_TIME",
    "MALFORMED_SIGNATURE",
    "UNSUPPORTED_ALGORITHM",
    "UNKNOWN_KEY_VERSION",
    "CLIENT_MISMATCH",
    "MISMATCH",
    "BAD_TIME",
    "STALE",
    "OTHER_SUBJECT",
    "REPLAYED",
    "BODY_ALREADY_PARSED",
]

_LIKELY_CAUSE: dict[SignatureProblem, str] = {
    "MISSING_SIGNATURE": "it has no signature. "
    "Does a proxy between you and the gateway send its own response?",
    "MISSING_TIME": "it has a signature but no time.",
    "MALFORMED_SIGNATURE": "its signature header is malformed.",
    "UNSUPPORTED_ALGORITHM": "its signature algorithm is not RSA256.",
    "UNKNOWN_KEY_VERSION": "its key version is not configured. "
    "Was the gateway's key rotated?",
    "CLIENT_MISMATCH": "it is for another client id.",
    "MISMATCH": "the signature does not match. Usual causes: a wrong public key of "
    "the gateway, a wrong path, or a body that was changed in transit or parsed and written again.",
    "BAD_TIME": "its time is malformed.",
    "STALE": "its time differs too much from your clock. Is your clock correct?",
    "OTHER_SUBJECT": (
        "it is signed, but its id differs from the id in the request. "
        "Does a proxy between you and the gateway send an old response (replay)?"
    ),
    "REPLAYED": "it was received before (replay).",
    "BODY_ALREADY_PARSED": "the body was already parsed. Pass its raw bytes: the signature covers "
    "them, and JSON that is written again differs.",
}


class SignatureVerificationError(GatewayError):
    """The message may not be from the gateway. The outcome of the request is unknown."""

    def __init__(self, reason: SignatureProblem, facts: CallFacts = NO_FACTS) -> None:
        super().__init__(
            f"The message failed verification: {_LIKELY_CAUSE[reason]} ({reason})", facts
        )
        self.reason: SignatureProblem = reason


class MalformedResponseError(GatewayError):
    """The message is signed by the gateway, but it is not JSON with a `result`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """The details of a rejection."""

    code: str
    status: str
    result_message: str
    is_signed: bool
    raw: dict[str, Any]
    """The complete response."""


def _refusal_message(refusal: Refusal, advice: str) -> str:
    """Builds the error message. A sandbox response names the invalid field, the fix for this case,
    and a link. A live response has none of these, so its message has the general advice for the
    result code.
    """
    said = refusal.raw.get("result")
    texts = (
        {name: text for name, text in said.items() if isinstance(text, str)}
        if isinstance(said, dict)
        else {}
    )
    field, doc_url = texts.get("resultField"), texts.get("docUrl")
    parts = [
        f"{refusal.code}: {refusal.result_message}".strip(),
        texts.get("resultHint") or advice,
        f"Field: {field}." if field else "",
        f"See {doc_url}" if doc_url else "",
    ]
    return " ".join(part for part in parts if part)


class ResultError(GatewayError):
    """The gateway rejected the request."""

    def __init__(self, refusal: Refusal, facts: CallFacts = NO_FACTS) -> None:
        known = code_facts(refusal.code)
        advice = known.advice if known else ""
        super().__init__(_refusal_message(refusal, advice), facts)
        self.code = refusal.code
        self.status = refusal.status
        self.result_message = refusal.result_message
        self.advice = advice
        """The recommended action."""
        self.is_signed = refusal.is_signed
        """Whether the rejection is signed. The gateway may send a rejection without a signature
        before it authenticates the client.
        """
        self.raw = refusal.raw


class InvalidRequestError(ResultError):
    """The request is invalid. Correct it."""


class AuthenticationError(ResultError):
    """The gateway could not authenticate the client: client id, key or signature."""


class PermissionError(ResultError):
    """The client is authenticated, but not allowed to do this."""


class IdempotencyConflictError(ResultError):
    """The request id was used before with different content."""


class RateLimitError(ResultError):
    """The client sent too many requests (rate limit). The request had no effect."""


class NotFoundError(ResultError):
    """The payment, refund or other record does not exist."""


class DeclinedError(ResultError):
    """The buyer, the payment provider or a rule of the payment rejected the request."""


class ServerError(ResultError):
    """A fault at the gateway or at a system behind it."""


_CLASSES: dict[str, type[ResultError]] = {
    each.__name__: each
    for each in (
        InvalidRequestError,
        AuthenticationError,
        PermissionError,
        IdempotencyConflictError,
        RateLimitError,
        NotFoundError,
        DeclinedError,
        ServerError,
    )
}


def result_error(refusal: Refusal, facts: CallFacts) -> ResultError:
    """Creates the error for a result. Unknown codes of a newer gateway become a plain
    `ResultError`.
    """
    known = code_facts(refusal.code)
    kind = _CLASSES.get(known.error or "", ResultError) if known else ResultError
    return kind(refusal, facts)


def code_facts(code: str) -> CodeFacts | None:
    """The facts that this version of the library knows about a code."""
    return RESULT_CODES.get(code)


def is_passing(fault: Exception) -> bool:
    """Whether the fault may be temporary, so that polling should continue."""
    if isinstance(fault, HttpStatusError):
        return fault.status == 429 or fault.status >= 500
    return isinstance(fault, (ConnectionError, TimeoutError, RateLimitError))
