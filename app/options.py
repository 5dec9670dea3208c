"""The arguments and options that commands share."""

import math
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer

MOST_SHOWN = 40  # characters of a value that is refused


def file_path(name: str | Path) -> Path:
    """A file or folder by its name; an empty name, as of a variable that is not set, is not the current folder."""
    if not str(name).strip():
        raise typer.BadParameter("the name is empty: give a file, or leave it out.")
    return Path(name)


def whole_number(least: int, most: int | None = None) -> dict[str, Any]:
    """An option that takes a whole number from ``least`` to ``most``, both of them too."""
    return _number(int, f"no whole number {_range(least, most)}", least, most)


def share(least: int, most: int) -> dict[str, Any]:
    """An option that takes any number from ``least`` to ``most``, both of them too."""
    return _number(float, f"no number {_range(least, most)}", least, most)


def _number(read: Callable[[str], float], refusal: str, least: int, most: int | None) -> dict[str, Any]:
    """Read here, as every version of typer refuses a number in words of its own, and NaN as one that is too large."""

    def parsed(given: object) -> float:
        try:
            value = read(str(given))
        except ValueError:
            value = math.nan
        if not least <= value <= (math.inf if most is None else most) or math.isinf(value):
            raise typer.BadParameter(f"{str(given)[:MOST_SHOWN]!r} is {refusal}.")
        return value

    return {"parser": parsed, "metavar": "NUMBER"}


def _range(least: int, most: int | None) -> str:
    return f"from {least} on" if most is None else f"from {least} to {most}"


