"""The signed text, and the format of the signature header."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from ._base64 import from_base64, to_base64


def signed_text(*, method: str, path: str, client_id: str, time: str, body: bytes) -> bytes:
    """`POST /path`, a new line, `client.time.body`: over the raw body, never over JSON written
    again.

    The path includes its query, exactly as sent; a response has the path of its request. The time
    is the text of the header, not the parsed time.
    """
    head = f"{method} {path}\n{client_id}.{time}."
    return head.encode("utf-8", "surrogateescape") + body


#: The base64 characters that have a special meaning in a header or URL.
_PERCENT = str.maketrans({"+": "%2B", "/": "%2F", "=": "%3D"})


def write_signature_header(key_version: int, signature: bytes) -> str:
    """Writes the header in a fixed order and without blanks, because some parsers depend on the
    position.
    """
    encoded = to_base64(signature).translate(_PERCENT)
    return f"algorithm=RSA256,keyVersion={key_version},signature={encoded}"


@dataclass(frozen=True, slots=True)
class SignatureHeader:
    key_version: int
    signature: str
    """The signature as percent-encoded base64. It is decoded when the key is known."""


HeaderProblem = Literal["MISSING_SIGNATURE", "MALFORMED_SIGNATURE", "UNSUPPORTED_ALGORITHM"]


def read_signature_header(values: list[str]) -> SignatureHeader | HeaderProblem:
    """Parses the header. It accepts parameters in any order, names in any case, with or without
    blanks.
    """
    if not values or values[0].strip() == "":
        return "MISSING_SIGNATURE"
    parameters = _parameters_in(values[0]) if len(values) == 1 else None
    if parameters is None:
        return "MALFORMED_SIGNATURE"
    signature = parameters.get("signature")
    version = parameters.get("keyversion", "1")
    if not signature or "algorithm" not in parameters or not re.fullmatch("[0-9]{1,9}", version):
        return "MALFORMED_SIGNATURE"
    if parameters["algorithm"] != "RSA256":
        return "UNSUPPORTED_ALGORITHM"
    return SignatureHeader(int(version), signature)


def _parameters_in(value: str) -> dict[str, str] | None:
    parameters: dict[str, str] = {}
    for item in value.split(","):
        name, equals, text = item.partition("=")
        name = name.strip().lower()
        if not equals or name == "" or name in parameters:
            return None
        parameters[name] = text.strip()
    return parameters


_ENCODED = re.compile("(?:[A-Za-z0-9+/_=-]|%[0-9A-Fa-f]{2})+")


def decode_signature(text: str) -> bytes | None:
    """Decodes a signature; None if it is invalid. Accepts both base64 alphabets, with or without
    percent-encoding and padding.
    """
    if not _ENCODED.fullmatch(text):
        return None
    base64 = re.sub("%([0-9A-Fa-f]{2})", lambda match: chr(int(match[1], 16)), text)
    bare = re.sub("={1,2}$", "", base64).replace("-", "+").replace("_", "/")
    return from_base64(bare + "=" * (-len(bare) % 4))
