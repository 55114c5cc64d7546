"""Times in the format of headers."""

from __future__ import annotations

import re
from datetime import datetime, timedelta, timezone

_FORM = re.compile(
    r"(\d{4})-(\d{2})-(\d{2})T([01]\d|2[0-3]):([0-5]\d):([0-5]\d)"
    r"(?:\.(\d{1,9}))?(?:Z|([+-])(\d{2}):?([0-5]\d))",
    re.ASCII,
)


def parse_wire_time(text: str) -> float | None:
    """Parses a time header to seconds since 1970: 13 digits, or ISO 8601 with a time zone."""
    if re.fullmatch("[0-9]{13}", text):
        return int(text) / 1000
    match = _FORM.fullmatch(text)
    if not match:
        return None
    year, month, day, hour, minute, second = (int(part) for part in match.groups()[:6])
    fraction, sign, zone_hours, zone_minutes = match.groups()[6:]
    offset = timedelta(hours=int(zone_hours or 0), minutes=int(zone_minutes or 0))
    if offset > timedelta(hours=14):
        return None
    try:
        moment = datetime(year, month, day, hour, minute, second, tzinfo=timezone.utc)
    except ValueError:
        # The day does not exist in this month.
        return None
    seconds = moment.timestamp() + int((fraction or "").ljust(3, "0")[:3]) / 1000
    return seconds + offset.total_seconds() if sign == "-" else seconds - offset.total_seconds()


def to_wire_time(seconds: float) -> str:
    """Formats a time like the gateway: whole seconds and a numeric offset."""
    return datetime.fromtimestamp(int(seconds), timezone.utc).isoformat()