Logs = Annotated[
    list[Path], typer.Argument(parser=file_path, help="Logs; each file or folder is the history of one server.")
]
MoreLogs = Annotated[
    list[Path] | None, typer.Argument(parser=file_path, help="Logs to import first; a folder is one server's history.")
]
Bodies = Annotated[
    list[Path], typer.Argument(parser=file_path, help="Two or more request bodies, renders or lists of token ids.")
]
Templates = Annotated[
    list[str],
    typer.Argument(help="Chat templates: .jinja files, model folders, hub ids, or addresses of live servers."),
]
TemplateKwargs = Annotated[
    str | None, typer.Option("--kwargs", help="chat_template_kwargs that every request carries, as JSON.")
]
Model = Annotated[str | None, typer.Option("--model", help="Tokenizer and chat template: a folder or a hub id.")]
Endpoint = Annotated[str | None, typer.Option("--endpoint", help="A live vLLM that renders; key in WHYMISS_API_KEY.")]
Generate = Annotated[
    bool, typer.Option("--allow-generation", help="Let the endpoint generate one token where it offers no render.")
]
BlockSize = Annotated[
    int | None,
    typer.Option("--block-size", **whole_number(1, 1 << 20), help="Tokens per block, as the server has them."),
]
Normalise = Annotated[str, typer.Option("--normalise", help="vllm: what vLLM does to a request first; none: as sent.")]
LogFormat = Annotated[str | None, typer.Option("--format", help="A format's name; `whymiss formats` lists them.")]
SameServer = Annotated[bool, typer.Option("--same-server", help="All logs are the history of one server.")]
Database = Annotated[Path | None, typer.Option("--db", parser=file_path, help="The dashboard's database file.")]
KeepIn = Annotated[Path | None, typer.Option("--db", parser=file_path, help="Also keep the result in this database.")]
JsonFile = Annotated[
    Path | None, typer.Option("--json", parser=file_path, help="Write the result as JSON to a file; - is stdout.")
]
MaxLost = Annotated[
    float | None, typer.Option("--max-lost", **share(0, 100), help="Exit 1 when more % of the prompt tokens are lost.")
]
Version = Annotated[bool, typer.Option("--version", help="Say which version this is.", is_eager=True)]
Port = Annotated[int | None, typer.Option("--port", **whole_number(1, 65535), help="Port on 127.0.0.1.")]
FailOn = Annotated[
    list[str] | None, typer.Option("--fail-on", help="Exit 1 when a turn has this cause, such as key/cache-salt.")
]
Blocks = Annotated[
    int | None,
    typer.Option(
        "--blocks", **whole_number(2, 1 << 24), help="Blocks in the server's pool (num_gpu_blocks): predicts evictions."
    ),
]
Window = Annotated[
    int | None, typer.Option("--window", **whole_number(1), help="Sliding window of a hybrid model, in tokens.")
]
Retention = Annotated[
    int | None, typer.Option("--retention", **whole_number(0), help="Retention interval of window blocks.")
]
SpecDecode = Annotated[bool, typer.Option("--spec-decode", help="The server drafts (EAGLE, MTP): hits lose a block.")]
Dcp = Annotated[int, typer.Option("--dcp", **whole_number(1, 1 << 16), help="Decode context parallel size.")]
ServerInfo = Annotated[
    Path | None, typer.Option("--server-info", parser=file_path, help="An answer of /server_info, for its settings.")
]
Metrics = Annotated[
    list[Path] | None,
    typer.Option("--metrics", parser=file_path, help="/metrics as text; twice for before and after the log."),
]
KvEvents = Annotated[
    Path | None, typer.Option("--kv-events", parser=file_path, help="KV cache events of the time, as JSON lines.")
]
Output = Annotated[Path, typer.Option("--output", "-o", parser=file_path, help="The file to write; - is stdout.")]
ReportTo = Annotated[
    Path,
    typer.Option(
        "--output", "-o", parser=file_path, help="The file to write: .html, .md or .json; - is Markdown on stdout."
    ),
]
Redact = Annotated[
    str, typer.Option("--redact", help="everything a log says, only secrets (by their form), or nothing.")
]
Hide = Annotated[
    list[str] | None, typer.Option("--hide", help="With --redact secrets: a name to hide as well; may be repeated.")
]
Keep = Annotated[
    list[str] | None, typer.Option("--keep", help="model or tool: let the names of these be readable; may be repeated.")
]
Upstream = Annotated[str, typer.Option("--upstream", help="The server to pass everything on to: http://HOST:PORT.")]
RecordTo = Annotated[Path, typer.Option("--output", "-o", parser=file_path, help="The log to write; it is added to.")]
RecordPort = Annotated[
    int, typer.Option("--port", **whole_number(0, 65535), help="Port to listen on; 0 is any that is free.")
]
Host = Annotated[str, typer.Option("--host", help="Address to listen on; 0.0.0.0 is every one of this machine.")]
AddIds = Annotated[bool, typer.Option("--add-ids", help="Ask vLLM for token ids too; clients do not see them.")]
AddUsage = Annotated[bool, typer.Option("--add-usage", help="Ask for the usage of streams too; clients do not see it.")]
KeepSecrets = Annotated[bool, typer.Option("--keep-secrets", help="Write cache salts as sent, not as fingerprints.")]
Against = Annotated[
    Path | None, typer.Option("--baseline", parser=file_path, help="The baseline file to compare with.")
]
SaveBaseline = Annotated[
    Path | None,
    typer.Option("--save", parser=file_path, help="Write the baseline of these logs, if they are no regression."),
]
MaxDrop = Annotated[
    float, typer.Option("--max-drop", **share(0, 100), help="Percentage points that a share may fall by.")
]
Copy = Annotated[Path, typer.Argument(parser=file_path, help="The file of the copy.")]
Replace = Annotated[bool, typer.Option("--replace", help="Replace the database that is there; what is in it is lost.")]
ReadOnly = Annotated[bool, typer.Option("--read-only", help="Sessions are looked at, not added or forgotten.")]
AllowEndpoint = Annotated[
    list[str] | None,
    typer.Option("--allow-endpoint", help="A server that visitors may ask, and that WHYMISS_API_KEY is for."),
]
