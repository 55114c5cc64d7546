"""An isolated test merchant for a test run on a shared gateway."""

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
    """Creates an isolated test merchant, so that test runs that share a gateway do not affect each
    other. Returns None if no gateway listens at its address.

    `shared` has `baseUrl`, `controlSecret` and optionally `walletUrl`: the URL of the sandbox
    provider from this machine, if it differs from the gateway's. The result has the fields of
    `tollgate dev --json`.
    """
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    public = key.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
    try:
        opened = json.loads(_ask(shared, "POST", "", {"publicKey": public.decode()}))
    except urllib.error.HTTPError as error:
        said = error.read().decode("utf-8", errors="replace")
        raise RuntimeError(
            f"The Tollgate at {shared['baseUrl']} created no isolated test merchant: {said}"
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
    # Errors are ignored: the test merchant is gone with its gateway, or expires by itself.
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
