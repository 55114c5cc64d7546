from __future__ import annotations

import re
import secrets


def new_request_id(prefix: str = "r") -> str:
    """Creates an id for a request. Store it with the order before the call.

    A retry must use the same id. The prefix is for people, such as the order number.
    """
    if not re.fullmatch(r"[\x21-\x7e]{1,30}", prefix):
        raise ValueError("A prefix must have 1 to 30 visible ASCII characters.")
    return f"{prefix}-{secrets.token_hex(16)}"
