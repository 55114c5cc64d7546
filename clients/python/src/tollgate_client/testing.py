"""Tools for your own tests: a gateway in memory, a clock that you control, keys, and a check of
the requests.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
)

from ._base64 import to_base64
from ._keys import PrivateKeyInput, PublicKeyInput, private_key_of, public_key_of
from ._signature import (
    SignatureHeader,
    decode_signature,
    read_signature_header,
    signed_text,
    write_signature_header,
)
from ._wire_time import to_wire_time
from .transport import TransportRequest, TransportResponse


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """The next response of a gateway in memory."""

    body: Mapping[str, Any] = field(default_factory=dict)
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    fault: Exception | None = None
    """Raised instead of a response, such as `ConnectionResetError()` or `TimeoutError()`."""


class FakeGateway:
    """A transport that returns these responses, one for each request, signed with this key."""

    def __init__(
        self, replies: Sequence[Reply], private_key: PrivateKeyInput, key_version: int = 1
    ) -> None:
        self.requests: list[TransportRequest] = []
        """The requests so far."""
        self._replies = replies
        self._key = private_key_of(private_key)
        self._key_version = key_version

    def send(self, request: TransportRequest, /) -> TransportResponse:
        self.requests.append(request)
        if len(self.requests) > len(self._replies):
            raise AssertionError(f"There is no response number {len(self.requests)}.")
        reply = self._replies[len(self.requests) - 1]
        if reply.fault is not None:
            raise reply.fault
        return self._signed(request, reply)

    def close(self) -> None:
        pass

    def _signed(self, request: TransportRequest, reply: Reply) -> TransportResponse:
        body = json.dumps(reply.body, ensure_ascii=False).encode("utf-8")
        # The response's time is the request's time: the client may have a fake clock, and rejects a
        # response that is too old.
        now = to_wire_time(int(request.headers["request-time"]) / 1000)
        client_id = request.headers["client-id"]
        path = urlsplit(request.url).path
        text = signed_text(method="POST", path=path, client_id=client_id, time=now, body=body)
        headers = {
            "signature": write_signature_header(self._key_version, self._key.sign(text)),
            "response-time": now,
            "client-id": client_id,
            **reply.headers,
        }
        return TransportResponse(status=reply.status, headers=list(headers.items()), body=body)


class AsyncFakeGateway:
    """The same for `AsyncTollgate`."""

    def __init__(
        self, replies: Sequence[Reply], private_key: PrivateKeyInput, key_version: int = 1
    ) -> None:
        self._gateway = FakeGateway(replies, private_key, key_version)

    @property
    def requests(self) -> list[TransportRequest]:
        return self._gateway.requests

    async def send(self, request: TransportRequest, /) -> TransportResponse:
        return self._gateway.send(request)

    async def close(self) -> None:
        pass


class FakeClock:
    """A clock that does not advance by itself. `sleep` returns at once and advances the clock by
    its duration.
    """

    def __init__(self, now: float = 1767225600.0) -> None:
        self._now = now
        self.slept: list[float] = []
        """All sleep times in seconds, in order."""

    def now(self) -> float:
        return self._now

    def advance(self, seconds: float) -> None:
        self._now += seconds

    def sleep(self, seconds: float, /) -> None:
        self.slept.append(seconds)
        self.advance(seconds)

    async def sleep_async(self, seconds: float, /) -> None:
        self.sleep(seconds)


def verify_request(request: TransportRequest, public_key: PublicKeyInput) -> Any:
    """Verifies that the owner of this key signed the request, and returns its body."""
    header = read_signature_header([request.headers.get("signature", "")])
    signature = decode_signature(header.signature) if isinstance(header, SignatureHeader) else None
    if signature is None:
        raise AssertionError("The request has no valid signature header.")
    url = urlsplit(request.url)
    text = signed_text(
        method="POST",
        path=f"{url.path}?{url.query}" if url.query else url.path,
        client_id=request.headers["client-id"],
        time=request.headers["request-time"],
        body=request.body,
    )
    if not public_key_of(public_key).verify(text, signature):
        raise AssertionError("The signature does not match.")
    return json.loads(request.body)


class TestKeys(NamedTuple):
    """A pair of keys, as PEM."""

    private_key: str
    public_key: str


def test_keys() -> TestKeys:
    """Creates a new key pair, in base64."""
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    private = key.private_bytes(Encoding.DER, PrivateFormat.PKCS8, NoEncryption())
    public = key.public_key().public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
    return TestKeys(to_base64(private), to_base64(public))


# Tells pytest not to collect these classes and functions, which it would otherwise do because of
# their names.
TestKeys.__test__ = False  # type: ignore[attr-defined]
test_keys.__test__ = False  # type: ignore[attr-defined]
