"""What goes wrong with a live server, told in one line that ends in the remedy.

Does not decide what to do about it, and trusts nothing that a server wrote: its words are shortened and stripped of
control characters before anybody reads them.
"""

import json
import socket
import ssl

import httpx

from analysis.model.session import Json

QUOTED_CHARACTERS = 200  # of a server's own words; a traceback or a whole page helps nobody
READ_CHARACTERS = 20_000  # of an error body; more is no message

OFFERS_RENDERING = "start vllm serve with --enable-scale-out, or run `vllm launch render MODEL`"
IS_IT_VLLM = "is this the address of a vLLM server?"
REMEDIES = {
    401: "set WHYMISS_API_KEY to the key that the server was started with",
    403: f"{OFFERS_RENDERING}, and check that a proxy lets the request through",
    404: IS_IT_VLLM,
    405: IS_IT_VLLM,
    408: "try again",
    413: "a proxy in front limits the size of a request: use the server's own address",
    429: "the server is busy: try again later",
    502: "the server behind the proxy is down or still loads its model: try again later",
    503: "the server is down or still loads its model: try again later",
    504: "the server behind the proxy is too slow: use the server's own address",
}


class EndpointError(OSError):
    """A live server could not be asked, or did not answer as vLLM does; one line, with the remedy."""


def one_line(text: str, limit: int = QUOTED_CHARACTERS) -> str:
    """Return untrusted text as one printable line of at most ``limit`` characters."""
    line = " ".join("".join(char if char.isprintable() else " " for char in text[:READ_CHARACTERS]).split())
    return line if len(line) <= limit else line[: limit - 1] + "…"


def refusal(url: str, status: int, body: bytes) -> str:
    """Say what an answer outside 2xx means and what to do about it."""
    said = server_words(body)
    quoted = f" ({said})" if said else ""
    if status in REMEDIES:
        remedy = REMEDIES[status]
    elif status >= 500:
        remedy = "the server failed: its log says why"
    else:
        remedy = "the server does not take this request: change what it names"
    return f"{url} answered {status}{quoted}: {remedy}"


def server_words(body: bytes) -> str:
    """Return the message inside an error body, shortened; a web page is only named as one."""
    text = body[:READ_CHARACTERS].decode("utf-8", "replace").strip()
    if text.startswith("<"):
        return "a web page"
    try:
        found = _message(json.loads(text))
    except (ValueError, RecursionError):
        found = None
    return one_line(text if found is None else found)


def _message(body: Json) -> str | None:
    if not isinstance(body, dict):
        return None
    error = body.get("error")
    inner = error.get("message") if isinstance(error, dict) else error
    words = (inner, body.get("message"), body.get("detail"))
    return next((word for word in words if isinstance(word, str) and word), None)


def failure(url: str, error: httpx.HTTPError | httpx.InvalidURL, seconds: float) -> str:
    """Say why no answer came; ``seconds`` is the time-out that was set."""
    if isinstance(error, httpx.ConnectTimeout):
        return f"{url} cannot be reached (the connection timed out): check the address, the port and the firewall"
    if isinstance(error, httpx.TimeoutException):
        return f"{url} did not answer within {seconds:g} s: the server is busy or still starts; try again later"
    if isinstance(error, httpx.ConnectError):
        return _no_connection(url, error)
    if isinstance(error, httpx.InvalidURL):
        return f"{url} is no address ({one_line(str(error))}): check the spelling of the host"
    if isinstance(error, httpx.DecodingError):
        return f"{url} sent an answer that cannot be decompressed: ask the server itself, not a proxy"
    return f"{url} did not answer in HTTP ({one_line(str(error))}): check the port, and http against https"


def _no_connection(url: str, error: httpx.ConnectError) -> str:
    reasons = _reasons(error)
    tls = next((reason for reason in reasons if isinstance(reason, ssl.SSLError)), None)
    if isinstance(tls, ssl.SSLCertVerificationError):
        return f"{url} has a certificate that is not trusted here: set SSL_CERT_FILE to the issuer's certificate"
    if tls is not None:
        return f"{url} does not speak TLS: try http:// instead of https://"
    if any(isinstance(reason, socket.gaierror) for reason in reasons):
        return f"{url} names a host that is not known here: check the spelling, the DNS and the VPN"
    if any(isinstance(reason, ConnectionRefusedError) for reason in reasons):
        return f"{url} refused the connection: is the server running, and is this its port?"
    return f"{url} cannot be reached ({one_line(str(error))}): check the address, the port and the network"


def _reasons(error: BaseException) -> list[BaseException]:
    """Return the error and everything that led to it: httpx wraps what the socket said twice."""
    found: list[BaseException] = []
    current: BaseException | None = error
    while current is not None and current not in found:
        found.append(current)
        current = current.__cause__ or current.__context__
    return found
