"""A client's options, validated and complete."""

from __future__ import annotations

import os
import platform
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TypedDict, TypeVar
from urllib.parse import urlsplit

from ._environment_key import key_from
from ._keys import (
    PrivateKey,
    PrivateKeyInput,
    PublicKey,
    PublicKeyInput,
    private_key_of,
    public_key_of,
)
from ._verify import GatewayKeys
from ._version import VERSION
from .clock import Clock, SystemClock
from .errors import ConfigurationError
from .log import LogEntry, Logger, LogHook, log_hook
from .observer import Observer

GatewayKeysInput = PublicKeyInput | Mapping[int, PublicKeyInput]
_Value = TypeVar("_Value")


class ClientOptions(TypedDict, total=False):
    """Options of a client. Missing options are read from environment variables:
    `TOLLGATE_CLIENT_ID` and so on.
    """

    client_id: str
    """`TOLLGATE_CLIENT_ID`"""
    private_key: PrivateKeyInput
    """Your private key: PEM or base64, PKCS#8 or PKCS#1; a path; or a key of `cryptography`.
    Environment variable: TOLLGATE_PRIVATE_KEY, or TOLLGATE_PRIVATE_KEY_FILE for a file
    """
    gateway_public_keys: GatewayKeysInput
    """The gateway's public key: one, or one for each key version. Environment variable:
    TOLLGATE_GATEWAY_PUBLIC_KEY, or TOLLGATE_GATEWAY_PUBLIC_KEY_FILE for a file
    """
    base_url: str
    """Scheme and host, such as `https://gateway.example`. Environment variable: TOLLGATE_BASE_URL
    """
    key_version: int
    """The version of your own key (default 1). Environment variable: TOLLGATE_KEY_VERSION"""
    environment: Literal["sandbox", "live"]
    """The default is sandbox if the client id starts with `SANDBOX_`. Environment variable:
    TOLLGATE_ENVIRONMENT
    """
    timeout: float
    """Seconds for each attempt, including the whole response (default 30)."""
    max_retries: int
    """Maximum number of retries (default 2)."""
    logger: Logger
    """A function, or a logger of the standard library. Without one, `TOLLGATE_LOG=debug` (`info`,
    `warn`) writes log entries to standard error.
    """
    observer: Observer
    """Called at the start and at the end of each API call, for traces and metrics."""
    clock: Clock
    agent_token: str
    app_info: str
    """The application or plugin that uses this library, such as `shop-plugin/1.2`; appended to
    `User-Agent`.
    """
    allow_insecure: bool
    """Allows `http://` for addresses other than loopback."""
    allow_unsigned_refusals: bool
    """Accepts unsigned rejections, which the gateway may send before it authenticates the client.
    With False they are signature errors.
    """
    webhook_tolerance_seconds: float
    """Maximum age of a webhook in seconds (default 300); 0 accepts any age."""


