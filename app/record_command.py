"""``whymiss record``: a server in front of vLLM that passes everything on and writes the log."""

import typer

from analysis.live.address import is_loopback
from analysis.live.listening import listen, serve
from analysis.pipeline.recording import Recording, opened, recorder, salt_fingerprints
from app import options, places
from app.terminal import fail, say

PORT = 8900


def record(
    upstream: options.Upstream,
    output: options.RecordTo,
    port: options.RecordPort = PORT,
    host: options.Host = "127.0.0.1",
    add_ids: options.AddIds = False,
    add_usage: options.AddUsage = False,
    keep_secrets: options.KeepSecrets = False,
) -> None:
    """Record a server: pass everything on and write the log.

    Whymiss stands in front of the server and writes the requests to a model with their answers.

    Point clients at the address it says instead of the server's. The file is added to line by line; authorization
    headers and cookies are never written. Ctrl-C stops it.

    Examples: whymiss record --upstream http://localhost:8000 -o proxy.jsonl
    · whymiss record --upstream http://gpu7:8000 -o proxy.jsonl --port 9000 --add-ids --add-usage
    """
    try:
        salted = None if keep_secrets else salt_fingerprints(places.salt_key(), say)
        with opened(output) as file:
            recording = Recording(file, salted, say)
            proxy = recorder(upstream, recording, add_ids, add_usage)
            listening = listen(host, port)
            address = _address(host, listening.getsockname()[1])
            say(f"recording {proxy.url} to {output}: point clients at {address} (Ctrl-C stops).")
            if not is_loopback(address):
                say("whoever reaches this address can use the server behind it.")
            serve(proxy, listening, say)
    except (ValueError, OSError) as error:
        fail(error)
    say(recording.summary())
    if recording.num_lost:
        raise typer.Exit(2)


def _address(host: str, port: int) -> str:
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def add_to(app: typer.Typer) -> None:
    """Make it a command of the command line."""
    app.command()(record)
