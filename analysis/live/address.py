"""The address of a server, as people give it.

Does not connect, and does not guess: an address with more in it than host, port and ``/v1`` is an error.
"""

import ipaddress
import re
from urllib.parse import SplitResult, urlsplit

from analysis.live.errors import EndpointError, one_line

EXPECTED = "give it as http://HOST:PORT, for example http://localhost:8000"
_HOST = re.compile(r"[\w-]+(\.[\w-]+)*\.?")
_PATHS = ("", "/v1")


def base_url(address: str) -> str:
    """Return ``http://host:port`` for an address with or without scheme, ``/v1`` and trailing slashes.

    Raises EndpointError for anything else, and for a user name or password in the address: it would end up in logs.
    """
    text = address.strip()
    if not text:
        raise EndpointError(f"no server address: {EXPECTED}")
    try:
        parts = urlsplit(text if "://" in text else f"http://{text}")
        host, port = parts.hostname or "", parts.port
    except ValueError as error:
        raise EndpointError(f"{_shown(text)} is no server address ({one_line(str(error), 60)}): {EXPECTED}") from None
    if "@" in text:
        raise EndpointError(
            "the server address holds a user name or a password: leave it out and set WHYMISS_API_KEY instead"
        )
    _check(parts, host, text)
    shown_host = f"[{host}]" if ":" in host else host
    return f"{parts.scheme.lower()}://{shown_host}" + ("" if port is None else f":{port}")


def is_loopback(url: str) -> bool:
    """Say whether a base URL stays on this machine."""
    host = urlsplit(url).hostname or ""
    if _is_ip(host):
        return ipaddress.ip_address(host).is_loopback
    return host == "localhost" or host.endswith(".localhost")


def _check(parts: SplitResult, host: str, text: str) -> None:
    if parts.scheme.lower() not in ("http", "https"):
        raise EndpointError(f"{_shown(text)} is neither http nor https: {EXPECTED}")
    if not _is_ip(host) and not _HOST.fullmatch(host):
        raise EndpointError(f"{_shown(text)} names no host: {EXPECTED}")
    if parts.path.rstrip("/") not in _PATHS or parts.query or parts.fragment:
        raise EndpointError(f"{_shown(text)} is more than the address of a server: {EXPECTED}")


def _is_ip(host: str) -> bool:
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True


def _shown(text: str) -> str:
    """Quote an address without what may be a password in it."""
    return repr(one_line(text.rpartition("@")[2], 80))
