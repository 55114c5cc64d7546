"""Delays between attempts."""

from __future__ import annotations

import re
from collections.abc import Callable
from email.utils import parsedate_to_datetime

FIRST_DELAY = 0.5
LONGEST_DELAY = 5.0
# The shortest delay before a retry. It is not zero, because the next attempt must have a different
# time.
SHORTEST_DELAY = 0.05
RETRY_AFTER_MAX = 60.0


def retry_delay(
    retries_before: int, retry_after: float | None, random: Callable[[], float]
) -> float | None:
    """Seconds before the next attempt; None if the gateway asks for a longer delay than the client
    allows.
    """
    if retry_after is not None and retry_after > RETRY_AFTER_MAX:
        return None
    # Limits the exponent, because a power of two grows fast.
    longest = min(LONGEST_DELAY, FIRST_DELAY * 2.0 ** min(retries_before, 16))
    delay = SHORTEST_DELAY + random() * (longest - SHORTEST_DELAY)
    return max(delay, retry_after or 0)


def read_retry_after(text: str | None, now: float) -> float | None:
    """Returns `Retry-After` in seconds from now; the header contains seconds or a date."""
    if text is None:
        return None
    if re.fullmatch("[0-9]{1,9}", text.strip()):
        return float(text.strip())
    try:
        return max(0.0, parsedate_to_datetime(text).timestamp() - now)
    except (ValueError, OverflowError):
        return None
