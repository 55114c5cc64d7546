"""What can be said about a single call."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypedDict


class CallOptions(TypedDict, total=False):
    timeout: float
    """Seconds for each attempt."""
    max_retries: int
    headers: Mapping[str, str]
    raise_on_failure: bool
    """False: a refusal is returned like any other answer instead of being raised."""