class WebhookOptions(TypedDict, total=False):
    """Options of a receiver. Missing options are read from the environment: TOLLGATE_CLIENT_ID,
    TOLLGATE_GATEWAY_PUBLIC_KEY.
    """

    client_id: str
    """`TOLLGATE_CLIENT_ID`"""
    gateway_public_keys: GatewayKeysInput
    """The gateway's public key: one, or one for each key version. Environment variable:
    TOLLGATE_GATEWAY_PUBLIC_KEY, or TOLLGATE_GATEWAY_PUBLIC_KEY_FILE for a file
    """
    clock: Clock
    webhook_tolerance_seconds: float
    """Maximum age of a webhook in seconds (default 300); 0 accepts any age."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReceivingSettings:
    """The settings for verifying a webhook."""

    client_id: str
    gateway_keys: GatewayKeys
    all_gateway_keys: tuple[PublicKey, ...]
    clock: Clock
    webhook_tolerance_seconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    client_id: str
    private_key: PrivateKey
    key_version: int
    gateway_keys: GatewayKeys
    base_url: str
    """Scheme and host, without a slash at the end."""
    is_sandbox: bool
    timeout: float
    max_retries: int
    log: LogHook
    observer: Observer | None
    clock: Clock
    headers: Mapping[str, str]
    allow_unsigned_refusals: bool
    webhook_tolerance_seconds: float


def settings_of(options: ClientOptions) -> Settings:
    receiving = receiving_of(options)
    log = log_hook(options.get("logger"))
    private_key = _private_key(options.get("private_key"))
    environment = options.get("environment") or _variable("environment")
    if any(key.is_same(private_key.public_half()) for key in receiving.all_gateway_keys):
        log(LogEntry(event="warning", message=_OWN_KEY))
    return Settings(
        client_id=receiving.client_id,
        private_key=private_key,
        key_version=_key_version(options.get("key_version")),
        gateway_keys=receiving.gateway_keys,
        base_url=_base_url(options),
        is_sandbox=_is_sandbox(receiving.client_id, environment),
        timeout=positive("timeout", options.get("timeout", 30.0)),
        max_retries=int(not_negative("max_retries", options.get("max_retries", 2))),
        log=log,
        observer=options.get("observer"),
        clock=receiving.clock,
        headers=_headers(options),
        allow_unsigned_refusals=options.get("allow_unsigned_refusals", True),
        webhook_tolerance_seconds=receiving.webhook_tolerance_seconds,
    )


def receiving_of(options: WebhookOptions | ClientOptions) -> ReceivingSettings:
    client_id = _given(options.get("client_id"), "client_id")
    if not re.fullmatch(r"[\x21-\x7e]{1,64}", client_id):
        raise ConfigurationError("A client id must have 1 to 64 visible ASCII characters.")
    one, by_version = _gateway_keys(options.get("gateway_public_keys"))
    return ReceivingSettings(
        client_id=client_id,
        gateway_keys=lambda version: one or by_version.get(version),
        all_gateway_keys=(one,) if one else tuple(by_version.values()),
        clock=options.get("clock") or SystemClock(),
        webhook_tolerance_seconds=not_negative(
            "webhook_tolerance_seconds", options.get("webhook_tolerance_seconds", 300)
        ),
    )


def positive(name: str, value: float) -> float:
    if not value > 0:
        raise ConfigurationError(f"{name} must be greater than 0.")
    return value


def not_negative(name: str, value: float) -> float:
    if not value >= 0:
        raise ConfigurationError(f"{name} must not be less than 0.")
    return value


def _variable(option: str) -> str | None:
    return os.environ.get(_variable_name(option)) or None


def _variable_name(option: str) -> str:
    return f"TOLLGATE_{option.upper().removesuffix('S')}"


def _given(value: _Value | None, option: str) -> _Value | str:
    found = value if value is not None else _variable(option)
    if found is None:
        raise ConfigurationError(f"There is no {option}: pass it, or set {_variable_name(option)}.")
    return found


def _found(key: _Value | None, option: str) -> _Value:
    if key is None:
        name = _variable_name(option)
        raise ConfigurationError(f"There is no {option}: pass it, or set {name} or {name}_FILE.")
    return key


def _key_version(given: int | None) -> int:
    text = str(given) if given is not None else _variable("key_version") or "1"
    if not re.fullmatch("[1-9][0-9]{0,8}", text):
        raise ConfigurationError("The key version must be 1 or more.")
    return int(text)


def _private_key(given: PrivateKeyInput | None) -> PrivateKey:
    if given is not None:
        return private_key_of(given)
    return _found(key_from(_variable_name("private_key"), private_key_of), "private_key")


def _gateway_keys(
    given: GatewayKeysInput | None,
) -> tuple[PublicKey | None, dict[int, PublicKey]]:
    one: PublicKey | None = None
    by_version: dict[int, PublicKey] = {}
    if given is None:
        variable = _variable_name("gateway_public_keys")
        one = _found(key_from(variable, public_key_of), "gateway_public_keys")
    elif isinstance(given, Mapping):
        by_version = {int(version): public_key_of(key) for version, key in given.items()}
    else:
        one = public_key_of(given)
    if not one and not by_version:
        raise ConfigurationError("At least one public key of the gateway is required.")
    return one, by_version


_OWN_KEY = (
    "The configured key of the gateway is your own public key, so verification will fail. "
    "Use the public key that the gateway showed you at registration."
)


def _base_url(options: ClientOptions) -> str:
    given = _given(options.get("base_url"), "base_url")
    try:
        url = urlsplit(given)
        host, port = url.hostname or "", url.port
    except ValueError:
        url, host, port = urlsplit(""), "", None
    if url.scheme not in ("http", "https") or not re.fullmatch(r"[A-Za-z0-9._:-]+", host):
        raise ConfigurationError(
            f"The base URL must be like https://gateway.example, but it is {given}."
        )
    if url.path.strip("/") or url.query or url.fragment or "@" in url.netloc:
        raise ConfigurationError(
            "The base URL must have only a scheme and a host, because paths are signed."
        )
    is_loopback = host in ("localhost", "::1") or re.fullmatch(r"127(\.[0-9]+){3}", host)
    if url.scheme == "http" and not is_loopback and not options.get("allow_insecure", False):
        raise ConfigurationError(
            "The base URL must start with https://. Only loopback may use http://."
        )
    name = f"[{host}]" if ":" in host else host
    return f"{url.scheme}://{name}" + (f":{port}" if port is not None else "")


def _is_sandbox(client_id: str, chosen: str | None) -> bool:
    if chosen not in (None, "sandbox", "live"):
        raise ConfigurationError(f"The environment must be sandbox or live, not {chosen}.")
    return client_id.startswith("SANDBOX_") if chosen is None else chosen == "sandbox"


def _headers(options: ClientOptions) -> Mapping[str, str]:
    app = f" {options['app_info']}" if "app_info" in options else ""
    own = {"user-agent": f"tollgate-python/{VERSION} (python {platform.python_version()}){app}"}
    if "agent_token" in options:
        own["agent-token"] = options["agent_token"]
    return {
        "content-type": "application/json; charset=UTF-8",
        # The signature covers the uncompressed bytes, so compression is declined.
        "accept-encoding": "identity",
        **checked_headers(own),
    }


_OWN_HEADERS = {
    "accept-encoding",
    "client-id",
    "connection",
    "content-length",
    "content-type",
    "host",
    "request-time",
    "signature",
    "transfer-encoding",
}


def checked_headers(headers: Mapping[str, str]) -> Mapping[str, str]:
    """Rejects values with line breaks: header injection."""
    for name, value in headers.items():
        if not re.fullmatch("[A-Za-z0-9-]+", name) or not re.fullmatch(r"[\x20-\x7e]*", value):
            raise ConfigurationError(f"The header {name!r} has invalid characters.")
        if name.lower() in _OWN_HEADERS:
            raise ConfigurationError(f"The header {name} is set by the library.")
    return {name.lower(): value for name, value in headers.items()}
