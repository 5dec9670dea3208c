"""What whoever opens this dashboard may do: set once by ``whymiss serve``, asked by the pages.

On this machine alone everything may be done.  Served to others, the dashboard reads no file that they name and asks no
server but those it was told of: it stands inside a network that they may not be in.

The API key goes to servers that were named in this process, and to none that merely stands in a database: somebody else
may have made that.
"""

import os
from collections.abc import Sequence

from analysis.live.address import base_url, is_loopback
from analysis.live.errors import EndpointError
from app import places

READ_ONLY, SHARED, ENDPOINTS = "WHYMISS_READ_ONLY", "WHYMISS_SHARED", "WHYMISS_ENDPOINTS"
READING = "This dashboard is read-only: sessions are looked at, and neither added nor forgotten."


def settle(read_only: bool, shared: bool, endpoints: Sequence[str]) -> None:
    """Set what may be done in this process and its children; raise EndpointError for an address that is none."""
    known = [base_url(address) for address in endpoints]
    os.environ |= {READ_ONLY: "1" if read_only else "", SHARED: "1" if shared else "", ENDPOINTS: " ".join(known)}


def are_others(host: str) -> bool:
    """Whether an address to listen on is reached from other machines."""
    return not is_loopback(f"http://[{host}]" if ":" in host else f"http://{host}")


def may_write() -> bool:
    """Whether logs are added and forgotten here."""
    return not os.environ.get(READ_ONLY)


def may_name_files() -> bool:
    """Whether files and models of the machine that serves can be named: only by those who sit at it."""
    return not os.environ.get(SHARED)


def allowed(address: str) -> str:
    """The address of a server that may be asked; raise EndpointError where it may not be."""
    url = base_url(address)
    if not may_name_files() and url not in _known():
        listed = f"Allowed: {', '.join(_known())}." if _known() else "None was allowed."
        raise EndpointError(
            f"{url}: this dashboard is served to others and asks only servers that --allow-endpoint names. {listed}"
        )
    return url


def named(address: str) -> str:
    """The address of a server that a visitor names, who thereby lets it have the key; raise as ``allowed`` does."""
    url = allowed(address)
    if url not in _known():
        os.environ[ENDPOINTS] = " ".join([*_known(), url])
    return url


def key_for(address: str) -> str | None:
    """The key for a server that stands in the database, None where there is none to send.

    Raise EndpointError where the server may not be asked, or was not named while there is a key.
    """
    url, key = allowed(address), places.api_key()
    if key is not None and url not in _known():
        raise EndpointError(
            f"{url} only stands in the database, so WHYMISS_API_KEY is not sent there: to allow it, save it again on"
            f" the page Models, or start with --allow-endpoint {url} (`whymiss analyze`: --endpoint {url})"
        )
    return key


def _known() -> list[str]:
    return os.environ.get(ENDPOINTS, "").split()
