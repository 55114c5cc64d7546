"""The HTTP proxy between the client and the gateway, if any."""

from __future__ import annotations

import base64
import re
from dataclasses import dataclass
from typing import Literal
from urllib.parse import SplitResult, unquote, urlsplit

from .errors import ConfigurationError

#: A URL such as `http://proxy.example:3128`; None for no proxy.
ProxyInput = str | None | Literal["environment"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Proxy:
    host: str
    port: int
    headers: dict[str, str]
    """Includes name and password, if the URL has them."""


def proxy_for(url: SplitResult, given: ProxyInput) -> Proxy | None:
    """Returns the proxy from the option, or else from HTTPS_PROXY, HTTP_PROXY and NO_PROXY, like
    curl.
    """
    host = url.hostname or ""
    if given == "environment":
        # Loopback addresses never use a proxy, whatever the environment says.
        if host in ("localhost", "::1") or re.fullmatch(r"127(\.[0-9]+){3}", host):
            return None
        # `urllib.request` is imported here, because it loads slowly and is not needed if a proxy is
        # passed.
        from urllib.request import getproxies, proxy_bypass

        given = None if proxy_bypass(host) else getproxies().get(url.scheme)
    return None if not given else read_proxy(given)


def read_proxy(address: str) -> Proxy:
    try:
        proxy = urlsplit(address if "://" in address else f"http://{address}")
        host, port = proxy.hostname, proxy.port or 80
    except ValueError:
        proxy, host, port = urlsplit(""), None, 0
    if proxy.scheme != "http" or not host:
        # The message leaves out the part before the host, which may contain a password.
        where = address.rpartition("@")[2]
        raise ConfigurationError(
            f"A proxy must be a URL like http://proxy.example:3128, not {where}."
        )
    if proxy.username is None:
        return Proxy(host=host, port=port, headers={})
    secret = f"{unquote(proxy.username)}:{unquote(proxy.password or '')}".encode()
    word = base64.b64encode(secret).decode("ascii")
    return Proxy(host=host, port=port, headers={"Proxy-Authorization": f"Basic {word}"})
