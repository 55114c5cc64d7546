from __future__ import annotations

import re
import secrets


def new_request_id(prefix: str = "r") -> str:
    """A new id for a request, to be kept with the order before the call is made.

    Whoever repeats a call needs the same id. The prefix is for people, such as the number of the order.
    """
    if not re.fullmatch(r"[\x21-\x7e]{1,30}", prefix):
        raise ValueError("A prefix has 1 to 30 visible ASCII characters.")
    return f"{prefix}-{secrets.token_hex(16)}"
