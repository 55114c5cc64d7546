"""Times of the API. Models keep the text, so parsing loses nothing."""

from __future__ import annotations

from datetime import datetime, timezone

from ._wire_time import parse_wire_time, to_wire_time
from .errors import ConfigurationError


def parse_time(text: str) -> datetime:
    """Parses a time of a response or webhook, such as `2026-11-15T09:30:07+00:00`."""
    seconds = parse_wire_time(text)
    if seconds is None:
        raise ConfigurationError(f"Invalid time: {text!r}")
    return datetime.fromtimestamp(seconds, timezone.utc)


def format_time(at: datetime) -> str:
    """Formats a time for the API: whole seconds and a numeric offset."""
    if at.tzinfo is None:
        raise ConfigurationError("A time must have a time zone: datetime.now(timezone.utc).")
    return to_wire_time(at.timestamp())
