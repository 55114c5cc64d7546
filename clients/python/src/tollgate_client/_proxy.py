"""The proxy on the way to the gateway, if there is one."""

from __future__ import annotations

import base64
import re
from dataclasses import dataclass
from typing import Literal
from urllib.parse import SplitResult, unquote, urlsplit

from .errors import ConfigurationError

#: An address such as `http://proxy.example:3128`; None for none.
ProxyInput = str | None | Literal["environment"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Proxy:
    host: str
    port: int
    headers: dict[str, str]
    """With name and password, if the address has them."""


def proxy_for(url: SplitResult, given: ProxyInput) -> Proxy | None:
    """Of the option, or else of HTTPS_PROXY, HTTP_PROXY and NO_PROXY, as curl and others read them."""
    host = url.hostname or ""
    if given == "environment":
        # What is on this machine is reached without one, whatever the environment forgets to say.
        if host in ("localhost", "::1") or re.fullmatch(r"127(\.[0-9]+){3}", host):
            return None
        # Loaded here, because it takes long, and whoever gives a proxy does not need it.
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
        # Without what stands before the host: that may be a password.
        where = address.rpartition("@")[2]
        raise ConfigurationError(
            f"A proxy is given like http://proxy.example:3128, and not like {where}."
        )
    if proxy.username is None:
        return Proxy(host=host, port=port, headers={})
    secret = f"{unquote(proxy.username)}:{unquote(proxy.password or '')}".encode()
    word = base64.b64encode(secret).decode("ascii")
    return Proxy(host=host, port=port, headers={"Proxy-Authorization": f"Basic {word}"})
