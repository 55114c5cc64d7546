"""A merchant of its own for a test run, on a gateway that others use as well."""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from collections.abc import Mapping
from contextlib import ExitStack, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
)


def open_universe(shared: Mapping[str, Any], at_the_end: ExitStack) -> dict[str, Any] | None:
    """Opens a universe, so that test runs that share a gateway do not see each other. None if nobody listens there.

    `shared` has `baseUrl`, `controlSecret` and perhaps `walletUrl`: how the wallet is reached from here, if not as the
    gateway reaches it. What comes back is like the line of `tollgate dev --json`.
    """
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    public = key.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
    try:
        opened = json.loads(_ask(shared, "POST", "", {"publicKey": public.decode()}))
    except urllib.error.HTTPError as error:
        said = error.read().decode("utf-8", errors="replace")
        raise RuntimeError(
            f"The Tollgate at {shared['baseUrl']} opens no universe for these tests: {said}"
        ) from None
    except OSError:
        return None
    at_the_end.callback(_close, shared, opened["clientId"])
    folder = Path(at_the_end.enter_context(TemporaryDirectory(prefix="tollgate-universe-")))
    own, theirs = folder / "merchant-private.pem", folder / "gateway-public.pem"
    own.touch(mode=0o600)
    own.write_bytes(key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
    theirs.write_text(opened["gatewayPublicKey"])
    return {
        "baseUrl": shared["baseUrl"],
        "clientId": opened["clientId"],
        "keyVersion": opened["keyVersion"],
        "merchantPrivateKeyFile": str(own),
        "gatewayPublicKeyFile": str(theirs),
        "walletUrl": shared.get("walletUrl") or opened.get("walletUrl", ""),
        "controlSecret": shared["controlSecret"],
    }


def _close(shared: Mapping[str, Any], client_id: str) -> None:
    # A failure is passed over: with its gateway the universe is gone, and otherwise it closes by itself.
    with suppress(OSError):
        _ask(shared, "DELETE", f"/{client_id}", None)


def _ask(shared: Mapping[str, Any], method: str, path: str, body: object) -> bytes:
    request = urllib.request.Request(
        f"{str(shared['baseUrl']).rstrip('/')}/sandbox/universes{path}",
        method=method,
        data=None if body is None else json.dumps(body).encode(),
        headers={
            "authorization": f"Bearer {shared['controlSecret']}",
            "content-type": "application/json",
        },
    )
    with urllib.request.urlopen(request) as answer:
        return bytes(answer.read())
