"""Strict base64."""

from __future__ import annotations

import base64
import re

_FORM = re.compile(r"[A-Za-z0-9+/]*={0,2}")


def from_base64(text: str) -> bytes | None:
    """Decodes strict base64; None if the text has other characters or nonzero unused bits."""
    bare = text.rstrip("=")
    if not _FORM.fullmatch(text) or ("=" in text and len(text) % 4 != 0) or len(bare) % 4 == 1:
        return None
    decoded = base64.b64decode(bare + "=" * (-len(bare) % 4))
    return decoded if to_base64(decoded).rstrip("=") == bare else None


def to_base64(content: bytes) -> str:
    return base64.b64encode(content).decode("ascii")
