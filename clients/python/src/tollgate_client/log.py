"""Log entries. They contain no secrets."""

from __future__ import annotations

import json
import logging
import os
import re
import sys
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal

from ._operations import SECRET_FIELDS
from .errors import ConfigurationError


@dataclass(frozen=True, slots=True, kw_only=True)
class LogEntry:
    """A log entry. Fields that do not apply to an event are None."""

    event: Literal["request", "response", "retry", "warning"]
    operation: str | None = None
    request_id: str | None = None
    trace_id: str | None = None
    attempt: int | None = None
    body: Any = None
    """The request body, without the fields that must not be logged."""
    duration: float | None = None
    """Seconds."""
    delay: float | None = None
    """Seconds until the next attempt."""
    outcome: str | None = None
    """The result code, or the name of the error."""
    message: str | None = None


LogHook = Callable[[LogEntry], object]

#: A function that receives entries, or a logger of the standard library.
Logger = LogHook | logging.Logger

_WORDS = "token|secret|password|cvv|cvc|cardno|cardnumber|authcode|privatekey"
_SECRET = re.compile(f"{'|'.join(SECRET_FIELDS)}|.*(?:{_WORDS}).*", re.IGNORECASE | re.DOTALL)


def is_secret(name: str) -> bool:
    """Whether a field with this name must not be logged."""
    return _SECRET.fullmatch(name) is not None


def redacted(value: Any) -> Any:
    """A copy without the fields that must not be logged."""
    if isinstance(value, Mapping):
        return {
            name: "[hidden]" if is_secret(str(name)) else redacted(each)
            for name, each in value.items()
        }
    return [redacted(each) for each in value] if isinstance(value, (list, tuple)) else value


def log_hook(logger: Logger | None) -> LogHook:
    """Returns a function that never raises: a logger that fails must not make a payment fail."""
    if logger is None:
        return _of_environment()
    hook = _standard(logger) if isinstance(logger, logging.Logger) else logger

    def log_safely(entry: LogEntry) -> None:
        try:
            hook(entry)
        except Exception:  # noqa: BLE001, S110 - The error cannot be reported anywhere.
            pass

    return log_safely


def _of_environment() -> LogHook:
    """Writes lines to standard error at the level of `TOLLGATE_LOG`, so that you can debug without
    a code change.
    """
    name = os.environ.get("TOLLGATE_LOG")
    if not name:
        return lambda entry: None
    level = {"debug": logging.DEBUG, "info": logging.INFO, "warn": logging.WARNING}.get(name)
    if level is None:
        raise ConfigurationError(f"TOLLGATE_LOG must be debug, info or warn, not {name}.")

    def log(entry: LogEntry) -> None:
        if _LEVELS[entry.event] >= level:
            facts = {name: value for name, value in asdict(entry).items() if value is not None}
            del facts["event"]
            print(f"tollgate {entry.event} {json.dumps(facts, default=str)}", file=sys.stderr)

    return log


_LEVELS = {
    "request": logging.DEBUG,
    "response": logging.INFO,
    "retry": logging.WARNING,
    "warning": logging.WARNING,
}


def _standard(logger: logging.Logger) -> LogHook:
    def log(entry: LogEntry) -> None:
        level = _LEVELS[entry.event]
        if logger.isEnabledFor(level):
            facts = {name: value for name, value in asdict(entry).items() if value is not None}
            words = " ".join(f"{name}={value}" for name, value in facts.items() if name != "event")
            logger.log(level, "%s %s", entry.event, words, extra={"tollgate": facts})

    return log
