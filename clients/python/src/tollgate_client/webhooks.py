"""Receives webhooks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ._keys import PrivateKeyInput, private_key_of
from ._settings import ReceivingSettings, Settings, WebhookOptions, receiving_of
from ._signature import signed_text, write_signature_header
from ._told import Notification, read_told
from ._typing import Unpack
from ._verify import Received, Verified, time_problem, verify
from ._wire_time import to_wire_time
from .errors import SignatureVerificationError

#: The headers in the form of any framework: a mapping, or pairs. WSGI names such as
#: `HTTP_SIGNATURE` are accepted, too.
HeaderBag = Mapping[str, Any] | Iterable[tuple[str, str]]


class Webhooks:
    """Receives webhooks. A client has one; `Webhooks.of` creates one that needs no private key."""

    def __init__(self, settings: Settings | ReceivingSettings) -> None:
        self._settings = settings

    @classmethod
    def of(cls, **options: Unpack[WebhookOptions]) -> Webhooks:
        """Creates a receiver for a service that only receives webhooks. The service has only public
        keys, so an attacker who reads them cannot pay or refund.
        """
        return cls(receiving_of(options))

    def construct(
        self, *, path: str, headers: HeaderBag, body: bytes | str, method: str = "POST"
    ) -> Notification:
        """Verifies a webhook, and only then parses it.

        `path` is the path of the request with its query. `body` is the raw body, never a parsed
        one.
        """
        content = _raw(body)
        message = Received(
            kind="webhook",
            method=method,
            path=path,
            client_id=self._settings.client_id,
            headers=_pairs(headers),
            body=content,
        )
        verified = verify(message, self._settings.gateway_keys)
        if not isinstance(verified, Verified):
            raise SignatureVerificationError(verified)
        tolerance = self._settings.webhook_tolerance_seconds
        problem = time_problem(verified.time, self._settings.clock.now(), tolerance)
        if problem:
            raise SignatureVerificationError(problem)
        return Notification(
            **read_told(content), replay_key=verified.replay_key, time=verified.time
        )

    def ack(self) -> str:
        """The exact body that acknowledges a webhook. Send it with HTTP 200 and as JSON."""
        return '{"result":{"resultCode":"SUCCESS","resultStatus":"S","resultMessage":"success"}}'

    def sign(
        self,
        *,
        path: str,
        body: bytes | str,
        private_key: PrivateKeyInput,
        key_version: int = 1,
    ) -> dict[str, str]:
        """The headers that the gateway would send with this body, for tests of an endpoint."""
        client_id = self._settings.client_id
        time = to_wire_time(self._settings.clock.now())
        text = signed_text(
            method="POST", path=path, client_id=client_id, time=time, body=_raw(body)
        )
        signature = private_key_of(private_key).sign(text)
        return {
            "content-type": "application/json; charset=UTF-8",
            "client-id": client_id,
            "request-time": time,
            "signature": write_signature_header(key_version, signature),
        }


def _raw(body: object) -> bytes:
    if isinstance(body, str):
        return body.encode("utf-8")
    if isinstance(body, (bytes, bytearray, memoryview)):
        return bytes(body)
    raise SignatureVerificationError("BODY_ALREADY_PARSED")


def _pairs(headers: HeaderBag) -> list[tuple[str, str]]:
    items = headers.items() if isinstance(headers, Mapping) else headers
    return [
        (_plain_name(_text(name)), _text(each)) for name, value in items for each in _values(value)
    ]


def _values(value: Any) -> Sequence[Any]:
    if value is None:
        return []
    return value if isinstance(value, (list, tuple)) else [value]


def _text(value: Any) -> str:
    # ASGI frameworks use bytes.
    return value.decode("latin-1") if isinstance(value, bytes) else str(value)


def _plain_name(name: str) -> str:
    return name.removeprefix("HTTP_").replace("_", "-") if name.startswith("HTTP_") else name
