"""Times of the interface. Models keep the text, so nothing is lost by reading it."""

from __future__ import annotations

from datetime import datetime, timezone

from ._wire_time import parse_wire_time, to_wire_time
from .errors import ConfigurationError


def parse_time(text: str) -> datetime:
    """Reads a time of an answer or a notification, such as `2026-11-15T09:30:07+00:00`."""
    seconds = parse_wire_time(text)
    if seconds is None:
        raise ConfigurationError(f"This is no time: {text!r}")
    return datetime.fromtimestamp(seconds, timezone.utc)


def format_time(at: datetime) -> str:
    """Writes a time as the interface has it: whole seconds and a numeric offset."""
    if at.tzinfo is None:
        raise ConfigurationError("A time has to say its zone: datetime.now(timezone.utc).")
    return to_wire_time(at.timestamp())
