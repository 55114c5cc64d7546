"""What can be said about a single call."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypedDict


class CallOptions(TypedDict, total=False):
    timeout: float
    """Seconds for each attempt."""
    deadline: float
    """Seconds for all attempts and the pauses between them; without it the retries decide."""
    max_retries: int
    headers: Mapping[str, str]
    raise_on_failure: bool
    """False: a refusal is returned like any other answer instead of being raised."""
