"""Verifies that a message is from the gateway."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from ._base64 import to_base64
from ._keys import PublicKey
from ._signature import SignatureHeader, decode_signature, read_signature_header, signed_text
from ._wire_time import parse_wire_time
from .errors import SignatureProblem
from .transport import Headers, header_values

# Returns the gateway's public key for a key version. There is one key for all versions, or one key
# for each version.
GatewayKeys = Callable[[int], PublicKey | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Received:
    kind: Literal["response", "webhook"]
    method: str
    path: str
    client_id: str
    headers: Headers
    body: bytes


@dataclass(frozen=True, slots=True)
class Verified:
    replay_key: str
    """The signature in base64: unique for each message."""
    time: str
    """The text of the message's time header."""


def verify(message: Received, keys: GatewayKeys) -> Verified | SignatureProblem:
    """The order of the checks is part of the contract: presence, syntax, algorithm, key, base64,
    client id, signature.
    """
    header = read_signature_header(header_values(message.headers, "signature"))
    if not isinstance(header, SignatureHeader):
        return header
    time_header = "response-time" if message.kind == "response" else "request-time"
    times = header_values(message.headers, time_header)
    if not times:
        return "MISSING_TIME"
    key = keys(header.key_version)
    if key is None:
        return "UNKNOWN_KEY_VERSION"
    signature = decode_signature(header.signature)
    if signature is None or len(signature) != key.signature_bytes:
        return "MALFORMED_SIGNATURE"
    return _verify_signature(message, key, signature, times[0])


def _verify_signature(
    message: Received, key: PublicKey, signature: bytes, time: str
) -> Verified | SignatureProblem:
    client_ids = header_values(message.headers, "client-id") or [message.client_id]
    if client_ids[0] != message.client_id:
        return "CLIENT_MISMATCH"
    text = signed_text(
        method=message.method,
        path=message.path,
        client_id=message.client_id,
        time=time,
        body=message.body,
    )
    return Verified(to_base64(signature), time) if key.verify(text, signature) else "MISMATCH"


def time_problem(
    time: str, now: float, tolerance_seconds: float
) -> Literal["BAD_TIME", "STALE"] | None:
    """Checks the age of a message. A tolerance of zero disables the check."""
    seconds = parse_wire_time(time)
    if seconds is None:
        return "BAD_TIME"
    is_stale = tolerance_seconds != 0 and abs(now - seconds) > tolerance_seconds
    return "STALE" if is_stale else None
