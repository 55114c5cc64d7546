"""Everything that this library raises. Each error is a sentence that says what to do."""

from __future__ import annotations

import builtins
from dataclasses import dataclass
from typing import Any, Literal

from ._result_codes import RESULT_CODES, CodeFacts


@dataclass(frozen=True, slots=True, kw_only=True)
class CallFacts:
    """What is known of a call. All of it is safe to log."""

    operation: str | None = None
    """`payments/pay`."""
    request_id: str | None = None
    """Your own id of the request, such as its `paymentRequestId`: repeat the call with the same one."""
    trace_id: str | None = None
    """The gateway's name for the call: tell it to support."""
    attempts: int | None = None


NO_FACTS = CallFacts()


class GatewayError(Exception):
    """The base of all errors of this library."""

    def __init__(self, message: str, facts: CallFacts = NO_FACTS) -> None:
        super().__init__(message)
        self.message = message
        self.operation = facts.operation
        self.request_id = facts.request_id
        self.trace_id = facts.trace_id
        self.attempts = facts.attempts

    def __str__(self) -> str:
        """With the ids, because a traceback shows nothing else."""
        ids = [
            self.operation,
            self.request_id and f"request {self.request_id}",
            self.trace_id and f"trace {self.trace_id}",
        ]
        known = ", ".join(each for each in ids if each)
        return f"{self.message} [{known}]" if known else self.message

    def __reduce__(self) -> tuple[Any, ...]:
        """Errors travel between processes, so they have to survive being pickled."""
        return _restored, (type(self), self.message, self.__dict__)


def _restored(kind: type[GatewayError], message: str, state: dict[str, Any]) -> GatewayError:
    error = kind.__new__(kind, message)
    GatewayError.__init__(error, message)
    error.__dict__.update(state)
    return error


class ConfigurationError(GatewayError):
    """The client was put together wrongly; nothing was sent."""


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
    """A key is not what it has to be. Its message says what it is instead."""

    def __init__(self, reason: KeyProblem, message: str) -> None:
        super().__init__(message)
        self.reason: KeyProblem = reason


class ConnectionError(GatewayError, builtins.ConnectionError):
    """The gateway could not be reached, or the connection broke. Whether the call had an effect is unknown."""


class TimeoutError(GatewayError, builtins.TimeoutError):
    """There was no answer in time. Whether the call had an effect is unknown."""


class HttpStatusError(GatewayError):
    """The answer had another HTTP status than 200, so it is not the gateway's word about the call."""

    def __init__(self, status: int, body: str, facts: CallFacts) -> None:
        super().__init__(f"The gateway answered with HTTP {status}.", facts)
        self.status = status
        self.body = body
        """The beginning of what was answered. Nobody has signed it."""


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
    "MISSING_SIGNATURE": "it carries no signature. "
    "Is something between you and the gateway answering in its place?",
    "MISSING_TIME": "it carries a signature but no time.",
    "MALFORMED_SIGNATURE": "its signature header cannot be read.",
    "UNSUPPORTED_ALGORITHM": "it is signed with another algorithm than RSA256.",
    "UNKNOWN_KEY_VERSION": "it names a key version of the gateway that you have not configured. "
    "Was its key rotated?",
    "CLIENT_MISMATCH": "it is addressed to another client id.",
    "MISMATCH": "the signature does not match. Most often the gateway's public key is not the right "
    "one, the path is not the one that was called, or the body was changed on the way or parsed and "
    "written again.",
    "BAD_TIME": "its time cannot be read.",
    "STALE": "its time is too far from now. Is your clock right?",
    "OTHER_SUBJECT": (
        "it is signed, and answers another question: it names another id than the one that was asked "
        "about. Is something between you and the gateway answering with what it kept?"
    ),
    "REPLAYED": "it was taken before.",
    "BODY_ALREADY_PARSED": "the body was parsed before. Hand over its raw bytes: a signature covers "
    "those, and JSON that was written again is not the same.",
}


class SignatureVerificationError(GatewayError):
    """Nobody can say that the message is the gateway's. Conclude nothing from it."""

    def __init__(self, reason: SignatureProblem, facts: CallFacts = NO_FACTS) -> None:
        super().__init__(
            f"The message cannot be trusted: {_LIKELY_CAUSE[reason]} ({reason})", facts
        )
        self.reason: SignatureProblem = reason


class MalformedResponseError(GatewayError):
    """Signed by the gateway, but not JSON with a `result`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """What a refusal says."""

    code: str
    status: str
    result_message: str
    is_signed: bool
    raw: dict[str, Any]
    """The whole answer."""


def _refusal_message(refusal: Refusal, advice: str) -> str:
    """All that helps, where it is seen first.

    The sandbox names the field at fault, says what to do in this very case, and where to read more. Live says none
    of it, so there it is the code's general advice.
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
    """The gateway said no."""

    def __init__(self, refusal: Refusal, facts: CallFacts = NO_FACTS) -> None:
        known = code_facts(refusal.code)
        advice = known.advice if known else ""
        super().__init__(_refusal_message(refusal, advice), facts)
        self.code = refusal.code
        self.status = refusal.status
        self.result_message = refusal.result_message
        self.advice = advice
        """What to do about it."""
        self.is_signed = refusal.is_signed
        """Refusals from before the caller is known may come unsigned."""
        self.raw = refusal.raw


class InvalidRequestError(ResultError):
    """The request has to be corrected."""


class AuthenticationError(ResultError):
    """The gateway does not know who calls: client id, key or signature."""


class PermissionError(ResultError):
    """The gateway knows who calls, and does not allow it."""


class IdempotencyConflictError(ResultError):
    """The request id came before with other content."""


class RateLimitError(ResultError):
    """Called too often. Nothing was done."""


class NotFoundError(ResultError):
    """There is no such payment, refund or other record."""


class DeclinedError(ResultError):
    """The buyer, the wallet or a rule of the payment says no."""


class ServerError(ResultError):
    """Something broke at the gateway or behind it."""


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
    """The error for a result; codes that a newer gateway has are plain `ResultError`s."""
    known = code_facts(refusal.code)
    kind = _CLASSES.get(known.error or "", ResultError) if known else ResultError
    return kind(refusal, facts)


def code_facts(code: str) -> CodeFacts | None:
    """What this version of the library knows of a code."""
    return RESULT_CODES.get(code)


def is_passing(fault: Exception) -> bool:
    """Whether it may be over by the next time, so that it is no reason to stop asking."""
    if isinstance(fault, HttpStatusError):
        return fault.status == 429 or fault.status >= 500
    return isinstance(fault, (ConnectionError, TimeoutError, RateLimitError))
