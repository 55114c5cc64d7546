"""The options of a single call."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypedDict


class CallOptions(TypedDict, total=False):
    timeout: float
    """Seconds for each attempt."""
    deadline: float
    """The time limit in seconds for all attempts and the pauses between them. If it is not set, the
    number of retries limits the duration.
    """
    max_retries: int
    headers: Mapping[str, str]
    raise_on_failure: bool
    """If False, a rejection is returned like any other response instead of raised."""
